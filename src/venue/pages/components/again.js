/** Sends a request again from the page, as it was or mended, in its owner's name. */

import { useState } from "../vendor/preact-hooks.js";
import { quoted } from "../commands.js";
import { fields, spread } from "../entries.js";
import { html } from "../html.js";
import { send, worded } from "../session.js";
import { announced } from "../state.js";
import { Command } from "./parts.js";

/** @typedef {import("../types").WireEntry} WireEntry */

/** @param {{entry: WireEntry}} props */
export function Again({ entry }) {
  const found = fields(entry.text);
  const texts = found
    ? Object.entries(found).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])
    : [];
  const [values, setValues] = useState(/** @type {Record<string, string>} */ (Object.fromEntries(texts)));
  const [open, setOpen] = useState(false);
  const [answer, setAnswer] = useState("");
  const [busy, setBusy] = useState(false);
  if (!entry.repeat || !entry.operation) return null;
  const simple = found && Object.values(found).every((value) => typeof value !== "object");
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
      const inBody = entry.method === "POST" || entry.method === "PUT";
      const got = await send(entry.method, entry.path, inBody ? JSON.stringify(kept) : kept, entry.owner || null);
      setAnswer(`HTTP ${got.status}\n${spread(got.text)}`);
      announced.value = `Answered with ${got.status}.`;
    } catch (problem) {
      setAnswer(worded(problem));
    }
    setBusy(false);
  };
  return html`<h3>Send it again</h3>
    <${Command} line=${entry.repeat} />
    <${Command} line=${curl(entry)} />
    ${simple && html`<p><button type="button" class="small" aria-expanded=${open} onClick=${() => setOpen(!open)}>Edit and send</button>
      <span class="dim"> It is a new request${entry.owner ? ` of ${entry.owner}` : ""}.</span></p>`}
    ${open && html`<form class="edit" onSubmit=${submit}>
      ${Object.keys(values).map(
        (name) => html`<label key=${name}><span>${name}</span>
          <input value=${values[name]} onInput=${(/** @type {any} */ event) => setValues({ ...values, [name]: event.target.value })} />
        </label>`,
      )}
      <button type="submit" class="main" disabled=${busy}>Send${entry.owner ? ` as ${entry.owner}` : ""}</button>
    </form>`}
    ${answer && html`<pre role="status">${answer}</pre>`}`;
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
