/** The axis of a report: where each line of the run stands between its begin (0) and its end
 * (1). */

import { computed, signal } from "../vendor/signals.js";
import { report } from "./session.js";

/** @typedef {import("../types").WireEntry} WireEntry */

const LEAST_TIMES = 4; // a run with fewer times is shown by the order of its requests
const times = report.wire.map((one) => one.time);
const span = report.end - report.begin;

/** By time, or by the order of the requests.
 * @type {import("../state.js").Signal<"time" | "order">} */
export const by = signal(new Set(times).size < LEAST_TIMES || !span ? "order" : "time");

/** The part that is looked at. @type {import("../state.js").Signal<[number, number]>} */
export const range = signal([0, 1]);

export const whole = computed(() => range.value[0] <= 0 && range.value[1] >= 1);

/** How many of the numbers, which ascend, are not above one. @param {number} one */
function upTo(one) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {number} */ (times[middle]) <= one) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @type {Map<number, number>} */
const places = new Map(report.wire.map((one, at) => [one.number, at]));

/** Where a time is. @param {number} time */
export function ofTime(time) {
  if (by.value === "time") return span ? clamp((time - report.begin) / span) : 0.5;
  return times.length ? clamp(upTo(time) / times.length) : 0.5;
}

/** Where a line of the wire is. @param {{number: number, time: number}} entry */
export function ofEntry(entry) {
  const at = places.get(entry.number);
  if (by.value === "time" || at === undefined) return ofTime(entry.time);
  return (at + 0.5) / times.length;
}

/** The time at a place. @param {number} at */
export function timeAt(at) {
  if (by.value === "time") return report.begin + at * span;
  return times[Math.min(times.length - 1, Math.floor(at * times.length))] ?? report.begin;
}

/** @param {WireEntry} entry */
export function inRange(entry) {
  const at = ofEntry(entry);
  return at >= range.value[0] && at <= range.value[1];
}

/** @param {number} at */
function clamp(at) {
  return Math.min(1, Math.max(0, at));
}
