"""Honest makers, takers, followers and owners of stops are not hindered in moving worlds (rules
3.13, 5.14, 7.12, 9.4), and a queue that forgets is found."""

from __future__ import annotations

import pytest

from properties.length import walked
from properties.moving_plants import endless_pauses
from properties.service import service_search

COMMANDS = 4_000  # a seed
SEEDS = range(5_000, 5_008)
PLANTED_COMMANDS = 4_000
PLANTED_SEEDS = range(6_005, 6_020)


@pytest.mark.parametrize("seed", walked(SEEDS))
def test_nobody_is_hindered(seed: int) -> None:
    search = service_search(seed)
    assert [str(found) for found in search.run(COMMANDS)] == []
    assert search.commands >= COMMANDS
    assert search.trades > COMMANDS // 200


def test_copies_that_pause_without_end_are_found() -> None:
    for seed in PLANTED_SEEDS:
        search = service_search(seed, endless_pauses, shrinks=False)
        for found in search.run(PLANTED_COMMANDS):
            if search.harmless(found):
                return
    pytest.fail("it was not found")
