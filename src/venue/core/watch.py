"""Which pools a new mark endangers, without looking at those far from it (rule 7.7).

A pool that was changed is looked at once, and then waits under the price of each of its symbols
that would, at the earliest, use up its share of the pool's slack: equity less maintenance margin.
The bound is on the safe side: it takes maintenance at the highest rate there is, and gives each
symbol an equal share. A pool whose bound is reached is looked at again.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from venue.core.collateral import Collateral
from venue.core.ledger import Pool
from venue.core.perpetual import Perpetual, Watched
from venue.core.positions import equity, maintenance
from venue.core.units import PPM

Waiting = tuple[int, int, int, Pool]  # (uid, asset, position id, pool)

STALE_MAX = 4  # entries of a heap per position of the contract before those without use are dropped


class Watch:
    """Pools ordered by the mark that would endanger them."""

    __slots__ = ("collateral", "number", "waiting")

    def __init__(self, collateral: Collateral) -> None:
        self.collateral = collateral
        self.number = 0
        self.waiting: list[Waiting] = []  # a heap of pools found endangered, all of them dirty

    def endangered(self, markets: list[Perpetual], most: int) -> list[Pool]:
        """The first `most` pools to be liquidated at today's marks, by owner and position.

        Those beyond them wait, and are looked at again when it is their turn. So does a pool with
        a symbol that is halted, or whose index is not current.
        """
        for perp in markets:
            self._reached(perp)
        looked_at, self.collateral.dirty = self.collateral.dirty, []
        for pool in looked_at:
            if self._in_danger(pool):
                heappush(self.waiting, (pool.account.uid, pool.asset, pool.position_id, pool))
        found: list[Pool] = []
        while self.waiting and len(found) < most:
            pool = heappop(self.waiting)[3]
            if self._in_danger(pool):
                pool.dirty = False
                found.append(pool)
        return found

    def _in_danger(self, pool: Pool) -> bool:
        """Whether a dirty pool is to be liquidated; any other is put where it belongs."""
        if not pool.positions:
            pool.dirty = False
            pool.version += 1
            return False
        for position in pool.positions:
            if not position.perp.current or position.perp.market.halted:
                self.collateral.dirty.append(pool)
                return False
        slack = equity(pool) - maintenance(pool)
        if slack <= 0:
            return True
        pool.dirty = False
        pool.version += 1
        # Maintenance is rounded up per position: that much of the slack is not to be counted on.
        self._put(pool, max(0, slack - len(pool.positions)))
        return False

    def _reached(self, perp: Perpetual) -> None:
        """Touch the pools whose bound the mark has reached."""
        mark = perp.mark
        while perp.falls and -perp.falls[0][0] >= mark:
            self._take(heappop(perp.falls))
        while perp.rises and perp.rises[0][0] <= mark:
            self._take(heappop(perp.rises))
        most = STALE_MAX * len(perp.positions) + 64
        if len(perp.falls) > most:
            perp.falls = _live(perp.falls)
        if len(perp.rises) > most:
            perp.rises = _live(perp.rises)

    def _take(self, entry: Watched) -> None:
        _, _, pool, version = entry
        if pool.version == version:
            self.collateral.touch(pool)

    def _put(self, pool: Pool, slack: int) -> None:
        """Have a safe pool wait under each of its symbols."""
        if len(pool.positions) == 1:
            position = pool.positions[0]
            size = position.quantity * position.perp.unit
            self._wait(pool, position.perp, slack, position.side * size, size)
            return
        net: dict[int, int] = {}
        gross: dict[int, int] = {}
        perps: dict[int, Perpetual] = {}
        for position in pool.positions:
            perp = position.perp
            size = position.quantity * perp.unit
            perps[perp.index] = perp
            net[perp.index] = net.get(perp.index, 0) + position.side * size
            gross[perp.index] = gross.get(perp.index, 0) + size
        share = slack // len(perps)
        for number, perp in perps.items():
            self._wait(pool, perp, share, net[number], gross[number])

    def _wait(self, pool: Pool, perp: Perpetual, share: int, net: int, gross: int) -> None:
        """Put a pool's bounds in one symbol on its heaps; `net` and `gross` are lots x unit."""
        self.number += 1
        # A falling mark costs what is net long; the maintenance margin falls with it.
        if net > 0:
            heappush(perp.falls, (share // net - perp.mark, self.number, pool, pool.version))
        rate = gross * perp.tiers.rates[-1] - net * PPM
        if rate > 0:
            key = perp.mark + share * PPM // rate
            heappush(perp.rises, (key, self.number, pool, pool.version))


def _live(heap: list[Watched]) -> list[Watched]:
    live = [entry for entry in heap if entry[2].version == entry[3]]
    heapify(live)
    return live
