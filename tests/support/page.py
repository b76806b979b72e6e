"""A page of a venue without its browser: a session, questions, and the stream of its parts."""

from __future__ import annotations

import http.client
import json
from contextlib import ExitStack
from typing import Any

import msgspec
from websockets.sync.client import connect
from websockets.typing import Origin

from support.server import Server
from support.waits import WAIT_S

_frames = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Page:
    """A page that was let in. Use it in a `with`: it closes its stream."""

    def __init__(self, server: Server) -> None:
        self.origin = f"http://127.0.0.1:{server.port}"
        self._port = server.port
        headers = {"Origin": self.origin, "Content-Type": "application/json"}
        status, answered, body = self._ask("POST", "/_venue/session", headers, b"{}")
        assert status == 200, body
        self.cookie = answered["set-cookie"].split(";")[0]
        self.token: str = json.loads(body)["token"]
        self.parts: dict[str, bytes] = {}  # as the stream gave them last
        self.wire: list[dict[str, Any]] = []
        self.sequence = 0
        address = f"ws://127.0.0.1:{server.port}/_venue/events"
        self._open = ExitStack()
        headers = {"Cookie": self.cookie}
        self.stream = self._open.enter_context(
            connect(address, origin=Origin(self.origin), additional_headers=headers)
        )

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def show(self, owner: str, symbol: str, product: str = "contract", token: str = "") -> None:
        """Say what the page shows from now on."""
        self.parts.clear()
        view = {"token": token or self.token, "owner": owner, "symbol": symbol, "product": product}
        self.stream.send(json.dumps(view))

    def hear(self) -> dict[str, bytes]:
        """Take one frame; return its parts."""
        frame = _frames.decode(self.stream.recv(WAIT_S))
        parts = {name: bytes(part) for name, part in frame.items()}
        self.sequence = int(parts["sequence"])
        self.wire += json.loads(parts.get("wire", b"[]"))
        told = {"sequence", "epoch", "time", "wire", "skipped"}
        self.parts.update({name: part for name, part in parts.items() if name not in told})
        return parts

    def hear_until(self, sequence: int) -> None:
        """Take frames until one of this sequence or a later one came."""
        self.hear()
        while self.sequence < sequence:
            self.hear()

    def ask(self, path: str, owner: str = "") -> bytes:
        """Return the body of a question that the page asks over REST, for an owner."""
        headers = {"Cookie": self.cookie, "X-Venue-Page": self.token}
        if owner:
            headers["X-Venue-Act-As"] = owner
        status, _, body = self._ask("GET", path, headers)
        assert status == 200, body
        return body

    def _ask(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=WAIT_S)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            lines = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, lines, answer.read()
        finally:
            connection.close()
