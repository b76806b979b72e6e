/** What the stream does not bring: fills, bills and the pool, asked again when the account changed. */

import { effect, signal } from "./vendor/signals.js";
import { place } from "./route.js";
import { ask, worded } from "./session.js";
import { balances, connection, orders, positions } from "./state.js";

/** @typedef {import("./types").MyTrade | import("./types").UserTrade} Fill */
/** @typedef {{id: string, time: number, kind: string, symbol: string, asset: string, amount: string,
 * fee: string, balance: string}} Bill */
/** @template T @typedef {import("./state.js").Signal<T>} Signal */

const FILLS = 100;
const BILLS = 100;
const WAIT_MS = 250; // many changes are asked about once

/** @type {Signal<Fill[] | null>} */
export const fills = signal(null);
/** @type {Signal<Bill[] | null>} */
export const bills = signal(null);
/** @type {Signal<import("./types").OperatorPosition[]>} */
export const pools = signal([]);
/** @type {Signal<string>} */
export const trouble = signal("");

let turn = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;
let shown = "";

/** Ask whenever the account changed, from now on. */
export function begin() {
  effect(() => {
    const { product, symbol, owner } = place.value;
    const view = `${product} ${symbol} ${owner}`;
    if (view !== shown) fills.value = bills.value = null;
    shown = view;
    // Each is read, so that each change of it runs this again.
    const changed = [balances.value, orders.value, positions.value];
    if (connection.value.state !== "live" || changed.every((one) => one === null)) return;
    waiting ??= setTimeout(() => {
      waiting = undefined;
      refresh();
    }, WAIT_MS);
  });
}

async function refresh() {
  const mine = ++turn;
  const { product, symbol, owner } = place.value;
  try {
    const found = await (product === "spot" ? ofSpot(symbol, owner) : ofContract(symbol, owner));
    if (mine !== turn) return;
    [fills.value, bills.value, pools.value] = found;
    trouble.value = "";
  } catch (problem) {
    if (mine === turn) trouble.value = worded(problem);
  }
}

/** @param {string} symbol @param {string} owner
 * @returns {Promise<[Fill[], Bill[], import("./types").OperatorPosition[]]>} */
async function ofSpot(symbol, owner) {
  const [trades, found] = await Promise.all([
    ask("my_trades", { symbol, limit: FILLS }, owner),
    ask("bills", { limit: BILLS }, owner),
  ]);
  const rows = found.map((one) => ({
    id: one.billId, time: Number(one.cTime), kind: one.bizType, symbol: "", asset: one.coinName,
    amount: one.deltaAmount, fee: one.fees, balance: one.afterAmount,
  }));
  return [trades, rows, []];
}

/** @param {string} symbol @param {string} owner
 * @returns {Promise<[Fill[], Bill[], import("./types").OperatorPosition[]]>} */
async function ofContract(symbol, owner) {
  const [trades, page, pool] = await Promise.all([
    ask("user_trades", { symbol, limit: FILLS }, owner),
    ask("income", { limit: BILLS }, owner),
    ask("operator_positions", { owner }).catch(() => []), // an invited owner may not ask
  ]);
  const rows = page.items.map((one) => ({
    id: String(one.billId), time: one.time, kind: one.incomeType, symbol: one.symbol ?? "",
    asset: one.asset, amount: one.income, fee: one.fillFee, balance: one.balance,
  }));
  return [trades, rows, pool];
}
