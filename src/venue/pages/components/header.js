/** The line above all: the market, its prices, the account, and how the venue stands. */

import { useEffect, useState } from "../vendor/preact-hooks.js";
import { isNegative, percent, trimmed } from "../decimals.js";
import { connect } from "../events.js";
import { html } from "../html.js";
import { closed, markets, owners } from "../listed.js";
import { go, place } from "../route.js";
import { offer } from "../session.js";
import {
  clock,
  connection,
  epoch,
  faults,
  now,
  owner,
  prices,
  product,
  sequence,
  symbol,
  ticker,
} from "../state.js";
import { dated, spanned } from "../times.js";
import { Num } from "./parts.js";

/** @typedef {import("../types").TickerView | import("../types").ContractTicker} Ticker */

export function Header() {
  return html`<header class="header">
    <h1><a href="/" aria-label="venue, the bench">venue</a></h1>
    <${Market} />
    <${Prices} />
    <div class="standing">
      <${Account} /><${Clock} /><${Faults} /><${Epoch} /><${Connected} />
    </div>
  </header>`;
}

function Market() {
  const { contract, spot } = markets.value;
  const chosen = `${product.value} ${symbol.value}`;
  /** @param {Event} event */
  const choose = (event) => {
    const [kind, name] = /** @type {HTMLSelectElement} */ (event.target).value.split(" ");
    go({ product: /** @type {any} */ (kind), symbol: name ?? "" });
  };
  const known = [...contract.map((one) => `contract ${one}`), ...spot.map((one) => `spot ${one}`)];
  return html`<label class="market">
    <span class="unseen">Market</span>
    <select value=${chosen} onChange=${choose}>
      ${known.includes(chosen) ? "" : html`<option value=${chosen}>${symbol.value}</option>`}
      <optgroup label="Perpetual">
        ${contract.map((name) => option("contract", name, "perpetual"))}
      </optgroup>
      <optgroup label="Spot">${spot.map((name) => option("spot", name, "spot"))}</optgroup>
    </select>
  </label>`;
}

/** @param {string} kind @param {string} name @param {string} words */
const option = (kind, name, words) =>
  html`<option value=${`${kind} ${name}`}>${name} ${words}</option>`;

/** The ticker of the symbol. @returns {Ticker | null} */
function tickerNow() {
  const found = ticker.value;
  return (Array.isArray(found) ? found[0] : found) ?? null;
}

function Prices() {
  const found = tickerNow();
  const price = prices.value?.find((one) => one.symbol === symbol.value);
  const last = found?.lastPrice ?? "";
  useEffect(() => {
    document.title = last ? `${trimmed(last)} ${symbol.value} · venue` : "venue";
  }, [last, symbol.value]);
  const at = `at sequence ${sequence.value}`;
  const from =
    product.value === "spot" ? "GET /api/v3/market/ticker/24hr" : "GET /capi/v3/market/ticker/24hr";
  const index = `GET /capi/v3/market/premiumIndex, ${at}`;
  return html`<div class="prices">
    <span class="last"><${Num} value=${last || "—"} source=${`Last trade: ${from}, ${at}`} /></span>
    ${found && change(found.priceChangePercent)}
    ${
      price &&
      html`<dl>
      <div><dt>Mark</dt><dd><${Num} value=${price.markPrice} source=${index} /></dd></div>
      <div class="wide"><dt>Index</dt><dd><${Num} value=${price.indexPrice} source=${index} />
        </dd></div>
      <div class="wide">
        <dt>Funding</dt>
        <dd title=${`Forecast of the next rate: ${index}`}>
          <span class="num">${percent(price.forecastFundingRate)} %</span>
          <span class="dim"> in ${spanned(price.nextFundingTime - now.value)}</span>
        </dd>
      </div>
    </dl>`
    }
  </div>`;
}

