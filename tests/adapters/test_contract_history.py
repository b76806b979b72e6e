"""The contract side of history: exact rows from hand-made events, once, and every question."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from support.contract_tape import (
    ALICE,
    ASSETS,
    BID,
    BOB,
    EXIT,
    FALL,
    FEES,
    FIRST,
    FUND,
    LIQUIDATION,
    MARK_PRICE,
    MINUTE,
    PERP,
    REFUSED,
    ROWS,
    STOP,
    STOP_MARKET,
    STOPPED,
    STORY,
    SWEPT,
    SYMBOL,
    TAKEOVER,
    TRAILING,
    N,
)
from support.tape import rows_of
from support.world import BTCUSDT
from venue.core.book.book import OPEN
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Tick
from venue.core.messages.contract_events import ContractListed, Income, MarkSet
from venue.core.messages.events import AssetRegistered, Event
from venue.history.process.pipe import ASK, CATALOG, CHECKPOINT, PROJECT, Entry
from venue.history.process.worker import Worker
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions import contract as queries
from venue.history.questions import liquidations as liquidation_queries
from venue.history.questions import prices
from venue.history.sql import transaction
from venue.history.store import Store, open_history
from venue.history.tables.contract import (
    BECAME_NOTHING,
    Conditional,
    ConditionalRow,
    ConditionalsOf,
    ContractFill,
    ContractFillRow,
    ContractFillsOf,
    ContractOrder,
    ContractOrderRow,
    ContractOrdersOf,
    DeleveragedRow,
    FundingRateRow,
    IncomeOf,
    IncomeRow,
    LiquidationRow,
    PriceCandle,
    StepRow,
)
from venue.vocabulary import CAUSES_OUTSIDE

LISTED = ContractListed(PERP)


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_history(None)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def filled() -> Iterator[Store]:
    opened = open_history(None)
    Projector(opened, Catalog()).project(STORY)
    with transaction(opened.connection):
        yield opened
    opened.close()


def contract_rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Every table that has rows."""
    return {name: rows for name, rows in rows_of(store).items() if rows}


def tape(*events: Event, time: int = 7) -> list[Applied]:
    """One command for each event, after a first one that makes the contract known."""
    said: list[list[Event]] = [[*(AssetRegistered(asset) for asset in ASSETS), LISTED]]
    said += [[event] for event in events]
    return [Applied(number, time, Tick(time), each) for number, each in enumerate(said, 1)]


# -- projecting ----------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [0, 1, 4])
@pytest.mark.parametrize("size", [1, 2, 3, 5, len(STORY)])
def test_rows_are_exact_however_batched(store: Store, size: int, again: int) -> None:
    """Each batch begins with some of the commands that were already delivered."""
    projector = Projector(store, Catalog())
    for at in range(0, len(STORY), size):
        projector.project(STORY[max(at - again, 0) : at + size])
    projector.project(STORY)
    assert contract_rows(store) == ROWS


@pytest.mark.parametrize("cut", range(1, len(STORY)))
def test_a_reopened_file_goes_on_with_what_is_listed(tmp_path: Path, cut: int) -> None:
    path = str(tmp_path / "venue.history")
    store = open_history(path)
    Projector(store, Catalog()).project(STORY[:cut])
    store.close()
    store = open_history(path)
    try:
        projector = Projector(store, Catalog.listing(ASSETS, [], [PERP]))
        assert projector.last_sequence() == cut
        projector.project(STORY[cut - 1 :])
        assert contract_rows(store) == ROWS
    finally:
        store.close()


def test_cleared_and_projected_anew_it_is_the_same(store: Store) -> None:
    Projector(store, Catalog()).project(STORY)
    store.clear()
    assert contract_rows(store) == {"progress": [(0,)]}
    Projector(store, Catalog()).project(STORY)
    assert contract_rows(store) == ROWS


