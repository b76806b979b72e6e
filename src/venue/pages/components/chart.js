/** Candles with what is the account's: its orders, fills, entry and liquidation, and the mark. */

import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";
import { effect } from "../vendor/signals.js";
import {
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  LineStyle,
  createChart,
  createSeriesMarkers,
} from "../vendor/lightweight-charts.js";
import { divided, isZero, minus, plus, trimmed } from "../decimals.js";
import { fills } from "../details.js";
import { html } from "../html.js";
import { worded } from "../problems.js";
import { ask } from "../session.js";
import { candle, orders, positions, prices, product, symbol, trades } from "../state.js";
import { clocked, dated } from "../times.js";
import { Empty, Num, Panel } from "./parts.js";

/** @typedef {import("../types").CandleView} CandleView */
/** @typedef {import("../vendor/lightweight-charts.js").UTCTimestamp} Seconds */
/** @typedef {{price: string, title: string, color: string, style: number, near: boolean}} Line */

const KEPT = 240; // candles
const MINUTE_MS = 60_000;
const NEAR = 0.02; // lines within this part of the price stretch the scale
const LINES = 12; // prices of own orders, the nearest: more would cover the scale
const TABLE_ROWS = 40;

const probe = document.createElement("i");
probe.hidden = true;

/** A colour of the style as the present theme has it. @param {string} name */
function token(name) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** @param {CandleView} row */
const bar = (row) => ({
  time: /** @type {Seconds} */ (row[0] / 1000),
  open: Number(row[1]),
  high: Number(row[2]),
  low: Number(row[3]),
  close: Number(row[4]),
});

/** What the account's orders have left at each price near the last trade, those next to it first.
 * @returns {[string, string][]} */
function resting() {
  const last = Number(trades.value?.[0]?.price ?? 0);
  /** @type {Map<string, string>} */
  const sums = new Map();
  for (const one of orders.value ?? []) {
    if (one.symbol !== symbol.value || isZero(one.price)) continue;
    if (last && Math.abs(Number(one.price) / last - 1) > NEAR) continue;
    const place = `${one.side} ${one.price}`;
    sums.set(place, plus(sums.get(place) ?? "0", minus(one.origQty, one.executedQty)));
  }
  const away = (/** @type {string} */ place) => Math.abs(Number(place.split(" ")[1]) - last);
  return [...sums].sort(([one], [other]) => away(one) - away(other)).slice(0, LINES);
}

/** The lines of the account and the mark. @returns {Line[]} */
function lines() {
  /** @type {Line[]} */
  const found = [];
  const near = true;
  for (const [place, size] of resting()) {
    const [side, price = ""] = place.split(" ");
    const color = token(side === "BUY" ? "--buy" : "--sell");
    found.push({
      price,
      title: `◆ ${side} ${trimmed(size)}`,
      color,
      style: LineStyle.Dashed,
      near,
    });
  }
  for (const one of positions.value ?? []) {
    if (one.symbol !== symbol.value || isZero(one.size)) continue;
    const entry = divided(one.openValue, one.size, 8);
    const title = `${one.side} ${trimmed(one.size)} entry`;
    found.push({ price: entry, title, color: token("--focus"), style: LineStyle.Solid, near });
    if (!isZero(one.liquidatePrice)) {
      const price = one.liquidatePrice;
      const style = LineStyle.Solid;
      found.push({ price, title: "liquidation", color: token("--sell"), style, near: false });
    }
  }
  const mark = prices.value?.find((one) => one.symbol === symbol.value)?.markPrice;
  if (mark && product.value === "contract") {
    const color = token("--dim");
    found.push({ price: mark, title: "mark", color, style: LineStyle.SparseDotted, near });
  }
  return found;
}

/** The chart in an element; the function that is returned removes it. `missed` is called where time
 * went on by more than the stream tells. @param {HTMLElement} element @param {CandleView[]} rows
 * @param {() => void} missed */
function drawn(element, rows, missed) {
  const chart = createChart(element, { autoSize: true, ...look() });
  const series = chart.addSeries(CandlestickSeries, colors());
  series.applyOptions({
    autoscaleInfoProvider: (/** @type {() => any} */ usual) => stretched(usual(), shown),
  });
  const markers = createSeriesMarkers(series, []);
  /** @type {Line[]} */
  let shown = [];
  /** @type {ReturnType<typeof series.createPriceLine>[]} */
  let placed = [];
  series.setData(rows.map(bar));
  let last = rows.at(-1)?.[0] ?? 0;
  const stops = [
    effect(() => {
      const came = candle.value ?? [];
      if (came[0] && came[0][0] > last + MINUTE_MS) missed();
      for (const row of came) {
        if (row[0] >= last - MINUTE_MS) series.update(bar(row), row[0] < last);
        last = Math.max(last, row[0]);
      }
    }),
    effect(() => {
      const wanted = lines();
      if (JSON.stringify(wanted) === JSON.stringify(shown)) return;
      shown = wanted;
      for (const one of placed) series.removePriceLine(one);
      placed = shown.map(({ price, title, color, style }) =>
        series.createPriceLine({
          price: Number(price),
          title,
          color,
          lineWidth: 1,
          axisLabelVisible: true,
          lineStyle: /** @type {any} */ (style),
        }),
      );
    }),
    effect(() => {
      markers.setMarkers(/** @type {any} */ (marked(rows[0]?.[0] ?? 0)));
    }),
  ];
  const recolor = () => {
    chart.applyOptions(look());
    series.applyOptions(colors());
    shown = [];
  };
  dark.addEventListener("change", recolor);
  return () => {
    dark.removeEventListener("change", recolor);
    for (const stop of stops) stop();
    chart.remove();
  };
}

