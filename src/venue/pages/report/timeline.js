/** The time axis: equity and drawdown, requests, orders, fills, faults and incidents above each
 * other. */

import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";
import { compare, minus, trimmed } from "../decimals.js";
import { isRequest, lost, refused } from "../entries.js";
import { html } from "../html.js";
import { follow, linked, place } from "../route.js";
import { clocked, dated, exact } from "../times.js";
import { Gain, Num } from "../components/parts.js";
import { by, ofEntry, ofTime, range, timeAt, whole } from "./axis.js";
import { counted } from "./insights.js";
import { reply, report } from "./session.js";

/** @typedef {import("../types").WireEntry} WireEntry */
/** @typedef {{at: number, mark: string, grade: string, title: string, why:
 * import("../addresses.js").Why | null}} Pin */

const HEIGHTS = { equity: 56, requests: 34, orders: 40, fills: 22 };
const FLAG = 26; // px that a flag needs
const ROWS = 5;
const STEPS = 200; // of the handles of the range

export function Timeline() {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const element = /** @type {HTMLElement} */ (box.current);
    const watch = new ResizeObserver(() => setWidth(Math.max(200, element.clientWidth)));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return html`<section class="panel timeline" aria-labelledby="title-timeline">
    <div class="bar">
      <h2 id="title-timeline">The run on one axis</h2>
      <${Legend} />
      <div class="choice" role="group" aria-label="Axis">
        ${[["time", "By time"], ["order", "By request"]].map(
          ([name, words]) => html`<button type="button" class="small"
            aria-pressed=${by.value === name}
            onClick=${() => { by.value = /** @type {any} */ (name); }}>${words}</button>`,
        )}
      </div>
    </div>
    <div class="lanes">
      <${Names} />
      <div class="tracks" ref=${box}>
        <${Equity} width=${width} />
        <${Requests} width=${width} />
        <${Orders} width=${width} />
        <${Fills} width=${width} />
        <${Flags} width=${width} />
        <${Ticks} width=${width} />
        <${Chosen} box=${box} />
      </div>
    </div>
    <${Handles} />
  </section>`;
}

function Legend() {
  return html`<p class="legend dim">
    <span class="key good">■ taken</span> <span class="key bad">✕ refused</span>
    <span class="key warn">◌ lost</span> <span class="buy">▲ buy</span> <span
      class="sell">▼ sell</span>
  </p>`;
}

function curve() {
  const { owner, product } = place.value;
  return report.equity.find((one) => one.owner === owner && one.product === product)?.points ?? [];
}

/** The deepest fall below an earlier high, as texts. @param {[number, string][]} points */
function fall(points) {
  let high = points[0]?.[1] ?? "0";
  let deepest = "0";
  for (const [, value] of points) {
    if (compare(value, high) > 0) high = value;
    const down = minus(value, high);
    if (compare(down, deepest) < 0) deepest = down;
  }
  return deepest;
}

function Names() {
  const points = curve();
  const first = points[0]?.[1];
  const last = points.at(-1)?.[1];
  return html`<div class="names">
    <div class="name equity-name"
      title="From the bills, fills and closes of 1-minute candles (mark prices for contracts)">
      <b>Equity</b> <span class="dim">${place.value.owner}</span>
      ${last && html`<div><${Num} value=${trimmed(last)} /> <span class="dim unit">USDT</span></div>
        <div><${Gain} value=${minus(last, first ?? last)} /></div>
        <div class="dim" title="The deepest fall below an earlier high">drawdown <${Num}
          value=${fall(points)} /></div>`}
    </div>
    <div class="name requests-name"><b>Requests</b></div>
    <div class="name orders-name"><b>Orders</b></div>
    <div class="name fills-name"><b>Fills</b></div>
    <div class="name flags-name"><b>Events</b></div>
  </div>`;
}