def test_the_worker_learns_contracts_from_its_catalog(store: Store) -> None:
    encode = msgspec.msgpack.Encoder().encode
    worker = Worker(store)
    worker.answer(CATALOG, encode((ASSETS, [BTCUSDT], [PERP])))
    entries = [Entry(1, STORY[0].time, [])]  # the catalog has told it this much
    entries += [Entry(done.sequence, done.time, done.events) for done in STORY[1:]]
    assert worker.answer(PROJECT, encode(([entries], []))) == len(STORY)
    assert worker.answer(CHECKPOINT, b"") == len(STORY)
    assert contract_rows(store) == ROWS
    told = worker.answer(ASK, pickle.dumps((liquidation_queries.liquidation, (FALL,))))
    assert pickle.loads(pickle.dumps(told)) == told
    assert len(told.steps) == 2


def test_a_contract_is_not_the_spot_market_of_its_name(store: Store) -> None:
    projector = Projector(store, Catalog.listing(ASSETS, [], []))
    with pytest.raises(KeyError):
        projector.project([Applied(1, 1, Tick(1), STORY[3].events)])
    assert projector.last_sequence() == 0
    assert contract_rows(store) == {"progress": [(0,)]}


def test_a_batch_has_any_number_of_rows(store: Store) -> None:
    count = 137
    events = [Income(N + i, ALICE, 0, "USDT", "", "deposit", 5, 5 * (i + 1)) for i in range(count)]
    Projector(store, Catalog()).project(tape(*events))
    assert [row[8] for row in rows_of(store)["income"]] == [5 * i for i in range(1, count + 1)]


