"""One book: priority, levels, what a sweep can reach (rules 3.2, 10)."""

import random

import pytest

from venue.core.book.book import Book, resting, sweep, sweep_others
from venue.core.book.market import Market
from venue.core.book.orders import Order
from venue.core.instruments import Instrument
from venue.core.ledger.accounts import Account
from venue.vocabulary import Side

pytestmark = pytest.mark.core

BUY, SELL = int(Side.BUY), int(Side.SELL)
ANN = Account(1, "ann", 0, 2, 1)
BEN = Account(2, "ben", 0, 2, 1)
MARKET: Market[None] = Market(
    Instrument("BTCUSDT", "BTC", "USDT", 1, 0, 1, 0, 1, 9, 9, 0, 0), 0, 0, 1, 1, 1
)


def order(
    order_id: int, side: int, quantity: int, price: int, account: Account = ANN
) -> Order[None]:
    return Order(order_id, account, MARKET, side, 0, 0, quantity, price, "", 1, None)


def filled(*orders: Order[None]) -> Book[None]:
    book: Book[None] = Book()
    for each in orders:
        book.rest(each)
    return book


def test_best_price_first_then_the_oldest() -> None:
    book = filled(
        order(1, BUY, 5, 100), order(2, BUY, 5, 101), order(3, BUY, 5, 100), order(4, BUY, 5, 99)
    )
    assert [each.order_id for each in resting(book.bids)] == [2, 1, 3, 4]
    book = filled(
        order(1, SELL, 5, 103),
        order(2, SELL, 5, 102),
        order(3, SELL, 5, 103),
        order(4, SELL, 5, 104),
    )
    assert [each.order_id for each in resting(book.asks)] == [2, 1, 3, 4]


@pytest.mark.parametrize("taken", [1, 2, 3])
def test_removing_from_any_place_of_a_level_keeps_the_others_in_order(taken: int) -> None:
    orders = [order(number, SELL, number, 100) for number in (1, 2, 3)]
    book = filled(*orders)
    book.remove(orders[taken - 1])
    left = [number for number in (1, 2, 3) if number != taken]
    assert [each.order_id for each in resting(book.asks)] == left
    (level,) = book.asks.levels.values()
    assert level.quantity == sum(left)
    assert orders[taken - 1].level is None
    book.rest(orders[taken - 1])
    assert [each.order_id for each in resting(book.asks)] == [*left, taken]


def test_an_empty_level_goes() -> None:
    orders = [order(number, BUY, 1, 100 + number) for number in range(3)]
    book = filled(*orders)
    for each in (orders[1], orders[2], orders[0]):
        book.remove(each)
    assert book.bids.keys == []
    assert book.bids.levels == {}


@pytest.mark.parametrize(
    ("bid", "ask", "twice"), [(100, 102, 202), (100, 103, 203), (1, 2, 3), (0, 100, 0), (100, 0, 0)]
)
def test_the_middle_is_exact_and_needs_both_sides(bid: int, ask: int, twice: int) -> None:
    sides = ((bid, BUY), (ask, SELL))
    book = filled(*[order(1, side, 1, price) for price, side in sides if price])
    assert book.twice_mid() == twice


@pytest.mark.parametrize(
    ("limit", "quantity", "lots", "cost"),
    [
        (99, 10, 0, 0),
        (100, 10, 5, 500),
        (101, 10, 10, 1_005),
        (101, 6, 6, 601),
        (105, 99, 12, 1_209),
    ],
)
def test_a_sweep_counts_what_a_buyer_could_take(
    limit: int, quantity: int, lots: int, cost: int
) -> None:
    book = filled(
        order(1, SELL, 2, 100),
        order(2, SELL, 3, 100),
        order(3, SELL, 5, 101),
        order(4, SELL, 2, 102),
    )
    assert sweep(book.asks, -limit, quantity) == (lots, cost)
    assert sweep_others(book.asks, -limit, quantity, BEN.uid, stop=True) == (lots, cost)


def test_a_sweep_of_the_bids_goes_down() -> None:
    book = filled(order(1, BUY, 2, 100), order(2, BUY, 3, 99), order(3, BUY, 5, 98))
    assert sweep(book.bids, 99, 10) == (5, 2 * 100 + 3 * 99)


def test_a_sweep_among_others_passes_over_or_stops_at_ones_own() -> None:
    """Rule 3.7."""
    book = filled(order(1, SELL, 2, 100), order(2, SELL, 3, 100, BEN), order(3, SELL, 5, 101))
    assert sweep_others(book.asks, -101, 10, BEN.uid, stop=False) == (7, 705)
    assert sweep_others(book.asks, -101, 10, BEN.uid, stop=True) == (2, 200)
    assert sweep_others(book.asks, -101, 2, BEN.uid, stop=True) == (2, 200)


def test_a_long_random_life_against_a_sorted_list() -> None:
    choice = random.Random(5)
    book: Book[None] = Book()
    live: list[Order[None]] = []
    for number in range(3_000):
        if live and choice.random() < 0.45:
            book.remove(live.pop(choice.randrange(len(live))))
        else:
            side = choice.randrange(2)
            price = choice.randint(90, 99) if side == BUY else choice.randint(101, 110)
            live.append(order(number, side, choice.randint(1, 9), price))
            book.rest(live[-1])
        for half, side, sign in ((book.bids, BUY, -1), (book.asks, SELL, 1)):
            mine = [each for each in live if each.side == side]
            mine.sort(key=lambda each: (sign * each.price, each.order_id))
            assert resting(half) == mine
            assert half.keys == sorted(half.levels)
            total = sum(level.quantity for level in half.levels.values())
            assert total == sum(each.remaining for each in mine)
