"""A disk that fails or is full: the venue says so, stops, exits with 3, and has lost nothing."""

from __future__ import annotations

import http.client
import subprocess
import sys
from pathlib import Path

import pytest

from support.client import Client
from support.server import Server, environment
from support.waits import WAIT_S
from venue.cli.verify import verify

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
        assert server.process.wait(WAIT_S) == 3
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


def started_with(room: int, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A start on a disk on which no file can have more bytes."""
    command = [sys.executable, "-m", "support.full", str(room), "dev", "--port", "0", "--quiet"]
    return subprocess.run(
        [*command, "--state", "venue.db", *arguments],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        cwd=folder,
        env=environment(),
    )


@pytest.mark.parametrize("room", [0, 4096, 70_000])
def test_a_start_on_a_full_disk_ends_in_words(tmp_path: Path, room: int) -> None:
    done = started_with(room, tmp_path)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert "venue: " in done.stderr
    assert "venue.db" in done.stderr


def test_a_start_whose_first_commands_do_not_fit_ends_in_words(tmp_path: Path) -> None:
    state = str(tmp_path / "venue.db")
    with Server("--state", state, "--no-agents", folder=tmp_path) as server:
        assert server.stop() == 0
    done = started_with(40_000, tmp_path)  # the agents' first orders
    assert done.returncode == 3, done.stderr
    assert "venue: stopped: the journal venue.db cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert verify(state).problems == []
