/** What the venue lists: its markets and its owners. They seldom change, so they are asked for. */

import { effect, signal } from "./vendor/signals.js";
import { ask, session } from "./session.js";
import { connection, product, symbol } from "./state.js";

const EVERY_MS = 5000; // a halt is seen within this time
const ORDINARY_UID = 10_000_000; // the venue's own accounts lie below

/** @type {import("./state.js").Signal<{contract: string[], spot: string[]}>} */
export const markets = signal({ contract: [], spot: [] });
/** @type {import("./state.js").Signal<string[]>} */
export const owners = signal([]);

/** Why orders in the market that is shown are refused, or only some are taken; "": all are.
 * @type {import("./state.js").Signal<string>} */
export const closed = signal("");

/** Watch the market that is shown, from now on. */
export function watch() {
  effect(() => {
    closed.value = "";
    const [kind, name] = [product.value, symbol.value];
    if (connection.value.state !== "live") return undefined;
    const look = () => !document.hidden && checked(kind, name);
    look();
    const turns = setInterval(look, EVERY_MS);
    return () => clearInterval(turns);
  });
}

/** @param {string} kind @param {string} name */
async function checked(kind, name) {
  const words = await (kind === "spot" ? ofInstrument(name) : ofContract(name)).catch(
    () => "", // an invited owner may not ask, and reads it in refusals
  );
  if (kind === product.value && name === symbol.value) closed.value = words;
}

/** @param {string} name */
async function ofInstrument(name) {
  const found = (await ask("instruments", {})).find((one) => one.symbol === name);
  return found?.halted ? `${name} is halted: ${found.haltReason || "no reason is given"}.` : "";
}

/** @param {string} name */
async function ofContract(name) {
  const found = (await ask("contracts", {})).find((one) => one.symbol === name);
  if (!found) return "";
  if (found.halted) return `${name} is halted: ${found.haltReason || "no reason is given"}.`;
  if (found.state !== "LISTED") return `${name} is ${found.state.toLowerCase()}.`;
  if (!found.indexIsCurrent) return `The index of ${name} is old: orders may only reduce.`;
  return found.inDoubt ? `The price of ${name} is in doubt: orders may only reduce.` : "";
}

/** Ask for both again. */
export async function refresh() {
  const [contracts, spots, { owner }] = await Promise.all([
    ask("contract_exchange_info", {}),
    ask("exchange_info", {}),
    session(),
  ]);
  markets.value = {
    contract: contracts.symbols.map((one) => one.symbol),
    spot: spots.symbols.map((one) => one.symbol),
  };
  if (owner) {
    owners.value = [owner];
    return;
  }
  const all = await ask("owners", {});
  owners.value = all
    .filter((one) => one.uid >= ORDINARY_UID && !one.name.startsWith("agent-"))
    .map((one) => one.name);
}
