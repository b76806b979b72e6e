"""kill -9 while time is moved: a prefix of its steps is kept, and time goes on from there."""

from __future__ import annotations

import json
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import Any

from support.command import run
from support.raw import order
from support.server import Server
from venue.times import US_PER_MS, moment_us

BEGIN, TO = "2026-01-01T07:50:00Z", "2026-01-01T08:05:00Z"  # across a funding
BEGIN_MS, TO_MS = (moment_us(text) // US_PER_MS for text in (BEGIN, TO))
TICK_MS = 1_000  # the instant that was seen may not have been durable, the tick before it was
HELD = {"symbol": "BTCUSDT", "price": "60000", "jump": True}
ORDER = {
    "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.1",
    "price": "59990", "positionSide": "LONG",
}  # fmt: skip


def begin(folder: Path, *options: str) -> Server:
    """A venue with a position on each side, a resting order and a countdown that runs out."""
    clock = ("--clock", "manual", "--at", BEGIN, "--state", str(folder / "venue.db"))
    server = Server(*clock, *options, folder=folder)
    operator, alice, bob = server.client(), server.client("alice"), server.client("bob")
    alice.at_ms = bob.at_ms = BEGIN_MS
    done = [operator.post("/_venue/index/hold", HELD)]
    for client, changes in (
        (bob, {"side": "SELL", "positionSide": "SHORT", "price": "60000"}),
        (alice, {"price": "60000"}),
        (alice, {}),
    ):
        done.append(client.post("/capi/v3/order", ORDER | changes))
    done.append(alice.post("/api/v3/order", order("ETHUSDT", "BUY", "0.1", "3000")))
    done.append(alice.post("/api/v3/cancelAllAfter", {"timeout": 120}))
    assert [answer.status for answer in done] == [200] * len(done), done
    return server


def time_of(server: Server) -> int:
    return int(server.client().get("/_venue/clock").json["time"])


def advance(server: Server) -> Any:
    return server.client().post("/_venue/clock/advance", {"to": TO}).json


def verified(folder: Path) -> dict[str, str]:
    """The facts that `venue verify` finds of a stopped venue, which must be whole."""
    done = run("verify", str(folder / "venue.db"))
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)


def killed_on_the_way(server: Server) -> int:
    """Have time moved, and the process killed while it is; the last time that was seen."""
    mover = server.client()

    def move() -> None:
        with suppress(OSError, HTTPException):
            mover.post("/_venue/clock/advance", {"to": TO})

    thread = Thread(target=move)
    thread.start()
    seen = BEGIN_MS
    while seen < BEGIN_MS + 60_000:
        seen = time_of(server)
    assert seen < TO_MS, "it was not under way any more"
    server.process.kill()
    server.process.wait(30)
    thread.join(30)
    server.kill()
    return seen


def test_time_that_was_cut_goes_on_to_the_same_end(tmp_path: Path) -> None:
    """The run that was killed and went on ends in the state of the one that was not."""
    with begin(tmp_path / "whole", "--no-agents") as whole:
        assert {row["kind"] for row in advance(whole)["settled"]} >= {"funding", "countdown"}
        assert whole.stop() == 0
    with begin(tmp_path / "cut", "--no-agents") as server:
        seen = killed_on_the_way(server)
    options = ("--no-agents", "--state", str(tmp_path / "cut" / "venue.db"))
    with Server(*options, folder=tmp_path / "cut") as again:
        assert seen - TICK_MS <= time_of(again) < TO_MS
        assert json.loads(again.client().get("/_venue/clock").body)["mode"] == "manual"
        assert advance(again)["to"] == TO_MS
        assert again.stop() == 0
    assert verified(tmp_path / "cut")["state"] == verified(tmp_path / "whole")["state"]


def test_with_agents_too_a_prefix_is_kept(tmp_path: Path) -> None:
    with begin(tmp_path) as server:
        seen = killed_on_the_way(server)
    verified(tmp_path)
    with Server("--state", str(tmp_path / "venue.db"), folder=tmp_path) as again:
        assert seen - TICK_MS <= time_of(again) < TO_MS
        told = again.client().post("/_venue/clock/advance", {"by": "10s"}).json
        assert told["to"] == told["from"] + 10_000
        assert again.stop() == 0
    verified(tmp_path)