@pytest.mark.parametrize("seed", range(5))
def test_minutes_are_merged_over_any_batches(store: Store, seed: int) -> None:
    choice = random.Random(seed)
    marks: list[tuple[int, MarkSet]] = []
    time = 0
    for _ in range(120):
        time += choice.randrange(MINUTE // 3)
        symbol = choice.choice((SYMBOL, "ETHUSDT"))
        index, mark = choice.randint(90, 110), choice.randint(90, 110)
        marks.append((time, MarkSet(symbol, index, mark, True, 0, choice.randint(0, 9))))
    applied = [Applied(i, time, Tick(time), [mark]) for i, (time, mark) in enumerate(marks, 1)]
    projector = Projector(store, Catalog())
    at = 0
    while at < len(applied):
        size = choice.randint(1, 12)
        projector.project(applied[max(at - 3, 0) : at + size])
        at += size
    minutes: dict[tuple[str, int], list[MarkSet]] = {}
    for moment, event in marks:
        minutes.setdefault((event.symbol, moment // MINUTE * MINUTE), []).append(event)
    wanted = []
    for key, each in sorted(minutes.items()):
        indexes, prices = [mark.index for mark in each], [mark.mark for mark in each]
        wanted.append((*key, *_candle(indexes), *_candle(prices), each[-1].open_interest))
    assert rows_of(store)["price_minutes"] == wanted
    assert max(len(each) for each in minutes.values()) > 3


def _candle(prices: list[int]) -> tuple[int, int, int, int]:
    return prices[0], max(prices), min(prices), prices[-1]


# -- questions -----------------------------------------------------------------------------------

START_AND_END = [
    (None, None), (400, None), (None, 400), (401, 800), (MINUTE + 5, MINUTE + 5), (5, 4),
]  # fmt: skip
OWNERS = (ALICE, BOB, FEES, FUND, 3)
STOPS = {STOPPED: (95, MARK_PRICE, STOP_MARKET)}


def _within(time: int, start: int | None, end: int | None) -> bool:
    return (start is None or time >= start) and (end is None or time <= end)


# Executed lots and notional of each order.
DONE = {row[0]: (row[14], row[15]) for row in ROWS["contract_orders"]}


def _order(row: tuple[Any, ...]) -> ContractOrderRow:
    return ContractOrderRow(ContractOrder(*row), *STOPS.get(row[0], (None, None, None)))


def _oldest_first(row: ContractFillRow) -> tuple[int, int]:
    return row.fill.trade_id, -row.fill.is_maker


def test_an_order_by_its_id_is_the_owners_alone(filled: Store) -> None:
    for row in ROWS["contract_orders"]:
        assert queries.contract_order(filled.connection, row[1], row[0]) == _order(row)
        assert queries.contract_order(filled.connection, row[1] + 1, row[0]) is None
    stopped = queries.contract_order(filled.connection, ALICE, STOPPED)
    assert stopped is not None
    told = (stopped.order.algo_id, stopped.stop_price, stopped.conditional_type)
    assert told == (STOP, 95, STOP_MARKET)
    left = queries.contract_order(filled.connection, ALICE, EXIT)
    assert left is not None
    order = left.order
    assert (order.quantity, order.executed, order.reduced, left.stop_price) == (10, 0, 3, None)


def test_an_order_by_its_client_id_is_the_newest(filled: Store) -> None:
    find = queries.contract_order_by_client_id
    newest = find(filled.connection, ALICE, "a")
    assert newest is not None
    assert newest.order.order_id == EXIT  # FIRST had it too
    assert find(filled.connection, BOB, "a") is None
    assert find(filled.connection, ALICE, "") is None


@pytest.mark.parametrize(("start", "end"), START_AND_END)
@pytest.mark.parametrize("symbol", ["", SYMBOL, "ETHUSDT"])
def test_orders_filter_order_and_page(
    filled: Store, symbol: str, start: int | None, end: int | None
) -> None:
    for uid in OWNERS:
        which = ContractOrdersOf(uid, symbol, start, end)
        wanted = [
            _order(row)
            for row in reversed(ROWS["contract_orders"])
            if row[1] == uid and symbol in ("", row[2]) and _within(row[13], start, end)
        ]
        pages = [queries.contract_orders(filled.connection, which, 2, page) for page in (1, 2, 3)]
        assert [row for page in pages for row in page] == wanted


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("start", sorted({row[13] for row in ROWS["contract_orders"]}))
def test_orders_that_were_updated_since(filled: Store, start: int, ended: bool, size: int) -> None:
    for uid in OWNERS:
        wanted = [
            _order(row)
            for row in reversed(ROWS["contract_orders"])
            if row[1] == uid and row[18] >= start and not (ended and row[17] in OPEN)
        ]
        waited = [
            row[0]
            for row in ROWS["algo_orders"]
            if ended and row[1] == uid and row[20] in BECAME_NOTHING and row[25] >= start
        ]
        which = ContractOrdersOf(uid, start=start, ended=ended, touched=True)
        found: list[ContractOrderRow] = []
        for page in range(1, (len(wanted) + len(waited)) // size + 3):
            found += queries.contract_orders(filled.connection, which, size, page)
        assert [row for row in found if row.order.order_id not in waited] == wanted
        ids = [row.order.order_id for row in found]
        assert sorted(one for one in ids if one in waited) == sorted(waited)
        places = [(row.order.time, row.order.order_id) for row in found]
        assert places == sorted(places, reverse=True)


def test_what_was_traded_outside_the_book_has_an_order(filled: Store) -> None:
    outside = [row for row in ROWS["contract_fills"] if row[15] in CAUSES_OUTSIDE]
    assert outside
    for row in outside:
        found = queries.contract_order(filled.connection, row[3], row[2])
        assert found is not None
        order = found.order
        assert (order.order_id, order.uid, order.side) == (row[2], row[3], row[5])
        assert order.executed == order.quantity >= row[9]
        assert queries.contract_order(filled.connection, 99, row[2]) is None


def test_older_orders_are_found_by_their_index(filled: Store) -> None:
    asked: list[tuple[str, Any]] = []

    def note(_: Any, text: str, values: Any) -> bool:
        asked.append((text, values))
        return True

    filled.connection.exec_trace = note
    which = ContractOrdersOf(ALICE, start=10**9, ended=True, touched=True)
    queries.contract_orders(filled.connection, which, 5, 3)
    filled.connection.exec_trace = None
    plans = [
        "; ".join(row[3] for row in filled.connection.execute(f"EXPLAIN QUERY PLAN {text}", values))
        for text, values in asked
    ]
    # Of the first page's time, how many that is in each of the two lists, and those updated since.
    assert len(plans) == 4
    assert ["contract_orders_updated" in plan for plan in plans] == [False, False, False, True]
    assert not any(re.search("SCAN (contract|algo)_orders", plan) for plan in plans), plans


@pytest.mark.parametrize(("start", "end"), START_AND_END)
@pytest.mark.parametrize("symbol", ["", SYMBOL, "ETHUSDT"])
def test_fills_filter_and_order(
    filled: Store, symbol: str, start: int | None, end: int | None
) -> None:
    rows = ROWS["contract_fills"]
    for uid in OWNERS:
        for order_id in (None, FIRST, BID, FALL, 5):
            wanted = [
                ContractFillRow(ContractFill(*row), 0)
                for row in sorted(rows, key=lambda row: (row[16], row[0], row[1]), reverse=True)
                if row[3] == uid
                and symbol in ("", row[4])
                and order_id in (None, row[2])
                and _within(row[16], start, end)
            ]
            which = ContractFillsOf(uid, symbol, order_id, start, end)
            assert queries.contract_fills(filled.connection, which, 100) == wanted
            assert queries.contract_fills(filled.connection, which, 1) == wanted[:1]
            for first in (1, *(row.fill.trade_id for row in wanted)):
                later = structs.replace(which, from_id=first)
                assert queries.contract_fills(filled.connection, later, 100) == [
                    row for row in sorted(wanted, key=_oldest_first) if row.fill.trade_id >= first
                ]


@pytest.mark.parametrize(("start", "end"), START_AND_END)
@pytest.mark.parametrize("symbol", ["", SYMBOL, "ETHUSDT"])
@pytest.mark.parametrize("kind", ["", "position_close_long", "deposit", "margin_move_in"])
def test_income_filters_and_orders(
    filled: Store, symbol: str, kind: str, start: int | None, end: int | None
) -> None:
    for uid in OWNERS:
        for asset in ("", "USDT", "BTC"):
            wanted = [
                IncomeRow(*row)
                for row in reversed(ROWS["income"])
                if row[1] == uid
                and asset in ("", row[3])
                and symbol in ("", row[4])
                and kind in ("", row[5])
                and _within(row[10], start, end)
            ]
            which = IncomeOf(uid, asset, symbol, kind, start, end)
            assert queries.income(filled.connection, which, 100) == wanted
        which = IncomeOf(uid, "", symbol, kind, start, end, without="BTC")
        wanted = queries.income(filled.connection, IncomeOf(uid, "", symbol, kind, start, end), 100)
        rest = [row for row in wanted if row.asset != "BTC"]
        assert queries.income(filled.connection, which, 100) == rest


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_income_goes_on_behind_a_key(filled: Store, size: int) -> None:
    """The key's time may be a little later than the item's: on the wire it is in milliseconds."""
    whole = queries.income(filled.connection, IncomeOf(ALICE), 100)
    assert len(whole) == sum(row[1] == ALICE for row in ROWS["income"])
    told: list[IncomeRow] = []
    which = IncomeOf(ALICE)
    while True:
        rows = queries.income(filled.connection, which, size + 1)
        told += rows[:size]
        if len(rows) <= size:
            break
        which = IncomeOf(ALICE, next_time=told[-1].time + 999, next_id=told[-1].bill_id)
    assert told == whole


@pytest.mark.parametrize(("start", "end"), [*START_AND_END, (600, 600)])
@pytest.mark.parametrize("symbol", ["", SYMBOL, "ETHUSDT"])
def test_conditional_orders_that_ended(
    filled: Store, symbol: str, start: int | None, end: int | None
) -> None:
    for uid in OWNERS:
        wanted = [
            ConditionalRow(Conditional(*row), *DONE.get(row[21], (0, 0)))
            for row in reversed(ROWS["algo_orders"])
            if row[1] == uid and row[20] and symbol in ("", row[2]) and _within(row[19], start, end)
        ]
        which = ConditionalsOf(uid, symbol, start, end)
        assert queries.conditional_orders(filled.connection, which, 100) == wanted
        assert queries.conditional_orders(filled.connection, which, 1) == wanted[:1]


def test_conditional_orders_tell_how_they_ended(filled: Store) -> None:
    told = queries.conditional_orders(filled.connection, ConditionalsOf(ALICE), 100)
    assert [row.conditional.algo_id for row in told] == [TRAILING, STOP + 1, STOP]
    (refused,) = queries.conditional_orders(filled.connection, ConditionalsOf(BOB), 100)
    ended = refused.conditional
    assert (ended.algo_id, ended.order_id, ended.triggered_price) == (REFUSED, 0, 94)


def test_funding_rates_are_those_that_were_due(filled: Store) -> None:
    rows = [FundingRateRow(*ROWS["funding_rates"][number]) for number in (3, 0)]
    ask = prices.funding_rates
    assert ask(filled.connection, SYMBOL, None, None, 10) == rows
    assert ask(filled.connection, SYMBOL, None, None, 1) == rows[:1]
    assert ask(filled.connection, SYMBOL, 2 * MINUTE, 2 * MINUTE, 10) == rows[1:]
    assert ask(filled.connection, SYMBOL, 2 * MINUTE + 1, None, 10) == rows[:1]
    assert ask(filled.connection, "ETHUSDT", None, None, 10) == []


def test_liquidations_and_their_story(filled: Store) -> None:
    (row,) = ROWS["liquidations"]
    wanted = LiquidationRow(*row)
    assert liquidation_queries.liquidations(filled.connection, None, 5) == [wanted]
    assert liquidation_queries.liquidations(filled.connection, ALICE, 5) == [wanted]
    assert liquidation_queries.liquidations(filled.connection, BOB, 5) == []
    assert liquidation_queries.liquidation(filled.connection, FALL + 1) is None
    story = liquidation_queries.liquidation(filled.connection, FALL)
    assert story is not None
    assert story.liquidation == wanted
    assert story.steps == [StepRow(*row) for row in ROWS["liquidation_steps"]]
    assert story.deleveraged == [DeleveragedRow(*row) for row in ROWS["deleveraged"]]
    assert [(fill.order_id, fill.uid, fill.quantity) for fill in story.fills] == [
        (SWEPT, ALICE, 1),
        (FALL, ALICE, 4),
        (FALL, ALICE, 2),
    ]


def test_a_liquidation_under_way_is_told_so_far(store: Store) -> None:
    Projector(store, Catalog()).project(STORY[:10])
    with transaction(store.connection):
        story = liquidation_queries.liquidation(store.connection, FALL)
    assert story is not None
    assert (story.liquidation.finished, len(story.steps), story.deleveraged) == (0, 1, [])
    assert [(fill.cause, fill.quantity) for fill in story.fills] == [
        (LIQUIDATION, 1),
        (TAKEOVER, 4),
    ]


def test_candles_of_index_and_mark(filled: Store) -> None:
    ask = prices.price_candles
    rows = ROWS["price_minutes"]
    index = [PriceCandle(*(*row[1:6], row[10])) for row in rows]
    mark = [PriceCandle(*(row[1], *row[6:])) for row in rows]
    assert ask(filled.connection, SYMBOL, "index", 0, 9 * MINUTE) == index
    assert ask(filled.connection, SYMBOL, "mark", 0, 9 * MINUTE) == mark
    assert ask(filled.connection, SYMBOL, "mark", MINUTE, 2 * MINUTE) == mark[1:3]
    assert ask(filled.connection, "ETHUSDT", "mark", 0, 9 * MINUTE) == []
