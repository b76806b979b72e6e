"""Finds the pools to be liquidated without checking those far from it (rules 7.7, 7.8).

A pool that was changed is checked once. Then it waits in a list for each of its symbols, under the
price that would, at the earliest, use up its share of the pool's slack: equity less maintenance
margin. The bound is on the safe side: it takes maintenance at the highest rate there is, and gives
each symbol an equal share. A pool whose bound is reached is checked again, always at the last
marks, however old: no symbol shields another. Bounds are set a little nearer than needed, so that a
pool that pays funding, or trades a little, is not moved each time.

All of this is state: the moment of a check decides which command liquidates the pool.
"""

from __future__ import annotations

from typing import Final

from venue.core.contract.collateral import FUND_UID, Collateral
from venue.core.contract.ordered_rows import OrderedRows
from venue.core.contract.position import equity, maintenance
from venue.core.contract.records import Perpetual, Pool
from venue.core.contract.risk.ranking import SCORED_PER_UNIT
from venue.core.units import AMOUNT_MAX, PPM

Guarded = tuple[int, int, int, int, Pool]  # (key, uid, asset, position id, pool)
Stuck = tuple[int, int, int, int, Pool]  # (since, uid, asset, position id, pool)
Bound = tuple[Perpetual, int, int]  # (contract, direction, ticks)
Endangered = tuple[int, int, int, Pool]  # (-shortfall, asset, position id, pool)

FALLS: Final = -1
RISES: Final = 1
MOVED_PPM: Final = 1_000  # a mark that moved so far gives a pool that nobody can help another try
NEARER: Final = 16  # pools wait nearer than their bounds by this part of the way
POSITIONS_PER_LOOK: Final = 8  # positions that cost as much as looking at a pool
OLDEST_RETRIED: Final = 10  # pools that need help, at each tick the oldest
OTHERS_RETRIED: Final = 10  # and so many others, each in its turn


class Line:
    """The queue of endangered pools: owners in turn, within a turn the largest shortfall first.

    `turns` has one row per owner: its turn, its largest shortfall negated, its uid.
    """

    __slots__ = ("owners", "places", "turn", "turns")

    def __init__(self) -> None:
        self.turn = 0
        self.turns: OrderedRows[tuple[int, int, int]] = OrderedRows()
        self.places: dict[int, tuple[int, int, int]] = {}
        self.owners: dict[int, OrderedRows[Endangered]] = {}

    def push(self, pool: Pool, shortfall: int, turn: int) -> None:
        """Add a pool to the queue; an owner that is already queued keeps its turn."""
        uid = pool.account.uid
        pool.shortfall = shortfall
        own = self.owners.get(uid)
        if own is None:
            own = self.owners[uid] = OrderedRows()
        own.add((-shortfall, pool.asset, pool.position_id, pool))
        place = self.places.get(uid)
        if place is not None:
            turn = place[0]
            self.turns.remove(place)
        self._place(uid, turn, own)

    def pop(self) -> Pool | None:
        """Remove and return the next pool."""
        row = self.turns.first()
        if row is None:
            return None
        self.turn, _, uid = row
        self.turns.remove(row)
        del self.places[uid]
        own = self.owners[uid]
        first = own.front()
        own.remove(first)
        if own.count:
            self._place(uid, self.turn + 1, own)
        else:
            del self.owners[uid]
        first[3].shortfall = -1
        return first[3]

    def _place(self, uid: int, turn: int, own: OrderedRows[Endangered]) -> None:
        place = (turn, own.front()[0], uid)
        self.places[uid] = place
        self.turns.add(place)


