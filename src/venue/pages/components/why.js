/** The drawer that tells why: a request as it came, its answer, and the reasons of the outcome. */

import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";
import {
  changes,
  decides,
  faultWords,
  fields,
  ignored,
  lost,
  orderIds,
  outcome,
  refusal,
  refused,
  spread,
  whose,
} from "../entries.js";
import { html } from "../html.js";
import { Refused, worded } from "../problems.js";
import { go, place } from "../route.js";
import { ask, live } from "../session.js";
import { urlOption } from "../shell.js";
import { faults, repeated, wire } from "../state.js";
import { dated, exact } from "../times.js";
import { Again } from "./again.js";
import { Command, Empty, ToWhy } from "./parts.js";

/** @typedef {import("../types").WireEntry} WireEntry */
/** @typedef {import("../types").Explanation} Explanation */
/** @typedef {import("../addresses.js").Why} Why */

const NEWEST = 1000; // that one question about the wire is answered with
const TITLES = { request: "Request", order: "Order", bill: "Bill", liquidation: "Liquidation" };
const ASKED = /** @type {const} */ ({
  order: "explain_order",
  bill: "explain_bill",
  liquidation: "explain_liquidation",
});

export function WhyDrawer() {
  const why = place.value.why;
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const opener = useRef(/** @type {Element | null} */ (null));
  const key = why ? `${why.kind} ${why.id}` : "";
  useEffect(() => {
    if (!key) return undefined;
    if (!opener.current) opener.current = document.activeElement;
    heading.current?.focus();
    const close = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !document.querySelector(":popover-open")) shut();
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [key]);
  const shut = () => {
    const back = opener.current;
    opener.current = null;
    go({ why: null });
    if (back instanceof HTMLElement && back.isConnected) back.focus();
  };
  if (!why) return null;
  return html`<section class="why" role="dialog" aria-labelledby="title-why">
    <div class="bar">
      <h2 id="title-why" tabindex="-1" ref=${heading}>${TITLES[why.kind]} <span class="num">
        ${why.id}</span></h2>
      <span class="dim">Esc closes</span>
      <button type="button" class="small" onClick=${shut} aria-label="Close">✕</button>
    </div>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="title-why">
      ${
        why.kind === "request"
          ? html`<${Request} key=${key} id=${why.id} />`
          : html`<${Reasons} key=${key} kind=${why.kind} id=${why.id} />`
      }
    </div>
  </section>`;
}

/** The entry of the wire with a number; null while it is looked for, undefined where there is none.
 * It stays when newer ones push it out of the wire. @param {string} id */
function useEntry(id) {
  const here = wire.value.entries.find((one) => String(one.number) === id);
  const [found, setFound] = useState(/** @type {WireEntry | null | undefined} */ (null));
  useEffect(() => {
    if (here) setFound(here);
    if (here || found) return;
    ask("wire", { after: Math.max(0, Number(id) - 1), limit: NEWEST, tools: true }).then(
      (entries) => setFound(entries.find((one) => String(one.number) === id)),
      () => setFound(undefined),
    );
  }, [id, here]);
  return here ?? found;
}

/** @param {{id: string}} props */
function Request({ id }) {
  const entry = useEntry(id);
  if (entry === null) return html`<${Empty}>Looking into the wire log…<//>`;
  if (!entry)
    return html`<${Empty}>
      Request ${id} is not in the wire log: it keeps the last thousand, and is empty when a venue
      starts.
    <//>`;
  const bad = refused(entry) || lost(entry);
  const orders = orderIds(entry);
  return html`<${Verdict} entry=${entry} />
    ${bad && entry.status !== null && html`<${Reasons} kind="refusal" id=${id} />`}
    ${lost(entry) && html`<${Lost} entry=${entry} />`}
    <${Twin} entry=${entry} />
    <${Sent} entry=${entry} />
    <${Answered} entry=${entry} />
    ${!bad && orders.map((one) => html`<h3>Order ${one}</h3><${Reasons} key=${one} kind="order"
      id=${one} />`)}
    ${bad && orders.length > 0 && html`<p>It is about ${orders.map((one) => html`<${ToWhy}
      key=${one} kind="order" id=${one}>order ${one}<//>${" "}`)}</p>`}
    <${Again} key=${id} entry=${entry} />`;
}

/** @param {{entry: WireEntry}} props */
function Verdict({ entry }) {
  const bad = refused(entry) || lost(entry);
  const words = bad
    ? entry.code
      ? html`<b>${entry.code}</b> ${entry.msg}`
      : refusal(entry)
    : "It was taken.";
  return html`<div class=${`verdict ${bad ? "bad" : "good"}`}>
    <p class="words"><span class=${`outcome ${bad ? "bad" : "good"}`}>${outcome(entry)}
      </span> ${words}</p>
    <p class="dim num">
      ${dated(entry.time).slice(0, 10)} ${exact(entry.time)} UTC · ${whose(entry)} ·
      answered in ${entry.ms.toFixed(1)} ms · ${entry.operation || "no operation"}
    </p>
    ${entry.fault && html`<p
      class="warn">⚠ An armed fault hit this request: ${faultWords(entry, faults.value)}</p>`}
  </div>`;
}

