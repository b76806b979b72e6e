/** The operator's actions: what each asks of the venue, and the command line that does the same. */

import { ask } from "./session.js";
import { quoted, urlOption } from "./shell.js";

/** @typedef {{line: string, run: () => Promise<unknown>, done: string}} Action */

/** @param {string} words */
const venue = (words) => `venue ${words}${urlOption()}`;

/** @returns {Action} */
export function pause() {
  return {
    line: venue("clock set manual"),
    run: () => ask("change_clock", { mode: "manual" }),
    done: "Time is paused.",
  };
}

/** @returns {Action} */
export function play() {
  return {
    line: venue("clock set offset"),
    run: () => ask("change_clock", { mode: "offset" }),
    done: "Time follows the machine's clock.",
  };
}

/** @param {string} rate @returns {Action} */
export function hurry(rate) {
  return {
    line: venue(`clock set rate --rate ${rate}`),
    run: () => ask("change_clock", { mode: "rate", rate }),
    done: `Time passes ${rate} times as fast.`,
  };
}

/** @param {string} by @returns {Action} */
export function advance(by) {
  return {
    line: venue(`clock advance ${by}`),
    run: () => ask("advance_clock", { by }),
    done: `Time moved by ${by}.`,
  };
}

/** @returns {Action} */
export function toFunding() {
  return {
    line: venue("clock advance --to-next funding --sparse"),
    run: () => ask("advance_clock", { to_next: "funding", sparse: true }),
    done: "Funding is settled.",
  };
}

/** @param {string} name @returns {Action} */
export function keep(name) {
  return {
    line: venue(`snapshot save ${quoted(name)}`),
    run: () => ask("keep_snapshot", { name }),
    done: `The state is kept as ${name}.`,
  };
}

/** @param {string} name @returns {Action} */
export function goBack(name) {
  return {
    line: venue(`snapshot revert ${quoted(name)}`),
    run: () => ask("revert", { name }),
    done: `The state is that of ${name} again.`,
  };
}

/** @param {string} symbol @param {string} price @param {boolean} jump @returns {Action} */
export function hold(symbol, price, jump) {
  return {
    line: venue(`index ${quoted(symbol)} ${quoted(price)} --hold${jump ? " --jump" : ""}`),
    run: () => ask("hold_index", { symbol, price, jump }),
    done: `The index of ${symbol} is held at ${price}.`,
  };
}

/** @param {string} symbol @returns {Action} */
export function release(symbol) {
  return {
    line: venue(`index ${quoted(symbol)} --release`),
    run: () => ask("release_index", { symbol }),
    done: `The index of ${symbol} is not held any more.`,
  };
}

/** @param {string} symbol @param {string} change @param {string} over @returns {Action} */
export function crash(symbol, change, over) {
  return {
    line: venue(`crash ${quoted(symbol)} ${quoted(change)} --over ${quoted(over)}`),
    run: () => ask("crash", { symbol, change, over }),
    done: `${symbol} moves by ${change} over ${over} of venue time.`,
  };
}

/** @typedef {import("./types").FaultRequest} FaultRequest */
/** @typedef {Record<string, string | number | undefined>} Fields */

/** @param {FaultRequest} rule @returns {Action} */
export function arm(rule) {
  const match = /** @type {Fields} */ (rule.match || {});
  const when = /** @type {Fields} */ (rule.when || {});
  const { kind, ...settings } = /** @type {Fields} */ (rule.effect);
  const words = ["fault add", kind];
  for (const [name, value] of Object.entries({ ...match, ...when }))
    if (value !== undefined) words.push(`--${name}`, quoted(String(value)));
  for (const [name, value] of Object.entries(settings))
    words.push("--effect", quoted(`${name}=${value}`));
  return {
    line: venue(words.join(" ")),
    run: () => ask("add_fault", rule),
    done: `The fault ${kind} is armed.`,
  };
}

/** @returns {Action} */
export function clearFaults() {
  return {
    line: venue("fault clear"),
    run: () => ask("clear_faults", {}),
    done: "All faults are removed.",
  };
}

/** @param {string} id @returns {Action} */
export function removeFault(id) {
  return {
    line: venue(`fault remove ${quoted(id)}`),
    run: () => ask("remove_fault", { id }),
    done: `The fault ${id} is removed.`,
  };
}
