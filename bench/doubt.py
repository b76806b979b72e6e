"""How long the practice venue's contracts are in doubt: its agents in one process, in venue time.

`python -m bench.doubt HOURS [SEED]` prints, for each contract, the share of its ticks in doubt, and
how far its index ran from the middle of the spot book. Without contract agents: they follow it.
"""

from __future__ import annotations

import sys
import time
from typing import Final

from venue.core.engine import Engine
from venue.core.messages.commands import Command, PostIndex, Tick
from venue.core.owners import FIRST_UID
from venue.core.units import PPM
from venue.lab import demo
from venue.lab.agents.spot import STEP_US, Agents

SECOND_US: Final = 1_000_000
START_US: Final = 1_700_000_000 * SECOND_US
STEPS: Final = SECOND_US // STEP_US


class Hours:
    """The demo markets with their spot agents, a tick each second; `doubtful` ticks by contract."""

    def __init__(self, seed: int) -> None:
        self.engine = Engine()
        self.time = START_US
        uids = {account.name: FIRST_UID + number for number, account in enumerate(demo.ACCOUNTS)}
        self._apply(demo.genesis() + demo.funding(uids))
        starts = {symbol: start.price for symbol, start in demo.STARTS.items()}
        self.agents = Agents(self.engine, seed, starts)
        self._apply(self.agents.founding())
        self._apply(self.agents.funding())
        self.ticks = 0
        self.doubtful = dict.fromkeys(self.engine.contracts.markets, 0)
        self.stale = dict.fromkeys(self.engine.contracts.markets, 0)
        self.farthest = dict.fromkeys(self.engine.contracts.markets, 0)

    def second(self) -> None:
        """The agents' steps of a second, the tick, and the demo contracts' prices."""
        for _ in range(STEPS):
            self._apply(self.agents.step())
            self.time += STEP_US
        self._apply([Tick()])
        markets = self.engine.contracts.markets
        for symbol, followed in demo.FOLLOWED.items():
            if symbol != followed and markets[followed].current:
                index = markets[followed].index_price
                self._apply([PostIndex(symbol, demo.POSTED, index)])
        self.ticks += 1
        for symbol, perp in markets.items():
            self.doubtful[symbol] += perp.doubt
            self.stale[symbol] += not perp.current
            twice = self.engine.spot.markets[demo.FOLLOWED[symbol]].book.twice_mid()
            if perp.index_price and twice:
                away = abs(twice - 2 * perp.index_price) * PPM // (2 * perp.index_price)
                self.farthest[symbol] = max(self.farthest[symbol], away)

    def _apply(self, commands: list[Command]) -> None:
        for command in commands:
            command.time = self.time
            self.engine.apply(command)


def main() -> None:
    """Simulate and print."""
    hours = float(sys.argv[1])
    began = time.perf_counter()
    found = Hours(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for _ in range(int(hours * 3_600)):
        found.second()
    spent = time.perf_counter() - began
    print(f"{found.ticks} ticks, {found.engine.sequence} commands, {spent:.0f} s")
    for symbol, doubtful in found.doubtful.items():
        print(
            f"{symbol:9} in doubt {100 * doubtful / found.ticks:.4f} %, stale {found.stale[symbol]}"
            f" ticks, at most {found.farthest[symbol]} ppm from the middle of the book"
        )


if __name__ == "__main__":
    main()
