"""Signed requests where venue time is not the machine's, moves, and goes back with the state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.client import Answer, Client
from support.moved import Moved
from support.raw import order

PATH = "/api/v3/order"


def signed(client: Client, at_ms: int, body: Any) -> Answer:
    """A request signed at a time: the same bytes for the same arguments."""
    client.at_ms = at_ms - 1
    return client.post(PATH, body)


def placed(answer: Answer) -> int:
    assert answer.status == 200, answer
    return int(answer.json["orderId"])


def test_orders_are_signed_by_venue_time_after_an_advance_and_a_revert(tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents")
    bodies = [order("BTCUSDT", "BUY", "0.01", price) for price in ("60000", "60001", "60002")]
    with Moved(tmp_path, *state) as venue:
        alice = venue.clients["alice"]
        now = venue.clock()["time"]
        before = placed(signed(alice, now, bodies[0]))
        venue.ok(venue.anyone.put("/_venue/snapshots/base"))
        after = placed(signed(alice, now, bodies[1]))
        for _ in range(2):
            venue.advance(by="8h")
            later = venue.clock()["time"]
            placed(signed(alice, later, bodies[2]))
            venue.ok(venue.anyone.post("/_venue/snapshots/base/revert", {}))
            # Lived through again; what the kept state has is not executed a second time.
            assert placed(signed(alice, now, bodies[1])) == after
            assert signed(alice, now, bodies[0]).json["code"] == -1048
            assert [row["orderId"] for row in orders(alice)] == [before, after]
        venue.server.kill()
    with Moved(tmp_path, *state) as venue:
        alice = venue.clients["alice"]
        venue.ok(venue.anyone.post("/_venue/snapshots/base/revert", {}))
        assert signed(alice, now, bodies[0]).json["code"] == -1048
        assert placed(signed(alice, now, bodies[1])) == after


def orders(client: Client) -> list[Any]:
    answer = client.get("/api/v3/openOrders?symbol=BTCUSDT")
    assert answer.status == 200, answer
    return sorted(json.loads(answer.body), key=lambda row: int(row["orderId"]))