/** Fills as markers, one for those of a minute and a side. @param {number} from */
function marked(from) {
  const own = (fills.value ?? []).filter((one) => one.symbol === symbol.value && one.time >= from);
  /** @type {Map<string, string>} */
  const sums = new Map();
  for (const one of own.sort((first, other) => first.time - other.time)) {
    const buys = "isBuyer" in one ? one.isBuyer : one.buyer;
    const place = `${Math.floor(one.time / MINUTE_MS) * 60} ${buys ? "B" : "S"}`;
    sums.set(place, plus(sums.get(place) ?? "0", one.qty));
  }
  return [...sums].map(([place, sum]) => {
    const [time, way] = place.split(" ");
    const buys = way === "B";
    return {
      time: Number(time),
      position: buys ? "belowBar" : "aboveBar",
      shape: buys ? "arrowUp" : "arrowDown",
      color: token(buys ? "--buy" : "--sell"),
      text: `${way} ${trimmed(sum)}`,
    };
  });
}

/** @param {any} usual @param {Line[]} shown */
function stretched(usual, shown) {
  if (!usual?.priceRange) return usual;
  let { minValue, maxValue } = usual.priceRange;
  const middle = (minValue + maxValue) / 2;
  for (const { price, near } of shown) {
    const at = Number(price);
    if (!near || Math.abs(at / middle - 1) > NEAR) continue;
    minValue = Math.min(minValue, at);
    maxValue = Math.max(maxValue, at);
  }
  return { ...usual, priceRange: { minValue, maxValue } };
}

function look() {
  const line = token("--line");
  return {
    layout: {
      background: { type: ColorType.Solid, color: "transparent" },
      textColor: token("--dim"),
      fontFamily: getComputedStyle(document.body).fontFamily,
      fontSize: 11,
      attributionLogo: false, // the line below names its makers: a style in the page is refused
    },
    grid: { vertLines: { color: token("--grid") }, horzLines: { color: token("--grid") } },
    rightPriceScale: { borderColor: line, scaleMargins: { top: 0.08, bottom: 0.08 } },
    timeScale: { borderColor: line, timeVisible: true, secondsVisible: false, rightOffset: 4 },
    crosshair: { mode: CrosshairMode.Normal },
    localization: { timeFormatter: (/** @type {number} */ at) => `${dated(at * 1000)} UTC` },
  };
}

function colors() {
  const [up, down] = [token("--buy"), token("--sell")];
  return {
    upColor: up,
    borderUpColor: up,
    wickUpColor: up,
    downColor: "transparent",
    borderDownColor: down,
    wickDownColor: down,
    priceLineVisible: true,
    priceLineColor: token("--dim"),
  };
}

export function Chart() {
  const element = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [rows, setRows] = useState(/** @type {CandleView[] | null} */ (null));
  const [problem, setProblem] = useState("");
  const [table, setTable] = useState(false);
  const [turn, setTurn] = useState(0);
  const [kind, name] = [product.value, symbol.value];
  useEffect(() => {
    let wanted = true;
    const asked = { symbol: name, interval: /** @type {"1m"} */ ("1m"), limit: KEPT };
    const reply = kind === "spot" ? ask("klines", asked) : ask("contract_klines", asked);
    reply.then(
      (found) => wanted && setRows(found),
      (failure) => wanted && setProblem(worded(failure)),
    );
    return () => {
      wanted = false;
    };
  }, [kind, name, turn]);
  useEffect(() => {
    if (table || !rows?.length || !element.current) return undefined;
    return drawn(element.current, rows, () => setTurn((one) => one + 1));
  }, [rows, table]);
  const tools = html`<span class="dim">1 min · UTC</span>
    <button type="button" class="small" aria-pressed=${table} onClick=${() => setTable(!table)}>
      As a table
    </button>`;
  return html`<${Panel} title=${`${name} ${kind === "spot" ? "spot" : "perpetual"}`} area="chart"
    tools=${tools} source="Candles: GET …/market/klines, then the venue's stream">
    ${problem && html`<${Empty}>No candles: ${problem}<//>`}
    ${rows && !rows.length
      && html`<${Empty}>No trades in ${name} yet, so there are no candles.<//>`}
    ${
      table
        ? html`<${Table} rows=${rows ?? []} />`
        : html`<div class="canvas" ref=${element} aria-label=${told(rows)} role="group"></div>`
    }
    <p class="made-by">
      Chart:${" "}
      <a href="https://www.tradingview.com/" rel="noreferrer noopener">TradingView</a>${" "}
      Lightweight Charts™ © TradingView, Inc.
    </p>
  <//>`;
}

/** @param {CandleView[] | null} rows */
function told(rows) {
  const last = rows?.at(-1);
  if (!last) return "Candles are not here yet";
  return `Candles of ${rows?.length} minutes. The last at ${clocked(last[0])} UTC: open ${last[1]},
    high ${last[2]}, low ${last[3]}, close ${last[4]}. The button shows them as a table.`;
}

/** @param {{rows: CandleView[]}} props */
function Table({ rows }) {
  const newest = new Map([...rows, ...(candle.value ?? [])].map((row) => [row[0], row]));
  const shown = [...newest.values()].slice(-TABLE_ROWS).reverse();
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Candles as a table">
    <table class="rows">
      <thead><tr>
        <th>Minute (UTC)</th><th class="r">Open</th><th class="r">High</th><th class="r">Low</th>
        <th class="r">Close</th><th class="r">Volume</th>
      </tr></thead>
      <tbody>
        ${shown.map(
          (row) => html`<tr key=${row[0]}>
            <td class="num">${dated(row[0]).slice(0, 16)}</td>
            ${[1, 2, 3, 4, 5].map((at) => html`<td class="r"><${Num} value=${String(row[at])} />
              </td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
