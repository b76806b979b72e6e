"""The contract core: W1 against the spot core; marks, funding and a crash at 100,000 positions.

The positions belong to as many owners, long and short in pairs, at 20x in cross margin. A tenth of
them are long with little more than their margin; the crash bankrupts exactly those.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench import compiled as compiled_core
from bench import core
from bench.table import Row, Section
from bench.workloads import EXPECTED, MID, W1, Step, Sums, generate
from venue.compiled import compiled, refuse_stale
from venue.core.contract.collateral import FUND_UID
from venue.core.contract.position import equity
from venue.core.contract.reference.funding import next_due
from venue.core.engine import Engine
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages import commands
from venue.core.messages.commands import (
    CancelContractOrder,
    Command,
    PlaceContractOrder,
    PostIndex,
    Proceed,
    Tick,
)
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTrade,
    FundingSettled,
    LiquidationStarted,
    LiquidationStep,
    MarkSet,
)
from venue.core.messages.events import Event, OwnerCreated, Rejected
from venue.core.units import AMOUNT_MAX, PPM
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, SHORT, Wallet

SYMBOL: Final = "BTCUSDT"
WALLET: Final = int(Wallet.CONTRACT)
SOURCE: Final = "desk"
START_US: Final = 1_700_000_000_000_000

# W1
ACCOUNTS: Final = 1_000
MONEY: Final = 10**15
RUNS: Final = 2
NEEDED_RATE: Final = 0.6

# Many positions: ten lots each, opened at MID
FEW: Final = 100
MANY: Final = 100_000
LOTS: Final = 10
SCALE: Final = 4
VALUE: Final = LOTS * MID * 10**SCALE
RICH_PPM: Final = 200_000  # collateral as a share of the position's value
POOR_PPM: Final = 52_000  # to 60,000
CRASH: Final = MID * 93 // 100
BID: Final = MID * 949 // 1_000  # the book's price in the crash, above all bankruptcy prices
TICK_EVERY: Final = 250  # pairs
MARKS: Final = 1_000
CRASHED: Final = MANY // 10
FUND_PPM: Final = 25_000
BIDS: Final = 10
NEEDED_MARK: Final = 20
NEEDED_PAUSE_MS: Final = 20


class Crash(Struct):
    """The time of the liquidations, and the destinations of the lots."""

    seconds: float
    longest_ms: float
    answer_ms: float
    commands: int
    lots: list[int]


class Figures(Struct):
    """All figures of one core."""

    contract_rate: float
    spot_rate: float
    few_us: float
    many_us: float
    funding_ms: list[float]
    crash: Crash


def run() -> Section:
    """Measure in this process, then in one that runs the compiled core.

    The bounds on pauses and marks must hold on the slower core; W1's rate on the compiled one,
    against the compiled spot core.
    """
    figures = measure()
    rows, notes = _rows(figures), _notes(figures)
    try:
        said = compiled_core.output("bench.contracts")
    except compiled_core.CompiledFailed as failed:
        return Section(rows, notes, str(failed))
    more = _rows(msgspec.json.decode(said, type=Figures))
    for row in more:
        needed = NEEDED_RATE if row.what.startswith("W1") else None
        rows.append(replace(row, what=f"  compiled: {row.what}", needed=needed))
    return Section(rows, notes)


def _rows(figures: Figures) -> list[Row]:
    crash = figures.crash
    return [
        Row(
            what=f"W1, {ACCOUNTS:,} accounts (floor: spot)",
            measured=figures.contract_rate,
            floor=figures.spot_rate,
            unit="commands/s",
        ),
        Row(
            what=f"mark, {MANY:,} positions (floor: {FEW})",
            measured=figures.many_us,
            floor=figures.few_us,
            unit="us",
            needed=NEEDED_MARK,
            at_most=True,
        ),
        Row(
            what=f"funding of {MANY:,}, longest pause",
            measured=max(figures.funding_ms),
            unit="ms",
            needed=NEEDED_PAUSE_MS,
            at_most=True,
        ),
        Row(what="funding, total", measured=sum(figures.funding_ms), unit="ms"),
        Row(what="crash, per liquidation", measured=crash.seconds * 1e6 / CRASHED, unit="us"),
        Row(what="crash, longest pause", measured=crash.longest_ms, unit="ms"),
        Row(what="crash, longest place + cancel", measured=crash.answer_ms, unit="ms"),
    ]


def _notes(figures: Figures) -> list[str]:
    crash = figures.crash
    filled, taken_over, deleveraged = crash.lots
    how = f"crash: {CRASHED:,} liquidations by {crash.commands} commands, orders between them"
    where = f"{filled:,} in the book, {taken_over:,} by the fund, {deleveraged:,} by deleveraging"
    return [how, f"lots closed {where}; no money made or lost"]


def measure() -> Figures:
    """All figures; AssertionError when the engine's outcome is wrong."""
    refuse_stale()
    contract_rate, spot_rate = _rates()
    few, many = Crowd(FEW), Crowd(MANY)
    with _quiet():
        few_us, many_us = _marks(few, many)
        funding_ms = _funding(many)
        crash = _crash(many)
    return Figures(contract_rate, spot_rate, few_us, many_us, funding_ms, crash)


