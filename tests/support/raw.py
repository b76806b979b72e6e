"""A quiet venue with a few orders and trades in every market, and checks of raw answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.client import Answer, Client
from support.server import Server
from support.shapes import TEXT, check, parsed, whole

DECIMALS = {"BTCUSDT": (2, 5), "ETHUSDT": (2, 4), "SOLUSDT": (3, 3)}  # of price and quantity
PRICES = {"BTCUSDT": 60_000, "ETHUSDT": 3_000, "SOLUSDT": 150}
SYMBOLS = list(DECIMALS)
AMOUNT = 8  # decimals of every demo asset
UNKNOWN_ID = 1_000_000_000_999_999


class Desk:
    """A quiet venue with a few orders and trades in every market, and the clients that ask."""

    def __init__(self, server: Server) -> None:
        self.alice, self.bob, self.carol = (
            Client(server.port, server.account(name)) for name in ("alice", "bob", "carol")
        )
        self.anyone = Client(server.port)
        self.uid = server.account("alice")["uid"]

    def close(self) -> None:
        for client in (self.alice, self.bob, self.carol, self.anyone):
            client.close()


def order(symbol: str, side: str, quantity: str, price: str = "", **more: str) -> dict[str, Any]:
    """The body of an order; without a price it is a market order."""
    kind = {"type": "LIMIT", "price": price} if price else {"type": "MARKET"}
    return {"symbol": symbol, "side": side, "quantity": quantity, **kind, **more}


@contextmanager
def priced(server: Server) -> Iterator[Desk]:
    """A desk whose own posts are the index of BTCUSDT, which stands at 60,000."""
    desk = Desk(server)
    operate(desk, "contracts/change", {"symbol": "BTCUSDT", "indexSources": ["desk"]})
    posted = {"symbol": "BTCUSDT", "source": "desk", "price": "60000", "jump": True}
    operate(desk, "index", posted)
    yield desk
    desk.close()


@contextmanager
def trading(folder: Path) -> Iterator[Desk]:
    """A venue on which alice and bob have traded in every market."""
    with Server("--no-agents", "--batch-place", folder=folder) as server:
        desk = Desk(server)
        for symbol, price in PRICES.items():
            _trade(desk, symbol, price)
        for source, target, amount in (("SPOT", "FUNDING", "12.5"), ("FUNDING", "SPOT", "2.5")):
            moved = {"owner": "alice", "asset": "USDT", "amount": amount}
            operate(desk, "transfer", {**moved, "from": source, "to": target})
        yield desk
        desk.close()


def _trade(desk: Desk, symbol: str, price: int) -> None:
    """Alice sells 0.5 in part, bob buys from her twice; some of their orders rest or end."""
    placed = [
        desk.alice.post("/api/v3/order", body)
        for body in (
            order(symbol, "SELL", "0.5", str(price), newClientOrderId=f"own-{symbol}"),
            order(symbol, "BUY", "0.3", str(price - 10)),
            order(symbol, "SELL", "0.2", str(price + 10), newClientOrderId=f"gone-{symbol}"),
        )
    ]
    placed.append(desk.bob.post("/api/v3/order", order(symbol, "BUY", "0.12", str(price))))
    placed.append(desk.bob.post("/api/v3/order", order(symbol, "BUY", "0.13")))
    placed.append(desk.bob.delete(f"/api/v3/order?orderId={UNKNOWN_ID}"))
    placed.append(desk.alice.delete(f"/api/v3/order?origClientOrderId=gone-{symbol}"))
    assert [answer.status for answer in placed] == [200, 200, 200, 200, 200, 400, 200]


def operate(desk: Desk, what: str, body: dict[str, Any]) -> None:
    """An operator's request, which must succeed."""
    answer = desk.anyone.post(f"/_venue/{what}", body)
    assert answer.status == 200, answer


def ok(answer: Answer) -> Any:
    """The value of a successful answer."""
    assert answer.status == 200, answer
    assert answer.headers["content-type"] == "application/json"
    return parsed(answer.body)


def refused(answer: Answer, code: int, *words: str) -> None:
    """HTTP 400 with exactly `code` (a JSON integer) and `msg`."""
    assert answer.status == 400, answer
    found = parsed(answer.body)
    check(found, {"code": whole(), "msg": TEXT})
    assert found["code"] == str(code), found
    for word in words:
        assert word in found["msg"], found
