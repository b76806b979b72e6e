"""Explains why an order filled, rested, was cut or refused, by the core's own plan of it and its
checks."""

from __future__ import annotations

from typing import Any, Final

from venue import texts
from venue.api.names import (
    MARGIN_MODE_NAMES,
    POSITION_SIDE_NAMES,
    SIDE_NAMES,
    TIME_IN_FORCE_NAMES,
    TYPE_NAMES,
)
from venue.core.contract import preview as contract
from venue.core.contract.orders import ShownPlan
from venue.core.contract.position import available_in
from venue.core.engine import Engine
from venue.core.messages.commands import Command, PlaceContractOrder, PlaceOrder
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.spot import preview as spot
from venue.explanation.finding import refused
from venue.explanation.words import ExplanationWords, at_best, prices
from venue.vocabulary import (
    BUY,
    LONG,
    OPEN_ORDERS_PER_ACCOUNT_MAX,
    OPEN_ORDERS_PER_SYMBOL_MAX,
    OrderStatus,
    Reject,
)

FILLS_MAX: Final = 20


def placing(engine: Engine, command: Command) -> list[str]:
    """Return sentences on an order's fields, the book at that time, and its immediate outcome; []
    for other commands.

    The engine is in the state before the command.
    """
    if isinstance(command, PlaceOrder) and command.symbol in engine.spot_markets:
        return _spot(engine, command)
    if isinstance(command, PlaceContractOrder) and command.symbol in engine.perps:
        return _contract(engine, command)
    return []


def _order_words(
    words: ExplanationWords, command: PlaceOrder | PlaceContractOrder, instrument: Any
) -> str:
    price = texts.price_text(instrument, command.price) if command.price else "the market"
    return (
        f"{words.owner(command.uid)} asked to {SIDE_NAMES[command.side]}"
        f" {texts.quantity_text(instrument, command.quantity)} {command.symbol} at {price}"
        f" ({TYPE_NAMES[command.type]}, {TIME_IN_FORCE_NAMES[command.time_in_force]})."
    )


# -- spot -----------------------------------------------------------------------------------------


def _spot(engine: Engine, command: PlaceOrder) -> list[str]:
    market = engine.spot_markets[command.symbol]
    own = engine.spot_account(command.uid)
    instrument = market.instrument
    words = ExplanationWords(engine)
    lines = [
        _order_words(words, command, instrument),
        at_best(market, command.side, command.price),
        _caps(own.open_count[market.ordinal], len(own.orders)),
    ]
    lines += _band(market.worst_price(command.side), command.price, instrument)
    buy = command.side == BUY
    pays = market.quote if buy else market.base
    need = command.quantity * market.lot_atoms
    if buy:
        need = command.price * command.quantity * market.unit_atoms
    if need:
        what = "price x quantity" if buy else "the quantity"
        lines.append(_funds(words, pays, need, own.account.spot[pays].free, what))
    else:
        lines.append(f"Money: {words.money(pays, own.account.spot[pays].free)} were free.")
    outlook = spot.preview(engine.spot, command)
    if isinstance(outlook, list):
        return lines + _why_nothing(engine, command, outlook)
    gets = market.base if buy else market.quote
    lines += _outcome(words, outlook, instrument, gets)
    if outlook.rests:
        lines.append(_rests(words, outlook, instrument, pays))
    return lines


# -- contracts ------------------------------------------------------------------------------------


