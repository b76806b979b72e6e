"""Makers of the venue's own move their quotes in one command (rule 2.9)."""

from __future__ import annotations

import pytest

from support.contract_world import SYMBOL, ContractWorld
from support.world import BTCUSDT, BUY, LOT, NOBODY, SELL, UNIT, World, refusal
from venue.core import ranges
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractOrderClosed, ContractOrderPlaced
from venue.core.messages.events import OrderClosed, OrderPlaced, OwnerCreated
from venue.core.messages.quote_commands import (
    MAKERS_MAX,
    QUOTES_MAX,
    MakerQuotes,
    MoveQuotes,
    Quote,
)
from venue.core.state import snapshot
from venue.vocabulary import CANCELED, LONG, POST_ONLY, SHORT, Product, Reject

pytestmark = pytest.mark.core

SPOT, CONTRACT = int(Product.SPOT), int(Product.CONTRACT)


def makers() -> World:
    """A spot market with two makers and an owner."""
    world = World("ann")
    for name in ("near", "far"):
        (created,) = world.ok(commands.CreateOwner(name, agent=True))
        assert isinstance(created, OwnerCreated)
        world.uids[name] = created.uid
        for asset in ("USDT", "BTC"):
            world.deposit(name, asset, 10**15)
    return world


def contract_makers() -> ContractWorld:
    world = ContractWorld("ann")
    (created,) = world.ok(commands.CreateOwner("near", agent=True))
    assert isinstance(created, OwnerCreated)
    world.uids["near"] = created.uid
    world.deposit("near", 10**6)
    return world


def moved(world: World, *quotes: MakerQuotes) -> MoveQuotes:
    return MoveQuotes(SPOT, "BTCUSDT", list(quotes))


def test_it_does_what_the_makers_own_requests_would() -> None:
    one, other = makers(), makers()
    for world in (one, other):
        assert world.rest("near", BUY, 3 * LOT, 990) == world.rest("near", SELL, LOT, 1_000) - 1
    near, far = one.uids["near"], one.uids["far"]
    bid = next(iter(one.spot_account("near").orders))
    events = one.apply(
        moved(
            one,
            MakerQuotes(
                near, [bid, bid + 1], [Quote(BUY, 0, LOT, 1_001), Quote(SELL, 0, LOT, 1_010)]
            ),
            MakerQuotes(far, [], [Quote(BUY, 0, 2 * LOT, 1_000)]),
        )
    )
    expected = [
        *other.cancel("near", bid),
        *other.cancel("near", bid + 1),
        *other.place("near", BUY, LOT, 1_001, POST_ONLY),
        *other.place("near", SELL, LOT, 1_010, POST_ONLY),
        *other.place("far", BUY, 2 * LOT, 1_000, POST_ONLY),
    ]
    assert events == expected
    assert [type(event) for event in events] == [OrderClosed] * 2 + [OrderPlaced] * 3
    assert snapshot.state_hash(one.engine) == snapshot.state_hash(other.engine)


def test_the_orders_of_all_makers_are_canceled_first() -> None:
    """The new bid of one is above the old ask of the other, which goes."""
    world = makers()
    ask = world.rest("far", SELL, LOT, 1_000)
    events = world.apply(
        moved(
            world,
            MakerQuotes(world.uids["near"], [], [Quote(BUY, 0, LOT, 1_002)]),
            MakerQuotes(world.uids["far"], [ask], [Quote(SELL, 0, LOT, 1_005)]),
        )
    )
    assert [event.price for event in events] == [1_000, 1_002, 1_005]  # type: ignore[union-attr]


def test_what_the_rules_refuse_is_left_out() -> None:
    world = makers()
    world.rest("ann", SELL, LOT, 1_000)
    near = world.uids["near"]
    quotes = [Quote(BUY, 0, LOT, 1_000), Quote(BUY, 0, 0, 990), Quote(BUY, 0, LOT, 999)]
    (placed,) = world.apply(moved(world, MakerQuotes(near, [77], quotes)))
    assert isinstance(placed, OrderPlaced)
    assert (placed.price, placed.time_in_force) == (999, POST_ONLY)
    assert world.apply(moved(world, MakerQuotes(near, [77], quotes[:2]))) == []
    world.ok(commands.HaltInstrument("BTCUSDT", True))
    (closed,) = world.apply(moved(world, MakerQuotes(near, [placed.order_id], quotes)))
    assert isinstance(closed, OrderClosed)
    assert closed.status == CANCELED


def test_only_the_venues_own_makers_have_quotes() -> None:
    world = makers()
    near = MakerQuotes(world.uids["near"], [], [Quote(BUY, 0, LOT, 999)])
    for uid in (world.uids["ann"], NOBODY):
        other = MakerQuotes(uid, [], [Quote(BUY, 0, LOT, 999)])
        assert refusal(world.apply(moved(world, near, other))) == Reject.OWNER_UNKNOWN
    assert world.engine.spot.markets["BTCUSDT"].book.bid == 0


def test_a_maker_cancels_its_own_orders_only() -> None:
    world = makers()
    owners = world.rest("ann", BUY, LOT, 990)
    assert world.apply(moved(world, MakerQuotes(world.uids["near"], [owners], []))) == []
    assert world.order("ann", owners).remaining == LOT


def test_it_moves_quotes_of_a_contract_too() -> None:
    one, other = contract_makers(), contract_makers()
    near = one.uids["near"]
    quotes = [Quote(BUY, LONG, 3, 995), Quote(SELL, SHORT, 4, 1_005), Quote(SELL, LONG, 1, 1_010)]
    events = one.apply(MoveQuotes(CONTRACT, SYMBOL, [MakerQuotes(near, [], quotes)]))
    expected = other.order("near", BUY, LONG, 3, 995, POST_ONLY)
    expected += other.order("near", SELL, SHORT, 4, 1_005, POST_ONLY)
    assert events == expected  # nothing is there to close
    bid = events[0]
    assert isinstance(bid, ContractOrderPlaced)
    again = MakerQuotes(near, [bid.order_id], [Quote(BUY, LONG, 2, 996)])
    events = one.apply(MoveQuotes(CONTRACT, SYMBOL, [again]))
    expected = other.apply(commands.CancelContractOrder(near, bid.order_id))
    expected += other.order("near", BUY, LONG, 2, 996, POST_ONLY)
    assert events == expected
    assert isinstance(events[0], ContractOrderClosed)
    assert snapshot.state_hash(one.engine) == snapshot.state_hash(other.engine)


def test_its_work_is_bounded() -> None:
    quote = Quote(BUY, 0, 1, BTCUSDT.tick * UNIT)
    whole = MakerQuotes(1, [1] * QUOTES_MAX, [quote] * QUOTES_MAX)
    assert ranges.fault(MoveQuotes(SPOT, "BTCUSDT", [whole] * MAKERS_MAX)) is None
    for makers_ in (
        [whole] * (MAKERS_MAX + 1),
        [MakerQuotes(1, [1] * (QUOTES_MAX + 1), [])],
        [MakerQuotes(1, [], [quote] * (QUOTES_MAX + 1))],
    ):
        refused = ranges.fault(MoveQuotes(SPOT, "BTCUSDT", makers_))
        assert refused is not None
        assert refused.name in ("makers", "canceled", "placed")
