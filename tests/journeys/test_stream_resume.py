"""Clients and servers killed at random: a client back with its last number misses nothing.

Two owners trade with each other on both products; each follows its private channels and keeps what
it was told by number. Twenty times something dies, most often with frames under way.
"""

from __future__ import annotations

import http.client
import socket
import struct
from collections.abc import Callable
from contextlib import ExitStack, suppress
from decimal import Decimal
from pathlib import Path
from queue import SimpleQueue
from random import Random
from threading import Event, Thread
from typing import Any

from support.client import Client
from support.listening import Listener, Message, login
from support.listening_room import KEYS
from support.server import Server
from support.socket_desk import CONTRACT, PRODUCTS, SPOT, Product, price_contracts
from support.waits import WAIT_S
from venue.cli.verify import verify

CHANNELS = {
    "spot": ("orders", "fill", "account"),
    "contract": ("orders", "fill", "account", "positions"),
}
NAMES = ("alice", "bob")
KILLS = ["server"] * 8 + ["unread"] * 3 + ["written"] * 3 + ["remembered"] * 3 + ["resuming"] * 3
ACTS = 60  # of the traffic, around a kill
READ_MAX = 12  # frames that each client reads before it
BEYOND = 10**9


class Follower:
    """A client with a memory: every frame by channel and number, and the last number of each.

    It writes a frame down, then remembers its number: it may die between the two.
    """

    def __init__(self, product: Product, name: str) -> None:
        self.product = product
        self.name = name
        self.last = dict.fromkeys(CHANNELS[product.name], 0)
        self.written: dict[str, dict[int, Message]] = {channel: {} for channel in self.last}
        self.told_twice = 0
        self._next: dict[str, int] = {}
        self._open = ExitStack()

    def connect(self, port: int) -> None:
        """Come back with the last numbers."""
        found = Listener(port, self.product.socket, login(KEYS[self.name]), close_timeout=1)
        self.listener = self._open.enter_context(found)
        self._next = {channel: number + 1 for channel, number in self.last.items()}
        found.subscribe(*(f"{channel}?from={last}" for channel, last in self.last.items()))

    def read(self, *, remember: bool = True) -> None:
        """Take one frame in: it has the next number, and is as before if it came before."""
        frame = self.listener.next()
        channel, number = frame["e"], frame["seq"]
        assert number == self._next[channel], (self.name, self.product.name, channel)
        self._next[channel] += 1
        if number in self.written[channel]:
            self.told_twice += 1
        assert self.written[channel].setdefault(number, frame) == frame
        if remember:
            self.last[channel] = number

    def die(self) -> None:
        """Be gone in the middle of whatever there is, without a word."""
        connection = self.listener.socket.socket
        with suppress(OSError):  # the server may have gone before
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.shutdown(socket.SHUT_RDWR)
        self.close()

    def finish(self) -> None:
        """Read all that there is."""
        newest: dict[str, int] = {}
        for channel in self.last:
            asked = {"method": "SUBSCRIBE", "params": [f"{channel}?from={BEYOND}"], "id": 3}
            newest[channel] = int(self.listener.ask(asked)["msg"].rpartition(" ")[2])
        while self.last != newest:
            self.read()
        assert self.listener.settle() == []

    def close(self) -> None:
        """Close the connection."""
        self._open.close()

    def frames(self, channel: str) -> list[Message]:
        """The frames written down, by number: there is no gap."""
        written = self.written[channel]
        assert sorted(written) == list(range(1, len(written) + 1))
        return [written[number] for number in sorted(written)]

    def items(self, channel: str) -> list[Message]:
        """The items of those."""
        return [item for frame in self.frames(channel) for item in frame["d"]]


