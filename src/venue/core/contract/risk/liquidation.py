"""The ladder: cancel, top up, close in the book, insurance fund, auto-deleveraging (rule 7)."""

from __future__ import annotations

from typing import Final

from venue.core.book.book import Half
from venue.core.contract.collateral import FUND_UID, Collateral
from venue.core.contract.margin import bankruptcy_price, initial
from venue.core.contract.orders import Contracts, closing_side
from venue.core.contract.position import (
    equity,
    find_position,
    maintenance,
    maintenance_of,
    mark_of,
    notional,
)
from venue.core.contract.prices_in_doubt import spare
from venue.core.contract.records import Perpetual, Pool, Position, Terms
from venue.core.contract.reference.funding import before_change, settle_position
from venue.core.contract.reference.index import newest, posted_prices
from venue.core.contract.risk.deleveraging import Deleveraging, trade_outside
from venue.core.contract.risk.liquidation_run import Aim, Run
from venue.core.contract.risk.pool_watch import tradable
from venue.core.ledger.ledger import fee_on
from venue.core.messages.contract_events import LiquidationFinished, LiquidationStep
from venue.core.messages.events import Event
from venue.core.units import PPM, ceil_div
from venue.vocabulary import (
    CANCELED,
    CAUSE_LIQUIDATION,
    CAUSE_TAKEOVER,
    CAUSE_UNWIND,
    CROSSED,
    INCOME_FINISH_LIQUIDATE,
    INCOME_ORDER_FIX_MARGIN_AMOUNT,
    LIMIT,
    LONG,
)

MAKERS_MAX: Final = 50  # resting orders that one closing order of a liquidation meets
UNWIND_SHARE: Final = 10  # the fund gives back a tenth of a position per tick
UNWIND_BAND_PPM: Final = 1_000  # no further than this from the mark
UNSEEN_PPM: Final = 100_000  # of its equity the fund holds in a contract that cannot be traded


