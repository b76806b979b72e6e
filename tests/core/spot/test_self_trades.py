"""Spot orders that would trade with their owner's own (rule 3.7)."""

import pytest

from support.world import (
    BUY,
    FOK,
    GTC,
    ID,
    IOC,
    LOT,
    SELL,
    UNIT,
    World,
    trades,
)
from venue.core.messages.events import (
    Event,
    OrderClosed,
    Trade,
)
from venue.vocabulary import (
    OrderStatus,
    SelfTrade,
)

pytestmark = pytest.mark.core

CANCELED, EXPIRED = OrderStatus.CANCELED, OrderStatus.EXPIRED


@pytest.mark.parametrize(
    ("mode", "tif", "said"),
    [
        (SelfTrade.NONE, GTC, ["fill ben", "fill ann", "fill ben"]),
        (SelfTrade.EXPIRE_TAKER, GTC, ["fill ben", "taker EXPIRED"]),
        (SelfTrade.EXPIRE_MAKER, GTC, ["fill ben", "maker EXPIRED", "fill ben"]),
        (SelfTrade.EXPIRE_BOTH, GTC, ["fill ben", "maker EXPIRED", "taker EXPIRED"]),
        (SelfTrade.EXPIRE_MAKER, IOC, ["fill ben", "maker EXPIRED", "fill ben", "taker CANCELED"]),
        (SelfTrade.EXPIRE_TAKER, FOK, ["taker EXPIRED"]),
        (SelfTrade.EXPIRE_MAKER, FOK, ["taker EXPIRED"]),
        (SelfTrade.EXPIRE_BOTH, FOK, ["taker EXPIRED"]),
    ],
)
@pytest.mark.parametrize("side", [BUY, SELL])
def test_self_trade_prevention(side: int, mode: SelfTrade, tif: int, said: list[str]) -> None:
    """The taker wants 20; 5 stand with ben, 5 with itself, 5 with ben. FOK finds 5 or 10."""
    world = World("ben")
    world.owner("ann", int(mode))
    world.rest("ben", 1 - side, 5, 100)
    own = world.rest("ann", 1 - side, 5, 100, "own")
    world.rest("ben", 1 - side, 5, 100)
    assert [words(world, event) for event in world.place("ann", side, 20, 100, tif)[1:]] == said
    assert (own in world.spot_account("ann").orders) == (
        "fill ann" not in said and "maker EXPIRED" not in said
    )


def words(world: World, event: Event) -> str:
    if isinstance(event, Trade):
        return "fill ann" if event.maker_uid == world.uids["ann"] else "fill ben"
    assert isinstance(event, OrderClosed)
    who = "maker" if event.order_id == ID + 1 else "taker"
    assert event.resting == (5 if who == "maker" else 0)
    return f"{who} {OrderStatus(event.status).name}"


def test_prevention_looks_at_the_takers_mode_only() -> None:
    world = World("ben")
    world.owner("ann", int(SelfTrade.EXPIRE_BOTH))
    world.rest("ann", SELL, 5, 100)
    assert len(trades(world.place("ben", BUY, 5, 100))) == 1


def test_an_fok_passes_over_its_own_when_others_can_fill_it() -> None:
    world = World("ben")
    world.owner("ann", int(SelfTrade.EXPIRE_MAKER))
    world.rest("ann", SELL, 5, 99)
    world.rest("ben", SELL, 10, 100)
    _, closed, trade = world.place("ann", BUY, 10, 100, FOK)
    assert isinstance(closed, OrderClosed)
    assert isinstance(trade, Trade)
    assert (closed.status, trade.quantity) == (EXPIRED, 10)


@pytest.mark.parametrize("mode", [SelfTrade.EXPIRE_TAKER, SelfTrade.EXPIRE_BOTH])
def test_an_fok_that_its_own_order_would_stop_has_no_effect(mode: SelfTrade) -> None:
    world = World("ben")
    world.owner("ann", int(mode))
    world.rest("ben", SELL, 5, 99)
    own = world.rest("ann", SELL, 5, 100)
    world.rest("ben", SELL, 5, 100)
    ann = world.uids["ann"]
    _, *said = world.place("ann", BUY, 10, 100, FOK)
    assert said == [OrderClosed(ID + 3, ann, "BTCUSDT", BUY, 100, EXPIRED, 0)]
    assert list(world.spot_account("ann").orders) == [own]
    assert len(trades(world.place("ann", BUY, 5, 100, FOK))) == 1


def test_a_market_order_needs_no_funds_for_what_lies_behind_its_own() -> None:
    world = World("ben")
    world.owner("ann", int(SelfTrade.EXPIRE_TAKER), funded=False)
    world.deposit("ann", "BTC", 5 * LOT)
    world.deposit("ann", "USDT", 5 * 100 * UNIT)
    world.rest("ben", SELL, 5, 100)
    world.rest("ann", SELL, 5, 101)
    world.rest("ben", SELL, 5, 102)
    _, trade, closed = world.place("ann", BUY, 15, 0)
    assert isinstance(trade, Trade)
    assert isinstance(closed, OrderClosed)
    assert (trade.quantity, closed.status) == (5, EXPIRED)


def test_a_market_order_pays_only_for_what_others_sell() -> None:
    world = World("ben")
    world.owner("ann", int(SelfTrade.EXPIRE_MAKER), funded=False)
    world.deposit("ann", "BTC", 5 * LOT)
    world.deposit("ann", "USDT", 5 * 100 * UNIT)
    world.rest("ann", SELL, 5, 100)
    world.rest("ben", SELL, 5, 100)
    _, closed, trade = world.place("ann", BUY, 5, 0)
    assert isinstance(closed, OrderClosed)
    assert isinstance(trade, Trade)
    assert (world.free("ann", "USDT"), world.locked("ann", "BTC")) == (0, 0)
