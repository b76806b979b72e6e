"""A session's own bookkeeping of contracts in decimals: positions, pools, fees, income."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

ATOM = Decimal("0.00000001")
ZERO = Decimal(0)
CROSS = "cross"
Tier = tuple[Decimal, Decimal]  # (greatest notional, maintenance rate)


def up(amount: Decimal) -> Decimal:
    """Against the payer, to the atom (rule 1.2)."""
    return amount.quantize(ATOM, ROUND_CEILING)


def down(amount: Decimal) -> Decimal:
    return amount.quantize(ATOM, ROUND_FLOOR)


@dataclass
class Order:
    """One order as it was sent, and its state since; `margin` is its need when it was placed.

    `closes` names the position to reduce where each has its own (separated mode).
    """

    owner: str
    symbol: str
    side: str
    opens: bool
    kind: str
    time_in_force: str
    quantity: Decimal
    price: Decimal
    executed: Decimal = ZERO
    quote: Decimal = ZERO
    rests: bool = True
    canceled: bool = False
    margin: Decimal = ZERO
    id: str = ""
    client_id: str = ""
    closes: str = ""

    @property
    def position_side(self) -> str:
        return "long" if (self.side == "buy") == self.opens else "short"

    @property
    def remaining(self) -> Decimal:
        return self.quantity - self.executed

    @property
    def open(self) -> bool:
        return self.rests and not self.canceled and self.remaining > 0

    @property
    def held(self) -> Decimal:
        """The margin that its rest holds back (rule 5.6)."""
        return up(self.margin * self.remaining / self.quantity) if self.open else ZERO

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
    """One side of a trade; `realized` is its profit without the fee."""

    order: Order
    price: Decimal
    quantity: Decimal
    fee: Decimal
    realized: Decimal
    is_taker: bool

    @property
    def quote(self) -> Decimal:
        return self.price * self.quantity


@dataclass
class Position:
    """One position; `pool` names its collateral, `opener` the order that opened it."""

    owner: str
    symbol: str
    side: str
    pool: str
    leverage: int
    opener: str = ""
    size: Decimal = ZERO
    value: Decimal = ZERO
    opened: Decimal = ZERO
    closed: Decimal = ZERO
    open_fee: Decimal = ZERO
    close_fee: Decimal = ZERO

    @property
    def sign(self) -> int:
        return 1 if self.side == "long" else -1

    @property
    def isolated(self) -> bool:
        return self.pool != CROSS

    def profit(self, mark: Decimal) -> Decimal:
        """Unrealized: s x (q x M - open value) (rule 5.3)."""
        return self.sign * (self.size * mark - self.value)

    def initial(self, mark: Decimal) -> Decimal:
        """Initial margin: M x q / L, rounded up (rule 5.6)."""
        return up(self.size * mark / self.leverage)


@dataclass
class Item:
    """One change of collateral, with the pool's collateral after it."""

    kind: str
    symbol: str | None
    amount: Decimal
    fee: Decimal
    pool: str
    balance: Decimal


