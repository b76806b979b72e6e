"""The files of a venue that answered under other rules than today's, and of versions that are kept.

`python -m support.former PATH KIND RULES` lives one life on the journal PATH, whose segments name
these rules: `clean` stops in good order, `killed` ends by kill -9 and never kept a snapshot, `late`
ends so some commands after a stop in good order. `Former` has one of each kind.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from support.copies import python_path
from venue.core import rules
from venue.core.messages.commands import (
    ChangeContract,
    Command,
    HaltInstrument,
    PlaceAlgo,
    PlaceContractOrder,
    PlaceOrder,
    PostIndex,
    RecordStreams,
    SetCancelAfter,
    SetLeverage,
    SetMarginMode,
    Tick,
)
from venue.core.messages.events import Rejected
from venue.journal.opening import open_readonly
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.node.node import Node
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.vocabulary import (
    BUY,
    GTC,
    IOC,
    LIMIT,
    LONG,
    SELL,
    SHORT,
    AlgoType,
    MarginMode,
    Product,
    SeparatedMode,
)

FILE = "venue.db"
KINDS = ("clean", "killed", "late")
OTHER_RULES = rules.RULES + 1
BEGIN_US = 1_790_000_000_000_000  # September 2026: before anybody opens the files
STEP_US = 1_000_000
SETTLED = 30  # seconds after which books have given the contracts prices to open at
ALICE, BOB = 10_000_001, 10_000_002
SEPARATED = 200  # positions on one side: as many as an owner may open
NOTED = 400_000  # lots of each quote: enough for every index notional
SPREAD = ((BUY, -64), (SELL, 64))  # in ten thousandths of the index


class Stepping:
    """Clocks that go on by a second whenever they are told to."""

    def __init__(self, time: int) -> None:
        self.time = time

    def wall(self) -> int:
        """µs since the epoch."""
        return self.time

    def steady(self) -> int:
        """The same: this clock is never set."""
        return self.time


class Maker:
    """Sends commands and sees that none is refused."""

    def __init__(self, node: Node, clock: Stepping) -> None:
        self._node = node
        self._clock = clock

    async def do(self, *commands: Command) -> None:
        self._clock.time += STEP_US
        for applied in await self._node.submit(commands):
            refused = [event for event in applied.events if isinstance(event, Rejected)]
            assert not refused, (applied.command, refused)

    async def pass_time(self, seconds: int) -> None:
        for _ in range(seconds // 5):
            self._clock.time += 4 * STEP_US
            await self.do(Tick())

    def order(self, uid: int, symbol: str, side: int, quantity: int, price: int) -> Command:
        """An opening contract order."""
        position_side = LONG if side == BUY else SHORT
        return PlaceContractOrder(uid, symbol, side, position_side, LIMIT, GTC, quantity, price)

    async def quotes(self) -> None:
        """Two-sided spot books, which give the live contracts their index."""
        for symbol, start in demo.STARTS.items():
            for side, off in SPREAD:
                price = start.price + start.price * off // 10_000
                await self.do(PlaceOrder(ALICE, symbol, side, LIMIT, GTC, NOTED, price))
        await self.do(PlaceOrder(BOB, "BTCUSDT", BUY, LIMIT, IOC, 500, 6_500_000, "first"))
        await self.pass_time(SETTLED)

    async def positions(self) -> None:
        """Cross, isolated and separated ones, a stop and a trailing one, orders that stay open."""
        await self.do(
            SetLeverage(ALICE, "BTCUSDT", 50),
            SetMarginMode(ALICE, "ETHUSDT", int(MarginMode.ISOLATED)),
            SetMarginMode(BOB, "SOLUSDT", int(MarginMode.CROSSED), int(SeparatedMode.SEPARATED)),
            RecordStreams(ALICE),
        )
        for symbol, quantity in (("BTCUSDT", 200_000), ("ETHUSDT", 50_000)):
            price = demo.STARTS[symbol].price
            await self.do(self.order(BOB, symbol, SELL, quantity, price))
            await self.do(self.order(ALICE, symbol, BUY, quantity, price))
        price = demo.STARTS["SOLUSDT"].price
        await self.do(self.order(ALICE, "SOLUSDT", SELL, 10 * SEPARATED, price))
        await self.do(*(self.order(BOB, "SOLUSDT", BUY, 10, price) for _ in range(SEPARATED)))
        stop, trailing = int(AlgoType.STOP_MARKET), int(AlgoType.TRAILING_STOP_MARKET)
        await self.do(
            PlaceAlgo(ALICE, "BTCUSDT", SELL, LONG, stop, 0, 5_000_000, 0, 0, "stop"),
            PlaceAlgo(
                BOB, "BTCUSDT", BUY, SHORT, trailing, 1_000, 0, 0, 0, "trail", callback_ppm=50_000
            ),
            self.order(ALICE, "BTCUSDT", BUY, 100_000, 6_412_000),
            self.order(BOB, "BTCUSDT", SELL, 10, 6_500_000),
            self.order(BOB, "ETHUSDT", SELL, 100, 350_000),
        )

    async def halted(self) -> None:
        """A demo contract with positions, halted; a countdown that runs."""
        symbol, price = "ETHSUSDT", 340_000
        await self.do(PostIndex(symbol, demo.POSTED, price))
        await self.do(self.order(BOB, symbol, SELL, 100, price))
        await self.do(self.order(ALICE, symbol, BUY, 60, price))
        await self.do(HaltInstrument(symbol, True, "upkeep", product=int(Product.CONTRACT)))
        await self.do(SetCancelAfter(BOB, int(Product.CONTRACT), 3_600_000_000))


async def make(path: Path, kind: str) -> None:
    """A venue's life; it ends in good order or, unless `kind` is clean, by kill -9."""
    failed: list[BaseException] = []
    clock = Stepping(BEGIN_US)
    options = Options(state=str(path), agents=False)
    async with open_venue(options, SystemClock(clock), failed.append) as door:
        node = door.node
        maker = Maker(node, clock)
        await maker.quotes()
        await maker.positions()
        await maker.halted()
        await maker.pass_time(60)
        await door.keys.create(ALICE, 7, now=clock.wall(), label="kept")
        if kind == "killed":
            await _die(node)
    assert not failed, failed
    if kind == "late":
        clock.time += STEP_US
        async with open_venue(options, SystemClock(clock), failed.append) as door:
            node = door.node
            maker = Maker(node, clock)
            await maker.pass_time(15)
            contract = demo.CONTRACTS[0]
            await maker.do(ChangeContract(contract))
            await _die(node)