@contextmanager
def _quiet() -> Iterator[None]:
    """Run without the garbage collector, as the server does."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def _contract(scale: int) -> Contract:
    """Tick and step are 1, one tick x lot is 10^scale atoms; one tier up to 50x."""
    instrument = Instrument(SYMBOL, "BTC", "USDT", 1, 0, 1, 0, 1, 10**9, 10**9, 1_000, 1_000)
    tiers = [Tier(AMOUNT_MAX, 50, 5_000)]
    return Contract(
        instrument, 50, 10**8, 10**12, tiers, index_sources=(SOURCE,), index_step_ppm=3_750
    )


def _listed(scale: int) -> Engine:
    """An engine with the contract, its index at the middle."""
    engine = Engine()
    for command in (
        commands.RegisterAsset("USDT", scale, time=START_US),
        commands.RegisterAsset("BTC", scale, time=START_US),
        commands.ListContract(_contract(scale), time=START_US),
        PostIndex(SYMBOL, SOURCE, MID, time=START_US, jump=True),
    ):
        engine.apply(command)
    assert engine.contracts.markets[SYMBOL].mark == MID
    return engine


def _owner(engine: Engine, name: str, money: int) -> int:
    """A new owner with contract collateral; its uid."""
    (created,) = engine.apply(commands.CreateOwner(name, time=engine.time))
    assert isinstance(created, OwnerCreated)
    (paid,) = engine.apply(commands.Deposit(created.uid, WALLET, "USDT", money, time=engine.time))
    assert not isinstance(paid, Rejected), paid
    return created.uid


# -- W1 -------------------------------------------------------------------------------------------


def _rates() -> tuple[float, float]:
    """Commands/s of W1 on a contract and in spot, best of interleaved runs."""
    steps = generate(W1).steps
    ours, spot = _orders(steps), core.engine_commands(steps, ACCOUNTS)
    runs = [
        (_seconds(_accounts()[0], ours), _seconds(core.prepare(ACCOUNTS)[0], spot))
        for _ in range(RUNS)
    ]
    contract, market = (min(seconds) for seconds in zip(*runs, strict=True))
    return len(steps) / contract, len(steps) / market


def _accounts() -> tuple[Engine, list[int]]:
    engine = _listed(0)
    return engine, [_owner(engine, f"owner {number}", MONEY) for number in range(ACCOUNTS)]


def _orders(steps: list[Step]) -> list[Command]:
    """The stream as commands: owners alternate, buys open long and sells short.

    Positions take ids of the same counter, so the orders' ids are those that a first run gives;
    the outcome must be exactly the stream's trades and open orders.
    """
    engine, uids = _accounts()
    made: list[Command] = []
    ids: dict[int, int] = {}
    trades: list[ContractTrade] = []
    for step in steps:
        if step.earlier:
            uid = uids[step.earlier % ACCOUNTS]
            cancel = CancelContractOrder(uid, ids[step.earlier], time=START_US)
            engine.apply(cancel)
            made.append(cancel)
        if step.number:
            place = _place(
                uids[step.number % ACCOUNTS], step.side, step.quantity, step.price,
                IOC if step.kind == "I" else GTC,
            )  # fmt: skip
            placed, *others = engine.apply(place)
            assert isinstance(placed, ContractOrderPlaced), placed
            ids[step.number] = placed.order_id
            trades += [event for event in others if isinstance(event, ContractTrade)]
            made.append(place)
    volume = sum(trade.quantity for trade in trades)
    live = sum(len(engine.holding(uid).orders) for uid in uids)
    sums = Sums(len(trades), volume, sum(trade.notional for trade in trades), live)
    assert sums == EXPECTED["W1"], sums
    assert engine.ledger.imbalance() == {}
    return made


def _place(
    uid: int, side: int, lots: int, price: int, tif: int = GTC, moment: int = START_US
) -> PlaceContractOrder:
    """An opening limit order."""
    position_side = LONG if side == BUY else SHORT
    return PlaceContractOrder(
        uid, SYMBOL, side, position_side, LIMIT, tif, lots, price, time=moment
    )


def _seconds(engine: Engine, stream: list[Command]) -> float:
    apply = engine.apply
    with _quiet():
        began = time.perf_counter()
        for command in stream:
            apply(command)
        return time.perf_counter() - began


# -- many positions -------------------------------------------------------------------------------


class Crowd:
    """An engine with `count` open positions; those of `poor` owners are long and thinly funded."""

    def __init__(self, count: int) -> None:
        self.engine = _listed(SCALE)
        self.poor: set[int] = set()
        for number in range(count // 2):
            self._pair(number)
            if number % TICK_EVERY == 0:
                self.engine.apply(Tick(time=START_US))
        self.engine.apply(Tick(time=START_US))
        while self.engine.pending():
            self.engine.apply(Proceed(time=START_US))
        perp = self.engine.contracts.markets[SYMBOL]
        assert len(perp.positions) == count
        assert perp.open_interest == count // 2 * LOTS

    def _pair(self, number: int) -> None:
        poor = number % 5 == 0
        ppm = POOR_PPM + number * 7_919 % 8_000 if poor else RICH_PPM
        long = _owner(self.engine, f"long {number}", VALUE * ppm // PPM)
        short = _owner(self.engine, f"short {number}", VALUE * RICH_PPM // PPM)
        if poor:
            self.poor.add(long)
        self.engine.apply(_place(long, BUY, LOTS, MID))
        self.engine.apply(_place(short, SELL, LOTS, MID))


def _timed(engine: Engine, command: Command) -> tuple[float, list[Event]]:
    """The milliseconds of one command, and its events."""
    began = time.perf_counter()
    events = engine.apply(command)
    return (time.perf_counter() - began) * 1e3, events


def _marks(few: Crowd, many: Crowd) -> tuple[float, float]:
    """Median us of a mark update with few positions and with many."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(MARKS):
        price = MID + (1, 3, -2, 5, -4)[number % 5]
        for crowd, times in zip((few, many), taken, strict=True):
            engine = crowd.engine
            post = PostIndex(SYMBOL, SOURCE, price, time=engine.time + 1_000, jump=True)
            spent, events = _timed(engine, post)
            assert [type(event) for event in events] == [MarkSet]
            times.append(spent * 1e3)
    return median(taken[0]), median(taken[1])


