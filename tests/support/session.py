"""A session of two stock clients on a quiet venue, with the test's own sums of it."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

from support.client import Client
from support.server import Server
from support.stock import Stock
from support.sums import Bill, Order, Sums

BTC, ETH, SOL = "BTC/USDT", "ETH/USDT", "SOL/USDT"
TRADERS = ("alice", "bob")
ALICE_RATES = (Decimal("0.0002"), Decimal("0.0007"))  # maker, taker
BOB_RATES = (Decimal("0.001"), Decimal("0.001"))
FIRST_MONEY = {"USDT": 1_000_000, "BTC": 10, "ETH": 100, "SOL": 1_000}

# label, owner, side, type, time in force, quantity, price, trades (resting order, quantity)
SESSION: tuple[tuple[str, str, str, str, str, str, str, tuple[tuple[str, str], ...]], ...] = (
    ("a1", "alice", "sell", "limit", "GTC", "0.50000", "64000.10", ()),
    ("a2", "alice", "sell", "limit", "GTC", "0.30000", "64010.25", ()),
    ("a3", "alice", "sell", "limit", "GTC", "0.20003", "64020.37", ()),
    ("b1", "bob", "buy", "limit", "GTC", "0.12345", "64005.00", (("a1", "0.12345"),)),
    ("b2", "bob", "buy", "limit", "GTC", "0.70000", "64011.11",
     (("a1", "0.37655"), ("a2", "0.30000"))),
    ("a4", "alice", "sell", "market", "GTC", "0.01000", "0", (("b2", "0.01000"),)),
    ("b3", "bob", "buy", "limit", "IOC", "0.50000", "64020.37", (("a3", "0.20003"),)),
    ("a5", "alice", "sell", "limit", "FOK", "0.02000", "64011.11", ()),
    ("a6", "alice", "sell", "limit", "FOK", "0.01000", "64011.11", (("b2", "0.01000"),)),
    ("a7", "alice", "sell", "limit", "IOC", "0.01000", "64050.00", ()),
    ("b4", "bob", "buy", "limit", "GTC", "1.00000", "63000.00", ()),
    ("b5", "bob", "buy", "limit", "GTC", "0.50000", "63000.00", ()),
    ("b6", "bob", "buy", "limit", "GTC", "0.25000", "62999.99", ()),
    ("a8", "alice", "sell", "market", "GTC", "0.90000", "0",
     (("b2", "0.00345"), ("b4", "0.89655"))),
    ("a9", "alice", "buy", "limit", "GTC", "0.30000", "63500.00", ()),
    ("b7", "bob", "sell", "limit", "GTC", "0.12000", "63400.55", (("a9", "0.12000"),)),
    ("a10", "alice", "sell", "limit", "GTC", "0.20000", "63900.07", ()),
    ("b8", "bob", "buy", "market", "GTC", "0.05001", "0", (("a10", "0.05001"),)),
)  # fmt: skip
TRANSFERS = (
    ("alice", "SPOT", "FUNDING", "USDT", "1234.5"),
    ("alice", "FUNDING", "SPOT", "USDT", "0.00000001"),
    ("alice", "SPOT", "CONTRACT", "USDT", "1000"),
    ("alice", "SPOT", "FUNDING", "ETH", "2.25"),
    ("bob", "CONTRACT", "SPOT", "USDT", "777.77"),
)
LADDER = 20  # levels on each side of a second market


class Session:
    """A venue without agents, its traders' clients, and the test's own sums of what they did."""

    def __init__(self, server: Server, loop: asyncio.AbstractEventLoop | None) -> None:
        self.server = server
        self.loop = loop
        self.operator = Client(server.port)
        self.sums = Sums({"alice": ALICE_RATES, "bob": BOB_RATES})
        self.stocks = {name: Stock(server, server.account(name), loop=loop) for name in TRADERS}
        self.acknowledged: dict[str, Any] = {}
        self.transferred: dict[str, list[tuple[str, str, str, Decimal]]] = {}

    def ask(self, owner: str, name: str, *arguments: Any, **named: Any) -> Any:
        return self.stocks[owner](name, *arguments, **named)

    def operate(self, path: str, body: dict[str, Any]) -> Any:
        answer = self.operator.post(path, body)
        assert answer.status == 200, answer
        return answer.json

    def place(self, label: str, order: Order, trades: tuple[tuple[str, str], ...] = ()) -> None:
        """Send an order and take it into the sums."""
        # Decimal text keeps every digit; GTC is not said, as a stock client does not say it.
        price = str(order.price) if order.kind == "limit" else None
        params = {} if order.time_in_force == "GTC" else {"timeInForce": order.time_in_force}
        placed = self.ask(
            order.owner, "create_order", order.symbol, order.kind, order.side,
            str(order.quantity), price, params,
        )  # fmt: skip
        order.id, order.client_id = placed["id"], placed["clientOrderId"]
        order.time = placed["timestamp"]
        self.acknowledged[label] = placed
        self.sums.place(label, order, trades)

    def play(self) -> None:
        """Do everything, in order."""
        maker, taker = ALICE_RATES
        rates = {"makerFeeRate": str(maker), "takerFeeRate": str(taker)}
        self.operate("/_venue/owners/fees", {"owner": "alice", **rates})
        for name in TRADERS:
            for asset, units in FIRST_MONEY.items():
                self.sums.move(name, Bill(asset, "deposit", Decimal(units)))
        for label, owner, side, kind, time_in_force, size, price, trades in SESSION:
            order = Order(owner, BTC, side, kind, time_in_force, Decimal(size), Decimal(price))
            self.place(label, order, trades)
        for step in range(LADDER):
            bid, ask = Decimal("3400.05") - 2 * step, Decimal("3401.15") + 3 * step
            quantity = Decimal("0.1001") + step
            self.place(f"bid{step}", Order("bob", ETH, "buy", "limit", "GTC", quantity, bid))
            quantity = Decimal("0.2003") + Decimal(step) / 10
            self.place(f"ask{step}", Order("alice", ETH, "sell", "limit", "GTC", quantity, ask))
        for owner, source, target, asset, text in TRANSFERS:
            body = {"owner": owner, "from": source, "to": target, "asset": asset, "amount": text}
            self.operate("/_venue/transfer", body)
            done = (source.lower(), target.lower(), asset, Decimal(text))
            self.transferred.setdefault(owner, []).append(done)
            if source == "SPOT":
                self.sums.move(owner, Bill(asset, "transfer_out", -Decimal(text)))
            if target == "SPOT":
                self.sums.move(owner, Bill(asset, "transfer_in", Decimal(text)))

    def close(self) -> None:
        for stock in self.stocks.values():
            stock.close()
        self.operator.close()
