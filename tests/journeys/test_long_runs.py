"""A run that takes long to replay is served from its last state on, while it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.runs import OpenRun, venue
from support.server import Server
from venue.bundle.file import unsealed, write
from venue.gateway.operations.operator.bundle import LONG

AT = ("--clock", "manual", "--at", "2026-01-01T00:00:00Z")
ORDER = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
ASKED = (
    "/api/v3/market/depth?symbol=BTCUSDT",
    "/api/v3/market/trades?symbol=BTCUSDT",
    "/capi/v3/market/ticker/24hr?symbol=BTCUSDT",
    "/api/v3/openOrders?symbol=BTCUSDT",
    "/api/v3/allOrders?symbol=BTCUSDT",
    "/api/v3/myTrades?symbol=BTCUSDT",
)
ACT = {"X-Venue-Act-As": "alice"}


class Long:
    """The answers of a venue whose agents traded, after some of its commands, and its files."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state.db"
        self.bundle = folder / "run.venue"
        self.told: dict[int, dict[str, bytes]] = {}

    def note(self, server: Server) -> None:
        """Ask what a venue says now."""
        client = server.client()
        at = client.get("/_venue/health").json["sequence"]
        self.told[at] = answers(client, "")


def answers(client: Any, at: str) -> dict[str, bytes]:
    """The answers to alice; history that is still being read is asked for again."""
    found = {}
    for target in ASKED:
        answer = client.get(target + at, headers=ACT)
        while answer.status == 503:
            assert b"history is " in answer.body  # still being read, or on a busy machine behind
            answer = client.get(target + at, headers=ACT)
        assert answer.status == 200, answer
        found[target] = answer.body
    return found


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Long:
    found = Long(tmp_path_factory.mktemp("long"))
    with Server(*AT, "--state", str(found.state), folder=found.state.parent) as server:
        client = server.client()
        for price in ("60000", "70000", "61000"):
            order = {**ORDER, "price": price, "quantity": "0.01"}
            assert client.post("/api/v3/order", order, headers=ACT).status == 200
            found.note(server)
            assert client.post("/_venue/clock/advance", {"by": "2m"}).status == 200
            found.note(server)
        code, _, errors = venue("bundle", "-o", str(found.bundle), url=server.url)
        assert (code, errors) == (0, "")
        assert server.stop() == 0
    return found


@pytest.mark.parametrize("name", ["state", "bundle"])
def test_every_answer_is_had_again(long: Long, name: str) -> None:
    with OpenRun(getattr(long, name)) as run:
        assert run.last >= LONG
        for at in sorted(long.told, reverse=True):  # the first come before the replay
            assert answers(run.client, f"&at={at}") == long.told[at]
        for at in sorted(long.told):
            assert answers(run.client, f"&at={at}") == long.told[at]


def test_what_is_not_read_yet_is_told(long: Long) -> None:
    """Each command has its own answer, however early it is asked for."""
    with OpenRun(long.state) as run:
        client = run.client
        newest = client.get(ASKED[0])
        assert newest.status == 200
        assert newest.headers["x-venue-at"] == str(run.last)
        for at in range(run.last - 3, run.last):
            target = f"/api/v3/openOrders?symbol=BTCUSDT&at={at}"
            assert client.get(target, headers=ACT).status == 200


def test_a_bundle_that_was_changed_is_not_served_for_long(long: Long, tmp_path: Path) -> None:
    run = unsealed(long.bundle.read_bytes(), "")
    run.state_hash = "0" * 32
    path = tmp_path / "changed.venue"
    write(str(path), run)
    code, out, errors = venue("open", str(path), "--port", "0")
    assert (code, out.count("\n"), errors.count("\n")) == (2, 1, 1), errors
    assert "it was changed" in errors


def test_an_end_that_is_not_there_is_refused(long: Long, tmp_path: Path) -> None:
    run = unsealed(long.bundle.read_bytes(), "")
    write(str(tmp_path / "cut.venue"), msgspec.structs.replace(run, end=run.end[:-1]))
    write(str(tmp_path / "other.venue"), msgspec.structs.replace(run, last=run.last - 1))
    for name in ("cut.venue", "other.venue"):
        code, out, errors = venue("open", str(tmp_path / name), "--port", "0")
        assert (code, out, errors.count("\n")) == (2, "", 1), errors
        assert "make the bundle again" in errors


def test_a_long_run_is_replayed_to_its_end(long: Long) -> None:
    code, out, errors = venue("replay", str(long.bundle), "--output", "json")
    assert (code, errors) == (0, "")
    assert json.loads(out)["stateHash"] == unsealed(long.bundle.read_bytes(), "").state_hash
