"""A session of stock clients trading contracts on a quiet venue, with the test's own sums of it.

The spot books give the contracts their index; the contract books stay one-sided or centred on it,
so that the mark is the index as long as nobody moves it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from support.client import Client
from support.contract_sums import ZERO, Order, Sums, Tier
from support.server import Server
from support.stock import Stock, loop_of

BTC, ETH, SOL = "BTC/USDT:USDT", "ETH/USDT:USDT", "SOL/USDT:USDT"
SYMBOLS = (BTC, ETH, SOL)
TRADERS = ("alice", "bob", "carol")
FIRST_MONEY = {"alice": Decimal(1_000_000), "bob": Decimal(1_000_000), "carol": Decimal(60)}
LISTED_RATES = (Decimal("0.0002"), Decimal("0.0006"))  # maker, taker
BOB_RATES = (Decimal("0.0001"), Decimal("0.0005"))
INDEXES = {BTC: Decimal(64_000), ETH: Decimal(3_400), SOL: Decimal(152)}
INDEX_QUANTITIES = {BTC: "0.2", ETH: "4", SOL: "80"}  # more than the index notional of 10,000
LEVERAGES = {BTC: 20, ETH: 20, SOL: 20}  # of those who have not chosen
TRANSFERS = (
    ("alice", "SPOT", "CONTRACT", "1234.56789012"),
    ("bob", "CONTRACT", "SPOT", "777.77"),
)
SWAP = {"type": "swap"}  # asks ccxt for contracts
HOUR_MS = 3_600_000
POLLS_MAX = 20_000  # prices come with the venue's next tick, each second


def tiers(first: int, leverage: int) -> tuple[Tier, ...]:
    """The demo contracts' maintenance tiers: two fifths of 1 / leverage, then more."""
    rate = Decimal(2) / 5 / leverage
    return tuple(
        (Decimal(first * reach), rate * factor)
        for reach, factor in ((1, 1), (5, 2), (25, 5), (100, 10))
    )


TIERS = {BTC: tiers(2_000_000, 100), ETH: tiers(1_000_000, 100), SOL: tiers(250_000, 50)}

Row = tuple[str, str, str, str, bool, str, str, str, str, tuple[tuple[str, str], ...]]
# label, owner, symbol, side, opens, type, time in force, quantity, price, trades (resting, size)
BITCOIN: tuple[Row, ...] = (
    ("a1", "alice", BTC, "sell", True, "limit", "GTC", "0.30000", "64010.10", ()),
    ("a2", "alice", BTC, "sell", True, "limit", "GTC", "0.20000", "64015.35", ()),
    ("b1", "bob", BTC, "buy", True, "limit", "GTC", "0.20000", "64020.00", (("a1", "0.20000"),)),
    ("b2", "bob", BTC, "buy", True, "market", "GTC", "0.20003", "0",
     (("a1", "0.10000"), ("a2", "0.10003"))),
    ("b3", "bob", BTC, "buy", True, "limit", "GTC", "0.20000", "64016.00", (("a2", "0.09997"),)),
    ("a3", "alice", BTC, "sell", True, "market", "GTC", "0.05000", "0", (("b3", "0.05000"),)),
)  # fmt: skip
CLOSING: tuple[Row, ...] = (
    ("a4", "alice", BTC, "buy", True, "limit", "GTC", "0.20000", "63900.00", ()),
    ("b4", "bob", BTC, "sell", False, "limit", "GTC", "0.15000", "63900.00", (("a4", "0.15000"),)),
    ("a5", "alice", BTC, "buy", False, "limit", "GTC", "0.10000", "63950.55", ()),
    ("b5", "bob", BTC, "sell", True, "limit", "IOC", "0.12000", "63950.55", (("a5", "0.10000"),)),
    ("b6", "bob", BTC, "buy", True, "limit", "GTC", "0.20000", "63980.00", ()),
    ("a6", "alice", BTC, "sell", False, "market", "GTC", "0.05000", "0", (("b6", "0.05000"),)),
    ("b7", "bob", BTC, "buy", True, "limit", "FOK", "1.00000", "63985.00", ()),
    ("b8", "bob", BTC, "buy", True, "limit", "IOC", "0.10000", "64000.00", ()),
    ("a7", "alice", BTC, "sell", True, "limit", "POST_ONLY", "0.10000", "64020.00", ()),
    ("c1", "carol", BTC, "buy", True, "limit", "IOC", "0.01000", "64020.00", (("a7", "0.01000"),)),
)
ETHER: tuple[Row, ...] = (
    ("e1", "alice", ETH, "buy", True, "limit", "GTC", "2.0000", "3390.07", ()),
    ("e2", "bob", ETH, "sell", True, "market", "GTC", "1.5000", "0", (("e1", "1.5000"),)),
    ("e3", "bob", ETH, "buy", False, "limit", "GTC", "0.6000", "3405.51", ()),
    ("e4", "alice", ETH, "sell", False, "market", "GTC", "0.4999", "0", (("e3", "0.4999"),)),
)
SESSION = (*BITCOIN, *CLOSING, *ETHER)
MARGIN_MOVES = ("100.25", "-50.10")  # into the isolated position, and out of it


