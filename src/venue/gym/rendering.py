"""Renders an environment as text: the book with the learner's quotes, and its account."""

from __future__ import annotations

from typing import Any, Final

from venue.gym.seat import Seen

MODES: Final = ["ansi"]
METADATA: Final[dict[str, Any]] = {"render_modes": MODES, "render_fps": 1}


def check_mode(mode: str | None) -> None:
    """Raise ValueError for an unknown render mode."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode: must be None or one of {', '.join(MODES)}, not {mode}")


def drawn(seen: Seen, passed: float, facts: dict[str, str]) -> str:
    """Return the asks above the bids, each a price in grid steps and its lots, with the learner's
    quotes marked; then the facts.

    `passed` is the part of the episode that has passed, 0 to 1.
    """
    lines = [_level("ask", level, seen.own_ask) for level in reversed(seen.asks)]
    lines.append(f"{'':4}{seen.mid():>12.1f}  middle")
    lines += [_level("bid", level, seen.own_bid) for level in seen.bids]
    own = (("own bid", seen.own_bid), ("own ask", seen.own_ask))
    quotes = {name: str(price) for name, price in own if price}
    told = {"passed": f"{passed:.0%}"} | quotes | facts
    return "\n".join([*lines, "  ".join(f"{name} {value}" for name, value in told.items())])


def _level(side: str, level: tuple[int, int], own: int) -> str:
    price, lots = level
    return f"{side} {price:>12}  {lots:>9}{' own' if price == own else ''}"
