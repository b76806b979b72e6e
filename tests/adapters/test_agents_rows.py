"""History keeps no rows of agents' trading, and all rows of owners."""

from __future__ import annotations

import inspect
import os
import random
import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from apsw import Connection

from support.agents_session import MET, Session
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    Command,
    CreateOwner,
    Deposit,
    ListInstrument,
    PlaceOrder,
    RecordStreams,
    RegisterAsset,
)
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Trade
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state.snapshot import begin, dump_and_hash, load
from venue.core.units import FIRST_UID
from venue.history.check import check
from venue.history.kept_events import KeptEvents
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions import affiliates, contract, copying, liquidations, prices, spot
from venue.history.sql import transaction
from venue.history.store import Store, open_history
from venue.history.tables.affiliates import CommissionsOf, WithdrawalsOf
from venue.history.tables.contract import (
    Conditional,
    ConditionalsOf,
    ContractFill,
    ContractFillsOf,
    ContractOrder,
    ContractOrdersOf,
    IncomeOf,
    IncomeRow,
    LiquidationRow,
)
from venue.history.tables.copying import EndedOf
from venue.history.tables.spot import (
    BillRow,
    BillsOf,
    FillsOf,
    OrderRow,
    OrdersOf,
    SpotFill,
    TransfersOf,
)
from venue.history.tables.table import columns, names
from venue.lab import demo
from venue.vocabulary import BUY, CAUSES_LIQUIDATING, GTC, LIMIT, WALLET_SPOT, Cause

PLACE = re.compile(r" place=[0-9]+,")
SAMPLES = 50  # of an owner's rows in a table
COMMANDS = int(os.environ.get("AGENT_COMMANDS", "4000"))


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(COMMANDS)


def filled(applied: list[Applied], session: Session) -> Store:
    store = open_history(None)
    Projector(store, Catalog()).project(applied, session.frames)
    return store


@pytest.fixture(scope="module")
def whole(session: Session) -> Iterator[Store]:
    """History as it is with the rows of everybody."""
    store = filled(session.applied, session)
    yield store
    store.close()


@pytest.fixture(scope="module")
def kept(session: Session) -> Iterator[Store]:
    store = filled(session.kept, session)
    yield store
    store.close()


def rows(store: Store, table: Any) -> list[tuple[Any, ...]]:
    text = f"SELECT {names(table)} FROM {table.table} ORDER BY {', '.join(table.key)}"
    return list(store.connection.execute(text))


# -- every question of every owner ---------------------------------------------------------------

Asked = tuple[Callable[..., Any], tuple[Any, ...]]
EVERY = [
    question
    for module in (affiliates, contract, copying, liquidations, prices, spot)
    for name, question in inspect.getmembers(module, inspect.isfunction)
    if question.__module__ == module.__name__
    and "connection" in inspect.signature(question).parameters
    and not name.startswith("_")
]
SYMBOLS = ("BTCUSDT", "ETHUSDT", "BTCSUSDT")  # owners trade in these
PAGES = ((1_000_000, 1), (7, 2))


def of_owner(uid: int, store: Store, session: Session) -> Iterator[Asked]:
    """Every question of one owner: whole, in pages, in spans, and from each of its own rows."""
    times = [done.time for done in session.applied]
    spans: list[tuple[int | None, int | None]] = [(None, None), (times[900], times[-900])]
    for symbol, (start, end), (limit, page) in product(SYMBOLS, spans, PAGES):
        yield spot.orders, (OrdersOf(uid, symbol, start, end), limit, page)
        yield spot.fills, (FillsOf(uid, symbol, None, start, end), limit)
        for ended in (False, True):
            which = ContractOrdersOf(uid, symbol, start, end, ended=ended, touched=ended)
            yield contract.contract_orders, (which, limit, page)
        yield contract.contract_fills, (ContractFillsOf(uid, symbol, None, start, end), limit)
        yield contract.income, (IncomeOf(uid, "", symbol, "", start, end), limit)
        yield contract.conditional_orders, (ConditionalsOf(uid, symbol, start, end), limit, page)
        for ending in (copying.ended_copies, copying.ended_tracks):
            yield ending, (EndedOf(uid, symbol, start, end), limit)
    for wallet, (start, end), (limit, page) in product((0, 1, 2), spans, PAGES):
        yield spot.bills, (BillsOf(uid, wallet, start=start, end=end), limit, page)
        yield spot.bills_paged, (BillsOf(uid, wallet, start=start, end=end), page, limit)
    yield spot.transfers, (TransfersOf(uid), 1_000)
    yield from of_rows(uid, store)
    yield from of_affiliate(uid, session, times[-1])


