"""The worst prices that a market allows, and the checks of an order by itself (rule 3.1)."""

from __future__ import annotations

from venue.core.book.book import Market, Order, T
from venue.core.messages.events import Rejected
from venue.core.units import PPM, PRICE_MAX, ceil_div
from venue.vocabulary import (
    BUY,
    GTC,
    IOC,
    LIMIT,
    LONG,
    MARKET,
    POST_ONLY,
    SELL,
    SHORT,
    Reject,
)


def malformed(order: Order[T], position_side: int = LONG) -> Rejected | None:
    """The first fault of an order by itself, in the order of rule 3.1.

    A contract order names its `position_side`; a spot order names none.
    """
    market = order.market
    quantity = order.quantity
    price = order.price
    assert type(quantity) is int, quantity
    assert type(price) is int, price
    if order.side != BUY and order.side != SELL:
        return Rejected(Reject.SIDE)
    if order.type == LIMIT:
        last = POST_ONLY
    elif order.type == MARKET:
        last = IOC
    else:
        return Rejected(Reject.TYPE)
    if order.time_in_force < GTC or order.time_in_force > last:
        return Rejected(Reject.TIME_IN_FORCE)
    if position_side != LONG and position_side != SHORT:
        return Rejected(Reject.POSITION_SIDE)
    if quantity < market.quantity_min:
        return Rejected(Reject.QUANTITY_MIN, market.quantity_min)
    if quantity > market.quantity_max:
        return Rejected(Reject.QUANTITY_MAX, market.quantity_max)
    if last == POST_ONLY and (price <= 0 or price > PRICE_MAX):
        return Rejected(Reject.PRICE, PRICE_MAX)
    return None


def worst_price(market: Market[T], side: int) -> int:
    """The worst price the aggressive side may name (rule 3.9); 0 when there is no reference."""
    twice = 2 * market.last_price or market.book.twice_mid()
    if twice == 0:
        return 0
    if side == BUY:
        return twice * (PPM + market.buy_band_ppm) // (2 * PPM)
    return ceil_div(twice * (PPM - market.sell_band_ppm), 2 * PPM)


def within_band(side: int, price: int, band_ppm: int) -> int:
    """The worst price within the band from `price`, in ticks (rule 3.4)."""
    if side == BUY:
        return price * (PPM + band_ppm) // PPM
    return ceil_div(price * (PPM - band_ppm), PPM)
