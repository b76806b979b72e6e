"""Queues that others fill: what a command costs, or how long a close takes, beside many of theirs.

The floor of each row is the same without the others' objects, in the same run.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Final

import msgspec

from bench import compiled as compiled_core
from bench.contracts import (
    CRASH,
    MANY,
    MONEY,
    SOURCE,
    SYMBOL,
    Crowd,
    _owner,
    _place,
    _quiet,
)
from bench.copying import EVERYTHING, FOLLOWERS, LEAD_LOTS, _quote
from bench.slices import NEEDED_MS, Pauses, _work
from bench.table import Row, Section
from bench.workloads import MID
from venue.compiled import refuse_stale
from venue.core.engine import Engine
from venue.core.messages.commands import (
    CancelContractOrders,
    Command,
    PlaceAlgo,
    PostIndex,
    Proceed,
    Tick,
)
from venue.core.messages.contract_events import AlgoPlaced, ContractTrade, Deleveraged
from venue.core.messages.copy_commands import Follow, SetLead
from venue.core.messages.copy_events import CopyClosed
from venue.vocabulary import (
    ALGO_STOP_MARKET,
    ALGO_TRAILING_STOP_MARKET,
    BUY,
    GTC,
    IOC,
    LONG,
    MARK_PRICE,
    SELL,
    SHORT,
)

TRAILING: Final = 20_000
EACH: Final = 50  # of them, one owner's
ROUNDS: Final = 40
TRADES: Final = 100
STEPS: Final = 50
FAR_PPM: Final = 500_000  # a callback that no step reaches
NEAR_PPM: Final = 10_000
LEADS: Final = 4  # with `FOLLOWERS` each, whose copies are stuck
DUST: Final = 25  # owners with `DUST_EACH` orders of one lot before a stop
DUST_EACH: Final = 200
STOP_LOTS: Final = 50_000
FEW: Final = 1_000
NEEDED: Final = 1.5


def run() -> Section:
    """Measure all of it in a process that runs the compiled core."""
    try:
        said = compiled_core.output("bench.queues")
    except compiled_core.CompiledFailed as failed:
        return Section([], [], str(failed))
    return Section([*msgspec.json.decode(said, type=list[Row])])


def measure() -> list[Row]:
    """All rows; AssertionError when the engine's outcome is wrong."""
    refuse_stale()
    with _quiet():
        return [*_trailing(), _all_due(), _follower(), _dusty_stop(), *_deleveraging()]


def _row(what: str, measured: float, floor: float, unit: str, needed: float = NEEDED) -> Row:
    return Row(what=what, measured=measured, floor=floor, unit=unit, needed=needed, at_most=True)


def _spent(engine: Engine, made: list[Command]) -> float:
    """Microseconds of processor time for one of these commands."""
    apply = engine.apply
    began = time.process_time()
    for command in made:
        apply(command)
    return (time.process_time() - began) * 1e6 / len(made)


# -- trailing stops -------------------------------------------------------------------------------


