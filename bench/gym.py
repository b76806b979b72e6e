"""The learning environments: steps and resets a second, interpreted and compiled."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from bench import compiled as compiled_core
from bench.table import Row, Section
from venue.gym import Execution, MarketMaking, PerpetualTrader
from venue.gym.flow import COMMANDS_A_STEP

STEPS: Final = 10_000
RESETS: Final = 300
RUNS: Final = 3
NEEDED: Final = 40_000  # steps/s, compiled
AIMED: Final = ("PerpetualTrader",)  # ten contract orders a step cost more than that time: printed
MADE: Final[dict[str, tuple[Callable[[int], Any], Any]]] = {
    "MarketMaking": (MarketMaking, np.array([3, 3])),
    "Execution": (lambda steps: Execution(steps, children=10_000), np.int64(1)),
    "PerpetualTrader": (PerpetualTrader, np.int64(3)),
}


def run() -> Section:
    """Measure in this process, and in one that runs the compiled core."""
    rows = _rows(measure(), "", None)
    try:
        said = compiled_core.output("bench.gym")
    except compiled_core.CompiledFailed as failed:
        return Section(rows, [], str(failed))
    rows += _rows(json.loads(said), "  compiled: ", NEEDED)
    return Section(rows, [f"best of {RUNS}; {COMMANDS_A_STEP} orders and cancels of others a step"])


def _rows(figures: dict[str, list[float]], prefix: str, needed: float | None) -> list[Row]:
    rows: list[Row] = []
    for name, (rate, reset_ms) in figures.items():
        least = None if name in AIMED else needed
        rows.append(Row(what=f"{prefix}{name}", measured=rate, unit="steps/s", needed=least))
        rows.append(Row(what=f"{prefix}{name}, reset", measured=reset_ms, unit="ms"))
    return rows


def measure() -> dict[str, list[float]]:
    """By environment its steps/s and the ms of a reset, the best of some runs."""
    figures: dict[str, list[float]] = {}
    for name, (make, action) in MADE.items():
        env = make(STEPS)
        figures[name] = [
            STEPS / min(_stepping(env, action) for _ in range(RUNS)),
            min(_resetting(env) for _ in range(RUNS)) / RESETS * 1e3,
        ]
    return figures


def _stepping(env: Any, action: Any) -> float:
    env.reset(seed=1)
    began = time.perf_counter()
    for _ in range(STEPS):
        env.step(action)
    return time.perf_counter() - began


def _resetting(env: Any) -> float:
    began = time.perf_counter()
    for _ in range(RESETS):
        env.reset()
    return time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(measure()))
