/** A report's place: its address ends in #, and going back goes back. */

import { signal } from "../vendor/signals.js";
import { report } from "./session.js";

/** @typedef {"contract" | "spot"} Product */
/** @typedef {{kind: "request" | "order" | "bill" | "liquidation", id: string}} Why */
/** @typedef {import("../route.js").Place} Place */

const [[product, symbol] = ["contract", "BTCUSDT"]] = report.markets;
/** @type {Omit<Place, "why">} */
const DEFAULTS = {
  product: /** @type {Product} */ (product),
  symbol,
  owner: report.owners[0] ?? "alice",
  tab: "fills",
  by: "",
  operation: "",
  show: "requests",
};
const KINDS = ["request", "order", "bill", "liquidation"];

/** @returns {Place} */
function read() {
  const [path = "", query = ""] = location.hash.replace(/^#/, "").split("?");
  const [, first = "", kind = "", id = ""] = path.split("/");
  const given = Object.fromEntries(new URLSearchParams(query));
  const found = { ...DEFAULTS };
  for (const name of /** @type {(keyof typeof DEFAULTS)[]} */ (Object.keys(DEFAULTS)))
    if (typeof given[name] === "string") /** @type {any} */ (found)[name] = given[name];
  if (found.product !== "spot") found.product = "contract";
  const why = first === "why" && KINDS.includes(kind) && /^\d{1,20}$/.test(id);
  return { ...found, why: why ? /** @type {Why} */ ({ kind, id }) : null };
}

/** @param {Place} place */
function address({ why, ...rest }) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest))
    if (value !== DEFAULTS[/** @type {keyof typeof DEFAULTS} */ (name)]) query.set(name, value);
  const asked = query.toString();
  return `#${why ? `/why/${why.kind}/${why.id}` : "/"}${asked ? `?${asked}` : ""}`;
}

export const place = signal(read());

/** @param {Partial<Place>} changes */
export function linked(changes) {
  return address({ ...place.value, ...changes });
}

/** @param {Partial<Place>} changes @param {{quietly?: boolean}} [how] */
export function go(changes, { quietly = false } = {}) {
  const target = linked(changes);
  if (target === location.hash) return;
  if (quietly) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  place.value = read();
}

/** @param {MouseEvent} event @param {Partial<Place>} changes */
export function follow(event, changes) {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(changes);
}

const reread = () => {
  place.value = read();
};
addEventListener("popstate", reread);
addEventListener("hashchange", reread);
