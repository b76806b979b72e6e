/** Keeps what is looked at still: while the pointer is in a part, or the keys move a focus in it. A
 * focus that is given back when a drawer closes does not count. */

import { useRef, useState } from "../vendor/preact-hooks.js";

const MOVES = ["Tab", "ArrowUp", "ArrowDown"]; // keys that move a focus

/** The value as it was when somebody began to look at it, and the properties of the part.
 * @template T @param {T} value
 * @returns {{shown: T, still: boolean, holder: string, release: () => void,
 * looking: Record<string, (event: any) => void>}} */
export function useStill(value) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const kept = useRef(value);
  const still = pointed || focused;
  if (!still) kept.current = value;
  return {
    shown: still ? kept.current : value,
    still,
    holder: pointed ? "pointer" : "focus",
    release: () => {
      setPointed(false);
      setFocused(false);
    },
    looking: {
      onPointerEnter: (event) => setPointed(event.pointerType === "mouse"),
      onPointerLeave: () => setPointed(false),
      onKeyUp: (event) => MOVES.includes(event.key) && setFocused(true),
      onFocusOut: () => setFocused(false),
    },
  };
}
