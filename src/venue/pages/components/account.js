/** The account that is shown: its position, orders, fills, balances and bills, each under a tab. */

import { useRef } from "../vendor/preact-hooks.js";
import { compare, divided, isZero, percent, trimmed } from "../decimals.js";
import { bills, fills, liquidations, pools, trouble } from "../details.js";
import { html } from "../html.js";
import { go, place } from "../route.js";
import {
  balances,
  conditional,
  connection,
  orders,
  owner,
  places,
  positions,
  product,
  symbol,
} from "../state.js";
import { clocked, dated } from "../times.js";
import { Empty, Gain, Num, Side, ToWhy } from "./parts.js";

/** @typedef {import("../types").PositionView} Position */
/** @typedef {[string, string, () => any, () => number | undefined]} Tab */

/** @type {Tab[]} */
const TABS = [
  [
    "position",
    "Position",
    Positions,
    () => positions.value?.filter((one) => !isZero(one.size)).length,
  ],
  ["orders", "Orders", Orders, () => orders.value?.length],
  ["conditional", "Conditional", Conditional, () => conditional.value?.length],
  ["fills", "Fills", Fills, () => undefined],
  ["balances", "Balances", Balances, () => undefined],
  ["bills", "Bills", Bills, () => undefined],
];
const PAGE = 100; // orders that one answer holds
const OF_CONTRACTS = ["position", "conditional"];

export function Account() {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const tabs = TABS.filter(
    ([name]) => product.value === "contract" || !OF_CONTRACTS.includes(name),
  );
  const chosen = tabs.find(([name]) => name === place.value.tab) ?? /** @type {Tab} */ (tabs[0]);
  const [name, , Shown] = chosen;
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const at = (tabs.indexOf(chosen) + step + tabs.length) % tabs.length;
    go({ tab: /** @type {Tab} */ (tabs[at])[0] }, { quietly: true });
    /** @type {HTMLElement} */ (list.current?.children[at]).focus();
  };
  return html`<section class="panel account" aria-label=${`Account of ${owner.value}`}>
    <div class="bar tabs">
      <div role="tablist" aria-label=${`Account of ${owner.value}`} ref=${list} onKeyDown=${move}>
        ${tabs.map(
          ([
            one,
            title,
            ,
            count,
          ]) => html`<button type="button" role="tab" id=${`tab-${one}`} key=${one}
            aria-selected=${one === name} aria-controls="account" tabindex=${one === name ? 0 : -1}
            onClick=${() => go({ tab: one }, { quietly: true })}
          >${title}${count() ? html` <span class="count">${count()}${count() === PAGE ? "+" : ""}
            </span>` : ""}</button>`,
        )}
      </div>
      <span class="dim whose">${owner.value}</span>
    </div>
    <div class=${`scroll ${connection.value.state === "lost" ? "old" : ""}`} id="account"
      role="tabpanel" tabindex="0" aria-labelledby=${`tab-${name}`}>
      ${trouble.value && html`<${Empty}>${trouble.value}<//>`}
      <${Shown} />
    </div>
  </section>`;
}

/** @param {string[]} heads @param {any} rows @param {number} [left] how many begin at the left */
const table = (heads, rows, left = 1) => html`<table class="rows">
  <thead><tr>${heads.map((head, at) => html`<th class=${at < left ? "" : "r"}>${head}</th>`)}</tr>
    </thead>
  <tbody>${rows}</tbody>
</table>`;

/** @param {"order" | "bill"} kind @param {string} id @param {string | number} shown */
const reason = (kind, id, shown) =>
  html`<${ToWhy} kind=${kind} id=${id} title="Why">${shown}<//>`;

const waiting = () => html`<${Empty}>The account is on its way…<//>`;

function Positions() {
  if (!positions.value) return waiting();
  const open = positions.value.filter((one) => !isZero(one.size));
  return html`${open.length ? tableOf(open) : none()}<${Liquidated} />`;
}

const none = () =>
  html`<${Empty}>${owner.value} has no position. An order that fills opens one.<//>`;

