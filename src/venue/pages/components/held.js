/** Keeps what is looked at still: while the pointer or the focus is in a part, it does not move. */

import { useRef, useState } from "../vendor/preact-hooks.js";

/** The value as it was when somebody began to look at it, and the properties of the part.
 * @template T @param {T} value
 * @returns {{shown: T, still: boolean, looking: Record<string, (event: any) => void>}} */
export function useStill(value) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const kept = useRef(value);
  const still = pointed || focused;
  if (!still) kept.current = value;
  return {
    shown: still ? kept.current : value,
    still,
    looking: {
      onPointerEnter: (event) => setPointed(event.pointerType === "mouse"),
      onPointerLeave: () => setPointed(false),
      onFocusIn: (event) => setFocused(event.target.matches(":focus-visible")),
      onFocusOut: () => setFocused(false),
    },
  };
}
