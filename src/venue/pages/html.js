/** Builds elements from templates; every value in a template becomes a text node or a property. */

import htm from "./vendor/htm.js";
import { h } from "./vendor/preact.js";

/** @typedef {import("./vendor/preact.js").ComponentChildren} Children */

/** @type {(strings: TemplateStringsArray, ...values: unknown[]) => any} */
export const html = htm.bind(/** @type {any} */ (h));
