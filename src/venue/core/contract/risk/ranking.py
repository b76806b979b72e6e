"""Ranks positions for deleveraging (rule 7.5).

The score of a position follows from its contract's mark and from the equity of its pool, so a move
of a mark changes all scores. The positions of a contract are scored when they are needed, in slices
if they are many, and the scores are kept while they are valid.
"""

from __future__ import annotations

from typing import Final

from venue.core.contract.ordered_rows import OrderedRows
from venue.core.contract.position import equity, mark_of, notional
from venue.core.contract.records import Perpetual, Position
from venue.core.units import PPM

SCORE_MAX: Final = 10**15  # a bound for positions with next to no equity
SCORED_PER_UNIT: Final = 2  # positions that are scored for one unit of work (rule 7.11)
KEPT_TICKS: Final = 2  # scores are forgotten at the second tick after their last slice

Ranked = tuple[int, int, Position]  # (key, position id, position)


class ContractRanking:
    """The positions of one contract by side, the highest score first.

    `next` is the first position id that is still to be scored; 0: none. `kept` is the number of
    ticks after which the scores are dropped; 0: they are dropped already. `exact`: all were
    computed at once; such a ranking is valid until a mark moves.
    """

    __slots__ = ("exact", "kept", "long", "next", "short")

    def __init__(self) -> None:
        self.long: OrderedRows[Ranked] = OrderedRows()
        self.short: OrderedRows[Ranked] = OrderedRows()
        self.next = 0
        self.kept = 0
        self.exact = False

    def side(self, side: int) -> OrderedRows[Ranked]:
        """Return the positions of one side, including those with former scores."""
        return self.long if side > 0 else self.short

    def is_complete(self) -> bool:
        """Return whether all positions are scored."""
        return self.kept > 0 and not self.next


class Ranking:
    """The rankings of all contracts, by ordinal.

    Positions of the owner `last`, the insurance fund, are not ranked: they are asked after all
    others.
    """

    __slots__ = ("contracts", "last")

    def __init__(self, last: int) -> None:
        self.last = last
        self.contracts: dict[int, ContractRanking] = {}

    def of(self, perp: Perpetual) -> ContractRanking:
        """Return the ranking of one contract."""
        found = self.contracts.get(perp.ordinal)
        if found is None:
            found = self.contracts[perp.ordinal] = ContractRanking()
        return found

    def go_on(self, perp: Perpetual, units: int) -> int:
        """Score the next positions of a contract whose ranking is incomplete; return the units of
        work."""
        ranking = self.of(perp)
        if ranking.is_complete() or units <= 0:
            return 0
        most = units * SCORED_PER_UNIT
        ids = perp.ids.after((ranking.next,), most)
        for (position_id,) in ids:
            position = perp.positions[position_id]
            if position.pool.account.uid != self.last:
                self._place(ranking, position, equity(position.pool))
        whole = len(ids) < most
        ranking.exact = whole and not ranking.next
        ranking.next = 0 if whole else ids[-1][0] + 1
        ranking.kept = KEPT_TICKS
        return 1 + len(ids) // SCORED_PER_UNIT

    def note(self, position: Position, own: int) -> bool:
        """Score a position that was changed, or whose pool was, if scores are kept; return whether
        it moved.

        `own` is the equity of its pool.
        """
        ranking = self.contracts.get(position.perp.ordinal)
        if ranking is None or not ranking.kept:
            return False
        return self._place(ranking, position, own)

    def drop_exact_scores(self) -> None:
        """Drop exact scores, because a mark has moved."""
        for ranking in self.contracts.values():
            if ranking.exact:
                ranking.kept = 0

    def tick(self) -> None:
        """Count a tick; scores that have grown old are dropped."""
        for ranking in self.contracts.values():
            if ranking.kept:
                ranking.kept -= 1
                if not ranking.kept:
                    ranking.next = 0

    def put(self, position: Position, key: int) -> None:
        """Add a position to the ranking."""
        position.rank = key
        if key:
            rows = self.of(position.perp).side(position.side)
            rows.add((key, position.position_id, position))

    def leave(self, position: Position) -> None:
        """Remove a position from the ranking."""
        if position.rank:
            rows = self.of(position.perp).side(position.side)
            rows.remove((position.rank, position.position_id, position))
            position.rank = 0

    def _place(self, ranking: ContractRanking, position: Position, own: int) -> bool:
        key = SCORE_MAX + 1 - score(position, own)  # above 0, the highest score first
        if key == position.rank:
            return False
        self.leave(position)
        position.rank = key
        ranking.side(position.side).add((key, position.position_id, position))
        return True


def score(position: Position, own: int) -> int:
    """Profit rate x effective leverage, in parts per million (rule 7.5); losers come last.

    `own` is the equity of the position's pool. The positions of one pool are scored as one whole
    position. An isolated one has its own money, and at least the profit rate of the whole.
    """
    at_mark = notional(position)
    value = position.value
    gain = position.side * (at_mark - value)
    pool = position.pool
    if position.separated:
        totals = pool.holding.modes_in(position.perp).totals(position.side)
        whole = mark_of(position) * (totals.lots * position.perp.unit)
        profit = position.side * (whole - totals.value)
        if not pool.position_id:
            at_mark, gain, value = whole, profit, totals.value
        elif profit * value > gain * totals.value:
            gain, value = profit, totals.value
    at_mark = max(1, at_mark)
    own = max(1, own)
    value = max(1, value)
    if gain > 0:
        return min(gain * at_mark * PPM // (value * own), SCORE_MAX)
    return max(-(-gain * own * PPM // (value * at_mark)), -SCORE_MAX)