/** @param {string} rate */
function change(rate) {
  const falls = isNegative(rate);
  const [whole, part = ""] = percent(rate).split(".");
  return html`<span class=${falls ? "sell change" : "buy change"} title="Change within 24 hours">
    ${falls ? "▼" : "▲"} <span class="num">${whole}.${part.slice(0, 2).padEnd(2, "0")} %</span>
  </span>`;
}

function Account() {
  /** @param {Event} event */
  const choose = (event) => go({ owner: /** @type {HTMLSelectElement} */ (event.target).value });
  const known = owners.value.includes(owner.value) ? owners.value : [owner.value, ...owners.value];
  return html`<label class="account-of">
    <span class="dim">Account</span>
    <select value=${owner.value} onChange=${choose}>
      ${known.map((name) => html`<option value=${name}>${name}</option>`)}
    </select>
  </label>`;
}

function Clock() {
  const told = clock.value;
  const how = !told
    ? ""
    : told.advancing
      ? "moving"
      : told.mode === "rate"
        ? `×${trimmed(told.rate)}`
        : told.mode === "manual"
          ? "paused"
          : told.mode === "skip"
            ? "skips"
            : told.mode;
  const title = told && `Venue time, GET /_venue/clock at sequence ${told.sequence}`;
  return html`<span class="clock" title=${title}>
    <time class="num">${now.value ? dated(now.value) : "—"}</time>
    <span class="dim">UTC</span> ${how && html`<span class="chip">${how}</span>`}
  </span>`;
}

function Faults() {
  const active = (faults.value ?? []).filter((rule) => rule.enabled);
  if (!active.length) return null;
  const said = `${active.length} ${active.length === 1 ? "fault" : "faults"}`;
  return html`<button
    type="button"
    class="chip warn"
    popovertarget="menu-faults"
    title="Rules that make requests or frames fail: GET /_venue/faults"
  >
    ⚠ ${said}
  </button>`;
}

function Epoch() {
  if (!epoch.value) return null;
  return html`<span class="chip" title="How often the state went back: X-Venue-Epoch">
    epoch <span class="num">${epoch.value}</span>
  </span>`;
}

const STATES = {
  connecting: "connecting…",
  live: "live",
  lost: "reconnecting…",
  refused: "not let in",
  unknown: "nothing to show",
};

function Connected() {
  const { state, words } = connection.value;
  return html`<span
    class=${`connected ${state}`}
    title=${words || `Stream of the venue, sequence ${sequence.value}`}
  >
    <span aria-hidden="true">${state === "live" ? "●" : "○"}</span> ${STATES[state]}
  </span>`;
}

/** The line under the header where something is wrong. */
export function Trouble() {
  const { state, words } = connection.value;
  if (state === "lost")
    return html`<div class="trouble lost" role="alert">
      <b>Reconnecting…</b> ${words} <b>Prices and balances are old.</b>
    </div>`;
  if (state === "unknown")
    return html`<div class="trouble refused" role="alert">
      <b>This venue has no such account or market.</b> ${words} Choose others above.
    </div>`;
  if (state === "refused")
    return html`<div class="trouble refused" role="alert">
      <b>This page is not let in.</b> ${words}
      <${Token} />
    </div>`;
  if (closed.value)
    return html`<div class="trouble lost" role="status"><b>⚠ ${closed.value}</b></div>`;
  return null;
}

/** Takes the operator's token, which is shown to the venue once and kept nowhere. */
function Token() {
  const [token, setToken] = useState("");
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    offer(token.trim());
    setToken("");
    connect();
  };
  return html`<form class="token" onSubmit=${submit}>
    <label>
      The operator’s token
      <input type="password" autocomplete="off" value=${token}
        onInput=${(/** @type {any} */ event) => setToken(event.target.value)} />
    </label>
    <button type="submit">Let me in</button>
  </form>`;
}

/** The present place as a key: what belongs to another is drawn anew. */
export const viewed = () => `${place.value.product} ${place.value.symbol} ${place.value.owner}`;