class Watch:
    """Pools by the marks that would endanger them, pools in danger, and pools that cannot be
    closed.

    `guards` are by contract ordinal and direction. `opened` are the contracts that could be traded
    at the last check. `number` is the last one given to a pool that needs help, `retried` the one
    that was last tried in turn.
    """

    __slots__ = ("collateral", "guards", "line", "number", "opened", "retried", "stuck")

    def __init__(self, collateral: Collateral) -> None:
        self.collateral = collateral
        self.guards: dict[tuple[int, int], OrderedRows[Guarded]] = {}
        self.line = Line()
        self.stuck: OrderedRows[Stuck] = OrderedRows()
        self.opened: dict[int, bool] = {}
        self.number = 0
        self.retried = 0

    # -- looking ---------------------------------------------------------------------------------

    def look(self, markets: list[Perpetual], units: int) -> bool:
        """Check pools that were changed, or whose bounds are reached; return whether all were
        checked."""
        for perp in markets:
            self._wake(perp)
        for pool in self.collateral.fund:  # it bears others' losses: it is judged before them
            if pool.positions:
                units -= self._look(pool)
        dirty = self.collateral.dirty
        count = 0
        while count < len(dirty) and units > 0:
            dirty[count].dirty = False
            units -= self._look(dirty[count])
            count += 1
        del dirty[:count]
        for perp in markets:
            for direction in (FALLS, RISES):
                units = self._check_reached(perp, direction, units)
        return units > 0

    def _wake(self, perp: Perpetual) -> None:
        """Schedule all pools that need help for another check when a symbol can be traded again."""
        now = tradable(perp)
        if now and not self.opened.get(perp.ordinal, False):
            for row in self.stuck.rows():
                self.collateral.touch(row[4])
        self.opened[perp.ordinal] = now

    def _check_reached(self, perp: Perpetual, direction: int, units: int) -> int:
        """Check the pools whose bound the mark has reached; return the units that are left."""
        rows_for = self.guards.get((perp.ordinal, direction))
        if rows_for is None:
            return units
        reached = direction * perp.mark
        row = rows_for.first()
        while row is not None and row[0] <= reached and units > 0:
            units -= self._look(row[4])
            row = rows_for.first()
        return units

    def _look(self, pool: Pool) -> int:
        """Check a pool and file it where it belongs; return the units of work."""
        positions = pool.positions
        count = len(positions)
        if not count:
            self._drop_guards(pool)
            if pool.cash.collateral < 0:
                self.wait(pool)
            elif pool.since:
                self._end_wait(pool)
            return 1
        units = 1 + count // POSITIONS_PER_LOOK
        if pool.account.uid != FUND_UID:
            units += self._rank(pool)
        slack = 0 if pool.shortfall >= 0 else equity(pool) - maintenance(pool)
        if slack > 0:
            if pool.since:
                self._end_wait(pool)
            # Maintenance is rounded up per position: that much is not to be counted on.
            self._put(pool, max(0, slack - count))
        else:
            self._drop_guards(pool)
            if pool.shortfall < 0:
                self.line.push(pool, self._shortfall(pool), self.line.turn)
        return units

    def _rank(self, pool: Pool) -> int:
        """Update the places of a pool's positions in the queues of deleveraging; return the work
        that it cost, in units."""
        own = equity(pool)
        moved = 0
        for position in pool.positions:
            if self.collateral.ranking.note(position, own):
                moved += 1
        return moved // SCORED_PER_UNIT

    # -- in danger -------------------------------------------------------------------------------

    def next(self) -> Pool | None:
        """Remove and return the next pool to be liquidated, one that is still in danger."""
        while True:
            pool = self.line.pop()
            if pool is None:
                self.line.turn = 0
                return None
            if pool.positions and equity(pool) <= maintenance(pool):
                return pool
            self._look(pool)

    def again(self, pool: Pool) -> None:
        """Queue a pool again after it used its share of a command."""
        self.line.push(pool, self._shortfall(pool), self.line.turn + 1)

    def _shortfall(self, pool: Pool) -> int:
        """Return the shortfall of a pool in atoms; the fund sorts before all: it pays for others'
        losses."""
        if pool.account.uid == FUND_UID:
            return AMOUNT_MAX
        return maintenance(pool) - equity(pool)

    # -- beyond help -----------------------------------------------------------------------------

    def wait(self, pool: Pool) -> None:
        """Set a pool aside that cannot be closed now: until it or a mark changes, one of its
        symbols can be traded again, or it is retried in turn."""
        if not pool.since:
            self.number += 1
            pool.since = self.number
            self.stuck.add((pool.since, pool.account.uid, pool.asset, pool.position_id, pool))
        self._drop_guards(pool)
        if pool.positions and not pool.dirty:
            for perp in _symbols(pool):
                away = max(1, perp.mark * MOVED_PPM // PPM)
                self._guard(pool, perp, FALLS, away - perp.mark)
                self._guard(pool, perp, RISES, perp.mark + away)

    def retry(self) -> list[Pool]:
        """Return the pools that need help and are retried at this tick: the oldest, then others in
        turn."""
        oldest = self.stuck.after((0,), OLDEST_RETRIED)
        last = max(self.retried, oldest[-1][0] if oldest else 0)
        others = self.stuck.after((last, AMOUNT_MAX), OTHERS_RETRIED)
        self.retried = others[-1][0] if others else 0
        return [row[4] for row in oldest + others]

    def recall(self, pool: Pool) -> None:
        """Queue a pool that waits for help."""
        if pool.positions and pool.shortfall < 0:
            self._drop_guards(pool)
            self.line.push(pool, self._shortfall(pool), self.line.turn)

    def _end_wait(self, pool: Pool) -> None:
        self.stuck.remove((pool.since, pool.account.uid, pool.asset, pool.position_id, pool))
        pool.since = 0

    # -- safe ------------------------------------------------------------------------------------

    def _put(self, pool: Pool, slack: int) -> None:
        """File a safe pool under each of its symbols, unless it is filed there already."""
        bounds = _bounds(pool, slack)
        if _waits(pool, bounds):
            return
        self._drop_guards(pool)
        for perp, direction, way in bounds:
            self._guard(pool, perp, direction, direction * perp.mark + way - way // NEARER)

    def _guard(self, pool: Pool, perp: Perpetual, direction: int, key: int) -> None:
        """Schedule a check of a pool for when direction x mark reaches `key`."""
        key = min(key, AMOUNT_MAX)
        pool.guards.append((perp.ordinal, direction, key))
        self.rows_for(perp.ordinal, direction).add(
            (key, pool.account.uid, pool.asset, pool.position_id, pool)
        )

    def _drop_guards(self, pool: Pool) -> None:
        for ordinal, direction, key in pool.guards:
            self.guards[ordinal, direction].remove(
                (key, pool.account.uid, pool.asset, pool.position_id, pool)
            )
        pool.guards.clear()

    def rows_for(self, ordinal: int, direction: int) -> OrderedRows[Guarded]:
        """Return the pools to check when a contract's mark falls, or rises, far; nearest first."""
        found = self.guards.get((ordinal, direction))
        if found is None:
            found = self.guards[ordinal, direction] = OrderedRows()
        return found


def tradable(perp: Perpetual) -> bool:
    """Return whether positions of a contract can be liquidated (rule 7.1). They can while its index
    catches up too: the book has reducing orders then, and a pool that waited would lose more."""
    return perp.current and not perp.shut()


def _symbols(pool: Pool) -> list[Perpetual]:
    """Return the contracts of a pool's positions, by ordinal."""
    first = pool.positions[0].perp
    if len(pool.positions) == 1:
        return [first]
    found: dict[int, Perpetual] = {}
    for position in pool.positions:
        found[position.perp.ordinal] = position.perp
    return [found[ordinal] for ordinal in sorted(found)] if len(found) > 1 else [first]


def _bounds(pool: Pool, slack: int) -> list[Bound]:
    """Return how far the mark of each symbol may move at least before the pool is in danger."""
    perps = _symbols(pool)
    share = slack // len(perps)
    bounds: list[Bound] = []
    for perp in perps:
        net = needed = 0  # lots x unit; the same x the highest maintenance rate
        for position in pool.positions:
            if position.perp is perp:
                size = position.quantity * perp.unit
                # Compiled, a product with a negative number is dear: a side is a branch.
                net += size if position.side > 0 else -size
                needed += size * position.tiers.rates[-1]
        # A falling mark costs the net long lots; the maintenance margin falls with it. At today's
        # mark nothing is due: it must move by a tick.
        if net > 0:
            bounds.append((perp, FALLS, max(1, share // net)))
        rate = needed - net * PPM
        if rate > 0:
            bounds.append((perp, RISES, max(1, share * PPM // rate)))
    return bounds


def _waits(pool: Pool, bounds: list[Bound]) -> bool:
    """Return whether a pool's guards are inside its bounds, and the marks have not reached its
    guards."""
    guards = pool.guards
    if len(guards) != len(bounds):
        return False
    for number, (perp, direction, way) in enumerate(bounds):
        ordinal, own, key = guards[number]
        reached = direction * perp.mark
        if ordinal != perp.ordinal or own != direction or not reached < key <= reached + way:
            return False
    return True