class Liquidation:
    """Liquidates pools, and repairs those in debt with the fund's money."""

    __slots__ = ("collateral", "contracts", "deleveraging")

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts
        self.collateral: Collateral = contracts.collateral
        self.deleveraging = Deleveraging(contracts)

    def run(self, run: Run) -> bool:
        """Liquidate one pool down the ladder, and check it again after each rung (rule 7.2).

        Returns whether continuing at once may help: the pool is still in danger, and was changed.
        """
        pool = run.pool
        self._cancel(run)
        self._top_up(run)
        changed = self._reduce(run)
        more = changed or run.waits or (run.units_left() <= 0 and not run.asked)
        if not run.liquidation_id:
            return run.waits and must_liquidate(pool)
        compensated = 0
        if not pool.positions:
            compensated = self._empty(run)
        run.events.append(self.collateral.item(pool, INCOME_FINISH_LIQUIDATE, 0, run.symbol))
        self.collateral.touch(pool)
        fund = self.collateral.fund[pool.asset]
        run.events.append(
            LiquidationFinished(
                run.liquidation_id, pool.account.uid, equity(pool), maintenance(pool),
                run.topped_up, compensated, equity(fund),
            )
        )  # fmt: skip
        return more and must_liquidate(pool)

    def _cancel(self, run: Run) -> None:
        """End the pool's open orders; for an isolated pool those that close its position."""
        pool = run.pool
        if pool.position_id:
            orders = list(pool.positions[0].orders.values())
        else:
            orders = list(pool.holding.orders.values())
        for order in orders:
            terms = order.terms
            # An opening order holds money of the cross pool, in any margin mode.
            own = terms.closes is None or terms.closes.pool is pool
            if own and terms.perp.asset == pool.asset:
                run.begin()
                run.events.append(
                    self.contracts.close(order, CANCELED, run.time, CAUSE_LIQUIDATION)
                )  # fmt: skip

    def _top_up(self, run: Run) -> None:
        """Top up automatically: up to the initial margin, from what may leave the cross pool."""
        pool = run.pool
        if not pool.position_id or not pool.positions[0].auto_margin:
            return
        position = pool.positions[0]
        wanted = initial(notional(position), position.leverage) - equity(pool)
        cross = pool.holding.cross(pool.asset)
        amount = min(wanted, spare(cross))
        if amount <= 0:
            return
        run.begin()
        run.events += self.collateral.move(cross, pool, amount, run.symbol)
        run.topped_up = amount

    def _reduce(self, run: Run) -> bool:
        """Reduce positions rung by rung, the one with the greatest maintenance margin first,
        tradable ones before the others (rule 7.8); return whether any became smaller."""
        pool = run.pool
        changed = False
        positions = sorted(pool.positions, key=_weight)
        for position in positions:  # the funding that it owes is no longer its own
            run.events += before_change(position.perp, run.time)
            run.events += settle_position(self.collateral, position)
        for position in positions:
            if tradable(position.perp):
                while self._goes_on(run, position) and self._rung(run, position):
                    changed = True
        for position in positions:
            if not tradable(position.perp) and self._goes_on(run, position):
                changed = self._shelter(run, position) or changed
        return changed

    def _goes_on(self, run: Run, position: Position) -> bool:
        return position.quantity > 0 and run.units_left() > 0 and must_liquidate(run.pool)

    # -- one rung --------------------------------------------------------------------------------

    def _rung(self, run: Run, position: Position) -> bool:
        """Close as much of a position as needed: in the book, by the fund, by deleveraging; return
        whether it became smaller."""
        aim = self._aim(run.pool, position)
        filled = taken = 0
        said = len(run.events)
        if run.pool.account.uid != FUND_UID:
            self._in_book(run, position, aim)
            filled = aim.size - position.quantity
            left = aim.wanted - filled
            if left and self._fund_can(position, left, aim.bankruptcy, run.time):
                self._take_over(run, position, aim, left)
                taken = left
        left = aim.wanted - filled - taken
        deleveraged = 0
        key = (position.perp.ordinal, position.side)
        if left and key not in run.in_vain:
            deleveraged = self.deleveraging.take(run, position, left, aim)
            if not deleveraged and not run.waits:
                run.in_vain[key] = True
        if len(run.events) > said:
            self._explain(run, position, aim, filled, taken, deleveraged)
        return filled + taken + deleveraged > 0

    def _shelter(self, run: Run, position: Position) -> bool:
        """Transfer a position that cannot be traded to the fund at once, if that is no gamble (rule
        7.8); return whether it was transferred.

        The pool must be able to pay the loss if the last mark is off by the maintenance rate. The
        lots that the fund holds of one contract without a known price stay within a share of its
        equity.
        """
        pool = run.pool
        perp = position.perp
        if pool.account.uid == FUND_UID:
            return False
        aim = self._aim(pool, position)
        if equity(pool) < ceil_div(notional(position) * position.tiers.rates[aim.tier], PPM):
            return False
        held = 0
        for own in self.collateral.fund[pool.asset].positions:
            if own.perp is perp:
                held += notional(own)
        room = aim.fund * UNSEEN_PPM // PPM - held
        lots = min(aim.wanted, room // (mark_of(position) * perp.unit))
        if lots <= 0 or not self._fund_can(position, lots, aim.bankruptcy, run.time):
            return False
        self._take_over(run, position, aim, lots)
        self._explain(run, position, aim, 0, lots, 0)
        return True

    def _aim(self, pool: Pool, position: Position) -> Aim:
        perp = position.perp
        total = maintenance(pool)
        own = maintenance_of(position)
        share = equity(pool) * own // total if total else equity(pool)
        size = position.quantity * perp.unit
        mark = mark_of(position)
        limit = bankruptcy_price(position.side, size, mark, share, _taker_ppm(position))
        price = bankruptcy_price(position.side, size, mark, share, 0)
        if pool.account.uid == FUND_UID and share > 0:
            limit = price = mark  # the fund's money is no other owner's
        tier = position.tiers.at(position.base + notional(position))
        wanted = _partial(pool, position, tier, total - own) or position.quantity
        fund = self.collateral.fund[pool.asset]
        aim = Aim(position, fund, tier, wanted)
        aim.limit, aim.bankruptcy, aim.share = limit, price, share
        return aim

    def _explain(
        self, run: Run, position: Position, aim: Aim, filled: int, taken: int, deleveraged: int
    ) -> None:
        perp = position.perp
        fund = self.collateral.fund[run.pool.asset]
        run.begin()
        run.events.append(
            LiquidationStep(
                run.liquidation_id, position.position_id, perp.symbol, position.side, perp.mark,
                aim.tier, aim.bankruptcy, aim.wanted, filled, taken, deleveraged,
                position.liquidate_fee - aim.fees, equity(fund) - aim.fund, aim.size,
            )
        )  # fmt: skip

    def _in_book(self, run: Run, position: Position, aim: Aim) -> None:
        """Close in the book; one rung meets at most `MAKERS_MAX` resting orders."""
        side = closing_side(position.side)
        book = position.perp.market.book
        if not book.crosses(side, aim.limit):
            return
        half = book.opposite(side)
        if position.perp.doubt and not _reducing(half, aim.limit):
            return
        if position.perp.market.halted:  # it settles: no order trades any more
            return
        run.begin()
        aim.wanted = min(aim.wanted, _near(half, aim.limit, aim.wanted))
        run.events += self._close_in_book(
            position, aim.wanted, aim.limit, CAUSE_LIQUIDATION, run.time
        )

    def _close_in_book(
        self, position: Position, lots: int, price: int, cause: int, time: int
    ) -> list[Event]:
        """Place an IOC order that closes at no worse than `price`."""
        contracts = self.contracts
        order = contracts.closing_order(position, LIMIT, lots, price, cause, time)
        if not position.perp.market.book.crosses(order.side, price):
            return []
        return contracts.take(order, price)

    def _take_over(self, run: Run, position: Position, aim: Aim, lots: int) -> None:
        """Transfer lots to the fund at the bankruptcy price (rule 7.2)."""
        run.begin()
        perp = position.perp
        holding = self.collateral.fund_holding(perp.asset)
        own = find_position(holding.modes_in(perp), position.side)
        if own is None:
            own = self.contracts.fills.new_position(holding, perp, position.side, CROSSED, run.time)
        trade_outside(self.contracts, run, position, own, aim, lots, CAUSE_TAKEOVER)

    # -- the end ---------------------------------------------------------------------------------

    def _empty(self, run: Run) -> int:
        """Finish a pool without positions: the fund pays its debt as far as it can, and an isolated
        pool is merged into the cross pool. Return what the fund paid."""
        pool = run.pool
        compensated = 0
        if pool.cash.collateral < 0:
            before = pool.cash.collateral
            run.events += self.contracts.fills.fix(pool, run.symbol)
            compensated = pool.cash.collateral - before
        if pool.position_id and pool.cash.collateral >= 0:
            cross = pool.holding.cross(pool.asset)
            if pool.cash.collateral:
                run.events += self.collateral.move(pool, cross, pool.cash.collateral, run.symbol)
            pool.holding.drop(pool)
        return compensated

    # -- the fund --------------------------------------------------------------------------------

    def repair(self, pool: Pool) -> list[Event]:
        """Reduce the debt of a pool, with money that the fund does not need (rule 7.4)."""
        fund = self.collateral.fund[pool.asset]
        amount = min(-pool.cash.collateral, equity(fund) - maintenance(fund))
        if amount <= 0:
            return []
        self.collateral.ledger.exchange(fund.cash, pool.cash, amount)
        self.collateral.touch(fund)
        self.collateral.touch(pool)
        if pool.account.benefits is not None:
            pool.account.benefits.bear(pool.asset, amount)
        if pool.position_id and pool.cash.collateral == 0:
            pool.holding.drop(pool)
        return [
            self.collateral.item(fund, INCOME_ORDER_FIX_MARGIN_AMOUNT, -amount, ""),
            self.collateral.item(pool, INCOME_ORDER_FIX_MARGIN_AMOUNT, amount, ""),
        ]

    def _fund_can(self, position: Position, lots: int, price: int, time: int) -> bool:
        """Return whether the fund's equity stays at or above zero when it takes over, valued at
        mark or at the newest price of a source, whichever is worse for the fund."""
        fund = self.collateral.fund[position.pool.asset]
        worst = mark_of(position)
        lowest, highest = newest(position.perp, posted_prices(position.perp, time), time)
        if lowest:
            worst = min(worst, lowest) if position.side == LONG else max(worst, highest)
        gained = position.side * (worst - price) * lots * position.perp.unit
        return equity(fund) + gained >= 0

    def unwind(self, perp: Perpetual, time: int) -> list[Event]:
        """Sell a part of the fund's positions in a contract: near the mark, or near the newest
        price of a source when that is better for the fund."""
        # It gives nothing back at a price that lags behind: others would pick it off.
        if perp.doubt or perp.market.halted:
            return []
        events: list[Event] = []
        lowest, highest = newest(
            perp, posted_prices(perp, time), time
        )  # the index is on its way there
        for side in (LONG, -LONG):
            position = find_position(self.collateral.fund_holding(perp.asset).modes_in(perp), side)
            if position is None:
                continue
            lots = max(perp.market.quantity_min, position.quantity // UNWIND_SHARE)
            fair = max(perp.mark, highest) if side == LONG else min(perp.mark, lowest)
            away = fair * UNWIND_BAND_PPM // PPM
            price = fair - away if side == LONG else fair + away
            events += self._close_in_book(
                position, min(lots, position.quantity), max(1, price), CAUSE_UNWIND, time
            )
        return events


def must_liquidate(pool: Pool) -> bool:
    """Return whether a pool is to be liquidated at the last known marks (rule 7.1)."""
    return bool(pool.positions) and equity(pool) <= maintenance(pool)


def _taker_ppm(position: Position) -> int:
    return position.pool.holding.taker_rate(position.perp.market)


def _weight(position: Position) -> tuple[int, int]:
    """Return the sort key: the greatest maintenance margin first, then the oldest."""
    return -maintenance_of(position), position.position_id


def _near(half: Half[Terms], limit: int, lots: int) -> int:
    """Return the lots of the first `MAKERS_MAX` resting orders; `lots` when there are not so
    many."""
    found = 0
    for count, order in enumerate(half.within(limit), 1):
        found += order.remaining
        if count == MAKERS_MAX or found >= lots:
            return found
    return lots


def _reducing(half: Half[Terms], limit: int) -> bool:
    """Return whether one of the first `MAKERS_MAX` resting orders reduces a position."""
    for count, order in enumerate(half.within(limit), 1):
        if not order.terms.opens:
            return True
        if count == MAKERS_MAX:
            return False
    return False


def _partial(pool: Pool, position: Position, tier: int, others: int) -> int:
    """Return the lots whose closing leads to the next lower tier; 0 if that does not restore the
    pool.

    Estimated at mark with the taker's and the liquidation fee (rule 7.2).
    """
    if tier == 0:
        return 0
    perp = position.perp
    one = mark_of(position) * perp.unit
    keep = (position.tiers.caps[tier - 1] - position.base) // one
    lots = position.quantity - keep
    if keep < perp.market.quantity_min or lots <= 0:
        return 0
    cost = fee_on(lots * one, _taker_ppm(position) + perp.contract.liquidation_ppm)
    if equity(pool) - cost > others + position.tiers.above(position.base, keep * one):
        return lots
    return 0
