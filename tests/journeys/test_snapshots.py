"""Snapshots of a running venue: all that a client sees goes back, as often as one likes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from support.client import Answer, Client
from support.moved import Moved
from support.raw import order
from venue.api.operator.snapshots import SnapshotId, SnapshotView
from venue.cli.verify import verify
from venue.gateway.door import Call
from venue.gateway.operations.operator.snapshots import delete_snapshot, keep_snapshot
from venue.node.clock import SystemClock
from venue.running.opening import open_venue
from venue.running.options import Options

PUBLIC = (
    "/api/v3/market/depth?symbol=BTCUSDT",
    "/api/v3/market/ticker/24hr?symbol=BTCUSDT",
    "/api/v3/market/trades?symbol=BTCUSDT",
    "/api/v3/market/klines?symbol=BTCUSDT&interval=1m",
    "/capi/v3/market/ticker/24hr?symbol=BTCUSDT",
)
SIGNED = (
    "/api/v3/openOrders?symbol=BTCUSDT",
    "/api/v3/myTrades?symbol=BTCUSDT",
    "/api/v3/account",
    "/capi/v3/account/position/allPosition",
    "/capi/v3/account/balance",
)
PATIENCE_S = 60
REVERTS = 12  # a thousand by hand: see docs/snapshots.md
REVERTS_MORE = 150  # of which some wait to be freed together
LEFT_MB = 40


def save(kept: Moved, name: str) -> Any:
    return kept.ok(kept.anyone.put(f"/_venue/snapshots/{name}"))


def revert(kept: Moved, name: str) -> Any:
    told = kept.ok(kept.anyone.post(f"/_venue/snapshots/{name}/revert", {}))
    for client in kept.clients.values():
        client.at_ms = told["time"]
    return told


def caught_up(kept: Moved) -> Any:
    """The venue's health once history has all that was done."""
    until = time.monotonic() + PATIENCE_S
    while True:
        health = kept.ok(kept.anyone.get("/_venue/health"))
        if health["historySequence"] == health["sequence"]:
            return health
        assert time.monotonic() < until, health


def seen(kept: Moved) -> dict[str, str]:
    """Digests of the answers that clients see, with the state's hash and venue time."""
    health = caught_up(kept)
    found = {name: str(health[name]) for name in ("stateHash", "venueTime", "openOrders")}
    alice = kept.clients["alice"]
    for client, paths in ((kept.anyone, PUBLIC), (alice, SIGNED)):
        for path in paths:
            body = json.dumps(kept.ok(client.get(path))).encode()
            found[path] = hashlib.blake2b(body, digest_size=8).hexdigest()
    return found


def live(kept: Moved) -> list[str]:
    """Orders of both products, and half a minute with agents; the ids that were given."""
    alice = kept.clients["alice"]
    ids = []
    for body in (order("BTCUSDT", "BUY", "0.01", "60000"), MARKET_BUY):
        ids.append(str(kept.ok(alice.post("/api/v3/order", body))["orderId"]))
    ids.append(str(kept.ok(alice.post("/capi/v3/order", LONG))["orderId"]))
    kept.advance(by="30s")
    return ids


MARKET_BUY = {"symbol": "BTCUSDT", "side": "BUY", "type": "MARKET", "quantity": "0.01"}
LONG = {
    "symbol": "BTCUSDT", "side": "BUY", "positionSide": "LONG", "type": "MARKET",
    "quantity": "0.01", "newClientOrderId": "long-1",
}  # fmt: skip


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    folder = tmp_path_factory.mktemp("kept")
    with Moved(folder, "--state", str(folder / "venue.db")) as kept:
        yield kept


def test_everything_goes_back_and_goes_on_as_before(venue: Moved) -> None:
    live(venue)
    save(venue, "base")
    before = seen(venue)
    first_ids, first_after = live(venue), seen(venue)
    assert first_after != before
    epoch = venue.ok(venue.anyone.get("/_venue/health"))["epoch"]
    for round_ in range(3):
        told = revert(venue, "base")
        assert (told["name"], told["epoch"]) == ("base", epoch + round_ + 1)
        assert told["state_hash"] == before["stateHash"]
        assert seen(venue) == before
        assert live(venue) == first_ids
        assert seen(venue) == first_after


