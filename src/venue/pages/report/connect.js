/** What stands in the place of the wire where no request came. */

import { Empty } from "../components/parts.js";
import { html } from "../html.js";

export function Connect() {
  return html`<${Empty}>No request of a client came in this run.<//>`;
}
