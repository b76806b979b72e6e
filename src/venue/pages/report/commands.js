/** The commands that a report shows; it has no venue that it could ask. */

const PLAIN = /^[\w@%+=:,./-]+$/;

/** @param {string} word */
export function quoted(word) {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function urlOption() {
  return "";
}
