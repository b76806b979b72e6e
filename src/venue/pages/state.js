/** What the page knows of its venue now. Frames of the stream write it, components read it. */

import { batch, computed, signal } from "./vendor/signals.js";
import { isOwn, twins } from "./entries.js";
import { place } from "./route.js";

/** @typedef {import("./types").Sections} Sections */
/** @typedef {import("./types").WireEntry} WireEntry */
/** @typedef {Sections & {sequence: number, epoch: number, time: number, skipped?: number}} Frame */
/**
 * @typedef {object} Connection
 * @property {"connecting" | "live" | "lost" | "refused" | "unknown"} state
 * @property {string} words why it is not live; unknown: the venue has no such owner or market
 */
/**
 * @typedef {object} Wire
 * @property {WireEntry[]} entries oldest first
 * @property {number} dropped how many are not here any more, or never came
 */

export const KEPT = 1000; // entries of the wire that the page holds

/** @template T @typedef {import("./vendor/signals.js").Signal<T>} Signal */

/** @template {keyof Sections} K @returns {Signal<Sections[K] | null>} */
const section = () => signal(/** @type {any} */ (null));

export const clock = /** @type {typeof section<"clock">} */ (section)();
export const faults = /** @type {typeof section<"faults">} */ (section)();
export const depth = /** @type {typeof section<"depth">} */ (section)();
export const ticker = /** @type {typeof section<"ticker">} */ (section)();
export const prices = /** @type {typeof section<"prices">} */ (section)();
export const trades = /** @type {typeof section<"trades">} */ (section)();
export const candle = /** @type {typeof section<"candle">} */ (section)();
export const orders = /** @type {typeof section<"orders">} */ (section)();
export const positions = /** @type {typeof section<"positions">} */ (section)();
export const balances = /** @type {typeof section<"balances">} */ (section)();
export const conditional = /** @type {typeof section<"conditional">} */ (section)();
export const places = /** @type {typeof section<"places">} */ (section)();
/** @type {Signal<Wire>} */
export const wire = signal({ entries: [], dropped: 0 });

/** Orders that were sent again, as twins() tells them; found once for each change of the wire. */
export const repeated = computed(() => twins(wire.value.entries));

/** @type {Record<string, Signal<any>>} */
const OF_MARKET = { depth, ticker, prices, trades, candle };
/** @type {Record<string, Signal<any>>} */
const OF_OWNER = { orders, positions, balances, conditional, places };
/** @type {Record<string, Signal<any>>} */
const SECTIONS = { clock, faults, ...OF_MARKET, ...OF_OWNER };

/** @type {Signal<Connection>} */
export const connection = signal({ state: "connecting", words: "" });
export const sequence = signal(0);
export const epoch = signal(0);
export const now = signal(0); // venue time, ms
/** @type {Signal<string>} */
export const announced = signal(""); // for readers of the screen, politely

export const product = computed(() => place.value.product);
export const symbol = computed(() => place.value.symbol);
export const owner = computed(() => place.value.owner);

/** @param {Frame} frame */
export function take(frame) {
  batch(() => {
    sequence.value = frame.sequence;
    epoch.value = frame.epoch;
    now.value = frame.time;
    for (const [name, held] of Object.entries(SECTIONS)) {
      if (!(name in frame)) continue;
      const part = /** @type {any} */ (frame)[name];
      held.value = typeof part?.code === "number" ? null : part; // a refusal is no state
    }
    if (frame.wire?.length || frame.skipped) extend(frame.wire ?? [], frame.skipped ?? 0);
  });
}

/** @param {WireEntry[]} added @param {number} skipped */
function extend(added, skipped) {
  const { entries, dropped } = wire.value;
  const all = [...entries, ...added.filter((one) => !isOwn(one))];
  const over = Math.max(0, all.length - KEPT);
  wire.value = { entries: all.slice(over), dropped: dropped + skipped + over };
}

/** Forget what belongs to the market and the owner that were shown. */
export function leave() {
  batch(() => {
    for (const held of [...Object.values(OF_MARKET), ...Object.values(OF_OWNER)]) held.value = null;
  });
}

/** Forget everything: the venue's state went back, or it is another process. */
export function forgetAll() {
  batch(() => {
    leave();
    clock.value = null;
    faults.value = null;
    wire.value = { entries: [], dropped: 0 };
  });
}
