/** Mends a refused request where its refusal names the bound that it broke. */

import { compare, cut, divided, isZero, places, times } from "./decimals.js";
import { fields } from "./entries.js";

/** @typedef {import("./types").WireEntry} WireEntry */
/** @typedef {{name: string, value: string}} Mend */

const DECIMAL = /^\d+(\.\d+)?$/;
const PRECISE = /^Parameter '(\w+)' is too precise: at most (\d+) decimals/;
const ALLOWED = /^Parameter '(\w+)' is out of range: allowed: ([\d.]+) to ([\d.]+)/;
const MOST = /^Parameter '(\w+)' is out of range: a MARKET order may be at most ([\d.]+)/;
const BAND = /^Parameter '(\w+)' is .*which for this side ends at ([\d.]+)/;
const FUNDS = /amount not enough: ([\d.]+) \S+ are needed, ([\d.]+) of/;
const SAFE = "0.95"; // of what there is money for: prices move meanwhile

/** The field to change, with a value that the same rule takes; null where that is not known.
 * `sizes` are the decimals of a quantity. @param {WireEntry} entry @param {number} sizes
 * @returns {Mend | null} */
export function mend(entry, sizes) {
  const found = fields(entry.text);
  if (!found) return null;
  const made = bounded(entry.msg, found) ?? afforded(entry.msg, found, sizes);
  if (!made || !DECIMAL.test(made.value) || isZero(made.value)) return null;
  return made.value === String(found[made.name]) ? null : made;
}

/** @param {string} words @param {import("./entries.js").Fields} found @returns {Mend | null} */
function bounded(words, found) {
  const [, name = "", first = "", last = ""] =
    PRECISE.exec(words) ?? ALLOWED.exec(words) ?? MOST.exec(words) ?? BAND.exec(words) ?? [];
  const value = String(found[name] ?? "");
  if (!DECIMAL.test(value)) return null;
  if (PRECISE.test(words)) return { name, value: cut(value, Number(first)) };
  if (!last) return { name, value: first };
  return { name, value: compare(value, first) < 0 ? first : last };
}

/** @param {string} words @param {import("./entries.js").Fields} found @param {number} sizes
 * @returns {Mend | null} */
function afforded(words, found, sizes) {
  const [, needed = "", free = ""] = FUNDS.exec(words) ?? [];
  const size = String(found.quantity ?? "");
  if (!needed || !DECIMAL.test(size) || isZero(needed)) return null;
  const share = divided(times(free, SAFE), needed, 8);
  return { name: "quantity", value: cut(times(size, share), Math.max(sizes, places(size))) };
}
