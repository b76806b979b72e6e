"""Random leads and followers among random trade: rule 10 and rule 9.4 after every command."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from properties.length import walked
from properties.test_contracts import RICH, Items
from support.contract_walk import START, UNIT
from support.copying_walk import CopyingWalk
from venue.core.engine import Engine
from venue.core.messages.contract_events import ContractTrade, Income
from venue.core.messages.copy_events import (
    CopyClosed,
    CopyOpened,
    CopyRefused,
    CopySettled,
    TrackClosed,
)
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.state import audit, snapshot
from venue.vocabulary import Cause, Reject

pytestmark = pytest.mark.core

COMMANDS = 2_500
RELOAD_EVERY = 97
SEEDS = [
    (seed, fund)
    for seed in range(int(os.environ.get("VENUE_COPY_WALKS", "6")))
    for fund in (RICH, 2 * START * UNIT)
]
COPY = int(Cause.COPY)

NEEDED = (
    "tracking_follow_pay",
    "tracking_system_pre_receive",
    "tracking_follow_back",
    "tracking_trader_income",
    "tracking_third_party_share",
    "CopyOpened",
    "CopyClosed",
    "TrackClosed",
    "CopySettled",
    "COPY",
    "behind",
    "liquidated copy",
)


def reached(engine: Engine, events: list[Event], found: Counter[str]) -> None:
    """Count what happened; the five types add up to nothing, command by command."""
    total = 0
    for event in events:
        match event:
            case Income():
                if event.kind.startswith("tracking_"):
                    total += event.amount
                    found[event.kind] += 1
            case ContractTrade():
                found["COPY"] += event.cause == COPY
            case CopyRefused():
                found[f"refused {Reject(event.reason).name}"] += 1
            case CopySettled():
                assert 0 <= event.third <= event.paid
                assert event.back >= 0
                found["CopySettled"] += 1
            case CopyOpened() | CopyClosed() | TrackClosed():
                found[type(event).__name__] += 1
                found["liquidated copy"] += isinstance(event, CopyClosed) and any(
                    isinstance(other, ContractTrade)
                    and other.cause in (Cause.LIQUIDATION, Cause.TAKEOVER)
                    for other in events
                )
    assert total == 0
    found["behind"] += bool(engine.copying.books.behind)


def run(seed: int, fund: int, found: Counter[str]) -> None:
    walk = CopyingWalk(seed, fund)
    engine, twin = Engine(), Engine()
    items = Items()
    for command in walk.opening():
        command.time = walk.walk.time
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
        reached(engine, events, found)
        if number % RELOAD_EVERY == 0:
            data = snapshot.dump(engine)
            twin = snapshot.load(data)
            assert snapshot.dump(twin) == data


def test_rule_10_holds_with_leads_and_followers() -> None:
    found: Counter[str] = Counter()
    for seed, fund in walked(SEEDS):
        run(seed, fund, found)
    assert {what for what in NEEDED if found[what] == 0} == set(), found
