"""Copy trading on the compiled core: slices of a lead's cascade, and its cost for all others."""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Final

import msgspec

from bench import compiled as compiled_core
from bench.contracts import MONEY, SOURCE, SYMBOL, Crowd, _owner, _place, _quiet
from bench.slices import NEEDED_MS, Pauses, _work
from bench.table import Row, Section
from bench.workloads import MID
from venue.compiled import refuse_stale
from venue.core.engine import Engine
from venue.core.messages.commands import PostIndex, Tick
from venue.core.messages.copy_commands import CopyConfig, Follow, SetLead
from venue.core.messages.copy_events import CopyClosed, CopyOpened, CopySettled
from venue.vocabulary import BUY, GTC, IOC, SELL

FOLLOWERS: Final = 1_000
LEAD_LOTS: Final = 50
DAY_US: Final = 86_400_000_000
PAIRS: Final = 60  # of measurements, with a lead and without
TRADES: Final = 500
STUCK_S: Final = 40  # seconds of ticks with copies that cannot be closed
RATIO: Final = 0.98
EVERYTHING: Final = CopyConfig("", False, 1_000_000, 2**61, margin_mode=0, long=10, short=10)


class Measured(msgspec.Struct):
    pauses: list[Pauses]
    ratio: float


def run() -> Section:
    """Measure all of it in a process that runs the compiled core."""
    try:
        said = compiled_core.output("bench.copying")
    except compiled_core.CompiledFailed as failed:
        return Section([], [], str(failed))
    measured = msgspec.json.decode(said, type=Measured)
    rows = [
        Row(
            what=f"{found.what}: longest of {found.commands:,}",
            measured=found.cpu_ms,
            unit="ms cpu",
            needed=NEEDED_MS,
            at_most=True,
        )
        for found in measured.pauses
    ]
    what = "speed of others' trades, beside leads"
    rows.append(Row(what=what, measured=measured.ratio, unit="of alone", needed=RATIO))
    return Section(rows)


def measure() -> Measured:
    """The slices, then the ratio; AssertionError when the engine's outcome is wrong."""
    refuse_stale()
    with _quiet():
        return Measured([*_cascade(), _stuck()], _ratio())


def _led(engine: Engine) -> int:
    """A lead with all its followers; its uid."""
    lead = _owner(engine, "lead", MONEY)
    quote = engine.contracts.markets[SYMBOL].contract.instrument.quote
    engine.apply(SetLead(lead, quote, True, 100_000, time=engine.time))
    for number in range(FOLLOWERS):
        uid = _owner(engine, f"follower {number}", MONEY)
        engine.apply(Follow(uid, lead, True, [EVERYTHING], time=engine.time))
    return lead


def _cascade() -> list[Pauses]:
    engine = Crowd(0).engine
    lead, other = _led(engine), _owner(engine, "other", 100 * MONEY)
    opening, closing, settling = (
        Pauses(f"{FOLLOWERS:,} followers {what}") for what in ("open", "close", "are settled")
    )
    lots = LEAD_LOTS * (FOLLOWERS + 10)
    _quote(engine, other, SELL, lots)
    events = _work(opening, engine, _place(lead, BUY, LEAD_LOTS, MID, IOC, engine.time))
    assert sum(isinstance(event, CopyOpened) for event in events) == FOLLOWERS
    _quote(engine, other, BUY, lots)
    order = _place(lead, SELL, LEAD_LOTS, MID, IOC, engine.time)
    order.position_side = 1
    events = _work(closing, engine, order)
    assert sum(isinstance(event, CopyClosed) for event in events) == FOLLOWERS
    for following in engine.copying.books.followings.values():
        following.net = following.high + 10_000  # a profit that is not paid yet
    events = _work(settling, engine, Tick(time=engine.time + DAY_US))
    assert sum(isinstance(event, CopySettled) for event in events) == FOLLOWERS
    return [opening, closing, settling]


def _stuck() -> Pauses:
    """Ticks while no follower finds anybody who buys near the mark."""
    engine = Crowd(0).engine
    lead, other = _led(engine), _owner(engine, "other", 100 * MONEY)
    _quote(engine, other, SELL, LEAD_LOTS * (FOLLOWERS + 10))
    _work(Pauses("opening"), engine, _place(lead, BUY, LEAD_LOTS, MID, IOC, engine.time))
    far = MID * 97 // 100
    engine.apply(_place(other, BUY, LEAD_LOTS, far, GTC, engine.time))
    order = _place(lead, SELL, LEAD_LOTS, far, IOC, engine.time)
    order.position_side = 1
    _work(Pauses("closing"), engine, order)
    pauses = Pauses(f"a tick beside {FOLLOWERS:,} copies that are stuck")
    for _ in range(STUCK_S):
        now = engine.time + 1_000_000
        _work(Pauses("index"), engine, PostIndex(SYMBOL, SOURCE, MID, now, True))
        _work(pauses, engine, Tick(time=now))
    assert len(engine.copying.books.behind.copies()) == FOLLOWERS
    return pauses


def _quote(engine: Engine, uid: int, side: int, lots: int) -> None:
    """Rest so many lots at the mark, in orders of a hundred thousandth of the greatest."""
    most = engine.contracts.markets[SYMBOL].market.instrument.quantity_max
    while lots > 0:
        engine.apply(_place(uid, side, min(lots, most), MID, GTC, engine.time))
        lots -= most


def _ratio() -> float:
    """The speed of trades with a lead and its followers, against the speed without."""
    worlds = []
    for led in (False, True):
        engine = Crowd(0).engine
        if led:
            _led(engine)
        worlds.append((engine, _owner(engine, "ann", MONEY), _owner(engine, "ben", MONEY)))
    ratios = []
    for _ in range(PAIRS):
        without, beside = (_trades(*world) for world in worlds)
        ratios.append(without / beside)
    return median(ratios)


def _trades(engine: Engine, ann: int, ben: int) -> float:
    """Seconds that trades between two owners take."""
    began = time.process_time()
    for _ in range(TRADES):
        engine.apply(_place(ann, BUY, 1, MID, GTC, engine.time))
        engine.apply(_place(ben, SELL, 1, MID, GTC, engine.time))
    return time.process_time() - began


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(measure()))
