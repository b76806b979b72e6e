/** Lines of the wire, and the filters that choose them. */

import { useRef } from "../vendor/preact-hooks.js";
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
  whose,
} from "../entries.js";
import { html } from "../html.js";
import { follow, go, linked, place } from "../route.js";
import { faults, repeated } from "../state.js";
import { exact } from "../times.js";
import { typed } from "./parts.js";

/** @typedef {import("../types").WireEntry} WireEntry */

const KINDS = { requests: "Requests", refused: "Refused", frames: "With frames" };

/** @param {WireEntry} entry */
export function wanted(entry) {
  const { by, operation, show } = place.value;
  if (by && entry.owner !== by) return false;
  if (operation && entry.operation !== operation) return false;
  if (show === "refused") return refused(entry) || lost(entry);
  return show === "frames" || isRequest(entry);
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

/** @param {{lines: WireEntry[], order?: string}} props */
export function Lines({ lines, order = "newest first" }) {
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
      first=${repeated.value.get(entry.number)} />`)}
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