def own(uid: int, store: Store, table: Any) -> list[tuple[Any, ...]]:
    """Some of an owner's rows, evenly."""
    column = list(columns(table)).index("uid")
    found = [row for row in rows(store, table) if row[column] == uid]
    return found[:: max(1, len(found) // SAMPLES)]


def of_rows(uid: int, store: Store) -> Iterator[Asked]:
    """Single orders, and lists that go on from one of the owner's rows."""
    for row in own(uid, store, OrderRow):
        yield spot.order, (uid, row[0])
        yield spot.order_by_client_id, (uid, row[8])
        yield spot.fills, (FillsOf(uid, row[2], row[0]), 100)
    for row in own(uid, store, ContractOrder):
        yield contract.contract_order, (uid, row[0])
        yield contract.contract_order_by_client_id, (uid, row[9])
        yield contract.contract_fills, (ContractFillsOf(uid, "", row[0]), 100)
    for row in own(uid, store, BillRow):
        for bill_id in (row[0] - 1, row[0], row[0] + 1):
            yield spot.bills, (BillsOf(uid, row[2], after_id=bill_id), 5)
            yield spot.bills, (BillsOf(uid, row[2], before_id=bill_id), 5)
    for row in own(uid, store, IncomeRow):
        yield contract.income, (IncomeOf(uid, next_id=row[0], next_time=row[-1]), 5)
    yield contract.conditional_order, (uid, 0, "c1")
    for row in own(uid, store, Conditional):
        yield contract.conditional_order, (uid, row[0])


def of_affiliate(uid: int, session: Session, end: int) -> Iterator[Asked]:
    everybody = list(session.engine.ledger.accounts)
    yield affiliates.activity, (session.owners(),)
    yield affiliates.money, (everybody, 0, end)
    which = CommissionsOf([uid], 0, 100_000)
    yield affiliates.commissions, (which, 1, 1_000)
    yield affiliates.earned_sums, (which, everybody)
    yield affiliates.withdrawals, (WithdrawalsOf(uid, 0, end), 1, 1_000)
    for channel in session.recorder.numbering.ranges():
        if channel[0] == uid:
            yield spot.frames, (channel, 0, 1 << 40, 1_000_000)


def of_operator(store: Store, session: Session) -> Iterator[Asked]:
    """Ask what is told of all owners and symbols, agents too."""
    end = session.applied[-1].time
    yield liquidations.liquidations, (None, 1_000)
    for uid in session.engine.ledger.accounts:
        yield liquidations.liquidations, (uid, 1_000)
    for row in rows(store, LiquidationRow):
        yield liquidations.liquidation, (row[0],)
    for symbol in SYMBOLS:
        yield prices.funding_rates, (symbol, None, None, 1_000)
        for kind in ("index", "mark"):
            yield prices.price_candles, (symbol, kind, 0, end)


def answers(asked: list[Asked], connection: Connection) -> Iterator[bytes]:
    """The places of rows among those of their command are left out: only their order is told."""
    for question, arguments in asked:
        yield PLACE.sub("", repr(question(connection, *arguments))).encode()


def test_owners_and_operators_answers_are_the_same_to_the_byte(
    session: Session, whole: Store, kept: Store
) -> None:
    """Rule 2.8. By hand with 50,000 commands: `make agents`."""
    asked = list(of_operator(whole, session))
    for uid in session.owners():
        asked += of_owner(uid, whole, session)
    assert {question for question, _ in asked} == set(EVERY)
    told = 0
    with transaction(whole.connection), transaction(kept.connection):
        both = zip(
            asked, answers(asked, whole.connection), answers(asked, kept.connection), strict=True
        )
        for (question, arguments), before, now in both:
            assert now == before, (question.__name__, arguments)
            told += len(now)
    assert told > 100 * COMMANDS


def test_agents_and_owners_meet_in_every_way(session: Session) -> None:
    """In the books and outside of them, as takers and as makers."""
    owners = session.owners()
    spot, contract = set(), set()
    for event in (event for done in session.applied for event in done.events):
        if type(event) is Trade:
            spot.add((event.taker_uid in owners, event.maker_uid in owners))
        elif type(event) is ContractTrade:
            ways = (event.taker.uid in owners, event.maker.uid in owners)
            contract.add((Cause(event.cause), *ways))
    assert spot >= {(False, False), (False, True), (True, False)}
    assert contract >= {
        (Cause.USER, False, False), (Cause.USER, True, False),
        (Cause.LIQUIDATION, False, False), (Cause.LIQUIDATION, True, False),
        (Cause.TAKEOVER, False, True), (Cause.TAKEOVER, True, True), (Cause.COPY, True, False),
        (Cause.DELEVERAGE, False, False), (Cause.DELEVERAGE, False, True),
        (Cause.DELISTING, False, False), (Cause.DELISTING, True, False),
    }  # fmt: skip


# -- whose rows there are ------------------------------------------------------------------------


def test_rows_are_those_of_owners_and_of_an_agent_somebody_acts_as(
    session: Session, whole: Store, kept: Store
) -> None:
    """Rule 2.8."""
    met, owners = session.uid(MET), session.owners()
    since = max(
        done.time for done in session.applied
        if type(done.command) is RecordStreams and done.command.uid == met and done.events
    )  # fmt: skip
    cause = list(columns(ContractFill)).index("cause")
    for table in (OrderRow, SpotFill, BillRow, ContractOrder, ContractFill, IncomeRow):
        time, uid = list(columns(table)).index("time"), list(columns(table)).index("uid")
        before, now = rows(whole, table), rows(kept, table)
        of_owners = [row for row in before if row[uid] in owners]
        assert of_owners, table.table
        assert [row for row in now if row[uid] in owners] == of_owners
        of_met = [row for row in before if row[uid] == met and row[time] > since]
        assert [row for row in now if row[uid] == met and row[time] > since] == of_met
        of_agents = [row for row in now if row[uid] not in owners and row[uid] != met]
        if table is BillRow:
            assert {row[4] for row in of_agents} <= {"deposit", "withdraw"}
        elif table is IncomeRow:
            assert not {row[5] for row in of_agents if row[5].startswith("position_open")}
        elif table is ContractFill:
            assert of_agents
            assert {row[cause] for row in of_agents} <= set(CAUSES_LIQUIDATING)
            assert {row[1] for row in of_agents} == {0}  # takers
        else:
            assert not of_agents, table.table
    with transaction(kept.connection):
        assert check(kept.connection, session.engine) == []
    assert rows(kept, LiquidationRow) == rows(whole, LiquidationRow)


# -- who is an agent follows from the journal ----------------------------------------------------


def again(commands: list[Command], restarts: list[int]) -> list[Applied]:
    """Replay commands, with restarts from snapshots after some; return what history keeps."""
    engine = begin()
    keeping, found = KeptEvents(engine), []
    for number, command in enumerate(commands):
        applied = Applied(number + 1, command.time, command, engine.apply(command))
        found.append(keeping.of(applied))
        if number in restarts:
            engine = load(dump_and_hash(engine)[0])
            keeping = KeptEvents(engine)
    return found


def told(kept: list[Applied]) -> list[Any]:
    return [(one.sequence, one.time, repr(one.events), one.agents) for one in kept]


def test_a_start_from_any_snapshot_keeps_the_same(session: Session) -> None:
    """Rule 2.8. Enemy: a rebuilt history, a world or a fork with other rows than the venue's."""
    commands = [done.command for done in session.applied]
    choice = random.Random(3)
    restarts = sorted(choice.sample(range(len(commands)), 12))
    assert told(again(commands, restarts)) == told(session.kept)


def test_an_owner_with_an_agents_uid_in_another_branch_keeps_its_rows() -> None:
    """Rule 2.8. Enemy: after a revert a new owner has the uid that an agent had, and the other way
    round."""
    commands: list[Command] = [
        RegisterAsset("USDT", 8), RegisterAsset("BTC", 8), ListInstrument(demo.INSTRUMENTS[0]),
        KeepState("none"), CreateOwner("agent", 0, agent=True), KeepState("agent"),
        PlaceOrder(FIRST_UID, "BTCUSDT", BUY, LIMIT, GTC, 10, 100),
        RevertState("none"), CreateOwner("ann"), KeepState("ann"),
    ]  # fmt: skip
    for name in ("agent", "ann", "agent", "none", "ann"):
        commands.append(RevertState(name))
        if name != "none":
            commands.append(Deposit(FIRST_UID, WALLET_SPOT, "USDT", 10**12))
            commands.append(PlaceOrder(FIRST_UID, "BTCUSDT", BUY, LIMIT, GTC, 1_000, 1_000))
    for number, command in enumerate(commands):
        command.time = 1_000 + number
    whole = again(commands, [])
    assert told(again(commands, list(range(len(commands))))) == told(whole)
    branch, placed = "agent", []
    for done in whole:
        if type(done.command) is RevertState:
            branch = done.command.name
        elif type(done.command) is PlaceOrder:
            placed.append((branch, [type(event).__name__ for event in done.events]))
    owners = [events for name, events in placed if name == "ann"]
    assert owners == [["OrderPlaced"]] * 2
    assert [events for name, events in placed if name == "agent"][-2:] == [[], []]
