"""Requests that open positions, rest orders, run a countdown and wait for prices, and all that is
told of them: answers, pages of history, frames of every channel, the journal."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import msgspec

from support.listening import Listener, login
from support.moved import Moved
from venue.core.messages.commands import Command
from venue.journal.opening import open_journal

SYMBOL: Final = "BTCUSDT"
PUBLIC: Final = ("ticker", "trade", "kline_1m_LAST_PRICE", "depth15", "depth200_checksum")
OWN: Final = ("account", "orders", "fill")
CHANNELS: Final = {
    "/spot/v3/ws/public": [f"{SYMBOL}@{name}" for name in (*PUBLIC, "bookTicker")],
    "/contract/v3/ws/public": [f"{SYMBOL}@{name}" for name in (*PUBLIC, "kline_1m_MARK_PRICE")],
    "/spot/v3/ws/private": list(OWN),
    "/contract/v3/ws/private": [*OWN, "positions"],
}
PAGES: Final = (
    f"/api/v3/allOrders?symbol={SYMBOL}",
    f"/api/v3/myTrades?symbol={SYMBOL}",
    "/api/v3/account/",
    f"/api/v3/market/trades?symbol={SYMBOL}&limit=100",
    f"/api/v3/market/klines?symbol={SYMBOL}&interval=1m&limit=1000",
    f"/api/v3/market/ticker/24hr?symbol={SYMBOL}",
    f"/capi/v3/market/klines?symbol={SYMBOL}&interval=1m&limit=1000",
    f"/capi/v3/market/markPriceKlines?symbol={SYMBOL}&interval=1m&limit=1000",
    f"/capi/v3/market/indexPriceKlines?symbol={SYMBOL}&interval=1m&limit=1000",
    f"/capi/v3/market/fundingRate?symbol={SYMBOL}",
    f"/capi/v3/userTrades?symbol={SYMBOL}",
    f"/capi/v3/order/history?symbol={SYMBOL}",
    "/capi/v3/account/position/allPosition",
    "/capi/v3/account/balance",
    f"/capi/v3/allAlgoOrders?symbol={SYMBOL}",
)
READ_S: Final = 0.01  # how long one of several sockets is listened to
MONEY: Final = ("/api/v3/account/bills", "/capi/v3/account/income")


class Life:
    """One venue, alice and bob on it, and all that they were told. Use it in a `with`."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._state = folder / "venue.db"
        self._open = ExitStack()
        given = ("--seed", "7", "--state", str(self._state), *arguments)
        self.venue: Moved = self._open.enter_context(Moved(folder, *given))
        self.alice, self.bob = (self.venue.clients[name] for name in ("alice", "bob"))
        self.answers: list[bytes] = []
        self.sockets = {path: self._listen(path) for path in CHANNELS}

    def __enter__(self) -> Life:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _listen(self, path: str) -> Listener:
        account = self.venue.server.account("alice")
        headers = {}
        if path.endswith("private"):
            assert self.alice.at_ms is not None
            self.alice.at_ms += 1
            headers = login(account, str(self.alice.at_ms))
        socket = Listener(self.venue.server.port, path, headers)
        self._open.callback(socket.close)
        socket.subscribe(*CHANNELS[path])
        return socket

    def order(self, who: Any, path: str, **body: str) -> None:
        """An order that must be taken."""
        answer = who.post(path, {"symbol": SYMBOL, "type": "LIMIT", **body})
        assert answer.status == 200, answer
        self.answers.append(answer.body)

    def begin(self) -> None:
        """Books with an index, positions of both, a countdown that moves the mark when it ends
        alice's quotes, and a stop that waits for that."""
        spot, contract = "/api/v3/order", "/capi/v3/order"
        self.order(self.alice, spot, side="BUY", quantity="1", price="64000")
        self.order(self.alice, spot, side="SELL", quantity="1", price="64020")
        self.order(self.bob, spot, side="BUY", quantity="2", price="63720")
        self.order(self.bob, spot, side="SELL", quantity="2", price="64030")
        self.order(self.bob, spot, side="BUY", quantity="0.01", price="64020")
        self.venue.advance(by="20s")
        long, short = {"positionSide": "LONG"}, {"positionSide": "SHORT"}
        gtc = {"timeInForce": "GTC"}
        self.order(self.bob, contract, side="SELL", quantity="0.5", price="64020", **short, **gtc)
        self.order(self.alice, contract, side="BUY", quantity="0.4", price="64020", **long, **gtc)
        self.order(self.bob, contract, side="BUY", quantity="1", price="63400", **long, **gtc)
        stop = {"type": "STOP_MARKET", "clientAlgoId": "stop", "triggerPrice": "63900"}
        stop |= {"SlWorkingType": "MARK_PRICE", "side": "SELL", "quantity": "0.1", **long}
        self.order(self.alice, "/capi/v3/algoOrder", **stop)
        answer = self.alice.post("/api/v3/cancelAllAfter", {"timeout": 600})
        assert answer.status == 200, answer

    def begin_among_agents(self) -> None:
        """Positions of both at the agents' prices, orders that rest, a countdown for one of them
        and stops on both sides of the mark."""
        spot, contract, algo = "/api/v3/order", "/capi/v3/order", "/capi/v3/algoOrder"
        long, short = {"positionSide": "LONG"}, {"positionSide": "SHORT"}
        market, gtc = {"quantity": "0.2", "type": "MARKET"}, {"timeInForce": "GTC"}
        self.order(self.alice, spot, side="BUY", **market)
        self.order(self.alice, contract, side="BUY", **market, **long)
        self.order(self.bob, contract, side="SELL", **market, **short)
        for who in (self.alice, self.bob):
            self.order(who, spot, side="BUY", quantity="0.1", price="60000")
            self.order(who, contract, side="BUY", quantity="0.1", price="60000", **long, **gtc)
        price = f"/capi/v3/market/symbolPrice?symbol={SYMBOL}&priceType=MARK"
        mark = Decimal(self.venue.ok(self.venue.anyone.get(price))["price"])
        for name, away in (("above", Decimal("1.0001")), ("below", Decimal("0.9999"))):
            stop = {"clientAlgoId": name, "triggerPrice": f"{mark * away:.1f}"}
            stop |= {"type": "STOP_MARKET" if away < 1 else "TAKE_PROFIT_MARKET"}
            stop |= {"SlWorkingType": "MARK_PRICE", "side": "SELL", "quantity": "0.05", **long}
            self.order(self.alice, algo, **stop)
        answer = self.bob.post("/api/v3/cancelAllAfter", {"timeout": 90})
        assert answer.status == 200, answer

    def reading(self, work: Callable[[], Any]) -> Any:
        """The result of what takes a while; all sockets are read meanwhile."""
        with ThreadPoolExecutor(1) as pool:
            done: Future[Any] = pool.submit(work)
            while not done.done():
                for socket in self.sockets.values():
                    with suppress(TimeoutError):
                        while True:
                            socket.frames.append(socket.receive(READ_S))
            return done.result()

    def told(self) -> tuple[list[bytes], list[bytes], dict[str, list[str]]]:
        """Answers, pages and the frames of all channels so far."""
        pages = [self.alice.get(page) for page in PAGES]
        pages += [self.alice.post(page, {"limit": 100}) for page in MONEY]
        refused = [page for page in pages if page.status != 200]
        assert not refused
        frames: dict[str, list[str]] = {}
        for path, socket in self.sockets.items():
            socket.settle()
            # Pings keep the machine's time.
            frames[path] = [str(text) for text in socket.texts if '"ping"' not in str(text)]
        return self.answers, [page.body for page in pages], frames

    def journal(self) -> list[Command]:
        """The venue's commands, after it was stopped."""
        assert self.venue.server.stop() == 0
        return journal_of(self._state)


def journal_of(path: Path) -> list[Command]:
    """All commands of a venue that has stopped."""
    journal = open_journal(str(path))
    try:
        return [command for _, commands in journal.read(0) for command in commands]
    finally:
        journal.close()


def packed(commands: list[Command]) -> list[bytes]:
    """Commands as the journal's bytes."""
    return [msgspec.msgpack.encode(command) for command in commands]
