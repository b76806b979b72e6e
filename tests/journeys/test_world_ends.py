"""The end of a world: it is told when it fails, and a beginning that failed is not told twice."""

from __future__ import annotations

import asyncio
import logging
from typing import cast

import pytest

from venue.gateway.worlds import StartedWorld, World


class Stuck:
    """A life whose end fails, as one whose history does not close."""

    async def close(self) -> None:
        raise OSError("the disk is full")


async def stuck() -> StartedWorld:
    return cast(StartedWorld, Stuck())


async def unborn() -> StartedWorld:
    raise OSError("no process")


def test_an_end_that_fails_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        world = World("one", stuck, agents=False, state="")
        await world.start()
        assert await world.end()
        assert world.running is None

    with caplog.at_level(logging.ERROR, "venue.gateway"):
        asyncio.run(story())
    (record,) = caplog.records
    assert record.getMessage() == "defect while world one ended"
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "the disk is full"


def test_a_beginning_that_failed_was_told_already(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        world = World("one", unborn, agents=False, state="")
        with pytest.raises(OSError, match="no process"):
            await world.start()
        assert not await world.end()

    asyncio.run(story())
    assert caplog.records == []
