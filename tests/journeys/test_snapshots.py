"""A running venue keeps snapshots by itself, and goes on from them after `kill -9`."""

from __future__ import annotations

import time
from pathlib import Path

from support.client import Client
from support.eager import COMMANDS
from support.server import Server
from venue.cli.verify import verify

WAIT_S = 60


def place(client: Client, first: int, count: int) -> None:
    for number in range(first, first + count):
        order = {
            "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
            "price": "50000", "quantity": "0.001", "newClientOrderId": f"order-{number}",
        }  # fmt: skip
        assert client.post("/api/v3/order", order).status == 200


def wait_for_one(folder: Path) -> None:
    deadline = time.monotonic() + WAIT_S
    while not list(folder.glob("venue.db.snapshot-*")):
        assert time.monotonic() < deadline


def test_snapshots_are_taken_while_orders_go_on(tmp_path: Path) -> None:
    arguments = ("--state", str(tmp_path / "venue.db"), "--no-agents")
    with Server(*arguments, folder=tmp_path, program=("support.eager",)) as server:
        client = server.client("alice")
        place(client, 0, COMMANDS)
        wait_for_one(tmp_path)
        place(client, COMMANDS, COMMANDS // 2)
        before = client.get("/api/v3/openOrders").json
        assert len(before) == COMMANDS * 3 // 2
        server.kill()
        told = server.errors.read_text()
    with Server(*arguments, folder=tmp_path) as server:
        assert server.client("alice").get("/api/v3/openOrders").json == before
        assert server.stop() == 0
    findings = verify(str(tmp_path / "venue.db"))
    assert findings.problems == []
    assert sum("snapshot: at command" in fact for fact in findings.facts) == 2
    assert "snapshot" not in told
