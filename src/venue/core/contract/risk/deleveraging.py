"""Auto-deleveraging: opposite positions take over what neither book nor fund can (rule 7.5).

No owner is deleveraged below its own maintenance margin. Lots that a position takes over are closed
at the bankruptcy price; the next position takes the rest.
"""

from __future__ import annotations

from typing import Final

from venue.core.contract.closing import trim
from venue.core.contract.collateral import FUND_UID, Collateral
from venue.core.contract.orders import Contracts
from venue.core.contract.position import equity, find_position, maintenance, notional
from venue.core.contract.records import Perpetual, Position
from venue.core.contract.reference.funding import settle_position
from venue.core.contract.risk.liquidation_run import Aim, Run
from venue.core.contract.risk.ranking import Ranked, score
from venue.core.messages.contract_events import Deleveraged
from venue.vocabulary import ADL_QUEUE, CAUSE_DELEVERAGE

GROUP: Final = 64  # positions that are asked together, in the order of their scores then
IN_VAIN_MAX: Final = 4  # groups that one pass asks in vain; the next pass goes on after them

Scored = tuple[int, int, Position]  # (-score, position id, position)


class Deleveraging:
    """Transfers positions in liquidation to opposite positions."""

    __slots__ = ("collateral", "contracts")

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts
        self.collateral: Collateral = contracts.collateral

    def take(self, run: Run, position: Position, lots: int, aim: Aim) -> int:
        """Transfer `lots` of a position at its bankruptcy price; return how many were taken over.

        Other owners come first, by score; then the fund's own position, then positions of the same
        pool. When this pass ends unfinished, `position.passed` tells the next one where to
        continue. Until all others are scored nobody is asked, and `run.waits` is set.
        """
        perp = position.perp
        ranking = self.collateral.ranking
        scored = ranking.go_on(perp, run.units_left())
        run.asked += scored
        if not ranking.of(perp).is_complete() or run.units_left() <= 0:
            run.waits = True
            return 0
        left = lots
        rank = 0
        in_vain = 0
        while left and run.units_left() > 0 and in_vain < IN_VAIN_MAX:
            group = self._group(perp, position)
            if not group:
                position.passed = (0, 0)
                left -= self._last(run, position, left, aim, rank)
                break
            last = group[-1]
            taken = self._ask(run, position, _score_all(group), left, aim, rank)
            left -= taken
            rank += len(group)
            in_vain = 0 if taken else in_vain + 1
            position.passed = (last[0], last[1]) if left else (0, 0)
        if scored and left == lots:  # the ranking took a part of this pass
            run.waits = True
        return lots - left

    def _group(self, perp: Perpetual, position: Position) -> list[Ranked]:
        ranked = self.collateral.ranking.of(perp).side(-position.side)
        return ranked.after((position.passed[0], position.passed[1] + 1), GROUP)

    def _ask(
        self, run: Run, position: Position, scored: list[Scored], lots: int, aim: Aim, rank: int
    ) -> int:
        """Offer a group up to `lots`, by the contract's policy; return how many it took."""
        run.asked += len(scored)
        left = lots
        if position.perp.contract.adl_policy != ADL_QUEUE:
            shares = _pro_rata([entry[2].quantity for entry in scored], lots)
            for number, entry in enumerate(scored, 1):
                most = min(left, shares[number - 1])
                left -= self._close(run, position, entry, most, aim, rank + number)
        for number, entry in enumerate(scored, 1):
            if left == 0:
                break
            left -= self._close(run, position, entry, left, aim, rank + number)
        return lots - left

    def _last(self, run: Run, position: Position, lots: int, aim: Aim, rank: int) -> int:
        """Offer the lots to the fund, then to the other side of the same pool, where netting costs
        nobody."""
        perp = position.perp
        left = lots
        if position.pool.account.uid != FUND_UID:
            own = find_position(
                self.collateral.fund_holding(perp.asset).modes_in(perp), -position.side
            )
            if own is not None:
                rank += 1
                entry = (-score(own, equity(own.pool)), own.position_id, own)
                left -= self._close(run, position, entry, left, aim, rank)
        for other in list(position.pool.positions):
            if left and other.perp is perp and other.side != position.side:
                rank += 1
                part = min(left, other.quantity)
                entry = (-score(other, equity(other.pool)), other.position_id, other)
                self._trade(run, position, entry, part, aim, rank)
                left -= part
        return lots - left

    def _close(
        self, run: Run, position: Position, entry: Scored, lots: int, aim: Aim, rank: int
    ) -> int:
        """Transfer to one position as many of `lots` as its pool can afford; return how many."""
        other = entry[2]
        if lots <= 0 or other.quantity <= 0 or other.pool is position.pool:
            return 0
        run.events += settle_position(self.collateral, other)
        part = bearable(other, min(lots, other.quantity), aim.bankruptcy)
        if part:
            self._trade(run, position, entry, part, aim, rank)
        return part

    def _trade(
        self, run: Run, position: Position, entry: Scored, lots: int, aim: Aim, rank: int
    ) -> None:
        run.begin()
        other = entry[2]
        run.events.append(
            Deleveraged(
                run.liquidation_id, other.position_id, other.pool.account.uid, position.perp.symbol,
                lots, aim.bankruptcy, rank, -entry[0],
            )
        )  # fmt: skip
        trade_outside(self.contracts, run, position, other, aim, lots, CAUSE_DELEVERAGE)
        if other.quantity and other.pool.account.uid != FUND_UID:
            self.collateral.ranking.note(other, equity(other.pool))


