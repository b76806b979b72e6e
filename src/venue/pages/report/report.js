/** The report of a run: the bench frozen, with its verdict on top, and the run on one axis. */

import { Account } from "../components/account.js";
import { Chart } from "../components/chart.js";
import { Command } from "../components/parts.js";
import { WhyDrawer } from "../components/why.js";
import * as details from "../details.js";
import { isRequest, lost, refused } from "../entries.js";
import { html } from "../html.js";
import { follow, go, linked, place } from "../route.js";
import * as state from "../state.js";
import { clocked, dated, spanned } from "../times.js";
import { render } from "../vendor/preact.js";
import { batch, effect } from "../vendor/signals.js";
import { ofEntry, range } from "./axis.js";
import { counted, insights } from "./insights.js";
import { RunWire } from "./list.js";
import { reply, report } from "./session.js";
import { Timeline } from "./timeline.js";

const SHOWN = 30;

/** Show the account and the market of the place as the run left them. */
function show() {
  const { product, symbol, owner } = place.value;
  /** @type {(rows: any) => any} */
  const here = (rows) => rows?.filter((/** @type {{symbol: string}} */ one) =>
    one.symbol === symbol) ?? [];
  batch(() => {
    state.prices.value = here(reply("premium_index", { symbol }));
    if (product === "spot") {
      state.orders.value = here(reply("open_orders", {}, owner));
      state.balances.value = reply("account", {}, owner) ?? null;
      state.positions.value = state.conditional.value = [];
    } else {
      state.orders.value = here(reply("contract_open_orders", {}, owner));
      state.balances.value = reply("contract_balance", {}, owner) ?? null;
      state.positions.value = reply("positions", {}, owner) ?? [];
      state.conditional.value = here(reply("open_algos", {}, owner));
    }
  });
}

function Page() {
  const { product, symbol, owner } = place.value;
  return html`<${Head} />
    <${Timeline} />
    <main class="bench run" id="main">
      <${Standing} />
      <${Chart} key=${`${product} ${symbol} ${owner}`} />
      <${Account} />
      <${RunWire} />
      <${WhyDrawer} />
    </main>
    <${Foot} />
    <div class="unseen" role="status" aria-live="polite">${state.announced.value}</div>`;
}

const MARKS = { failed: "✕", passed: "✓", told: "●" };

/** The words of a run that nobody judged. */
function counts() {
  const requests = report.wire.filter(isRequest);
  const [bad, gone] = [requests.filter(refused).length, requests.filter(lost).length];
  return {
    kind: "told",
    title: `${counted(requests.length, "request")}: ${bad} refused, ${gone} lost`,
    lines: [],
  };
}

function Head() {
  const verdict = report.verdict ?? counts();
  const kind = /** @type {keyof typeof MARKS} */ (verdict.kind in MARKS ? verdict.kind : "told");
  return html`<header class=${`head ${kind}`}>
    <span class="mark" aria-hidden="true">${MARKS[kind]}</span>
    <div class="said-of-it">
      <p class="dim what">venue report · ${report.title}</p>
      <h1>${verdict.title}</h1>
      ${verdict.lines.map((line) => html`<p>${line}</p>`)}
    </div>
    <dl class="facts">
      ${report.seed && html`<div><dt>Seed</dt><dd class="num">${report.seed}</dd></div>`}
      <div><dt>Venue time</dt><dd
        class="num">${dated(report.begin)} – ${clocked(report.end)} UTC <span
          class="dim">(${spanned(report.end - report.begin)})</span></dd></div>
      <div><dt>Venue</dt><dd>${report.version.split("+")[0]} <span
        class="dim">${report.profile}</span></dd></div>
    </dl>
    <${Chooser} />
  </header>`;
}