/** The positions that were taken by liquidation, each with its reasons. */
function Liquidated() {
  if (!liquidations.value.length) return null;
  return html`<ul class="liquidated">
    ${liquidations.value.map(
      (one) => html`<li key=${one.id}>
        <b class="sell">▼ Liquidated</b> ${one.symbol || one.asset}${" "}
        <span class="num dim">${dated(one.time).slice(5)} UTC</span>: equity${" "}
        <${Num} value=${one.equity} /> against maintenance <${Num} value=${one.maintenance} />
        ${" "}${one.asset}. <${ToWhy} kind="liquidation" id=${String(one.id)}>Why<//>
      </li>`,
    )}
  </ul>`;
}

/** @param {Position[]} open */
function tableOf(open) {
  const source = "GET /capi/v3/account/position/allPosition";
  return table(
    ["Contract", "Size", "Entry", "Liquidation", "Profit", "Margin used"],
    open.map((one) => {
      const pool = pools.value.find((other) => other.id === one.id);
      const entry = pool?.entryPrice ?? trimmed(divided(one.openValue, one.size, 8));
      return html`<tr key=${one.id}>
        <td>${one.symbol} <${Side} side=${one.side} /> <span class="dim">
          ${one.marginType === "CROSSED" ? "cross" : "isolated"} ${one.leverage}×</span></td>
        <td class="r"><${Num} value=${one.size} source=${source} /></td>
        <td class="r"><${Num} value=${entry}
          source=${`openValue ${one.openValue} / size ${one.size}`} /></td>
        <td class="r">${isZero(one.liquidatePrice) ? html`<span class="dim"
          title="At no price is the pool liquidated">none</span>` : html`<${Num}
          value=${one.liquidatePrice} source=${source} />`}</td>
        <td class="r"><${Gain} value=${one.unrealizePnl} source=${source} /></td>
        <td class="r">${pool && html`<${Meter} equity=${pool.poolEquity}
          need=${pool.poolMaintenance} />`}</td>
      </tr>`;
    }),
  );
}

/** How near a pool is to its liquidation. @param {{equity: string, need: string}} props */
function Meter({ equity, need }) {
  const broken = compare(equity, need) <= 0;
  const rate = broken ? "1" : divided(need, equity, 4);
  const said = `Maintenance margin ${need} of equity ${equity}: GET /_venue/positions`;
  return html`<span class="metered" title=${said}>
    <meter min="0" max="1" low="0.5" high="0.8" optimum="0" value=${rate} aria-label=${said}>
      </meter>
    <span class="num">${percent(rate)} %</span>
  </span>`;
}

function Orders() {
  if (!orders.value) return waiting();
  if (!orders.value.length)
    return html`<${Empty}>${owner.value} has no open order in ${symbol.value}${" "}
      ${product.value === "spot" ? "spot" : "perpetual"}.<//>`;
  return table(
    ["Order", "Side", "Price", "Size", "Filled", "Ahead", "Status", "Placed (UTC)"],
    orders.value.map(
      (one) => html`<tr key=${one.orderId}>
        <td>${reason("order", String(one.orderId), one.clientOrderId || one.orderId)}</td>
        <td><${Side} side=${one.side} /> <span class="dim">
          ${"positionSide" in one ? one.positionSide : ""}</span></td>
        <td class="r"><${Num} value=${one.price} /></td>
        <td class="r"><${Num} value=${one.origQty} /></td>
        <td class="r"><${Num} value=${one.executedQty} /></td>
        <td class="r"><${Ahead} id=${one.orderId} /></td>
        <td class="r dim">${one.status}</td>
        <td class="r num dim">${clocked(one.time)}</td>
      </tr>`,
    ),
    2,
  );
}

/** The quantity that trades before an order at its price. @param {{id: number}} props */
function Ahead({ id }) {
  const place = places.value?.find((one) => one.orderId === id);
  if (!place?.ahead) return "—";
  const source = `${place.atPrice} at its price, ${place.behind} behind it: GET /_venue/own/places`;
  return html`<${Num} value=${place.ahead} source=${source} />`;
}

