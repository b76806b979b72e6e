"""A search that tries to earn finds nothing, and finds planted faults (rules 3.12, 5.13)."""

from __future__ import annotations

from random import Random

import pytest

from properties.climbing import Climb, Found, world
from properties.earning_world import Opened, replay
from properties.length import walked
from properties.planted import FAULTS, Fault

pytestmark = pytest.mark.core

COMMANDS = 40_000  # a seed
STILL_SEEDS = range(1_000, 1_004)
MOVING_SEEDS = range(2_000, 2_004)
PLANTED_COMMANDS = 50_000  # a seed; then the next one
PLANTED_SEEDS = range(3_000, 3_020)


@pytest.mark.parametrize("seed", [*walked(STILL_SEEDS), *walked(MOVING_SEEDS)])
def test_no_group_earns(seed: int) -> None:
    climb = Climb(seed, still=seed in STILL_SEEDS)
    found = [str(each) for each in climb.run(COMMANDS)]
    assert found == []
    assert climb.commands >= COMMANDS
    assert climb.trades > COMMANDS // 50  # worlds that halt often trade least


def search_for(fault: Fault) -> Found | None:
    """The first finding that is the fault's: without it the same commands do no harm."""
    for seed in PLANTED_SEEDS:
        for found in Climb(seed, fault=fault).run(PLANTED_COMMANDS):
            if replay(Opened(found.world), found.story) is None:
                return found
    return None


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_found(name: str) -> None:
    found = search_for(FAULTS[name])
    assert found is not None
    assert replay(Opened(found.world, FAULTS[name]), found.story) is not None


def test_a_seed_says_the_same_twice() -> None:
    told: list[list[object]] = []
    for _ in range(2):
        climb = Climb(7)
        stories = [str(each) for each in climb.run(5_000)]
        told.append([stories, climb.commands, climb.stories, climb.trades])
    assert told[0] == told[1]


def test_worlds_differ() -> None:
    worlds = {str(world(Random(seed))) for seed in range(50)}
    assert len(worlds) > 30