/** @param {{entry: WireEntry}} props */
function Lost({ entry }) {
  return html`<h3>The reasons</h3><p>
    ${
      entry.fault
        ? "The fault above took the answer away; with drop_after the request was carried out first."
        : "The client ended the connection before its answer, or the venue had none."
    }
    ${changes(entry) && "Sent again, it needs the same newClientOrderId, or it orders twice."}
  </p>`;
}

/** Points out the pair of an order whose answer was lost and the one that was sent for it.
 * @param {{entry: WireEntry}} props */
function Twin({ entry }) {
  const pair = [...repeated.value].find((one) => one.includes(entry.number));
  if (!pair) return null;
  const [second, first] = pair;
  const other = String(entry.number === second ? first : second);
  const link = html`<${ToWhy} kind="request" id=${other}>request ${other}<//>`;
  return html`<p class="warn">
    ⚠ ${entry.number === second
      ? html`${link} asked for the same, and its answer was lost.`
      : html`${link} asked for the same again.`}
    ${" "}Without one newClientOrderId in both, the venue takes them for two orders.
  </p>`;
}

/** @param {{entry: WireEntry}} props */
function Sent({ entry }) {
  const found = fields(entry.text);
  const unknown = new Set(ignored(entry));
  return html`<h3>As it was sent</h3>
    <pre class="request"><b>${entry.method}</b> ${entry.path}</pre>
    ${
      found
        ? html`<dl class="fields">
          ${Object.entries(found).map(
            ([name, value]) => html`<div class=${unknown.has(name) ? "unknown" : ""} key=${name}>
              <dt>${name}</dt>
              <dd class="num">${typeof value === "string" ? value : JSON.stringify(value)}</dd>
              ${unknown.has(name) && html`<dd
                class="told">✕ ignored: the operation has no such parameter</dd>`}
            </div>`,
          )}
        </dl>`
        : html`<pre>${entry.text || "(no parameters)"}</pre>`
    }
    <${Signed} entry=${entry} />`;
}

/** @param {{entry: WireEntry}} props */
function Signed({ entry }) {
  const { signed } = entry;
  if (!signed) return null;
  return html`<details>
    <summary>What was signed</summary>
    <dl class="fields">
      <div><dt>text</dt><dd><code>${signed.payload}</code></dd></div>
      <div><dt>time</dt><dd class="num">${signed.timestamp}</dd></div>
      <div><dt>key ends in</dt><dd><code>${signed.key}</code></dd></div>
      <div><dt>signature begins with</dt><dd><code>${signed.signature}</code></dd></div>
    </dl>
  </details>`;
}

/** @param {{entry: WireEntry}} props */
function Answered({ entry }) {
  const { answer, size, cut } = entry;
  if (!answer) return null;
  return html`<h3>The answer</h3>
    <pre tabindex="0">${spread(answer)}</pre>
    ${cut && html`<p class="dim">These are its first characters; it has ${size} bytes.</p>`}`;
}

/** @param {{kind: "order" | "bill" | "liquidation" | "refusal", id: string}} props */
function Reasons({ kind, id }) {
  const [found, setFound] = useState(/** @type {Explanation | null} */ (null));
  const [problem, setProblem] = useState("");
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let wanted = true;
    setProblem("");
    const operation = kind === "refusal" ? "explain_refusal" : ASKED[kind];
    ask(operation, { id: /** @type {any} */ (id) }).then(
      (reply) => wanted && setFound(reply),
      (failure) => wanted && setProblem(told(failure)),
    );
    return () => {
      wanted = false;
    };
  }, [kind, id, turn]);
  const again = live && html`<button type="button" class="small"
    onClick=${() => setTurn(turn + 1)}>Ask again</button>`;
  const title = kind === "refusal" ? "The reasons" : "What happened, and why";
  return html`<div class="head"><h3>${title}</h3>${found && kind !== "refusal" && again}</div>
    ${problem && html`<${Empty}>${problem} ${again}<//>`}
    ${!found && !problem && html`<p class="empty"
      role="status">The venue plays its journal up to this moment…</p>`}
    ${
      found &&
      html`<ol class="reasons" title=${`GET /_venue/explain/${kind}/${id}`}>
        ${found.sentences.map(
          (one, at) => html`<li key=${at} class=${decisive(one) ? "decisive" : ""}>${one}</li>`,
        )}
      </ol>
      <p class="dim num">${found.owner ? `${found.owner} · ` : ""}${
        found.sequence
          ? `command ${found.sequence} · ${dated(found.time)} UTC`
          : "no command: the venue refused it before its engine"
      }</p>
      <${Command} line=${`venue explain ${kind} ${id}${urlOption()}`} />`
    }`;
}

/** @param {string} sentence */
const decisive = (sentence) => decides(sentence) || sentence.includes("Liquidat");

/** @param {unknown} problem */
function told(problem) {
  if (problem instanceof Refused && problem.status === 503)
    return "The venue is computing another explanation, or this one takes too long.";
  return worded(problem);
}
