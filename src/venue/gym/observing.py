"""Converts a market to a policy's observation, in numbers from -10 to 10, and checks its
actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from venue.gym.seat import LEVELS, Seen

Observation = NDArray[np.float32]
FAR: Final = 50.0  # grid steps: distances are divided by it
MUCH: Final = 40_000.0  # lots: sizes are divided by it
MOST: Final = 10.0


def observed_space(size: int) -> spaces.Space[Observation]:
    """Return the space of `size` numbers."""
    space: spaces.Space[Any] = spaces.Box(-MOST, MOST, (size,), np.float32)
    return space


def book_numbers(seen: Seen, middle: float, size: int) -> list[float]:
    """`size` numbers: distance from the middle and size of the best bids, then of the best asks;
    missing levels are 0."""
    numbers = [0.0] * size
    at = 0
    for price, lots in seen.bids:
        numbers[at] = (middle - price) / FAR
        numbers[at + 1] = lots / MUCH
        at += 2
    at = 2 * LEVELS
    for price, lots in seen.asks:
        numbers[at] = (price - middle) / FAR
        numbers[at + 1] = lots / MUCH
        at += 2
    return numbers


def bounded(numbers: list[float]) -> Observation:
    """Return the numbers as an observation; a number beyond the bounds is replaced by the bound."""
    if max(numbers) > MOST or min(numbers) < -MOST:
        numbers = [min(MOST, max(-MOST, number)) for number in numbers]
    return np.array(numbers, np.float32)


def choices(action: Any, count: int, most: int) -> list[int]:
    """Return an action as `count` integers from 0 to `most`. ValueError for anything that is not
    one."""
    given: list[Any] = np.asarray(action).reshape(-1).tolist()
    known = len(given) == count
    for one in given:
        known = known and type(one) is int and 0 <= one <= most
    if not known:
        raise ValueError(f"action: must be {count} x a whole number from 0 to {most}, not {action}")
    return given
