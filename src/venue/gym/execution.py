"""Buys a given quantity in a given time, if possible for less than the price at the start."""

from __future__ import annotations

from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces

from venue.gym.episode import Steps
from venue.gym.market import INSTRUMENT, SpotMarket, sitting
from venue.gym.observing import FAR, Observation, book_numbers, bounded, choices, observed_space
from venue.gym.rendering import METADATA, check_mode, drawn
from venue.gym.seat import LEVELS, Seat, Seen
from venue.vocabulary import BUY

REST: Final = 1  # 0 waits
TAKE: Final = 2
SWEEP: Final = 3
SWEPT: Final = 4  # children that a sweep takes at once
LOTS: Final = 1_000  # of a child: 0.01 BTC
SIZE: Final = 4 * LEVELS + 3
BASIS_POINTS: Final = 10_000


class Execution(gymnasium.Env[Observation, np.int64]):
    """A parent order of `children` x 0.01 BTC, to be bought within `steps`.

    Action: 0 wait; 1 place a child at the best bid; 2 buy a child at the market; 3 buy four. Any
    quantity missing at the end is bought at the market, as far as the book has offers.

    Observation, 23 numbers from -10 to 10: distance from the middle and size of the five best bids,
    then of the five best asks; the part that is still to be bought; the distance of the own bid;
    the part of the time that has passed. Missing levels and a missing bid are 0.

    Reward: implementation shortfall (Perold 1988), negated: how much less the step's purchases cost
    than at the middle of the book at the start, in basis points of the whole parent's value at that
    price, fees included. The episode terminates when all is bought or the time is over; lots that
    the book did not offer are charged at the final middle. Fees are taken from the bought lots, so
    a little more must be bought; each step's info has `missing`, in lots.
    """

    metadata = METADATA

    def __init__(
        self,
        steps: int = 200,
        *,
        children: int = 40,
        seat: Seat | None = None,
        audit: bool = False,
        render_mode: str | None = None,
    ) -> None:
        check_mode(render_mode)
        self.render_mode = render_mode
        if children < 1:
            raise ValueError(f"children: must be 1 or more, not {children}")
        self.observation_space = observed_space(SIZE)
        self.action_space = spaces.Discrete(SWEEP + 1)
        self._steps = Steps(steps)
        self._lots = children * LOTS
        self._market = SpotMarket(audit=audit) if seat is None else None
        self._seat = sitting(self._market, seat)
        self._arrival = 0.0
        self._first = self._seen = self._seat.see()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode: the same seed gives the same market."""
        super().reset(seed=seed)
        if self._market is not None:
            self._market.begin(int(self.np_random.integers(1 << 62)))
        self._steps.begin()
        self._first = self._seen = self._seat.see()
        self._arrival = self._seen.mid()
        return self._observed(), {}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply the action, let the simulated traders act, and return the result. RuntimeError
        before `reset`, ValueError for an invalid action."""
        self._steps.demand()
        (chosen,) = choices(action, 1, SWEEP)
        self._steps.left -= 1
        self._act(chosen)
        self._seat.let_pass()
        before, self._seen = self._seen, self._seat.see()
        if not self._steps.left and self._missing():
            self._seat.quote(0, 0, LOTS)
            self._seat.take(BUY, self._missing())
            self._seen = self._seat.see()
        done = not self._missing() or not self._steps.left
        if done:
            self._seat.quote(0, 0, LOTS)
        reward = self._saved(before, self._seen)
        if done:
            reward -= self._points(self._missing() * (self._seen.mid() - self._arrival))
            self._steps.end()
        return self._observed(), reward, done, False, {"missing": self._missing()}

    def render(self) -> str | None:
        """Return the book and the lots to be bought as text, with the mode "ansi"; otherwise
        None."""
        if self.render_mode is None:
            return None
        return drawn(self._seen, self._steps.passed(), {"missing": f"{self._missing()} lots"})

    def _act(self, action: int) -> None:
        missing = self._missing()
        bids = self._seen.bids
        child = min(LOTS, missing)
        self._seat.quote(bids[0][0] if action == REST and bids else 0, 0, child)
        if action == TAKE:
            self._seat.take(BUY, child)
        elif action == SWEEP:
            self._seat.take(BUY, min(SWEPT * LOTS, missing))

    def _missing(self) -> int:
        missing = self._lots - (self._seen.base - self._first.base)
        return missing if missing >= INSTRUMENT.quantity_min else 0

    def _saved(self, before: Seen, after: Seen) -> float:
        """Return how much less than at arrival the purchases between two observations cost, in
        basis points."""
        seat = self._seat
        paid = (before.quote - after.quote) / (seat.lot_units * seat.step_units)
        return self._points((after.base - before.base) * self._arrival - paid)

    def _points(self, cost: float) -> float:
        """Lots x grid steps as basis points of the parent's value at arrival."""
        return cost / (self._lots * self._arrival) * BASIS_POINTS

    def _observed(self) -> Observation:
        seen = self._seen
        middle = seen.mid()
        numbers = book_numbers(seen, middle, SIZE)
        numbers[-3] = self._missing() / self._lots
        numbers[-2] = (middle - seen.own_bid) / FAR if seen.own_bid else 0.0
        numbers[-1] = self._steps.passed()
        return bounded(numbers)