def _contract(engine: Engine, command: PlaceContractOrder) -> list[str]:
    perp = engine.perps[command.symbol]
    instrument = perp.market.instrument
    words = ExplanationWords(engine)
    side = POSITION_SIDE_NAMES.get(command.position_side, "?")
    opens = (command.side == BUY) == (command.position_side == LONG)
    lines = [
        _order_words(words, command, instrument)
        + f" It {'opens or adds to' if opens else 'reduces'} the {side} position.",
        prices(perp),
        at_best(perp.market, command.side, command.price),
    ]
    holding = engine.holding(command.uid)
    modes = holding.modes_or_default(perp)
    lines.append(_caps(modes.open_orders, len(holding.orders)))
    if opens:
        lines.append(
            f"Margin mode {MARGIN_MODE_NAMES[modes.margin_mode]}, leverage"
            f" {modes.leverage(command.position_side)}."
        )
    lines += [
        f"The position had {texts.quantity_text(instrument, position.quantity)}, of which"
        f" {texts.quantity_text(instrument, position.free_lots())} no closing order held."
        for position in modes.positions(command.position_side)
    ]
    lines += _band(perp.market.worst_price(command.side, perp.mark), command.price, instrument)
    shown = ShownPlan()
    said = engine.contracts.place(command, shown)
    free = available_in(holding.cross(perp.asset))
    order = shown.order
    if opens:
        need = order.terms.whole_margin if order is not None else _short(said)
        lines.append(_funds(words, perp.asset, need, free, "margin and fee"))
    outlook = contract.preview(engine.contracts, command)
    if isinstance(outlook, list):
        return lines + _why_nothing(engine, command, outlook)
    lines += _outcome(words, outlook, instrument, perp.asset)
    if outlook.rests:
        lines.append(_rests(words, outlook, instrument, perp.asset))
    if outlook.fills and outlook.liquidation > 0:
        danger = texts.price_text(instrument, outlook.liquidation)
        lines.append(
            f"The position then had {texts.quantity_text(instrument, outlook.size)}; its"
            f" liquidation price was {danger}."
        )
    return lines


# -- both -----------------------------------------------------------------------------------------


def _short(said: list[Event]) -> int:
    """Return the money that an order refused for missing money would have needed; 0 for other
    orders."""
    first = said[0] if said else None
    short = isinstance(first, Rejected) and first.reason == Reject.FUNDS
    return first.limit if short and isinstance(first, Rejected) else 0


def _caps(symbol: int, everywhere: int) -> str:
    return (
        f"Open orders: {symbol} of at most {OPEN_ORDERS_PER_SYMBOL_MAX} in the symbol, {everywhere}"
        f" of at most {OPEN_ORDERS_PER_ACCOUNT_MAX} in all."
    )


def _band(bound: int, price: int, instrument: Any) -> list[str]:
    if not bound or not price:
        return []
    worst = texts.price_text(instrument, bound)
    return [
        (
            f"Price band: this side may name prices up to its end at {worst}; the order named"
            f" {texts.price_text(instrument, price)}."
        )
    ]


def _funds(words: ExplanationWords, asset: int, need: int, free: int, what: str) -> str:
    if not need:
        return f"Money: {words.money(asset, free)} were available."
    enough = "enough" if free >= need else "not enough"
    return (
        f"Money: {words.money(asset, need)} were needed ({what}), {words.money(asset, free)} were"
        f" available: {enough}."
    )


def _why_nothing(engine: Engine, command: Command, events: list[Event]) -> list[str]:
    """Return the answer to an order that did nothing."""
    (event,) = events
    if isinstance(event, OrderRepeated):
        return [f"Its client id was used before, by order {event.order_id}, which answered."]
    assert isinstance(event, Rejected), event
    problem = refused(engine, command, event)
    told = f": {problem.code} {problem.message}" if problem is not None else ""
    return [f"It was refused by {Reject(event.reason).name}{told}", "Nothing was changed."]


def _outcome(words: ExplanationWords, outlook: Any, instrument: Any, asset: int) -> list[str]:
    """Describe the fills of the plan, and the orders that it ends."""
    lines = [
        f"It traded {texts.quantity_text(instrument, lots)} at"
        f" {texts.price_text(instrument, price)} with a fee of {words.money(asset, fee)}."
        for price, lots, fee in outlook.fills[:FILLS_MAX]
    ]
    if len(outlook.fills) > FILLS_MAX:
        lines.append(f"It had {len(outlook.fills) - FILLS_MAX} more fills.")
    if outlook.ended:
        ended = ", ".join(map(str, outlook.ended[:FILLS_MAX]))
        lines.append(f"It ended resting orders, of its owner or not to be borne: {ended}.")
    status = OrderStatus(outlook.status).name
    return [*lines, f"Its status after this command was {status}."]


def _rests(words: ExplanationWords, outlook: Any, instrument: Any, asset: int) -> str:
    return (
        f"{texts.quantity_text(instrument, outlook.rests)} rested in the book;"
        f" {words.money(asset, outlook.held)} were held for it."
    )
