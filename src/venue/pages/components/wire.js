/** The wire: each request of each client, newest first, with filters. */

import { useRef, useState } from "../vendor/preact-hooks.js";
import {
  asked,
  faultWords,
  ignored,
  isRequest,
  lost,
  market,
  outcome,
  refusal,
  refused,
  summary,
  twins,
  whose,
} from "../entries.js";
import { html } from "../html.js";
import { follow, go, linked, place } from "../route.js";
import { connection, faults, wire } from "../state.js";
import { exact } from "../times.js";
import { Connect } from "./connect.js";
import { useStill } from "./held.js";
import { Empty, typed } from "./parts.js";

/** @typedef {import("../types").WireEntry} WireEntry */

const SHOWN = 200; // lines in the page
const EARLY = 200; // numbers that the venue's own pages may have taken
const KINDS = { requests: "Requests", refused: "Refused", frames: "With frames" };

/** @param {WireEntry} entry */
export function wanted(entry) {
  const { by, operation, show } = place.value;
  if (by && entry.owner !== by) return false;
  if (operation && entry.operation !== operation) return false;
  if (show === "refused") return refused(entry) || lost(entry);
  return show === "frames" || isRequest(entry);
}

export function WirePanel() {
  const { entries, dropped } = wire.value;
  const { by, operation, show } = place.value;
  const found = entries.filter(wanted);
  const { shown, still, holder, release, looking } = useStill(found);
  const lines = shown.slice(-SHOWN).reverse();
  const newer = still ? found.filter((one) => one.number > (shown.at(-1)?.number ?? 0)).length : 0;
  const filtered = Boolean(by || operation || show === "refused");
  const none = !entries.some(isRequest);
  const [asking, setAsking] = useState(false);
  /** @param {MouseEvent} event */
  const toTop = (event) => {
    const part = /** @type {HTMLElement} */ (event.target).closest(".scroll");
    if (part) part.scrollTop = 0;
    release();
  };
  return html`<section class="panel wire" aria-labelledby="title-wire">
    <div class="bar">
      <h2 id="title-wire" title="GET /_venue/wire">Wire</h2>
      <span class="dim status">
        ${newer ? `held while the ${holder} is here` : "every request of every client"}
      </span>
      ${
        !none &&
        html`<button type="button" class="small" aria-expanded=${asking}
        onClick=${() => setAsking(!asking)}>Connect a bot</button>`
      }
    </div>
    ${none ? "" : html`<${Filters} entries=${entries} />`}
    <div class=${`scroll ${connection.value.state === "lost" ? "old" : ""}`} ...${looking}>
      ${newer > 0 && html`<p class="newer"><button type="button" class="small main"
        onClick=${toTop}>${newer} newer ↑</button></p>`}
      ${(none || asking) && html`<${Connect} waits=${none} />`}
      ${
        !none &&
        !lines.length &&
        html`<${Empty}>
        ${filtered ? "No request agrees with these filters. " : "No request yet. "}
        ${filtered && html`<button type="button" class="small"
          onClick=${() => go({ by: "", operation: "", show: "requests" })}>Show all</button>`}
      <//>`
      }
      <${Lines} lines=${lines} again=${twins(entries)} />
    </div>
    ${none ? "" : html`<${Untold} kept=${entries.length} found=${found.length} dropped=${dropped}
      shown=${lines.length} newer=${newer} />`}
  </section>`;
}

/** @param {{entries: WireEntry[]}} props */
export function Filters({ entries }) {
  const { by, operation, show } = place.value;
  const owners = [...new Set([...entries.map((one) => one.owner), by])].filter(Boolean).sort();
  const operations = [...new Set([...entries.map((one) => one.operation), operation])]
    .filter(Boolean)
    .sort();
  /** @param {"by" | "operation"} name @param {string} title @param {string[]} known
   * @param {string} all */
  const select = (name, title, known, all) => html`<label>
    <span class="unseen">${title}</span>
    <select value=${place.value[name]}
      onChange=${typed((text) => go({ [name]: text }, { quietly: true }))}>
      <option value="">${all}</option>
      ${known.map((one) => html`<option value=${one}>${one}</option>`)}
    </select>
  </label>`;
  const troubled = entries.filter((one) => refused(one) || lost(one)).length;
  return html`<div class="filters">
    ${select("by", "Requests of", owners, "all owners")}
    ${select("operation", "Operation", operations, "all operations")}
    <div class="choice" role="group" aria-label="Lines">
      ${Object.entries(KINDS).map(
        ([name, title]) => html`<button type="button" class="small" aria-pressed=${show === name}
          onClick=${() => go({ show: name }, { quietly: true })}
        >${title}${name === "refused" && troubled ? html` <span class="count bad">${troubled}
          </span>` : ""}</button>`,
      )}
    </div>
  </div>`;
}

/** @param {{lines: WireEntry[], again: Map<number, number>, order?: string}} props */
export function Lines({ lines, again, order = "newest first" }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const step =
      event.key === "ArrowDown"
        ? "nextElementSibling"
        : event.key === "ArrowUp"
          ? "previousElementSibling"
          : null;
    const row = /** @type {HTMLElement} */ (event.target).closest("li");
    const other = step && row?.[step]?.querySelector("a");
    if (!other) return;
    event.preventDefault();
    other.focus();
  };
  return html`<ol class="lines" ref=${list} onKeyDown=${move} aria-label=${`Requests, ${order}`}>
    ${lines.map((entry) => html`<${Line} key=${entry.number} entry=${entry}
      first=${again.get(entry.number)} />`)}
  </ol>`;
}

/** @param {{entry: WireEntry, first: number | undefined}} props */
function Line({ entry, first }) {
  const why = { kind: /** @type {const} */ ("request"), id: String(entry.number) };
  const chosen = place.value.why?.kind === "request" && place.value.why.id === why.id;
  const bad = refused(entry) || lost(entry);
  const unknown = ignored(entry);
  const colour = bad ? "bad" : unknown.length ? "odd" : "";
  return html`<li>
    <a href=${linked({ why })} class=${`line ${colour} ${isRequest(entry) ? "" : "frame"}`}
      aria-current=${chosen ? "true" : undefined}
      onClick=${(/** @type {MouseEvent} */ event) => follow(event, { why })}>
      <time class="num dim" title=${`Request ${entry.number}`}>${exact(entry.time)}</time>
      <span class=${`outcome ${bad ? "bad" : isRequest(entry) ? "good" : ""}`}>${outcome(entry)}
        </span>
      <span class="asked">${asked(entry)} <span class="num dim">${isRequest(entry)
        ? `#${entry.number} ${market(entry)}` : ""}</span></span>
      <span class="whose dim">${whose(entry)}</span>
      <span class="took num dim">${isRequest(entry) ? `${entry.ms.toFixed(1)} ms` : ""}</span>
      <span class="summary">${summary(entry)}</span>
      ${bad && html`<span class="told">${refusal(entry)}</span>`}
      ${unknown.length > 0 && html`<span class="told warn">ignored: ${unknown.join(", ")}</span>`}
      ${entry.fault && html`<span class="told warn">⚠ fault ${faultWords(entry, faults.value)}
        </span>`}
      ${first !== undefined && html`<span
        class="told warn">⚠ the same order as request ${first}, whose answer was lost:
            ${" "}placed twice?</span>`}
    </a>
  </li>`;
}

/** What is not in the list, in numbers. @param {{kept: number, found: number, dropped: number,
 * shown: number, newer: number}} props */
function Untold({ kept, found, dropped, shown, newer }) {
  const words = [`${shown} of ${kept} shown`];
  if (kept > found) words.push(`${kept - found} left out by the filters`);
  if (newer) words.push(`${newer} newer ones held back`);
  const older = found - shown - newer;
  if (older > 0) words.push(`${older} older ones not shown`);
  const first = wire.value.entries[0]?.number ?? 1;
  if (!dropped && first > kept + EARLY) words.push(`before request ${first}: venue wire list`);
  if (dropped) words.push(`${dropped} not kept here`);
  return html`<p class="untold">${words.join(" · ")}</p>`;
}
