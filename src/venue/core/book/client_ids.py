"""Client ids of ended orders: remembered for a day, so that sending one again has no effect
(3.6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, Generic

from venue.core.book.book import Order, T
from venue.vocabulary import CLIENT_ID_MEMORY_US, CLIENT_IDS_ENDED_MAX, CLIENT_IDS_PER_OWNER_MAX

FORGOTTEN_MAX: Final = 1_000  # ids that a tick forgets at most; others of more than a day wait


class ClientIds(Generic[T]):
    """A product's ended orders with client ids, in the order in which they ended.

    When an owner has too many, its oldest is forgotten; when all owners together have too many, the
    oldest of all is forgotten. So one owner's many ids alone never push out another owner's. An
    ended order is in no book, so its `prev` and `next` link this list. `clients` returns the orders
    of an order's owner by client id.
    """

    __slots__ = ("_by_owner", "_clients", "_count", "_newest", "_oldest")

    def __init__(self, clients: Callable[[Order[T]], dict[str, Order[T]]]) -> None:
        self._clients = clients
        self._oldest: Order[T] | None = None
        self._newest: Order[T] | None = None
        self._count = 0
        self._by_owner: dict[int, deque[Order[T]]] = {}

    def keep(self, order: Order[T]) -> None:
        """Remember the client id of an order that ended."""
        self.add(order)
        own = self._by_owner[order.uid]
        if len(own) > CLIENT_IDS_PER_OWNER_MAX:
            self._forget(own[0])
        elif self._count > CLIENT_IDS_ENDED_MAX and self._oldest is not None:
            self._forget(self._oldest)

    def add(self, order: Order[T]) -> None:
        """Put an ended order after all others; no other is forgotten for it."""
        assert order.level is None, f"order {order.order_id} has not ended"
        assert order.client_id, f"order {order.order_id} has no client id"
        newest = self._newest
        order.prev = newest
        if newest is None:
            self._oldest = order
        else:
            newest.next = order
        self._newest = order
        self._count += 1
        uid = order.uid
        own = self._by_owner.get(uid)
        if own is None:
            own = self._by_owner[uid] = deque()
        own.append(order)

    def expire(self, time: int) -> None:
        """Forget the next ids of orders that ended more than a day ago, at most a fixed number. An
        older id that is left for a later tick no longer counts (see `is_remembered`), and is the
        first to be dropped for a newer one."""
        for _ in range(FORGOTTEN_MAX):
            oldest = self._oldest
            if oldest is None or is_remembered(oldest, time):
                return
            self._forget(oldest)

    def ended_orders(self) -> list[Order[T]]:
        """Return the orders whose ids are remembered, oldest first."""
        found: list[Order[T]] = []
        order = self._oldest
        while order is not None:
            found.append(order)
            order = order.next
        return found

    def _forget(self, order: Order[T]) -> None:
        """Forget the oldest order of this owner."""
        before, after = order.prev, order.next
        if before is None:
            self._oldest = after
        else:
            before.next = after
        if after is None:
            self._newest = before
        else:
            after.prev = before
        order.prev = None
        order.next = None
        self._count -= 1
        uid = order.uid
        own = self._by_owner[uid]
        own.popleft()
        if not own:
            del self._by_owner[uid]
        clients = self._clients(order)
        if clients.get(order.client_id) is order:
            del clients[order.client_id]


def is_remembered(order: Order[T], time: int) -> bool:
    """Return whether an order's client id still counts: it is open, or ended less than a day
    ago."""
    return order.level is not None or order.update_time > time - CLIENT_ID_MEMORY_US
