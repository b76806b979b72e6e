"""History made of a real engine's contract events agrees with itself; damage to it is found."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from apsw import Connection

from support.world import BTCUSDT, BUY, CONTRACT, GTC, IOC, LIMIT, MARKET, SELL
from venue.core.engine import Engine
from venue.core.instruments import Contract, Tier
from venue.core.messages import commands
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, Exit
from venue.core.messages.events import Event, OwnerCreated
from venue.history.check import PROBLEMS_MAX, check
from venue.history.process.client import History
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions import contract as contract_queries
from venue.history.questions import liquidations as liquidation_queries
from venue.history.sql import scalar, transaction
from venue.history.store import Store, open_history
from venue.history.tables.contract import IncomeOf, IncomeRow
from venue.history.tables.table import insert_statement, values
from venue.vocabulary import AlgoStatus, Cause, MarginMode, OrderStatus

SYMBOL = "BTCUSDT"
LONG, SHORT = 1, -1
SECOND = 1_000_000
PERP = Contract(
    instrument=BTCUSDT,
    leverage_max=100,
    position_max=100_000,
    open_interest_max=1_000_000,
    tiers=[Tier(20_000_000, 100, 5_000), Tier(10**12, 50, 10_000)],
    index_sources=("desk",),
    funding_minutes=tuple(range(1440)),
    index_step_ppm=3_750,
    index_notional=10**11,
    impact_notional=10**11,
)


class Floor:
    """An engine with one contract, its owners and everything it was told and said."""

    def __init__(self, seed: int) -> None:
        self.choice = random.Random(seed)
        self.engine = Engine()
        self.applied: list[Applied] = []
        self.time = 86_400 * SECOND
        self.index = 10_000
        self.say(commands.RegisterAsset("USDT", 8))
        self.say(commands.RegisterAsset("BTC", 8))
        self.say(commands.ListContract(PERP))
        self.say(commands.Deposit(2, CONTRACT, "USDT", 200_000))
        self.uids: list[int] = []
        for number in range(6):
            (created,) = self.say(commands.CreateOwner(f"owner {number}"))
            assert isinstance(created, OwnerCreated)
            self.uids.append(created.uid)
            self.say(commands.Deposit(created.uid, CONTRACT, "USDT", 6_000_000))
            mode = MarginMode.ISOLATED if number % 2 else MarginMode.CROSSED
            self.say(commands.SetMarginMode(created.uid, SYMBOL, int(mode)))
            self.say(commands.SetLeverage(created.uid, SYMBOL, 50, 50, 50))
        self.say(commands.PostIndex(SYMBOL, "desk", self.index, jump=True))

    def say(self, command: Command) -> list[Event]:
        command.time = self.time
        events = self.engine.apply(command)
        self.applied.append(Applied(self.engine.sequence, command.time, command, events))
        return events

    def walk(self, count: int) -> Floor:
        for _ in range(count):
            self.time += self.choice.choice((0, 1_000, SECOND))
            self.say(self._step())
        return self

    def _step(self) -> Command:
        choice = self.choice
        uid = choice.choice(self.uids)
        act = choice.randrange(20)
        if act < 3:
            self.index = max(5_000, self.index + choice.randint(-150, 150))
            return commands.PostIndex(SYMBOL, "desk", self.index, jump=True)
        if act < 5:
            return commands.Tick()
        if act == 5:
            return commands.CancelContractOrders(uid)
        if act == 6:
            return choice.choice(
                (
                    commands.ClosePositions(uid, SYMBOL),
                    commands.Deposit(uid, CONTRACT, "USDT", 10**6),
                )
            )
        side, position_side = choice.choice((BUY, SELL)), choice.choice((LONG, SHORT))
        quantity = choice.randint(2, 60)
        if act < 9:
            trigger = self.index + choice.randint(-300, 300)
            return commands.PlaceAlgo(
                uid, SYMBOL, side, position_side, choice.randrange(4), quantity, trigger, trigger,
                choice.randrange(2),
            )  # fmt: skip
        if act < 12:
            return commands.PlaceContractOrder(
                uid, SYMBOL, side, position_side, MARKET, IOC, quantity, 0
            )
        price = self.index + choice.randint(-120, 120)
        exits = (Exit(price + 200), Exit(max(1, price - 200))) if act == 12 else (Exit(), Exit())
        return commands.PlaceContractOrder(
            uid, SYMBOL, side, position_side, LIMIT, choice.choice((GTC, GTC, IOC)), quantity,
            price, choice.choice(("", f"c{self.time}")), take_profit=exits[0], stop_loss=exits[1],
        )  # fmt: skip


@pytest.fixture(scope="module")
def floor() -> Floor:
    """A long walk; its last order rests."""
    walked = Floor(seed=23).walk(4_000)
    order = commands.PlaceContractOrder(walked.uids[0], SYMBOL, BUY, LONG, LIMIT, GTC, 2, 100)
    walked.say(commands.Deposit(walked.uids[0], CONTRACT, "USDT", 10**8))
    walked.say(order)
    return walked


@pytest.fixture(scope="module")
def filled(floor: Floor) -> Iterator[Store]:
    store = open_history(None)
    Projector(store, Catalog()).project(floor.applied)
    yield store
    store.close()


def test_the_walk_goes_everywhere(floor: Floor, filled: Store) -> None:
    with transaction(filled.connection):

        def seen(table: str, column: str) -> set[Any]:
            text = f"SELECT DISTINCT {column} FROM {table}"
            return {one for (one,) in filled.connection.execute(text)}

        ends = {OrderStatus.FILLED, OrderStatus.CANCELED, OrderStatus.EXPIRED}
        assert {OrderStatus.NEW, *ends} <= seen("contract_orders", "status")
        assert seen("algo_orders", "status") == {0, 1, 2, 3}
        assert int(AlgoStatus.EXPIRED) in seen("algo_orders", "status")
        assert seen("positions", "margin_mode") == {0, 1}
        assert {0, 1, 2, 3, 5, 6} <= seen("contract_fills", "cause")
        assert {"margin_move_in", "position_close_short", "position_funding"} < seen(
            "income", "kind"
        )
        assert len(seen("liquidations", "liquidation_id")) > 3
        assert len(seen("funding_rates", "due")) > 1
        assert len(seen("price_minutes", "open_time")) > 5
        reduced = "SELECT count(*) FROM contract_orders WHERE reduced > 0"
        assert scalar(filled.connection, reduced) > 0


def test_what_the_engine_says_agrees_with_itself(floor: Floor, filled: Store) -> None:
    assert check(filled.connection, floor.engine) == []


@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_at_any_moment_however_batched(seed: int) -> None:
    floor = Floor(seed)
    store = open_history(None)
    try:
        projector = Projector(store, Catalog())
        for _ in range(12):
            floor.walk(floor.choice.randint(1, 60))
            projector.project(floor.applied[max(projector.last_sequence() - 5, 0) :])
            with transaction(store.connection):
                assert check(store.connection, floor.engine) == []
    finally:
        store.close()


def test_each_liquidation_is_told_in_full(filled: Store) -> None:
    """Every lot that a step wanted is found in a fill, and every deleveraged one by its owner."""
    told = 0
    with transaction(filled.connection):
        for row in liquidation_queries.liquidations(filled.connection, None, 1_000):
            story = liquidation_queries.liquidation(filled.connection, row.liquidation_id)
            assert story is not None
            assert story.liquidation == row
            assert row.finished >= row.time
            by_cause: dict[int, int] = {}
            for fill in story.fills:
                by_cause[fill.cause] = by_cause.get(fill.cause, 0) + fill.quantity
            filled_lots = sum(step.filled for step in story.steps)
            taken_over = sum(step.taken_over for step in story.steps)
            deleveraged = sum(step.deleveraged for step in story.steps)
            assert by_cause.get(int(Cause.LIQUIDATION), 0) == filled_lots
            assert by_cause.get(int(Cause.TAKEOVER), 0) == taken_over
            assert by_cause.get(int(Cause.DELEVERAGE), 0) == deleveraged
            assert sum(each.quantity for each in story.deleveraged) == deleveraged
            assert (
                sum(step.wanted for step in story.steps) == filled_lots + taken_over + deleveraged
            )
            told += len(story.steps)
    assert told > 20


def test_a_venue_taken_up_again_tells_history_its_contracts(floor: Floor, tmp_path: Path) -> None:
    path = tmp_path / "venue.history"
    half = len(floor.applied) // 2
    engine = Engine()
    for done in floor.applied[:half]:
        engine.apply(done.command)

    async def scene() -> None:
        history = await History.start(str(path))
        history.begin(Engine())
        history.follow(floor.applied[:half])
        await history.drain()
        await history.close()
        history = await History.start(str(path))
        history.begin(engine)
        history.follow(floor.applied[half:])
        await history.drain()
        asked = await history.ask(contract_queries.income, IncomeOf(floor.uids[0]), 10)
        assert [type(row) for row in asked] == [IncomeRow] * 10
        await history.close()

    asyncio.run(scene())
    store = open_history(str(path))
    try:
        with transaction(store.connection):
            assert check(store.connection, floor.engine) == []
    finally:
        store.close()


# -- damage --------------------------------------------------------------------------------------

Damage = Callable[[Connection], str]


def _last(connection: Connection, table: str, column: str, where: str = "true") -> int:
    return scalar(connection, f"SELECT max({column}) FROM {table} WHERE {where}")


def _lost_item(connection: Connection) -> str:
    same = " AND ".join(
        f"later.{name} = income.{name}" for name in ("uid", "position_id", "asset", "symbol")
    )
    followed = f"SELECT 1 FROM income AS later WHERE later.bill_id > income.bill_id AND {same}"
    lost = _last(connection, "income", "bill_id", f"amount <> 0 AND EXISTS ({followed})")
    connection.execute("DELETE FROM income WHERE bill_id = ?", (lost,))
    return " is not "


def _altered_item(connection: Connection) -> str:
    bill_id = _last(connection, "income", "bill_id", "position_id = 0")
    change = "UPDATE income SET amount = amount + 1, balance = balance + 1 WHERE bill_id = ?"
    connection.execute(change, (bill_id,))
    return "cross pool, USDT: the last item says"


def _stranger(connection: Connection) -> str:
    item = IncomeRow(1, 5, 0, "USDT", "", "deposit", 7, 0, 7, "", 1)
    connection.execute(insert_statement(IncomeRow), values(item))
    return "items of owner 5, cross pool, USDT, unknown to the engine"


def _other_pool(connection: Connection) -> str:
    connection.execute("UPDATE positions SET margin_mode = 0 WHERE margin_mode = 1")
    return "cross pool, USDT: "


def _lost_fill(connection: Connection) -> str:
    trade_id = _last(connection, "contract_fills", "trade_id")
    lost = "DELETE FROM contract_fills WHERE trade_id = ? AND is_maker = 1"
    connection.execute(lost, (trade_id,))
    return f"contract trade {trade_id} has 1 fills, not 2"


def _altered_fill(connection: Connection) -> str:
    order_id = _last(connection, "contract_fills", "order_id", "cause = 0")
    change = "UPDATE contract_fills SET notional = notional - 1 WHERE order_id = ?"
    connection.execute(change, (order_id,))
    return f"contract order {order_id}: executed"


def _lost_order(connection: Connection) -> str:
    order_id = _last(connection, "contract_fills", "order_id", "cause = 0")
    connection.execute("DELETE FROM contract_orders WHERE order_id = ?", (order_id,))
    return f"fills of contract order {order_id}, which is missing"


def _closed_order(connection: Connection) -> str:
    order_id = _last(connection, "contract_orders", "order_id", "status < 2")
    change = "UPDATE contract_orders SET status = ? WHERE order_id = ?"
    connection.execute(change, (int(OrderStatus.CANCELED), order_id))
    return f"contract order {order_id} (uid, executed, quote, status): the engine says"


def _opened_order(connection: Connection) -> str:
    order_id = _last(connection, "contract_orders", "order_id", "status = 2")
    change = "UPDATE contract_orders SET status = ? WHERE order_id = ?"
    connection.execute(change, (int(OrderStatus.NEW), order_id))
    return f"contract order {order_id} is open in history, not in the engine"


@pytest.mark.parametrize(
    "damage",
    [
        _lost_item, _altered_item, _stranger, _other_pool, _lost_fill, _altered_fill, _lost_order,
        _closed_order, _opened_order,
    ],
)  # fmt: skip
def test_damage_is_found(floor: Floor, filled: Store, damage: Damage) -> None:
    filled.connection.execute("BEGIN")
    words = damage(filled.connection)
    problems = check(filled.connection, floor.engine)
    filled.connection.execute("ROLLBACK")
    assert any(words in problem for problem in problems), problems
    assert len(problems) <= 6 * (PROBLEMS_MAX + 1)
