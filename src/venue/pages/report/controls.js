/** A report has no controls. */

export function Act() {
  return null;
}

export function rule() {
  return null;
}
