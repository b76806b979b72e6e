"""Quotes both sides of a market, to earn the spread with a small inventory."""

from __future__ import annotations

from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from venue.gym.episode import Steps
from venue.gym.market import SpotMarket, sitting
from venue.gym.observing import FAR, Observation, book_numbers, bounded, choices, observed_space
from venue.gym.rendering import METADATA, check_mode, drawn
from venue.gym.seat import LEVELS, Seat, Seen

FARTHEST: Final = 10  # grid steps from the middle at which a quote may stand
LOTS: Final = 1_000  # of a quote: 0.01 BTC
INVENTORY_MAX: Final = 50_000  # lots more, or less, than at the beginning
SIZE: Final = 4 * LEVELS + 4
CHOICES: Final = FARTHEST + 1


class MarketMaking(gymnasium.Env[Observation, NDArray[np.int64]]):
    """One bid and one ask around the middle of the book.

    Action: `MultiDiscrete([11, 11])`, the distance of the bid and of the ask from the middle, 1 to
    10 grid steps (1 USDT each), 0 for none. A quote is 0.01 BTC. Beyond 0.5 BTC more or less than
    at the beginning only the side that brings it back is quoted.

    Observation, 24 numbers from -10 to 10: distance from the middle and size of the five best bids,
    then of the five best asks; what was bought since the beginning; the distance of the own bid and
    ask; the part of the episode that has passed. Missing levels and quotes are 0.

    Reward: the change of the profit, in USDT: quote earned, and base beyond the amount at the
    beginning, valued at the middle of the book. Makers pay no fee. It is truncated after `steps`.
    """

    metadata = METADATA

    def __init__(
        self,
        steps: int = 1_000,
        *,
        seat: Seat | None = None,
        audit: bool = False,
        render_mode: str | None = None,
    ) -> None:
        check_mode(render_mode)
        self.render_mode = render_mode
        self.observation_space = observed_space(SIZE)
        self.action_space = spaces.MultiDiscrete([CHOICES, CHOICES])
        self._steps = Steps(steps)
        self._market = SpotMarket(audit=audit) if seat is None else None
        self._maker = Maker(sitting(self._market, seat))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode: the same seed gives the same market."""
        super().reset(seed=seed)
        if self._market is not None:
            self._market.begin(int(self.np_random.integers(1 << 62)))
        self._steps.begin()
        return self._maker.begin(), {}

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Quote, let the simulated traders act, and return the result. RuntimeError before `reset`,
        ValueError for an invalid action."""
        self._steps.demand()
        self._maker.quote(action)
        self._steps.left -= 1
        self._maker.seat.let_pass()
        observation, reward = self._maker.outcome(self._steps.passed())
        return observation, reward, False, not self._steps.left, {"profit": self._maker.profit}

    def render(self) -> str | None:
        """Return the book, the own quotes and the profit as text, with the mode "ansi"; otherwise
        None."""
        if self.render_mode is None:
            return None
        return self._maker.drawn(self._steps.passed())


class Maker:
    """Carries out actions at a seat, and observes it."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.profit = 0.0
        self._seen = self._first = seat.see()
        self._middle = self._seen.mid()

    def begin(self) -> Observation:
        """Start an episode; return the first observation."""
        self._seen = self._first = self.seat.see()
        self._middle = self._seen.mid()
        self.profit = 0.0
        return self._observed(self._seen, 0.0)

    def quote(self, action: NDArray[np.int64]) -> None:
        """Place the quotes of an action. ValueError for an invalid action."""
        bid, ask = choices(action, 2, FARTHEST)
        middle = self._middle
        carried = self._seen.base - self._first.base
        wants_bid = bid and carried + LOTS <= INVENTORY_MAX
        wants_ask = ask and carried - LOTS >= -INVENTORY_MAX
        self.seat.quote(
            int(middle - bid + 0.5) if wants_bid else 0,
            int(middle + ask) if wants_ask else 0,
            LOTS,
        )

    def outcome(self, passed: float) -> tuple[Observation, float]:
        """Observation and reward after a step; `passed` is the part of the episode."""
        seen = self._seen = self.seat.see()
        self._middle = seen.mid()
        before, self.profit = self.profit, self._worth(seen)
        return self._observed(seen, passed), self.profit - before

    def drawn(self, passed: float) -> str:
        """Return the observation as text."""
        carried = self._seen.base - self._first.base
        facts = {"bought": f"{carried} lots", "profit": f"{self.profit:.2f} USDT"}
        return drawn(self._seen, passed, facts)

    def _worth(self, seen: Seen) -> float:
        """Return the profit so far, in quote units."""
        seat = self.seat
        carried = (seen.base - self._first.base) * seat.lot_units
        return seen.quote - self._first.quote + carried * self._middle * seat.step_units

    def _observed(self, seen: Seen, passed: float) -> Observation:
        middle = self._middle
        numbers = book_numbers(seen, middle, SIZE)
        numbers[-4] = (seen.base - self._first.base) / INVENTORY_MAX
        numbers[-3] = (middle - seen.own_bid) / FAR if seen.own_bid else 0.0
        numbers[-2] = (seen.own_ask - middle) / FAR if seen.own_ask else 0.0
        numbers[-1] = passed
        return bounded(numbers)
