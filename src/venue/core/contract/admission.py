"""The checks of a contract order before it may trade or rest (rules 3.1, 5.1, 5.6, 5.7)."""

from __future__ import annotations

from venue.core.book.book import Order
from venue.core.book.matching import any_price
from venue.core.contract.conditional.waiting import caps_refused
from venue.core.contract.margin import bankruptcy_price
from venue.core.contract.position import (
    available_in,
    certain,
    closed_now,
    equity,
    find_position,
    free_above,
    maintenance_after,
    mark_of,
    notional,
)
from venue.core.contract.prices_in_doubt import (
    doubt_refused,
    doubtful,
    possible_loss,
    spendable,
    widens,
)
from venue.core.contract.records import Perpetual, Position, Terms
from venue.core.contract.reference.funding import due_funding
from venue.core.contract.terms_fit import fits
from venue.core.ledger.ledger import fee_on
from venue.core.messages.commands import PlaceContractOrder
from venue.core.messages.events import Rejected
from venue.core.units import AMOUNT_MAX, PRICE_MAX, STORED_MAX, SUM_MAX
from venue.vocabulary import (
    BUY,
    CAUSE_LIQUIDATION,
    CAUSE_UNWIND,
    CAUSE_USER,
    CROSSED,
    IOC,
    LONG,
    OPEN_ORDERS_PER_ACCOUNT_MAX,
    OPEN_ORDERS_PER_SYMBOL_MAX,
    POSITIONS_PER_ACCOUNT_MAX,
    POSITIONS_PER_SYMBOL_MAX,
    SEPARATED,
    Reject,
)


def limit_refused(order: Order[Terms], perp: Perpetual) -> Rejected | None:
    """Check a LIMIT order's notional, price band and order caps."""
    price = order.price
    value = price * (order.quantity * perp.unit)
    # Compiled, 2^62 is a large number and dear to compare with; 2^61 is not.
    if value > SUM_MAX and value > AMOUNT_MAX:
        return Rejected(Reject.NOTIONAL_MAX, AMOUNT_MAX)
    # Only a price worse than the mark can be beyond the band.
    mark = perp.mark
    buy = order.side == BUY
    if not mark or (price > mark if buy else price < mark):
        band = perp.market.worst_price(order.side, mark)
        if band and (price > band if buy else price < band):
            return Rejected(Reject.PRICE_BAND, band)
    terms = order.terms
    if terms.closes is not None and order.time_in_force == IOC and terms.cause != CAUSE_USER:
        return None  # it closes on its owner's behalf and never rests: no cap keeps it from that
    return order_caps_refused(terms)


def order_caps_refused(terms: Terms) -> Rejected | None:
    """Check the number of the owner's open orders in the symbol, and in all symbols."""
    if terms.modes.open_orders >= OPEN_ORDERS_PER_SYMBOL_MAX:
        return Rejected(Reject.OPEN_ORDERS_SYMBOL, OPEN_ORDERS_PER_SYMBOL_MAX)
    if len(terms.holding.orders) >= OPEN_ORDERS_PER_ACCOUNT_MAX:
        return Rejected(Reject.OPEN_ORDERS_ACCOUNT, OPEN_ORDERS_PER_ACCOUNT_MAX)
    return None


def market_refused(order: Order[Terms], terms: Terms) -> Rejected | None:
    """Check a MARKET order: size, caps, a price that is not in doubt, and that there is a
    counterparty. An order that closes on its owner's behalf never rests, and no cap applies to
    it."""
    perp = terms.perp
    instrument = perp.market.instrument
    refused = None
    if terms.opens or terms.cause == CAUSE_USER:
        if order.quantity > instrument.market_quantity_max:
            return Rejected(Reject.MARKET_SIZE, instrument.market_quantity_max)
        refused = order_caps_refused(terms)
    if refused is None and terms.opens:
        refused = price_refused(terms)
    if refused is None and not perp.market.book.best(order.side):
        return Rejected(Reject.NO_LIQUIDITY)
    return refused