class ContractSession:
    """A venue without agents, its traders' clients, and the test's own sums of what they did."""

    def __init__(self, server: Server, loop: asyncio.AbstractEventLoop | None) -> None:
        self.server = server
        self.operator = Client(server.port)
        rates = {"alice": LISTED_RATES, "bob": BOB_RATES, "carol": LISTED_RATES}
        self.sums = Sums(rates, TIERS)
        self.stocks = {name: Stock(server, server.account(name), loop=loop) for name in TRADERS}
        self.acknowledged: dict[str, Any] = {}
        self.moved: list[Any] = []
        self._quotes: dict[str, list[str]] = {}
        for owner in TRADERS:
            for symbol, leverage in LEVERAGES.items():
                self.sums.leverages[owner, symbol] = leverage

    def ask(self, owner: str, name: str, *arguments: Any, **named: Any) -> Any:
        return self.stocks[owner](name, *arguments, **named)

    def operate(self, path: str, body: dict[str, Any]) -> Any:
        answer = self.operator.post(path, body)
        assert answer.status == 200, answer
        return answer.json

    # -- prices ----------------------------------------------------------------------------------

    def index(self, symbol: str, price: Decimal) -> None:
        """Have the venue's spot market tell a contract's index."""
        spot = symbol.partition(":")[0]
        for order_id in self._quotes.pop(symbol, []):
            self.ask("alice", "cancel_order", order_id, spot)
        quantity = INDEX_QUANTITIES[symbol]
        away = (price / 1000).quantize(Decimal("0.01"))  # on every grid: the middle is exact
        self._quotes[symbol] = [
            self.ask("alice", "create_order", spot, "limit", side, quantity, str(limit))["id"]
            for side, limit in (("buy", price - away), ("sell", price + away))
        ]

    def wait_for_index(self, symbol: str, price: Decimal) -> None:
        for _ in range(POLLS_MAX):
            told = self.ask("alice", "fetch_mark_price", symbol, {"priceType": "INDEX"})
            if told["indexPrice"] == float(price):
                return
        raise AssertionError(f"the index of {symbol} is not {price}")

    # -- orders ----------------------------------------------------------------------------------

    def place(
        self, label: str, order: Order, trades: tuple[tuple[str, str], ...] = (), **params: Any
    ) -> Any:
        """Send an order and take it into the sums; the acknowledgement."""
        # Decimal text keeps every digit; GTC is not said, as a stock client does not say it.
        price = str(order.price) if order.kind == "limit" else None
        if order.time_in_force != "GTC":
            params["timeInForce"] = order.time_in_force
        if not order.opens:
            params["reduceOnly"] = True
        placed = self.ask(
            order.owner, "create_order", order.symbol, order.kind, order.side,
            str(order.quantity), price, params,
        )  # fmt: skip
        order.id, order.client_id = placed["id"], placed["clientOrderId"]
        self.acknowledged[label] = placed
        self.sums.place(label, order, trades)
        return placed

    def quick(
        self, label: str, owner: str, symbol: str, side: str, quantity: str, price: str = "",
        trades: tuple[tuple[str, str], ...] = (), *, opens: bool = True, tif: str = "GTC",
        closes: str = "", **params: Any,
    ) -> Order:  # fmt: skip
        """Place an order in one line; without a price it is a market order."""
        kind = "limit" if price else "market"
        order = Order(owner, symbol, side, opens, kind, tif, Decimal(quantity), Decimal(price or 0))
        order.closes = closes
        self.place(label, order, trades, **params)
        return order

    def cancel(self, label: str) -> Any:
        order = self.sums.orders[label]
        found = self.ask(order.owner, "cancel_order", order.id, order.symbol)
        order.canceled = True
        return found

    def followed(
        self, label: str, owner: str, symbol: str, side: str, quantity: str,
        trades: tuple[tuple[str, str], ...], *, opens: bool = False, price: str = "",
    ) -> Order:  # fmt: skip
        """Take an order in that the venue placed itself: a triggered one, or a close."""
        kind = "limit" if price else "market"
        order = Order(
            owner, symbol, side, opens, kind, "GTC", Decimal(quantity), Decimal(price or 0)
        )
        self.sums.place(label, order, trades)
        return order

    # -- the session -----------------------------------------------------------------------------

    def prepare(self, *, funding: bool = False) -> None:
        """Money, rates and prices; with `funding` it falls due as listed."""
        rates = {"makerFeeRate": str(BOB_RATES[0]), "takerFeeRate": str(BOB_RATES[1])}
        self.operate("/_venue/owners/fees", {"owner": "bob", "product": "CONTRACT", **rates})
        carol = {"owner": "carol", "wallet": "CONTRACT", "asset": "USDT"}
        self.operate("/_venue/deposit", {**carol, "amount": str(FIRST_MONEY["carol"])})
        for symbol, price in INDEXES.items():
            if not funding:
                far_funding(self.operator, plain(symbol))
            self.index(symbol, price)
            self.sums.marks[symbol] = price
        for owner, units in FIRST_MONEY.items():
            self.sums.pay_in(owner, "deposit", units)
        for owner, source, target, text in TRANSFERS:
            body = {"owner": owner, "from": source, "to": target, "asset": "USDT", "amount": text}
            self.operate("/_venue/transfer", body)
            into = target == "CONTRACT"
            amount = Decimal(text) if into else -Decimal(text)
            self.sums.pay_in(owner, "transfer_in" if into else "transfer_out", amount)
        for symbol, price in INDEXES.items():
            self.wait_for_index(symbol, price)

    def choose_modes(self) -> None:
        """Alice trades ether in isolated mode at leverage 10, bob everything at other leverages."""
        self.ask("alice", "set_margin_mode", "isolated", ETH)
        self.ask("alice", "set_leverage", 10, ETH, {"marginMode": "isolated"})
        self.ask("bob", "set_leverage", 25, BTC)
        self.ask("bob", "set_leverage", 5, ETH, {"marginMode": "cross"})
        self.sums.isolated.add(("alice", ETH))
        self.sums.leverages.update({("alice", ETH): 10, ("bob", BTC): 25, ("bob", ETH): 5})

    def play(self) -> None:
        """Do everything, in order."""
        self.prepare()
        self.choose_modes()
        for row in BITCOIN:
            self._row(row)
        self.cancel("b3")
        for row in (*CLOSING, *ETHER[:2]):
            self._row(row)
        (position,) = self.sums.held("alice", ETH)
        position_id = self.ask("alice", "fetch_position", ETH)["id"]
        for text in MARGIN_MOVES:
            amount = Decimal(text)
            name = "add_margin" if amount > 0 else "reduce_margin"
            params = {"positionId": position_id}
            self.moved.append(self.ask("alice", name, ETH, float(abs(amount)), params))
            self.sums.move_margin(position, amount)
        for row in ETHER[2:]:
            self._row(row)

    def _row(self, row: Row) -> None:
        label, owner, symbol, side, opens, kind, tif, size, price, trades = row
        order = Order(owner, symbol, side, opens, kind, tif, Decimal(size), Decimal(price))
        self.place(label, order, trades)

    def close(self) -> None:
        for stock in self.stocks.values():
            stock.close()
        self.operator.close()


@contextmanager
def played(folder: Path, kind: str = "sync") -> Iterator[ContractSession]:
    """The session after all of it, at a venue of its own."""
    with loop_of(kind) as loop, Server("--no-agents", "--no-history", folder=folder) as server:
        session = ContractSession(server, loop)
        session.play()
        yield session
        session.close()


def far_funding(operator: Client, symbol: str) -> None:
    """Have no funding of a contract fall due while a test lasts."""
    hour = (datetime.now(UTC).hour + 12) % 24
    body = {"symbol": symbol, "fundingTimes": [f"{hour:02}:00"]}
    answer = operator.post("/_venue/contracts/change", body)
    assert answer.status == 200, answer


def plain(symbol: str) -> str:
    """A symbol as the venue spells it."""
    return symbol.partition(":")[0].replace("/", "")


def average(order: Order) -> Decimal:
    """The average price of its fills, to the nearest price that can be traded."""
    decimals = Decimal("0.001") if order.symbol == SOL else Decimal("0.01")
    return (order.quote / order.executed).quantize(decimals) if order.executed else ZERO
