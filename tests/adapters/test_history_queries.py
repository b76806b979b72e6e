"""Each question of history answers as a plain filter over all rows would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from apsw import Connection
from msgspec import structs

from support.tape import LOTS, Tape, rows_of
from support.world import (
    BUY,
    FUNDING,
    LIMIT,
    SPOT,
)
from venue.core.messages.commands import PlaceOrder
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions import spot as queries
from venue.history.sql import transaction
from venue.history.store import Store, open_history
from venue.history.tables.spot import (
    BillRow,
    BillsOf,
    FillRow,
    FillsOf,
    OrderRow,
    OrdersOf,
    SpotFill,
    TransferRow,
    TransfersOf,
)
from venue.texts import SECOND_SIDE


@pytest.fixture(scope="module")
def tape() -> Tape:
    """A long walk; its last order rests."""
    walked = Tape().walk(seed=7, count=600)
    walked.say(PlaceOrder(walked.uids[2], "BTCUSDT", BUY, LIMIT, 0, 5, 50))
    return walked


@pytest.fixture(scope="module")
def filled(tape: Tape) -> Iterator[Store]:
    opened = open_history(None)
    Projector(opened, Catalog()).project(tape.applied)
    yield opened
    opened.close()


# -- questions -----------------------------------------------------------------------------------


def test_order_by_id_is_the_owners_alone(tape: Tape, filled: Store) -> None:
    for row in rows_of(filled)["orders"]:
        with transaction(filled.connection):
            found = queries.order(filled.connection, row[1], row[0])
            assert found == OrderRow(*row)
            assert queries.order(filled.connection, row[1] + 1, row[0]) is None
    with transaction(filled.connection):
        assert queries.order(filled.connection, tape.uids[0], 1) is None


def test_order_by_client_id_is_the_newest(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)["orders"]
    with transaction(filled.connection):
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
    with transaction(filled.connection):
        for uid, symbol, start, end in product(tape.uids, (*LOTS, "X"), TIMES, TIMES):
            which = OrdersOf(uid, symbol, start, end)
            wanted = [
                OrderRow(*row)
                for row in sorted(rows, reverse=True)
                if row[1:3] == (uid, symbol) and _within(row[9], start, end)
            ]
            found = [queries.orders(filled.connection, which, 7, page) for page in range(1, 20)]
            assert [row for page in found for row in page] == wanted[: 7 * 19]
            assert all(len(page) == 7 for page in found[: min(len(wanted) // 7, 19)])


def test_fills_filter_and_order(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)["fills"]
    takers = {row[0]: row[3] for row in rows if not row[1]}
    some = next(row[2] for row in rows if row[3] == tape.uids[0] and row[4] == "BTCUSDT")
    with transaction(filled.connection):
        for uid, symbol, order_id, start, end in product(
            tape.uids, LOTS, (None, some), TIMES, TIMES
        ):
            which = FillsOf(uid, symbol, order_id, start, end)
            wanted = [
                FillRow(SpotFill(*row), int(row[1] == 1 and takers[row[0]] == row[3]))
                for row in sorted(rows, reverse=True)
                if row[3:5] == (uid, symbol)
                and order_id in (None, row[2])
                and _within(row[11], start, end)
            ]
            assert queries.fills(filled.connection, which, 10_000) == wanted
            assert queries.fills(filled.connection, which, 3) == wanted[:3]
            _check_from_ids(filled.connection, which, wanted)


def _check_from_ids(connection: Connection, which: FillsOf, wanted: list[FillRow]) -> None:
    """From any fill's id on, those of this trade and of later ones, oldest first."""
    oldest_first = sorted(wanted, key=lambda row: (row.fill.trade_id, -row.fill.is_maker))
    for place in range(0, len(oldest_first), 7):
        first = oldest_first[place].fill.trade_id
        found = queries.fills(connection, structs.replace(which, from_id=first), 10_000)
        assert found == [one for one in oldest_first if one.fill.trade_id >= first]
        # After the maker's side of a trade with itself comes the taker's.
        after = structs.replace(which, from_id=SECOND_SIDE + first + 1)
        assert queries.fills(connection, after, 10_000) == [
            one
            for one in oldest_first
            if one.fill.trade_id > first or (one.fill.trade_id == first and not one.fill.is_maker)
        ]
    if oldest_first:
        beyond = structs.replace(which, from_id=oldest_first[-1].fill.trade_id + 1)
        assert queries.fills(connection, beyond, 10_000) == []


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
        with transaction(filled.connection):
            for which in (inclusive, strict):
                assert queries.bills(filled.connection, which, 10_000) == wanted
                assert queries.bills(filled.connection, which, 4, page=2) == wanted[4:8]
                total, page = queries.bills_paged(filled.connection, which, 2, 3)
                assert (total, page) == (len(wanted), wanted[3:6])


def test_bills_by_id_cursor(tape: Tape, filled: Store) -> None:
    """Cursors at, between and beyond the owner's own bills; the newest come first all the same."""
    uid = tape.uids[2]
    ids = [row.bill_id for row in _bills(filled, lambda row: True)]
    mid = len(ids) // 2
    cursors = (
        None,
        ids[-1] - 1,
        ids[-1],
        ids[-20],
        ids[mid],
        ids[mid + 1],
        ids[1],
        ids[0],
        ids[0] + 1,
    )
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
        with transaction(filled.connection):
            assert queries.bills(filled.connection, which, 10_000) == wanted
            assert queries.bills(filled.connection, which, 5) == wanted[:5]


def test_transfers_filter_and_order(tape: Tape, filled: Store) -> None:
    rows = rows_of(filled)["transfers"]
    with transaction(filled.connection):
        for uid, asset, source, after, before in product(
            tape.uids, ("", "ETH"), (None, SPOT, FUNDING), TIMES, TIMES
        ):
            wanted = [
                TransferRow(*row)
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
    "fills, id": lambda at: queries.fills(at, FillsOf(1, "A", from_id=2), 9),
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
    asked: list[tuple[str, Any]] = []

    def note(_: Any, text: str, values: Any) -> bool:
        asked.append((text, values))
        return True

    with transaction(connection):
        connection.exec_trace = note
        QUESTIONS[question](connection)
        connection.exec_trace = None
        assert all(text.startswith("SELECT") for text, _ in asked)
        assert asked
        for text, values in asked:
            told = connection.execute(f"EXPLAIN QUERY PLAN {text}", values)
            plan = [row[3] for row in told]
            assert not any(step.startswith("SCAN") for step in plan), (text, plan)
            # Only rows that share a time (the right part), or the fills of one order, are sorted.
            if "order_id = ?" not in text:
                assert not any("B-TREE FOR ORDER" in step for step in plan), (text, plan)
