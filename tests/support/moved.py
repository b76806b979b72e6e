"""A venue whose time a test moves, with clients that sign by its clock: nothing depends on when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from support.client import Answer, Client
from support.server import Server
from venue.api import signing
from venue.times import US_PER_MS, moment_us

BEGIN: Final = "2026-01-01T00:00:00Z"
ADVANCE_S: Final = 300
BEGIN_MS: Final = moment_us(BEGIN) // US_PER_MS


class Timed(Client):
    """Signs with a time of its own, a millisecond later each time."""

    def __init__(self, port: int, account: dict[str, Any] | None = None) -> None:
        super().__init__(port, account)
        self.at_ms = BEGIN_MS

    def headers(
        self, method: str, target: str, raw: bytes, ahead_ms: int = 0
    ) -> dict[str, str | None]:
        sent: dict[str, str | None] = {"Content-Type": "application/json"} if raw else {}
        if self.account is None:
            return sent
        self.at_ms += 1
        stamp = str(self.at_ms + ahead_ms)
        path, _, query = target.partition("?")
        text = signing.payload(stamp.encode(), method.encode(), path.encode(), query.encode(), raw)
        sent["ACCESS-KEY"] = self.account["key"]
        sent["ACCESS-PASSPHRASE"] = self.account["passphrase"]
        sent["ACCESS-TIMESTAMP"] = stamp
        sent["ACCESS-SIGN"] = signing.sign(self.account["secret"].encode(), text).decode()
        return sent


class Moved:
    """A venue with its time in the test's hand, and its owners. Use it in a `with`."""

    def __init__(
        self, folder: Path, *arguments: str, clock: Sequence[str] = ("manual",), **more: Any
    ) -> None:
        given = ("--clock", *clock, "--at", BEGIN, *arguments)
        self.server = Server(*given, folder=folder, **more)
        self.anyone = self.server.client()
        self.anyone.connection.timeout = ADVANCE_S
        names = ("alice", "bob", "carol", "dave")
        self.clients = {name: Timed(self.server.port, self.server.account(name)) for name in names}

    def __enter__(self) -> Moved:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self.clients.values():
            client.close()
        self.server.__exit__()

    def clock(self) -> Any:
        """How its time passes."""
        return self.ok(self.anyone.get("/_venue/clock"))

    def advance(self, **how: Any) -> Any:
        """Move its time; whoever signs goes along."""
        told = self.ok(self.anyone.post("/_venue/clock/advance", how))
        for client in self.clients.values():
            client.at_ms = max(client.at_ms, told["to"])
        return told

    def ok(self, answer: Answer) -> Any:
        """The value of a successful answer."""
        assert answer.status == 200, answer
        return json.loads(answer.body)