def _funding(crowd: Crowd) -> list[float]:
    """One settlement of all positions: the milliseconds of each command it took."""
    engine = crowd.engine
    perp = engine.contracts.markets[SYMBOL]
    due = next_due(perp, engine.time)
    engine.apply(PostIndex(SYMBOL, SOURCE, MID, time=due - 1, jump=True))
    engine.apply(Tick(time=due - 1))
    pauses: list[float] = []
    settled: list[FundingSettled] = []
    while not settled:
        command = Proceed(time=due) if pauses else Tick(time=due)
        spent, events = _timed(engine, command)
        pauses.append(spent)
        settled = [event for event in events if isinstance(event, FundingSettled)]
        assert settled or engine.schedule.pending
    (sums,) = settled
    assert sums.positions == MANY
    assert sums.paid >= sums.received > 0
    assert engine.ledger.imbalance() == {}
    return pauses


# -- a crash --------------------------------------------------------------------------------------


def _crash(crowd: Crowd) -> Crash:
    """The index falls by 7 %: all poor longs are liquidated while another owner goes on trading."""
    engine = crowd.engine
    uid = _prepare_crash(crowd)
    spent, events = _timed(
        engine, PostIndex(SYMBOL, SOURCE, CRASH, time=engine.time + 1, jump=True)
    )
    pauses = [spent]
    answers: list[float] = []
    while engine.schedule.pending:
        answers.append(_answer(engine, uid))
        spent, found = _timed(engine, Proceed(time=engine.time + 1))
        pauses.append(spent)
        events += found
    lots = _outcome(crowd, events)
    return Crash(sum(pauses) / 1e3, max(pauses), max(answers), len(pauses), lots)


