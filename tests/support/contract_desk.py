"""A quiet venue on which contracts were traded: known orders, positions and prices.

Alice opens 0.2 BTC long as the maker at 60,000, keeps the rest of that order in the book, and has
1 ETH long in isolated mode at leverage 10; bob is on the other side of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from support.raw import Desk, order
from support.server import Server

V3 = "/capi/v3"
MARKET = f"{V3}/market"
ACCOUNT = f"{V3}/account"
ASKS_MAX = 20_000  # the first mark comes with the venue's next tick, each second


@contextmanager
def contracts_traded(folder: Path) -> Iterator[Desk]:
    """A venue on which alice and bob have traded contracts, marks at 60,000 and 3,000."""
    with Server("--no-agents", "--no-history", folder=folder) as server:
        desk = Desk(server)
        for symbol, price in (("BTCUSDT", 60_000), ("ETHUSDT", 3_000)):
            _quote(desk, symbol, price)
        for symbol in ("BTCUSDT", "ETHUSDT"):
            _wait_for_mark(desk, symbol)
        _trade(desk)
        yield desk
        desk.close()


def _quote(desk: Desk, symbol: str, price: int) -> None:
    """Give a contract its index: the middle of a spot book that fills the index notional."""
    quantity = str(Decimal(12_000) / price)
    for side, limit in (("BUY", price - 10), ("SELL", price + 10)):
        body = order(symbol, side, quantity, str(limit))
        assert desk.bob.post("/api/v3/order", body).status == 200


def _wait_for_mark(desk: Desk, symbol: str) -> None:
    for _ in range(ASKS_MAX):
        (told,) = desk.anyone.get(f"{MARKET}/premiumIndex?symbol={symbol}").json
        if Decimal(told["markPrice"]):
            return
    raise AssertionError(f"{symbol} has no mark")


def place(desk: Desk, who: str, body: dict[str, Any], path: str = f"{V3}/order") -> str:
    """Place an order, which must succeed; its id."""
    answer = getattr(desk, who).post(path, body)
    assert answer.status == 200, answer
    return str(answer.json["orderId"])


def _trade(desk: Desk) -> None:
    long, short = {"positionSide": "LONG"}, {"positionSide": "SHORT"}
    own = order("BTCUSDT", "BUY", "0.5", "60000", newClientOrderId="own-1", timeInForce="GTC")
    place(desk, "alice", own | long)
    place(desk, "bob", order("BTCUSDT", "SELL", "0.2") | short)
    place(desk, "alice", order("BTCUSDT", "SELL", "0.1", "61000", timeInForce="GTC") | long)
    gone = order("BTCUSDT", "BUY", "0.1", "59000", newClientOrderId="gone-1", timeInForce="GTC")
    place(desk, "alice", gone | long)
    assert desk.alice.delete(f"{V3}/order?origClientOrderId=gone-1").status == 200
    modes = {"symbol": "ETHUSDT", "marginType": "ISOLATED"}
    assert desk.alice.post(f"{ACCOUNT}/marginType", modes).status == 200
    leverage = {**modes, "isolatedLongLeverage": "10"}
    assert desk.alice.post(f"{ACCOUNT}/leverage", leverage).status == 200
    place(desk, "alice", order("ETHUSDT", "BUY", "1", "3000", timeInForce="GTC") | long)
    place(desk, "bob", order("ETHUSDT", "SELL", "1") | short)
    stop = order("BTCUSDT", "SELL", "0.1") | long | {"type": "STOP_MARKET"}
    place(
        desk, "alice", stop | {"triggerPrice": "59000", "clientAlgoId": "stop-1"}, f"{V3}/algoOrder"
    )
    ended = stop | {"triggerPrice": "58000", "clientAlgoId": "stop-2"}
    algo_id = place(desk, "alice", ended, f"{V3}/algoOrder")
    assert desk.alice.delete(f"{V3}/algoOrder?orderId={algo_id}").status == 200
