"""Describes what happened to an order after it was placed, event by event."""

from __future__ import annotations

from venue import texts
from venue.api.names import SIDE_NAMES, SOURCE_NAMES
from venue.core.messages.contract_events import (
    AlgoClosed,
    AlgoPlaced,
    AlgoTriggered,
    ContractOrderClosed,
    ContractOrderParked,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractOrderReturned,
    ContractTrade,
)
from venue.core.messages.events import OrderClosed, OrderPlaced, Trade
from venue.explanation.finding import Later
from venue.explanation.words import ExplanationWords
from venue.times import instant_text
from venue.vocabulary import AlgoStatus, Cause, OrderStatus, Reject


def following(words: ExplanationWords, number: int, later: list[Later]) -> list[str]:
    """Return a sentence for each event about an order."""
    lines = []
    for one in later:
        told = _sentence(words, number, one)
        if told:
            by = words.command(one.command)
            lines.append(f"{instant_text(one.time)}, command {one.sequence} ({by}): {told}")
    return lines


def _sentence(words: ExplanationWords, number: int, one: Later) -> str:
    event = one.event
    if isinstance(event, OrderPlaced | ContractOrderPlaced):
        return _placed(words, event)
    if isinstance(event, Trade | ContractTrade):
        return _traded(words, number, event)
    if isinstance(event, OrderClosed | ContractOrderClosed):
        return f"it ended as {OrderStatus(event.status).name}."
    if isinstance(event, ContractOrderParked):
        return "it left the book, still open: a price was in doubt, and it could not trade."
    if isinstance(event, ContractOrderReturned):
        where = "after the others at its price" if event.late else "in its old place"
        return f"it was in the book again, {where}."
    if isinstance(event, ContractOrderReduced):
        instrument = words.instrument(event.symbol, contract=True)
        taken = texts.quantity_text(instrument, event.quantity)
        return f"{taken} were taken off it: the position that it closes had become smaller."
    return _conditional(words, number, event)


def _placed(words: ExplanationWords, event: OrderPlaced | ContractOrderPlaced) -> str:
    contract = isinstance(event, ContractOrderPlaced)
    instrument = words.instrument(event.symbol, contract=contract)
    cause = ""
    if isinstance(event, ContractOrderPlaced) and event.cause:
        cause = f", for {Cause(event.cause).name}"
        cause += f" of conditional order {event.algo_id}" if event.algo_id else ""
    resting = texts.quantity_text(instrument, event.resting)
    return (
        f"it was accepted{cause}: {SIDE_NAMES[event.side]}"
        f" {texts.quantity_text(instrument, event.quantity)} {event.symbol} at"
        f" {texts.order_price_text(instrument, event.price)}, of which {resting} rested."
    )


def _traded(words: ExplanationWords, number: int, event: Trade | ContractTrade) -> str:
    contract = isinstance(event, ContractTrade)
    instrument = words.instrument(event.symbol, contract=contract)
    maker = event.maker.order_id if isinstance(event, ContractTrade) else event.maker_order_id
    left = event.maker_remaining if number == maker else event.taker_remaining
    role = "as the resting order" if number == maker else "as the incoming order"
    return (
        f"trade {event.trade_id}, {texts.quantity_text(instrument, event.quantity)} at"
        f" {texts.price_text(instrument, event.price)} {role};"
        f" {texts.quantity_text(instrument, left)} of it were left."
    )


def _conditional(words: ExplanationWords, number: int, event: object) -> str:
    if isinstance(event, AlgoPlaced):
        instrument = words.instrument(event.symbol, contract=True)
        price = texts.price_text(instrument, event.trigger_price)
        return (
            f"the conditional order waits for the {SOURCE_NAMES[event.source]} price to"
            f" {'rise' if event.rising else 'fall'} to {price}."
        )
    if isinstance(event, AlgoTriggered):
        price = texts.price_text(words.instrument(event.symbol, contract=True), event.price)
        if event.order_id == number:
            return f"conditional order {event.algo_id} was triggered at {price} and became it."
        if event.order_id:
            return f"it was triggered at {price} and became order {event.order_id}."
        return f"it was triggered at {price} and refused: {Reject(event.reason).name}."
    if isinstance(event, AlgoClosed):
        return f"it ended as {AlgoStatus(event.status).name}."
    return ""
