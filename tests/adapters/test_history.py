"""History: rows equal an independent sum, each command once, each question as a plain filter."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DatabaseError, IntegrityError
from sqlalchemy.schema import CreateIndex, CreateTable

from support.world import (
    BTCUSDT,
    BUY,
    ETHUSDT,
    FUNDING,
    IOC,
    LIMIT,
    MARKET,
    SELL,
    SPOT,
)
from venue.core import commands
from venue.core.applied import Applied
from venue.core.commands import Command, PlaceOrder
from venue.core.engine import Engine
from venue.core.events import (
    Event,
    OrderClosed,
    OrderPlaced,
    OwnerCreated,
    Trade,
    Transferred,
    WalletMoved,
)
from venue.core.instruments import lot_atoms
from venue.history import queries
from venue.history.check import PROBLEMS_MAX, check
from venue.history.projector import CHUNKS, Catalog, Projector
from venue.history.queries import BillRow, BillsOf, FillsOf, OrdersOf, TransfersOf
from venue.history.store import Store, open_history
from venue.history.tables import BILLS, FILLS, METADATA, ORDERS, PROGRESS, TRANSFERS
from venue.terms import OrderStatus

RICH = 10**14
LOTS = {
    "BTCUSDT": ("BTC", "USDT", 10**4),
    "ETHUSDT": ("ETH", "USDT", 10**5),
}
Rows = dict[str, list[tuple[Any, ...]]]


class Tape:
    """An engine and everything it was told and said. Three commands share each µs."""

    def __init__(self, owners: int = 3) -> None:
        self.engine = Engine()
        self.applied: list[Applied] = []
        self.uids: list[int] = []
        for asset in ("USDT", "BTC", "ETH"):
            self.say(commands.RegisterAsset(asset, 8))
        self.say(commands.ListInstrument(BTCUSDT))
        for number in range(owners):
            (created,) = self.say(commands.CreateOwner(f"owner {number}", number % 2 * 3))
            assert isinstance(created, OwnerCreated)
            self.uids.append(created.uid)
            for asset in ("USDT", "BTC", "ETH"):
                self.say(commands.Deposit(created.uid, SPOT, asset, RICH))
        self.say(commands.ListInstrument(ETHUSDT))

    def say(self, command: Command) -> list[Event]:
        command.time = 1_000 + len(self.applied) // 3
        events = self.engine.apply(command)
        self.applied.append(Applied(self.engine.sequence, command.time, command, events))
        return events

    def walk(self, seed: int, count: int) -> Tape:
        """Orders that rest, cross and meet themselves, cancels, and money in, out and across."""
        choice = random.Random(seed)
        for _ in range(count):
            self.say(self._step(choice))
        return self

    def _step(self, choice: random.Random) -> Command:
        uid = choice.choice(self.uids)
        asset, symbol = choice.choice(("USDT", "BTC", "ETH")), choice.choice(tuple(LOTS))
        client_id = choice.choice(("", "", "a", "b", "c"))
        act = choice.randrange(12)
        if act == 0:
            return commands.Deposit(uid, choice.randrange(3), asset, choice.randint(1, 500))
        if act == 1:
            return commands.Withdraw(uid, choice.randrange(3), asset, choice.randint(1, 500))
        if act == 2:
            source, target = choice.randrange(3), choice.randrange(3)
            return commands.Transfer(uid, source, target, asset, choice.randint(1, 500))
        if act == 3:
            return commands.CancelOrders(uid, symbol)
        if act <= 5:
            return commands.CancelOrder(uid, 0, client_id or "a")
        side, quantity = choice.randrange(2), choice.randint(2, 40)
        if act == 6:
            return PlaceOrder(uid, symbol, side, MARKET, IOC, quantity, 0, client_id)
        tif, price = choice.choice((0, 0, 0, 1, 2, 3)), choice.randint(98, 102)
        return PlaceOrder(uid, symbol, side, LIMIT, tif, quantity, price, client_id)


def listed(engine: Engine) -> Catalog:
    instruments = [market.instrument for market in engine.spot.markets.values()]
    return Catalog.listing(engine.ledger.assets, instruments)


def rows_of(store: Store) -> Rows:
    """Every row of every table, by primary key."""
    with store.connection.begin():
        return {
            table.name: [
                tuple(row)
                for row in store.connection.execute(select(table).order_by(*table.primary_key))
            ]
            for table in METADATA.sorted_tables
        }


class Sum:
    """The rows that must be there, summed slowly; balances by addition, never by what was said."""

    def __init__(self, applied: list[Applied]) -> None:
        self.orders: dict[int, list[Any]] = {}
        self.fills: list[tuple[Any, ...]] = []
        self.bills: list[tuple[Any, ...]] = []
        self.transfers: list[tuple[Any, ...]] = []
        self.balances: dict[tuple[int, int, str], int] = {}
        for done in applied:
            for event in done.events:
                self.add(event, done.time)
        self.sequence = applied[-1].sequence

    def add(self, event: Event, time: int) -> None:
        match event:
            case OrderPlaced():
                self.orders[event.order_id] = [
                    event.order_id, event.uid, event.symbol, event.side, event.type,
                    event.time_in_force, event.quantity, event.price, event.client_id, time,
                    0, 0, OrderStatus.NEW, time,
                ]  # fmt: skip
            case OrderClosed():
                self.orders[event.order_id][12:] = [event.status, time]
            case WalletMoved():
                self.bill(event.uid, event.wallet, event.asset, event.kind, event.amount, time)
            case Transferred():
                self.transfers.append(
                    (event.transfer_id, event.uid, event.asset, event.source, event.target,
                     event.amount, time)
                )  # fmt: skip
            case Trade():
                self.trade(event, time)

    def trade(self, event: Trade, time: int) -> None:
        base, quote, lot = LOTS[event.symbol]
        paid, got = event.price * event.quantity, event.quantity * lot
        paid *= 100 if event.symbol == "BTCUSDT" else 5_000
        about = (event.quantity, paid, event.symbol)
        parties = {
            event.taker_side: (0, event.taker_order_id, event.taker_uid),
            1 - event.taker_side: (1, event.maker_order_id, event.maker_uid),
        }
        both = []
        for side, (is_maker, order_id, uid) in parties.items():
            order = self.orders[order_id]
            order[10] += event.quantity
            order[11] += paid
            full = order[10] == order[6]
            order[12:] = [OrderStatus.FILLED if full else OrderStatus.PARTIALLY_FILLED, time]
            fee = (event.base_fee, base) if side == BUY else (event.quote_fee, quote)
            both.append(
                (event.trade_id, is_maker, order_id, uid, event.symbol, side, event.price,
                 event.quantity, paid, *fee, time)
            )  # fmt: skip
        self.fills += sorted(both)
        buyer, seller = parties[BUY][2], parties[SELL][2]
        base_fee, quote_fee = event.base_fee, event.quote_fee
        self.bill(buyer, SPOT, quote, "trade_out", -paid, time, 0, about)
        self.bill(buyer, SPOT, base, "trade_in", got - base_fee, time, base_fee, about)
        self.bill(seller, SPOT, base, "trade_out", -got, time, 0, about)
        self.bill(seller, SPOT, quote, "trade_in", paid - quote_fee, time, quote_fee, about)

    def bill(
        self,
        uid: int,
        wallet: int,
        asset: str,
        kind: str,
        amount: int,
        time: int,
        fee: int = 0,
        about: tuple[Any, ...] = (None, None, None),
    ) -> None:
        after = self.balances.get((uid, wallet, asset), 0) + amount
        self.balances[uid, wallet, asset] = after
        bill_id = 10**15 + len(self.bills)
        self.bills.append((bill_id, uid, wallet, asset, kind, amount, after, fee, *about, time))

    def rows(self) -> Rows:
        return {
            "orders": [tuple(order) for order in self.orders.values()],
            "fills": self.fills,
            "bills": self.bills,
            "transfers": self.transfers,
            "progress": [(self.sequence,)],
        }


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_history(None)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def tape() -> Tape:
    return Tape().walk(seed=7, count=600)


@pytest.fixture(scope="module")
def filled(tape: Tape) -> Iterator[Store]:
    opened = open_history(None)
    Projector(opened, Catalog()).project(tape.applied)
    yield opened
    opened.close()


# -- projecting ----------------------------------------------------------------------------------


def test_lots_of_the_test_are_the_instruments() -> None:
    engine = Tape().engine
    assets = {asset.name: asset for asset in engine.ledger.assets}
    for instrument in (BTCUSDT, ETHUSDT):
        base, quote, lot = LOTS[instrument.symbol]
        assert (base, quote) == (instrument.base, instrument.quote)
        assert lot == lot_atoms(instrument, assets[base])


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    cuts=st.lists(st.tuples(st.integers(1, 90), st.integers(0, 20)), min_size=1, max_size=8),
)
def test_rows_equal_an_independent_sum_however_batched(
    seed: int, cuts: list[tuple[int, int]]
) -> None:
    """Each batch begins with some of the commands that were already delivered."""
    tape = Tape().walk(seed, 150)
    store = open_history(None)
    try:
        projector = Projector(store, Catalog())
        at = 0
        while at < len(tape.applied):
            for size, again in cuts:
                projector.project(tape.applied[max(at - again, 0) : at + size])
                at += size
        assert rows_of(store) == Sum(tape.applied).rows()
        assert projector.reached() == tape.engine.sequence
        assert check(store.connection, tape.engine) == []
    finally:
        store.close()


def test_the_walk_goes_everywhere(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)
    assert {order[12] for order in rows["orders"]} == set(OrderStatus)
    assert any(
        maker[3] == taker[3] for taker, maker in zip(*[iter(rows["fills"])] * 2, strict=True)
    )
    assert {bill[4] for bill in rows["bills"]} == {
        "deposit", "withdraw", "transfer_in", "transfer_out", "trade_in", "trade_out",
    }  # fmt: skip
    assert len(rows["bills"]) > 2 * CHUNKS[0]
    assert {row[2] for row in rows["transfers"]} == {"USDT", "BTC", "ETH"}


def test_a_trade_with_oneself_has_two_fills_and_four_bills(store: Store) -> None:
    tape = Tape(owners=1)
    (uid,) = tape.uids
    tape.say(PlaceOrder(uid, "BTCUSDT", SELL, LIMIT, 0, 5, 100))
    before = len(tape.applied)
    tape.say(PlaceOrder(uid, "BTCUSDT", BUY, LIMIT, 0, 3, 100))
    projector = Projector(store, Catalog())
    projector.project(tape.applied[:before])
    bills = len(rows_of(store)["bills"])
    projector.project(tape.applied[before:])
    rows = rows_of(store)
    # 3 lots of 10^4 atoms for 3 x 100 ticks of 100 atoms; the taker pays 0.2 %, the maker 0.1 %.
    fills = [(row[1], row[5], row[7], row[8], row[9], row[10]) for row in rows["fills"]]
    assert fills == [(0, BUY, 3, 30_000, 60, "BTC"), (1, SELL, 3, 30_000, 30, "USDT")]
    assert [(row[3], row[4], row[5], row[6], row[7]) for row in rows["bills"][bills:]] == [
        ("USDT", "trade_out", -30_000, RICH - 30_000 + 29_970, 0),
        ("BTC", "trade_in", 29_940, RICH + 29_940 - 30_000, 60),
        ("BTC", "trade_out", -30_000, RICH + 29_940 - 30_000, 0),
        ("USDT", "trade_in", 29_970, RICH - 30_000 + 29_970, 30),
    ]
    assert [order[10:13] for order in rows["orders"]] == [
        (3, 30_000, OrderStatus.PARTIALLY_FILLED),
        (3, 30_000, OrderStatus.FILLED),
    ]


def test_delivered_again_changes_nothing(store: Store, tape: Tape) -> None:
    projector = Projector(store, Catalog())
    projector.project(tape.applied)
    before = rows_of(store)
    projector.project(tape.applied)
    projector.project(tape.applied[100:200])
    projector.project([])
    assert rows_of(store) == before


def test_a_gap_is_a_defect_and_leaves_no_trace(store: Store, tape: Tape) -> None:
    projector = Projector(store, Catalog())
    projector.project(tape.applied[:50])
    before = rows_of(store)
    with pytest.raises(AssertionError):
        projector.project(tape.applied[50:60] + tape.applied[61:70])
    assert rows_of(store) == before
    assert projector.reached() == 50
    projector.project(tape.applied[50:])
    assert rows_of(store) == Sum(tape.applied).rows()


def test_rows_and_sequence_are_written_together(store: Store, tape: Tape) -> None:
    """The batch's last table refuses: nothing of the batch stays, and it can come again."""
    projector = Projector(store, Catalog())
    projector.project(tape.applied[:50])
    before = rows_of(store)
    planted = TRANSFERS.insert().values(
        transfer_id=10**15 + 5, uid=0, asset="", source=0, target=0, amount=0, time=0
    )
    with store.connection.begin():
        store.connection.execute(planted)
    with pytest.raises(IntegrityError):
        projector.project(tape.applied[50:])
    assert projector.reached() == 50
    with store.connection.begin():
        store.connection.execute(TRANSFERS.delete().where(TRANSFERS.c.uid == 0))
    assert rows_of(store) == before
    projector.project(tape.applied[50:])
    assert rows_of(store) == Sum(tape.applied).rows()