def trade_outside(
    contracts: Contracts, run: Run, position: Position, other: Position, aim: Aim, lots: int,
    cause: int,
) -> None:  # fmt: skip
    """Transfer lots of a position in liquidation to another at the bankruptcy price, outside the
    book. The liquidation fee is the part of their share that the price leaves; the fund's own
    position pays none. Closing orders that are too large afterwards are cut."""
    fee = aim.rest(position, lots) if position.pool.account.uid != FUND_UID else 0
    contracts.fills.outside(
        position.perp, position, other, lots=lots, price=aim.bankruptcy, cause=cause,
        liquidation_id=run.liquidation_id, fee=fee, time=run.time, events=run.events,
    )  # fmt: skip
    for each in (position, other):
        trim(contracts, each, run.time, run.events)


def bearable(position: Position, lots: int, price: int) -> int:
    """Return the most of `lots` whose closing at `price` leaves the pool the maintenance margin of
    its other lots, and so an equity that is never negative (rule 7.5)."""
    if _spare(position, lots, price) >= 0:
        return lots
    if _spare(position, 0, price) < 0:
        return 0
    # The spare equity is concave in the lots: one boundary lies between these two.
    least, most = 0, lots
    while most - least > 1:
        middle = (least + most) // 2
        if _spare(position, middle, price) >= 0:
            least = middle
        else:
            most = middle
    return least


def _spare(position: Position, lots: int, price: int) -> int:
    """Return the pool's equity above maintenance after `lots` are closed at `price`."""
    perp = position.perp
    pool = position.pool
    before = notional(position)
    value = before // position.quantity
    gained = position.side * (price * perp.unit - value) * lots
    own = position.tiers.above(position.base, before)
    rest = position.tiers.above(position.base, value * (position.quantity - lots))
    return equity(pool) + gained - (maintenance(pool) - own + rest)


def _score_all(group: list[Ranked]) -> list[Scored]:
    scored = [(-score(row[2], equity(row[2].pool)), row[1], row[2]) for row in group]
    scored.sort()
    return scored


def _pro_rata(sizes: list[int], lots: int) -> list[int]:
    """Share `lots` in proportion to sizes, rounded down; the first shares get the remainder."""
    total = sum(sizes)
    if total <= lots:
        return sizes
    shares = [size * lots // total for size in sizes]
    rest = lots - sum(shares)
    for ordinal, size in enumerate(sizes):
        if rest and shares[ordinal] < size:
            shares[ordinal] += 1
            rest -= 1
    return shares
