"""Contract agents: the same for a seed, books alive around the index, bounded positions."""

from __future__ import annotations

import pytest

from venue.core.contract.position import notional
from venue.core.contract.records import Holding, Perpetual, Position
from venue.core.contract.reference.funding import funding_rate
from venue.core.engine import Engine
from venue.core.messages.commands import Command, Deposit, PlaceContractOrder, Tick
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Event, Rejected
from venue.core.state.snapshot import state_hash
from venue.core.units import PPM
from venue.lab import demo
from venue.lab.agents.contract import (
    MAKER_UNITS,
    MAKERS,
    TAKER_UNITS,
    TAKERS,
    ContractAgents,
)
from venue.lab.agents.spot import STEP_US, Agents
from venue.vocabulary import BUY, IOC, LONG, MARKET, SELL, SHORT, PositionSide, Wallet

EPOCH = 1_764_600_000_000_000  # on a Monday at 14:40 UTC, within all market hours
TICK_STEPS = 5  # a second


class Market:
    """A practice venue's engine with all agents, driven without a server."""

    def __init__(self, seed: int) -> None:
        self.engine = Engine()
        self.time = EPOCH
        self.steps = 0
        self.trades: dict[str, int] = {}
        self.act(demo.genesis())
        self.act(demo.funding(self.engine.ledger.names))
        starts = {symbol: start.price for symbol, start in demo.STARTS.items()}
        self.spot = Agents(self.engine, seed, starts)
        self.agents = ContractAgents(self.engine, seed, demo.FOLLOWED, demo.POSTED)
        for agents in (self.spot, self.agents):
            self.act(agents.founding())
            self.act(agents.funding())
        self.act(self.spot.step())
        self.act([Tick()])

    def act(self, commands: list[Command]) -> list[Event]:
        events = []
        for command in commands:
            command.time = self.time
            events += self.engine.apply(command)
        assert not any(isinstance(event, Rejected) for event in events), events
        for event in events:
            if isinstance(event, ContractTrade):
                self.trades[event.symbol] = self.trades.get(event.symbol, 0) + 1
        return events

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.act(self.spot.step())
            self.act(self.agents.step(self.time))
            self.time += STEP_US
            self.steps += 1
            if self.steps % TICK_STEPS == 0:
                self.act([Tick()])

    def perps(self) -> list[Perpetual]:
        return list(self.engine.contracts.markets.values())

    def holding(self, habit: str, perp: Perpetual) -> Holding:
        name = f"agent-contract-{habit}-{perp.symbol}"
        return self.engine.holding(self.engine.ledger.names[name])

    def positions(self, habit: str, perp: Perpetual) -> list[Position]:
        return list(self.holding(habit, perp).positions.values())


@pytest.fixture(scope="module")
def market() -> Market:
    found = Market(seed=3)
    found.run(2_500)
    return found


def test_a_seed_gives_one_market() -> None:
    hashes = []
    for seed in (1, 1, 2):
        made = Market(seed)
        made.run(40)
        hashes.append(state_hash(made.engine))
    assert hashes[0] == hashes[1] != hashes[2]


def test_books_are_alive_around_a_current_index(market: Market) -> None:
    for perp in market.perps():
        assert perp.current
        book = perp.market.book
        assert len(list(book.bids.walk())) >= 15
        assert len(list(book.asks.walk())) >= 15
        mid = book.twice_mid() // 2
        assert abs(mid - perp.index_price) * PPM < 2_000 * perp.index_price, perp.symbol
        assert market.trades[perp.symbol] > 100


def test_contracts_are_not_in_doubt_under_the_agents(market: Market) -> None:
    """Ten more minutes of venue time: not a tick in doubt (bench/doubt.py takes a day)."""
    for _ in range(60):
        market.run(10 * TICK_STEPS)
        assert [perp.symbol for perp in market.perps() if perp.doubt] == []


def test_demo_contracts_follow_the_live_ones(market: Market) -> None:
    for perp in market.perps():
        live = market.engine.contracts.markets[demo.FOLLOWED[perp.symbol]]
        assert abs(perp.index_price - live.index_price) * PPM < 2_000 * live.index_price


def test_funding_is_plausible(market: Market) -> None:
    for perp in market.perps():
        assert perp.premium_count > 50
        rate = funding_rate(perp, market.engine.time)
        assert 0 <= rate <= 300_000, perp.symbol  # ppb: 0.03 % in eight hours


def test_positions_are_bounded(market: Market) -> None:
    unit = 10**demo.SCALE
    for perp in market.perps():
        for taker in TAKERS:
            held = market.positions(taker.name, perp)
            assert {position.side for position in held} == set(PositionSide)
            size = taker.size_units * 2
            assert sum(map(notional, held)) <= (TAKER_UNITS + size) * unit
        for maker in MAKERS:
            quoted = maker.levels * maker.size_units * 2
            for position in market.positions(maker.name, perp):
                assert notional(position) <= (MAKER_UNITS + quoted) * unit


def test_makers_that_hold_enough_only_close() -> None:
    made = Market(seed=5)
    made.run(20)
    perp = made.perps()[0]
    alice = made.engine.ledger.names["alice"]
    _, deep = MAKERS
    made.act([Deposit(alice, int(Wallet.CONTRACT), demo.LIVE, 10 * MAKER_UNITS * 10**demo.SCALE)])
    for _ in range(40):  # buys all that the makers may sell short, and more
        lots = MAKER_UNITS * 10**demo.SCALE // (20 * perp.mark * perp.unit)
        buy = PlaceContractOrder(alice, perp.symbol, BUY, LONG, MARKET, IOC, lots, 0)
        buy.time = made.time
        made.engine.apply(buy)
        made.run(2)
    held = {position.side: position for position in made.positions(deep.name, perp)}
    most = MAKER_UNITS * 10**demo.SCALE
    assert most <= notional(held[SHORT]) <= most + deep.levels * deep.size_units * 2 * 10**8
    holding = made.holding(deep.name, perp)
    opening = {
        order.side
        for order in holding.orders.values()
        if order.terms is not None and order.terms.opens
    }
    assert SELL not in opening
    newest: list[bool] = []
    for _ in range(10):  # as the price moves, its bids become bids that close
        made.run(200)
        bids = [order for order in holding.orders.values() if order.side == BUY]
        assert len(bids) == deep.levels
        newest = [order.terms is not None and order.terms.opens for order in bids[-4:]]
        if not any(newest):
            break
    assert newest == [False] * 4


def test_a_restarted_market_founds_nothing_twice(market: Market) -> None:
    again = ContractAgents(market.engine, 3, demo.FOLLOWED, demo.POSTED)
    assert again.founding() == []
    assert again.funding() == []


def test_a_halted_contract_is_left_alone() -> None:
    made = Market(seed=1)
    perp = made.perps()[0]
    perp.market.halted = True
    made.run(3)
    assert not perp.market.book.bid
    assert perp.market.last_price == 0
