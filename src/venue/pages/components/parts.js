/** Small parts that every panel is made of. */

import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";
import { isNegative, isZero } from "../decimals.js";
import { html } from "../html.js";
import { follow, linked } from "../route.js";
import { announced } from "../state.js";

/** @typedef {import("../html.js").Children} Children */

const COPIED_MS = 1500;

/** A decimal as it came; the zeros at its end are fainter, and thousands stand apart.
 * @param {{value: string, source?: string | undefined}} props */
export function Num({ value, source }) {
  const [, sign = "", whole = value, part = ""] = /^(-?)(\d+)(\.\d+)?$/.exec(value) ?? [];
  const zeros = part ? (/\.?0+$/.exec(part)?.[0] ?? "") : "";
  const shown = part.slice(0, part.length - zeros.length);
  const groups = whole.length > 4 ? (whole.match(/\d{1,3}(?=(\d{3})*$)/g) ?? [whole]) : [whole];
  return html`<span class="num" title=${source}
    >${sign}${groups.map((one, at) => (at ? html`<i class="group">${one}</i>` : one))}${shown}${
      zeros && html`<span class="zeros">${zeros}</span>`
    }</span
  >`;
}

/** A profit or loss: its sign is told by a triangle too.
 * @param {{value: string, source?: string}} props */
export function Gain({ value, source }) {
  const kind = isZero(value) ? "" : isNegative(value) ? "sell" : "buy";
  const mark = kind === "" ? "" : kind === "sell" ? "▼ " : "▲ ";
  return html`<span class=${kind}>${mark}<${Num} value=${value} source=${source} /></span>`;
}

/** BUY or SELL, LONG or SHORT. @param {{side: string}} props */
export function Side({ side }) {
  const buys = side === "BUY" || side === "LONG";
  return html`<span class=${buys ? "buy side" : "sell side"}>${buys ? "▲" : "▼"} ${side}</span>`;
}

/** @param {{text: string, label?: string}} props */
export function Copy({ text, label = "Copy" }) {
  const [told, setTold] = useState("");
  const wait = useRef(/** @type {any} */ (0));
  useEffect(() => () => clearTimeout(wait.current), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text); // a page that came by plain HTTP has no clipboard
      setTold("Copied ✓");
      announced.value = "Copied.";
    } catch {
      setTold("Not allowed");
      announced.value = "The browser lets this page copy nothing: select the text.";
    }
    clearTimeout(wait.current);
    wait.current = setTimeout(() => setTold(""), COPIED_MS);
  };
  return html`<button type="button" class="small" onClick=${copy}>
    ${told || label}
  </button>`;
}

/** A link to the reasons of something.
 * @param {{kind: import("../addresses.js").Why["kind"], id: string,
 * children: Children, class?: string, label?: string, title?: string}} props */
export function ToWhy({ kind, id, children, label, ...rest }) {
  const why = { kind, id };
  const open = (/** @type {MouseEvent} */ event) => follow(event, { why });
  return html`<a href=${linked({ why })} onClick=${open} aria-label=${label} ...${rest}>
    ${children}</a>`;
}

/** Hands what is typed to a function. @param {(text: string) => void} take */
export const typed = (take) => (/** @type {Event} */ event) =>
  take(/** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value);

/** A command line with its button. @param {{line: string}} props */
export function Command({ line }) {
  return html`<div class="command">
    <code><span class="prompt" aria-hidden="true">$ </span>${line}</code><${Copy} text=${line} />
  </div>`;
}

/** @param {{title: string, area: string, source?: string, tools?: Children, children: Children,
 * label?: string}} props */
export function Panel({ title, area, source, tools, children }) {
  const id = `title-${area}`;
  return html`<section class=${`panel ${area}`} aria-labelledby=${id}>
    <div class="bar"><h2 id=${id} title=${source}>${title}</h2>${tools}</div>
    ${children}
  </section>`;
}

/** What stands where there is nothing. @param {{children: Children}} props */
export function Empty({ children }) {
  return html`<p class="empty">${children}</p>`;
}
