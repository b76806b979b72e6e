/** The wire: each request of each client, newest first, with filters. */

import { useState } from "../vendor/preact-hooks.js";
import { isRequest } from "../entries.js";
import { html } from "../html.js";
import { go, place } from "../route.js";
import { connection, wire } from "../state.js";
import { Connect } from "./connect.js";
import { useStill } from "./held.js";
import { Filters, Lines, wanted } from "./lines.js";
import { Empty } from "./parts.js";

/** @typedef {import("../types").WireEntry} WireEntry */

const SHOWN = 200; // lines in the page
const EARLY = 200; // numbers that the venue's own pages may have taken

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
        ${filtered ? "No request matches these filters. " : "No request yet. "}
        ${filtered && html`<button type="button" class="small"
          onClick=${() => go({ by: "", operation: "", show: "requests" })}>Show all</button>`}
      <//>`
      }
      <${Lines} lines=${lines} />
    </div>
    ${none ? "" : html`<${Untold} kept=${entries.length} found=${found.length} dropped=${dropped}
      shown=${lines.length} newer=${newer} />`}
  </section>`;
}

/** What is not in the list, in numbers. @param {{kept: number, found: number, dropped: number,
 * shown: number, newer: number}} props */
function Untold({ kept, found, dropped, shown, newer }) {
  const words = [`${shown} of ${kept} shown`];
  if (kept > found) words.push(`${kept - found} left out by the filters`);
  if (newer) words.push(`${newer} newer held back`);
  const older = found - shown - newer;
  if (older > 0) words.push(`${older} older not shown`);
  const first = wire.value.entries[0]?.number ?? 1;
  if (!dropped && first > kept + EARLY) words.push(`before request ${first}: venue wire list`);
  if (dropped) words.push(`${dropped} not kept here`);
  return html`<p class="untold">${words.join(" · ")}</p>`;
}
