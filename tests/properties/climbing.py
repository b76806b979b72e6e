"""A search that tries to earn: stories that come nearer to a loss of others are changed further.

Everything follows from a seed and a number of commands. A story that breaks a rule is shrunk:
commands are dropped, then numbers halved, as long as the same thing is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from msgspec.structs import replace

from properties.earning import Gene, Group, changed, sequence, spoken
from properties.earning_world import FUND_UID, Opened, Play, World, replay
from properties.hearing import Wrong
from properties.planted import Fault
from venue.core.messages.commands import Command

FIRST: Final = 12  # new stories of which the best one is changed
STALE: Final = 40  # changes without progress before a new story is begun
STORY_MAX: Final = 120  # commands of a story: short ones leave room for more of them
PARTS: Final = 1_000_000
AIMS: Final = 4


@dataclass(frozen=True)
class Found:
    """A find of the search: the shortest story, its fault, and after how many commands of which
    seed it came."""

    world: World
    story: list[Command]
    wrong: str
    seed: int
    commands: int

    def __str__(self) -> str:
        head = f"{self.wrong}\n  seed {self.seed}, after {self.commands} commands, {self.world}"
        return f"{head}\n{spoken(self.story)}"


class Climb:
    """One seed's search. `commands` counts all that were judged, `stories` what was tried."""

    def __init__(self, seed: int, *, still: bool | None = None, fault: Fault | None = None) -> None:
        self.seed = seed
        self.fault = fault
        self.random = Random(seed)
        self.still = still
        self.commands = 0
        self.stories = 0
        self.trades = 0
        self.liquidations = 0

    def run(self, budget: int) -> Iterator[Found]:
        """Search until `budget` commands are used up; each finding as it comes."""
        while self.commands < budget:
            opened = Opened(world(self.random, self.still), self.fault)
            aim = self.random.randrange(AIMS)
            found = self._climb(opened, aim, budget)
            if found is not None:
                yield found

    def _climb(self, opened: Opened, aim: int, budget: int) -> Found | None:
        """Change one story for the better until nothing better comes."""
        random = self.random
        best: list[Gene] = []
        other: list[Gene] = []
        score = -1
        stale = -FIRST
        while stale < STALE and self.commands < budget:
            genes = sequence(random) if stale < 0 else changed(random, best, other)
            play = opened.begin()
            reached, wrong = self._try(play, genes, aim)
            self.commands += len(play.story)
            self.stories += 1
            self.trades += play.judge.trades
            self.liquidations += play.judge.liquidations
            if wrong is not None:
                story, wrong = self.shrink(opened, play.story, wrong)
                return Found(opened.world, story, str(wrong), self.seed, self.commands)
            stale += 1
            if reached > score:
                stale = min(stale, 0)
            if reached >= score:
                other, best, score = best or genes, genes, reached
        return None

    def _try(self, play: Play, genes: list[Gene], aim: int) -> tuple[int, Wrong | None]:
        group = Group(play)
        reached = 0
        try:
            for each in genes:
                if len(play.story) >= STORY_MAX:
                    break
                group.act(each)
                reached = max(reached, AIMED[aim](play))
            play.end()
        except Wrong as wrong:
            return reached, wrong
        return reached, None

    # -- shrinking -------------------------------------------------------------------------------

    def shrink(
        self, opened: Opened, story: list[Command], wrong: Wrong
    ) -> tuple[list[Command], Wrong]:
        """The shortest story, with the smallest numbers, of which the same is wrong."""
        kind = skeleton(wrong)
        length = 0
        while length != len(story):
            length = len(story)
            for size in (8, 4, 2, 1):
                at = len(story) - size
                while at >= 0:
                    shorter = story[:at] + story[at + size :]
                    said = self._again(opened, shorter)
                    if said is not None and skeleton(said) == kind:
                        story, wrong = shorter, said
                        at = min(at, len(story))
                    at -= size
        return self._halve(opened, story, wrong)

    def _halve(
        self, opened: Opened, story: list[Command], wrong: Wrong
    ) -> tuple[list[Command], Wrong]:
        for at in range(len(story)):
            for name in ("quantity", "amount"):
                while abs(getattr(story[at], name, 0)) > 1:
                    half = int(getattr(story[at], name)) // 2
                    smaller = [*story[:at], replace(story[at], **{name: half}), *story[at + 1 :]]
                    said = self._again(opened, smaller)
                    if said is None or skeleton(said) != skeleton(wrong):
                        break
                    story, wrong = smaller, said
        return story, wrong

    def _again(self, opened: Opened, story: list[Command]) -> Wrong | None:
        self.commands += len(story)
        return replay(opened, story)


def skeleton(wrong: Wrong) -> str:
    """The words of a fault, without its numbers."""
    return re.sub(r"-?\d+", "#", str(wrong))


def world(random: Random, still: bool | None = None) -> World:
    """A small venue: two to four members with any modes of self-trade prevention."""
    modes = tuple(random.choice((0, 0, 1, 2, 3)) for _ in range(random.choice((2, 2, 3, 4))))
    symbols = ("AAAQQQ", "BBBQQQ") if random.random() < 0.2 else ("AAAQQQ",)
    return World(
        still=random.random() < 0.5 if still is None else still,
        modes=modes,
        money=random.choice((10, 40)),
        levels=random.choice((0, 0, 0, 1, 4)),
        symbols=symbols,
        leverage=random.choice((20, 50, 50)),
        isolated=random.random() < 0.4,
    )


# -- aims: how far a story has come -------------------------------------------------------------


def _exposed(play: Play) -> int:
    """The greatest effective leverage of a member's pool: how near its equity is to nothing."""
    most = 0
    for uid in play.world.group:
        owner = play.judge.owners[uid]
        for pool in owner.pools:
            worth = sum(p.lots * p.market.mark * p.market.unit for p in owner.in_pool(pool))
            if worth:
                most = max(most, worth * PARTS // max(1, owner.equity(pool)))
    return most


def _overdrawn(play: Play) -> int:
    """How far a member's available is below zero, in parts of what it brought."""
    most = 0
    for uid in play.world.group:
        owner = play.judge.owners[uid]
        if owner.brought > 0:
            short = owner.held - owner.standing()
            most = max(most, PARTS + short * PARTS // owner.brought)
    return most


def _gained(play: Play) -> int:
    """The group's gain and the fund's loss beyond losses others agreed to; fees do not count."""
    gain, lost = play.judge.gain()
    fund = play.judge.owners[FUND_UID]
    gain += fund.brought - fund.equity(0)
    brought = sum(max(1, play.judge.owners[uid].brought) for uid in play.world.group)
    return max(0, PARTS + (gain - lost) * PARTS // max(1, brought))


def _moved(play: Play) -> int:
    """How far a mark is from its index."""
    markets = play.judge.markets.values()
    return max(abs(m.mark - m.index) * PARTS // max(1, m.index) for m in markets)


AIMED: Final = (_exposed, _overdrawn, _gained, _moved)
