"""The order in which deleveraging asks positions, kept as positions change (rule 7.5).

The profit rate is s x (M - E) / E. At any mark it orders the positions of one side as their entry
prices do. So a position's place follows from the position alone, and no move of a mark changes the
order.
"""

from __future__ import annotations

from venue.core.contract.ordered_rows import OrderedRows
from venue.core.contract.records import Position

Ranked = tuple[int, int, Position]  # (entry price x side, position id, position)


class Ranking:
    """The open positions by contract ordinal and side, the highest profit rate first.

    A position takes its place when the watch looks at its pool, and leaves it when it ends.
    Positions of the insurance fund have no place: they are asked after all others.
    """

    __slots__ = ("sides",)

    def __init__(self) -> None:
        self.sides: dict[tuple[int, int], OrderedRows[Ranked]] = {}

    def side(self, ordinal: int, side: int) -> OrderedRows[Ranked]:
        """The positions of one side of a contract."""
        found = self.sides.get((ordinal, side))
        if found is None:
            found = self.sides[ordinal, side] = OrderedRows()
        return found

    def note(self, position: Position) -> None:
        """Put a position where its entry price belongs, in whole ticks."""
        rank = _rank(position)
        if rank != position.rank:
            self.leave(position)
            self.put(position, rank)

    def put(self, position: Position, rank: int) -> None:
        """Give a position that has none a place."""
        position.rank = rank
        if rank:
            shelf = self.side(position.perp.ordinal, position.side)
            shelf.add((rank, position.position_id, position))

    def leave(self, position: Position) -> None:
        """Take a position's place away."""
        if position.rank:
            shelf = self.side(position.perp.ordinal, position.side)
            shelf.remove((position.rank, position.position_id, position))
            position.rank = 0


def _rank(position: Position) -> int:
    entry = position.value // (position.quantity * position.perp.unit)
    return position.side * max(1, entry)