class Traffic:
    """Orders of both owners and cancels, while the venue is there; on a thread."""

    def __init__(self, port: int) -> None:
        self.up = Event()
        self.up.set()
        self._random = Random(4)
        self._allowed: SimpleQueue[bool] = SimpleQueue()
        self._clients = [Client(port, KEYS[name]) for name in NAMES]
        self._operator = Client(port)
        self._defects: list[AssertionError] = []
        self._thread = Thread(target=self._run)
        self._thread.start()

    def go_on(self) -> None:
        """Let it do some more."""
        for _ in range(ACTS):
            self._allowed.put(True)

    def finish(self) -> None:
        """Wait until all that was allowed is done."""
        self._allowed.put(False)
        self._thread.join()
        self._close()
        assert self._defects == []

    def _run(self) -> None:
        while self._allowed.get():
            act = self._choose()
            try:
                assert act() < 500
            except (OSError, http.client.HTTPException):  # the venue died on the way
                self.up.wait(WAIT_S)
                self._close()
            except AssertionError as defect:
                self._defects.append(defect)
                return

    def _close(self) -> None:
        """Close the connections; the next requests open them again."""
        for client in (*self._clients, self._operator):
            client.close()

    def _choose(self) -> Callable[[], int]:
        """Choose the next request; calling it gives the status."""
        random = self._random
        chance, client = random.random(), random.choice(self._clients)
        if chance < 0.8:
            product = random.choice(PRODUCTS)
            body = product.plain | self._changes(product)
            return lambda: client.post(product.order, body).status
        if chance < 0.86:
            return lambda: client.delete(f"{SPOT.all}?symbol=BTCUSDT").status
        if chance < 0.92:
            return lambda: client.delete(f"{CONTRACT.all}?symbol=BTCSUSDT").status
        price = str(random.choice((59_990, 60_010)))
        body = {"symbol": CONTRACT.plain["symbol"], "source": "agents", "price": price}
        return lambda: self._operator.post("/_venue/index", body).status

    def _changes(self, product: Product) -> dict[str, Any]:
        random = self._random
        side = random.choice(("BUY", "SELL"))
        price = f"{60_000 + random.randint(-3, 3)}.0"
        changes = {"side": side, "price": price, "quantity": f"0.00{random.randint(1, 9)}"}
        if product is CONTRACT:
            opens = random.random() < 0.6
            changes["positionSide"] = "LONG" if (side == "BUY") == opens else "SHORT"
        return changes


class Scene:
    """The venue, its two owners' clients and their traffic."""

    def __init__(self, folder: Path) -> None:
        self._random = Random(20)
        self._folder = folder
        self.server = self._start(0)
        self.port = self.server.port
        self.followers = [Follower(product, name) for product in PRODUCTS for name in NAMES]
        for follower in self.followers:
            follower.connect(self.port)
        self.traffic = Traffic(self.port)

    def _start(self, port: int) -> Server:
        state = str(self._folder / "venue.db")
        server = Server(
            "--state", state, "--no-agents", "--no-limits", folder=self._folder, port=port
        )
        operator = Client(server.port)
        price_contracts(operator)
        operator.close()
        return server

    def kill(self, what: str) -> None:
        """Have everybody busy, then kill; the killed one comes back."""
        random = self._random
        self.traffic.go_on()
        for follower in self.followers:
            for _ in range(random.randint(1, READ_MAX)):
                follower.read()
        if what in ("server", "snapshot"):
            self._restart(self.server.kill if what == "server" else self.server.stop)
            return
        follower = random.choice(self.followers)
        if what == "unread":
            follower.listener.next()  # it came, and nothing was done with it
        elif what == "written":
            follower.read(remember=False)
        elif what == "remembered":
            follower.read()
        else:
            follower.die()
            follower.connect(self.port)
            for _ in range(random.randint(0, 3)):
                follower.read(remember=random.random() < 0.5)
        follower.die()
        follower.connect(self.port)

    def _restart(self, end: Callable[[], object]) -> None:
        self.traffic.up.clear()
        end()
        for follower in self.followers:
            follower.die()
        self.server = self._start(self.port)
        self.traffic.up.set()
        for follower in self.followers:
            follower.connect(self.port)

    def close(self) -> None:
        """End what runs."""
        self.traffic.finish()
        for follower in self.followers:
            follower.close()
        if self.server.process.poll() is None:
            self.server.kill()


