"""One pass of liquidation over one pool; it states no event before its first effect."""

from __future__ import annotations

from venue.core.contract.collateral import Collateral
from venue.core.contract.position import equity, maintenance, mark_of
from venue.core.contract.records import Pool, Position
from venue.core.messages.contract_events import LiquidationStarted
from venue.core.messages.events import Event
from venue.vocabulary import INCOME_START_LIQUIDATE


class Aim:
    """One rung's task for one position: close `wanted` lots, in the book at no worse than `limit`,
    outside it at `bankruptcy`, where its `share` of the pool's equity is used up.

    The other fields are for the explanation: the tier, and sums before the rung.
    """

    __slots__ = ("bankruptcy", "fees", "fund", "limit", "mark", "share", "size", "tier",
                 "wanted")  # fmt: skip

    def __init__(self, position: Position, fund: Pool, tier: int, wanted: int) -> None:
        self.tier = tier
        self.wanted = wanted
        self.limit = 0
        self.bankruptcy = 0
        self.share = 0
        self.mark = mark_of(position)
        self.size = position.quantity
        self.fees = position.liquidate_fee
        self.fund = equity(fund)

    def rest(self, position: Position, lots: int) -> int:
        """Return the part of the share of `lots` that the bankruptcy price leaves, as that is a
        whole tick."""
        gained = position.side * (self.bankruptcy - self.mark) * (lots * position.perp.unit)
        return max(0, self.share * lots // self.size + gained)


class Run:
    """One pass. `liquidation_id` is 0 before it had an effect; `units` bounds its work, of which
    `asked` counts the part without events. `in_vain` are the contracts and sides of positions that
    nobody would take over. `waits`: the pass waits until all possible counterparties are ranked."""

    __slots__ = ("asked", "collateral", "events", "in_vain", "liquidation_id", "pool", "symbol",
                 "time", "topped_up", "units", "waits")  # fmt: skip

    def __init__(self, collateral: Collateral, pool: Pool, time: int, units: int) -> None:
        self.collateral = collateral
        self.pool = pool
        self.time = time
        self.units = units
        self.asked = 0
        self.in_vain: dict[tuple[int, int], bool] = {}
        self.waits = False
        self.symbol = pool.positions[0].perp.symbol
        self.liquidation_id = 0
        self.topped_up = 0
        self.events: list[Event] = []

    def begin(self) -> None:
        """State that the liquidation starts, before its first effect."""
        if self.liquidation_id:
            return
        counters = self.collateral.counters
        self.liquidation_id = counters.order
        counters.order += 1
        pool = self.pool
        asset = self.collateral.ledger.assets[pool.asset].name
        self.events.append(
            LiquidationStarted(
                self.liquidation_id, pool.account.uid, pool.position_id, asset, self.symbol,
                equity(pool), maintenance(pool), pool.cash.collateral,
            )
        )  # fmt: skip
        self.events.append(self.collateral.item(pool, INCOME_START_LIQUIDATE, 0, self.symbol))

    def units_left(self) -> int:
        """Return the units that are left; negative when the last step used more than there were."""
        return self.units - self.asked - len(self.events)
