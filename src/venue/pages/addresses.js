/** Places with addresses: each view has one, and going back goes back. */

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
/** @typedef {Omit<Place, "why">} Usual */

const KINDS = ["request", "order", "bill", "liquidation"];

/** @param {string} address @param {Usual} usual @returns {Place} */
function read(address, usual) {
  const [path = "", query = ""] = address.split("?");
  const [, first = "", kind = "", id = ""] = path.split("/");
  const given = Object.fromEntries(new URLSearchParams(query));
  const found = { ...usual };
  for (const name of /** @type {(keyof Usual)[]} */ (Object.keys(usual)))
    if (typeof given[name] === "string") /** @type {any} */ (found)[name] = given[name];
  if (found.product !== "spot") found.product = "contract";
  const why = first === "why" && KINDS.includes(kind) && /^\d{1,20}$/.test(id);
  return { ...found, why: why ? /** @type {Why} */ ({ kind, id }) : null };
}

/** @param {Place} place @param {Usual} usual */
function written({ why, ...rest }, usual) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest))
    if (value !== usual[/** @type {keyof Usual} */ (name)]) query.set(name, value);
  const asked = query.toString();
  return `${why ? `/why/${why.kind}/${why.id}` : "/"}${asked ? `?${asked}` : ""}`;
}

/** The place of a document. An address tells only what differs from the usual place.
 * @param {Usual} usual
 * @param {() => string} here the address that the browser shows now
 * @param {"" | "#"} [sign] what each address begins with */
export function addressed(usual, here, sign = "") {
  const present = () => read(here().slice(sign.length), usual);
  const place = signal(present());

  /** The address of the present place with these changes. @param {Partial<Place>} changes */
  const linked = (changes) => sign + written({ ...place.value, ...changes }, usual);

  /** Go there; `quietly` leaves no step to go back to.
   * @param {Partial<Place>} changes @param {{quietly?: boolean}} [how] */
  const go = (changes, { quietly = false } = {}) => {
    const target = linked(changes);
    if (target === here()) return;
    if (quietly) history.replaceState(null, "", target);
    else history.pushState(null, "", target);
    place.value = present();
  };

  /** Follow a link within the page, unless a new tab is asked for.
   * @param {MouseEvent} event @param {Partial<Place>} changes */
  const follow = (event, changes) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go(changes);
  };

  addEventListener("popstate", () => {
    place.value = present();
  });
  return { place, linked, go, follow };
}
