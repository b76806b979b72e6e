"""Parks orders that may not trade, and returns them to the book when they may (rule 5.14)."""

from __future__ import annotations

from typing import Final

from venue.core.book.book import NO_ASK, Half, Order
from venue.core.contract.orders import Contracts
from venue.core.contract.prices_in_doubt import Doubts, keep_back, park
from venue.core.contract.records import Perpetual, Terms
from venue.core.messages.contract_events import ContractOrderReturned
from venue.core.messages.events import Event

ASKED_MAX: Final = 400  # orders that a slice asks
OWNERS: Final = 16  # without orders that cost as much as asking one order
RECALLED: Final = 100  # parked orders of a contract that each tick asks, in turn
FRONT_MAX: Final = 250  # orders of a side that a tick asks from the best price on
SEEN_MAX: Final = 20  # of these, until so many may trade
LATE: Final = 2**60  # above all places


class Parking:
    """Parks orders when a price becomes unknown, and recalls them when it is known again.

    `left` owners are still to be checked for orders to park, from the place `next` in the ledger
    on. The number of parked orders to recall is stored with each contract.
    """

    __slots__ = ("contracts", "left", "next")

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts
        self.left = 0
        self.next = 0

    def notice(self, perp: Perpetual) -> None:
        """Schedule a check of all owners when a contract's price becomes unknown, and of all parked
        orders when it becomes known."""
        now = perp.refuses_opening() or perp.shut()
        if now == perp.was_unknown:
            return
        perp.was_unknown = now
        if now:
            self.left = len(self.contracts.ledger.accounts)
            return
        for other in self.contracts.markets.values():
            other.recalled = len(other.market.book.parked)

    def pending(self) -> bool:
        """Return whether orders are still to be checked."""
        return self.left > 0 or any(perp.recalled for perp in self.contracts.markets.values())

    def tick(self, perp: Perpetual) -> list[Event]:
        """Park orders at the front of a book that may not trade, before its premium is sampled;
        schedule the next parked orders, whose owners may have added money."""
        book = perp.market.book
        if perp.recalled < RECALLED:
            perp.recalled = min(RECALLED, len(book.parked))
        markets = self.contracts.markets.values()
        if not any(other.was_unknown and other.asset == perp.asset for other in markets):
            return []
        waiting = Doubts()
        found = _front(book.bids, 0, waiting) + _front(book.asks, NO_ASK, waiting)
        return [park(order) for order in found]

    def proceed(self, time: int) -> list[Event]:
        """Run the next slice."""
        events: list[Event] = []
        if not self.pending():
            return events
        waiting = Doubts()
        room = ASKED_MAX
        if self.left:
            room = self._ask_owners(events, waiting, room)
        for perp in self.contracts.markets.values():
            asked = min(perp.recalled, room)
            if asked > 0:
                room -= asked
                perp.recalled -= asked
                self._recall(perp, asked, waiting, events)
        return events

    def _ask_owners(self, events: list[Event], waiting: Doubts, room: int) -> int:
        """Park orders of the next owners; return how many orders may still be checked."""
        accounts = self.contracts.ledger.accounts
        holdings = self.contracts.collateral.holdings
        if self.next >= len(accounts):
            self.next = 0
        units = room * OWNERS
        for account in list(accounts.values())[self.next : self.next + units]:
            if units <= 0 or not self.left:
                break
            self.next += 1
            self.left -= 1
            units -= 1
            holding = holdings.get(account.uid)
            if holding is None or not holding.orders:
                continue
            units -= OWNERS * len(holding.orders)
            for order in holding.orders.values():
                if order.order_id not in order.market.book.parked and waiting.holds(order):
                    events.append(park(order))
        return units // OWNERS

    def _recall(self, perp: Perpetual, count: int, waiting: Doubts, events: list[Event]) -> None:
        """Return parked orders that may trade again to the book, unless they would cross it: into
        their places, or after all others if they lost their places."""
        book = perp.market.book
        counters = self.contracts.counters
        last: dict[tuple[int, int], Order[Terms]] = {}  # by side and price: one walk of each level
        asked = sorted(list(book.parked.values())[:count], key=_turn)
        for order in asked:
            held = waiting.holds(order)
            if held:
                keep_back(order)
            if held or book.crosses(order.side, order.price):
                del book.parked[order.order_id]  # after those that were not checked yet
                book.parked[order.order_id] = order
            else:
                late = order.place == 0
                if late:
                    order.place = counters.order
                    counters.order += 1
                level = order.side, order.price
                book.unpark(order, last.get(level))
                last[level] = order
                events.append(
                    ContractOrderReturned(
                        order.order_id, order.uid, perp.symbol, order.side, order.price,
                        order.remaining, late,
                    )
                )  # fmt: skip


def _turn(order: Order[Terms]) -> int:
    return order.place or LATE + order.order_id


def _front(half: Half[Terms], limit: int, waiting: Doubts) -> list[Order[Terms]]:
    """Orders near the best price that may not trade."""
    found: list[Order[Terms]] = []
    for count, order in enumerate(half.within(limit)):
        if count == FRONT_MAX or count - len(found) == SEEN_MAX:
            break
        if waiting.holds(order):
            found.append(order)
    return found
