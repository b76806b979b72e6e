"""The long search: `python -m properties.soak [AUDITOR] [COMMANDS [FIRST_SEED]]`, two processes.

Each seed searches on its own. Without an auditor's name even seeds search in worlds whose index
stands still, odd ones in worlds whose index moves; `money` and `service` search in moving worlds.
Prints figures a seed, then each finding as a story; 1 when there is one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

from properties.climbing import Climb
from properties.moving_search import MovingSearch
from properties.service import service_search
from venue import compiled

COMMANDS: Final = 3_000_000
PER_SEED: Final = 100_000
PROCESSES: Final = 2


@dataclass
class Figures:
    """The figures of one seed."""

    seed: int
    setting: str
    commands: int
    stories: int
    trades: int
    liquidations: int
    found: list[str]

    def __str__(self) -> str:
        return (
            f"seed {self.seed:5} {self.setting:6} {self.commands:8,} commands "
            f"{self.stories:6,} stories {self.trades:8,} trades "
            f"{self.liquidations:6,} liquidations {len(self.found)} found"
        )


def search(seed: int) -> Figures:
    """One seed's search."""
    climb = Climb(seed, still=seed % 2 == 0)
    found = [str(each) for each in climb.run(PER_SEED)]
    setting = "moving" if seed % 2 else "still"
    return Figures(
        seed, setting, climb.commands, climb.stories, climb.trades, climb.liquidations, found
    )  # fmt: skip


def money(seed: int) -> Figures:
    """One seed's moving worlds, asked for money."""
    return moved("money", MovingSearch(seed))


def service(seed: int) -> Figures:
    """One seed's moving worlds, asked for service."""
    return moved("served", service_search(seed))


def moved(setting: str, each: MovingSearch) -> Figures:
    found = [str(one) for one in each.run(PER_SEED)]
    return Figures(
        each.seed, setting, each.commands, each.worlds, each.trades, each.liquidations, found
    )  # fmt: skip


AUDITORS: Final[dict[str, Callable[[int], Figures]]] = {
    "search": search, "money": money, "service": service,
}  # fmt: skip


def results(auditor: str, first: int, seeds: int) -> Iterator[Figures]:
    with get_context("spawn").Pool(PROCESSES) as pool:
        yield from pool.imap(AUDITORS[auditor], range(first, first + seeds))


def main(arguments: list[str]) -> int:
    """Search until the commands are used up; 1 when anything was found."""
    auditor = "search"
    if arguments and arguments[0] in AUDITORS:
        auditor, *arguments = arguments
    commands = int(arguments[0]) if arguments else COMMANDS
    first = int(arguments[1]) if len(arguments) > 1 else 1
    seeds = -(-commands // PER_SEED)
    begun = time.monotonic()
    total = Figures(0, "", 0, 0, 0, 0, [])
    for figures in results(auditor, first, seeds):
        print(figures, flush=True)
        for story in figures.found:
            print(story, flush=True)
        total.commands += figures.commands
        total.stories += figures.stories
        total.trades += figures.trades
        total.liquidations += figures.liquidations
        total.found += figures.found
    seconds = time.monotonic() - begun
    core = "compiled" if compiled.compiled() else "interpreted"
    print(
        f"{total.commands:,} commands in {total.stories:,} stories of seeds {first} to "
        f"{first + seeds - 1}: {total.trades:,} trades, {total.liquidations:,} liquidations, "
        f"{len(total.found)} found; {total.commands / seconds:,.0f} commands/s, {core} core"
    )
    return 1 if total.found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
