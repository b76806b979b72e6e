"""A maker's ladder: the prices that it wants, and whether all of them are in the book already."""

from __future__ import annotations

from typing import TypeVar

from venue.core.book.book import Order

T = TypeVar("T")


class Ladder:
    """An owner's wanted prices as keys, bids positive and asks negative, best first; on a grid, so
    that the ladder stays while the reference moves a little.

    A maker's orders are compared one by one only when the ladder changed or an order is gone:
    `whole` says that all levels were in the book, with the order `newest` as the last.
    """

    __slots__ = ("_ask", "_bid", "_gap", "_newest", "_whole", "levels", "owner", "wanted")

    def __init__(self, owner: str, levels: int) -> None:
        self.owner = owner
        self.levels = levels
        self.wanted: dict[int, None] = {}
        self._bid = self._ask = self._gap = 0
        self._whole = False
        self._newest: object = None

    def put(self, reference: int, edge: int, gap: int) -> None:
        """Set the ladder to start `edge` away from a reference, with steps of `gap`, all in
        ticks."""
        bid = (reference - edge) // gap * gap
        ask = -(-(reference + edge) // gap) * gap
        if bid == self._bid and ask == self._ask and gap == self._gap:
            return
        self._bid, self._ask, self._gap = bid, ask, gap
        self._whole = False
        keys = self.wanted = {}
        for level in range(0, self.levels * gap, gap):
            if bid > level:
                keys[bid - level] = None
            keys[-ask - level] = None

    def stands(self, orders: dict[int, Order[T]]) -> bool:
        """Return whether a maker's open orders are this ladder's, unchanged since it was whole."""
        return (
            self._whole
            and len(orders) == len(self.wanted)
            and next(reversed(orders.values())) is self._newest
        )

    def note(self, orders: dict[int, Order[T]], *, whole: bool) -> None:
        """Store whether all levels are in the book, and no other order."""
        self._whole = whole and len(orders) == len(self.wanted) > 0
        self._newest = next(reversed(orders.values())) if self._whole else None
