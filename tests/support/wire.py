"""Entries of a venue's wire log."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from support.server import Server
from support.socket_desk import SPOT

WIRE = "/_venue/wire"


def entries(server: Server, **asked: Any) -> list[dict[str, Any]]:
    """The entries that agree, as an operator sees them."""
    answer = server.client().get(f"{WIRE}?{urlencode(asked)}")
    assert answer.status == 200, answer
    return list(answer.json)


def last(server: Server, **asked: Any) -> dict[str, Any]:
    """The newest of them."""
    return entries(server, **asked)[-1]


def clear(server: Server) -> None:
    """Remove the rules of faults, and alice's orders."""
    assert server.client().delete("/_venue/faults").status == 200
    server.client("alice").delete(f"{SPOT.all}?symbol=BTCUSDT")
