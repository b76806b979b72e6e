"""Goes long, short or flat in a perpetual contract, and must stay solvent."""

from __future__ import annotations

from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces

from venue.gym.contract_market import UNITS, ContractMarket, moves
from venue.gym.episode import Steps
from venue.gym.observing import FAR, Observation, book_numbers, bounded, choices, observed_space
from venue.gym.rendering import METADATA, check_mode, drawn
from venue.gym.seat import LEVELS

TARGETS: Final = (-50_000, -25_000, 0, 25_000, 50_000)  # lots: up to 0.5 BTC either way
SIZE: Final = 4 * LEVELS + 5


class PerpetualTrader(gymnasium.Env[Observation, np.int64]):
    """A position in a contract at leverage 20 in cross margin, with 2,000 USDT.

    Action: 0 to 4, the target position: -0.5, -0.25, 0, 0.25 or 0.5 BTC. Market orders at a fee of
    0.06 % lead to it. An order that the margin does not allow is refused.

    Observation, 25 numbers from -10 to 10: distance from the middle and size of the five best bids,
    then of the five best asks; the position, in parts of 0.5 BTC; the mark's distance from the
    index; how far the middle moved in the last step; equity, in parts of the initial money; the
    part of the episode that has passed.

    Reward: the change of the equity at the mark, in USDT, funding and fees included. A step is a
    second; an episode starts at 07:50 and includes the funding of 08:00. It terminates when its
    position is liquidated, and is truncated after `steps`.
    """

    metadata = METADATA

    def __init__(
        self, steps: int = 1_000, *, audit: bool = False, render_mode: str | None = None
    ) -> None:
        check_mode(render_mode)
        self.render_mode = render_mode
        self.observation_space = observed_space(SIZE)
        self.action_space = spaces.Discrete(len(TARGETS))
        self._steps = Steps(steps)
        self._market = ContractMarket(audit=audit)
        self._equity = 0.0
        self._middle = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode: the same seed gives the same market."""
        super().reset(seed=seed)
        self._market.begin(int(self.np_random.integers(1 << 62)))
        self._steps.begin()
        self._equity = self._market.equity()
        self._middle = self._market.see().mid()
        return self._observed(), {}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Trade, let a second pass, and return the result. RuntimeError before `reset`, ValueError
        for an invalid action."""
        self._steps.demand()
        (chosen,) = choices(action, 1, len(TARGETS) - 1)
        self._steps.left -= 1
        market = self._market
        for side, position_side, lots in moves(*market.held(), TARGETS[chosen]):
            market.trade(side, position_side, lots)
        market.step()
        before, self._equity = self._equity, market.equity()
        observation = self._observed()
        truncated = not self._steps.left and not market.liquidated
        if market.liquidated:
            self._steps.end()
        told = {"equity": self._equity}
        return observation, self._equity - before, market.liquidated, truncated, told

    def render(self) -> str | None:
        """Return the book, positions and equity as text, with the mode "ansi"; otherwise None."""
        if self.render_mode is None:
            return None
        long, short = self._market.held()
        facts = {"long": f"{long} lots", "short": f"{short} lots"}
        facts["equity"] = f"{self._equity:.2f} USDT"
        return drawn(self._market.see(), self._steps.passed(), facts)

    def _observed(self) -> Observation:
        market = self._market
        seen = market.see()
        before, self._middle = self._middle, seen.mid()
        long, short = market.held()
        numbers = book_numbers(seen, self._middle, SIZE)
        numbers[-5] = (long - short) / TARGETS[-1]
        numbers[-4] = market.premium() / FAR
        numbers[-3] = (self._middle - before) / FAR
        numbers[-2] = self._equity / UNITS
        numbers[-1] = self._steps.passed()
        return bounded(numbers)