def price_refused(terms: Terms) -> Rejected | None:
    """Return the refusal of any opening under these terms now, or None: delisted, mark unknown
    or out of bounds, former tiers, or a price in doubt (rules 5.10, 5.14)."""
    perp = terms.perp
    if perp.delisted is not None:
        return Rejected(Reject.DELISTED)
    if not perp.mark:  # nothing could tell what a position is worth
        return Rejected(Reject.NO_MARK)
    if perp.mark < perp.price_least:
        return Rejected(Reject.CONTRACT_UNSAFE, perp.price_least)
    if perp.mark > perp.price_highest:
        return Rejected(Reject.CONTRACT_DEAR, perp.price_highest)
    if perp.tiers_differ() and not fits(terms.modes):
        return Rejected(Reject.FORMER_TIERS, perp.former_end)
    isolated = terms.modes.margin_mode != CROSSED
    if perp.in_doubt():
        return doubt_refused(perp)
    if isolated and doubtful(terms.pool):
        return Rejected(Reject.PRICE_DOUBT)
    return None


def opening_refused(order: Order[Terms], terms: Terms, worst: int, reach: int) -> Rejected | None:
    """Sizes, leverage, counts and money of an opening order (rules 5.6, 5.7); notes its margin.

    A MARKET order needs margin for the `reach` lots of its sweep, at their `worst` price.
    """
    perp = terms.perp
    mark = perp.mark
    if not mark:  # nothing could tell what a position is worth
        return Rejected(Reject.NO_MARK)
    modes = terms.modes
    pool = terms.pool
    side = terms.position_side
    quantity = order.quantity
    if side == LONG:
        positions, size = modes.longs, quantity + modes.opening_long
    else:
        positions, size = modes.shorts, quantity + modes.opening_short
    most = pool.gross
    for position in positions:
        size += position.quantity
        if position.open_value > most:
            most = position.open_value
    if size > perp.position_max:
        return _too_large(perp)
    if perp.open_interest + quantity > perp.open_interest_max:
        return Rejected(Reject.OPEN_INTEREST_MAX, perp.open_interest_max)
    unit = perp.unit
    # The sum of positions and opening orders must fit 64 bits (rule 1.5).
    room = SUM_MAX - pool.cash.promised - most
    if worst * (quantity * unit) > room:
        return Rejected(Reject.NOTIONAL_MAX, max(0, room))
    if modes.separated:
        refused = positions_refused(terms)
        if refused is not None:
            return refused
    crossed = modes.margin_mode == CROSSED
    leverage = modes.cross if crossed else modes.leverage(side)
    tiers = perp.tiers
    if leverage > tiers.leverages[-1]:
        value = size * max(worst, mark) * unit
        for position in positions:
            value = max(value, position.base + notional(position))
        allowed = tiers.leverages[tiers.at(value) if value > tiers.caps[0] else 0]  # mostly first
        if leverage > allowed:
            return _beyond_leverage(perp, leverage, worst, positions, size - quantity)
    if not crossed or perp.tiers_differ() or perp.delisted or closed_now(perp):
        refused = price_refused(terms)
        if refused is not None:
            return refused
    fee_ppm = terms.holding.opening_rate(perp.market)
    need = order_margin(side, reach, worst, mark, unit, leverage, fee_ppm)
    free = available_in(pool) if crossed else free_above(pool, available_in(pool))
    if free < need:
        return short_of(need)
    # A trade would take money that prices in doubt may cost.
    if not certain(pool) and free - possible_loss(pool) < need:
        return Rejected(Reject.PRICE_DOUBT)
    terms.whole_margin = need  # a MARKET order, which may reach less, never rests
    return None


def _beyond_leverage(
    perp: Perpetual, leverage: int, worst: int, positions: list[Position], held: int
) -> Rejected:
    """Return the refusal of a size beyond the leverage's bound, which it names: the most lots that
    the positions and opening orders of a side may have together. It is what is `held` already where
    a position's own tier ends the leverage."""
    tiers = perp.tiers
    most = 0  # in atoms
    for cap, allowed in zip(tiers.caps, tiers.leverages, strict=True):
        if leverage <= allowed:
            most = cap
    lots = most // (max(worst, perp.mark) * perp.unit)
    for position in positions:
        if position.base + notional(position) > most:
            lots = min(lots, held)
    return Rejected(Reject.LEVERAGE_SIZE, lots)


def _too_large(perp: Perpetual) -> Rejected:
    """Return the refusal of a position beyond the contract's bounds, of which it names the smaller
    one."""
    whole = perp.position_max == perp.contract.position_max
    return Rejected(Reject.POSITION_MAX if whole else Reject.OWNER_SHARE, perp.position_max)


