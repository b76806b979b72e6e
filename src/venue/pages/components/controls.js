/** The line below all: time, kept states, prices and faults, each action with its command line. */

import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";
import { signal } from "../vendor/signals.js";
import * as actions from "../commands.js";
import { html } from "../html.js";
import { worded } from "../problems.js";
import { ask } from "../session.js";
import { announced, clock, epoch, faults, now, owner, prices, symbol } from "../state.js";
import { clocked, spanned } from "../times.js";
import { Copy, Empty, typed } from "./parts.js";

/** @typedef {import("../commands.js").Action} Action */
/** @typedef {import("../types").FaultRequest} FaultRequest */

/** The command line of the action that is looked at, and how the last one ended. */
const looked = signal("");
/** @type {import("../state.js").Signal<{words: string, bad: boolean} | null>} */
const ended = signal(null);
const running = signal(0);

/** @param {Action} action */
export async function act(action) {
  looked.value = action.line;
  ended.value = null;
  running.value += 1;
  try {
    await action.run();
    ended.value = { words: action.done, bad: false };
    announced.value = action.done;
  } catch (problem) {
    ended.value = { words: worded(problem), bad: true };
    announced.value = worded(problem);
  } finally {
    running.value -= 1;
  }
}

/** @param {{action: Action, children: any, title?: string, disabled?: boolean,
 * pressed?: boolean}} props */
export function Act({ action, children, title, disabled, pressed }) {
  const look = () => {
    looked.value = action.line;
    ended.value = null;
  };
  return html`<button type="button" title=${title} disabled=${disabled} aria-pressed=${pressed}
    onPointerEnter=${look} onFocus=${look} onClick=${() => act(action)}>${children}</button>`;
}

export function Controls() {
  return html`<footer class="controls" aria-label="Time, states, prices and faults">
    <${Time} />
    <div class="menus">
      <${Menu} name="states" title="Keep and go back"><${States} /><//>
      <${Menu} name="prices" title="Move prices"><${Prices} /><//>
      <${Menu} name="faults" title="Arm a fault"><${Faults} /><//>
    </div>
    <${Said} />
  </footer>`;
}

