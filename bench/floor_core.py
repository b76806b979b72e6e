"""The floor of `bench.core`: holds, price-time matching, fees, settlement of spot orders, no more.

Integers only.  A price is a whole number of price units (a multiple of the
symbol's tick), a quantity a whole number of base units (a multiple of its lot);
notional = price * qty, in quote units.  Asset 0 is the quote asset, asset s + 1
the base asset of symbol s.  Each party pays its fee out of what it receives.
"""

from bisect import bisect_left, insort
from struct import iter_unpack
from typing import Final

BUY: Final = 0
SELL: Final = 1

GTC: Final = 0
IOC: Final = 1
FOK: Final = 2
POST: Final = 3

NEW: Final = 0
PARTIAL: Final = 1
FILLED: Final = 2
CANCELED: Final = 3
EXPIRED: Final = 4

BAD_ACCOUNT: Final = 1
BAD_SYMBOL: Final = 2
BAD_FLAGS: Final = 3
BAD_QTY: Final = 4
BAD_PRICE: Final = 5
INSUFFICIENT: Final = 6
WOULD_CROSS: Final = 7
UNFILLABLE: Final = 8
UNKNOWN_ORDER: Final = 9
NO_LIQUIDITY: Final = 10

EV_ORDER: Final = 0  # (0, oid, acct, status, remaining)
EV_TRADE: Final = 1  # (1, sym, price, qty, maker oid, taker oid, maker fee, taker fee)
EV_BALANCE: Final = 2  # (2, acct, asset, available delta, held delta)
EV_REJECT: Final = 3  # (3, acct, reason)

OP_LIMIT: Final = 0
OP_MARKET: Final = 1
OP_CANCEL: Final = 2

QUOTE: Final = 0
MAX_UNITS: Final = 1 << 60  # bound on any price or quantity
COLLAR: Final = 20  # a market order walks at most best/20 away from the best price

Event = tuple[int, ...]


class Level:
    """All orders resting at one price: an intrusive FIFO list."""

    __slots__ = ("head", "price", "qty", "tail")

    def __init__(self, price: int) -> None:
        self.price = price
        self.qty = 0
        self.head: Order | None = None
        self.tail: Order | None = None

    def append(self, order: "Order") -> None:
        last = self.tail
        order.level = self
        order.prev = last
        if last is None:
            self.head = order
        else:
            last.next = order
        self.tail = order
        self.qty += order.rem

    def unlink(self, order: "Order") -> None:
        before, after = order.prev, order.next
        if before is None:
            self.head = after
        else:
            before.next = after
        if after is None:
            self.tail = before
        else:
            after.prev = before
        order.prev = order.next = order.level = None
        self.qty -= order.rem


class Order:
    __slots__ = ("acct", "level", "next", "oid", "prev", "price", "rem", "side", "sym")

    def __init__(self, oid: int, acct: int, sym: int, side: int, price: int, rem: int) -> None:
        self.oid = oid
        self.acct = acct
        self.sym = sym
        self.side = side
        self.price = price
        self.rem = rem
        self.level: Level | None = None
        self.prev: Order | None = None
        self.next: Order | None = None


class Half:
    """One side of a book.  Keys ascend towards the best price, so it is always keys[-1]."""

    __slots__ = ("keys", "levels")

    def __init__(self) -> None:
        self.keys: list[int] = []
        self.levels: dict[int, Level] = {}

    def rest(self, key: int, order: Order) -> None:
        level = self.levels.get(key)
        if level is None:
            level = self.levels[key] = Level(order.price)
            insort(self.keys, key)
        level.append(order)

    def drop(self, key: int) -> None:
        del self.levels[key]
        del self.keys[bisect_left(self.keys, key)]

    def can_fill(self, lim: int, qty: int) -> bool:
        for key in reversed(self.keys):
            if key < lim:
                return False
            qty -= self.levels[key].qty
            if qty <= 0:
                return True
        return False


