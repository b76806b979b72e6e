"""A group in moving worlds takes nothing from the fund or from bystanders (rules 1.6, 2.7, 5.13,
5.14, 6.1, 9.4), and faults that are planted back are found."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from properties.length import walked
from properties.moving_operator import NUMBERS
from properties.moving_plants import PLANTS
from properties.moving_run import Gene
from properties.moving_search import Found, MovingSearch
from properties.moving_terms import feeds

COMMANDS = 3_000  # a seed
SEEDS = range(4_000, 4_008)
PLANTED_COMMANDS = 4_000  # a seed; then the next one
PLANTED_SEEDS = 20
FED = "a book goes before its feed"


@pytest.mark.parametrize("seed", walked(SEEDS))
def test_nobody_loses_to_a_group(seed: int) -> None:
    search = MovingSearch(seed)
    assert [str(found) for found in search.run(COMMANDS)] == []
    assert search.commands >= COMMANDS
    assert search.trades > COMMANDS // 200


def fed(random: Random, count: int) -> list[Gene]:
    """Two who show another price beside a feed."""
    words = ("pairs", "fakes", "closes", "takes")
    return [
        (word, random.randrange(NUMBERS), random.randrange(NUMBERS), random.randrange(NUMBERS))
        for word in words * (count // len(words))
    ]


def found_by(name: str, first: int) -> Found | None:
    """The first finding that is the fault's: without it the same acts do no harm."""
    for seed in range(first, first + PLANTED_SEEDS):
        search = MovingSearch(seed, PLANTS[name], shrinks=False)
        if name == FED:
            search = replace(search, push=feeds, acts=fed)
        for found in search.run(PLANTED_COMMANDS):
            if search.harmless(found):
                return found
    return None


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("doubt begins with the median", 31),
        ("far levels are depth", 5),
        (FED, 1),
        ("a frozen owner closes", 19),
        ("copies lose without bound", 25),
    ],
)
def test_planted_faults_are_found(name: str, first: int) -> None:
    assert found_by(name, first) is not None


def test_a_seed_says_the_same_twice() -> None:
    told = []
    for _ in range(2):
        search = MovingSearch(7)
        found = [str(each) for each in search.run(2_000)]
        told.append((found, search.commands, search.worlds, search.trades, search.refused))
    assert told[0] == told[1]
