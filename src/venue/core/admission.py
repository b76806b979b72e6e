"""What a contract order must satisfy before it may trade or rest (rules 3.1, 5.1, 5.6, 5.7)."""

from __future__ import annotations

from typing import Final

from venue.core.algos import caps_refused
from venue.core.book import Half
from venue.core.collateral import available
from venue.core.commands import PlaceContractOrder
from venue.core.events import Rejected
from venue.core.holding import Holding
from venue.core.margin import bankruptcy_price, order_margin
from venue.core.orders import Order, Terms
from venue.core.perpetual import Perpetual
from venue.core.positions import Position, equity, maintenance, mark_of
from venue.core.spot import ACCOUNT_CAP, NO_MATCH, SYMBOL_CAP
from venue.core.units import AMOUNT_MAX, PPM, PRICE_MAX, ceil_div, fee_on
from venue.terms import (
    BUY,
    CROSSED,
    EXPIRE_MAKER,
    LONG,
    NO_PREVENTION,
    SEPARATED,
    Cause,
    Reject,
)

LIQUIDATION: Final = int(Cause.LIQUIDATION)
UNWIND: Final = int(Cause.UNWIND)


def limit_refused(order: Order, perp: Perpetual) -> Rejected | None:
    """Bounds of a LIMIT order: notional, price band, caps."""
    price = order.price
    if price * order.quantity * perp.unit > AMOUNT_MAX:
        return Rejected(Reject.NOTIONAL_MAX, AMOUNT_MAX)
    # Only what is worse than the mark can be beyond the band.
    mark = perp.mark
    buy = order.side == BUY
    if not mark or (price > mark if buy else price < mark):
        band = worst_price(perp, order.side)
        if band and (price > band if buy else price < band):
            return Rejected(Reject.PRICE_BAND, band)
    return order_caps_refused(order)


