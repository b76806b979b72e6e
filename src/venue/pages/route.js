/** The page's place: each view has an address, and going back goes back. */

import { signal } from "./vendor/signals.js";

/** @typedef {"contract" | "spot"} Product */
/** @typedef {{kind: "request" | "order" | "bill" | "liquidation", id: string}} Why */
/**
 * @typedef {object} Place
 * @property {Why | null} why
 * @property {Product} product
 * @property {string} symbol
 * @property {string} owner whose account is shown
 * @property {string} tab
 * @property {string} by whose requests are shown; "" those of all
 * @property {string} operation
 * @property {string} show
 */

/** @type {Omit<Place, "why">} */
const DEFAULTS = {
  product: "contract",
  symbol: "BTCUSDT",
  owner: "alice",
  tab: "position",
  by: "",
  operation: "",
  show: "requests",
};
const KINDS = ["request", "order", "bill", "liquidation"];

/** @returns {Place} */
function read() {
  const [, first = "", kind = "", id = ""] = location.pathname.split("/");
  const given = Object.fromEntries(new URLSearchParams(location.search));
  const found = { ...DEFAULTS };
  for (const name of /** @type {(keyof typeof DEFAULTS)[]} */ (Object.keys(DEFAULTS)))
    if (typeof given[name] === "string") /** @type {any} */ (found)[name] = given[name];
  if (found.product !== "spot") found.product = "contract";
  const why = first === "why" && KINDS.includes(kind) && /^\d{1,20}$/.test(id);
  return { ...found, why: why ? /** @type {Why} */ ({ kind, id }) : null };
}

/** The address of a place. @param {Place} place */
function address({ why, ...rest }) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest))
    if (value !== DEFAULTS[/** @type {keyof typeof DEFAULTS} */ (name)]) query.set(name, value);
  const asked = query.toString();
  return `${why ? `/why/${why.kind}/${why.id}` : "/"}${asked ? `?${asked}` : ""}`;
}

export const place = signal(read());

/** The address of the present place with these changes. @param {Partial<Place>} changes */
export function linked(changes) {
  return address({ ...place.value, ...changes });
}

/** Go there; `quietly` leaves no step to go back to.
 * @param {Partial<Place>} changes @param {{quietly?: boolean}} [how] */
export function go(changes, { quietly = false } = {}) {
  const target = linked(changes);
  if (target === `${location.pathname}${location.search}`) return;
  if (quietly) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  place.value = read();
}

/** Follow a link within the page, unless a new tab is asked for.
 * @param {MouseEvent} event @param {Partial<Place>} changes */
export function follow(event, changes) {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(changes);
}

addEventListener("popstate", () => {
  place.value = read();
});