function Chooser() {
  const { product, symbol, owner } = place.value;
  return html`<div class="chooser">
    <label><span class="dim">Account</span>
      <select value=${owner}
        onChange=${(/** @type {any} */ event) => go({ owner: event.target.value })}>
        ${report.owners.map((name) => html`<option value=${name}>${name}</option>`)}
      </select>
    </label>
    <label><span class="dim">Market</span>
      <select value=${`${product} ${symbol}`} onChange=${(/** @type {any} */ event) => {
        const [kind, name] = event.target.value.split(" ");
        go({ product: kind, symbol: name });
      }}>
        ${report.markets.map(([kind, name]) => html`<option
          value=${`${kind} ${name}`}>${name} ${kind === "spot" ? "spot" : "perpetual"}</option>`)}
      </select>
    </label>
  </div>`;
}

const FOUND = insights(); // a run that has ended does not change
const GRADES = { bad: "✕", warn: "⚠", note: "●" };

function Standing() {
  return html`<section class="panel stands" aria-labelledby="title-stands">
    <div class="bar"><h2 id="title-stands">What stands out</h2>
      ${FOUND.length > 0 && html`<span class="count">${FOUND.length}</span>`}</div>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="title-stands">
      ${!FOUND.length && html`<p
        class="empty">Nothing was refused or lost, and no fault met a request.</p>`}
      <ol class="insights">
        ${FOUND.slice(0, SHOWN).map((one) => html`<${Standout} one=${one} />`)}
      </ol>
      ${FOUND.length > SHOWN && html`<p
        class="empty">${FOUND.length - SHOWN} more kinds are in the wire.</p>`}
      ${report.commands.length > 0 && html`<div class="replay"><h3>Play it again</h3>
        ${report.commands.map((one) => html`<p
          class="dim">${one.title}</p><${Command} line=${one.line} />`)}
      </div>`}
    </div>
  </section>`;
}

/** @param {{one: import("./insights.js").Insight}} props */
function Standout({ one }) {
  const { why, entries } = one;
  const only = () => {
    const places = entries.map(ofEntry);
    range.value = [Math.max(0, Math.min(...places) - 0.01), Math.min(1,
      Math.max(...places) + 0.01)];
    const owners = new Set(entries.map((entry) => entry.owner));
    const [first] = entries;
    const operation = first && entries.every((entry) => entry.operation === first.operation)
      ? first.operation : "";
    go({ by: owners.size === 1 ? (first?.owner ?? "")
      : "", operation, show: entries.every((entry) => refused(entry) || lost(entry)) ? "refused"
        : "frames" });
  };
  return html`<li class=${one.grade}>
    <span class="mark" aria-hidden="true">${GRADES[one.grade]}</span>
    <h3>${one.title}</h3>
    <p>${one.words}</p>
    ${one.rule && html`<p class="rule">${one.rule}</p>`}
    <p class="row">
      ${why && html`<a href=${linked({ why })}
        onClick=${(/** @type {MouseEvent} */ event) => follow(event, { why })}>Why</a>`}
      ${entries.length > 1 && html`<button type="button" class="small"
        onClick=${only}>Show these ${entries.length}</button>`}
    </p>
  </li>`;
}

function Foot() {
  return html`<footer class="foot dim">
    ${report.lacking.length > 0
      && html`<details><summary>Not in this report: ${counted(report.lacking.length,
        "thing")}</summary>
      <ul>${report.lacking.map((one) => html`<li>${one}</li>`)}</ul></details>`}
    <span>One file, without secrets; it makes no request to any network. Command ${report.sequence},
      epoch ${report.epoch}.</span>
  </footer>`;
}

state.connection.value = { state: "live", words: "" };
state.sequence.value = report.sequence;
state.epoch.value = report.epoch;
state.now.value = report.end;
state.faults.value = reply("faults") ?? [];
state.wire.value = { entries: report.wire, dropped: 0 };
effect(show);
details.begin();
const root = document.getElementById("page");
if (root) {
  root.replaceChildren();
  root.classList.add("report");
  render(html`<${Page} />`, root);
}