def order_margin(
    side: int, lots: int, price: int, mark: int, unit: int, leverage: int, taker_ppm: int
) -> int:
    """Return the atoms that an opening order needs (rule 5.6): margin at the higher of price and
    `mark` (0: unknown), loss to the mark, fee at the price. `side` is the position's."""
    size = lots * unit
    value = size * price
    # Rounded up, as `ceil_div` does; written out because every order comes by here. Compiled, a
    # product with a negative number is dear.
    need = -(-(size * mark) // leverage) if mark > price else -(-value // leverage)
    if mark:
        loss = price - mark if side > 0 else mark - price
        if loss > 0:
            need += loss * size
    return need + fee_on(value, taker_ppm)


def positions_refused(terms: Terms) -> Rejected | None:
    """Check how many positions an owner may have where each opening order makes a position (rule
    5.12). Open orders that would make one count as positions."""
    holding, modes = terms.holding, terms.modes
    here = len(modes.longs) + len(modes.shorts)
    everywhere = len(holding.positions)
    for order in holding.orders.values():
        other = order.terms
        if other.opens and other.modes.separated and order.remaining == order.quantity:
            everywhere += 1
            here += other.modes is modes
    if here >= POSITIONS_PER_SYMBOL_MAX:
        return Rejected(Reject.POSITIONS_SYMBOL, POSITIONS_PER_SYMBOL_MAX)
    if everywhere >= POSITIONS_PER_ACCOUNT_MAX:
        return Rejected(Reject.POSITIONS_ACCOUNT, POSITIONS_PER_ACCOUNT_MAX)
    return None


def short_of(need: int) -> Rejected:
    """Return the refusal for too little money. It names the atoms needed, at most what 64 bits
    hold."""
    return Rejected(Reject.FUNDS, min(need, STORED_MAX))


def closing_refused(
    order: Order[Terms], terms: Terms, position: Position, *, crossing: bool
) -> Rejected | None:
    """Return the refusal of an order that closes more lots than its position has left, or would
    trade at a price in doubt and increase the owner's exposure (rule 5.14); or None."""
    # An order that closes on its owner's behalf clears other closing orders out of its way.
    left = position.free_lots() if terms.cause == CAUSE_USER else position.quantity
    if order.quantity > left or not left:
        return Rejected(Reject.NOTHING_TO_CLOSE, left)
    if not crossing or not closed_now(terms.perp):
        return None
    if terms.cause in (CAUSE_LIQUIDATION, CAUSE_UNWIND):
        return None
    if widens(terms.modes, position, position.side * order.quantity):
        return doubt_refused(terms.perp)
    return None


def solvent_price(order: Order[Terms], terms: Terms, position: Position) -> int:
    """Return the worst price at which closing leaves the pool the margin that the rest of it needs:
    no owner may trade a loss onto the insurance fund. A pool that already has less may close at the
    mark. The fund itself and liquidations have limits of their own."""
    perp = terms.perp
    if terms.cause == CAUSE_LIQUIDATION or terms.cause == CAUSE_UNWIND:
        return any_price(order.side)
    fee_ppm = terms.holding.taker_rate(perp.market)
    price = mark = mark_of(position)
    share = equity(position.pool) - maintenance_after(position, order.quantity)
    share += min(0, due_funding(position, order.time))
    share = spendable(position, order.quantity, share, fee_ppm)
    if share > 0:
        size = order.quantity * perp.unit
        price = bankruptcy_price(position.side, size, mark, share, fee_ppm)
        # With the fee it may lie on the better side of the mark, where nothing is risked.
        price = min(price, mark) if position.side > 0 else max(price, mark)
    return price


def attach_exits(terms: Terms, command: PlaceContractOrder, perp: Perpetual) -> Rejected | None:
    """Attach an opening order's exits; each must be on the correct side of its price (8.3)."""
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
    terms.asked_position = position_id
    if position_id:
        named = terms.holding.positions.get(position_id)
        if named is None or named.perp is not terms.perp or named.side != terms.position_side:
            return Rejected(Reject.POSITION_UNKNOWN)
        terms.closes = named
        return None
    if terms.modes.separated == SEPARATED:
        return Rejected(Reject.POSITION_ID_MISSING)
    terms.closes = find_position(terms.modes, terms.position_side)
    if terms.closes is None:
        return Rejected(Reject.NOTHING_TO_CLOSE)
    return None