function Conditional() {
  if (!conditional.value) return waiting();
  if (!conditional.value.length)
    return html`<${Empty}>${owner.value} has no conditional order in ${symbol.value}.<//>`;
  return table(
    ["Order", "Side", "Kind", "Trigger", "Price", "Size", "Placed (UTC)"],
    conditional.value.map(
      (one) => html`<tr key=${one.algoId}>
        <td>${reason("order", String(one.algoId), one.clientAlgoId || one.algoId)}</td>
        <td><${Side} side=${one.side} /> <span class="dim">${one.positionSide}</span></td>
        <td>${one.orderType}</td>
        <td class="r"><${Num} value=${one.triggerPrice} /></td>
        <td class="r">${isZero(one.price) ? html`<span class="dim">market</span>` : html`<${Num}
          value=${one.price} />`}</td>
        <td class="r"><${Num} value=${one.quantity} /></td>
        <td class="r num dim">${clocked(one.createTime)}</td>
      </tr>`,
    ),
    3,
  );
}

function Fills() {
  if (!fills.value) return waiting();
  if (!fills.value.length)
    return html`<${Empty}>No order of ${owner.value} was filled in ${symbol.value} yet.<//>`;
  const newest = [...fills.value].sort((one, other) => other.time - one.time || other.id - one.id);
  return table(
    ["Time (UTC)", "Side", "Price", "Size", "Fee", "Realized", "Order"],
    newest.map((one) => {
      const buys = "isBuyer" in one ? one.isBuyer : one.buyer;
      const fee = "commissionAsset" in one ? one.commissionAsset : "";
      return html`<tr key=${one.id}>
        <td class="num dim" title=${dated(one.time)}>${dated(one.time).slice(5)}</td>
        <td><${Side} side=${buys ? "BUY" : "SELL"} /> <span class="dim">
          ${"maker" in one ? (one.maker ? "maker" : "taker") : ""}</span></td>
        <td class="r"><${Num} value=${one.price} /></td>
        <td class="r"><${Num} value=${one.qty} /></td>
        <td class="r"><${Num} value=${one.commission} /> <span class="dim">${fee}</span></td>
        <td class="r">${"realizedPnl" in one ? html`<${Gain} value=${one.realizedPnl} />` : "—"}
          </td>
        <td class="r">${reason("order", String(one.orderId), one.orderId)}</td>
      </tr>`;
    }),
    2,
  );
}

function Balances() {
  const found = balances.value;
  if (!found) return waiting();
  const rows = Array.isArray(found)
    ? found.map((one) => [
        one.asset,
        one.balance,
        one.availableBalance,
        one.frozen,
        one.unrealizePnl,
      ])
    : found.balances.map((one) => [one.asset, null, one.free, one.locked, null]);
  if (!rows.length)
    return html`<${Empty}>
      ${owner.value} has no money here. <code>venue faucet ${owner.value} …</code> gives some.<//>`;
  const source = Array.isArray(found) ? "GET /capi/v3/account/balance" : "GET /api/v3/account/";
  return table(
    Array.isArray(found)
      ? ["Asset", "Balance", "Free", "Held", "Profit or loss"]
      : ["Asset", "Free", "Held"],
    rows.map(
      ([asset, ...amounts]) => html`<tr key=${asset}>
        <td>${asset}</td>
        ${amounts.map(
          (one, at) =>
            one !== null &&
            one !== undefined &&
            html`<td class="r">
          ${at === 3 ? html`<${Gain} value=${one} source=${source} />` : html`<${Num} value=${one}
            source=${source} />`}
        </td>`,
        )}
      </tr>`,
    ),
  );
}

function Bills() {
  if (!bills.value) return waiting();
  if (!bills.value.length) return html`<${Empty}>${owner.value} has no bill yet.<//>`;
  return table(
    ["Time (UTC)", "What", "Amount", "Fee in it", "Balance after"],
    bills.value.map(
      (one) => html`<tr key=${one.id}>
        <td class="num dim" title=${dated(one.time)}>${dated(one.time).slice(5)}</td>
        <td>${reason("bill", one.id, one.kind.replaceAll("_", " "))}${" "}
          <span class="dim">${one.symbol}</span></td>
        <td class="r"><${Gain} value=${one.amount} /> <span class="dim">${one.asset}</span></td>
        <td class="r"><${Num} value=${trimmed(one.fee)} /></td>
        <td class="r"><${Num} value=${one.balance} /></td>
      </tr>`,
    ),
    2,
  );
}
