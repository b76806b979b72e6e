/** What keeps a request from its reply, and how a person is told of it. */

/** A refusal, with its code and its words. */
export class Refused extends Error {
  /** @param {number} status @param {number} code @param {string} words */
  constructor(status, code, words) {
    super(words);
    this.name = "Refused";
    this.status = status;
    this.code = code;
  }
}

/** Nothing answered. */
export class Unreachable extends Error {}

/** What to tell a person of a problem. @param {unknown} problem */
export function worded(problem) {
  if (problem instanceof Refused && problem.code) return `${problem.code} ${problem.message}`;
  return problem instanceof Error ? problem.message : String(problem);
}
