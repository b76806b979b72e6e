"""Reads a running venue's streams for a command: frames in order."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack, suppress
from threading import Thread
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from venue.api.streams.channels import ALIASES, STREAMS
from venue.client.errors import Lost, Misused, Refused, Unreachable
from venue.client.http import Http, nobody, refusal_of
from venue.lab.credentials import Credentials

OPEN_S: Final = 10.0
CLOSE_S: Final = 1.0
PONG: Final = '{"method":"PONG"}'

Frame = dict[str, Any]
_OWN: Final = {name for stream in STREAMS if stream.private for name in stream.channels}


def is_private(channel: str) -> bool:
    """Whether a channel tells of one account's own orders and money."""
    name = channel.partition("?")[0]  # after it, where to go on
    return ALIASES.get(name, name) in _OWN


class Streams:
    """Frames of a venue's streams, from as many sockets as they take. Use it in a `with`.

    `deliver` is called with every frame, in a socket's order and from its thread; once with
    Lost when a socket has ended by itself.
    """

    def __init__(
        self,
        url: str,
        product: str,
        account: Credentials | None,
        deliver: Callable[[Frame | Lost], None],
    ) -> None:
        key = account or Credentials(url, "", "", "")
        self._http = Http(url, **key.given(), timeout_s=OPEN_S)
        self._product = product
        self._account = account
        self._deliver = deliver
        self._open = ExitStack()

    def listen(self, channels: list[str]) -> None:
        """Subscribe to channels, private ones first. Refused, Unreachable, Misused."""
        own = [channel for channel in channels if is_private(channel)]
        public = [channel for channel in channels if not is_private(channel)]
        if own:
            if self._account is None:
                raise Misused(f"{own[0]} is a private channel: name the owner with --as NAME")
            self._begin("private", own, self._http.login())
        if public:
            self._begin("public", public, {})

    def _begin(self, door: str, channels: list[str], headers: dict[str, str]) -> None:
        target = self._http.socket_url(f"/{self._product.lower()}/v3/ws/{door}")
        try:
            connection = self._open.enter_context(
                connect(
                    target,
                    additional_headers=headers,
                    compression=None,
                    proxy=None,
                    open_timeout=OPEN_S,
                    close_timeout=CLOSE_S,
                )
            )
            earlier = _subscribe(connection, channels)
        except InvalidStatus as problem:
            answer = problem.response
            raise refusal_of(answer.status_code, bytes(answer.body or b"")) from None
        except (OSError, WebSocketException) as problem:
            raise Unreachable(nobody(self._http.url, problem), unknown=False) from None
        Thread(target=self._follow, args=(connection, earlier), daemon=True).start()

    def _follow(self, connection: ClientConnection, earlier: list[Frame]) -> None:
        for frame in earlier:
            self._deliver(frame)
        try:
            for text in connection:
                message = json.loads(text)
                if "e" in message:
                    self._deliver(message)
                elif _is_ping(message):
                    connection.send(PONG)
        except ConnectionClosed as problem:
            self._deliver(_ended(problem))
        else:  # closed in order: by us at the end of listening, or by the venue
            self._deliver(Lost("the stream was closed"))

    def __enter__(self) -> Streams:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(WebSocketException, OSError):
            self._open.close()


def _subscribe(connection: ClientConnection, channels: list[str]) -> list[Frame]:
    """Subscribe; the frames that came before the acknowledgement."""
    connection.send(json.dumps({"method": "SUBSCRIBE", "params": channels, "id": 1}))
    earlier: list[Frame] = []
    while True:
        message = json.loads(connection.recv(OPEN_S))
        if message.get("result") is False:
            raise Refused(0, "UNKNOWN", message["msg"], 0)
        if message.get("result"):
            return earlier
        if "e" in message:
            earlier.append(message)


def _is_ping(message: Frame) -> bool:
    return message.get("event", message.get("type")) == "ping"


def _ended(problem: ConnectionClosed) -> Lost:
    told = problem.rcvd.reason if problem.rcvd is not None else "the connection was lost"
    return Lost(f"the stream ended: {told}")
