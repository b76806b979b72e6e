"""Private frames of random sessions, against history's rows and the engine's last state."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from msgspec import json, to_builtins

from support import walk as spot_walk
from support.contract_walk import START, UNIT, Walk
from support.private_room import Record
from venue.api.names import ALGO_STATUS_NAMES, STATUS_NAMES
from venue.core.contract.position import wallet
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, PlaceOrder
from venue.core.messages.contract_events import Income
from venue.core.state import snapshot
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.sql import Where, select
from venue.history.store import Store, open_history
from venue.history.tables.contract import Conditional, ContractFill, ContractOrder, EndedPosition
from venue.history.tables.spot import OrderRow, SpotFill
from venue.history.tables.table import Table, columns, values
from venue.recording import items, spot_items
from venue.recording.changes import Changes
from venue.recording.frames import PrivateFrames
from venue.texts import amount_text, fill_id, quantity_text
from venue.vocabulary import IncomeType, Product

COMMANDS = 2_500
RESERVED = (1, 2)  # the fee account and the insurance fund


class Session:
    """An engine, and the frames made command by command."""

    def __init__(self) -> None:
        self.engine = Engine()
        self.applied: list[Applied] = []
        self.record = Record()
        self._frames = PrivateFrames(self.engine, lambda uid: uid not in RESERVED)

    def say(self, command: Command) -> None:
        applied = Applied(
            self.engine.sequence + 1, command.time, command, self.engine.apply(command)
        )
        self.applied.append(applied)
        self.record.take(self._frames.frames(applied))

    def history(self) -> Store:
        store = open_history(None)
        Projector(store, Catalog()).project(self.applied)
        return store

    def restart(self) -> None:
        """Frames of a venue that knows no more than its engine."""
        self.engine = snapshot.load(snapshot.dump(self.engine))
        self._frames = PrivateFrames(self.engine, lambda uid: uid not in RESERVED)


def rows(store: Store, table: Table) -> list[dict[str, Any]]:
    """All rows of owners that somebody can be."""
    found = [
        dict(zip(columns(table), values(row), strict=True))
        for row in select(store.connection, table, Where())
    ]
    return [row for row in found if row["uid"] not in RESERVED]


def contract_session(seed: int, fund: int, restarts: int = 0) -> Session:
    session = Session()
    walk = Walk(seed, fund)
    for command in walk.opening():
        command.time = walk.time
        session.say(command)
    for number in range(COMMANDS):
        session.say(walk.step(session.engine))
        if restarts and number % restarts == restarts - 1:
            session.restart()
    return session


def spot_session() -> Session:
    session = Session()
    for command in spot_walk.opening():
        session.say(command)
    choice = Random(3)
    for number in range(COMMANDS):
        command = spot_walk.step(choice)
        command.time = number * 300_000_000  # client ids come free again after a day
        if isinstance(command, PlaceOrder) and number % 3:
            command.client_id = ""
        session.say(command)
    return session


def test_spot_frames_agree_with_history() -> None:
    session = spot_session()
    engine, record = session.engine, session.record
    market = engine.spot.markets["AAAQQQ"]
    instrument, assets = market.instrument, engine.ledger.assets
    quote, coins = assets[market.quote], {asset.name: asset for asset in assets}
    store = session.history()
    both = both_sides(rows(store, SpotFill))
    fills = [
        (row["uid"], own_id(row, both), str(row["order_id"]), bool(row["is_maker"]),
         quantity_text(instrument, row["quantity"]), amount_text(quote, row["notional"]),
         amount_text(coins[row["fee_asset"]], row["fee"]))
        for row in rows(store, SpotFill)
    ]  # fmt: skip
    assert len(fills) > 1_000
    assert sorted(told(record, Product.SPOT)) == sorted(fills)
    orders = rows(store, OrderRow)
    fees: dict[str, int] = {}
    for row in rows(store, SpotFill):
        fees[str(row["order_id"])] = fees.get(str(row["order_id"]), 0) + row["fee"]
    for row in orders:
        item = record.orders[str(row["order_id"])]
        assert item["status"] == STATUS_NAMES[row["status"]]
        assert item["cumFillSize"] == quantity_text(instrument, row["executed"])
        assert item["cumFillValue"] == amount_text(quote, row["quote"])
        paid_in = coins[instrument.quote if row["side"] else instrument.base]
        assert item["cumFillFee"] == amount_text(paid_in, fees.get(item["id"], 0))
        assert item["updatedTime"] == str(row["update_time"] // 1000)
    assert len(record.orders) == len(orders)
    store.close()
    for (channel, _, uid, coin), item in record.last.items():
        assert channel == "account"
        now = spot_items.account_item(engine, engine.account(uid), engine.ledger.ordinals[coin])
        assert item == json.decode(now)


@pytest.mark.parametrize(
    ("seed", "fund"), [(0, 5_000 * START * UNIT), (1, 0), (2, 2 * START * UNIT)]
)
def test_contract_frames_agree_with_history(seed: int, fund: int) -> None:
    session = contract_session(seed, fund)
    record, store = session.record, session.history()
    markets = session.engine.contracts.markets
    (asset,) = (one for one in session.engine.ledger.assets if one.name == "QQQ")
    fills = rows(store, ContractFill)
    assert len(fills) > 400
    both = both_sides(fills)
    assert sorted(told(record, Product.CONTRACT)) == sorted(
        (row["uid"], own_id(row, both), str(row["order_id"]), bool(row["is_maker"]),
         quantity_text(markets[row["symbol"]].market.instrument, row["quantity"]),
         amount_text(asset, row["notional"]), amount_text(asset, row["fee"]))
        for row in fills
    )  # fmt: skip
    assert sum(row["realized"] for row in fills) == sum(
        atoms(item["realizePnl"]) for item in record.fills[Product.CONTRACT]
    )
    assert sum(atoms(item["liquidateFee"]) for item in record.fills[Product.CONTRACT]) == sum(
        event.amount
        for applied in session.applied
        for event in applied.events
        if isinstance(event, Income) and event.kind == IncomeType.ORDER_LIQUIDATE_FEE_INCOME
    )
    orders, conditionals = rows(store, ContractOrder), rows(store, Conditional)
    for row in orders:
        item = record.orders[str(row["order_id"])]
        instrument = markets[row["symbol"]].market.instrument
        own = [fill for fill in fills if fill["order_id"] == row["order_id"]]
        assert item["status"] == STATUS_NAMES[row["status"]], item
        assert item["cumFillSize"] == quantity_text(instrument, row["executed"])
        assert item["cumFillValue"] == amount_text(asset, row["quote"])
        assert item["cumFillFee"] == amount_text(asset, sum(fill["fee"] for fill in own))
        assert item["updatedTime"] == str(row["update_time"] // 1000)
    for row in conditionals:
        item = record.orders[str(row["algo_id"])]
        assert item["status"] == ALGO_STATUS_NAMES[row["status"]], item
        assert item["updatedTime"] == str(row["update_time"] // 1000)
    assert len(record.orders) == len(orders) + len(conditionals)
    agree_on_positions(session, rows(store, EndedPosition))
    agree_on_money(session, fills)
    store.close()


def test_from_the_engine_alone_the_same_is_told_but_for_old_fees() -> None:
    whole, broken = contract_session(5, 0).record, contract_session(5, 0, restarts=40).record
    assert broken.fills == whole.fills
    assert broken.statuses == whole.statuses
    # A conditional order without a client id, which only an engine takes, leaves no trace in it.
    since = {"cumFillFee", "cumRealizePnl", "cumLiquidateFee", "latestFillPrice", "maxFillPrice",
             "minFillPrice", "positionTpsl", "triggerPrice", "triggerPriceTime", "triggerPriceType",
             "triggerPriceValue", "triggerTime", "type"}  # fmt: skip
    assert {
        name
        for number, item in whole.orders.items()
        for name in item
        if broken.orders[number][name] != item[name]
    } <= since


def test_what_has_ended_is_forgotten() -> None:
    """Also of the fund, which trades and holds positions but is told nothing."""
    engine = Engine()
    walk = Walk(2, 2 * START * UNIT)
    changes = Changes(engine, lambda uid: uid not in RESERVED)
    for command in walk.opening():
        command.time = walk.time
        follow(engine, changes, command)
    for _ in range(COMMANDS):
        follow(engine, changes, walk.step(engine))
        open_now = [engine.holding(uid) for uid in engine.ledger.accounts if uid not in RESERVED]
        assert sorted(changes.orders) == sorted(n for own in open_now for n in own.orders)
        assert sorted(changes.conditionals) == sorted(n for own in open_now for n in own.algos)
        assert sorted(changes.positions) == sorted(n for own in open_now for n in own.positions)


def follow(engine: Engine, changes: Changes, command: Command) -> None:
    events = engine.apply(command)
    changes.forget(changes.fold(Applied(engine.sequence, command.time, command, events)))


def both_sides(fills: list[dict[str, Any]]) -> set[tuple[int, int]]:
    """Owners with the trades that they made with themselves."""
    seen = Counter((row["uid"], row["trade_id"]) for row in fills)
    return {side for side, times in seen.items() if times == 2}


def own_id(row: dict[str, Any], both: set[tuple[int, int]]) -> str:
    """A fill's id; the maker's side of a trade with oneself has another one."""
    second = bool(row["is_maker"]) and (row["uid"], row["trade_id"]) in both
    return str(fill_id(row["trade_id"], second=second))


def told(record: Record, product: Product) -> list[tuple[Any, ...]]:
    """Every fill that an owner was told."""
    return [
        (item["uid"], item["id"], item["orderId"], item["direction"] == "MAKER", item["fillSize"],
         item["fillValue"], item["fillFee"])
        for item in record.fills[product]
    ]  # fmt: skip


def atoms(text: str) -> int:
    return int(text.replace(".", ""))


def agree_on_positions(session: Session, closed: list[dict[str, Any]]) -> None:
    """The last item of each is what there is, or has size 0."""
    shown = {
        int(number): item
        for (channel, _, _, number), item in session.record.last.items()
        if channel == "positions"
    }
    assert len(closed) > 20
    for row in closed:
        item = shown.pop(row["position_id"])
        assert (item["size"], item["openValue"]) == ("0", "0.00")
        assert atoms(item["cumCloseFee"]) == row["close_fee"]
        assert atoms(item["cumFundingFee"]) == row["funding_fee"]
    for uid in session.engine.ledger.accounts:
        if uid in RESERVED:
            continue
        for held in session.engine.holding(uid).positions.values():
            now = to_builtins(items.position_item(session.engine, held))
            assert shown.pop(held.position_id) == now
    assert shown == {}


def agree_on_money(session: Session, fills: list[dict[str, Any]]) -> None:
    for (channel, _, uid, _), item in session.record.last.items():
        if channel != "account":
            continue
        pools = session.engine.holding(uid).pools_in(0)
        assert atoms(item["legacyAmount"]) == sum(wallet(pool) for pool in pools)
        own = [fill for fill in fills if fill["uid"] == uid]
        assert atoms(item["cumPositionFillFeeAmount"]) == sum(fill["fee"] for fill in own)
        traded = sum(
            atoms(item[f"cumPosition{way}{side}Amount"])
            for way in ("Open", "Close")
            for side in ("Long", "Short")
        )
        assert traded == sum(fill["notional"] for fill in own)
