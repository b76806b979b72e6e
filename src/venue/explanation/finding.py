"""Finds in a journal the command that made an order, bill or liquidation, and its later events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from msgspec import Struct

from venue.api.errors import ApiError
from venue.core.book.book import Order
from venue.core.engine import Engine
from venue.core.messages.commands import Command, PlaceContractOrder, PlaceOrder
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
    Deleveraged,
    Income,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
)
from venue.core.messages.events import (
    Event,
    OrderClosed,
    OrderPlaced,
    Rejected,
    Trade,
    WalletMoved,
)
from venue.core.messages.savepoints import StateReverted
from venue.gateway.operations.refusals import contract, spot
from venue.gateway.operations.refusals.contract import ListedContract
from venue.node.explainer import ExplainQuestion, ExplanationText
from venue.vocabulary import Reject

LATER_MAX: Final = 200  # later events that are told of one thing
REACH: Final = 10_000  # commands before its answer among which a refusal's is looked for
SHORT: Final = "amount not enough"  # in the words of every refusal for missing money
SPOT_BILLS: Final = 4  # of one trade


class Later(Struct):
    """An event about the thing, with its command and all events of that command; µs."""

    sequence: int
    time: int
    command: Command
    event: Event
    events: list[Event]


class Finder(Protocol):
    """Looks at commands as they are applied; `done`: no later one can say more."""

    done: bool

    def lies_behind(self, engine: Engine) -> bool:
        """Return whether it happened after an engine's last command."""

    def look(self, engine: Engine, command: Command, events: list[Event]) -> None:
        """Look at a command that was just applied."""

    def untouched(self, engine: Engine, later: Engine) -> bool:
        """Return whether it is known, and as it was in a later state."""

    def chosen(self, last: int) -> list[Later]:
        """Return the events about it, from the command on that made it; [] when there is none."""

    def missing(self) -> ExplanationText | None:
        """Return the explanation when no command was found; None: there is none."""


def finder(question: ExplainQuestion) -> Finder:
    """Return the finder for a question."""
    if question.kind == "refusal":
        return OfRefusal(question)
    touches, ends = _TOUCHES[question.kind]
    return OfThing(question, touches, ends)


class OfThing:
    """Finds the events of a thing, in the present state: in a state before a revert another thing
    may have had this id."""

    def __init__(
        self,
        question: ExplainQuestion,
        touches: Callable[[Event, int], bool],
        ends: Callable[[Event, int], bool],
    ) -> None:
        self._number = question.number
        self._epoch = question.epoch
        self._is_bill = question.kind == "bill"
        self._touches = touches
        self._ends = ends
        self._later: list[Later] = []
        self._reverts: list[tuple[int, int]] = []  # the revert, and its target: commands
        self.done = False

    def lies_behind(self, engine: Engine) -> bool:
        counters = engine.counters
        return (counters.bill if self._is_bill else counters.order) <= self._number

    def look(self, engine: Engine, command: Command, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, StateReverted):
                self._reverts.append((engine.sequence, event.sequence))
            elif self._touches(event, self._number):
                self._later.append(Later(engine.sequence, command.time, command, event, events))
                ended = self._ends(event, self._number) or len(self._later) >= LATER_MAX
                self.done = self.done or (ended and engine.epoch == self._epoch)

    def untouched(self, engine: Engine, later: Engine) -> bool:
        if not self._later or engine.epoch != later.savepoints.epoch:
            return False
        uid = getattr(self._later[0].event, "uid", 0)
        left = _open_part(engine, uid, self._number)
        return left is not None and left == _open_part(later, uid, self._number)

    def chosen(self, last: int) -> list[Later]:
        spans: list[tuple[int, int]] = []  # commands whose effects are there, first and last
        for at, to in reversed(self._reverts):
            if at <= last:
                spans.append((at, last))
                last = to
        spans.append((0, last))
        return [
            one for one in self._later if any(first <= one.sequence <= end for first, end in spans)
        ]

    def missing(self) -> ExplanationText | None:
        return None