def test_a_reopened_file_goes_on_where_it_was(tmp_path: Path, tape: Tape) -> None:
    path = str(tmp_path / "venue.history")
    for start, end in ((0, 100), (60, 333), (333, len(tape.applied))):
        engine = Engine()
        for done in tape.applied[:start]:
            engine.apply(done.command)
        store = open_history(path)
        projector = Projector(store, listed(engine))
        assert projector.reached() == (0, 100, 333)[(0, 60, 333).index(start)]
        projector.project(tape.applied[start:end])
        assert projector.checkpoint() == end
        store.close()
    store = open_history(path)
    try:
        assert rows_of(store) == Sum(tape.applied).rows()
    finally:
        store.close()


def test_cleared_and_projected_anew_it_is_the_same(tmp_path: Path, tape: Tape) -> None:
    store = open_history(str(tmp_path / "venue.history"))
    try:
        Projector(store, Catalog()).project(tape.applied)
        before = rows_of(store)
        store.clear()
        assert rows_of(store) == {name: [] for name in before} | {"progress": [(0,)]}
        Projector(store, Catalog()).project(tape.applied)
        assert rows_of(store) == before
    finally:
        store.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "venue.history"
    path.write_text("not a database, but long enough to be taken for one" * 20)
    with pytest.raises(DatabaseError):
        open_history(str(path))
    assert path.read_text().startswith("not a database")


