"""Pruning and kept states: nothing goes back to before an archive, and branches stay whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from support.former import ALICE, BEGIN_US, Maker, Stepping
from support.pruned import AT_ONCE, DAY_US, TRADES, archived, copied, trades
from venue.cli.verify import verify
from venue.core.messages.commands import CancelOrder, PlaceOrder
from venue.core.messages.events import Rejected
from venue.history import pages
from venue.history.store import open_history
from venue.journal.chain import BLOCK
from venue.node.clock import SystemClock
from venue.node.node import Node
from venue.pruning.beside import Pruning
from venue.pruning.prune import prune
from venue.recompute.history import rebuild_history
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.running.snapshots import keeper
from venue.vocabulary import GTC, LIMIT, SELL

FRAMES_KEPT = 1_000
MINUTE_US = 60_000_000
OLD = PlaceOrder(ALICE, "BTCUSDT", SELL, LIMIT, GTC, 10, 7_000_000, "old1")


class Life:
    """A venue's file, and the machine's clock beside it."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.machine = Stepping(BEGIN_US)

    @asynccontextmanager
    async def running(self, keep_us: int | None = None) -> AsyncIterator[tuple[Node, Maker]]:
        """The venue, until it is stopped."""
        failed = list[BaseException]()
        options = Options(state=self.state, agents=False, keep_us=keep_us)
        async with open_venue(options, SystemClock(self.machine), failed.append) as door:
            node = door.node
            yield node, Maker(node, self.machine)
        assert not failed, failed


async def trade(maker: Maker) -> None:
    """More commands than a block of the journal holds."""
    for first in range(0, TRADES, AT_ONCE):
        await maker.do(*(one for number in range(first, first + AT_ONCE) for one in trades(number)))


async def command(life: Life, keep_us: int) -> None:
    prune(life.state, keep_us)


async def start(life: Life, keep_us: int) -> None:
    async with life.running(keep_us):
        pass


async def beside(life: Life, keep_us: int) -> None:
    async with life.running() as (node, _):
        pruning = Pruning(node, keeper(node, life.state, FRAMES_KEPT), life.state, keep_us)
        while await pruning.round():
            pass


WAYS = [command, start, beside]
Way = Callable[[Life, int], Awaitable[None]]


@pytest.fixture(scope="module", params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to prune."""
    found: Way = request.param
    return found


async def went_on(life: Life) -> None:
    """A state is kept, its order is cancelled, and two days pass."""
    async with life.running() as (node, maker):
        await maker.do(OLD)
        (order,) = node.engine.spot.accounts[ALICE].orders
        await node.timekeeper.keep("x", node.reverts.dump)
        await maker.do(CancelOrder(ALICE, order))
        await trade(maker)
        life.machine.time += 2 * DAY_US
        await trade(maker)


def test_a_state_from_before_the_archive_is_gone_back_to_no_more(tmp_path: Path, way: Way) -> None:
    async def story(life: Life) -> None:
        await went_on(life)
        await way(life, DAY_US)
        assert verify(life.state).problems == []
        async with life.running() as (node, maker):
            assert "x" not in node.engine.savepoints.kept
            (refused,) = await node.timekeeper.revert("x")
            assert isinstance(refused.events[0], Rejected)
            await trade(maker)
            life.machine.time += 2 * DAY_US
            await trade(maker)
        await way(life, DAY_US)
        assert verify(life.state).problems == []

    life = Life(str(tmp_path / "venue.db"))
    asyncio.run(story(life))
    assert len(archived(life.state)) == 4


async def gone_back(life: Life, node: Node, maker: Maker) -> None:
    """Ten days lie on a branch that is no more, on which ids were given out."""
    await trade(maker)
    await node.timekeeper.keep("x", node.reverts.dump)
    await maker.do(OLD)
    await trade(maker)
    life.machine.time += 10 * DAY_US
    await trade(maker)
    await node.timekeeper.revert("x")
    await maker.do(OLD)


async def pass_minutes(node: Node, minutes: int) -> None:
    await node.timekeeper.advance(node.clock.now() + minutes * MINUTE_US)


def whole_with_archives_and_without(folder: Path, others: Path) -> None:
    """Check a state, and copies of it whose history is built again."""
    assert verify(str(folder / "venue.db")).problems == []
    for name in ("alone", "again"):
        state = copied(folder, others / name)
        if name == "alone":
            for one in archived(state):
                one.unlink()
            assert verify(state).problems == []
        rebuild_history(state)
        assert verify(state).problems == []


def test_branches_after_the_archive_are_whole(tmp_path: Path, way: Way) -> None:
    async def story(life: Life) -> None:
        async with life.running() as (node, maker):
            await gone_back(life, node, maker)
            await trade(maker)
            await pass_minutes(node, 40)
            await node.timekeeper.keep("y", node.reverts.dump)
            await trade(maker)
        await way(life, 10 * MINUTE_US)
        assert len(archived(life.state)) == 2
        whole_with_archives_and_without(folder, tmp_path / "before")
        async with life.running() as (node, maker):
            assert list(node.engine.savepoints.kept) == ["y"]
            await trade(maker)
            await node.timekeeper.revert("y")
            await trade(maker)

    folder = tmp_path / "whole"
    folder.mkdir()
    asyncio.run(story(Life(str(folder / "venue.db"))))
    whole_with_archives_and_without(folder, tmp_path)


def test_the_branch_that_a_revert_left_stays_until_what_follows_is_old(
    tmp_path: Path, way: Way
) -> None:
    """Its commands are old, but history went back to before them. Those before it go."""

    async def story(life: Life) -> None:
        async with life.running() as (node, maker):
            await gone_back(life, node, maker)
            await pass_minutes(node, 10)
        await way(life, 8 * MINUTE_US)
        names = [path.name for path in archived(life.state) if "history" not in path.name]
        assert names == [f"venue.db.archive-1-{BLOCK}"]
        async with life.running() as (node, maker):
            await node.timekeeper.revert("x")
            await maker.do(OLD)

    folder = tmp_path / "whole"
    folder.mkdir()
    asyncio.run(story(Life(str(folder / "venue.db"))))
    whole_with_archives_and_without(folder, tmp_path)


def test_rows_that_stand_in_two_files_are_a_problem_in_words(tmp_path: Path) -> None:
    """An earlier version left such files: a kept state from before the archive was gone back to."""

    async def story(life: Life) -> None:
        await went_on(life)
        prune(life.state, DAY_US)

    life = Life(str(tmp_path / "venue.db"))
    asyncio.run(story(life))
    (archive,) = tmp_path.glob("venue.db.history.archive-*")
    store = open_history(f"{life.state}.history")
    address = f"file:{quote(str(archive))}?vfs={pages.VFS}"
    store.connection.execute("ATTACH ? AS other", (address,))
    rows = "SELECT * FROM other.orders LIMIT 1"
    store.connection.execute(f"INSERT INTO main.orders {rows}")
    store.connection.execute("DETACH other")
    store.close()
    (problem,) = verify(life.state).problems
    assert "venue.db.history" in problem
    assert problem.endswith(f"venue rebuild-history {life.state}")
    rebuild_history(life.state)
    assert verify(life.state).problems == []
