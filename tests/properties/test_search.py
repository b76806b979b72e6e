"""A search that tries to earn finds nothing, and finds faults that are planted (rules 0.1, 0.2)."""

from __future__ import annotations

from random import Random

import pytest

from properties.climbing import Climb, world
from properties.earning_world import Opened, replay
from properties.planted import FAULTS

pytestmark = pytest.mark.core

COMMANDS = 50_000  # a seed
STILL_SEEDS = range(1_000, 1_004)
MOVING_SEEDS = range(2_000, 2_004)
PLANTED_COMMANDS = 1_000_000
PLANTED_SEEDS = range(3_000, 3_005)


@pytest.mark.parametrize("seed", [*STILL_SEEDS, *MOVING_SEEDS])
def test_no_group_earns(seed: int) -> None:
    climb = Climb(seed, still=seed in STILL_SEEDS)
    found = [str(each) for each in climb.run(COMMANDS)]
    assert found == []
    assert climb.commands >= COMMANDS
    assert climb.trades > COMMANDS // 20


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_found(name: str) -> None:
    fault = FAULTS[name]
    commands = 0
    for seed in PLANTED_SEEDS:
        climb = Climb(seed, still=None, fault=fault)
        found = next(climb.run(PLANTED_COMMANDS // len(PLANTED_SEEDS)), None)
        commands += climb.commands
        if found is not None:
            break
    assert found is not None, commands
    # It is the fault that is found: without it the same commands do no harm.
    assert replay(Opened(found.world), found.story) is None, found


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
