/** Words of command lines, as a shell takes them. */

import { live } from "./session.js";

const DEFAULT_URL = "http://127.0.0.1:8787";
const PLAIN = /^[\w@%+=:,./-]+$/;

/** @param {string} word */
export function quoted(word) {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The option that names this venue, where it is not the usual one; a report knows none. */
export function urlOption() {
  return !live || location.origin === DEFAULT_URL ? "" : ` --url ${location.origin}`;
}