/** @param {{width: number}} props */
function Equity({ width }) {
  const points = curve();
  const height = HEIGHTS.equity;
  if (points.length < 2) return html`<p
    class="lane none dim equity-lane">No equity is known in this market.</p>`;
  let [lowest, highest] = [points[0]?.[1] ?? "0", points[0]?.[1] ?? "0"];
  for (const [, value] of points) {
    if (compare(value, lowest) < 0) lowest = value;
    if (compare(value, highest) > 0) highest = value;
  }
  const [low, high] = [Number(lowest), Number(highest)];
  const y = (/** @type {number} */ value) => 4 + (height - 8) * (high === low ? 0.5
    : (high - value) / (high - low));
  const x = (/** @type {number} */ time) => ofTime(time) * width;
  let top = -Infinity;
  /** @type {string[]} */
  const above = [];
  const line = points.map(([time, value]) => {
    top = Math.max(top, Number(value));
    above.push(`${x(time).toFixed(1)},${y(top).toFixed(1)}`);
    return `${x(time).toFixed(1)},${y(Number(value)).toFixed(1)}`;
  });
  const label = `Equity of ${place.value.owner}: from ${points[0]?.[1]} to
    ${points.at(-1)?.[1]} USDT, lowest ${lowest}, highest ${highest}. Deepest drawdown
    ${fall(points)}.`;
  return html`<svg class="lane equity-lane" role="img" aria-label=${label} width=${width}
    height=${height}>
    <polygon class="drawdown" points=${[...above, ...[...line].reverse()].join(" ")} />
    <polyline class="equity-line" points=${line.join(" ")} />
  </svg>`;
}

/** @param {{width: number}} props */
function Requests({ width }) {
  const height = HEIGHTS.requests;
  const count = Math.max(10, Math.floor(width / 5));
  /** @type {[number, number, number][]} */
  const bins = Array.from({ length: count }, () => [0, 0, 0]);
  const all = report.wire.filter(isRequest);
  for (const one of all) {
    const bin = /** @type {[number, number, number]} */ (bins[Math.min(count - 1,
      Math.floor(ofEntry(one) * count))]);
    bin[lost(one) ? 2 : refused(one) ? 1 : 0] += 1;
  }
  const most = Math.max(1, ...bins.map(([good, bad, gone]) => good + bad + gone));
  const step = width / count;
  const bad = all.filter(refused).length;
  const gone = all.filter(lost).length;
  const bars = bins.flatMap((bin, at) => {
    let base = height;
    return ["taken", "refused", "lost"].flatMap((kind, row) => {
      const size = bin[row] ?? 0;
      if (!size) return [];
      const tall = Math.max(row ? 5 : 2, (size / most) * (height - 6));
      base -= tall;
      return [html`<rect class=${kind} x=${(at * step).toFixed(1)}
        y=${Math.max(0, base).toFixed(1)} width=${Math.max(1, step - 1).toFixed(1)}
          height=${tall.toFixed(1)} />`];
    });
  });
  const label = `${counted(all.length, "request")}, ${bad} refused, ${gone} without an answer.`;
  return html`<svg class="lane requests-lane" role="img" aria-label=${label} width=${width}
    height=${height}>${bars}</svg>`;
}

/** The orders of the account in the market: from when they were placed until they ended. */
function ordersOf() {
  const { product, symbol, owner } = place.value;
  const past = product === "spot" ? reply("all_orders", { symbol }, owner)
    : reply("contract_order_history", { symbol }, owner);
  const open = product === "spot" ? reply("open_orders", {}, owner)
    : reply("contract_open_orders", {}, owner);
  /** @type {Map<number, any>} */
  const found = new Map();
  for (const one of /** @type {any[]} */ ([...(past ?? []), ...(open ?? [])]))
    if (one.symbol === symbol && one.updateTime >= report.begin) found.set(one.orderId, one);
  return [...found.values()].sort((one, other) => one.orderId - other.orderId);
}

const ENDED = ["FILLED", "CANCELED", "CANCELLED", "EXPIRED", "REJECTED"];

