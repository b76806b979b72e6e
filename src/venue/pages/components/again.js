/** Sends a request again in its owner's name, as it was or mended; or makes the next one fail. */

import { useState } from "../vendor/preact-hooks.js";
import * as actions from "../commands.js";
import { places } from "../decimals.js";
import { fields, spread } from "../entries.js";
import { mend } from "../mending.js";
import { html } from "../html.js";
import { worded } from "../problems.js";
import { send } from "../session.js";
import { quoted } from "../shell.js";
import { announced, depth } from "../state.js";
import { Act, rule } from "./controls.js";
import { Command, typed } from "./parts.js";

/** @typedef {import("../types").WireEntry} WireEntry */

/** @param {{entry: WireEntry}} props */
export function Again({ entry }) {
  return html`<${Send} entry=${entry} />
    ${entry.owner && entry.operation && html`<${ArmHere} entry=${entry} />`}`;
}

/** @param {{entry: WireEntry}} props */
function Send({ entry }) {
  const found = fields(entry.text);
  const texts = found
    ? Object.entries(found).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ])
    : [];
  const [values, setValues] = useState(
    /** @type {Record<string, string>} */ (Object.fromEntries(texts)),
  );
  const [open, setOpen] = useState(false);
  const [answer, setAnswer] = useState("");
  const [busy, setBusy] = useState(false);
  if (!entry.repeat || !entry.operation) return null;
  const simple = found && Object.values(found).every((value) => typeof value !== "object");
  const better = simple ? mend(entry, places(depth.value?.bids[0]?.[1] ?? "0.00001")) : null;
  /** @param {Record<string, string>} given */
  const sendIt = async (given) => {
    setBusy(true);
    try {
      const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
      const inBody = entry.method === "POST" || entry.method === "PUT";
      const got = await send(
        entry.method,
        entry.path,
        inBody ? JSON.stringify(kept) : kept,
        entry.owner || null,
      );
      setAnswer(`HTTP ${got.status}\n${spread(got.text)}`);
      announced.value = `Answered with ${got.status}.`;
    } catch (problem) {
      setAnswer(worded(problem));
    }
    setBusy(false);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    sendIt(values);
  };
  const as = entry.owner ? ` as ${entry.owner}` : "";
  return html`<h3>Send it again</h3>
    ${
      better &&
      html`<p class="mended">
      <button type="button" class="main" disabled=${busy}
        onClick=${() => sendIt({ ...values, [better.name]: better.value })}
      >Send it mended${as}</button>
      <span><b>${better.name}</b> <s class="dim">${values[better.name]}</s> → <b class="num">
        ${better.value}</b></span>
    </p>`
    }
    <${Command} line=${entry.repeat} />
    <${Command} line=${curl(entry)} />
    ${
      simple &&
      html`<p><button type="button" class="small" aria-expanded=${open}
        onClick=${() => setOpen(!open)}>Edit and send</button>
      <span class="dim"> It is a new request${entry.owner ? ` of ${entry.owner}` : ""}.</span></p>`
    }
    ${
      open &&
      html`<form class="edit" onSubmit=${submit}>
      ${Object.keys(values).map(
        (name) => html`<label key=${name}><span>${name}</span>
          <input value=${values[name]}
            onInput=${typed((text) => setValues({ ...values, [name]: text }))} />
        </label>`,
      )}
      <button type="submit" class="main" disabled=${busy}>Send${as}</button>
    </form>`
    }
    ${answer && html`<pre role="status">${answer}</pre>`}`;
}

/** @param {{entry: WireEntry}} props */
function ArmHere({ entry }) {
  const match = { operation: entry.operation, owner: entry.owner };
  const busy = rule(match, { kind: "status", status: 503 });
  const late = rule(match, { kind: "delay", side: "after", ms: 3000 });
  return html`<h3>What if it failed?</h3>
    <div class="row">
      <${Act} action=${actions.arm(rule(match, { kind: "drop_after" }))}>Lose the next reply<//>
      <${Act} action=${actions.arm(busy)}>Answer the next with 503<//>
      <${Act} action=${actions.arm(late)}>Delay the next by 3 s<//>
    </div>`;
}

/** The request as a command of curl, by the operator of this machine. @param {WireEntry} entry */
function curl(entry) {
  const found = fields(entry.text) ?? {};
  const act = entry.owner ? ` -H ${quoted(`X-Venue-Act-As: ${entry.owner}`)}` : "";
  if (entry.method === "GET" || entry.method === "DELETE") {
    const query = new URLSearchParams(/** @type {any} */ (found)).toString();
    const target = `${location.origin}${entry.path}${query ? `?${query}` : ""}`;
    return `curl -X ${entry.method}${act} ${quoted(target)}`;
  }
  const json = ` -H 'Content-Type: application/json' -d ${quoted(entry.text)}`;
  return `curl -X ${entry.method}${act}${json} ${quoted(location.origin + entry.path)}`;
}