def _prepare_crash(crowd: Crowd) -> int:
    """Rest a book that takes a third of the lots to be sold, and fund most of the others; the uid
    of the owner whose book it is."""
    engine = crowd.engine
    lots = CRASHED * LOTS // 3
    money = lots * MID * 10**SCALE * FUND_PPM // PPM
    engine.apply(commands.Deposit(FUND_UID, WALLET, "USDT", money, time=engine.time))
    uid = _owner(engine, "maker", MONEY)
    for number in range(BIDS):
        (placed,) = engine.apply(_place(uid, BUY, lots // BIDS, BID - number, GTC, engine.time))
        assert isinstance(placed, ContractOrderPlaced), placed
    return uid


def _answer(engine: Engine, uid: int) -> float:
    """The milliseconds of an order far from the touch and its cancel."""
    placing, said = _timed(engine, _place(uid, BUY, 1, MID // 2, GTC, engine.time))
    placed = said[0]
    assert isinstance(placed, ContractOrderPlaced), placed
    cancel = CancelContractOrder(uid, placed.order_id, time=engine.time)
    cancelling, said = _timed(engine, cancel)
    assert isinstance(said[0], ContractOrderClosed), said
    return placing + cancelling


def _outcome(crowd: Crowd, events: list[Event]) -> list[int]:
    """Check that exactly the poor were liquidated and no money made or lost; how many lots went to
    the book, to the fund, to opposite positions."""
    engine = crowd.engine
    started = {event.uid for event in events if isinstance(event, LiquidationStarted)}
    assert started - {FUND_UID} == crowd.poor
    assert len(crowd.poor) == CRASHED
    assert engine.ledger.imbalance() == {}
    assert equity(engine.holding(FUND_UID).cross(0)) >= 0
    steps = [event for event in events if isinstance(event, LiquidationStep)]
    lots = [
        sum(step.filled for step in steps),
        sum(step.taken_over for step in steps),
        sum(step.deleveraged for step in steps),
    ]
    assert all(lots), lots
    return lots


if __name__ == "__main__":
    assert compiled(), "this entry measures the compiled core: run `make bench ARGS=contracts`"
    sys.stdout.buffer.write(msgspec.json.encode(measure()))
