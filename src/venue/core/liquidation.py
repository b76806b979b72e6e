"""The ladder: cancel, top up, close in the book, insurance fund, auto-deleveraging (rule 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from venue.core.collateral import Collateral, available
from venue.core.contract import Contracts
from venue.core.contract_events import (
    Deleveraged,
    LiquidationFinished,
    LiquidationStarted,
    LiquidationStep,
)
from venue.core.events import Event
from venue.core.holding import find_position, holding_of
from venue.core.ledger import Pool
from venue.core.margin import bankruptcy_price, initial
from venue.core.perpetual import Perpetual
from venue.core.positions import Position, equity, maintenance, notional
from venue.core.units import PPM, fee_on
from venue.terms import (
    BUY,
    CANCELED,
    CROSSED,
    LIMIT,
    LONG,
    AdlPolicy,
    Cause,
    IncomeType,
)

LIQUIDATION: Final = int(Cause.LIQUIDATION)
UNWIND: Final = int(Cause.UNWIND)
TAKEOVER: Final = int(Cause.TAKEOVER)
DELEVERAGE: Final = int(Cause.DELEVERAGE)
QUEUE: Final = int(AdlPolicy.QUEUE)
START: Final = IncomeType.START_LIQUIDATE.value
FINISH: Final = IncomeType.FINISH_LIQUIDATE.value
SCORE_MAX: Final = 10**15  # a bound for those with next to no equity
UNWIND_SHARE: Final = 10  # the fund gives back a tenth of a position per tick
UNWIND_BAND_PPM: Final = 1_000  # no further than this from the mark

# (is the fund's, is without equity, -score, position id, position)
Standing = tuple[bool, bool, int, int, Position]


class Liquidation:
    """Liquidates pools. `ranking` is the ADL queue of (contract, side), kept for one command, or
    until a position is opened there: who opens while others are liquidated stands in line too."""

    __slots__ = ("collateral", "contracts", "newest", "ranking")

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts
        self.collateral: Collateral = contracts.collateral
        self.ranking: dict[tuple[int, int], list[Standing]] = {}
        self.newest: dict[tuple[int, int], int] = {}

    def run(self, pool: Pool, time: int) -> list[Event]:
        """Liquidate one pool down the ladder, asking again after each rung (rule 7.2)."""
        spot = self.contracts.spot
        liquidation_id = spot.next_order
        spot.next_order = liquidation_id + 1
        account = pool.account
        symbol = pool.positions[0].perp.symbol
        asset = self.contracts.ledger.assets[pool.asset].name
        events: list[Event] = [
            LiquidationStarted(
                liquidation_id, account.uid, pool.position_id, asset, symbol, equity(pool),
                maintenance(pool), pool.collateral,
            ),
            self.collateral.item(pool, START, 0, symbol),
        ]  # fmt: skip
        events += self._cancel(pool, time)
        topped_up = self._top_up(pool, symbol, events)
        while pool.positions and equity(pool) <= maintenance(pool):
            events += self._rung(pool, liquidation_id, time)
        compensated = 0
        if not pool.positions:
            compensated = self._empty(pool, symbol, events)
        events.append(self.collateral.item(pool, FINISH, 0, symbol))
        self.collateral.touch(pool)
        fund = self.collateral.fund_pool(pool.asset)
        events.append(
            LiquidationFinished(
                liquidation_id, account.uid, equity(pool), maintenance(pool), topped_up,
                compensated, equity(fund),
            )
        )  # fmt: skip
        return events

    def _cancel(self, pool: Pool, time: int) -> list[Event]:
        """End the pool's open orders: an isolated one's are those that close it."""
        contracts = self.contracts
        events: list[Event] = []
        if pool.position_id:
            for order in list(pool.positions[0].orders.values()):
                events.append(contracts.close(order, CANCELED, time, LIQUIDATION))
            return events
        holding = holding_of(pool.account)
        for order in list(holding.orders.values()):
            terms = order.terms
            assert terms is not None
            # What opens holds of the cross pool, in whatever mode.
            own = terms.opens or (terms.position is not None and terms.position.pool is pool)
            if own and terms.perp.asset == pool.asset:
                events.append(contracts.close(order, CANCELED, time, LIQUIDATION))
        return events

    def _top_up(self, pool: Pool, symbol: str, events: list[Event]) -> int:
        """Automatic top-up: up to the initial margin, out of what the cross pool can spare."""
        if not pool.position_id or not pool.positions[0].auto_margin:
            return 0
        position = pool.positions[0]
        wanted = initial(notional(position), position.leverage) - equity(pool)
        amount = min(wanted, available(pool.account, pool.asset))
        if amount <= 0:
            return 0
        cross = pool.account.contract[pool.asset]
        events += self.collateral.move(cross, pool, amount, symbol)
        return amount

    # -- one rung --------------------------------------------------------------------------------

    def _rung(self, pool: Pool, liquidation_id: int, time: int) -> list[Event]:
        """Close as much as needed of the position that needs the most maintenance margin."""
        position = max(pool.positions, key=_weight)
        perp = position.perp
        unit = perp.unit
        total = maintenance(pool)
        own = perp.tiers.maintenance(notional(position))
        share = equity(pool) * own // total if total else equity(pool)
        fee_ppm = _taker_ppm(position)
        price = bankruptcy_price(position.side, position.quantity * unit, perp.mark, share, fee_ppm)
        tier = perp.tiers.at(notional(position))
        wanted = _partial(pool, position, tier, total - own) or position.quantity
        fund = self.collateral.fund_pool(pool.asset)
        fund_before = equity(fund)
        is_fund = pool.account is self.collateral.fund
        if is_fund and share > 0:
            price = perp.mark  # what the fund still has is nobody else's
        fees_before = position.liquidate_fee
        size = position.quantity
        events: list[Event] = []
        filled = 0
        taken = 0
        if not is_fund:
            before = position.quantity
            events += self._close_in_book(position, wanted, price, LIQUIDATION, time)
            filled = before - position.quantity
            left = wanted - filled
            if left and _fund_can(fund, perp, position.side, left, price):
                self._take_over(position, left, price, liquidation_id, time, events)
                taken = left
        left = wanted - filled - taken
        deleveraged = 0
        if left:
            deleveraged = self._deleverage(position, left, price, liquidation_id, time, events)
        assert left == deleveraged, (position.position_id, left, deleveraged)
        events.append(
            LiquidationStep(
                liquidation_id, position.position_id, perp.symbol, position.side, perp.mark, tier,
                price, wanted, filled, taken, deleveraged,
                position.liquidate_fee - fees_before, equity(fund) - fund_before, size,
            )
        )  # fmt: skip
        return events

    def _close_in_book(
        self, position: Position, lots: int, price: int, cause: int, time: int
    ) -> list[Event]:
        """An IOC that closes at no worse than `price`."""
        contracts = self.contracts
        order = contracts.closing_order(position, LIMIT, lots, price, cause, time)
        limit_key = -price if order.side == BUY else price
        keys = position.perp.market.book.opposite(order.side).keys
        if not keys or keys[-1] < limit_key:
            return []
        return contracts.take(order, limit_key)

    def _take_over(
        self, position: Position, lots: int, price: int, liquidation_id: int, time: int,
        events: list[Event],
    ) -> None:  # fmt: skip
        """The fund takes lots over at the bankruptcy price (rule 7.2)."""
        perp = position.perp
        holding = self.collateral.fund_holding()
        own = find_position(holding, perp, position.side)
        if own is None:
            own = self.contracts.fills.new_position(holding, perp, position.side, CROSSED, time)
        self._outside(position, own, lots, price, TAKEOVER, liquidation_id, time, events)

    def _outside(
        self, position: Position, other: Position, lots: int, price: int, cause: int,
        liquidation_id: int, time: int, events: list[Event],
    ) -> None:  # fmt: skip
        perp = position.perp
        fee = fee_on(price * lots * perp.unit, perp.contract.liquidation_ppm)
        if position.pool.account is self.collateral.fund:
            fee = 0
        self.contracts.fills.outside(
            perp, position, other, lots=lots, price=price, cause=cause,
            liquidation_id=liquidation_id, fee=fee, time=time, events=events,
        )  # fmt: skip
        for each in (position, other):
            self.contracts.trim(each, time, events)

    # -- auto-deleveraging -----------------------------------------------------------------------

    def _deleverage(
        self, position: Position, lots: int, price: int, liquidation_id: int, time: int,
        events: list[Event],
    ) -> int:  # fmt: skip
        """Have opposite positions take lots over, by the contract's policy; how many they took."""
        perp = position.perp
        ranked = self._ranked(perp, -position.side)
        in_turn = _in_turn(ranked, position.pool)
        shares: list[int] = []
        if perp.contract.adl_policy != QUEUE:
            everyone = list(in_turn)
            shares = _pro_rata([entry[4].quantity for entry in everyone], lots)
            in_turn = iter(everyone)
        left = lots
        for rank, entry in enumerate(in_turn, 1):
            other = entry[4]
            part = min(left, other.quantity)
            if shares:
                part = min(part, shares[rank - 1])
            if part <= 0:
                continue
            at = price
            if other.pool.account is self.collateral.fund:
                at = self._fund_price(other, part, price)
            events.append(
                Deleveraged(
                    liquidation_id, other.position_id, other.pool.account.uid, perp.symbol, part,
                    at, rank, -entry[2],
                )
            )  # fmt: skip
            self._outside(position, other, part, at, DELEVERAGE, liquidation_id, time, events)
            left -= part
            if left == 0:
                break
        return lots - left

    def _fund_price(self, own: Position, lots: int, price: int) -> int:
        """Where the fund itself can be deleveraged: at mark when a worse price would ruin it."""
        perp = own.perp
        loss = own.side * (perp.mark - price) * lots * perp.unit
        return price if loss <= equity(own.pool) else perp.mark

    def _ranked(self, perp: Perpetual, side: int) -> list[Standing]:
        """Positions of one side, the highest score first (rule 7.5).

        Those without equity come behind all with it, then the fund's.
        """
        key = (perp.index, side)
        ranked = self.ranking.get(key)
        if ranked is None or self.newest.get(key, 0) != perp.newest_position:
            self.newest[key] = perp.newest_position
            ranked = [
                self._standing(position)
                for position in perp.positions.values()
                if position.side == side
            ]
            ranked.sort()
            self.ranking[key] = ranked
        return ranked

    def _standing(self, position: Position) -> Standing:
        pool = position.pool
        own = equity(pool)
        fund = pool.account is self.collateral.fund
        return fund, own <= 0, -score(position, own), position.position_id, position

    # -- the end ---------------------------------------------------------------------------------

    def _empty(self, pool: Pool, symbol: str, events: list[Event]) -> int:
        """A pool without positions: below zero the fund makes it good, an isolated one goes back
        to the cross pool. Returns what the fund paid."""
        compensated = 0
        if pool.collateral < 0:
            before = pool.collateral
            events += self.contracts.fills.fix(pool, symbol)
            compensated = pool.collateral - before
        if pool.position_id:
            cross = pool.account.contract[pool.asset]
            if pool.collateral:
                events += self.collateral.move(pool, cross, pool.collateral, symbol)
            pool.account.isolated.pop(pool.position_id, None)
        return compensated

    # -- the fund --------------------------------------------------------------------------------

    def unwind(self, perp: Perpetual, time: int) -> list[Event]:
        """Give back a part of what the fund holds in a contract, near the mark."""
        if self.collateral.fund is None or not perp.current or perp.market.halted:
            return []
        events: list[Event] = []
        for side in (LONG, -LONG):
            position = find_position(self.collateral.fund_holding(), perp, side)
            if position is None:
                continue
            lots = max(perp.market.quantity_min, position.quantity // UNWIND_SHARE)
            away = perp.mark * UNWIND_BAND_PPM // PPM
            price = perp.mark - away if side == LONG else perp.mark + away
            events += self._close_in_book(
                position, min(lots, position.quantity), max(1, price), UNWIND, time
            )
        return events


def score(position: Position, own: int) -> int:
    """Profit rate x effective leverage, in parts per million (rule 7.5); losers come last.

    `own` is the equity of the position's pool.
    """
    at_mark = notional(position)
    gain = position.side * (at_mark - position.value)
    at_mark = max(1, at_mark)
    own = max(1, own)
    value = max(1, position.value)
    if gain > 0:
        return min(gain * at_mark * PPM // (value * own), SCORE_MAX)
    return max(-(-gain * own * PPM // (value * at_mark)), -SCORE_MAX)


def _in_turn(ranked: list[Standing], pool: Pool) -> Iterator[Standing]:
    """Those that are still there, those of the same pool last: longs and shorts are equally many,
    so in the end somebody is there."""
    own: list[Standing] = []
    for entry in ranked:
        position = entry[4]
        if position.quantity <= 0:
            continue
        if position.pool is pool:
            own.append(entry)
        else:
            yield entry
    yield from own


def _fund_can(fund: Pool, perp: Perpetual, side: int, lots: int, price: int) -> bool:
    """Whether the fund's equity at mark stays at or above zero when it takes over."""
    return equity(fund) + side * (perp.mark - price) * lots * perp.unit >= 0


def _taker_ppm(position: Position) -> int:
    return holding_of(position.pool.account).taker_rate(position.perp.market)


def _weight(position: Position) -> tuple[int, int]:
    return position.perp.tiers.maintenance(notional(position)), -position.position_id


def _partial(pool: Pool, position: Position, tier: int, others: int) -> int:
    """The lots whose closing leads to the next lower tier, if that restores the pool; else 0.

    Estimated at mark with the taker's and the liquidation fee (rule 7.2).
    """
    if tier == 0:
        return 0
    perp = position.perp
    value = perp.mark * perp.unit
    keep = perp.tiers.caps[tier - 1] // value
    lots = position.quantity - keep
    if keep < perp.market.quantity_min or lots <= 0:
        return 0
    cost = fee_on(lots * value, _taker_ppm(position) + perp.contract.liquidation_ppm)
    if equity(pool) - cost > others + perp.tiers.maintenance(keep * value):
        return lots
    return 0


def _pro_rata(sizes: list[int], lots: int) -> list[int]:
    """`lots` shared in proportion to sizes, rounded down; what is left goes to the first ones."""
    total = sum(sizes)
    if total <= lots:
        return sizes
    shares = [size * lots // total for size in sizes]
    rest = lots - sum(shares)
    for index, size in enumerate(sizes):
        if rest and shares[index] < size:
            shares[index] += 1
            rest -= 1
    return shares
