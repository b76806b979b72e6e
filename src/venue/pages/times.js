/** Spells venue times, which are milliseconds, in UTC. */

/** 2026-01-01 08:00:00 @param {number} time */
export function dated(time) {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}

/** 08:00:00 @param {number} time */
export function clocked(time) {
  return new Date(time).toISOString().slice(11, 19);
}

/** 08:00:00.000 @param {number} time */
export function exact(time) {
  return new Date(time).toISOString().slice(11, 23);
}

/** 1 h 04 min, 4 min 10 s, 9 s @param {number} span */
export function spanned(span) {
  const seconds = Math.max(0, Math.floor(span / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours) return `${hours} h ${String(minutes).padStart(2, "0")} min`;
  if (minutes) return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${seconds} s`;
}