def test_twenty_kills(tmp_path: Path) -> None:
    kills = list(KILLS)
    Random(7).shuffle(kills)
    assert len(kills) == 20
    kills.insert(8, "snapshot")  # a good end in between: later recoveries begin there
    scene = Scene(tmp_path)
    try:
        for what in kills:
            scene.kill(what)
        scene.traffic.finish()
        for follower in scene.followers:
            follower.finish()
            check(follower, scene.server.client(follower.name))
            follower.close()
        assert sum(follower.told_twice for follower in scene.followers) >= kills.count("written")
        assert scene.server.stop() == 0
    finally:
        scene.close()
    assert verify(str(tmp_path / "venue.db")).problems == []


def check(follower: Follower, client: Client) -> None:
    """Compare a client's frames with the venue's answers about the past and about now."""
    channels = [follower.frames(channel) for channel in follower.last]
    versions = sorted(frame["v"] for frames in channels for frame in frames)
    assert versions == list(range(1, len(versions) + 1))
    if follower.product is SPOT:
        check_spot(follower, client)
    else:
        check_contract(follower, client)


def all_pages(client: Client, target: str, page: int = 1) -> list[Message]:
    found: list[Message] = []
    while rows := client.get(f"{target}&limit=1000&page={page}").json:
        found += rows
        page += 1
    return found


def last_of(items: list[Message], key: str) -> dict[str, Message]:
    return {item[key]: item for item in items}


def check_orders(follower: Follower, orders: list[Message]) -> None:
    told = last_of(follower.items("orders"), "id")
    assert len(told) > 100
    assert sorted((item["id"], item["status"], item["cumFillSize"]) for item in told.values()) == (
        sorted((str(row["orderId"]), row["status"], row["executedQty"]) for row in orders)
    )


def check_spot(follower: Follower, client: Client) -> None:
    rows = client.get("/api/v3/myTrades?symbol=BTCUSDT&limit=1000").json
    assert 50 < len(rows) < 1000
    told = follower.items("fill")
    assert sorted(
        (item["id"], item["orderId"], item["fillSize"], item["fillValue"], item["fillFee"])
        for item in told
    ) == sorted(
        (str(row["id"]), str(row["orderId"]), row["qty"], row["quoteQty"], row["commission"])
        for row in rows
    )
    check_orders(follower, all_pages(client, "/api/v3/allOrders?symbol=BTCUSDT"))
    now = {row["asset"]: row for row in client.get("/api/v3/account").json["balances"]}
    coins = last_of(follower.items("account"), "coin")
    assert coins.keys() == {"BTC", "USDT"}
    for coin, item in coins.items():
        assert (item["available"], item["frozen"]) == (now[coin]["free"], now[coin]["locked"])


def check_contract(follower: Follower, client: Client) -> None:
    symbol = CONTRACT.plain["symbol"]
    orders = client.get(CONTRACT.open).json
    page = 0
    while rows := client.get(f"/capi/v3/sim/order/history?limit=1000&page={page}").json:
        orders += rows
        page += 1
    check_orders(follower, orders)
    fills = [
        row
        for order in orders
        for row in client.get(
            f"/capi/v3/userTrades?symbol={symbol}&orderId={order['orderId']}&limit=100"
        ).json
    ]
    assert len(fills) > 50
    assert sorted(
        (item["id"], item["orderId"], item["fillSize"], item["fillFee"], item["realizePnl"])
        for item in follower.items("fill")
    ) == sorted(
        (str(row["id"]), str(row["orderId"]), row["qty"], row["commission"], row["realizedPnl"])
        for row in fills
    )
    (balance,) = client.get("/capi/v3/sim/balance").json
    coins = last_of(follower.items("account"), "coin")
    wallet = Decimal(balance["balance"]) - Decimal(balance["unrealizePnl"])
    assert [(coin, Decimal(item["legacyAmount"])) for coin, item in coins.items()] == [
        (balance["asset"], wallet)
    ]
    told = last_of(follower.items("positions"), "id")
    now = {row["id"]: row for row in client.get("/capi/v3/sim/position/allPosition").json}
    still = {number: item for number, item in told.items() if int(number) in now}
    assert len(still) == len(now) > 0
    for number, item in told.items():
        row = now.get(int(number))
        if row is None:
            assert float(item["size"]) == 0
        else:
            shown = {name: item[name] for name in ("size", "openValue", "cumCloseFee")}
            assert shown == {name: row[name] for name in shown}