def test_many_reverts_leave_everything_as_it_was(venue: Moved) -> None:
    save(venue, "many")
    before = seen(venue)
    alice = venue.clients["alice"]
    for _ in range(REVERTS):
        venue.ok(alice.post("/api/v3/order", MARKET_BUY))
        revert(venue, "many")
    assert seen(venue) == before
    held = resident_mb(venue)
    for _ in range(REVERTS_MORE):
        revert(venue, "many")
    assert resident_mb(venue) < held + LEFT_MB  # that many states would be 80


def resident_mb(venue: Moved) -> int:
    status = Path(f"/proc/{venue.server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024


def test_an_older_state_and_then_a_later_one(venue: Moved) -> None:
    save(venue, "older")
    older = seen(venue)
    live(venue)
    save(venue, "later")
    later = seen(venue)
    revert(venue, "older")
    assert seen(venue) == older
    live(venue)
    revert(venue, "later")
    assert seen(venue) == later


def test_a_reset_goes_to_where_the_venue_began(venue: Moved) -> None:
    told = venue.ok(venue.anyone.post("/_venue/reset", {}))
    first = venue.ok(venue.anyone.get("/_venue/snapshots"))[0]
    assert (told["name"], told["time"]) == ("ready", first["time"])
    caught_up(venue)
    for client in venue.clients.values():
        client.at_ms = told["time"]
    assert venue.ok(venue.clients["alice"].get("/api/v3/myTrades?symbol=BTCUSDT")) == []


def test_streams_end_and_answers_name_the_epoch(venue: Moved) -> None:
    save(venue, "streams")
    address = f"ws://127.0.0.1:{venue.server.port}/v3/ws/public"
    with connect(address) as public, connect(address) as idle:
        public.send(json.dumps({"method": "SUBSCRIBE", "params": ["BTCUSDT@trade"], "id": 1}))
        public.recv(timeout=10)
        told = revert(venue, "streams")
        for socket in (public, idle):
            assert last_word(socket) == (4001, "reverted")
    answer = venue.anyone.get("/api/v3/time")
    assert answer.headers["x-venue-epoch"] == str(told["epoch"])


def last_word(socket: ClientConnection) -> tuple[int | None, str | None]:
    """The code and the reason that a socket was closed with."""
    with suppress(ConnectionClosed):
        while True:
            socket.recv(timeout=PATIENCE_S)
    return socket.protocol.close_code, socket.protocol.close_reason


def test_keys_of_owners_that_are_gone_open_nothing(venue: Moved) -> None:
    save(venue, "keys")
    created = venue.ok(venue.anyone.post("/_venue/owners", {"name": "late"}))
    key = venue.ok(venue.anyone.post("/_venue/keys", {"owner": "late", "permissions": ["READ"]}))
    revert(venue, "keys")
    again = venue.ok(venue.anyone.post("/_venue/owners", {"name": "other"}))
    assert again["uid"] == created["uid"]
    late = venue.server.client(key)
    late.at_ms = venue.clock()["time"]
    refused = late.get("/api/v3/account")
    assert refused.status != 200, refused


def test_faults_go_back_with_their_counts(venue: Moved) -> None:
    rule = {"id": "slow", "match": {"path": "/api/v3/time"}, "effect": {"kind": "delay", "ms": 1}}
    venue.ok(venue.anyone.post("/_venue/faults", rule))
    venue.anyone.get("/api/v3/time")
    save(venue, "faults")
    before = venue.ok(venue.anyone.get("/_venue/faults"))
    venue.anyone.get("/api/v3/time")
    venue.anyone.delete("/_venue/faults")
    revert(venue, "faults")
    assert venue.ok(venue.anyone.get("/_venue/faults")) == before
    venue.anyone.delete("/_venue/faults")


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("post", "snapshots/none/revert", 404, "there are: ready"),
        ("delete", "snapshots/none", 404, "there are: ready"),
        ("put", "snapshots/ready", 400, "reset goes back to it"),
        ("delete", "snapshots/ready", 400, "reset goes back to it"),
        ("put", "snapshots/a%20b", 400, "name"),
        ("put", f"snapshots/{'a' * 65}", 400, "name"),
        ("put", "snapshots/..%2f", 400, "name"),
    ],
)
def test_a_wrong_name_is_told(
    venue: Moved, method: str, path: str, status: int, words: str
) -> None:
    sequence = venue.clock()["sequence"]
    call = getattr(venue.anyone, method)
    answer: Answer = call(f"/_venue/{path}", *([{}] if method == "post" else []))
    assert answer.status == status, answer
    assert words in answer.body.decode()
    assert venue.clock()["sequence"] == sequence