async def _die(node: Node) -> None:
    await node.history.drain()
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_history(folder: Path) -> None:
    """Wait until the history process of a venue that was killed has ended too."""
    with (folder / f"{FILE}.history.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


class Former:
    """Files of each kind under other rules than today's, made once; `at` copies one's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for kind in KINDS:
            place = folder / kind
            place.mkdir()
            command = [sys.executable, "-m", "support.former", str(place / FILE), kind]
            environment = {**os.environ, "PYTHONPATH": python_path()}
            done = subprocess.run([*command, str(OTHER_RULES)], check=False, env=environment)
            assert done.returncode == (0 if kind == "clean" else -signal.SIGKILL), done
            wait_for_history(place)
        journal = open_readonly(str(folder / "clean" / FILE))
        self.last = journal.last_sequence()  # the command at which each stopped in good order
        journal.close()

    def at(self, kind: str, folder: Path) -> Path:
        """The state file of a venue of this kind, in a folder with all that belongs to it."""
        for path in (self._folder / kind).iterdir():
            if not path.name.endswith((".lock", "-shm")):
                shutil.copy2(path, folder)
        return folder / FILE


def main(arguments: Sequence[str]) -> None:
    """Live one life."""
    path, kind, number = arguments
    vars(rules)["RULES"] = int(number)
    asyncio.run(make(Path(path), kind))


if __name__ == "__main__":
    main(sys.argv[1:])
