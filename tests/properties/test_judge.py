"""The judge of contracts agrees with the engine through crashes, funding and empty funds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from properties.agreement import compare_all
from properties.earning_world import Opened, World
from properties.hearing import Wrong
from properties.judge import Judge
from properties.length import walked
from properties.planted import LOAN
from support.contract_walk import START, UNIT, Walk
from venue.core.engine import Engine
from venue.core.messages.commands import Command, PlaceContractOrder
from venue.core.messages.contract_events import ContractOrderPlaced, ContractTrade, Income
from venue.core.messages.events import Event
from venue.vocabulary import BUY, LONG, SELL, SHORT

pytestmark = pytest.mark.core

COMMANDS = 1_500
COMPARE_EVERY = 97
RICH = 5_000 * START * UNIT


@pytest.mark.parametrize("fund", [RICH, 2 * START * UNIT, 0])
@pytest.mark.parametrize("seed", walked(range(20, 24)))
def test_random_walks_are_judged(seed: int, fund: int) -> None:
    walk = Walk(seed, fund)
    engine = Engine()
    judge = Judge(bound=fund == RICH)
    for command in walk.opening():
        command.time = walk.time
        judge.judge(engine, command, engine.apply(command))
    for number in range(COMMANDS):
        command = walk.step(engine)
        judge.judge(engine, command, engine.apply(command))
        if number % COMPARE_EVERY == 0:
            compare_all(engine, judge.owners)
    assert any(owner.lost for owner in judge.owners.values())


# -- the judge sees what is wrong ----------------------------------------------------------------


class Court:
    """A small story whose last command's events can be changed before they are judged."""

    def __init__(self) -> None:
        self.play = Opened(World(True, (0, 0), money=40, levels=1)).begin()

    def order(self, who: int, side: int, way: int, lots: int, price: int, tif: int = 0) -> Command:
        uid = self.play.world.group[who]
        kind = 0 if price else 1
        return PlaceContractOrder(uid, "AAAQQQ", side, way, kind, tif, lots, price)

    def sweep(self) -> list[Event]:
        """The first member rests two sells at one price, the second takes of the first of them."""
        for lots in (5, 6):
            self.play.apply(self.order(0, SELL, SHORT, lots, 10_010))
        self.command = self.order(1, BUY, LONG, 5, 10_010)
        self.command.time = self.play.time
        return self.play.engine.apply(self.command)

    def judge(self, events: list[Event]) -> None:
        self.play.judge.judge(self.play.engine, self.command, events)


def test_the_judge_follows_an_honest_trade() -> None:
    court = Court()
    court.judge(court.sweep())
    court.play.end()


def wrong_price(trade: ContractTrade) -> ContractTrade:
    return replace(trade, price=trade.price + 1, notional=trade.notional + 500)


def wrong_priority(trade: ContractTrade) -> ContractTrade:
    later = replace(trade.maker, order_id=trade.maker.order_id + 1)
    return replace(trade, maker=later, maker_remaining=1)


def wrong_fee(trade: ContractTrade) -> ContractTrade:
    taker = trade.taker
    less = replace(taker, fee=taker.fee - 1, amount=taker.amount + 1, balance=taker.balance + 1)
    return replace(trade, taker=less)


def wrong_balance(trade: ContractTrade) -> ContractTrade:
    return replace(trade, maker=replace(trade.maker, balance=trade.maker.balance + 1))


def wrong_value(trade: ContractTrade) -> ContractTrade:
    return replace(trade, taker=replace(trade.taker, open_value=trade.taker.open_value - 1))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (wrong_price, "not the maker's price"),
        (wrong_priority, "was passed over"),
        (wrong_fee, "a fee of"),
        (wrong_balance, "ends at"),
        (wrong_value, "open value"),
    ],
)
def test_the_judge_sees(change: Callable[[ContractTrade], ContractTrade], words: str) -> None:
    court = Court()
    said = court.sweep()
    events: list[Event] = [change(e) if isinstance(e, ContractTrade) else e for e in said]
    with pytest.raises(Wrong, match=words):
        court.judge(events)


def test_the_judge_misses_money() -> None:
    court = Court()
    said = court.sweep()
    events: list[Event] = [event for event in said if not isinstance(event, Income)]
    with pytest.raises(Wrong, match="money of the items"):
        court.judge(events)


def test_the_judge_sees_a_ledger_that_says_something_else() -> None:
    court = Court()
    events = court.sweep()
    court.play.engine.account(court.play.world.group[0]).contract[0].collateral += 1
    with pytest.raises(Wrong, match="collateral of"):
        court.judge(events)


def test_the_judge_sees_who_spends_what_it_has_not() -> None:
    court = Court()
    play = court.play
    play.apply(court.order(0, SELL, SHORT, 1_900, 10_000))
    taker = play.world.group[1]
    play.engine.account(taker).contract[0].held -= LOAN
    court.command = court.order(1, BUY, LONG, 1_940, 10_025, 1)
    court.command.time = play.time
    events = play.engine.apply(court.command)
    play.engine.account(taker).contract[0].held += LOAN
    with pytest.raises(Wrong, match="available of"):
        court.judge(events)


def test_a_cut_fok_is_seen() -> None:
    court = Court()
    court.play.apply(court.order(0, SELL, SHORT, 5, 10_010))
    court.command = court.order(1, BUY, LONG, 9, 10_010, 1)
    court.command.time = court.play.time
    events = court.play.engine.apply(court.command)
    placed = events[0]
    assert isinstance(placed, ContractOrderPlaced)
    changed: list[Event] = [replace(placed, time_in_force=2), *events[1:]]
    with pytest.raises(Wrong, match="FOK order was cut"):
        court.judge(changed)
