"""Random owners, orders, modes, marks, crashes and funding: rule 10 holds after every command."""

from __future__ import annotations

from collections import Counter

import pytest

from properties.length import walked
from support.contract_walk import START, UNIT, Walk
from venue.core.engine import Engine
from venue.core.messages.contract_events import (
    ContractTrade,
    Deleveraged,
    FundingDue,
    FundingSettled,
    Income,
    Leg,
    LiquidationStarted,
    LiquidationStep,
    MarkSet,
    PositionClosed,
)
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.state import audit, snapshot
from venue.vocabulary import Cause, MarginMode

pytestmark = pytest.mark.core

COMMANDS = 2_500
RELOAD_EVERY = 97
RICH = 5_000 * START * UNIT
SEEDS = [(seed, fund) for seed in range(6) for fund in (RICH, 2 * START * UNIT, 0)]

NEEDED = (
    "tier step-down",
    "takeover",
    "adl queue",
    "adl pro-rata",
    "stale index",
    "isolated liquidation",
    "cross liquidation",
)


class Items:
    """Facts told by the income items alone: each pool's chain, and its sum (rule 2.4)."""

    def __init__(self) -> None:
        self.pools: dict[tuple[int, int], int] = {}
        self.isolated: set[int] = set()
        self.last = 0

    def fold(self, engine: Engine, events: list[Event]) -> None:
        items: list[tuple[int, int, int, int, int]] = []
        closed = {
            event.position_id: event.margin_mode
            for event in events
            if isinstance(event, PositionClosed)
        }
        for event in events:
            if isinstance(event, Income):
                items.append(
                    (event.bill_id, event.uid, event.position_id, event.amount, event.balance)
                )
            elif isinstance(event, ContractTrade):
                for leg in (event.taker, event.maker):
                    pool = self._pool(engine, leg, closed)
                    items.append((leg.bill_id, leg.uid, pool, leg.amount, leg.balance))
        for bill_id, uid, pool, amount, balance in items:
            assert bill_id > self.last
            self.last = bill_id
            before = self.pools.get((uid, pool), 0)
            assert balance == before + amount, (bill_id, uid, pool)
            self.pools[uid, pool] = balance

    def _pool(self, engine: Engine, leg: Leg, closed: dict[int, int]) -> int:
        if leg.position_id in closed:
            isolated = closed[leg.position_id] == MarginMode.ISOLATED
        else:
            holding = engine.holding(leg.uid)
            isolated = holding.positions[leg.position_id].pool.position_id > 0
        return leg.position_id if isolated else 0

    def agree(self, engine: Engine) -> None:
        """The sum of a pool's items is its collateral, always."""
        for uid, account in engine.ledger.accounts.items():
            assert account.contract[0].collateral == self.pools.get((uid, 0), 0)
            for position_id, pool in account.isolated.items():
                assert pool.collateral == self.pools[uid, position_id]


def reached(events: list[Event], found: Counter[str]) -> None:
    """Count what happened."""
    for event in events:
        match event:
            case LiquidationStarted():
                found["isolated liquidation" if event.position_id else "cross liquidation"] += 1
            case LiquidationStep():
                assert event.filled + event.taken_over + event.deleveraged <= event.wanted
                found["tier step-down"] += event.wanted < event.size
                found["takeover"] += event.taken_over > 0
            case Deleveraged():
                queue = event.symbol == "AAAQQQ"
                found["adl queue" if queue else "adl pro-rata"] += 1
            case FundingDue():
                assert abs(event.rate_ppb) <= 3_000_000
            case FundingSettled():
                assert event.paid >= event.received >= 0
                assert event.paid - event.received <= event.positions
                found["funding"] += event.positions > 0
            case MarkSet():
                found["stale index"] += not event.current
            case ContractTrade():
                found[Cause(event.cause).name] += 1


def run(seed: int, fund: int, found: Counter[str]) -> None:
    walk = Walk(seed, fund)
    engine, twin = Engine(), Engine()
    items = Items()
    for command in walk.opening():
        command.time = walk.time
        items.fold(engine, engine.apply(command))
        twin.apply(command)
    for number in range(COMMANDS):
        before = snapshot.state_hash(engine)
        command = walk.step(engine)
        events = engine.apply(command)
        assert twin.apply(command) == events, (seed, number, command)
        if events and isinstance(events[0], Rejected | OrderRepeated):
            assert snapshot.state_hash(engine) == before, (seed, number, command)
        assert audit.problems(engine) == [], (seed, number, command)
        items.fold(engine, events)
        items.agree(engine)
        reached(events, found)
        if number % RELOAD_EVERY == 0:
            data = snapshot.dump(engine)
            twin = snapshot.load(data)
            assert snapshot.dump(twin) == data


def test_rule_10_holds_and_everything_is_reached() -> None:
    found: Counter[str] = Counter()
    for seed, fund in walked(SEEDS):
        run(seed, fund, found)
    assert {what for what in NEEDED if found[what] == 0} == set(), found
