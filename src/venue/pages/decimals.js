/** Computes with decimals that are texts, exactly; a number is made only to draw with. */

const FORM = /^-?\d+(\.\d+)?$/;

/** @param {string} text @param {number} places */
function scaled(text, places) {
  if (!FORM.test(text)) throw new TypeError(`${text} is no decimal`);
  const [whole = "0", part = ""] = text.replace("-", "").split(".");
  const size = BigInt(whole + part.padEnd(places, "0"));
  return text.startsWith("-") ? -size : size;
}

/** @param {string} text */
export function places(text) {
  return text.split(".")[1]?.length ?? 0;
}

/** @param {bigint} size @param {number} at */
function spelled(size, at) {
  const digits = (size < 0n ? -size : size).toString().padStart(at + 1, "0");
  const whole = digits.slice(0, digits.length - at);
  const part = at ? `.${digits.slice(-at)}` : "";
  return `${size < 0n ? "-" : ""}${whole}${part}`;
}

/** @param {string} one @param {string} other */
export function plus(one, other) {
  const at = Math.max(places(one), places(other));
  return spelled(scaled(one, at) + scaled(other, at), at);
}

/** @param {string} one @param {string} other */
export function minus(one, other) {
  const at = Math.max(places(one), places(other));
  return spelled(scaled(one, at) - scaled(other, at), at);
}

/** @param {string} one @param {string} other */
export function times(one, other) {
  const at = places(one) + places(other);
  return spelled(scaled(one, places(one)) * scaled(other, places(other)), at);
}

/** -1, 0 or 1, as the first is below, equal or above. @param {string} one @param {string} other */
export function compare(one, other) {
  const at = Math.max(places(one), places(other));
  const [left, right] = [scaled(one, at), scaled(other, at)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The quotient with so many places, cut. @param {string} one @param {string} other
 * @param {number} at */
export function divided(one, other, at) {
  const most = Math.max(places(one), places(other));
  const below = scaled(other, most);
  return below === 0n ? "0" : spelled((scaled(one, most) * 10n ** BigInt(at)) / below, at);
}

/** The decimal with so many places, the rest cut off. @param {string} text @param {number} at */
export function cut(text, at) {
  const [whole, part = ""] = text.split(".");
  return at ? `${whole}.${part.slice(0, at).padEnd(at, "0")}` : `${whole}`;
}

/** Without the zeros at its end. @param {string} text */
export function trimmed(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** @param {string} text */
export function isZero(text) {
  return !/[1-9]/.test(text);
}

/** @param {string} text */
export function isNegative(text) {
  return text.startsWith("-") && !isZero(text);
}

/** A rate such as 0.0001 as percent, exactly. @param {string} rate */
export function percent(rate) {
  const size = scaled(rate, places(rate)) * 100n;
  return trimmed(spelled(size, places(rate)));
}
