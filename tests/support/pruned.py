"""A venue that lived on three days, weeks apart, to be pruned."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

from support.former import ALICE, BEGIN_US, BOB, Maker, Stepping
from venue.core.messages.commands import Command, PlaceAlgo, PlaceOrder, RecordStreams
from venue.history.sql import scalar
from venue.history.store import open_history
from venue.journal import archive
from venue.journal.opening import open_readonly
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, AlgoType

DAY_US = 86_400_000_000
PHASES = (0, 20, 40)  # days on which something happens
NOW_US = BEGIN_US + 41 * DAY_US
KEEP_US = 30 * DAY_US
HALF_US = 10 * DAY_US
TRADES = 520  # each day: two commands each, so that a day is more than one block of the journal
AT_ONCE = 260


def trades(number: int) -> list[Command]:
    """An order that rests and one that meets it; every hundredth goes on resting."""
    price = 6_400_000 + number % 50
    left = 1 if number % 100 == 0 else 0
    return [
        PlaceOrder(ALICE, "BTCUSDT", SELL, LIMIT, GTC, 10 + left, price, f"{number}"),
        PlaceOrder(BOB, "BTCUSDT", BUY, LIMIT, IOC, 10, price),
    ]


async def live(path: Path) -> None:
    clock, failed = Stepping(BEGIN_US), list[BaseException]()
    for day in PHASES:
        clock.time = BEGIN_US + day * DAY_US
        options = Options(state=str(path), agents=False)
        async with open_venue(options, SystemClock(clock), failed.append) as door:
            node = door.node
            maker = Maker(node, clock)
            if day == 0:
                await maker.quotes()
                await maker.pass_time(30)
                price = demo.STARTS["BTCUSDT"].price
                await maker.do(RecordStreams(ALICE))
                for uid, side in ((BOB, SELL), (ALICE, BUY)):
                    await maker.do(maker.order(uid, "BTCUSDT", side, 10, price))
                stop = int(AlgoType.STOP_MARKET)
                await maker.do(PlaceAlgo(ALICE, "BTCUSDT", SELL, LONG, stop, 0, 5_000_000, 0, 0))
            for first in range(0, TRADES, AT_ONCE):
                begin = day * TRADES + first
                await maker.do(*(one for n in range(begin, begin + AT_ONCE) for one in trades(n)))
            await maker.pass_time(20)
    assert not failed, failed


def copied(folder: Path, target: Path) -> str:
    """The state file of a copy."""
    shutil.copytree(folder, target)
    return str(target / "venue.db")


def archived(state: str) -> list[Path]:
    return sorted(Path(state).parent.glob("*.archive-*"))


def rows(state: str) -> int:
    store = open_history(f"{state}.history")
    try:
        return scalar(store.connection, "SELECT count(*) FROM fills")
    finally:
        store.close()


def everything(state: str) -> list[Command]:
    """Every command, of archives and journal."""
    with ExitStack() as closing:
        journal = open_readonly(state)
        closing.callback(journal.close)
        return [
            one
            for _, part in archive.join_archives(journal, state, closing).read(0)
            for one in part
        ]