/** @param {{width: number}} props */
function Orders({ width }) {
  const all = ordersOf();
  const height = HEIGHTS.orders;
  if (!all.length) return html`<p
    class="lane none dim orders-lane">
      ${place.value.owner} had no order in ${place.value.symbol}.</p>`;
  /** @type {number[]} */
  const ends = [];
  const rows = all.map((one) => {
    const from = ofOrder(one) * width;
    const over = ENDED.includes(one.status) ? ofTime(one.updateTime) * width : width;
    const size = Math.max(4, over - from);
    let row = ends.findIndex((end) => end <= from);
    if (row < 0) row = ends.length < ROWS ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = from + size + 1;
    return { one, from, size, row };
  });
  const thick = Math.min(9, (height - 2) / Math.max(1, ends.length));
  return html`<svg class="lane orders-lane" role="img" width=${width} height=${height}
    aria-label=${`${counted(all.length,
      "order")} of ${place.value.owner} in ${place.value.symbol}`}>
    ${rows.map(
      ({ one, from, size, row }) => html`<rect rx="2"
        class=${`order ${one.side === "BUY" ? "buys" : "sells"} ${one.status === "FILLED"
          ? "filled" : ""}`}
        x=${from.toFixed(1)} y=${(1 + row * thick).toFixed(1)} width=${size.toFixed(1)}
          height=${(thick - 1).toFixed(1)}>
        <title>${worded(one)}</title></rect>`,
    )}
  </svg>`;
}

/** @param {any} one */
const worded = (one) =>
  `${one.side} ${trimmed(one.origQty)} @ ${trimmed(one.price)}: ${one.status}`;

/** @type {Map<string, WireEntry>} */
const placements = new Map(
  report.wire.filter((one) => one.method === "POST").flatMap((one) =>
    (one.orders ?? []).map((id) => [String(id), one])),
);

/** @param {{orderId: number, time: number}} order */
function ofOrder(order) {
  const entry = placements.get(String(order.orderId));
  return entry ? ofEntry(entry) : ofTime(order.time);
}

/** @param {{width: number}} props */
function Fills({ width }) {
  const { product, symbol, owner } = place.value;
  const found = product === "spot" ? reply("my_trades", { symbol }, owner)
    : reply("user_trades", { symbol }, owner);
  const all = /** @type {any[]} */ (found ?? []).filter((one) => one.time >= report.begin);
  const label = `${counted(all.length, "fill")} of ${owner} in ${symbol}`;
  return html`<svg class="lane fills-lane" role="img" aria-label=${label} width=${width}
    height=${HEIGHTS.fills}>
    ${all.map((one) => {
      const buys = one.isBuyer ?? one.buyer;
      const x = ofFill(one) * width;
      const points = buys ? `${x - 4},16 ${x + 4},16 ${x},8` : `${x - 4},6 ${x + 4},6 ${x},14`;
      return html`<polygon class=${buys ? "buys" : "sells"} points=${points}>
        <title>${`${buys ? "Bought"
          : "Sold"} ${trimmed(one.qty)} at ${trimmed(one.price)}`}</title></polygon>`;
    })}
  </svg>`;
}

/** @param {{orderId: number, time: number}} fill */
function ofFill(fill) {
  const entry = placements.get(String(fill.orderId));
  return entry && (by.value === "order" || entry.time === fill.time) ? ofEntry(entry)
    : ofTime(fill.time);
}

/** @returns {Pin[]} */
function pins() {
  /** @type {Pin[]} */
  const found = report.flags.map((one) => ({
    at: ofTime(one.time),
    mark: one.kind === "liquidation" ? "☠" : "⚑",
    grade: one.kind === "liquidation" ? "bad" : "note",
    title: `${one.title}${one.words && one.words !== "{}" ? ` ${one.words}` : ""}`,
    why: one.kind === "liquidation" ? { kind: "liquidation", id: String(one.number) } : null,
  }));
  for (const one of report.wire)
    if (one.fault)
      found.push({
        at: ofEntry(one), mark: "⚠", grade: "warn", title: `fault ${one.fault}`,
        why: { kind: "request", id: String(one.number) },
      });
    else if (isRequest(one) && (refused(one) || lost(one)))
      found.push({
        at: ofEntry(one), mark: "✕", grade: "bad",
        title: one.code ? `${one.code} ${one.msg}` : "no answer",
        why: { kind: "request", id: String(one.number) },
      });
  return found.sort((one, other) => one.at - other.at);
}

/** Pins that stand too near are one. @param {{width: number}} props */
function Flags({ width }) {
  /** @type {Pin[][]} */
  const groups = [];
  for (const one of pins()) {
    const last = groups.at(-1);
    if (last?.[0] && (one.at - last[0].at) * (width - FLAG) < FLAG) last.push(one);
    else groups.push([one]);
  }
  return html`<div class="lane flags-lane">
    ${!groups.length && html`<p
      class="none dim">No refusal, no lost answer, no fault, no act of the operator.</p>`}
    ${groups.map((group) => html`<${Flagged} group=${group} width=${width} />`)}
  </div>`;
}

