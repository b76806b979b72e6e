"""One book: priority, levels, best prices (rules 3.2, 10)."""

import random

import pytest

from venue.core.book.book import Book, Market, Order, resting
from venue.core.instruments import Instrument
from venue.vocabulary import Side

pytestmark = pytest.mark.core

BUY, SELL = int(Side.BUY), int(Side.SELL)
MARKET: Market[None] = Market(
    Instrument("BTCUSDT", "BTC", "USDT", 1, 0, 1, 0, 1, 9, 9, 0, 0), 0, 0, 1, 1, 1
)


def order(order_id: int, side: int, quantity: int, price: int) -> Order[None]:
    return Order(order_id, 1, MARKET, side, 0, 0, quantity, price, "", 1, None)


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
    (level,) = book.asks.walk()
    assert level.quantity == sum(left)
    assert orders[taken - 1].level is None
    book.rest(orders[taken - 1])
    assert [each.order_id for each in resting(book.asks)] == [*left, taken]


def test_the_best_levels_come_first() -> None:
    book = filled(*(order(number, SELL, number, 100 + number) for number in (3, 1, 4, 2)))
    book.rest(order(5, BUY, 7, 99))
    told = [(level.price, level.quantity) for level in book.asks.best_levels(3)]
    assert told == [(101, 1), (102, 2), (103, 3)]
    assert [level.price for level in book.bids.best_levels(3)] == [99]
    assert book.bids.best_levels(0) == []


def test_an_empty_level_goes() -> None:
    orders = [order(number, BUY, 1, 100 + number) for number in range(3)]
    book = filled(*orders)
    for each in (orders[1], orders[2], orders[0]):
        book.remove(each)
    assert list(book.bids.walk()) == []
    assert book.bid == 0


@pytest.mark.parametrize(
    ("bid", "ask", "twice"), [(100, 102, 202), (100, 103, 203), (1, 2, 3), (0, 100, 0), (100, 0, 0)]
)
def test_the_middle_is_exact_and_needs_both_sides(bid: int, ask: int, twice: int) -> None:
    sides = ((bid, BUY), (ask, SELL))
    book = filled(*[order(1, side, 1, price) for price, side in sides if price])
    assert book.twice_mid() == twice


@pytest.mark.parametrize(
    ("limit", "met"), [(99, []), (100, [1, 2]), (101, [1, 2, 3]), (500, [1, 2, 3, 4])]
)
def test_what_a_buyer_could_meet_up_to_its_limit(limit: int, met: list[int]) -> None:
    book = filled(
        order(1, SELL, 2, 100),
        order(2, SELL, 3, 100),
        order(3, SELL, 5, 101),
        order(4, SELL, 2, 102),
    )
    assert [each.order_id for each in book.opposite(BUY).within(limit)] == met
    assert book.crosses(BUY, limit) is bool(met)


def test_what_a_seller_could_meet_goes_down() -> None:
    book = filled(order(1, BUY, 2, 100), order(2, BUY, 3, 99), order(3, BUY, 5, 98))
    assert [each.order_id for each in book.opposite(SELL).within(99)] == [1, 2]
    assert (book.best(SELL), book.best(BUY)) == (100, 0)
    assert book.crosses(SELL, 100)
    assert not book.crosses(SELL, 101)
    assert not book.crosses(BUY, 10**17)


@pytest.mark.parametrize("lots", [0, 6, -1])
def test_nobody_takes_more_than_rests(lots: int) -> None:
    """The book's guard: a defect elsewhere ends here, before money has moved twice."""
    resting_order = order(1, SELL, 5, 100)
    book = filled(resting_order)
    if lots > 0:
        with pytest.raises(AssertionError, match="6 lots of order 1, which has 5"):
            book.take(resting_order, lots, 2)
        return
    with pytest.raises(AssertionError, match=f"{lots} lots of order 1"):
        book.take(resting_order, lots, 2)


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
            total = sum(level.quantity for level in half.walk())
            assert total == sum(each.remaining for each in mine)
            best = mine[0].price if mine else 0
            assert best == (book.bid if side == BUY else book.best(BUY))
