"""Orders over private sockets: both products' words, and many messages at once."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from websockets.frames import Frame, Opcode

from support.client import Client
from support.listening import Listener, Message, login
from support.waits import WAIT_S


class Product(NamedTuple):
    """Where one product's orders go, and an order that rests."""

    name: str
    socket: str
    order: str
    open: str
    all: str
    plain: dict[str, Any]


_PLAIN = {"side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.01"}
SPOT = Product(
    "spot", "/spot/v3/ws/private", "/api/v3/order", "/api/v3/openOrders", "/api/v3/openOrders",
    {**_PLAIN, "symbol": "BTCUSDT", "price": "60000.00"},
)  # fmt: skip
CONTRACT = Product(
    "contract", "/contract/v3/ws/private", "/capi/v3/order",
    "/capi/v3/openOrders?symbol=BTCSUSDT", "/capi/v3/allOpenOrders",
    {**_PLAIN, "symbol": "BTCSUSDT", "price": "59000.0", "positionSide": "LONG"},
)  # fmt: skip
PRODUCTS = (SPOT, CONTRACT)


def price_contracts(client: Client) -> None:
    """Give the contract a price, so that it takes orders."""
    body = {"symbol": CONTRACT.plain["symbol"], "source": "agents", "price": "60000"} | {
        "jump": True
    }
    answer = client.post("/_venue/index", body)
    assert answer.status == 200, answer


def place(product: Product, identity: Any = 1, **changes: Any) -> Message:
    """The message that places an order."""
    params = {**product.plain, **changes}
    return {"method": "ORDER.PLACE", "id": identity, "params": params}


def placed(listener: Listener, product: Product, **changes: Any) -> int:
    """The id of an order placed over a socket."""
    answer = listener.ask(place(product, **changes))
    assert answer["status"] == 200, answer
    return int(answer["result"]["orderId"])


def switch(listener: Listener, *, on: bool) -> None:
    """Switch cancel-on-disconnect."""
    message = {"method": "SESSION.CANCEL_ON_DISCONNECT", "id": 9, "params": {"enabled": on}}
    assert listener.ask(message) == {"result": True, "id": 9}


def open_ids(client: Client, product: Product) -> list[int]:
    """The ids of an owner's open orders, oldest first."""
    answer = client.get(product.open)
    assert answer.status == 200, answer
    return sorted(order["orderId"] for order in answer.json)


def cancel_all(client: Client, products: Sequence[Product] = PRODUCTS) -> None:
    """Cancel what an owner has resting of these."""
    for product in products:
        answer = client.delete(f"{product.all}?symbol={product.plain['symbol']}")
        assert answer.status == 200, answer


def until_ended(watcher: Listener, ids: list[int]) -> None:
    """Return when the `orders` channel has told that all these orders were cancelled."""
    waiting = {str(order_id) for order_id in ids}
    while waiting:
        for item in watcher.until(lambda frame: frame.get("e") == "orders")["d"]:
            if item["status"] == "CANCELED":
                waiting.discard(item["id"])


def frames(messages: list[Any]) -> bytes:
    """Messages as a client sends them, in one piece."""
    return b"".join(
        Frame(Opcode.TEXT, json.dumps(message).encode()).serialize(mask=True)
        for message in messages
    )


def at_once(listener: Listener, messages: list[Any]) -> list[Message]:
    """Send all messages in one piece; as many answers, in the order they came."""
    listener.socket.socket.sendall(frames(messages))
    answers: list[Message] = []
    while len(answers) < len(messages):
        found = listener.receive()
        if "result" in found or "error" in found:
            answers.append(found)
    return answers


class Cable:
    """A private connection that can be cut; its frames are not read.

    The system takes about `receive_bytes` for it; 0: as much as it likes.
    """

    def __init__(
        self, port: int, path: str, account: dict[str, Any], receive_bytes: int = 0
    ) -> None:
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(("127.0.0.1", port))
        lines = [
            f"GET {path} HTTP/1.1", "Host: venue", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            *(f"{name}: {value}" for name, value in login(account).items()), "", "",
        ]  # fmt: skip
        self.socket.sendall("\r\n".join(lines).encode())
        assert self.socket.recv(12) == b"HTTP/1.1 101"

    def say(self, messages: list[Any]) -> None:
        """Send messages in one piece."""
        self.socket.sendall(frames(messages))

    def cut(self) -> None:
        """Reset the connection."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