def _followed(count: int, callback_ppm: int) -> Engine:
    """An engine with so many trailing stops that have seen the mark; `EACH` of one owner."""
    engine = Crowd(0).engine
    for number in range(count // EACH):
        uid = _owner(engine, f"follows {number}", MONEY)
        for place in range(EACH):
            stop = PlaceAlgo(uid, SYMBOL, SELL, SHORT, ALGO_TRAILING_STOP_MARKET, 1, 0, 0)
            stop.source = place % 2 if callback_ppm == FAR_PPM else MARK_PRICE
            stop.callback_ppm, stop.time = callback_ppm, engine.time
            (placed,) = engine.apply(stop)
            assert isinstance(placed, AlgoPlaced), placed
    engine.apply(Tick(time=engine.time))
    return engine


def _trailing() -> list[Row]:
    """A trade, and a tick at which the mark has moved, with trailing stops and without."""
    engines = [_followed(count, FAR_PPM) for count in (0, TRAILING)]
    owners = [(_owner(each, "ann", MONEY), _owner(each, "ben", MONEY)) for each in engines]
    trades: list[list[float]] = [[], []]
    ticks: list[list[float]] = [[], []]
    for number in range(ROUNDS):
        for place, engine in enumerate(engines):
            ann, ben = owners[place]
            made: list[Command] = []
            for _ in range(TRADES):
                price = MID + number
                made.append(_place(ann, BUY, 1, price, GTC, engine.time))
                made.append(_place(ben, SELL, 1, price, GTC, engine.time))
            trades[place].append(2 * _spent(engine, made))
            made = []
            now = engine.time
            for step in range(STEPS):
                now += 1_000_000
                made.append(PostIndex(SYMBOL, SOURCE, MID + number + step, now, True))
                made.append(Tick(time=now))
            ticks[place].append(2 * _spent(engine, made))
    assert [len(each.contracts.markets[SYMBOL].trailing.trails) for each in engines] == [
        0, TRAILING,
    ]  # fmt: skip
    beside = f"beside {TRAILING:,} trailing stops"
    return [
        _row(f"a trade {beside}", median(trades[1]), median(trades[0]), "us"),
        _row(f"an index price and a tick {beside}", median(ticks[1]), median(ticks[0]), "us"),
    ]


def _all_due() -> Row:
    """The longest slice while all of them are due at one mark."""
    engine = _followed(TRAILING, NEAR_PPM)
    pauses = Pauses(f"{TRAILING:,} trailing stops due together")
    _work(pauses, engine, PostIndex(SYMBOL, SOURCE, MID * 98 // 100, engine.time, True))
    assert not engine.contracts.markets[SYMBOL].trailing.trails
    what = f"{pauses.what}: longest of {pauses.commands:,}"
    return Row(what=what, measured=pauses.cpu_ms, unit="ms cpu", needed=NEEDED_MS, at_most=True)


# -- closes ---------------------------------------------------------------------------------------


def _follower() -> Row:
    """The ticks until an honest follower's close, beside copies that cannot be closed."""
    ticks = [_ticks_to_close(leads) for leads in (0, LEADS)]
    what = f"ticks to a follower's close, {LEADS * FOLLOWERS:,} copies stuck"
    return _row(what, ticks[1], ticks[0], "ticks")


def _ticks_to_close(leads: int) -> int:
    engine = Crowd(0).engine
    other = _owner(engine, "other", 100 * MONEY)
    honest = _lead(engine, "honest")
    (follower,) = _followers(engine, "honest follower", 1, honest)
    quiet = Pauses("before")
    for number in range(leads):
        lead = _lead(engine, f"lead {number}")
        _followers(engine, f"of lead {number}:", FOLLOWERS, lead)
        _quote(engine, other, SELL, LEAD_LOTS * (FOLLOWERS + 1))
        _work(quiet, engine, _place(lead, BUY, LEAD_LOTS, MID, IOC, engine.time))
        _close_far(engine, other, lead, BUY)
    assert len(engine.copying.books.behind.copies()) == leads * FOLLOWERS
    _quote(engine, other, BUY, 2 * LEAD_LOTS)
    _work(quiet, engine, _place(honest, SELL, LEAD_LOTS, MID, IOC, engine.time))
    _close_far(engine, other, honest, SELL)
    assert len(engine.copying.books.behind.copies()) == leads * FOLLOWERS + 1
    _quote(engine, other, SELL, LEAD_LOTS)
    for number in range(1, 1_000):
        now = engine.time + 1_000_000
        said = _work(quiet, engine, PostIndex(SYMBOL, SOURCE, MID, now, True))
        said += _work(quiet, engine, Tick(time=now))
        if follower in [event.uid for event in said if isinstance(event, CopyClosed)]:
            return number
    raise AssertionError("the follower's close never came")


def _lead(engine: Engine, name: str) -> int:
    uid = _owner(engine, name, MONEY)
    quote = engine.contracts.markets[SYMBOL].contract.instrument.quote
    engine.apply(SetLead(uid, quote, True, 100_000, time=engine.time))
    return uid


def _followers(engine: Engine, name: str, count: int, lead: int) -> list[int]:
    uids = [_owner(engine, f"{name} {number}", MONEY // 10) for number in range(count)]
    for uid in uids:
        engine.apply(Follow(uid, lead, True, [EVERYTHING], time=engine.time))
    return uids


def _close_far(engine: Engine, other: int, lead: int, side: int) -> None:
    """Close a lead's position with lots that `other` offers too far away for its followers."""
    _work(Pauses("clearing"), engine, CancelContractOrders(other))
    price = MID * 97 // 100 if side == BUY else MID * 103 // 100
    engine.apply(_place(other, side, LEAD_LOTS, price, GTC, engine.time))
    closing = _place(lead, 1 - side, LEAD_LOTS, price, IOC, engine.time)
    closing.position_side = LONG if side == BUY else SHORT
    _work(Pauses("closing"), engine, closing)


def _dusty_stop() -> Row:
    """The commands that close a stop, with orders of one lot before its price."""
    slices = [_slices_of_stop(owners) for owners in (0, DUST)]
    what = f"slices of a stop of {STOP_LOTS:,} lots behind {DUST * DUST_EACH:,}"
    return _row(what, slices[1], slices[0], "slices", needed=3)


def _slices_of_stop(owners: int) -> int:
    engine = Crowd(0).engine
    ann, ben = _owner(engine, "ann", MONEY), _owner(engine, "ben", 100 * MONEY)
    engine.apply(_place(ben, SELL, STOP_LOTS, MID, GTC, engine.time))
    engine.apply(_place(ann, BUY, STOP_LOTS, MID, GTC, engine.time))
    for number in range(owners):
        uid = _owner(engine, f"dust {number}", MONEY)
        for _ in range(DUST_EACH):
            engine.apply(_place(uid, BUY, 1, MID - 1, GTC, engine.time))
    engine.apply(_place(ben, BUY, STOP_LOTS, MID - 2, GTC, engine.time))
    stop = PlaceAlgo(ann, SYMBOL, SELL, LONG, ALGO_STOP_MARKET, 0, MID - 10, 0, MARK_PRICE)
    stop.time = engine.time
    engine.apply(stop)
    pauses = Pauses("closing")
    said = _work(pauses, engine, PostIndex(SYMBOL, SOURCE, MID - 10, engine.time, True))
    assert sum(event.quantity for event in said if isinstance(event, ContractTrade)) == STOP_LOTS
    assert not engine.holding(ann).positions
    return pauses.commands


# -- deleveraging ---------------------------------------------------------------------------------


def _deleveraging() -> list[Row]:
    """The longest slice of ranking and deleveraging, among many positions and among few; and the
    slices before the first is deleveraged."""
    longest, before = [], []
    for count in (FEW, MANY):
        engine = Crowd(count).engine
        _work(Pauses("warm"), engine, Proceed())
        pauses = Pauses("deleveraging")
        crash = PostIndex(SYMBOL, SOURCE, CRASH, engine.time + 1, True)
        slices, said = 1, _cut(pauses, engine, crash)
        while not any(isinstance(event, Deleveraged) for event in said):
            said = _cut(pauses, engine, Proceed(time=engine.time))
            slices += 1
        while engine.pending():
            _cut(pauses, engine, Proceed(time=engine.time))
        longest.append(pauses.cpu_ms)
        before.append(slices)
    among = f"among {MANY:,} positions"
    return [
        _row(f"longest slice of deleveraging {among}", longest[1], longest[0], "ms cpu", 3),
        Row(what=f"  slices before the first, {among}", measured=before[1], unit="slices",
            needed=2 * MANY // 800, at_most=True),
    ]  # fmt: skip


def _cut(pauses: Pauses, engine: Engine, command: Command) -> list[object]:
    began = time.process_time()
    events = engine.apply(command)
    pauses.cpu_ms = max(pauses.cpu_ms, (time.process_time() - began) * 1e3)
    pauses.commands += 1
    return list(events)


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(measure()))
