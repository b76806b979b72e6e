"""How latency and memory grow with open orders, and how soon `venue dev` answers."""

from __future__ import annotations

import gc
import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from bench.table import Row, Section
from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages.commands import (
    CancelOrder,
    CreateOwner,
    Deposit,
    ListInstrument,
    PlaceOrder,
    RegisterAsset,
)
from venue.core.messages.events import OrderPlaced

ROOT: Final = Path(__file__).resolve().parents[1]
ASSETS: Final = ("BTC", "ETH", "SOL", "XRP", "ADA")
OWNERS: Final = 3_000
MID: Final = 1_000_000  # ticks
SPREAD: Final = 3_000  # mean distance of a resting order from it
TOUCH: Final = 5  # how far from the middle the measured orders go
FEW: Final = 100
MANY: Final = 300_000
FIRST_POINT: Final = 50_000  # from here on the slope of memory is taken
PAIRS: Final = 20_000
ROUNDS: Final = 5
NEEDED: Final = 1.3
NEEDED_BYTES: Final = 700
AIM_START_S: Final = 0.6
START_MAX_S: Final = 30


def run() -> Section:
    """Latency in this process, memory in a fresh one, the start of a real venue."""
    rows = [*_latency(), _memory()]
    try:
        seconds = start()
    except RuntimeError as problem:
        return Section(rows, [], str(problem))
    what = f"venue dev, first answer (aim {AIM_START_S} s)"
    rows.append(Row(what=what, measured=seconds, unit="s"))
    return Section(rows)


# -- latency --------------------------------------------------------------------------------------


def _latency() -> list[Row]:
    few, many = _filled(FEW), _filled(MANY)
    gc.collect()
    gc.freeze()
    gc.disable()  # as the server does
    try:
        active = _fastest(few, many, FEW)
        everyone = _fastest(few, many, OWNERS)
    finally:
        gc.enable()
        gc.unfreeze()
    what = f"place + cancel, {MANY:,} open (floor: {FEW} open)"
    return [
        Row(what=what, measured=active[1], floor=active[0], unit="us", needed=NEEDED, at_most=True),
        Row(what="  by all owners, evenly", measured=everyone[1], floor=everyone[0], unit="us"),
    ]


def _fastest(few: Engine, many: Engine, owners: int) -> list[float]:
    """Both engines' latency in us, best of interleaved rounds."""
    runs = [(_pair(few, owners), _pair(many, owners)) for _ in range(ROUNDS)]
    return [min(pair) * 1e6 for pair in zip(*runs, strict=True)]


def _pair(engine: Engine, owners: int) -> float:
    """Seconds of one place and cancel near the touch, the mean of many, by the first owners.

    The first `FEW` have an open order in both engines; the further cost of all owners' state is a
    matter of the processor's caches.
    """
    random = Random(3)
    uids = list(engine.ledger.accounts)[:owners]
    places: list[PlaceOrder] = []
    for number in range(PAIRS):
        side = random.randrange(2)
        price = MID - random.randint(1, TOUCH) if side == 0 else MID + random.randint(1, TOUCH)
        symbol = f"{random.choice(ASSETS)}USDT"
        name = f"pair-{number:030d}"
        place = PlaceOrder(random.choice(uids), symbol, side, 0, 0, 5, price, name)
        place.time = engine.time + number
        places.append(place)
    order_id = engine.counters.order
    pairs = [
        (place, CancelOrder(place.uid, order_id + number, time=place.time))
        for number, place in enumerate(places)
    ]
    apply = engine.apply
    began = time.perf_counter()
    for place, cancel in pairs:
        apply(place)
        apply(cancel)
    seconds = time.perf_counter() - began
    assert engine.counters.order == order_id + PAIRS
    engine.time += 2 * 86_400 * 10**6
    engine.spot.client_ids.expire(engine.time)  # the next round has the same client ids
    return seconds / PAIRS


# -- filling a venue ------------------------------------------------------------------------------


def _filled(count: int) -> Engine:
    engine = _founded()
    for command in _orders(engine, count):
        (placed,) = engine.apply(command)
        assert isinstance(placed, OrderPlaced), placed
    return engine


def _founded() -> Engine:
    engine = Engine()
    for asset in ("USDT", *ASSETS):
        engine.apply(RegisterAsset(asset, 8))
    for asset in ASSETS:
        engine.apply(
            ListInstrument(
                Instrument(f"{asset}USDT", asset, "USDT", 1, 2, 1, 4, 1, 10**8, 10**8, 1_000, 1_000)
            )
        )
    for number in range(OWNERS):
        engine.apply(CreateOwner(f"owner {number}"))
    for uid in engine.ledger.accounts:
        for asset in ("USDT", *ASSETS):
            engine.apply(Deposit(uid, 0, asset, 10**14 * 4))
    return engine


def _orders(engine: Engine, count: int) -> Iterator[PlaceOrder]:
    """Resting orders over owners, symbols and prices; every number and text an object of its own,
    as when they come off the wire."""
    random = Random(11)
    uids = list(engine.ledger.accounts)
    for number in range(count):
        uid = uids[number % OWNERS]
        symbol = f"{ASSETS[number // OWNERS % len(ASSETS)]}USDT"
        side = number // OWNERS // len(ASSETS) % 2
        distance = 1 + int(random.expovariate(1 / SPREAD))
        price = MID - distance if side == 0 else MID + distance
        quantity = random.randint(1_000, 20_000)
        name = f"{number:035d}"
        order = PlaceOrder(uid, sys.intern(symbol), side, 0, 0, quantity, price, name)
        order.time = 1_700_000_000_000_000 + number
        yield order


# -- memory ---------------------------------------------------------------------------------------


def _memory() -> Row:
    command = [sys.executable, "-m", "bench.growth"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return Row(
        what=f"memory per open order, {FIRST_POINT:,} to {MANY:,}",
        measured=float(done.stdout),
        unit="bytes",
        needed=NEEDED_BYTES,
        at_most=True,
    )


def slope() -> float:
    """Resident bytes per open order between the two points, in this fresh process."""
    engine = _founded()
    orders = _orders(engine, MANY)
    before = 0
    for number, command in enumerate(orders):
        if number == 0:
            gc.collect()
            gc.freeze()
            gc.disable()
        elif number == FIRST_POINT:
            before = _resident()
        engine.apply(command)
    after = _resident()
    accounts = engine.spot.accounts.values()
    assert sum(len(account.orders) for account in accounts) == MANY
    assert sum(len(account.clients) for account in accounts) == MANY
    return (after - before) / (MANY - FIRST_POINT)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


# -- start ----------------------------------------------------------------------------------------


def start() -> float:
    """Seconds from the start of `venue dev` to its first answer; RuntimeError when it has none."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.json"
        command = [str(Path(sys.executable).parent / "venue"), "dev", "--port", "0", "--quiet"]
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--ready-file", str(ready)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while not ready.is_file():
                if process.poll() is not None or time.perf_counter() - began > START_MAX_S:
                    raise RuntimeError("venue dev did not start")
                time.sleep(0.001)
            port = int(json.loads(ready.read_text())["rest"].rpartition(":")[2])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_MAX_S)
            connection.request("GET", "/api/v3/ping")
            reply = connection.getresponse()
            reply.read()
            seconds = time.perf_counter() - began
            connection.close()
            if reply.status != 200:
                raise RuntimeError(f"venue dev answered {reply.status}")
            return seconds
        finally:
            process.terminate()
            process.wait(START_MAX_S)


if __name__ == "__main__":
    print(slope())
