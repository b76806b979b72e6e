"""The service auditor: a group hinders honest people with orders that cannot trade."""

from __future__ import annotations

from random import Random
from typing import Final

from properties.moving_operator import NUMBERS
from properties.moving_play import ACTS
from properties.moving_run import Gene, Plant
from properties.moving_search import MovingSearch
from properties.moving_world import World, drawn
from properties.service_judge import ServiceJudge

TRICKS: Final[tuple[tuple[str, ...], ...]] = (
    ("pairs", "pairs", "silences", "passes", "dust", "bids", "passes", "jumps", "passes"),
    ("pairs", "pairs", "halts", "dust", "dust", "jumps", "passes", "passes"),
    ("hinders", "passes", "passes"),
    ("strands", "passes", "passes", "passes", "passes", "passes", "passes", "passes"),
    ("trades", "dust", "steals", "trades", "passes"),
    ("leads", "pulls", "leads", "passes", "pulls", "passes", "passes", "passes", "passes"),
    ("dust", "jumps", "passes", "passes"),
    ("leaves", "dust", "leaves", "passes", "leaves"),
    ("fences",),
    ("trails",),
    ("ruins",),
    ("queues",),
)
WORDS: Final = ("pairs", "opens", "bids", "dust", "closes", "silences", "halts", "thins", "pulls",
                "jumps", "passes", "passes", "passes", "leaves", "leaves", "trades", "trades",
                "leads", "stops", "cancels", "freezes", "rates", "hinders", "hinders",
                "strands")  # fmt: skip


def genes(random: Random, count: int) -> list[Gene]:
    """Acts that hinder, and time that passes."""
    found: list[Gene] = []
    while len(found) < count:
        words = random.choice(TRICKS) if random.random() < 0.3 else (random.choice(WORDS),)
        numbers = [random.randrange(NUMBERS) for _ in range(3)]
        for word in words:
            assert word in ACTS
            found.append((word, numbers[0], numbers[1], numbers[2]))
            numbers[random.randrange(3)] = random.randrange(NUMBERS)
    return found


def hindrances(random: Random, count: int) -> list[Gene]:
    """Strategies that hinder, and nothing else."""
    found: list[Gene] = []
    while len(found) < count:
        numbers = [random.randrange(NUMBERS) for _ in range(3)]
        for word in random.choice(TRICKS[-4:]):
            found.append((word, numbers[0], numbers[1], numbers[2]))
    return found


def two_contracts(random: Random) -> World:
    """A world with two contracts and an honest lead."""
    while True:
        world = drawn(random)
        if not world.robber and len(world.assets) == 2:
            return world


def service_search(seed: int, plant: Plant | None = None, *, shrinks: bool = True) -> MovingSearch:
    """One seed's search for people who are hindered."""
    return MovingSearch(seed, plant, shrinks, two_contracts, genes, ServiceJudge)
