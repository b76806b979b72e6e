"""The first sync that fails: the venue says so, stops, exits non-zero, and has lost nothing."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from support.client import Client
from support.server import STOP_S, Server
from venue.verify import verify

ORDER = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.001"}


def orders_until_refused(client: Client) -> tuple[list[int], int]:
    """The acknowledged order ids, and the status of the answer that was none (0: no answer)."""
    acknowledged: list[int] = []
    for number in range(200):
        order = {**ORDER, "price": str(50_000 + number)}  # each one its own: repetitions are known
        try:
            answer = client.post("/api/v3/order", order)
        except (http.client.HTTPException, ConnectionError):
            return acknowledged, 0
        if answer.status != 200:
            return acknowledged, answer.status
        acknowledged.append(answer.json["orderId"])
    raise AssertionError("the disk never failed")


@pytest.mark.parametrize("syncs", [30, 47])
def test_a_refused_sync_stops_the_venue(tmp_path: Path, syncs: int) -> None:
    state = str(tmp_path / "venue.db")
    program = ("support.disk", str(syncs))
    with Server("--state", state, "--no-agents", folder=tmp_path, program=program) as server:
        acknowledged, status = orders_until_refused(server.client("alice"))
        assert server.process.wait(STOP_S) == 3
    assert acknowledged
    assert status in (0, 500, 503)
    assert "venue: stopped:" in server.errors.read_text()
    assert "Traceback" not in server.errors.read_text()

    assert verify(state).problems == []
    with Server("--state", state, "--no-agents", folder=tmp_path) as again:
        found = [order["orderId"] for order in again.client("alice").get("/api/v3/openOrders").json]
        assert found[: len(acknowledged)] == acknowledged
        assert len(found) <= len(acknowledged) + 1  # the last one's outcome was unknown
        assert again.stop() == 0
