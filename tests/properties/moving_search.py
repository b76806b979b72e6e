"""Seeds of moving worlds: each draws worlds and acts until its commands are used up.

A finding is shrunk by leaving acts out, as long as the same is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from properties.climbing import skeleton
from properties.hearing import Wrong
from properties.moving_judge import MovingJudge
from properties.moving_operator import operated
from properties.moving_play import People, genes
from properties.moving_run import Gene, Plant, Play
from properties.moving_terms import Push, dare
from properties.moving_world import World, drawn
from properties.service_judge import ServiceJudge
from venue.core.messages.commands import NO_EXIT, Command

GENES: Final = 80  # acts in one world
TRIES_MAX: Final = 300  # to leave acts out
SHOWN: Final = 30  # commands of a finding that are printed


@dataclass
class Found:
    """A finding: its seed, after how many commands it came, and the last commands of it."""

    seed: int
    commands: int
    wrong: str
    acts: list[Gene]
    story: list[Command]
    world: World

    def __str__(self) -> str:
        lines = [self.wrong, f"  seed {self.seed}, after {self.commands} commands; {self.world}"]
        lines += [f"  act {gene}" for gene in self.acts]
        return "\n".join(lines + [f"    {short(command)}" for command in self.story[-SHOWN:]])


def short(command: Command) -> str:
    """A command without what it leaves at its defaults."""
    told = [
        f"{name}={getattr(command, name)!r}"
        for name in command.__struct_fields__
        if getattr(command, name) not in (b"", "", 0, NO_EXIT) or name in ("price", "side")
    ]
    return f"{type(command).__name__}({', '.join(told)})"


@dataclass
class MovingSearch:
    """One seed's search."""

    seed: int
    plant: Plant | None = None
    shrinks: bool = True
    draw: Callable[[Random], World] = drawn
    acts: Callable[[Random, int], list[Gene]] = genes
    judge: type[MovingJudge | ServiceJudge] = MovingJudge
    push: Push | None = None
    weighs: bool = False
    commands: int = 0
    worlds: int = 0
    trades: int = 0
    liquidations: int = 0
    refused: int = 0
    random: Random = field(init=False)
    terms: Random = field(init=False)  # of terms near the bounds of what listing accepts
    operator: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.terms = Random(f"{self.seed}:terms")
        self.operator = Random(f"{self.seed}:operator")

    def harmless(self, found: Found) -> bool:
        """Whether the same acts break nothing where no fault is planted."""
        return replace(self, plant=None).played(found.world, found.acts)[1] is None

    def run(self, budget: int) -> Iterator[Found]:
        """Search until `budget` commands are used up; each finding as it comes."""
        while self.commands < budget:
            world = self.draw(self.random)
            acts = operated(self.operator, self.acts(self.random, GENES))
            dare(self.terms, world, self.push)
            play, wrong, done = self.played(world, acts)
            if play is None:
                self.refused += 1
                continue
            self.worlds += 1
            self.commands += len(play.story)
            self.trades += play.judge.trades
            self.liquidations += play.judge.liquidations
            if wrong is not None:
                at, acts = self.commands, acts[:done]
                if self.shrinks:
                    acts, play, wrong = self._shrunk(world, acts, play, wrong)
                yield Found(self.seed, at, str(wrong), acts, play.story, world)

    def played(self, world: World, acts: list[Gene]) -> tuple[Play | None, Wrong | None, int]:
        """Play acts in a world of its own; the fault, and how many were played."""
        play = Play(deepcopy(world), self.plant, self.judge, weighs=self.weighs)
        done = 0
        try:
            if not play.begin():
                return None, None, 0
            people = People(play)
            for gene in acts:
                done += 1
                people.act(gene)
        except Wrong as wrong:
            return play, wrong, done
        return play, None, done

    def _shrunk(
        self, world: World, acts: list[Gene], play: Play, wrong: Wrong
    ) -> tuple[list[Gene], Play, Wrong]:
        kind, tries = skeleton(wrong), 0
        for size in (32, 8, 4, 2, 1, 1):
            at = len(acts) - size
            while at >= 0 and tries < TRIES_MAX:
                tries += 1
                shorter = acts[:at] + acts[at + size :]
                again, said, _ = self.played(world, shorter)
                if again is not None and said is not None and skeleton(said) == kind:
                    acts, play, wrong = shorter, again, said
                at -= size
        return acts, play, wrong
