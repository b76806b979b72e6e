/** The page's session with its venue, and requests in it. */

import { OPERATIONS } from "./operations.js";
import { Refused, Unreachable } from "./problems.js";

/** @typedef {import("./types").Replies} Replies */
/** @typedef {import("./types").Requests} Requests */
/** @typedef {keyof Replies & keyof Requests} Name */
/** @typedef {{token: string, owner: string | null}} Session */
/** @typedef {{status: number, text: string, number: string, ignored: string}} Answer */

/** Whether a venue answers; of a report, none does. */
export const live = true;

const GONE = -1051;
/** @type {Promise<Session> | null} */
let opened = null;

/** The session, which is made once. @returns {Promise<Session>} */
export function session() {
  opened ??= open().catch((problem) => {
    opened = null;
    throw problem;
  });
  return opened;
}

let shownToken = "";

/** Show the operator's token with the next session, once. @param {string} token */
export function offer(token) {
  shownToken = token;
  opened = null;
}

/** Forget the session: the next request makes another. */
export function forget() {
  opened = null;
}

async function open() {
  const invitation = new URLSearchParams(location.search).get("invitation");
  /** @type {Record<string, string>} */
  const headers = { "content-type": "application/json" };
  if (shownToken) headers.authorization = `Bearer ${shownToken}`;
  shownToken = "";
  const answer = await reached("/_venue/session", {
    method: "POST",
    headers,
    body: JSON.stringify(invitation ? { invitation } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw refusal(answer.status, text);
  return /** @type {Session} */ (JSON.parse(text));
}

/** Ask an operation by its name. Refused, Unreachable.
 * @template {Name} N
 * @param {N} name
 * @param {Requests[N]} values
 * @param {string | null} [owner] whom the operator acts for
 * @returns {Promise<Replies[N]>} */
export async function ask(name, values, owner = null) {
  const [method, path, inBody] = OPERATIONS[name];
  const left = new Map(Object.entries(/** @type {object} */ (values)));
  const target = path.replace(/\{(\w+)\}/g, (_, field) => {
    const value = String(left.get(field));
    left.delete(field);
    return encodeURIComponent(value);
  });
  const fields = Object.fromEntries(left);
  const answer = await send(method, target, inBody ? JSON.stringify(fields) : fields, owner);
  if (answer.status !== 200) throw refusal(answer.status, answer.text);
  return JSON.parse(answer.text);
}

/** Send any request, and return its answer as it came. Unreachable.
 * @param {string} method @param {string} target
 * @param {string | Record<string, unknown>} body a text, or the fields of a query
 * @param {string | null} owner
 * @returns {Promise<Answer>} */
export async function send(method, target, body, owner) {
  const answer = await once(method, target, body, owner);
  if (answer.status !== 403 || refusal(403, answer.text).code !== GONE) return answer;
  forget();
  return once(method, target, body, owner);
}

/** @param {string} method @param {string} target
 * @param {string | Record<string, unknown>} body @param {string | null} owner
 * @returns {Promise<Answer>} */
async function once(method, target, body, owner) {
  const { token } = await session();
  /** @type {Record<string, string>} */
  const headers = { "X-Venue-Page": token };
  if (owner) headers["X-Venue-Act-As"] = owner;
  const text = typeof body === "string";
  if (text) headers["content-type"] = "application/json";
  const query = text ? "" : new URLSearchParams(/** @type {any} */ (body)).toString();
  const answer = await reached(query ? `${target}?${query}` : target, {
    method,
    headers,
    body: text ? body : undefined,
  });
  return {
    status: answer.status,
    text: await answer.text(),
    number: answer.headers.get("X-Venue-Request-Id") ?? "",
    ignored: answer.headers.get("X-Venue-Ignored") ?? "",
  };
}

/** @param {string} target @param {RequestInit} options */
async function reached(target, options) {
  try {
    return await fetch(target, { ...options, credentials: "same-origin", cache: "no-store" });
  } catch {
    throw new Unreachable("The venue does not answer.");
  }
}

/** @param {number} status @param {string} text */
function refusal(status, text) {
  try {
    const told = JSON.parse(text);
    return new Refused(status, told.code ?? 0, String(told.msg ?? told.message ?? text));
  } catch {
    return new Refused(status, 0, text || `HTTP ${status}`);
  }
}