class Engine:
    def __init__(
        self, accounts: int, ticks: list[int], lots: list[int], maker_bps: int, taker_bps: int
    ) -> None:
        self.accounts = accounts
        self.symbols = len(ticks)
        self.assets = len(ticks) + 1
        self.ticks = ticks
        self.lots = lots
        self.maker_bps = maker_bps
        self.taker_bps = taker_bps
        self.avail = [0] * (accounts * self.assets)  # [acct * assets + asset]
        self.held = [0] * (accounts * self.assets)
        self.fees = [0] * self.assets
        self.bids = [Half() for _ in ticks]  # key = price
        self.asks = [Half() for _ in ticks]  # key = -price
        self.orders: dict[int, Order] = {}
        self.next_oid = 1

    def deposit(self, acct: int, asset: int, amount: int) -> None:
        self.avail[acct * self.assets + asset] += amount

    def place_limit(
        self, acct: int, sym: int, side: int, tif: int, price: int, qty: int
    ) -> list[Event]:
        reason = self._check(acct, sym, side, qty)
        if reason:
            return [(EV_REJECT, acct, reason)]
        if not GTC <= tif <= POST:
            return [(EV_REJECT, acct, BAD_FLAGS)]
        if not 0 < price <= MAX_UNITS or price % self.ticks[sym]:
            return [(EV_REJECT, acct, BAD_PRICE)]
        return self._submit(acct, sym, side, tif, price, qty)

    def place_market(self, acct: int, sym: int, side: int, qty: int) -> list[Event]:
        reason = self._check(acct, sym, side, qty)
        if reason:
            return [(EV_REJECT, acct, reason)]
        tick = self.ticks[sym]
        if side == BUY:
            keys = self.asks[sym].keys
            if not keys:
                return [(EV_REJECT, acct, NO_LIQUIDITY)]
            best = -keys[-1]
            price = (best + best // COLLAR) // tick * tick
        else:
            keys = self.bids[sym].keys
            if not keys:
                return [(EV_REJECT, acct, NO_LIQUIDITY)]
            best = keys[-1]
            price = (best - best // COLLAR + tick - 1) // tick * tick
        return self._submit(acct, sym, side, IOC, price, qty)

    def cancel(self, acct: int, oid: int) -> list[Event]:
        order = self.orders.get(oid)
        if order is None or order.acct != acct:
            return [(EV_REJECT, acct, UNKNOWN_ORDER)]
        del self.orders[oid]
        level = order.level
        assert level is not None
        level.unlink(order)
        if level.head is None:
            if order.side == BUY:
                self.bids[order.sym].drop(order.price)
            else:
                self.asks[order.sym].drop(-order.price)
        events: list[Event] = []
        self._release(events, acct, order.sym, order.side, order.price, order.rem)
        events.append((EV_ORDER, oid, acct, CANCELED, order.rem))
        return events

    def _check(self, acct: int, sym: int, side: int, qty: int) -> int:
        if not 0 <= acct < self.accounts:
            return BAD_ACCOUNT
        if not 0 <= sym < self.symbols:
            return BAD_SYMBOL
        if not BUY <= side <= SELL:
            return BAD_FLAGS
        if not 0 < qty <= MAX_UNITS or qty % self.lots[sym]:
            return BAD_QTY
        return 0

    def _release(
        self, events: list[Event], acct: int, sym: int, side: int, price: int, rem: int
    ) -> None:
        if side == BUY:
            asset, amount = QUOTE, price * rem
        else:
            asset, amount = sym + 1, rem
        at = acct * self.assets + asset
        self.avail[at] += amount
        self.held[at] -= amount
        events.append((EV_BALANCE, acct, asset, amount, -amount))

    def _submit(
        self, acct: int, sym: int, side: int, tif: int, price: int, qty: int
    ) -> list[Event]:
        if side == BUY:
            own, opp, own_key = self.bids[sym], self.asks[sym], price
            asset, hold = QUOTE, price * qty
        else:
            own, opp, own_key = self.asks[sym], self.bids[sym], -price
            asset, hold = sym + 1, qty
        lim = -own_key  # an opposite level crosses while its key >= lim
        keys = opp.keys
        if tif == POST and keys and keys[-1] >= lim:
            return [(EV_REJECT, acct, WOULD_CROSS)]
        avail, held, fees = self.avail, self.held, self.fees
        at = acct * self.assets + asset
        if avail[at] < hold:
            return [(EV_REJECT, acct, INSUFFICIENT)]
        if tif == FOK and not opp.can_fill(lim, qty):
            return [(EV_REJECT, acct, UNFILLABLE)]

        oid = self.next_oid
        self.next_oid = oid + 1
        avail[at] -= hold
        held[at] += hold
        events: list[Event] = [
            (EV_BALANCE, acct, asset, -hold, hold),
            (EV_ORDER, oid, acct, NEW, qty),
        ]

        rem = qty
        base = sym + 1
        while rem and keys and keys[-1] >= lim:
            level = opp.levels[keys[-1]]
            maker = level.head
            assert maker is not None
            px = level.price
            fill = min(rem, maker.rem)
            cost = px * fill
            if side == BUY:
                buyer, seller = acct, maker.acct
                better = (price - px) * fill  # held at the limit price, traded at a better one
                taker_fee = base_fee = (fill * self.taker_bps + 9999) // 10000
                maker_fee = quote_fee = (cost * self.maker_bps + 9999) // 10000
            else:
                buyer, seller = maker.acct, acct
                better = 0
                maker_fee = base_fee = (fill * self.maker_bps + 9999) // 10000
                taker_fee = quote_fee = (cost * self.taker_bps + 9999) // 10000
            b = buyer * self.assets
            s = seller * self.assets
            held[b] -= cost + better
            avail[b] += better
            avail[b + base] += fill - base_fee
            held[s + base] -= fill
            avail[s] += cost - quote_fee
            fees[base] += base_fee
            fees[QUOTE] += quote_fee
            events.append((EV_TRADE, sym, px, fill, maker.oid, oid, maker_fee, taker_fee))
            events.append((EV_BALANCE, buyer, QUOTE, better, -(cost + better)))
            events.append((EV_BALANCE, buyer, base, fill - base_fee, 0))
            events.append((EV_BALANCE, seller, base, 0, -fill))
            events.append((EV_BALANCE, seller, QUOTE, cost - quote_fee, 0))
            rem -= fill
            if fill == maker.rem:
                level.unlink(maker)
                maker.rem = 0
                del self.orders[maker.oid]
                events.append((EV_ORDER, maker.oid, maker.acct, FILLED, 0))
                if level.head is None:
                    del opp.levels[keys.pop()]
            else:
                level.qty -= fill
                maker.rem -= fill
                events.append((EV_ORDER, maker.oid, maker.acct, PARTIAL, maker.rem))

        if rem == 0:
            events.append((EV_ORDER, oid, acct, FILLED, 0))
        elif tif == GTC or tif == POST:
            order = Order(oid, acct, sym, side, price, rem)
            self.orders[oid] = order
            own.rest(own_key, order)
            if rem < qty:
                events.append((EV_ORDER, oid, acct, PARTIAL, rem))
        else:
            self._release(events, acct, sym, side, price, rem)
            events.append((EV_ORDER, oid, acct, EXPIRED, rem))
        return events

    # -- batches -----------------------------------------------------------

    def batch(self, commands: list[tuple[int, int, int, int, int, int, int]]) -> list[list[Event]]:
        out: list[list[Event]] = []
        for op, acct, sym, side, tif, price, qty in commands:
            if op == OP_LIMIT:
                out.append(self.place_limit(acct, sym, side, tif, price, qty))
            elif op == OP_MARKET:
                out.append(self.place_market(acct, sym, side, qty))
            else:
                out.append(self.cancel(acct, sym))
        return out

    def replay(self, journal: bytes) -> int:
        """Run packed commands (7 little-endian int64 each); return the number of events."""
        n = 0
        for op, acct, sym, side, tif, price, qty in iter_unpack("<7q", journal):
            if op == OP_LIMIT:
                n += len(self.place_limit(acct, sym, side, tif, price, qty))
            elif op == OP_MARKET:
                n += len(self.place_market(acct, sym, side, qty))
            else:
                n += len(self.cancel(acct, sym))
        return n

    # -- inspection ----------------------------------------------------------

    def dump(self) -> tuple[list[int], list[int], list[int], list[Event], int]:
        """Balances, fees and open orders (by symbol, bids then asks, in priority order)."""
        orders: list[Event] = []
        for sym in range(self.symbols):
            for half in (self.bids[sym], self.asks[sym]):
                for key in reversed(half.keys):
                    order = half.levels[key].head
                    while order is not None:
                        orders.append(
                            (order.oid, order.acct, sym, order.side, order.price, order.rem)
                        )
                        order = order.next
        return list(self.avail), list(self.held), list(self.fees), orders, self.next_oid
