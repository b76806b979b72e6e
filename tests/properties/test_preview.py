"""A preview is what then happens, and has no effect: random orders on both products."""

from __future__ import annotations

import random

import pytest

from support import walk as spot_walk
from support.contract_walk import START, UNIT, Walk
from venue.core.contract import preview as contract
from venue.core.contract.collateral import available
from venue.core.contract.position import liquidation_mark
from venue.core.engine import Engine
from venue.core.messages.commands import PlaceContractOrder, PlaceOrder
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTrade,
)
from venue.core.messages.events import Event, OrderClosed, OrderPlaced, Trade
from venue.core.spot import preview as spot
from venue.core.state import snapshot
from venue.vocabulary import BUY

COMMANDS = 1_500
SEEDS = range(1, 7)


def copy_of(engine: Engine) -> Engine:
    """The same venue once more, to be changed on its own."""
    return snapshot.load(snapshot.dump(engine))


# -- contracts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_contract_orders(seed: int) -> None:
    walk, engine, twin = Walk(seed, 50 * START * UNIT), Engine(), Engine()
    for command in walk.opening():
        command.time = walk.time
        assert engine.apply(command) == twin.apply(command)
    seen = dict.fromkeys(("refused", "filled", "rested", "ended", "told", "closed"), 0)
    for _ in range(COMMANDS):
        command = walk.step(engine)
        if isinstance(command, PlaceContractOrder):
            before = snapshot.dump(engine)
            found = contract.preview(engine.contracts, command)
            assert snapshot.dump(engine) == before
            placed = copy_of(engine)  # without what follows from its trades
            events = placed.contracts.place(command)
            if isinstance(found, list):
                assert found == events
                seen["refused"] += 1
            else:
                _compare(placed, command, found, events, seen)
        # The twin was shown nothing: any trace of a preview would tell them apart.
        assert engine.apply(command) == twin.apply(command)
    assert snapshot.dump(engine) == snapshot.dump(twin)
    assert all(seen.values()), seen


def _compare(
    engine: Engine,
    command: PlaceContractOrder,
    found: contract.ContractOutlook,
    events: list[Event],
    seen: dict[str, int],
) -> None:
    placed = events[0]
    assert isinstance(placed, ContractOrderPlaced), events
    trades = [event for event in events if isinstance(event, ContractTrade)]
    fills = [(trade.price, trade.quantity, trade.taker.fee) for trade in trades]
    assert found.fills == fills
    assert found.fee == sum(fee for _, _, fee in fills)
    assert found.rests == placed.resting
    ended = [one for one in events if isinstance(one, ContractOrderClosed)]
    statuses = [one.status for one in ended if one.order_id == placed.order_id]
    left = placed.quantity - sum(trade.quantity for trade in trades)
    assert bool(statuses) == (left > 0 and not found.rests)
    if statuses:
        assert statuses == [found.status]
    assert set(found.ended) <= {one.order_id for one in ended}
    holding = engine.holding(command.uid)
    order = holding.orders.get(placed.order_id)
    assert (order.terms.margin if order is not None else 0) == found.held
    seen["filled"] += bool(fills)
    seen["rested"] += found.rests > 0
    seen["ended"] += bool(found.ended)
    perp = engine.contracts.markets[command.symbol]
    if perp.settlement is not None or perp.due <= command.time:
        return  # funding comes between
    assert available(engine.holding(command.uid), perp.asset) == found.available
    if fills:
        _compare_position(engine, found, trades[-1], seen)


def _compare_position(
    engine: Engine,
    found: contract.ContractOutlook,
    trade: ContractTrade,
    seen: dict[str, int],
) -> None:
    holding = engine.holding(trade.taker.uid)
    position = holding.positions.get(trade.taker.position_id)
    if position is None:
        assert found.size == 0
        seen["closed"] += 1
        return
    assert (position.quantity, position.value) == (found.size, found.value)
    if found.liquidation != contract.UNTOLD:
        assert found.liquidation == liquidation_mark(position)
        seen["told"] += 1


# -- spot -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_spot_orders(seed: int) -> None:
    choice, engine, twin = random.Random(seed), Engine(), Engine()
    for command in spot_walk.opening():
        assert engine.apply(command) == twin.apply(command)
    seen = dict.fromkeys(("refused", "filled", "rested", "ended"), 0)
    for number in range(COMMANDS):
        command = spot_walk.step(choice)
        command.time = number * 60 * 10**6
        found = None
        if isinstance(command, PlaceOrder):
            before = snapshot.dump(engine)
            found = spot.preview(engine.spot, command)
            assert snapshot.dump(engine) == before
        events = engine.apply(command)
        assert events == twin.apply(command)
        if isinstance(found, list):
            assert found == events
            seen["refused"] += 1
        elif found is not None:
            assert isinstance(command, PlaceOrder)
            _compare_spot(engine, command, found, events, seen)
    assert snapshot.dump(engine) == snapshot.dump(twin)
    assert all(seen.values()), seen


def _compare_spot(
    engine: Engine,
    command: PlaceOrder,
    found: spot.SpotOutlook,
    events: list[Event],
    seen: dict[str, int],
) -> None:
    placed = events[0]
    assert isinstance(placed, OrderPlaced), events
    buy = command.side == BUY
    trades = [event for event in events if isinstance(event, Trade)]
    fills = [(one.price, one.quantity, one.base_fee if buy else one.quote_fee) for one in trades]
    assert found.fills == fills
    assert found.fee == sum(fee for _, _, fee in fills)
    assert found.quote == sum(trade.notional for trade in trades)
    assert found.rests == placed.resting
    ended = [one for one in events if isinstance(one, OrderClosed)]
    own = [one for one in ended if one.order_id == placed.order_id]
    assert [one.status for one in own] in ([], [found.status])
    assert found.ended == [one.order_id for one in ended if one not in own]
    order = engine.spot_account(command.uid).orders.get(placed.order_id)
    market = engine.spot.markets[command.symbol]
    held = 0
    if order is not None:
        each = order.price * market.unit_atoms if buy else market.lot_atoms
        held = order.remaining * each
        assert order.status == found.status
    assert held == found.held
    seen["filled"] += bool(fills)
    seen["rested"] += found.rests > 0
    seen["ended"] += bool(found.ended)
