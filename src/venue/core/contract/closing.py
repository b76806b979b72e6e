"""Closes whole positions at market (rules 5.1, 7.12), and cuts closing orders to their position."""

from __future__ import annotations

from typing import Final

from venue.core.book.book import Order
from venue.core.contract.orders import ASKED_MAX, Contracts
from venue.core.contract.records import Position, Terms
from venue.core.messages.commands import ClosePositions
from venue.core.messages.contract_events import ClosedAtMarket, ContractOrderReduced
from venue.core.messages.events import Event, Rejected
from venue.vocabulary import CANCELED, CAUSE_CLOSE, MARKET, Reject

CLOSING_UNITS: Final = 300  # events of one slice; the position it reaches is finished
CLOSED_MAX: Final = 25  # positions of one slice


class Rest:
    """The unfinished part of an order that closes on its owner's behalf. The order ended before its
    lots were closed, because one command meets a limited number of resting orders (rule 3.13).

    The rest continues under the next order id, at no worse than `price` (ticks), for the same
    `cause`.
    """

    __slots__ = ("algo_id", "cause", "kind", "lots", "position_id", "price", "tif")

    def __init__(self, numbers: list[int]) -> None:
        (
            self.position_id, self.lots, self.price, self.kind, self.tif, self.cause, self.algo_id,
        ) = numbers  # fmt: skip

    def numbers(self) -> list[int]:
        """Return all fields, in the order of the constructor."""
        return [
            self.position_id, self.lots, self.price, self.kind, self.tif, self.cause, self.algo_id,
        ]  # fmt: skip


class ClosingRequest:
    """A close that is still running: `sequence` is its command's, `left` are the positions still to
    be closed.

    A request for the `rest` of one order has no command: its sequence is 0.
    """

    __slots__ = ("left", "rest", "sequence", "uid")

    def __init__(self, uid: int, sequence: int, left: list[int], rest: Rest | None = None) -> None:
        self.uid = uid
        self.sequence = sequence
        self.left = left  # the next one last
        self.rest = rest


