/** What the stream does not bring: fills, bills, pools; asked again when the account changed. */

import { computed, effect, signal } from "./vendor/signals.js";
import { isZero, minus } from "./decimals.js";
import { worded } from "./problems.js";
import { place } from "./route.js";
import { ask } from "./session.js";
import { balances, connection, orders, positions } from "./state.js";

/** @typedef {import("./types").MyTrade | import("./types").UserTrade} Fill */
/** @typedef {{id: string, time: number, kind: string, symbol: string, asset: string,
 * amount: string, fee: string, balance: string}} Bill */
/** @template T @typedef {import("./state.js").Signal<T>} Signal */

const FILLS = 100;
const BILLS = 100;
const LIQUIDATIONS = 5;
const WAIT_MS = 250; // many changes are asked about once
const POOLS_MS = 2000; // how often the margin of an open position is asked for

/** @type {Signal<Fill[] | null>} */
export const fills = signal(null);
/** @type {Signal<Bill[] | null>} */
export const bills = signal(null);
/** @type {Signal<import("./types").OperatorPosition[]>} */
export const pools = signal([]);
/** @type {Signal<import("./types").LiquidationView[]>} */
export const liquidations = signal([]);
/** @type {Signal<string>} */
export const trouble = signal("");

let turn = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;
let shown = "";

/** What changes with each fill and each bill, and with nothing else of the market's moves. */
const account = computed(() => {
  const found = balances.value;
  const money = Array.isArray(found)
    ? found.map((one) => minus(one.balance, one.unrealizePnl))
    : found?.balances.map((one) => [one.free, one.locked]);
  const stakes = positions.value?.map((one) => [one.id, one.size, one.openValue, one.fundingFee]);
  const filled = orders.value?.map((one) => [one.orderId, one.executedQty]);
  return found || orders.value ? JSON.stringify([money, stakes, filled]) : "";
});
const wanted = computed(() => {
  const { product, symbol, owner, tab } = place.value;
  return `${product} ${symbol} ${owner} ${tab === "bills"}`;
});
const exposed = computed(() => Boolean(positions.value?.some((one) => !isZero(one.size))));

/** Ask whenever the account changed, from now on. */
export function begin() {
  effect(() => {
    const { product, symbol, owner } = place.value;
    const view = `${product} ${symbol} ${owner}`;
    if (view !== shown) {
      fills.value = bills.value = null;
      liquidations.value = [];
    }
    shown = view;
  });
  effect(() => {
    const known = account.value && wanted.value && connection.value.state === "live";
    if (known) waiting ??= setTimeout(refresh, WAIT_MS);
  });
  effect(() => {
    pools.value = [];
    if (!exposed.value) return undefined;
    weigh();
    const turns = setInterval(weigh, POOLS_MS);
    return () => clearInterval(turns);
  });
}

/** Ask for the margin of the positions; an invited owner may not, and sees no meter. */
async function weigh() {
  if (document.hidden || connection.peek().state !== "live") return;
  const { owner } = place.peek(); // read unseen: a drawer that opens is no reason to ask anew
  const found = await ask("operator_positions", { owner }).catch(() => []);
  if (owner === place.value.owner) pools.value = found;
}

async function refresh() {
  waiting = undefined;
  const mine = ++turn;
  const { product, symbol, owner, tab } = place.value;
  try {
    const trades = await (product === "spot"
      ? ask("my_trades", { symbol, limit: FILLS }, owner)
      : ask("user_trades", { symbol, limit: FILLS }, owner));
    const rows =
      tab !== "bills" ? null : await (product === "spot" ? ofSpot(owner) : ofContract(owner));
    const ended = await (product === "spot" ? [] : liquidated(owner));
    if (mine !== turn) return;
    fills.value = trades;
    liquidations.value = ended;
    if (rows) bills.value = rows;
    trouble.value = "";
  } catch (problem) {
    if (mine === turn) trouble.value = worded(problem);
  }
}

/** The newest liquidations; an invited owner may not ask, and sees their bills alone.
 * @param {string} owner */
function liquidated(owner) {
  return ask("liquidations", { owner, limit: LIQUIDATIONS }).catch(() => []);
}

/** @param {string} owner @returns {Promise<Bill[]>} */
async function ofSpot(owner) {
  const found = await ask("bills", { limit: BILLS }, owner);
  return found.map((one) => ({
    id: one.billId,
    time: Number(one.cTime),
    kind: one.bizType,
    symbol: "",
    asset: one.coinName,
    amount: one.deltaAmount,
    fee: one.fees,
    balance: one.afterAmount,
  }));
}

/** @param {string} owner @returns {Promise<Bill[]>} */
async function ofContract(owner) {
  const { items } = await ask("income", { limit: BILLS }, owner);
  return items.map((one) => ({
    id: String(one.billId),
    time: one.time,
    kind: one.incomeType,
    symbol: one.symbol ?? "",
    asset: one.asset,
    amount: one.income,
    fee: one.fillFee,
    balance: one.balance,
  }));
}
