"""A venue whose time a test moves, with clients that sign by its clock: nothing depends on when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from support.client import Answer
from support.server import Server
from venue.times import US_PER_MS, moment_us

BEGIN: Final = "2026-01-01T00:00:00Z"
ADVANCE_S: Final = 300
BEGIN_MS: Final = moment_us(BEGIN) // US_PER_MS


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
        self.clients = {name: self.server.client(name) for name in names}
        for client in self.clients.values():
            client.at_ms = BEGIN_MS

    def __enter__(self) -> Moved:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.__exit__()

    def clock(self) -> Any:
        """How its time passes."""
        return self.ok(self.anyone.get("/_venue/clock"))

    def advance(self, **how: Any) -> Any:
        """Move its time; the clients sign with the new time."""
        told = self.ok(self.anyone.post("/_venue/clock/advance", how))
        for client in self.clients.values():
            client.at_ms = max(client.at_ms or 0, told["to"])
        return told

    def ok(self, answer: Answer) -> Any:
        """The value of a successful answer."""
        assert answer.status == 200, answer
        return json.loads(answer.body)
