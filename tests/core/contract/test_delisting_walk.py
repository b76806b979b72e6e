"""A contract ends in the midst of random trading with copies, hedges, isolated and separated pools:
money stays whole, and every position is closed (rule 1.8)."""

from __future__ import annotations

import pytest

from support.contract_walk import SYMBOLS
from support.copying_walk import CopyingWalk
from venue.core.contract.collateral import FUND_UID
from venue.core.contract.risk.delisting import settle_range
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import ContractSettled, ContractTrade
from venue.core.messages.events import Event, Rejected
from venue.core.state import audit, snapshot
from venue.vocabulary import CAUSE_DELISTING

pytestmark = pytest.mark.core

BEFORE = 700  # commands of trading before the announcement
BETWEEN = 40
FUND = 5_000_000


class Ending:
    """A random venue in which one contract ends."""

    def __init__(self, seed: int) -> None:
        self.walk = CopyingWalk(seed, FUND)
        self.random = self.walk.random
        self.engine = Engine()
        self.symbol = SYMBOLS[seed % len(SYMBOLS)]
        for command in self.walk.opening():
            self.apply(command)

    def apply(self, command: Command) -> list[Event]:
        command.time = self.walk.walk.time
        events = self.engine.apply(command)
        assert audit.problems(self.engine) == [], command
        return events

    def trade(self, count: int) -> list[Event]:
        """Random commands."""
        events: list[Event] = []
        for _ in range(count):
            events += self.apply(self.walk.step(self.engine))
        return events

    def rest(self) -> list[Event]:
        events: list[Event] = []
        for _ in range(2_000):
            if not self.engine.pending():
                return events
            events += self.apply(commands.Proceed())
        raise AssertionError("it goes on without an end")

    def money(self) -> int:
        total = sum(self.engine.ledger.dust)
        for account in self.engine.ledger.accounts.values():
            for cash in (*account.contract, *account.isolated.values()):
                total += cash.collateral
        return total


@pytest.mark.parametrize("seed", range(12))
def test_a_contract_ends_in_the_midst_of_trading(seed: int) -> None:
    play = Ending(seed)
    play.trade(BEFORE)
    perp = play.engine.contracts.markets[play.symbol]
    held = len(perp.positions)
    play.apply(commands.DelistContract(play.symbol))
    interest = perp.open_interest
    play.trade(BETWEEN)
    play.rest()
    assert perp.open_interest <= interest, "nothing was opened"
    lowest, highest = settle_range(perp)
    price = play.random.choice([lowest, highest, play.random.randint(lowest, highest)])
    funded = play.engine.holding(FUND_UID)
    whole = play.money()
    events = play.apply(commands.SettleContract(play.symbol, price))
    assert not isinstance(events[0], Rejected), events
    kept = snapshot.dump(play.engine)
    events += play.rest()
    done = snapshot.state_hash(play.engine)
    assert isinstance(_settled(events), ContractSettled)
    assert perp.positions == {}
    assert perp.open_interest == 0
    assert play.money() == whole
    for uid in play.engine.ledger.accounts:
        holding = play.engine.holding(uid)
        assert all(order.market.symbol != play.symbol for order in holding.orders.values())
        assert all(algo.perp is not perp for algo in holding.algos.values())
    assert funded.modes_in(perp).longs == []
    paid = [one for one in events if isinstance(one, ContractTrade)]
    paid = [one for one in paid if one.cause == CAUSE_DELISTING]
    assert {trade.price for trade in paid} <= {price}
    assert held, "the walk opened positions"
    # The same from a snapshot, slice by slice.
    other = snapshot.load(kept)
    for _ in range(2_000):
        if not other.pending():
            break
        command = commands.Proceed()
        command.time = play.walk.walk.time
        other.apply(command)
        other = snapshot.load(snapshot.dump(other))
    assert snapshot.state_hash(other) == done
    play.trade(60)
    assert perp.positions == {}


def _settled(events: list[Event]) -> Event | None:
    found = [event for event in events if isinstance(event, ContractSettled)]
    assert len(found) == 1
    return found[0]
