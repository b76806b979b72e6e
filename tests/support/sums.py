"""A session's own bookkeeping in decimals: the test's orders, and the sums that must follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal

ATOM = Decimal("0.00000001")


@dataclass
class Order:
    """One order as it was sent, and its executed part so far."""

    owner: str
    symbol: str
    side: str
    kind: str
    time_in_force: str
    quantity: Decimal
    price: Decimal
    executed: Decimal = Decimal(0)
    quote: Decimal = Decimal(0)
    rests: bool = True
    canceled: bool = False
    id: str = ""
    client_id: str = ""
    time: int = 0

    @property
    def remaining(self) -> Decimal:
        return self.quantity - self.executed

    @property
    def open(self) -> bool:
        return self.rests and not self.canceled and self.remaining > 0

    @property
    def status(self) -> str:
        """Its status on the wire."""
        if not self.remaining:
            return "FILLED"
        if self.canceled:
            return "CANCELED"
        if self.rests:
            return "PARTIALLY_FILLED" if self.executed else "NEW"
        return "CANCELED" if self.executed else "EXPIRED"


@dataclass
class Fill:
    """One side of a trade."""

    order: Order
    price: Decimal
    quantity: Decimal
    fee: Decimal
    fee_asset: str
    is_taker: bool

    @property
    def quote(self) -> Decimal:
        return self.price * self.quantity


@dataclass
class Bill:
    """One movement of a spot wallet."""

    asset: str
    kind: str
    amount: Decimal
    fee: Decimal = Decimal(0)


@dataclass
class Sums:
    """Orders, fills, bills and balances; `rates` are (maker, taker) by owner."""

    rates: dict[str, tuple[Decimal, Decimal]]
    orders: dict[str, Order] = field(default_factory=dict)
    fills: list[Fill] = field(default_factory=list)
    bills: dict[str, list[Bill]] = field(default_factory=dict)

    def place(self, label: str, order: Order, trades: tuple[tuple[str, str], ...]) -> None:
        """Take an order in that trades at once with (label of the resting order, quantity)."""
        self.orders[label] = order
        order.rests = order.kind == "limit" and order.time_in_force == "GTC"
        for maker_label, text in trades:
            maker, quantity = self.orders[maker_label], Decimal(text)
            buy, sell = (order, maker) if order.side == "buy" else (maker, order)
            for side in (buy, sell):
                side.executed += quantity
                side.quote += quantity * maker.price
                self._settle(side, maker.price, quantity, is_taker=side is order)

    def _settle(self, order: Order, price: Decimal, quantity: Decimal, *, is_taker: bool) -> None:
        base, quote = order.symbol.split("/")
        gains = (base, quantity) if order.side == "buy" else (quote, price * quantity)
        gives = (quote, price * quantity) if order.side == "buy" else (base, quantity)
        rate = self.rates[order.owner][is_taker]
        fee = (gains[1] * rate).quantize(ATOM, ROUND_CEILING)
        self.fills.append(Fill(order, price, quantity, fee, gains[0], is_taker))
        self.move(order.owner, Bill(gives[0], "trade_out", -gives[1]))
        self.move(order.owner, Bill(gains[0], "trade_in", gains[1] - fee, fee))

    def move(self, owner: str, bill: Bill) -> None:
        """A movement of an owner's spot wallet."""
        self.bills.setdefault(owner, []).append(bill)

    def total(self, owner: str, asset: str) -> Decimal:
        """All of an asset, in open orders or not."""
        return sum((bill.amount for bill in self.bills[owner] if bill.asset == asset), Decimal(0))

    def used(self, owner: str, asset: str) -> Decimal:
        """The amount that open orders lock: the price of a buy, the quantity of a sell."""
        locked = Decimal(0)
        for order in self.of(owner):
            base, quote = order.symbol.split("/")
            if order.open and order.side == "buy" and quote == asset:
                locked += order.remaining * order.price
            elif order.open and order.side == "sell" and base == asset:
                locked += order.remaining
        return locked

    def of(self, owner: str, symbol: str | None = None) -> list[Order]:
        """An owner's orders, oldest first."""
        return [
            order
            for order in self.orders.values()
            if order.owner == owner and symbol in (None, order.symbol)
        ]

    def trades(self, symbol: str) -> list[Fill]:
        """The takers' sides of a symbol's trades, oldest first."""
        return [fill for fill in self.fills if fill.is_taker and fill.order.symbol == symbol]

    def levels(self, symbol: str, side: str) -> list[tuple[Decimal, Decimal]]:
        """Price levels of the open orders, best first."""
        sums: dict[Decimal, Decimal] = {}
        for order in self.orders.values():
            if order.open and order.symbol == symbol and order.side == side:
                sums[order.price] = sums.get(order.price, Decimal(0)) + order.remaining
        return sorted(sums.items(), reverse=side == "buy")
