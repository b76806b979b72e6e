"""Signed requests where venue time is not the machine's, moves, and goes back with the state."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

import pytest

from support.client import Answer, Client
from support.moved import Moved
from support.raw import order
from support.server import Server
from venue.journal.chain import BLOCK

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


@pytest.mark.parametrize("killed", [False, True])
def test_what_a_revert_left_in_the_state_is_not_executed_after_a_restart(
    tmp_path: Path, killed: bool
) -> None:
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents")
    body, other = order("BTCUSDT", "BUY", "0.01", "60000"), order("BTCUSDT", "BUY", "0.01", "60001")
    with Moved(tmp_path, *state) as venue:
        now = venue.clock()["time"]
        there = placed(signed(venue.clients["alice"], now, body))
        venue.ok(venue.anyone.put("/_venue/snapshots/base"))
        placed(signed(venue.clients["alice"], now, other))
        venue.ok(venue.anyone.post("/_venue/snapshots/base/revert", {}))
        venue.server.kill() if killed else venue.server.stop()
    with Moved(tmp_path, *state) as venue:
        alice = venue.clients["alice"]
        assert signed(alice, now, body).json["code"] == -1048
        assert [row["orderId"] for row in orders(alice)] == [there]
        placed(signed(alice, now, other))  # it is lived through again


def test_a_request_signed_by_the_machines_time_is_known_after_restart_and_revert(
    tmp_path: Path,
) -> None:
    """Venue time comes to its second only when the machine's window has passed it."""
    tuned = ("support.tuned", "gateway.access.replay.SEEDED_MS=1")
    state = ("--state", str(tmp_path / "venue.db"), "--no-agents")
    body = order("BTCUSDT", "BUY", "0.01", "60000")
    at_ms = int(time() * 1000)
    begin = datetime.fromtimestamp(at_ms // 1000 - 180, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    manual = ("--clock", "manual", "--at", begin)
    with Server(*state, *manual, folder=tmp_path, program=tuned) as server:
        assert server.client().put("/_venue/snapshots/base").status == 200
        placed(signed(server.client("alice"), at_ms, body))
        server.kill()
    with Server(*state, folder=tmp_path, program=tuned) as server:
        operator, alice = server.client(), server.client("alice")
        assert operator.post("/_venue/snapshots/base/revert", {}).status == 200
        assert operator.post("/_venue/clock/advance", {"by": "180s"}).status == 200
        assert signed(alice, at_ms, body).json["code"] == -1048
        assert orders(alice) == []


def test_a_request_whose_command_was_pruned_is_known_after_a_restart(tmp_path: Path) -> None:
    """Pruning goes by venue time: hours may have passed there in a second of the machine's."""
    path = str(tmp_path / "venue.db")
    state = ("--state", path, "--no-agents", "--no-limits")
    body = order("BTCUSDT", "BUY", "0.01", "60000")
    at_ms = int(time() * 1000)
    with Moved(tmp_path, *state) as venue:
        alice = venue.clients["alice"]
        there = placed(signed(alice, at_ms, body))
        bob = venue.server.client("bob")
        for price in range(50_000, 50_000 + BLOCK):  # two may be signed in one millisecond
            placed(bob.post(PATH, order("BTCUSDT", "BUY", "0.01", str(price), timeInForce="IOC")))
        venue.advance(by="2h")
        assert venue.server.stop() == 0
    prune = [sys.executable, "-m", "venue", "prune", path, "--keep", "1h"]
    assert f"begins after command {BLOCK}" in subprocess.check_output(prune, text=True)
    with Server(*state, folder=tmp_path) as server:
        alice = server.client("alice")
        assert signed(alice, at_ms, body).json["code"] == -1048
        assert [row["orderId"] for row in orders(alice)] == [there]


def orders(client: Client) -> list[Any]:
    answer = client.get("/api/v3/openOrders?symbol=BTCUSDT")
    assert answer.status == 200, answer
    return sorted(json.loads(answer.body), key=lambda row: int(row["orderId"]))
