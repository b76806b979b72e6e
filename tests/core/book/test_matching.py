"""One matcher for both products: priority, limits, self-trade prevention, resting orders (rule 3).

Each test runs on a spot market and on a contract; both must say the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest

from support import order_desk, world
from support.order_desk import Desk
from support.world import World
from venue.core.book.book import Book, Half
from venue.core.contract.records import Terms
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTrade,
    Income,
    PositionClosed,
)
from venue.core.messages.events import Event, OrderClosed, OrderPlaced, Rejected, Trade
from venue.core.spot.account import SpotAccount
from venue.vocabulary import (
    BUY,
    EXPIRE_MAKER,
    EXPIRE_TAKER,
    FOK,
    GTC,
    IOC,
    NO_PREVENTION,
    POST_ONLY,
    SELL,
    OrderStatus,
    Reject,
    SelfTrade,
)

EXPIRE_BOTH = int(SelfTrade.EXPIRE_BOTH)

pytestmark = pytest.mark.core

MONEY = (Income, PositionClosed)  # of which the matcher knows nothing
NAMES = ("ann", "ben", "cat", "dan")


@dataclass
class Pit:
    """A market of either product where orders have names, and events are told in words."""

    desk: World | Desk
    names: dict[int, str] = field(default_factory=dict)

    def place(
        self, order: str, owner: str, side: int, lots: int, price: int = 0, tif: int = GTC
    ) -> list[str]:
        """The events of an order, in words; a price of 0 makes it a MARKET order."""
        if isinstance(self.desk, World):
            events = self.desk.place(owner, side, lots, price, tif)
        else:  # it opens
            position = order_desk.LONG if side == BUY else order_desk.SHORT
            events = self.desk.place(owner, side, position, lots, price, tif)
        return [self._told(event, order) for event in events if not isinstance(event, MONEY)]

    def _told(self, event: Event, order: str) -> str:
        match event:
            case OrderPlaced() | ContractOrderPlaced():
                self.names[event.order_id] = order
                return f"{order} rests with {event.resting}" if event.resting else order
            case Trade():
                return f"{self.names[event.maker_order_id]}: {event.quantity} at {event.price}"
            case ContractTrade():
                return f"{self.names[event.maker.order_id]}: {event.quantity} at {event.price}"
            case OrderClosed() | ContractOrderClosed():
                status = OrderStatus(event.status).name
                return f"{self.names[event.order_id]} {status} with {event.resting}"
            case Rejected():
                return Reject(event.reason).name
        raise AssertionError(event)

    def side(self, side: int) -> list[tuple[str, int, int]]:
        """The resting orders of one side, in their turn: name, lots, price."""
        if isinstance(self.desk, World):
            spot = self.desk.engine.spot.markets["BTCUSDT"].book
            return self._resting(spot.bids if side == BUY else spot.asks)
        contract = self.desk.perp().market.book
        return self._resting(contract.bids if side == BUY else contract.asks)

    def _resting(self, half: Half[SpotAccount] | Half[Terms]) -> list[tuple[str, int, int]]:
        limit = 0 if half.sign > 0 else 10**17
        return [
            (self.names[order.order_id], order.remaining, order.price)
            for order in half.within(limit)
        ]


def pit_of(product: str, self_trade: int) -> Pit:
    if product == "spot":
        return Pit(world.World(*NAMES, self_trade=self_trade))
    return Pit(Desk(*NAMES, self_trade=self_trade))


@pytest.mark.parametrize("product", ["spot", "contract"])
class TestMatching:
    """The rules that both products share."""

    def test_the_best_price_first_then_the_oldest(self, product: str) -> None:
        pit = pit_of(product, NO_PREVENTION)
        pit.place("far", "ann", SELL, 5, 1_003)
        pit.place("first", "ann", SELL, 5, 1_001)
        pit.place("second", "ben", SELL, 5, 1_001)
        pit.place("best", "cat", SELL, 5, 1_000)
        assert pit.place("taker", "dan", BUY, 17, 1_003, IOC) == [
            "taker", "best: 5 at 1000", "first: 5 at 1001", "second: 5 at 1001", "far: 2 at 1003",
        ]  # fmt: skip
        assert pit.side(SELL) == [("far", 3, 1_003)]

    def test_a_seller_meets_the_highest_bid_first(self, product: str) -> None:
        pit = pit_of(product, NO_PREVENTION)
        pit.place("low", "ann", BUY, 5, 998)
        pit.place("high", "ben", BUY, 5, 1_000)
        assert pit.place("taker", "dan", SELL, 7, 998) == ["taker", "high: 5 at 1000",
                                                           "low: 2 at 998"]  # fmt: skip
        assert pit.side(BUY) == [("low", 3, 998)]

    def test_no_further_than_the_limit_and_the_rest_stays(self, product: str) -> None:
        pit = pit_of(product, NO_PREVENTION)
        pit.place("near", "ann", SELL, 5, 1_000)
        pit.place("far", "ann", SELL, 5, 1_002)
        assert pit.place("taker", "dan", BUY, 9, 1_001) == ["taker rests with 4", "near: 5 at 1000"]
        assert pit.side(BUY) == [("taker", 4, 1_001)]
        assert pit.side(SELL) == [("far", 5, 1_002)]

    def test_a_partial_fill_keeps_its_place(self, product: str) -> None:
        pit = pit_of(product, NO_PREVENTION)
        pit.place("first", "ann", SELL, 5, 1_000)
        pit.place("second", "ben", SELL, 5, 1_000)
        pit.place("taker", "dan", BUY, 2, 1_000)
        assert pit.place("next", "dan", BUY, 4, 1_000) == ["next", "first: 3 at 1000",
                                                           "second: 1 at 1000"]  # fmt: skip

    @pytest.mark.parametrize(
        ("tif", "said"),
        [
            (GTC, ["taker rests with 4", "maker: 5 at 1000"]),
            (IOC, ["taker", "maker: 5 at 1000", "taker CANCELED with 0"]),
            (FOK, ["taker", "taker EXPIRED with 0"]),
            (POST_ONLY, ["WOULD_TRADE"]),
        ],
    )
    def test_what_becomes_of_the_rest(self, product: str, tif: int, said: list[str]) -> None:
        pit = pit_of(product, NO_PREVENTION)
        pit.place("maker", "ann", SELL, 5, 1_000)
        assert pit.place("taker", "dan", BUY, 9, 1_000, tif) == said

    @pytest.mark.parametrize("tif", [IOC, FOK])
    def test_one_that_meets_nobody_expires(self, product: str, tif: int) -> None:
        pit = pit_of(product, NO_PREVENTION)
        pit.place("maker", "ann", SELL, 5, 1_001)
        assert pit.place("taker", "dan", BUY, 5, 1_000, tif) == ["taker", "taker EXPIRED with 0"]

    def test_a_market_order_ends_at_the_band_of_the_best_price(self, product: str) -> None:
        pit = pit_of(product, NO_PREVENTION)
        pit.place("near", "ann", SELL, 5, 1_000)
        pit.place("at the band", "ann", SELL, 5, 1_050)
        assert pit.place("taker", "dan", BUY, 20) == [
            "taker", "near: 5 at 1000", "at the band: 5 at 1050", "taker CANCELED with 0",
        ]  # fmt: skip
        assert pit.place("nobody", "dan", BUY, 20) == ["NO_LIQUIDITY"]

    @pytest.mark.parametrize(
        ("prevention", "said"),
        [
            (NO_PREVENTION, ["taker", "other: 5 at 1000", "own: 4 at 1000"]),
            (EXPIRE_MAKER, ["taker", "other: 5 at 1000", "own EXPIRED with 5", "last: 4 at 1001"]),
            (EXPIRE_TAKER, ["taker", "other: 5 at 1000", "taker EXPIRED with 0"]),
            (EXPIRE_BOTH, ["taker", "other: 5 at 1000", "own EXPIRED with 5",
                           "taker EXPIRED with 0"]),
        ],
    )  # fmt: skip
    def test_an_owner_does_not_trade_with_itself(
        self, product: str, prevention: int, said: list[str]
    ) -> None:
        pit = pit_of(product, prevention)
        pit.place("other", "ann", SELL, 5, 1_000)
        pit.place("own", "dan", SELL, 5, 1_000)
        pit.place("last", "ann", SELL, 5, 1_001)
        assert pit.place("taker", "dan", BUY, 9, 1_001) == said

    @pytest.mark.parametrize(
        ("prevention", "said"),
        [
            (EXPIRE_MAKER, ["taker", "other: 5 at 1000", "own EXPIRED with 5", "last: 4 at 1001"]),
            (EXPIRE_TAKER, ["taker", "taker EXPIRED with 0"]),
            (EXPIRE_BOTH, ["taker", "taker EXPIRED with 0"]),
        ],
    )
    def test_all_or_nothing_counts_what_others_offer(
        self, product: str, prevention: int, said: list[str]
    ) -> None:
        """An order left undone has no effect: no resting order of its owner ends for it."""
        pit = pit_of(product, prevention)
        pit.place("other", "ann", SELL, 5, 1_000)
        pit.place("own", "dan", SELL, 5, 1_000)
        pit.place("last", "ann", SELL, 5, 1_001)
        assert pit.place("taker", "dan", BUY, 9, 1_001, FOK) == said
        if len(said) == 2:
            assert len(pit.side(SELL)) == 3

    def test_an_own_order_behind_the_last_fill_is_left_alone(self, product: str) -> None:
        pit = pit_of(product, EXPIRE_BOTH)
        pit.place("other", "ann", SELL, 5, 1_000)
        pit.place("own", "dan", SELL, 5, 1_000)
        assert pit.place("taker", "dan", BUY, 5, 1_000) == ["taker", "other: 5 at 1000"]
        assert pit.side(SELL) == [("own", 5, 1_000)]

    @pytest.mark.parametrize("prevention", [NO_PREVENTION, EXPIRE_MAKER, EXPIRE_TAKER, EXPIRE_BOTH])
    def test_a_random_life_against_a_list(self, product: str, prevention: int) -> None:
        """A slow matcher, which sorts and searches, says the same of 300 orders."""
        pit, slow, choice = pit_of(product, prevention), SlowBook(prevention), Random(prevention)
        for number in range(300):
            owner, side = choice.choice(NAMES), choice.choice((BUY, SELL))
            price, tif = choice.randint(995, 1_005), choice.choice((GTC, GTC, GTC, IOC, FOK))
            lots = choice.randint(2, 9)
            said = pit.place(f"{number}", owner, side, lots, price, tif)
            assert said == slow.place(f"{number}", owner, side, lots, price, tif)
        assert pit.side(BUY) == slow.side(BUY)
        assert pit.side(SELL) == slow.side(SELL)


@dataclass
class Slow:
    name: str
    owner: str
    side: int
    lots: int
    price: int


class SlowBook:
    """Rule 3 done without a book: lists that are sorted again for every order."""

    def __init__(self, prevention: int) -> None:
        self.prevention = prevention
        self.open: list[Slow] = []  # oldest first

    def side(self, side: int) -> list[tuple[str, int, int]]:
        sign = -1 if side == BUY else 1
        orders = [order for order in self.open if order.side == side]
        orders.sort(key=lambda order: sign * order.price)
        return [(order.name, order.lots, order.price) for order in orders]

    def place(self, name: str, owner: str, side: int, lots: int, price: int, tif: int) -> list[str]:
        met: list[tuple[Slow, int]] = []
        left, stopped = lots, False
        for other, there, at in self.side(1 - side):
            if left == 0 or stopped or (at > price if side == BUY else at < price):
                break
            (maker,) = [order for order in self.open if order.name == other]
            if maker.owner == owner and self.prevention != NO_PREVENTION:
                if self.prevention != EXPIRE_TAKER:
                    met.append((maker, 0))
                stopped = self.prevention != EXPIRE_MAKER
            else:
                met.append((maker, min(left, there)))
                left -= min(left, there)
        if tif == FOK and left:
            met, left, stopped = [], lots, False
        said = [self._end(maker, taken) for maker, taken in met]
        if left and tif == GTC and not stopped:
            self.open.append(Slow(name, owner, side, left, price))
            return [f"{name} rests with {left}", *said]
        if left:
            status = "CANCELED" if left < lots and not stopped else "EXPIRED"
            said.append(f"{name} {status} with 0")
        return [name, *said]

    def _end(self, maker: Slow, taken: int) -> str:
        if taken == 0 or taken == maker.lots:
            self.open.remove(maker)
        told = f"{maker.name}: {taken} at {maker.price}"
        if taken == 0:
            told = f"{maker.name} EXPIRED with {maker.lots}"
        maker.lots -= taken
        return told


def test_a_crossed_book_is_a_defect() -> None:
    """The book's own guard: nobody rests across it."""
    desk = World("ann", "ben")
    order = desk.order("ann", desk.rest("ann", BUY, 5, 1_000))
    other = desk.order("ben", desk.rest("ben", SELL, 5, 1_001))
    book: Book[SpotAccount] = desk.engine.spot.markets["BTCUSDT"].book
    book.remove(other)
    other.price = order.price
    with pytest.raises(AssertionError, match="the book is crossed: 1000 bid, 1000 asked"):
        book.rest(other)
