/** The book with the account's own orders and their places in the queue, and the trades. */

import { compare, divided, isZero, minus, plus, trimmed } from "../decimals.js";
import { html } from "../html.js";
import { connection, depth, orders, places, product, symbol, trades } from "../state.js";
import { clocked } from "../times.js";
import { useStill } from "./held.js";
import { Empty, Num, Panel, ToWhy } from "./parts.js";

/** @typedef {{price: string, size: string, sum: string, own: Own[]}} Level */
/** @typedef {{id: string, left: string, ahead: string | null}} Own */

const LEVELS = 11; // of each side

/** Sides with running sums, the best price first. @param {string[][]} rows @param {string} side */
function levels(rows, side) {
  /** @type {Level[]} */
  const found = [];
  let sum = "0";
  for (const [price = "0", size = "0"] of rows.slice(0, LEVELS)) {
    sum = plus(sum, size);
    found.push({ price, size, sum, own: ownAt(price, side) });
  }
  return found;
}

/** The account's orders at a price. @param {string} price @param {string} side @returns {Own[]} */
function ownAt(price, side) {
  const found = [];
  for (const one of orders.value ?? []) {
    if (one.symbol !== symbol.value || one.side !== side || isZero(one.price)) continue;
    if (compare(one.price, price)) continue;
    const id = String(one.orderId);
    const place = places.value?.find((other) => String(other.orderId) === id);
    found.push({ id, left: minus(one.origQty, one.executedQty), ahead: place?.ahead ?? null });
  }
  return found;
}

export function Book() {
  const now = depth.value && {
    asks: levels(depth.value.asks, "SELL"),
    bids: levels(depth.value.bids, "BUY"),
    update: depth.value.lastUpdateId,
  };
  const { shown, still, looking } = useStill(now);
  const update = shown?.update ?? "—";
  const source = `GET …/market/depth?symbol=${symbol.value}&limit=15, update ${update}`;
  const tools = html`<span class="dim">${still ? "Ⅱ still while you look" : "◆ own order"}</span>`;
  return html`<${Panel} title="Book" area="book" source=${source} tools=${tools}>
    <div class=${connection.value.state === "lost" ? "old" : ""} ...${looking}>
      ${shown ? html`<${Ladder} ...${shown} />` : html`<${Empty}>The book is on its way…<//>`}
    </div>
  <//>`;
}

/** @param {{asks: Level[], bids: Level[]}} props */
function Ladder({ asks, bids }) {
  const [ask, bid] = [asks[0], bids[0]];
  const most = [...asks, ...bids].reduce(
    (high, one) => (compare(one.size, high) > 0 ? one.size : high),
    "0",
  );
  return html`<table class="rows ladder">
    <thead><tr><th>Price</th><th class="r">Size</th><th class="r">Sum</th></tr></thead>
    <tbody class="asks">
      ${!ask && html`<tr><td colspan="3"><${Empty}>No asks. A market buy will be rejected.<//>
        </td></tr>`}
      ${asks.toReversed().map((one) => html`<${Row} key=${one.price} level=${one} most=${most}
        side="sell" />`)}
    </tbody>
    <tbody class="spread"><tr><td colspan="3">
      ${
        ask && bid
          ? html`<span class="num">${minus(ask.price, bid.price)}</span> spread`
          : "no spread: one side is empty"
      }
    </td></tr></tbody>
    <tbody class="bids">
      ${!bid && html`<tr><td colspan="3"><${Empty}>No bids. A market sell will be rejected.<//>
        </td></tr>`}
      ${bids.map((one) => html`<${Row} key=${one.price} level=${one} most=${most} side="buy" />`)}
    </tbody>
  </table>`;
}

/** @param {{level: Level, most: string, side: string}} props */
function Row({ level, most, side }) {
  const { price, size, sum, own } = level;
  const width = isZero(most) ? 0 : Number(divided(size, most, 4));
  const label = own.map(({ id, left, ahead }) => {
    const where = ahead === null ? "" : `, ${trimmed(ahead)} ahead`;
    return `Own order ${id}: ${trimmed(left)} left${where}`;
  });
  return html`<tr class=${own.length ? "own" : ""} title=${label.join("\n") || undefined}>
    <td class=${side}><${Num} value=${price} /></td>
    <td class="r bar-of" style=${{ "--part": String(width) }}><${Num} value=${size} /></td>
    ${own.length
      ? html`<td class="r">${own.map(
          (one, at) => html`<${Mine} key=${one.id} ...${one} told=${at === 0} />`,
        )}</td>`
      : html`<td class="r dim"><${Num} value=${sum} /></td>`}
  </tr>`;
}

/** An own order in the place of the sum: the words of the first of a price have the room.
 * @param {Own & {told: boolean}} props */
function Mine({ id, ahead, told }) {
  const where = ahead === null ? "" : `${trimmed(ahead)} ahead`;
  const label = `Own order ${id}, ${where}: why`;
  return html`<${ToWhy} kind="order" id=${id} class="mine" label=${label}>
    ◆${told && where && html`<span class="ahead">${where}</span>`}
  <//>`;
}

export function Tape() {
  const { shown, looking } = useStill(trades.value);
  const path = product.value === "spot" ? "/api/v3/market/trades" : "/capi/v3/market/trades";
  return html`<${Panel} title="Trades" area="tape" source=${`GET ${path}, newest first`}>
    <div class="scroll" tabindex="0" role="region" aria-label="Trades, newest first" ...${looking}>
      ${!shown && html`<${Empty}>Trades are on their way…<//>`}
      ${shown && !shown.length && html`<${Empty}>No trades in ${symbol.value} yet.<//>`}
      ${
        shown?.length
          ? html`<table class="rows">
        <thead><tr><th>Time</th><th class="r">Price</th><th class="r">Size</th></tr></thead>
        <tbody>
          ${shown.map((one) => {
            const sold = one.isBuyerMaker;
            return html`<tr key=${one.id} title=${`Trade ${one.id}`}>
              <td class="num dim">${clocked(one.time)}</td>
              <td class=${sold ? "r sell" : "r buy"}>
                <span aria-label=${sold ? "sold" : "bought"}>${sold ? "▼" : "▲"}</span> <${Num}
                  value=${one.price} />
              </td>
              <td class="r"><${Num} value=${one.qty} /></td>
            </tr>`;
          })}
        </tbody>
      </table>`
          : ""
      }
    </div>
  <//>`;
}