@dataclass
class Sums:
    """Orders, fills, positions, income of one settle asset.

    `rates` are (maker, taker) and `leverages` by owner and symbol; `isolated` holds the (owner,
    symbol) pairs in isolated mode, `separated` those in which each opening order has a position of
    its own; `marks` is the mark of each symbol.
    """

    rates: dict[str, tuple[Decimal, Decimal]]
    tiers: dict[str, tuple[Tier, ...]]
    marks: dict[str, Decimal] = field(default_factory=dict)
    leverages: dict[tuple[str, str], int] = field(default_factory=dict)
    isolated: set[tuple[str, str]] = field(default_factory=set)
    separated: set[tuple[str, str]] = field(default_factory=set)
    orders: dict[str, Order] = field(default_factory=dict)
    fills: list[Fill] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    items: dict[str, list[Item]] = field(default_factory=dict)
    paid_in: dict[str, Decimal] = field(default_factory=dict)

    # -- what happens ----------------------------------------------------------------------------

    def pay_in(self, owner: str, kind: str, amount: Decimal) -> None:
        """Money that enters or leaves the contract wallet."""
        self.paid_in[owner] = self.paid_in.get(owner, ZERO) + amount
        self._item(owner, kind, None, amount, CROSS)

    def place(self, label: str, order: Order, trades: tuple[tuple[str, str], ...]) -> None:
        """Take an order in that trades at once with (label of the resting order, quantity)."""
        self.orders[label] = order
        order.rests = order.kind == "limit" and order.time_in_force in ("GTC", "POST_ONLY")
        if order.opens:
            worst = self.orders[trades[-1][0]].price if order.kind == "market" else order.price
            order.margin = self._need(order, order.quantity, worst)
        for maker_label, text in trades:
            self._trade(order, self.orders[maker_label], Decimal(text))

    def move_margin(self, position: Position, amount: Decimal) -> None:
        """Into an isolated position's pool, or out of it."""
        self._move(position, amount)

    def margin_anew(self, order: Order) -> None:
        """Set the margin that the rest of an order needs after a change of leverage (rule 5.7)."""
        need = self._need(order, order.remaining, order.price)
        order.margin = up(need * order.quantity / order.remaining)

    def fund(self, owner: str, symbol: str, rate: Decimal, mark: Decimal) -> Decimal:
        """Book funding of all of an owner's positions in a symbol; return the sum (rule 6.4)."""
        total = ZERO
        for position in self.held(owner, symbol):
            owed = position.sign * position.size * mark * rate
            amount = -up(owed) if owed > 0 else down(-owed)
            self._item(owner, "position_funding", symbol, amount, position.pool)
            total += amount
        return total

    def _trade(self, taker: Order, maker: Order, quantity: Decimal) -> None:
        sides = [(order, self._position(order)) for order in (taker, maker)]
        for order, position in sides:
            if order.opens and position.isolated:
                need = self._need(order, quantity, maker.price)
                most = up(order.margin * quantity / order.quantity)
                self._move(position, min(need, most))
        for order, position in sides:
            self._settle(order, position, maker.price, quantity, is_taker=order is taker)

    def _settle(
        self, order: Order, position: Position, price: Decimal, quantity: Decimal, *, is_taker: bool
    ) -> None:
        value = price * quantity
        fee = up(value * self.rates[order.owner][is_taker])
        before = self.wallet_of(position)
        realized = ZERO
        if order.opens:
            position.size += quantity
            position.value += value
            position.opened += quantity
            position.open_fee += fee
        else:
            whole = quantity == position.size
            taken = position.value if whole else down(position.value * quantity / position.size)
            realized = position.sign * (value - taken)
            position.value -= taken
            position.closed += quantity
            position.close_fee += fee
        order.executed += quantity
        order.quote += value
        self.fills.append(Fill(order, price, quantity, fee, realized, is_taker))
        verb = "open" if order.opens else "close"
        cash = value if (position.side == "short") == order.opens else -value
        kind = f"position_{verb}_{position.side}"
        self._item(order.owner, kind, order.symbol, cash - fee, position.pool, fee)
        if not order.opens:
            share = down(before * quantity / position.size) + realized - fee
            position.size -= quantity
            if position.isolated:
                self._let_go(position, share)
            if not position.size:
                self.positions.remove(position)

    def _let_go(self, position: Position, share: Decimal) -> None:
        """A closed part's share leaves, as far as the rest keeps its initial margin (rule 5.5)."""
        own = self.wallet_of(position)
        spare = own - position.initial(self.marks[position.symbol])
        amount = min(share, spare) if position.size else own
        if amount > 0:
            self._move(position, -amount)

    def _move(self, position: Position, amount: Decimal) -> None:
        cross, pool = (CROSS, -amount), (position.pool, amount)
        for kind, (name, change) in zip(
            ("margin_move_out", "margin_move_in"),
            (cross, pool) if amount > 0 else (pool, cross),
            strict=True,
        ):
            self._item(position.owner, kind, position.symbol, change, name)

    def _item(
        self, owner: str, kind: str, symbol: str | None, amount: Decimal, pool: str,
        fee: Decimal = ZERO,
    ) -> None:  # fmt: skip
        balance = self.collateral(owner, pool) + amount
        self.items.setdefault(owner, []).append(Item(kind, symbol, amount, fee, pool, balance))

    def _position(self, order: Order) -> Position:
        pair = (order.owner, order.symbol)
        opener = ""
        if pair in self.separated:
            opener = order.id if order.opens else order.closes
        for found in self.held(*pair):
            if (found.side, found.opener) == (order.position_side, opener):
                return found
        assert order.opens, order
        own = f"{order.symbol} {order.position_side} {opener}"
        pool = own if pair in self.isolated else CROSS
        made = Position(*pair, order.position_side, pool, self.leverages[pair], opener)
        self.positions.append(made)
        return made

    def _need(self, order: Order, quantity: Decimal, price: Decimal) -> Decimal:
        """The cost of opening: margin, the loss it would have at once, taker's fee (rule 5.6)."""
        mark = self.marks[order.symbol]
        sign = 1 if order.position_side == "long" else -1
        margin = up(quantity * max(price, mark) / self.leverages[order.owner, order.symbol])
        fee = up(quantity * price * self.rates[order.owner][True])
        return margin + quantity * max(ZERO, sign * (price - mark)) + fee

    # -- what must follow ------------------------------------------------------------------------

    def of(self, owner: str, symbol: str) -> list[Order]:
        """An owner's orders in a symbol, oldest first."""
        return [o for o in self.orders.values() if (o.owner, o.symbol) == (owner, symbol)]

    def held(self, owner: str, symbol: str | None = None) -> list[Position]:
        """An owner's positions, oldest first."""
        return [p for p in self.positions if p.owner == owner and symbol in (None, p.symbol)]

    def collateral(self, owner: str, pool: str) -> Decimal:
        """The sum of a pool's items (rule 5.2)."""
        return sum((i.amount for i in self.items.get(owner, []) if i.pool == pool), ZERO)

    def wallet_of(self, position: Position) -> Decimal:
        """An isolated position's own money."""
        return self.collateral(position.owner, position.pool) + position.sign * position.value

    def wallet(self, owner: str) -> Decimal:
        """Deposits + realized profit - fees + funding (rule 5.3), from the fills alone."""
        fills = [fill for fill in self.fills if fill.order.owner == owner]
        funding = [i.amount for i in self.items[owner] if i.kind == "position_funding"]
        return self.paid_in[owner] + sum((f.realized - f.fee for f in fills), sum(funding, ZERO))

    def frozen(self, owner: str) -> Decimal:
        """The margins of open orders."""
        return sum((order.held for order in self.orders.values() if order.owner == owner), ZERO)

    def unrealized(self, owner: str) -> Decimal:
        return self._over(self.held(owner), lambda p: p.profit(self.marks[p.symbol]))

    def equity(self, owner: str) -> Decimal:
        """The balance, as it is told: the wallet and the profit of open positions."""
        return self.wallet(owner) + self.unrealized(owner)

    def available(self, owner: str) -> Decimal:
        """The money that the cross pool can put up (rule 5.6)."""
        positions = [p for p in self.held(owner) if not p.isolated]
        wallet = self.collateral(owner, CROSS) + self._over(positions, lambda p: p.sign * p.value)
        unrealized = self._over(positions, lambda p: p.profit(self.marks[p.symbol]))
        margins = self._over(positions, lambda p: p.initial(self.marks[p.symbol]))
        return wallet + min(ZERO, unrealized) - margins - self.frozen(owner)

    def liquidation_price(self, position: Position) -> Decimal | None:
        """The mark at which the pool's equity equals its maintenance margin (rule 5.9).

        All positions of the symbol in the pool move with it; found by halving, to a thousandth.
        """
        pool = [p for p in self.held(position.owner) if p.pool == position.pool]
        collateral = self.collateral(position.owner, position.pool)

        def slack(mark: Decimal) -> Decimal:
            left = collateral
            for held in pool:
                price = mark if held.symbol == position.symbol else self.marks[held.symbol]
                value = held.size * price
                left += held.sign * value - self.maintenance(held.symbol, value)
            return left

        net = sum(held.sign * held.size for held in pool if held.symbol == position.symbol)
        safe, lost = self.marks[position.symbol], ZERO if net > 0 else Decimal(10**9)
        if net == 0 or slack(lost) > 0:
            return None
        while abs(safe - lost) > Decimal("0.001"):
            middle = (safe + lost) / 2
            if slack(middle) > 0:
                safe = middle
            else:
                lost = middle
        return lost

    def maintenance(self, symbol: str, notional: Decimal) -> Decimal:
        """Rate x notional - deduction, continuous from tier to tier (rule 5.8)."""
        margin = low = ZERO
        for top, rate in self.tiers[symbol]:
            margin += (min(notional, top) - low) * rate
            low = top
            if notional <= top:
                break
        return up(margin)

    def trades(self, symbol: str) -> list[Fill]:
        """The takers' sides of a symbol's trades, oldest first."""
        return [fill for fill in self.fills if fill.is_taker and fill.order.symbol == symbol]

    def open_interest(self, symbol: str) -> Decimal:
        """All longs; as much as all shorts."""
        sizes = {"long": ZERO, "short": ZERO}
        for position in self.positions:
            if position.symbol == symbol:
                sizes[position.side] += position.size
        assert sizes["long"] == sizes["short"]
        return sizes["long"]

    def levels(self, symbol: str, side: str) -> list[tuple[Decimal, Decimal]]:
        """Price levels of the open orders, best first."""
        sums: dict[Decimal, Decimal] = {}
        for order in self.orders.values():
            if order.open and (order.symbol, order.side) == (symbol, side):
                sums[order.price] = sums.get(order.price, ZERO) + order.remaining
        return sorted(sums.items(), reverse=side == "buy")

    @staticmethod
    def _over(positions: list[Position], value: Callable[[Position], Decimal]) -> Decimal:
        return sum((value(position) for position in positions), ZERO)