/** @param {{group: Pin[], width: number}} props */
function Flagged({ group, width }) {
  const worst = group.find((one) => one.mark === "☠") ?? group.find((one) =>
    one.grade === "bad") ?? /** @type {Pin} */ (group[0]);
  const left = `${(/** @type {Pin} */ (group[0]).at * (width - FLAG)).toFixed(1)}px`;
  const title = group.slice(0, 6).map((one) => one.title).join("\n") + (group.length > 6
    ? `\nand ${group.length - 6} more` : "");
  const shown = html`${worst.mark}${group.length > 1 ? html`<sub>
    ${group.length > 99 ? "99+" : group.length}</sub>` : ""}`;
  const why = group.length === 1 ? worst.why : null;
  if (why)
    return html`<a class=${`flag ${worst.grade}`} style=${{ left }} href=${linked({ why })}
      title=${title} aria-label=${title}
      onClick=${(/** @type {MouseEvent} */ event) => follow(event, { why })}>${shown}</a>`;
  const near = FLAG / width / 2;
  const ends = /** @type {[number, number]} */ ([
    Math.max(0, /** @type {Pin} */ (group[0]).at - near), Math.min(1,
      /** @type {Pin} */ (group.at(-1)).at + near),
  ]);
  return html`<button type="button" class=${`flag ${worst.grade}`} style=${{ left }} title=${title}
    aria-label=${`${title}. Shows this part of the run.`}
      onClick=${() => { range.value = ends; }}>${shown}</button>`;
}

/** @param {{width: number}} props */
function Ticks({ width }) {
  const count = Math.max(2, Math.floor(width / 130));
  const fine = report.end - report.begin < count * 2000;
  return html`<div class="ticks dim num" aria-hidden="true">
    ${Array.from({ length: count }, (_, at) => {
      const time = timeAt(at / count);
      return html`<span
        style=${{ left: `${(at / count) * 100}%` }}>${fine ? exact(time) : clocked(time)}</span>`;
    })}
  </div>`;
}

/** The part that is looked at; another is chosen by dragging.
 * @param {{box: {current: HTMLElement | null}}} props */
function Chosen({ box }) {
  const from = useRef(/** @type {number | null} */ (null));
  const at = (/** @type {PointerEvent} */ event) => {
    const { left, width } = /** @type {HTMLElement} */ (box.current).getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  useEffect(() => {
    const element = /** @type {HTMLElement} */ (box.current);
    const down = (/** @type {PointerEvent} */ event) => {
      if (event.button || /** @type {Element} */ (event.target).closest(".flag")) return;
      from.current = at(event);
      element.setPointerCapture(event.pointerId);
    };
    const move = (/** @type {PointerEvent} */ event) => {
      if (from.current === null) return;
      const [one, other] = [from.current, at(event)];
      if (Math.abs(one - other) > 0.004) range.value = [Math.min(one, other), Math.max(one, other)];
    };
    const up = () => {
      from.current = null;
    };
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    return () => {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
    };
  }, []);
  if (whole.value) return null;
  const [begin, end] = range.value;
  return html`<div class="outside" style=${{ left: "0", width: `${begin * 100}%` }}></div>
    <div class="outside" style=${{ left: `${end * 100}%`, right: "0" }}></div>`;
}

function Handles() {
  const [begin, end] = range.value;
  /** @param {string} name @param {number} value @param {(at: number) => [number, number]} made */
  const handle = (name, value, made) => html`<label>
    <span>${name}</span>
    <input type="range" min="0" max=${STEPS} value=${Math.round(value * STEPS)}
      aria-valuetext=${`${dated(timeAt(value))} UTC`}
      onInput=${(/** @type {any} */ event) =>
        { range.value = made(Number(event.target.value) / STEPS); }} />
    <span class="num dim">${exact(timeAt(value))}</span>
  </label>`;
  return html`<div class="handles">
    <span class="dim">Drag over the axis, or:</span>
    ${handle("From", begin, (at) => [Math.min(at, end), end])}
    ${handle("To", end, (at) => [begin, Math.max(at, begin)])}
    <button type="button" class="small" disabled=${whole.value}
      onClick=${() => { range.value = [0, 1]; }}>Whole run</button>
  </div>`;
}
