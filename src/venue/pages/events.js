/** The stream of the venue: one socket for each view, opened again when it ends. */

import { effect } from "./vendor/signals.js";
import { Refused, worded } from "./problems.js";
import { place } from "./route.js";
import { forget, session } from "./session.js";
import { KEPT, connection, forgetAll, leave, take, wire } from "./state.js";

/** @typedef {import("./state.js").Frame} Frame */

const REVERTED = 4001;
const WAITS_MS = [250, 500, 1000, 2000, 5000];
/** Close codes with which a venue does not let the page in. */
const UNWELCOME = [1008, 4003, 4401];

/** @type {WebSocket | null} */
let socket = null;
let failures = 0;
let refusals = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;
/** The next frame replaces all that is shown: a venue that was started again counts from 1. */
let renewed = false;
/** @type {Frame | null} */
let held = null;

/** Follow the place's market and owner from now on. */
export function begin() {
  let shown = "";
  effect(() => {
    const { product, symbol, owner } = place.value;
    const view = `${product} ${symbol} ${owner}`;
    if (view === shown) return;
    shown = view;
    leave();
    connect();
  });
}

/** Begin anew, as at first. */
export async function connect() {
  clearTimeout(waiting);
  end();
  held = null;
  const { product, symbol, owner } = place.value;
  const opening = (socket = stream());
  try {
    const { token, owner: only } = await session();
    if (opening !== socket) return;
    const after = renewed ? 0 : (wire.value.entries.at(-1)?.number ?? 0);
    const first = JSON.stringify({ token, owner: only ?? owner, product, symbol, after });
    if (opening.readyState === WebSocket.OPEN) opening.send(first);
    else opening.onopen = () => opening.send(first);
  } catch (problem) {
    if (opening !== socket) return;
    end();
    if (problem instanceof Refused) refused(worded(problem));
    else again(worded(problem));
  }
}

function stream() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const opening = new WebSocket(`${scheme}://${location.host}/_venue/events`);
  opening.onmessage = (event) => {
    const frame = JSON.parse(event.data);
    failures = refusals = 0;
    if (frame.refused) {
      const { msg, message } = frame.refused;
      connection.value = { state: "unknown", words: msg ?? message ?? "" };
      return;
    }
    if (renewed) forgetAll();
    renewed = false;
    if (connection.value.state !== "live") connection.value = { state: "live", words: "" };
    hold(frame);
  };
  opening.onclose = (event) => ended(opening, event);
  return opening;
}

/** Drop the socket; its end is no news. */
function end() {
  if (!socket) return;
  socket.onclose = socket.onmessage = socket.onopen = null;
  socket.close();
  socket = null;
}

/** @param {WebSocket} closed @param {CloseEvent} event */
function ended(closed, event) {
  if (closed !== socket) return;
  socket = null;
  held = null;
  if (event.code === REVERTED) {
    renewed = true;
    connect();
  } else if (UNWELCOME.includes(event.code) && refusals++ === 0) {
    forget();
    connect();
  } else if (UNWELCOME.includes(event.code)) {
    refused(event.reason || "The venue does not let this page in any more.");
  } else {
    forget(); // a venue that starts again knows no former session
    again(event.code === 1012 ? "The venue stops." : "The connection is lost.");
  }
}

/** @param {string} words */
function refused(words) {
  connection.value = { state: "refused", words };
}

/** Connect after a while; what is shown meanwhile is told to be old. @param {string} words */
function again(words) {
  connection.value = { state: "lost", words };
  renewed = true;
  waiting = setTimeout(connect, WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)]);
}

/** Show frames with the next picture of the screen, as one. @param {Frame} frame */
function hold(frame) {
  if (!held) {
    held = frame;
    requestAnimationFrame(show);
    return;
  }
  const joined = [...(held.wire ?? []), ...(frame.wire ?? [])];
  const over = Math.max(0, joined.length - KEPT); // while the page is not looked at
  const skipped = (held.skipped ?? 0) + (frame.skipped ?? 0) + over;
  held = { ...held, ...frame, wire: joined.slice(over), skipped };
}

function show() {
  const frame = held;
  held = null;
  if (frame) take(frame);
}