function Time() {
  const told = clock.value;
  const stands = told?.mode === "manual";
  const funding = told?.next.find((one) => one.kind === "funding");
  return html`<div class="time" role="group" aria-label="Time">
    ${
      stands
        ? html`<${Act} action=${actions.play()}>▶ Play<//>`
        : html`<${Act} action=${actions.pause()}>Ⅱ Pause<//>`
    }
    <${Act} action=${actions.advance("1s")} title="One second of venue time">Step 1 s<//>
    <${Act} action=${actions.advance("1m")}>+1 min<//>
    <${Act} action=${actions.toFunding()} disabled=${!funding} title=${funding
      ? `${clocked(funding.at)} UTC` : "No funding falls due"}>
      To funding${funding ? html` <span class="dim">in ${spanned(funding.at - now.value)}
        </span>` : ""}
    <//>
    <${Act} action=${actions.hurry("60")} pressed=${told?.mode === "rate"}>×60<//>
  </div>`;
}

/** A button that opens a part above itself.
 * @param {{name: string, title: string, children: any}} props */
function Menu({ name, title, children }) {
  const part = useRef(/** @type {HTMLElement | null} */ (null));
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  const [open, setOpen] = useState(false);
  /** @param {any} event */
  const toggled = (event) => {
    setOpen(event.newState === "open");
    if (event.newState !== "open" || !part.current || !button.current) return;
    const from = button.current.getBoundingClientRect();
    const left = Math.min(from.left, innerWidth - part.current.offsetWidth - 8);
    part.current.style.left = `${Math.max(8, left)}px`;
    part.current.style.bottom = `${innerHeight - from.top + 6}px`;
  };
  return html`<button type="button" ref=${button} popovertarget=${`menu-${name}`}
    aria-expanded=${open}>
      ${title} <span aria-hidden="true">▴</span>
    </button>
    <div class="menu" popover="auto" id=${`menu-${name}`} ref=${part} onToggle=${toggled}
      role="dialog" aria-label=${title}>
      ${open && children}
    </div>`;
}

function States() {
  const [name, setName] = useState("before");
  const [kept, setKept] = useState(/** @type {import("../types").SnapshotView[]} */ ([]));
  useEffect(() => {
    ask("snapshots", {}).then(setKept, () => setKept([]));
  }, [running.value, epoch.value]);
  const good = /^[\w.-]{1,64}$/.test(name);
  return html`<form onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label>Name <input value=${name} maxlength="64" onInput=${typed(setName)} /></label>
      <${Act} action=${actions.keep(name)} disabled=${!good}>Keep this state<//>
    </form>
    ${!good && html`<p
      class="bad">A name has 1 to 64 letters, digits, dots, dashes and underscores.</p>`}
    ${!kept.length && html`<${Empty}>No state is kept.<//>`}
    <ul class="list">
      ${kept.map(
        (one) => html`<li key=${one.name}>
          <span><b>${one.name}</b> <span class="dim num">
            ${clocked(one.time)} UTC · sequence ${one.sequence}</span></span>
          <${Act} action=${actions.goBack(one.name)}>Go back<//>
        </li>`,
      )}
    </ul>`;
}

function Prices() {
  const mark = prices.value?.find((one) => one.symbol === symbol.value)?.markPrice ?? "";
  const [price, setPrice] = useState(mark);
  const [jump, setJump] = useState(true);
  const name = symbol.value;
  return html`<p class="dim">${name}: the index that margin, funding and liquidation go by.</p>
    ${clock.value?.mode === "manual" && html`<p class="warn">
      Time is paused: a move over 30 s begins with ▶ Play or a step.</p>`}
    <form onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label>Index <input inputmode="decimal" value=${price}
        onInput=${typed((text) => setPrice(text.trim()))} /></label>
      <label class="check"><input type="checkbox" checked=${jump}
        onChange=${() => setJump(!jump)} /> at once</label>
      <${Act} action=${actions.hold(name, price, jump)}
        disabled=${!/^\d+(\.\d+)?$/.test(price)}>Hold<//>
      <${Act} action=${actions.release(name)}>Release<//>
    </form>
    <div class="row">
      ${["-3%", "-8%", "-15%", "+8%"].map(
        (change) =>
          html`<${Act} key=${change} action=${actions.crash(name, change, "30s")}>
            ${change[0] === "-" ? "▼" : "▲"} ${change} over 30 s<//>`,
      )}
    </div>`;
}

/** @param {string} who @returns {[string, FaultRequest][]} */
const rules = (who) => [
  [
    "Lose the reply to the next order",
    rule({ operation: "place*", owner: who }, { kind: "drop_after" }),
  ],
  [
    "Lose the next order itself",
    rule({ operation: "place*", owner: who }, { kind: "drop_before" }),
  ],
  [
    "Answer the next order with 503",
    rule({ operation: "place*", owner: who }, { kind: "status", status: 503 }),
  ],
  ["Answer the next request with 429", rule({ owner: who }, { kind: "status", status: 429 })],
  [
    "Hold the next answer back for 3 s",
    rule({ owner: who }, { kind: "delay", side: "after", ms: 3000 }),
  ],
  [
    "Deliver the next order twice",
    rule({ operation: "place*", owner: who }, { kind: "duplicate" }),
  ],
];

/** @param {Record<string, string>} match @param {Record<string, string | number>} effect
 * @returns {FaultRequest} */
export const rule = (match, effect) => /** @type {any} */ ({ match, when: { count: 1 }, effect });

function Faults() {
  const active = faults.value ?? [];
  return html`<p class="dim">Once, for requests of ${owner.value}:</p>
    <div class="column">
      ${rules(owner.value).map(([title, one]) => html`<${Act} key=${title}
        action=${actions.arm(one)}>${title}<//>`)}
    </div>
    ${
      active.length > 0 &&
      html`<h3>Armed</h3>
      <ul class="list">
        ${active.map(
          (one) => html`<li key=${one.id}>
            <span><b>${one.effect.kind}</b> <span class="dim">
              ${matched(one)} · ${one.hits} ${one.hits === 1 ? "hit" : "hits"}</span></span>
            <${Act} action=${actions.removeFault(one.id)}>Remove<//>
          </li>`,
        )}
      </ul>
      <${Act} action=${actions.clearFaults()}>Remove all<//>`
    }`;
}

/** @param {import("../types").FaultView} one */
function matched(one) {
  const words = Object.entries(one.match).map(([name, value]) => `${name} ${value}`);
  return words.join(", ") || "all requests";
}

/** The command line of what the pointer or the focus is on. */
function Said() {
  const busy = running.value > 0;
  const how = ended.value;
  return html`<div class="said">
    <span class=${how?.bad ? "bad" : "dim"}>${busy ? "…" : (how?.words ?? "")}</span>
    ${looked.value && html`<code><span class="prompt" aria-hidden="true">$ </span>${looked.value}
      </code><${Copy} text=${looked.value} />`}
  </div>`;
}
