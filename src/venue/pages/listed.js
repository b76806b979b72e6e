/** What the venue lists: its markets and its owners. They seldom change, so they are asked for. */

import { signal } from "./vendor/signals.js";
import { ask, session } from "./session.js";

const ORDINARY_UID = 10_000_000; // the venue's own accounts lie below

/** @type {import("./state.js").Signal<{contract: string[], spot: string[]}>} */
export const markets = signal({ contract: [], spot: [] });
/** @type {import("./state.js").Signal<string[]>} */
export const owners = signal([]);

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
