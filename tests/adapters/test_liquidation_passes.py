"""The story of a liquidation among others of its pool."""

from __future__ import annotations

from contextlib import closing

from support.contract_tape import (
    ALICE,
    ASSETS,
    BID,
    BOB,
    FALL,
    LIQUIDATION,
    LONG_ID,
    PERP,
    SHORT_ID,
    SWEPT,
    SYMBOL,
    TAKEOVER,
)
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Tick
from venue.core.messages.contract_events import (
    ContractListed,
    ContractTrade,
    Leg,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
)
from venue.core.messages.events import AssetRegistered, Event
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions.liquidations import liquidation
from venue.history.sql import transaction
from venue.history.store import open_history
from venue.vocabulary import LONG, SELL, SHORT


def test_two_passes_of_one_instant_are_told_apart() -> None:
    """A pool that is in danger still after a pass gets the next one at once."""
    passes: list[Event] = []
    for number in (FALL, FALL + 10):
        order = number + SWEPT - FALL
        passes += [
            LiquidationStarted(number, ALICE, 0, "USDT", SYMBOL, 1_000, 1_200, 928_043),
            _taken(2 * number, order, 1, LIQUIDATION),
            _taken(2 * number + 1, number, 4, TAKEOVER),
            LiquidationStep(number, LONG_ID, SYMBOL, LONG, 90, 1, 88, 5, 1, 4, 0, 45, 800),
            LiquidationFinished(number, ALICE, 900, 950, 0, 0, 999_800),
        ]
    listed: list[Event] = [*(AssetRegistered(asset) for asset in ASSETS), ContractListed(PERP)]
    commands = [
        Applied(number, 7, Tick(7), said) for number, said in enumerate((listed, passes), 1)
    ]
    with closing(open_history(None)) as store:
        Projector(store, Catalog()).project(commands)
        with transaction(store.connection):
            for number in (FALL, FALL + 10):
                story = liquidation(store.connection, number)
                assert story is not None
                told = [(fill.order_id, fill.quantity) for fill in story.fills]
                assert told == [(number + SWEPT - FALL, 1), (number, 4)]


def _taken(trade: int, order: int, lots: int, cause: int) -> ContractTrade:
    """A trade of a pass: alice's long becomes smaller."""
    amount = lots * 8_800
    bob = Leg(BOB, BID, SHORT_ID, SHORT, False, -amount, 0, 0, -amount, 0, 2 * trade)
    alice = Leg(ALICE, order, LONG_ID, LONG, False, -amount, 0, 0, amount, 0, 2 * trade + 1)
    return ContractTrade(trade, SYMBOL, 88, lots, amount, SELL, 0, 0, cause, bob, alice)