class Closing:
    """Closes what an owner names: one position, those of a symbol, or all.

    `running` are the requests that one command could not finish: by owner, each owner's oldest
    first. Owners are served in turn.
    """

    __slots__ = ("contracts", "running")

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts
        self.running: dict[int, list[ClosingRequest]] = {}

    def close(self, command: ClosePositions, sequence: int) -> list[Event]:
        """Close positions at market. The events of each close are followed by one `ClosedAtMarket`.
        The last `ClosedAtMarket` says how many positions later slices will close."""
        holding = self.contracts.collateral.holding(command.uid)
        if holding is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.symbol and command.symbol not in self.contracts.markets:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        positions = list(holding.positions.values())
        if command.symbol:
            positions = [found for found in positions if found.perp.symbol == command.symbol]
        if command.without:
            positions = [
                found
                for found in positions
                if found.perp.market.instrument.quote != command.without
            ]
        if command.position_id:
            positions = [found for found in positions if found.position_id == command.position_id]
            if not positions:
                return [Rejected(Reject.POSITION_UNKNOWN)]
        left = [position.position_id for position in positions]
        left.reverse()
        request = ClosingRequest(command.uid, sequence, left)
        events = self._go_on(request, command.time, 0)
        if request.left:
            self.running.setdefault(command.uid, []).append(request)
        return events

    def proceed(self, time: int) -> list[Event]:
        """Run the next slice: the oldest request of one owner; owners are served in turn."""
        for uid, requests in self.running.items():
            request = requests[0]
            if request.rest is not None:
                events = self._finish(request, request.rest, time)
            else:
                events = self._go_on(request, time, request.sequence)
            del self.running[uid]
            if not request.left and request.rest is None:
                requests.remove(request)
            if requests:
                self.running[uid] = requests  # after all others
            return events
        return []

    def _go_on(self, request: ClosingRequest, time: int, sequence: int) -> list[Event]:
        """Close the next positions of a request, at most one slice's worth."""
        events: list[Event] = []
        account = self.contracts.ledger.accounts[request.uid]
        holding = self.contracts.collateral.holding_of(account)
        count = 0
        done: ClosedAtMarket | None = None
        most = self.contracts.looked + ASKED_MAX
        while request.left and count < CLOSED_MAX and len(events) < CLOSING_UNITS:
            if self.contracts.looked >= most:
                break
            position_id = request.left.pop()
            count += 1
            position = holding.positions.get(position_id)
            if position is None:  # an earlier one of the request was its counterparty
                done = ClosedAtMarket(position_id, 0, int(Reject.NOTHING_TO_CLOSE))
            else:
                done = self._close(position, time, events)
            if sequence:
                done.request = sequence
                done.left = len(request.left)
            events.append(done)
        if done is not None:
            done.left = len(request.left)
        return events

    def _close(self, position: Position, time: int, events: list[Event]) -> ClosedAtMarket:
        """Sweep the book after cancelling the position's other closing orders. If the sweep is
        impossible nothing is cancelled."""
        contracts = self.contracts
        position_id = position.position_id
        if position.pool.holding.account.frozen:  # since it asked
            return ClosedAtMarket(position_id, 0, int(Reject.ACCOUNT_FROZEN))
        if position.perp.market.halted:
            return ClosedAtMarket(position_id, 0, int(Reject.HALTED))
        lots = min(position.quantity, position.perp.market.instrument.market_quantity_max)
        order = contracts.closing_order(position, MARKET, lots, 0, CAUSE_CLOSE, time)
        said = contracts.enter(order)
        first = said[0]
        if isinstance(first, Rejected):
            return ClosedAtMarket(position_id, 0, first.reason)
        events += said
        if position.quantity and (order.terms.bounded or not order.remaining):
            self._later(order, position.quantity)  # a close at market is of all its lots
        return ClosedAtMarket(position_id, order.order_id, 0)

    # -- what one order could not finish ----------------------------------------------------------

    def go_on_with(self, orders: list[Order[Terms]]) -> None:
        """Queue the lots that these orders did not close for later slices, and empty the list."""
        for order in orders:
            self._later(order, order.remaining)
        orders.clear()

    def _later(self, order: Order[Terms], lots: int) -> None:
        terms = order.terms
        position = terms.closes
        if position is not None and position.quantity:
            price = order.price or terms.limit
            rest = Rest([
                position.position_id, lots, price, order.type, order.time_in_force, terms.cause,
                terms.algo_id,
            ])  # fmt: skip
            request = ClosingRequest(order.uid, 0, [], rest)
            self.running.setdefault(order.uid, []).append(request)

    def _finish(self, request: ClosingRequest, rest: Rest, time: int) -> list[Event]:
        """Place an order for the unfinished part of another; the work ends when it trades no
        more."""
        request.rest = None
        contracts = self.contracts
        account = contracts.ledger.accounts[request.uid]
        position = contracts.collateral.holding_of(account).positions.get(rest.position_id)
        if account.frozen or position is None or position.perp.market.halted:
            return []
        lots = min(rest.lots, position.quantity)
        if rest.cause == CAUSE_CLOSE:
            lots = min(lots, position.perp.market.instrument.market_quantity_max)
        price = 0 if rest.kind == MARKET else rest.price
        order = contracts.closing_order(position, rest.kind, lots, price, rest.cause, time)
        order.time_in_force = rest.tif
        terms = order.terms
        terms.algo_id = rest.algo_id
        terms.limit = rest.price
        events = contracts.enter(order)
        if isinstance(events[0], Rejected):
            return []
        rest.lots -= lots - order.remaining
        if rest.lots > 0 and (terms.bounded or not order.remaining):
            request.rest = rest
        return events


def trim(contracts: Contracts, position: Position, time: int, events: list[Event]) -> None:
    """Cut closing orders that are larger than their position, newest first (rule 5.1).

    An order that closes on its owner's behalf cancels other closing orders when it enters; see
    `orders`.
    """
    while position.closing > position.quantity:
        order = position.orders[next(reversed(position.orders))]
        excess = position.closing - position.quantity
        if excess >= order.remaining:
            events.append(contracts.close(order, CANCELED, time))
            continue
        order.market.book.reduce(order, excess)
        order.update_time = time
        order.terms.trimmed += excess
        position.closing -= excess
        events.append(
            ContractOrderReduced(
                order.order_id, order.uid, order.market.symbol, order.side, order.price,
                excess,
            )
        )  # fmt: skip