def worst_price(perp: Perpetual, side: int) -> int:
    """The worst price the aggressive side may name, against mark, else last trade or mid (3.9)."""
    market = perp.market
    twice = 2 * (perp.mark or market.last_price) or market.book.twice_mid()
    if side == BUY:
        return twice * (PPM + market.buy_band_ppm) // (2 * PPM)
    return -(-twice * (PPM - market.sell_band_ppm) // (2 * PPM))


def order_caps_refused(order: Order) -> Rejected | None:
    """Open orders of the owner in the symbol, and in all."""
    terms = order.terms
    assert terms is not None
    if terms.modes.open_orders >= SYMBOL_CAP:
        return Rejected(Reject.OPEN_ORDERS_SYMBOL, SYMBOL_CAP)
    if len(terms.holding.orders) >= ACCOUNT_CAP:
        return Rejected(Reject.OPEN_ORDERS_ACCOUNT, ACCOUNT_CAP)
    return None


def opening_refused(order: Order, terms: Terms, worst: int, reach: int) -> Rejected | None:
    """Sizes, leverage and margin of an opening order (rules 5.6, 5.7); notes what it needs.

    A MARKET order needs what the `reach` lots of its sweep need, at their `worst` price.
    """
    perp = terms.perp
    holding = terms.holding
    modes = terms.modes
    side = terms.position_side
    quantity = order.quantity
    if not perp.mark:  # nothing could tell what a position is worth
        return Rejected(Reject.NO_MARK)
    size = quantity + (modes.opening_long if side == LONG else modes.opening_short)
    for position in modes.positions(side):
        size += position.quantity
    if size > perp.position_max:
        return Rejected(Reject.POSITION_MAX, perp.position_max)
    if perp.open_interest + quantity > perp.open_interest_max:
        return Rejected(Reject.OPEN_INTEREST_MAX, perp.open_interest_max)
    mark = perp.mark
    unit = perp.unit
    leverage = modes.cross if modes.margin_mode == CROSSED else modes.leverage(side)
    tiers = perp.tiers
    if leverage > tiers.leverages[-1]:
        most = tiers.leverages[tiers.at(size * max(worst, mark) * unit)]
        if leverage > most:
            return Rejected(Reject.LEVERAGE, most)
    taker_ppm = holding.taker_rate(perp.market)
    need = order_margin(side, reach, worst, mark, unit, leverage, taker_ppm)
    if available(order.account, perp.asset) < need:
        return Rejected(Reject.FUNDS, need)
    terms.whole_margin = need if reach == quantity else ceil_div(need * quantity, reach)
    return None


def closing_refused(order: Order, terms: Terms) -> Rejected | None:
    position = terms.position
    assert position is not None
    left = position.left()
    if order.quantity > left:
        return Rejected(Reject.NOTHING_TO_CLOSE, left)
    return None


def solvent_key(order: Order, terms: Terms) -> int:
    """The key of the worst price at which closing leaves its pool what the rest of it must have:
    nobody may trade a loss onto the insurance fund. A pool that has less already may close at the
    mark. The fund itself, and liquidations, have limits of their own."""
    position = terms.position
    assert position is not None
    perp = terms.perp
    if terms.cause == LIQUIDATION or terms.cause == UNWIND:
        return -NO_MATCH
    fee_ppm = terms.holding.taker_rate(perp.market)
    price = mark = mark_of(position)
    share = equity(position.pool) - _maintenance_after(position, order.quantity)
    if share > 0:
        size = order.quantity * perp.unit
        price = bankruptcy_price(position.side, size, mark, share, fee_ppm)
        # With the fee it may lie on the better side of the mark, where nothing is risked.
        price = min(price, mark) if position.side > 0 else max(price, mark)
    return -price if order.side == BUY else price


def _maintenance_after(position: Position, lots: int) -> int:
    """The maintenance margin of a position's pool once `lots` of it are closed."""
    tiers = position.perp.tiers
    value = mark_of(position) * position.perp.unit
    before = tiers.maintenance(value * position.quantity)
    return (
        maintenance(position.pool) - before + tiers.maintenance(value * (position.quantity - lots))
    )


def ruinous(maker: Order, lots: int) -> bool:
    """Whether a resting order would cost its owner more than it has.

    One that the mark has overtaken may; one that opens an isolated position takes its margin out
    of a cross pool that may have lost what it held. Such an order is cancelled instead of filled:
    the loss would fall on the insurance fund.
    """
    terms = maker.terms
    assert terms is not None
    perp = terms.perp
    side = terms.position_side
    position = terms.position
    mark = perp.mark
    if not mark and position is not None:
        mark = mark_of(position)
    loss = side * (maker.price - mark) if terms.opens else side * (mark - maker.price)
    isolated = terms.opens and terms.modes.margin_mode != CROSSED
    if not mark or (loss <= 0 and not isolated):
        return False
    holding = terms.holding
    if terms.opens:
        leverage = terms.modes.leverage(side)
        taker_ppm = holding.taker_rate(perp.market)  # as when it was placed
        need = order_margin(side, lots, maker.price, mark, perp.unit, leverage, taker_ppm)
        return available(maker.account, perp.asset) + terms.margin < need
    assert position is not None
    fee = fee_on(maker.price * lots * perp.unit, holding.maker_rate(perp.market))
    cost = loss * lots * perp.unit + fee
    return equity(position.pool) - cost < _maintenance_after(position, lots)


def attach_exits(terms: Terms, command: PlaceContractOrder, perp: Perpetual) -> Rejected | None:
    """Take up an opening order's exits; they must lie on the right sides of its price (8.3)."""
    reference = command.price or perp.market.last_price or perp.mark
    more = 0
    for exit_, above in (
        (command.take_profit, command.position_side == LONG),
        (command.stop_loss, command.position_side != LONG),
    ):
        price = exit_.trigger_price
        if price < 0 or price > PRICE_MAX:
            return Rejected(Reject.TRIGGER_PRICE, PRICE_MAX)
        if price and reference and (price <= reference if above else price >= reference):
            return Rejected(Reject.TRIGGER_PRICE, reference)
        more += price > 0
    if more:
        terms.take_profit = command.take_profit
        terms.stop_loss = command.stop_loss
        return caps_refused(terms.holding, perp, more)
    return None


def choose_position(terms: Terms, position_id: int) -> Rejected | None:
    """Find the position that a closing order reduces."""
    if position_id:
        named = terms.holding.positions.get(position_id)
        if named is None or named.perp is not terms.perp or named.side != terms.position_side:
            return Rejected(Reject.POSITION_UNKNOWN)
        terms.position = named
        return None
    if terms.modes.separated == SEPARATED:
        return Rejected(Reject.POSITION_ID_MISSING)
    terms.position = find_position(terms.holding, terms.perp, terms.position_side)
    if terms.position is None:
        return Rejected(Reject.NOTHING_TO_CLOSE)
    return None


def find_position(holding: Holding, perp: Perpetual, side: int) -> Position | None:
    """An owner's combined position of one side, None when there is none."""
    for position in holding.modes_in(perp).positions(side):
        if not position.separated:
            return position
    return None


def fillable(order: Order, half: Half, limit_key: int) -> int:
    """The lots that a FOK order would take: neither its owner's own nor those of ruinous orders."""
    account = order.account
    lots = 0
    for key in reversed(half.keys):
        if key < limit_key:
            break
        resting = half.levels[key].head
        while resting is not None and lots < order.quantity:
            own = resting.account is account and account.self_trade != NO_PREVENTION
            if own and account.self_trade != EXPIRE_MAKER:
                return lots
            if not own and not ruinous(resting, resting.remaining):
                lots += resting.remaining
            resting = resting.next
    return lots


def crosses(order: Order, perp: Perpetual) -> bool:
    """Whether a LIMIT order stands across the other side of the book."""
    keys = perp.market.book.opposite(order.side).keys
    return bool(keys) and keys[-1] >= (-order.price if order.side == BUY else order.price)
