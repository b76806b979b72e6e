/** Reads entries of the wire: what was asked, in one line, and which orders it is about. */

/** @typedef {import("./types").WireEntry} WireEntry */
/** @typedef {Record<string, unknown>} Fields */

/** Paths of the venue's own pages and commands, which are nobody's bot. */
const OWN = /^\/(_venue\/|pages\/|why\/|learn$|favicon\.ico$|$)/;
/** Operations of owners that change something. */
const CHANGES = /^(place|cancel|close|change|set|move|stop|internal)_/;

/** Whether the venue's own tools asked, and changed nothing. @param {WireEntry} entry */
export function isOwn(entry) {
  if (!isRequest(entry)) return false;
  return OWN.test(entry.path) || (entry.tool === true && !changes(entry));
}

/** The parameters of a request, or null where its text is none. @param {string} text
 * @returns {Fields | null} */
export function fields(text) {
  try {
    const found = JSON.parse(text);
    return found && typeof found === "object" && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}

/** @param {WireEntry} entry */
export function refused(entry) {
  return entry.status !== null && entry.status >= 400;
}

/** @param {WireEntry} entry */
export function lost(entry) {
  return entry.status === null && isRequest(entry);
}

/** @param {WireEntry} entry */
export function isRequest(entry) {
  return entry.kind === "REQUEST" || entry.kind === "OPERATION";
}

/** The product that a request is about; "" for one of neither. @param {WireEntry} entry */
export function market(entry) {
  if (entry.path.includes("/capi/")) return "perp";
  return entry.path.includes("/api/") ? "spot" : "";
}

/** Who sent it: an owner, a key whose signature was wrong, or nobody. @param {WireEntry} entry */
export function whose(entry) {
  if (entry.owner) return entry.owner;
  return entry.signed?.key ? `key …${entry.signed.key.slice(-4)}, not verified` : "public";
}

/** 200, 400, lost, or the way of a frame. @param {WireEntry} entry */
export function outcome(entry) {
  if (entry.kind === "HEARD") return "▸ in";
  if (entry.kind === "SENT") return "◂ out";
  return entry.status === null ? "lost" : String(entry.status);
}

/** What a refusal says: its code and message, or the words of an answer of another form.
 * @param {WireEntry} entry */
export function refusal(entry) {
  if (entry.code) return `${entry.code} ${entry.msg}`;
  if (entry.status === null) return "The connection ended without an answer.";
  const found = fields(entry.answer ?? "");
  const words = [found?.message, found?.msg, found?.error].find((one) => one && one !== "");
  return words ? String(words) : `HTTP ${entry.status}`;
}

/** The operation as its clients know it. @param {WireEntry} entry */
export function asked(entry) {
  if (!isRequest(entry)) return entry.kind === "HEARD" ? "frame from the client" : "frame";
  return entry.operation || `${entry.method} ${entry.path}`;
}

/** The parameters that matter most, in one line. @param {WireEntry} entry */
export function summary(entry) {
  const found = fields(entry.text);
  if (!found) return entry.text;
  if (!isRequest(entry)) return frame(found) || entry.text;
  const { side, symbol, quantity, price, type, triggerPrice, orderId, ...rest } = found;
  const words = [];
  if (side) words.push(side);
  if (quantity) words.push(quantity);
  if (symbol) words.push(symbol);
  if (price) words.push("@", price);
  else if (side && type) words.push(type);
  if (triggerPrice) words.push("at", triggerPrice);
  if (orderId) words.push(`order ${orderId}`);
  if (words.length < 2)
    for (const [name, value] of Object.entries(rest).slice(0, 3))
      words.push(`${name}=${short(value)}`);
  return words.map(short).join(" ");
}

/** @param {Fields} found */
function frame(found) {
  const channel = found.channel ?? found.e ?? found.method ?? found.event ?? found.type;
  return channel === undefined ? "" : short(channel);
}

/** @param {unknown} value */
function short(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The names of parameters that the operation does not know. @param {WireEntry} entry
 * @returns {string[]} */
export function ignored(entry) {
  return entry.ignored ?? [];
}

/** The orders that a request placed or named. @param {WireEntry} entry @returns {string[]} */
export function orderIds(entry) {
  const ids = (entry.orders ?? []).map(String);
  if (ids.length) return ids;
  const id = fields(entry.text)?.orderId;
  return typeof id === "string" || typeof id === "number" ? [String(id)] : [];
}

/** Whether the request may change something of its owner's. @param {WireEntry} entry */
export function changes(entry) {
  return entry.method !== "GET" && CHANGES.test(entry.operation);
}

/** What a retry has in common with the request that it repeats. @param {WireEntry} entry */
function intent(entry) {
  const found = fields(entry.text);
  if (!found) return "";
  const { newClientOrderId, clientAlgoId, timestamp, recvWindow, ...rest } = found;
  const listed = Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([entry.owner, entry.operation, listed]);
}

/** Orders that were sent again after their answer was lost, under another id or none: the number of
 * each with that of the lost one. @param {WireEntry[]} entries oldest first
 * @returns {Map<number, number>} */
export function twins(entries) {
  /** @type {Map<string, WireEntry>} */
  const open = new Map();
  const found = new Map();
  for (const entry of entries) {
    if (!isRequest(entry) || !/^place_/.test(entry.operation)) continue;
    const same = intent(entry);
    const former = open.get(same);
    if (lost(entry)) open.set(same, entry);
    else if (former && entry.status === 200) {
      open.delete(same);
      const ids = [former, entry].map((one) => fields(one.text)?.newClientOrderId);
      if (!ids[0] || ids[0] !== ids[1]) found.set(entry.number, former.number);
    }
  }
  return found;
}

/** The rule that hit a request, as 1:fault-1 names it. @param {WireEntry} entry
 * @param {import("./types").FaultView[] | null | undefined} rules */
export function faultWords(entry, rules) {
  return entry.fault
    .split(",")
    .map((one) => {
      const id = one.trim().replace(/^\d+:/, "");
      const rule = rules?.find((other) => other.id === id);
      return rule ? `${rule.effect.kind} (${id})` : id;
    })
    .join(", ");
}

/** Whether a sentence of an explanation names what decided a refusal. @param {string} sentence */
export function decides(sentence) {
  return /^It was refused|not enough|too small|too large|beyond|outside/.test(sentence);
}

/** A text of JSON, with a line for each field; any other text as it is. @param {string} text */
export function spread(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