def test_the_schema_is_postgresql_too() -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    for table in METADATA.sorted_tables:
        text = str(CreateTable(table).compile(dialect=dialect))
        assert "INTEGER" not in text.replace("SMALLINT", ""), text  # 64 bits where they are needed
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=dialect)).startswith("CREATE INDEX")


# -- questions -----------------------------------------------------------------------------------


def test_order_by_id_is_the_owners_alone(tape: Tape, filled: Store) -> None:
    for row in rows_of(filled)["orders"]:
        with filled.connection.begin():
            found = queries.order(filled.connection, row[1], row[0])
            assert found == queries.OrderRow(*row)
            assert queries.order(filled.connection, row[1] + 1, row[0]) is None
    with filled.connection.begin():
        assert queries.order(filled.connection, tape.uids[0], 1) is None


def test_order_by_client_id_is_the_newest(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)["orders"]
    with filled.connection.begin():
        for uid, client_id in product(tape.uids, "abc"):
            ids = [row[0] for row in rows if (row[1], row[8]) == (uid, client_id)]
            found = queries.order_by_client_id(filled.connection, uid, client_id)
            assert found is not None
            assert found.order_id == max(ids)
        assert queries.order_by_client_id(filled.connection, tape.uids[0], "") is None
        assert queries.order_by_client_id(filled.connection, tape.uids[0], "d") is None


