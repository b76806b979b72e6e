/** A report's place for questions: they are answered from the replies that it holds. */

import { Refused } from "../problems.js";

/** @typedef {import("../types").Replies} Replies */
/** @typedef {import("../types").Requests} Requests */
/** @typedef {keyof Replies & keyof Requests} Name */
/** @typedef {{kind: string, title: string, lines: string[]}} Verdict */
/** @typedef {{title: string, line: string}} ReportCommand */
/** @typedef {{time: number, kind: string, title: string, words: string, number: number}} Flag */
/** @typedef {{owner: string, product: string, points: [number, string][]}} Curve */
/** @typedef {{name: string, owner: string, values: Record<string, unknown>, reply: any}} Reply */
/**
 * @typedef {object} Report what src/venue/report/data.py writes
 * @property {string} title
 * @property {Verdict | null} verdict
 * @property {ReportCommand[]} commands
 * @property {string} seed
 * @property {string} version
 * @property {string} profile
 * @property {number} begin
 * @property {number} end
 * @property {number} sequence
 * @property {number} epoch
 * @property {string[]} owners
 * @property {["contract" | "spot", string][]} markets
 * @property {import("../types").WireEntry[]} wire
 * @property {Flag[]} flags
 * @property {Curve[]} equity
 * @property {Reply[]} replies
 * @property {string[]} lacking
 */

/** @type {Report} */
export const report = /** @type {any} */ (globalThis).venueReport;

/** The replies by operation, owner, and the parameter that tells them apart. */
const held = new Map(report.replies.map((one) => [key(one.name, one.owner, one.values),
  one.reply]));

/** @param {string} name @param {string} owner @param {Record<string, unknown>} values */
function key(name, owner, values) {
  return [name, owner, values.symbol ?? values.owner ?? values.id ?? ""].join(" ");
}

/** Whether a venue answers: none does. */
export const live = false;

/** @template {Name} N
 * @param {N} name
 * @param {Requests[N]} values
 * @param {string | null} [owner]
 * @returns {Promise<Replies[N]>} */
export async function ask(name, values, owner = null) {
  const found = reply(name, /** @type {any} */ (values), owner ?? "");
  if (found === undefined) throw new Refused(404, 0, lacking(name, /** @type {any} */ (values)));
  return found;
}

/** A reply that the report holds, or undefined. @template {Name} N @param {N} name
 * @param {Record<string, unknown>} [values] @param {string} [owner]
 * @returns {Replies[N] | undefined} */
export function reply(name, values = {}, owner = "") {
  return held.get(key(name, owner, values));
}

/** @param {string} name @param {Record<string, unknown>} values */
function lacking(name, values) {
  const [, kind] = /^explain_(.+)$/.exec(name) ?? [];
  if (!kind) return `This report does not hold ${name.replaceAll("_", " ")}.`;
  return `This report does not hold these reasons: it keeps those of some lines of each kind.
    On the venue of this run, "venue explain ${kind} ${values.id}" tells them.`;
}
