/** The commands that send a request of the report again, to a venue that the reader runs. */

import { Command } from "../components/parts.js";
import { html } from "../html.js";

/** @param {{entry: import("../types").WireEntry}} props */
export function Again({ entry }) {
  if (!entry.repeat) return null;
  return html`<h3>Send it again, to a venue that runs</h3>
    <${Command} line=${entry.repeat} />`;
}
