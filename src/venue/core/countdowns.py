"""Cancel-all-after: runs owners' countdowns, and cancels their open orders when one ends."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

from venue.core.contract.orders import Contracts
from venue.core.freezing import end_spot_orders
from venue.core.messages.commands import CancelContractOrders, SetCancelAfter
from venue.core.messages.events import CancelAfterDue, CancelAfterSet, Event, Rejected
from venue.core.spot.orders import Spot
from venue.vocabulary import CANCEL_AFTER_MAX_S, CANCEL_AFTER_MIN_S, Product, Reject

CHUNK: Final = 1_000  # orders and countdowns ended by one command; the owner it reaches is finished
TIMEOUT_MIN_US: Final = CANCEL_AFTER_MIN_S * 1_000_000
TIMEOUT_MAX_US: Final = CANCEL_AFTER_MAX_S * 1_000_000

Countdown = tuple[int, int, int]  # deadline (µs), uid, `vocabulary.Product`


class Countdowns:
    """The running countdowns, at most one per owner and product.

    `queue` orders them by deadline, then uid; `running` has the deadline (µs) by uid and product.
    """

    __slots__ = ("contracts", "queue", "running", "spot")

    def __init__(self, spot: Spot, contracts: Contracts) -> None:
        self.spot = spot
        self.contracts = contracts
        self.queue: list[Countdown] = []
        self.running: dict[tuple[int, int], int] = {}

    def set(self, command: SetCancelAfter) -> list[Event]:
        """Start or restart an owner's countdown, or (0) stop it.

        A frozen owner may do so: a countdown does nothing that it could not do at once.
        """
        uid, product, timeout = command.uid, command.product, command.timeout
        assert type(timeout) is int, command
        assert product in (Product.SPOT, Product.CONTRACT), command
        if uid not in self.spot.ledger.accounts:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if timeout and not TIMEOUT_MIN_US <= timeout <= TIMEOUT_MAX_US:
            return [Rejected(Reject.TIMEOUT, TIMEOUT_MAX_US)]
        former = self.running.pop((uid, product), 0)
        if former:
            del self.queue[bisect_left(self.queue, (former, uid, product))]
        if not timeout:
            return [CancelAfterSet(uid, product, 0)]
        self.add((command.time + timeout, uid, product))
        return [CancelAfterSet(uid, product, command.time + timeout)]

    def add(self, countdown: Countdown) -> None:
        """Start a countdown; its owner must have none for the product."""
        deadline, uid, product = countdown
        assert (uid, product) not in self.running, f"uid {uid} has a countdown already"
        insort(self.queue, countdown)
        self.running[uid, product] = deadline

    def due(self, time: int) -> bool:
        """Return whether a deadline has passed and its orders are not cancelled yet."""
        return bool(self.queue) and self.queue[0][0] <= time

    def pass_time(self, time: int) -> list[Event]:
        """Cancel the open orders of owners whose deadline has come, in bounded steps.

        One command cancels all orders of an owner.
        """
        events: list[Event] = []
        room = CHUNK
        count = 0
        while room > 0 and count < len(self.queue) and self.queue[count][0] <= time:
            deadline, uid, product = self.queue[count]
            del self.running[uid, product]
            count += 1
            closed = self._cancel(uid, product, time)
            events.append(CancelAfterDue(uid, product, deadline, len(closed)))
            events += closed
            room -= 1 + len(closed)
        del self.queue[:count]
        return events

    def _cancel(self, uid: int, product: int, time: int) -> list[Event]:
        """Cancel all orders in all symbols of a product, as the owner's own cancel-all does."""
        if product == Product.CONTRACT:
            return self.contracts.cancel_all(CancelContractOrders(uid, time=time))
        return end_spot_orders(self.spot, uid, time)