TIMES = (None, 1_000, 1_060, 1_100, 5_000)


def test_orders_filter_order_and_page(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)["orders"]
    with filled.connection.begin():
        for uid, symbol, start, end in product(tape.uids, (*LOTS, "X"), TIMES, TIMES):
            which = OrdersOf(uid, symbol, start, end)
            wanted = [
                queries.OrderRow(*row)
                for row in sorted(rows, reverse=True)
                if row[1:3] == (uid, symbol) and _within(row[9], start, end)
            ]
            found = [queries.orders(filled.connection, which, 7, page) for page in range(1, 20)]
            assert [row for page in found for row in page] == wanted[: 7 * 19]
            assert all(len(page) == 7 for page in found[: min(len(wanted) // 7, 19)])


def test_fills_filter_and_order(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)["fills"]
    some = next(row[2] for row in rows if row[3] == tape.uids[0] and row[4] == "BTCUSDT")
    with filled.connection.begin():
        for uid, symbol, order_id, start, end in product(
            tape.uids, LOTS, (None, some), TIMES, TIMES
        ):
            which = FillsOf(uid, symbol, order_id, start, end)
            wanted = [
                queries.FillRow(*row)
                for row in sorted(rows, reverse=True)
                if row[3:5] == (uid, symbol)
                and order_id in (None, row[2])
                and _within(row[11], start, end)
            ]
            assert queries.fills(filled.connection, which, 10_000) == wanted
            assert queries.fills(filled.connection, which, 3) == wanted[:3]


def _bills(store: Store, keep: Callable[[BillRow], bool]) -> list[BillRow]:
    found = [BillRow(*row) for row in rows_of(store)["bills"]]
    return [row for row in reversed(found) if keep(row)]


@pytest.mark.parametrize("wallet", [SPOT, FUNDING])
def test_bills_by_asset_kind_and_time(tape: Tape, filled: Store, wallet: int) -> None:
    uid = tape.uids[1]
    for asset, kind, start, end in product(
        ("", "BTC", "X"), ("", "deposit", "trade_in"), TIMES, TIMES
    ):
        wanted = _bills(
            filled,
            lambda row, asset=asset, kind=kind, start=start, end=end: (  # type: ignore[misc]
                (row.uid, row.wallet) == (uid, wallet)
                and asset in ("", row.asset)
                and kind in ("", row.kind)
                and _within(row.time, start, end)
            ),
        )
        inclusive = BillsOf(uid, wallet, asset, kind, start=start, end=end)
        strict = BillsOf(
            uid,
            wallet,
            asset,
            kind,
            after_time=None if start is None else start - 1,
            before_time=None if end is None else end + 1,
        )
        with filled.connection.begin():
            for which in (inclusive, strict):
                assert queries.bills(filled.connection, which, 10_000) == wanted
                assert queries.bills(filled.connection, which, 4, page=2) == wanted[4:8]
                total, page = queries.bills_paged(filled.connection, which, 2, 3)
                assert (total, page) == (len(wanted), wanted[3:6])


def test_bills_by_id_cursor(tape: Tape, filled: Store) -> None:
    """Cursors at, between and beyond the owner's own bills; the newest come first all the same."""
    uid = tape.uids[2]
    ids = [row.bill_id for row in _bills(filled, lambda row: True)]
    cursors = (None, ids[-1] - 1, ids[-1], ids[-20], ids[300], ids[301], ids[1], ids[0], ids[0] + 1)
    for after, before in product(cursors, cursors):
        wanted = _bills(
            filled,
            lambda row, after=after, before=before: (  # type: ignore[misc]
                (row.uid, row.wallet) == (uid, SPOT)
                and (after is None or row.bill_id > after)
                and (before is None or row.bill_id < before)
            ),
        )
        which = BillsOf(uid, SPOT, after_id=after, before_id=before)
        with filled.connection.begin():
            assert queries.bills(filled.connection, which, 10_000) == wanted
            assert queries.bills(filled.connection, which, 5) == wanted[:5]


def test_transfers_filter_and_order(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)["transfers"]
    with filled.connection.begin():
        for uid, asset, source, after, before in product(
            tape.uids, ("", "ETH"), (None, SPOT, FUNDING), TIMES, TIMES
        ):
            wanted = [
                queries.TransferRow(*row)
                for row in sorted(rows, reverse=True)
                if row[1] == uid
                and asset in ("", row[2])
                and source in (None, row[3])
                and (after is None or row[6] > after)
                and (before is None or row[6] < before)
            ]
            which = TransfersOf(uid, asset, source, after, before)
            assert queries.transfers(filled.connection, which, 10_000) == wanted
            assert queries.transfers(filled.connection, which, 2) == wanted[:2]


def _within(time: int, start: int | None, end: int | None) -> bool:
    return (start is None or time >= start) and (end is None or time <= end)


QUESTIONS: dict[str, Callable[[Connection], object]] = {
    "order": lambda at: queries.order(at, 1, 2),
    "client id": lambda at: queries.order_by_client_id(at, 1, "a"),
    "orders": lambda at: queries.orders(at, OrdersOf(1, "A"), 9),
    "orders, times": lambda at: queries.orders(at, OrdersOf(1, "A", 3, 4), 9, 2),
    "fills": lambda at: queries.fills(at, FillsOf(1, "A"), 9),
    "fills, order": lambda at: queries.fills(at, FillsOf(1, "A", 2), 9),
    "fills, times": lambda at: queries.fills(at, FillsOf(1, "A", None, 3, 4), 9),
    "bills": lambda at: queries.bills(at, BillsOf(1, SPOT), 9),
    "bills, kind": lambda at: queries.bills(at, BillsOf(1, SPOT, "A", "deposit"), 9),
    "bills, before id": lambda at: queries.bills(at, BillsOf(1, SPOT, before_id=2), 9),
    "bills, after id": lambda at: queries.bills(at, BillsOf(1, SPOT, after_id=2), 9),
    "bills, paged": lambda at: queries.bills_paged(at, BillsOf(1, FUNDING, start=3), 2, 9),
    "transfers": lambda at: queries.transfers(at, TransfersOf(1), 9),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_question_reads_a_whole_table(filled: Store, question: str) -> None:
    connection = filled.connection
    driver: Any = connection.connection.driver_connection
    asked: list[str] = []
    with connection.begin():
        driver.set_trace_callback(asked.append)
        QUESTIONS[question](connection)
        driver.set_trace_callback(None)
        selects = [text for text in asked if text.startswith("SELECT")]
        assert selects
        for text in selects:
            plan = [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {text}")]
            assert not any(step.startswith("SCAN") for step in plan), (text, plan)
            if "order_id = 2" not in text:  # the few fills of one order may be sorted
                assert not any("B-TREE" in step for step in plan), (text, plan)


# -- damage --------------------------------------------------------------------------------------

Damage = Callable[[Connection, Tape], str]


def _nth(connection: Connection, column: Any, number: int) -> int:
    rows = connection.execute(select(column).order_by(column)).scalars().all()
    return int(rows[number])


def _lost_bill(connection: Connection, tape: Tape) -> str:
    lost = _nth(connection, BILLS.c.bill_id, 40)
    connection.execute(BILLS.delete().where(BILLS.c.bill_id == lost))
    return " is not "


def _lost_last_bill(connection: Connection, tape: Tape) -> str:
    lost = _nth(connection, BILLS.c.bill_id, -1)
    connection.execute(BILLS.delete().where(BILLS.c.bill_id == lost))
    return "the last bill says"


def _altered_amount(connection: Connection, tape: Tape) -> str:
    bill_id = _nth(connection, BILLS.c.bill_id, 50)
    change = BILLS.update().where(BILLS.c.bill_id == bill_id).values(amount=BILLS.c.amount + 1)
    connection.execute(change)
    return f"bill {bill_id} of owner"


def _altered_balance(connection: Connection, tape: Tape) -> str:
    bill_id = _nth(connection, BILLS.c.bill_id, -1)
    change = BILLS.update().where(BILLS.c.bill_id == bill_id)
    connection.execute(change.values(after=BILLS.c.after + 1, amount=BILLS.c.amount + 1))
    return "the last bill says"


def _stranger(connection: Connection, tape: Tape) -> str:
    values = {"bill_id": 1, "uid": 5, "wallet": 0, "asset": "BTC", "kind": "deposit"}
    connection.execute(BILLS.insert().values(**values, amount=1, after=1, fee=0, time=1))
    return "bills of owner 5, spot wallet, BTC, unknown to the engine"


def _lost_fill(connection: Connection, tape: Tape) -> str:
    trade_id = _nth(connection, FILLS.c.trade_id, 20)
    connection.execute(FILLS.delete().where(FILLS.c.trade_id == trade_id, FILLS.c.is_maker == 1))
    return f"trade {trade_id} has 1 fills, not 2"


def _altered_fill(connection: Connection, tape: Tape) -> str:
    trade_id = _nth(connection, FILLS.c.trade_id, 20)
    change = FILLS.update().where(FILLS.c.trade_id == trade_id, FILLS.c.is_maker == 0)
    connection.execute(change.values(notional=FILLS.c.notional - 1))
    return "its fills say"


def _lost_order(connection: Connection, tape: Tape) -> str:
    order_id = _nth(connection, FILLS.c.order_id, 20)
    connection.execute(ORDERS.delete().where(ORDERS.c.order_id == order_id))
    return f"fills of order {order_id}, which is missing"


def _closed_order(connection: Connection, tape: Tape) -> str:
    order_id = next(iter(tape.engine.account(tape.uids[0]).orders))
    change = ORDERS.update().where(ORDERS.c.order_id == order_id)
    connection.execute(change.values(status=int(OrderStatus.CANCELED)))
    return f"order {order_id} (uid, executed, quote, status): the engine says"


def _opened_order(connection: Connection, tape: Tape) -> str:
    ended = ORDERS.c.status == int(OrderStatus.FILLED)
    order_id = connection.execute(select(ORDERS.c.order_id).where(ended)).scalars().first()
    change = ORDERS.update().where(ORDERS.c.order_id == order_id)
    connection.execute(change.values(status=int(OrderStatus.NEW)))
    return f"order {order_id} is open in history, not in the engine"


def _behind(connection: Connection, tape: Tape) -> str:
    connection.execute(PROGRESS.update().values(sequence=5))
    return f"history reaches command 5, the engine {tape.engine.sequence}"


def _other_chain(connection: Connection, tape: Tape) -> str:
    connection.execute(BILLS.update().values(amount=BILLS.c.amount + 1))
    return "more like the last"


@pytest.mark.parametrize(
    "damage",
    [
        _lost_bill, _lost_last_bill, _altered_amount, _altered_balance, _stranger, _lost_fill,
        _altered_fill, _lost_order, _closed_order, _opened_order, _behind, _other_chain,
    ],
)  # fmt: skip
def test_damage_is_found(tape: Tape, filled: Store, damage: Damage) -> None:
    assert check(filled.connection, tape.engine) == []
    filled.connection.rollback()
    with filled.connection.begin() as transaction:
        words = damage(filled.connection, tape)
        problems = check(filled.connection, tape.engine)
        transaction.rollback()
    assert any(words in problem for problem in problems), problems
    assert len(problems) <= 5 * (PROBLEMS_MAX + 1)
