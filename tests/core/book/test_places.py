"""The lots that stand before a resting order at its price (rule 3.2)."""

import random

import pytest

from venue.core.book.book import Market, Order
from venue.core.book.places import lots_before
from venue.core.instruments import Instrument
from venue.vocabulary import Side

pytestmark = pytest.mark.core

BUY, SELL = int(Side.BUY), int(Side.SELL)


def market() -> Market[None]:
    return Market(Instrument("BTCUSDT", "BTC", "USDT", 1, 0, 1, 0, 1, 9, 9, 0, 0), 0, 0, 1, 1, 1)


def rested(found: Market[None], order_id: int, side: int, lots: int, price: int) -> Order[None]:
    order = Order(order_id, 1, found, side, 0, 0, lots, price, "", 1, None)
    found.book.rest(order)
    return order


@pytest.mark.parametrize("count", range(1, 8))
def test_each_order_of_a_level_has_the_lots_of_those_before_it(count: int) -> None:
    found = market()
    orders = [rested(found, number, BUY, number * 10, 100) for number in range(1, count + 1)]
    rested(found, 99, BUY, 7, 101)
    for order in orders:
        before = sum(other.remaining for other in orders if other.order_id < order.order_id)
        assert lots_before([order]) == {order.order_id: before}
    assert lots_before(orders) == {
        order.order_id: sum(other.remaining for other in orders[:at])
        for at, order in enumerate(orders)
    }


def test_a_fill_moves_all_behind_it_forward() -> None:
    found = market()
    first, second = rested(found, 1, SELL, 10, 100), rested(found, 2, SELL, 5, 100)
    found.book.take(first, 4, 2)
    assert lots_before([second]) == {2: 6}
    found.book.take(first, 6, 3)
    assert lots_before([first, second]) == {2: 0}


def test_a_parked_order_has_no_place() -> None:
    found = market()
    first, second = rested(found, 1, SELL, 10, 100), rested(found, 2, SELL, 5, 100)
    found.book.park(first)
    assert lots_before([first, second]) == {2: 0}


def test_only_so_many_are_looked_at() -> None:
    """An order near either end is found for little; one in the middle not at any cost."""
    found = market()
    orders = [rested(found, number, BUY, 1, 100) for number in range(1, 102)]
    assert lots_before([orders[0]], 1) == {1: 0}
    assert lots_before([orders[-1]], 2) == {101: 100}
    assert lots_before([orders[50]], 100) == {}
    assert lots_before([orders[50]], 101) == {51: 50}
    other = rested(found, 200, SELL, 1, 300)
    assert lots_before([orders[50], other], 101) == {51: 50}
    assert lots_before([other, orders[50]], 102) == {200: 0, 51: 50}


@pytest.mark.parametrize("seed", range(5))
def test_many_orders_of_many_levels(seed: int) -> None:
    draw = random.Random(seed)
    found = market()
    orders = []
    for number in range(1, 200):
        side = draw.choice((BUY, SELL))
        price = draw.randint(90, 95) if side == BUY else draw.randint(96, 101)
        orders.append(rested(found, number, side, draw.randint(1, 9), price))
    mine = draw.sample(orders, 40)
    assert lots_before(mine) == {
        order.order_id: sum(
            other.remaining
            for other in orders
            if (other.side, other.price) == (order.side, order.price)
            and other.order_id < order.order_id
        )
        for order in mine
    }
