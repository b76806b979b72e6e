"""The memory of the judge of contracts: owners, positions, orders, markets, and their sums.

Plain integers out of commands and events; the formulas are those of rules 5.3, 5.6 and 5.8. Nothing
of the core's own arithmetic is used.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from fractions import Fraction

from venue.core.instruments import Asset, Contract
from venue.vocabulary import BUY, CROSSED, LONG

MILLION = 10**6
DEFAULT_LEVERAGE = 20
SELVES = 3  # atoms that roundings may differ by, for one order and for each of its lots


# Of a resting order: its price, lower for better ones, its turn there, and its id. A turn is the id
# of the last order before it, and how many came back late meanwhile.
Place = tuple[int, tuple[int, int], int]


class Market:
    """One contract: its rules, its prices, and its book as sorted (key, order id), best first."""

    __slots__ = ("asks", "bids", "contract", "halted", "index", "mark", "name", "taker", "unit")

    def __init__(self, contract: Contract, quote: Asset) -> None:
        listed = contract.instrument
        tick = Fraction(listed.tick, 10**listed.price_scale)
        step = Fraction(listed.step, 10**listed.quantity_scale)
        unit: Fraction = tick * step * 10**quote.scale
        assert unit.denominator == 1
        self.name = listed.symbol
        self.contract = contract
        self.unit: int = unit.numerator
        self.taker = listed.taker_ppm
        self.index = 0
        self.mark = 0
        self.halted = False
        self.bids: list[Place] = []
        self.asks: list[Place] = []

    def half(self, side: int) -> list[Place]:
        return self.bids if side == BUY else self.asks

    def maintenance(self, notional: int) -> int:
        """The margin of a notional, tier by tier: each part at its own tier's rate (rule 5.8)."""
        total = low = high = 0
        tiers = self.contract.tiers
        for number, tier in enumerate(tiers):
            last = number == len(tiers) - 1
            high = notional if last or notional < tier.notional_max else tier.notional_max
            total += (high - low) * tier.maintenance_ppm
            if high == notional:
                break
            low = high
        return -(-total // MILLION)

    def added(self, base: int, notional: int) -> int:
        """The margin that a notional adds on top of the `base` below it."""
        return self.maintenance(base + notional) - self.maintenance(base)

    def apart(self, lots: int) -> int:
        """The most by which the worth of lots may differ between mark and index (rule 6.2)."""
        half = self.contract.tiers[0].maintenance_ppm
        return lots * self.unit * self.index * half // (2 * MILLION)

    def need(self, side: int, lots: int, price: int, leverage: int, taker_ppm: int) -> int:
        """The money that an opening order needs at today's mark (rule 5.6)."""
        size = lots * self.unit
        worse = price if price > self.mark else self.mark
        loss = side * (price - self.mark) * size
        fee = -(-size * price * taker_ppm // MILLION)
        return -(-size * worse // leverage) + (loss if loss > 0 and self.mark else 0) + fee


class Position:
    """One position; `pool` is 0 for the cross pool, otherwise its own id."""

    __slots__ = ("base", "closing", "leverage", "lots", "market", "pool", "position_id", "side",
                 "uid", "value")  # fmt: skip

    def __init__(
        self, position_id: int, uid: int, market: Market, side: int, pool: int, leverage: int
    ) -> None:
        self.position_id = position_id
        self.uid = uid
        self.market = market
        self.side = side
        self.pool = pool
        self.leverage = leverage
        self.lots = 0
        self.base = 0  # the notional below it (rule 5.8)
        self.value = 0
        self.closing = 0


class Order:
    """One open order; `held` is what `left` lots of it need since it rests or was levered."""

    __slots__ = (
        "closing",
        "filled",
        "held",
        "held_lots",
        "left",
        "market",
        "opens",
        "order_id",
        "parked",
        "price",
        "quantity",
        "resting",
        "rests",
        "side",
        "tif",
        "turn",
        "type",
        "uid",
        "way",
    )  # fmt: skip

    def __init__(
        self, order_id: int, uid: int, market: Market, side: int, way: int, price: int, lots: int
    ) -> None:
        self.order_id = order_id
        self.turn = order_id, 0
        self.uid = uid
        self.market = market
        self.side = side
        self.way = way  # the position side
        self.opens = (side == BUY) == (way == LONG)
        self.price = price
        self.quantity = self.left = lots
        self.type = self.tif = 0
        self.filled = 0
        self.closing = 0  # the position it closes
        self.resting = 0  # the lots that will rest, as its event says
        self.rests = False
        self.parked = False  # it is open, and nobody meets it (rule 5.14)
        self.held = self.held_lots = 0

    def key(self) -> Place:
        return (-self.price if self.side == BUY else self.price), self.turn, self.order_id

    def enter(self) -> None:
        self.rests = True
        insort(self.market.half(self.side), self.key())

    def leave(self) -> None:
        if not self.parked:
            self._drop()
        self.rests = False

    def park(self) -> None:
        assert not self.parked
        self._drop()
        self.parked = True

    def unpark(self) -> None:
        assert self.parked
        self.parked = False
        self.enter()

    def _drop(self) -> None:
        half = self.market.half(self.side)
        at = bisect_left(half, self.key())
        assert half[at] == self.key()
        del half[at]

    def reaches(self, price: int) -> bool:
        """Whether a price lies within its limit and, a MARKET order's, within the band."""
        buys = self.side == BUY
        if self.type == 0:
            return price <= self.price if buys else price >= self.price
        listed = self.market.contract.instrument
        if buys:
            return price * MILLION <= self.market.mark * (MILLION + listed.buy_band_ppm)
        return price * MILLION >= self.market.mark * (MILLION - listed.sell_band_ppm)

    def holds(self) -> int:
        """The part of `held` that belongs to what is left."""
        if self.left == self.held_lots:
            return self.held
        return -(-self.held * self.left // self.held_lots)


class Modes:
    """An owner's choices in one contract."""

    __slots__ = ("cross", "long", "mode", "separated", "short")

    def __init__(self, leverage: int) -> None:
        self.mode = CROSSED
        self.separated = 0
        self.cross = self.long = self.short = leverage

    def leverage(self, side: int) -> int:
        if self.mode == CROSSED:
            return self.cross
        return self.long if side == LONG else self.short


class Owner:
    """One owner: pools by position id (0: cross), other wallets' sum, positions, open orders."""

    __slots__ = ("brought", "elsewhere", "held", "lost", "modes", "orders", "pools", "positions",
                 "self_trade", "uid")  # fmt: skip

    def __init__(self, uid: int, self_trade: int) -> None:
        self.uid = uid
        self.self_trade = self_trade
        self.pools: dict[int, int] = {0: 0}
        self.positions: dict[int, Position] = {}
        self.orders: dict[int, Order] = {}
        self.modes: dict[str, Modes] = {}
        self.elsewhere = 0
        self.brought = 0  # deposits less withdrawals
        self.lost = 0  # agreed losses: in trades against the index, and in funding
        self.held = 0  # held by its orders, as the ledger says

    def modes_in(self, market: Market) -> Modes:
        modes = self.modes.get(market.name)
        if modes is None:
            leverage = min(DEFAULT_LEVERAGE, market.contract.tiers[0].leverage_max)
            modes = self.modes[market.name] = Modes(leverage)
        return modes

    def standing(self) -> int:
        """Available of the cross pool before open orders (rule 5.6)."""
        total = self.pools[0]
        unrealized = 0
        for position in self.positions.values():
            if position.pool == 0:
                market = position.market
                worth = market.mark * position.lots * market.unit
                total += position.side * position.value - -(-worth // position.leverage)
                unrealized += position.side * (worth - position.value)
        return total + unrealized if unrealized < 0 else total

    def needed(self) -> int:
        """The money that its open orders need at today's marks."""
        total = 0
        for order in self.orders.values():
            if order.rests and order.opens:
                market = order.market
                leverage = self.modes_in(market).leverage(order.way)
                total += market.need(order.way, order.left, order.price, leverage, market.taker)
        return total

    def holds(self) -> int:
        """The money that its open orders hold since they rest."""
        return sum([o.holds() for o in self.orders.values() if o.rests and o.opens])

    def in_pool(self, pool: int) -> list[Position]:
        return [found for found in self.positions.values() if found.pool == pool]

    def equity(self, pool: int, *, at_index: bool = False) -> int:
        """Collateral and what the pool's positions are worth at mark, or at the index (5.3)."""
        total = self.pools[pool]
        for position in self.positions.values():
            if position.pool == pool:
                market = position.market
                price = market.index if at_index else market.mark
                total += position.side * price * position.lots * market.unit
        return total

    def maintenance(self, pool: int) -> int:
        total = 0
        for position in self.positions.values():
            if position.pool == pool:
                market = position.market
                worth = market.mark * position.lots * market.unit
                total += market.added(position.base, worth)
        return total

    def beside(self, position: Position) -> int:
        """The notional of its other positions on the same side of a contract, at mark."""
        market = position.market
        lots = sum(
            [
                own.lots
                for own in self.positions.values()
                if own is not position and own.market is market and own.side == position.side
            ]
        )
        return market.mark * lots * market.unit

    def wealth(self) -> int:
        """The money it could take home: pools at index, and its other wallets. A debt counts as
        nothing unless it is smaller than the span between mark and index: then it is still owed."""
        total = self.elsewhere
        for pool in self.pools:
            own = self.equity(pool, at_index=True)
            if own < 0:
                apart = sum([found.market.apart(found.lots) for found in self.in_pool(pool)])
                own = own if -own <= apart else 0
            total += own
        return total
