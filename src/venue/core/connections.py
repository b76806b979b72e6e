"""Cancel-on-disconnect: cancels orders when their connection ends, also after a crash (rule
3.14)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.orders import Contracts
from venue.core.messages.commands import (
    CancelContractOrder,
    CancelOrder,
    EndConnection,
    GuardOrders,
    PlaceContractOrder,
    PlaceOrder,
)
from venue.core.messages.contract_events import ContractOrderPlaced
from venue.core.messages.events import Event, OrderPlaced, Rejected
from venue.core.spot.orders import Spot
from venue.vocabulary import OPEN_ORDERS_PER_ACCOUNT_MAX, Product, Reject

GUARDED_MAX: Final = 2 * OPEN_ORDERS_PER_ACCOUNT_MAX  # ids kept until those that ended are dropped


class GuardedOrders:
    """The orders of one connection, by id; some of them may have ended."""

    __slots__ = ("orders", "product", "uid")

    def __init__(self, uid: int, product: int) -> None:
        self.uid = uid
        self.product = product
        self.orders: dict[int, None] = {}


class Connections:
    """The connections whose orders are cancelled when they end, by number, oldest first."""

    __slots__ = ("contracts", "guarded", "spot")

    def __init__(self, spot: Spot, contracts: Contracts) -> None:
        self.spot = spot
        self.contracts = contracts
        self.guarded: dict[int, GuardedOrders] = {}

    def guard(self, command: GuardOrders) -> list[Event]:
        """Tie orders to a connection, or untie them. Tied orders are cancelled when it ends."""
        assert command.product in (Product.SPOT, Product.CONTRACT), command
        if command.uid not in self.spot.ledger.accounts:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if not command.enabled:
            self.guarded.pop(command.connection, None)
            return []
        guarded = self._of(command.connection, command.uid, command.product)
        for order_id in command.orders:
            guarded.orders[order_id] = None
        self._forget_ended(guarded)
        return []

    def note_placed(self, command: PlaceOrder | PlaceContractOrder, events: list[Event]) -> None:
        """Remember a resting order that was placed over a connection that guards its orders."""
        first = events[0]
        product = Product.SPOT if isinstance(command, PlaceOrder) else Product.CONTRACT
        if isinstance(first, OrderPlaced | ContractOrderPlaced) and first.resting:
            guarded = self._of(command.connection, command.uid, product)
            guarded.orders[first.order_id] = None
            if len(guarded.orders) > GUARDED_MAX:
                self._forget_ended(guarded)

    def end(self, command: EndConnection) -> list[Event]:
        """Cancel the open orders of a connection that is gone, oldest first."""
        guarded = self.guarded.pop(command.connection, None)
        if guarded is None:
            return []
        self._forget_ended(guarded)
        events: list[Event] = []
        if guarded.product == Product.CONTRACT:
            for order_id in guarded.orders:
                one = CancelContractOrder(guarded.uid, order_id, time=command.time)
                events += self.contracts.cancel(one)
        else:
            for order_id in guarded.orders:
                events += self.spot.cancel(CancelOrder(guarded.uid, order_id, time=command.time))
        return events

    def _of(self, number: int, uid: int, product: int) -> GuardedOrders:
        """Return the orders of a connection; create the record when it is new."""
        found = self.guarded.get(number)
        if found is None:
            found = self.guarded[number] = GuardedOrders(uid, product)
        return found

    def _forget_ended(self, guarded: GuardedOrders) -> None:
        """Keep only the ids of orders that are still open."""
        account = self.spot.ledger.accounts[guarded.uid]
        open_: dict[int, object] = {}
        if guarded.product == Product.CONTRACT:
            open_.update(self.contracts.collateral.holding_of(account).orders)
        else:
            open_.update(self.spot.account_of(account).orders)
        for order_id in [order_id for order_id in guarded.orders if order_id not in open_]:
            del guarded.orders[order_id]
