/** What the venue lists: its markets and its owners. They seldom change, so they are asked for. */

import { effect, signal } from "./vendor/signals.js";
import { place } from "./route.js";
import { ask, session } from "./session.js";
import { connection } from "./state.js";

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
    const { product, symbol } = place.value;
    if (connection.value.state !== "live") return undefined;
    const look = () => !document.hidden && checked(product, symbol);
    look();
    const turns = setInterval(look, EVERY_MS);
    return () => clearInterval(turns);
  });
}

/** @param {string} product @param {string} symbol */
async function checked(product, symbol) {
  const words = await (product === "spot" ? ofInstrument(symbol) : ofContract(symbol)).catch(
    () => "", // an invited owner may not ask, and reads it in refusals
  );
  if (symbol === place.value.symbol && product === place.value.product) closed.value = words;
}

/** @param {string} symbol */
async function ofInstrument(symbol) {
  const found = (await ask("instruments", {})).find((one) => one.symbol === symbol);
  return found?.halted ? `${symbol} is halted: ${found.haltReason || "no reason is given"}.` : "";
}

/** @param {string} symbol */
async function ofContract(symbol) {
  const found = (await ask("contracts", {})).find((one) => one.symbol === symbol);
  if (!found) return "";
  if (found.halted) return `${symbol} is halted: ${found.haltReason || "no reason is given"}.`;
  if (found.state !== "LISTED") return `${symbol} is ${found.state.toLowerCase()}.`;
  if (!found.indexIsCurrent) return `The index of ${symbol} is old: orders may only reduce.`;
  return found.inDoubt ? `The price of ${symbol} is in doubt: orders may only reduce.` : "";
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
