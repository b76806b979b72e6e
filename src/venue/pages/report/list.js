/** The wire of a report: all lines of the part of the run that is looked at, oldest first. */

import { useState } from "../vendor/preact-hooks.js";
import { Empty } from "../components/parts.js";
import { Filters, Lines, wanted } from "../components/lines.js";
import { html } from "../html.js";
import { go, place } from "../route.js";
import { inRange, range, whole } from "./axis.js";
import { counted } from "./insights.js";
import { report } from "./session.js";

const MORE = 200; // lines at a time

export function RunWire() {
  const found = report.wire.filter((one) => inRange(one) && wanted(one));
  const { by, operation, show } = place.value;
  const key = [by, operation, show, ...range.value].join(" ");
  return html`<section class="panel wire" aria-labelledby="title-wire">
    <div class="bar">
      <h2 id="title-wire" title="GET /_venue/wire">Wire</h2>
      <span class="dim status">
        ${counted(found.length, "line")} of ${report.wire.length}, oldest first</span>
    </div>
    <${Filters} entries=${report.wire} />
    <${Shown} key=${key} found=${found} />
  </section>`;
}

/** @param {{found: import("../types").WireEntry[]}} props */
function Shown({ found }) {
  const chosen = place.value.why?.kind === "request" ? Number(place.value.why.id) : 0;
  const at = found.findIndex((one) => one.number === chosen);
  const [most, setMost] = useState(MORE);
  const shown = Math.max(most, at + 20);
  const left = found.length - shown;
  const all = () => {
    range.value = [0, 1];
    go({ by: "", operation: "", show: "requests" });
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Lines of the wire">
    ${!found.length && html`<${Empty}>${report.wire.length
      ? html`No line matches the filters${whole.value ? "" : " in this part of the run"}.
          <button type="button" class="small" onClick=${all}>Show all</button>`
      : "No request of a client came in this run."}<//>`}
    <${Lines} lines=${found.slice(0, shown)} order="oldest first" />
    ${left > 0 && html`<p class="more">
      <button type="button"
        onClick=${() => setMost(shown + MORE)}>Show ${Math.min(MORE, left)} more</button>
      <span class="dim">${left} lines follow</span>
    </p>`}
  </div>`;
}