class OfRefusal:
    """Looks for the owner's last command up to the answer that was refused in the same words."""

    def __init__(self, question: ExplainQuestion) -> None:
        self._asked = question
        self._found: list[Later] = []
        self.done = False

    def lies_behind(self, engine: Engine) -> bool:
        asked = self._asked
        if engine.sequence <= asked.begin <= asked.sequence:
            return True  # nothing is left of earlier commands
        return engine.sequence < max(1, asked.sequence - REACH)

    def look(self, engine: Engine, command: Command, events: list[Event]) -> None:
        asked = self._asked
        self.done = engine.sequence >= asked.sequence
        rejected = events[0] if len(events) == 1 else None
        if not isinstance(rejected, Rejected) or getattr(command, "uid", 0) != asked.uid:
            return
        found = refused(engine, command, rejected)
        if found is None or found.code != asked.code:
            return
        # For missing money the answer says more than the rule.
        if found.message == asked.words or (
            rejected.reason == Reject.FUNDS and SHORT in asked.words
        ):
            self._found = [Later(engine.sequence, command.time, command, rejected, events)]

    def untouched(self, engine: Engine, later: Engine) -> bool:
        return False  # the commands that are asked about are few

    def chosen(self, last: int) -> list[Later]:
        return [one for one in self._found if one.sequence <= last]

    def missing(self) -> ExplanationText | None:
        return ExplanationText(
            [
                (
                    "No command of the journal was refused in these words: the venue refused the"
                    " request before it reached the engine. Nothing was done, and nothing was"
                    " journaled."
                )
            ],
            uid=self._asked.uid,
        )


def refused(engine: Engine, command: Command, rejected: Rejected) -> ApiError | None:
    """Return the answer that a command's owner got; None where that depends on the operation."""
    try:
        if isinstance(command, PlaceOrder):
            market = engine.spot_markets.get(command.symbol)
            return spot.refusal(rejected, market.instrument if market is not None else None)
        if isinstance(command, PlaceContractOrder):
            perp = engine.perps.get(command.symbol)
            if perp is None:
                return contract.refusal(rejected)
            listed = ListedContract(perp.contract, engine.assets[perp.asset])
            if rejected.reason == Reject.TRIGGER_PRICE:
                return contract.exit_refusal(rejected, listed, command)
            if rejected.reason == Reject.LEVERAGE_SIZE:
                return contract.size_refusal(rejected, listed, engine, command)
            return contract.refusal(rejected, listed)
        return contract.refusal(rejected)
    except KeyError:
        return None


def _open_part(engine: Engine, uid: int, number: int) -> tuple[int, ...] | None:
    """Return the part of an open order that its events change; None: it is not open."""
    if uid not in engine.accounts:
        return None
    holding = engine.holding(uid)
    orders: Mapping[int, Order[Any]] = engine.spot_account(uid).orders
    order = orders.get(number) or holding.orders.get(number)
    if order is not None:
        return order.quantity, order.remaining, order.place, int(order.level is None)
    return () if number in holding.algos else None


def _touches_order(event: Event, number: int) -> bool:
    if isinstance(event, Trade):
        return number in (event.maker_order_id, event.taker_order_id)
    if isinstance(event, ContractTrade):
        return number in (event.maker.order_id, event.taker.order_id)
    if isinstance(event, AlgoPlaced | AlgoClosed):
        return event.algo_id == number
    if isinstance(event, AlgoTriggered):
        return number in (event.algo_id, event.order_id)
    own = OrderPlaced | OrderClosed | ContractOrderPlaced | ContractOrderClosed
    own |= ContractOrderReduced | ContractOrderParked | ContractOrderReturned
    return isinstance(event, own) and event.order_id == number


def _ends_order(event: Event, number: int) -> bool:
    if isinstance(event, OrderClosed | ContractOrderClosed | AlgoClosed):
        return True
    if isinstance(event, Trade | ContractTrade):
        maker = event.maker_order_id if isinstance(event, Trade) else event.maker.order_id
        return (event.maker_remaining if number == maker else event.taker_remaining) == 0
    return isinstance(event, AlgoTriggered) and event.algo_id == number


def _touches_bill(event: Event, number: int) -> bool:
    if isinstance(event, Trade):
        return event.bill_id <= number < event.bill_id + SPOT_BILLS
    if isinstance(event, ContractTrade):
        return number in (event.maker.bill_id, event.taker.bill_id)
    return isinstance(event, WalletMoved | Income) and event.bill_id == number


def _touches_liquidation(event: Event, number: int) -> bool:
    told = LiquidationStarted | LiquidationStep | Deleveraged | LiquidationFinished
    return isinstance(event, told) and event.liquidation_id == number


def _ends_liquidation(event: Event, _: int) -> bool:
    return isinstance(event, LiquidationFinished)


_TOUCHES: Final = {
    "order": (_touches_order, _ends_order),
    "bill": (_touches_bill, _touches_bill),
    "liquidation": (_touches_liquidation, _ends_liquidation),
}