def test_a_restart_keeps_states_and_a_journal_of_branches_is_verified(tmp_path: Path) -> None:
    path = tmp_path / "venue.db"
    arguments = ("--state", str(path), "--no-agents")
    with Moved(tmp_path, *arguments) as kept:
        save(kept, "base")
        before = seen(kept)
        for _ in range(50):
            kept.ok(kept.clients["alice"].post("/api/v3/order", MARKET_OFFER))
            revert(kept, "base")
        kept.ok(kept.clients["alice"].post("/api/v3/order", MARKET_OFFER))
        kept.server.kill()
    with Moved(tmp_path, *arguments) as kept:
        assert kept.ok(kept.anyone.get("/_venue/health"))["epoch"] == 50
        revert(kept, "base")
        assert seen(kept) == before
        assert kept.server.stop() == 0
    findings = verify(str(path))
    assert findings.problems == []


MARKET_OFFER = order("BTCUSDT", "BUY", "0.01", "60000")


def test_a_kill_amid_reverts_leaves_one_state_or_the_other(tmp_path: Path) -> None:
    path = tmp_path / "venue.db"
    arguments = ("--state", str(path), "--no-agents")
    found: dict[str, dict[str, str]] = {}
    with Moved(tmp_path, *arguments) as kept:
        save(kept, "base")
        found["base"] = hashes(kept)
        alice: Client = kept.clients["alice"]
        kept.ok(alice.post("/api/v3/order", MARKET_OFFER))
        found["order"] = hashes(kept)
    for round_ in range(4):
        with Moved(tmp_path, *arguments) as kept:
            for client in kept.clients.values():
                client.at_ms = kept.clock()["time"]
            if hashes(kept) == found["base"]:
                kept.ok(kept.clients["alice"].post("/api/v3/order", MARKET_OFFER))
            connection = kept.anyone.connection
            connection.request("POST", "/_venue/snapshots/base/revert")
            if round_ % 2:
                connection.getresponse().read()
            os.kill(kept.server.process.pid, signal.SIGKILL)
            kept.server.process.wait()
            kept.server.kill()
        with Moved(tmp_path, *arguments) as kept:
            assert hashes(kept) in found.values()
            if round_ % 2:
                assert hashes(kept) == found["base"]
            kept.server.kill()
        assert verify(str(path)).problems == []


def hashes(kept: Moved) -> dict[str, str]:
    return {"hash": kept.ok(kept.anyone.get("/_venue/health"))["stateHash"]}


def test_the_machines_time_becomes_an_offset(tmp_path: Path) -> None:
    with Moved(tmp_path, clock=("offset",)) as kept:
        save(kept, "base")
        at = kept.ok(kept.anyone.get("/_venue/snapshots"))[-1]["time"]
        told = revert(kept, "base")
        clock = kept.clock()
        assert told["time"] == at
        assert clock["mode"] == "offset"
        assert at <= clock["time"]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_state_that_is_saved_and_deleted_at_once_is_answered_for_twice(replaced: bool) -> None:
    """Both commands are in one batch; each answer is of its own command."""
    asyncio.run(_save_and_delete(replaced=replaced))


async def _save_and_delete(*, replaced: bool) -> None:
    options = Options(agents=False, history=False)
    async with open_venue(options, SystemClock(), _fail) as door:
        node = door.node
        call, name = Call(door, 0, b""), SnapshotId(name="base")
        if replaced:
            await keep_snapshot(call, name)
        saved, deleted = await asyncio.gather(
            keep_snapshot(call, name), delete_snapshot(call, name), return_exceptions=True
        )
        assert isinstance(saved, SnapshotView), saved
        assert saved == deleted
        assert "base" not in node.engine.savepoints.kept


def _fail(problem: BaseException) -> None:
    raise AssertionError(problem)
