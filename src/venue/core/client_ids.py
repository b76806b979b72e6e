"""Client ids of orders that ended: known for a day, so that a repetition has no effect (3.6)."""

from __future__ import annotations

from collections import deque

from venue.core.orders import Order
from venue.terms import CLIENT_ID_MEMORY_US, CLIENT_IDS_ENDED_MAX


class ClientIds:
    """A product's ended orders with client ids, oldest first; the oldest make room."""

    __slots__ = ("ended",)

    def __init__(self) -> None:
        self.ended: deque[Order] = deque()

    def keep(self, order: Order) -> None:
        """Remember the client id of an order that ended."""
        self.ended.append(order)
        if len(self.ended) > CLIENT_IDS_ENDED_MAX:
            self._forget_oldest()

    def expire(self, time: int) -> None:
        """Forget those of orders that ended more than a day ago."""
        ended = self.ended
        while ended and not remembered(ended[0], time):
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        order = self.ended.popleft()
        terms = order.terms
        clients = order.account.clients if terms is None else terms.holding.clients
        if clients.get(order.client_id) is order:
            del clients[order.client_id]


def remembered(order: Order, time: int) -> bool:
    """Whether an order's client id still counts: it is open, or ended less than a day ago."""
    return order.level is not None or order.update_time > time - CLIENT_ID_MEMORY_US
