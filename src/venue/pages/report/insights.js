/** What stands out in a run: refusals by their kind, lost answers, orders sent twice, ignored
 * parameters, faults. */

import {
  asked, changes, decides, faultWords, ignored, isRequest, lost, orderIds, refused, twins,
} from "../entries.js";
import { reply, report } from "./session.js";

/** @typedef {import("../types").WireEntry} WireEntry */
/**
 * @typedef {object} Insight
 * @property {"bad" | "warn" | "note"} grade
 * @property {string} title
 * @property {string} words
 * @property {string} rule the sentence of the explanation that decided
 * @property {WireEntry[]} entries
 * @property {{kind: "request" | "order" | "liquidation", id: string} | null} why
 */

const rules = reply("faults") ?? [];

/** @returns {Insight[]} */
export function insights() {
  return [
    ...twice(), ...liquidated(), ...refusals(), ...losses(), ...unknown(), ...met(),
  ].sort((one, other) => rank(one) - rank(other));
}

/** @param {Insight} one */
const rank = (one) => ({ bad: 0, warn: 1, note: 2 })[one.grade];

/** @param {WireEntry} entry */
const toRequest = (entry) => ({ kind: /** @type {const} */ ("request"), id: String(entry.number) });

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** Entries by a key, in the order of the first of each. @param {WireEntry[]} entries
 * @param {(entry: WireEntry) => string} key */
function grouped(entries, key) {
  /** @type {Map<string, WireEntry[]>} */
  const found = new Map();
  for (const one of entries) found.set(key(one), [...(found.get(key(one)) ?? []), one]);
  return [...found.values()].sort((one, other) => other.length - one.length);
}

/** @returns {Insight[]} */
function refusals() {
  const all = report.wire.filter((one) => isRequest(one) && refused(one));
  return grouped(all, (one) =>
    `${one.owner} ${one.operation} ${one.status} ${one.code}`).map((entries) => {
    const [first] = /** @type {[WireEntry]} */ (entries);
    const explained = entries.find((one) => reply("explain_refusal", { id: one.number }));
    const told = explained && reply("explain_refusal", { id: explained.number });
    /** @type {Insight["grade"]} */
    const grade = first.fault ? "warn" : "bad";
    const who = first.owner || "A caller without a right key";
    const problem = first.code ? `${first.code} ${first.msg}` : `HTTP ${first.status}`;
    return {
      grade,
      title: `${counted(entries.length, "request")} refused: ${asked(first)}`,
      words: `${who}: ${problem}${first.fault ? ` (by a fault: ${faultWords(first, rules)})` : ""}`,
      rule: told?.sentences.filter(decides).at(-1) ?? "",
      entries,
      why: toRequest(explained ?? first),
    };
  });
}

/** @returns {Insight[]} */
function losses() {
  return grouped(report.wire.filter(lost), (one) =>
    `${one.owner} ${one.operation}`).map((entries) => {
    const [first] = /** @type {[WireEntry]} */ (entries);
    /** @type {Insight["grade"]} */
    const grade = changes(first) ? "bad" : "warn";
    const done = entries.filter((one) => changes(one) && orderIds(one).length);
    return {
      grade,
      title: `${counted(entries.length, "answer")} lost: ${asked(first)}`,
      words: `${first.owner || "A caller"} got no answer.${
        done.length ? ` The venue had carried out ${done.length} of them.` : ""
      }`,
      rule: "",
      entries,
      why: toRequest(first),
    };
  });
}

/** Orders whose answer was lost, and that were sent again. @returns {Insight[]} */
function twice() {
  const all = new Map(report.wire.map((one) => [one.number, one]));
  /** @type {Insight[]} */
  const found = [];
  for (const [number, before] of twins(report.wire)) {
    const [first, other] = [all.get(before), all.get(number)];
    if (!first || !other || refused(other)) continue;
    found.push({
      grade: "bad",
      title: "The same order was sent twice",
      words: `Request ${before} of ${first.owner} got no answer.
        Request ${number} sent the same order again, and was taken. ${orderIds(first).length
          ? "Both were carried out." : "The first may have been carried out too."}`,
      rule: "",
      entries: [first, other],
      why: toRequest(other),
    });
  }
  return found;
}

/** @returns {Insight[]} */
function unknown() {
  const all = report.wire.filter((one) => ignored(one).length);
  return grouped(all, (one) => `${one.operation} ${ignored(one).join()}`).map((entries) => {
    const [first] = /** @type {[WireEntry]} */ (entries);
    return {
      grade: /** @type {const} */ ("warn"),
      title: `Ignored: ${ignored(first).join(", ")}`,
      words: `${asked(first)} has no such parameter (${counted(entries.length, "request")}).`,
      rule: "",
      entries,
      why: toRequest(first),
    };
  });
}

/** Faults that met requests which were answered all the same, or frames. @returns {Insight[]} */
function met() {
  const all = report.wire.filter((one) => one.fault && !(isRequest(one) && (refused(one)
    || lost(one))));
  return grouped(all, (one) => one.fault).map((entries) => {
    const [first] = /** @type {[WireEntry]} */ (entries);
    return {
      grade: /** @type {const} */ ("warn"),
      title: `Fault: ${faultWords(first, rules)}`,
      words: `It met ${counted(entries.length, "line")} of the wire.`,
      rule: "",
      entries,
      why: toRequest(first),
    };
  });
}

/** @returns {Insight[]} */
function liquidated() {
  return report.flags
    .filter((one) => one.kind === "liquidation")
    .map((one) => ({
      grade: /** @type {const} */ ("bad"),
      title: one.title,
      words: "The position’s equity fell below its maintenance margin.",
      rule: "",
      entries: [],
      why: { kind: /** @type {const} */ ("liquidation"), id: String(one.number) },
    }));
}
