"""The HTTP door under random cuts and damage, from fixed seeds; more by `make soak-door`."""

from __future__ import annotations

import asyncio

import pytest

from properties.doors import Doors

READS = 40_000


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_in_order_whatever_comes(seed: int) -> None:
    async def run() -> int:
        doors = Doors(seed)
        doors.run(READS)
        return doors.reads

    assert asyncio.run(run()) >= READS
