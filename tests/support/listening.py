"""A raw WebSocket client of a venue's streams, and the frames it was told."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from websockets.sync.client import ClientConnection, connect

from support.stamps import stamp_ms
from support.waits import WAIT_S
from venue.api import signing

Message = dict[str, Any]


def login(account: dict[str, Any], timestamp: str = "") -> dict[str, str]:
    """The headers that open a private socket."""
    timestamp = timestamp or str(stamp_ms())
    text = signing.websocket_payload(timestamp.encode())
    return {
        "ACCESS-KEY": account["key"],
        "ACCESS-PASSPHRASE": account["passphrase"],
        "ACCESS-TIMESTAMP": timestamp,
        "ACCESS-SIGN": signing.sign(account["secret"].encode(), text).decode(),
    }


class Listener:
    """One open connection. Use it in a `with`; `greeting` is the first message it was told."""

    def __init__(
        self, port: int, path: str, headers: dict[str, str] | None = None, **options: Any
    ) -> None:
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(
            connect(
                f"ws://127.0.0.1:{port}{path}",
                additional_headers=headers or {},
                proxy=None,
                # A test may leave a socket unread for long: its own pings would find it dead.
                ping_interval=None,
                **options,
            )
        )
        self.texts: list[str | bytes] = []  # all that came, as it came
        self.greeting = self.receive()
        self.frames: list[Message] = []  # they came while it waited for an answer

    def say(self, message: Any) -> None:
        """Send a message: text and bytes as they are, all others as JSON."""
        raw = isinstance(message, str | bytes)
        self.socket.send(message if raw else json.dumps(message))

    def receive(self, wait_s: float = WAIT_S) -> Message:
        """The next message. TimeoutError: none comes within so many seconds."""
        self.texts.append(self.socket.recv(wait_s))
        found = json.loads(self.texts[-1])
        assert isinstance(found, dict)
        return found

    def next(self) -> Message:
        """The next frame of a channel. The venue pings once a minute, which a slow test meets."""
        return self.until(lambda frame: not _is_ping(frame))

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The next frame that is wanted; those before it are passed over."""
        while True:
            frame = self.frames.pop(0) if self.frames else self.receive()
            if wanted(frame):
                return frame

    def ask(self, message: Any) -> Message:
        """The acknowledgement or answer of a message; frames before it are kept."""
        self.say(message)
        while True:
            found = self.receive()
            if "result" in found or "error" in found:
                return found
            self.frames.append(found)

    def ask_all(self, messages: list[Any]) -> list[Message]:
        """The answers of messages sent at once; frames between them are kept."""
        for message in messages:
            self.say(message)
        answers: list[Message] = []
        while len(answers) < len(messages):
            found = self.receive()
            kept = answers if "result" in found or "error" in found else self.frames
            kept.append(found)
        return answers

    def subscribe(self, *channels: str) -> None:
        """Subscribe, successfully."""
        request = {"method": "SUBSCRIBE", "params": list(channels), "id": 1}
        assert self.ask(request) == {"result": True, "id": 1}

    def unsubscribe(self, *channels: str) -> None:
        """Unsubscribe, successfully."""
        request = {"method": "UNSUBSCRIBE", "params": list(channels), "id": 2}
        assert self.ask(request) == {"result": True, "id": 2}

    def settle(self) -> list[Message]:
        """All frames of channels that left before an answer that is asked for now."""
        assert self.ask({"method": "PING", "id": 0})["result"] is True
        frames, self.frames = self.frames, []
        return [frame for frame in frames if not _is_ping(frame)]

    def close(self) -> None:
        """Close the connection."""
        self._open.close()

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Book:
    """A book kept from depth frames, checked for continuity."""

    def __init__(self, snapshot: Message) -> None:
        assert (snapshot["e"], snapshot["d"]) == ("depthSnapshot", "SNAPSHOT")
        assert snapshot["U"] == snapshot["u"]
        self.update_id: int = snapshot["u"]
        self.level: int = snapshot["l"]
        self.bids = dict(snapshot["b"])
        self.asks = dict(snapshot["a"])

    def take(self, frame: Message) -> None:
        """Apply a change."""
        assert (frame["e"], frame["d"], frame["l"]) == ("depth", "CHANGED", self.level)
        assert frame["U"] == self.update_id
        assert frame["u"] > frame["U"]
        self.update_id = frame["u"]
        for side, changes in ((self.bids, frame["b"]), (self.asks, frame["a"])):
            prices = [float(price) for price, _ in changes]
            assert prices == sorted(prices, reverse=side is self.bids)
            for price, size in changes:
                if size == "0":
                    del side[price]
                else:
                    side[price] = size

    def shown(self) -> Message:
        """As `GET depth` shows it."""
        return {
            "lastUpdateId": self.update_id,
            "bids": [list(item) for item in sorted(self.bids.items(), key=_price, reverse=True)],
            "asks": [list(item) for item in sorted(self.asks.items(), key=_price)],
        }


def _is_ping(frame: Message) -> bool:
    return "ping" in (frame.get("type"), frame.get("event"))


def _price(item: tuple[str, str]) -> float:
    return float(item[0])
