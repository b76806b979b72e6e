"""Several market makers in one market: a PettingZoo parallel environment."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

from venue.gym.episode import Steps
from venue.gym.market import SpotMarket
from venue.gym.market_making import CHOICES, SIZE, Maker
from venue.gym.observing import Observation, observed_space

Action = NDArray[np.int64]


class MakersParallel(ParallelEnv):  # type: ignore[misc]
    """`makers` owners, `maker_0` and so on, each as in `MarketMaking`, in one market.

    In each step they quote one after another, each time with another one first; then the simulated
    traders act.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "name": "venue_makers_v0"}

    def __init__(self, makers: int = 2, steps: int = 1_000, *, audit: bool = False) -> None:
        if makers < 1:
            raise ValueError(f"makers: must be 1 or more, not {makers}")
        self.possible_agents = [f"maker_{number}" for number in range(makers)]
        self.agents: list[str] = []
        self.render_mode = None
        self._steps = Steps(steps)
        self._market = SpotMarket(makers, audit=audit)
        seats = zip(self.possible_agents, self._market.seats, strict=True)
        self._makers = {agent: Maker(seat) for agent, seat in seats}
        self._observed = {agent: observed_space(SIZE) for agent in self.possible_agents}
        self._actions: dict[str, spaces.Space[Action]] = {
            agent: spaces.MultiDiscrete([CHOICES, CHOICES]) for agent in self.possible_agents
        }
        self._random, _ = seeding.np_random(None)

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """Return the same object each time."""
        return self._observed[agent]

    def action_space(self, agent: str) -> spaces.Space[Action]:
        """Return the same object each time."""
        return self._actions[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start an episode: the same seed gives the same market."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self._market.begin(int(self._random.integers(1 << 62)))
        self._steps.begin()
        self.agents = list(self.possible_agents)
        observed = {agent: self._makers[agent].begin() for agent in self.agents}
        return observed, {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Action]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let all makers quote, then the simulated traders act. RuntimeError before `reset`,
        ValueError for an invalid action."""
        self._steps.demand()
        agents = self.agents
        first = self._steps.left % len(agents)
        for agent in agents[first:] + agents[:first]:
            self._makers[agent].quote(actions[agent])
        self._market.step()
        self._steps.left -= 1
        passed = self._steps.passed()
        outcomes = {agent: self._makers[agent].outcome(passed) for agent in agents}
        over = not self._steps.left
        if over:
            self.agents = []
        return (
            {agent: observation for agent, (observation, _) in outcomes.items()},
            {agent: reward for agent, (_, reward) in outcomes.items()},
            dict.fromkeys(agents, False),
            dict.fromkeys(agents, over),
            {agent: {"profit": self._makers[agent].profit} for agent in agents},
        )


def parallel_env(makers: int = 2, steps: int = 1_000, *, audit: bool = False) -> MakersParallel:
    """Create the environment with the function name that PettingZoo uses."""
    return MakersParallel(makers, steps, audit=audit)
