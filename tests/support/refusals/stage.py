"""A live venue with everything a refusal needs: owners, keys, books, a halt, full caps."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from support.client import Answer, Client
from support.refusals.cases import FIRST_ID, Case, Headers, Sender, order, signed
from support.server import Server

CAP_SYMBOLS = ("BTCUSDT", "ETHUSDT", "SOLUSDT", "ETHBTC", "SOLBTC")
PRICES = {"ETHBTC": "0.00001", "SOLBTC": "0.00001"}


class Stage:
    """A server, its actors' keys, and every answer it gave; `set_up` has it begin."""

    def __init__(self, folder: Path, set_up: Callable[[Stage], None]) -> None:
        self.folder = folder
        arguments = ("--no-agents", "--batch-place", "--state", str(folder / "state"))
        self.server = Server(*arguments, folder=folder)
        self.accounts = {entry["name"]: dict(entry) for entry in self.server.facts["accounts"]}
        self.client = Client(self.server.port)
        self.answers: list[bytes] = []
        self.secrets: list[str] = []
        self.posted_s = 0.0  # when indexes were posted last
        try:
            set_up(self)
        except BaseException:
            self.close()
            raise

    def send(self, case: Case) -> Answer:
        """The answer to a case's request."""
        account = self.accounts[case.who] if case.who is not None else None
        sender: Sender = case.headers
        return self.request(
            case.method, case.target, case.raw, sender(account, case.method, case.target, case.raw)
        )

    def request(self, method: str, target: str, raw: bytes, headers: Headers) -> Answer:
        """One request with exactly these headers."""
        connection = self.client.awake()
        connection.putrequest(
            method, target, skip_accept_encoding=True, skip_host="Host" in headers
        )
        for name, value in headers.items():
            for one in value if isinstance(value, list) else [value]:
                connection.putheader(name, one)
        if raw or method in ("POST", "DELETE"):
            connection.putheader("Content-Length", str(len(raw)))
        connection.endheaders(raw or None)
        reply = connection.getresponse()
        found = {name.lower(): value for name, value in reply.getheaders()}
        answer = Answer(reply.status, found, reply.read())
        self.answers.append(answer.body)
        return answer

    def act(self, who: str, method: str, target: str, body: Any = None) -> Any:
        """A request that must be accepted; its answer."""
        raw = b"" if body is None else json.dumps(body).encode()
        headers = signed(self.accounts[who], method, target, raw)
        answer = self.request(method, target, raw, headers)
        assert answer.status == 200, answer
        return answer.json

    def operate(self, row: str, **body: Any) -> Any:
        """An operator's request that must be accepted; its answer."""
        answer = self.client.post(f"/_venue/{row}", body)
        assert answer.status == 200, answer
        return answer.json

    def health(self) -> tuple[str, int]:
        """State hash and sequence."""
        answer = self.client.get("/_venue/health")
        assert answer.status == 200, answer
        found = answer.json
        return str(found["stateHash"]), int(found["sequence"])

    def raw(self, request: bytes, *, ends: bool = False) -> bytes:
        """Everything the server says to these bytes until it closes; `ends`: we say no more."""
        host = f"127.0.0.1:{self.server.port}".encode()
        with closing(socket.create_connection(("127.0.0.1", self.server.port), 30)) as client:
            client.sendall(request.replace(b"{host}", host))
            if ends:
                client.shutdown(socket.SHUT_WR)
            found = b""
            while chunk := client.recv(65_536):
                found += chunk
        self.answers.append(found)
        return found

    def close(self) -> None:
        """End the server."""
        self.client.close()
        self.server.stop()

    def key(self, name: str, owner: str, *permissions: str, ips: list[str] | None = None) -> None:
        """A new key; `name` is who uses it."""
        made = self.operate("keys", owner=owner, permissions=list(permissions), ips=ips)
        self.accounts[name] = made
        self.secrets += [made["secret"], made["passphrase"]]


def spot_venue(stage: Stage) -> None:
    """Spot markets with owners, keys, books, a halt, full caps."""
    _owners(stage)
    _keys(stage)
    _orders(stage)
    _caps(stage)
    stage.operate("instruments/halt", symbol="SOLUSDT", reason="a drill")
    stage.operate("owners/freeze", owner="erin", frozen=True)


def _owners(stage: Stage) -> None:
    for name in ("erin", "frank", "grace"):
        stage.operate("owners", name=name)
        stage.operate("deposit", owner=name, wallet="SPOT", asset="USDT", amount="100")
    stage.operate("deposit", owner="frank", wallet="SPOT", asset="BTC", amount="1")
    markets = (("ETH", "BTC", "1"), ("SOL", "BTC", "1"), ("SOL", "ETH", "5"))
    for base, quote, unit in markets:
        stage.operate(
            "instruments", baseAsset=base, quoteAsset=quote, tickSize=f"0.0000{unit}",
            stepSize=f"0.00{unit}", minTradeAmount=f"0.00{unit}", maxTradeAmount="1000",
            marketLimitSize="100",
        )  # fmt: skip


def _keys(stage: Stage) -> None:
    for name in ("erin", "frank", "grace"):
        stage.key(name, name, "READ", "SPOT_TRADE")
    stage.key("trader", "alice", "SPOT_TRADE")
    stage.key("reader", "alice", "READ")
    stage.key("doubted", "bob", "READ", "SPOT_TRADE")
    stage.key("away", "alice", "READ", "SPOT_TRADE", ips=["10.0.0.1", "192.168.0.0/16"])
    stage.key("revoked", "alice", "READ", "SPOT_TRADE")
    stage.operate("keys/revoke", key=stage.accounts["revoked"]["key"])
    stage.accounts["stranger"] = {"key": "nobody's", "secret": "none", "passphrase": "none"}


def _orders(stage: Stage) -> None:
    ask = {"side": "SELL", "quantity": "1", "price": "64000"}
    bid = {"quantity": "1", "price": "63000"}
    taken = {"quantity": "0.001", "price": "64000", "newClientOrderId": "alice-done"}
    rests = {"newClientOrderId": "alice-rests"}
    ether = {"symbol": "ETHUSDT", "quantity": "1", "price": "3000"}
    placed = [
        ("bob", {**ask, "newClientOrderId": "bob-ask"}),
        ("bob", bid),
        ("alice", taken),
        ("alice", rests),
        ("bob", ether),
    ]
    for number, (who, changes) in enumerate(placed):
        answer = stage.act(who, "POST", "/api/v3/order", order(**changes))
        assert answer["orderId"] == FIRST_ID + number


def _caps(stage: Stage) -> None:
    for symbol in CAP_SYMBOLS:
        price = PRICES.get(symbol, "0.1")
        one = order(symbol=..., quantity="0.01", price=price, timeInForce="GTC")
        body = {"symbol": symbol, "orderList": [one] * 10}
        for number in range(20):
            body["orderList"] = [
                {**one, "newClientOrderId": f"{symbol}-{number}-{place}"} for place in range(10)
            ]
            answer = stage.act("frank", "POST", "/api/v3/order/batch", body)
            assert all("orderId" in result for result in answer["orderList"]), answer
