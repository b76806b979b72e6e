"""Previews a spot order: matches it and shows the match instead of executing it."""

from __future__ import annotations

from venue.core.book.book import OPEN, Order
from venue.core.book.matching import Match, expected_status, within_band
from venue.core.ledger.ledger import fee_on
from venue.core.messages.commands import PlaceOrder
from venue.core.messages.events import Event
from venue.core.spot.account import SpotOrder
from venue.core.spot.orders import RULES, ShownMatch, Spot, SpotMatch
from venue.vocabulary import BUY, LIMIT, NEW


class SpotOutlook:
    """The effects that an accepted order would have. `fills` are price, lots and fee, oldest first;
    fees are in atoms of the asset received, `held` in atoms of the asset paid, for the `rests` lots
    that stay in the book. `ended` are resting orders that self-trade prevention would end."""

    __slots__ = ("ended", "fee", "fills", "held", "quote", "rests", "status")

    def __init__(self, status: int) -> None:
        self.status = status
        self.fills: list[tuple[int, int, int]] = []
        self.ended: list[int] = []
        self.fee = 0
        self.quote = 0  # notional of the fills, in atoms
        self.rests = 0
        self.held = 0


def preview(spot: Spot, command: PlaceOrder) -> SpotOutlook | list[Event]:
    """Return the effects that an order would have now, or the events if it is refused or
    repeated."""
    shown = ShownMatch()
    said = spot.place(command, shown)
    order = shown.order
    if order is None:
        return said
    outlook = SpotOutlook(NEW)
    if shown.match is not None:
        taken: dict[int, int] = {}
        for maker, lots in shown.match.fills:
            taken[maker.order_id] = lots or maker.remaining
            if lots:
                _fill(outlook, order, maker.price, lots)
            else:
                outlook.ended.append(maker.order_id)
        outlook.status = expected_status(shown.match, taken)
    if outlook.status in OPEN:
        market = order.market
        outlook.rests = order.quantity - sum([lots for _, lots, _ in outlook.fills])
        each = order.price * market.unit_atoms if order.side == BUY else market.lot_atoms
        outlook.held = outlook.rests * each
    return outlook


def needed_atoms(spot: Spot, command: PlaceOrder) -> int:
    """Return the atoms that a well-formed order of a known owner needs of the asset that it pays
    with: a LIMIT order for all its lots, a MARKET order for the lots that it would meet now."""
    market = spot.markets[command.symbol]
    buys = command.side == BUY
    if command.type == LIMIT:
        worth = command.price * command.quantity * market.unit_atoms
        return worth if buys else command.quantity * market.lot_atoms
    own = spot.account_of(spot.ledger.accounts[command.uid])
    best = market.book.best(command.side)
    order: SpotOrder = Order(
        0, command.uid, market, command.side, command.type, command.time_in_force, command.quantity,
        command.price, "", command.time, own,
    )  # fmt: skip
    match: SpotMatch = Match(order, own.account.self_trade)
    if best:
        match.walk(within_band(order.side, best, market.instrument.market_band_ppm), RULES)
    if not buys:
        return match.lots * market.lot_atoms
    return sum([maker.price * lots for maker, lots in match.fills]) * market.unit_atoms


def _fill(outlook: SpotOutlook, order: SpotOrder, price: int, lots: int) -> None:
    market = order.market
    account = order.terms.account
    amount = price * lots * market.unit_atoms
    rate = account.taker_ppm if account.taker_ppm >= 0 else market.taker_ppm
    fee = fee_on(lots * market.lot_atoms if order.side == BUY else amount, rate)
    outlook.fills.append((price, lots, fee))
    outlook.fee += fee
    outlook.quote += amount
