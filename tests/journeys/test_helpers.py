"""The history process beside a living venue: killed, hung, kept away, and its environment."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from support.client import Client
from support.holding import children, held
from support.listening import Listener, login
from support.server import Server
from support.waits import WAIT_S
from venue.cli.verify import verify

PATIENCE_S = 60.0
ORDER = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.001"}
PRIVATE = "/spot/v3/ws/private"
LAG, KEPT = 30, 60
FAR_BEHIND = (
    "support.tuned",
    f"history.process.client.LAG_MAX={LAG}",
    f"history.process.client.KEPT_MAX={KEPT}",
    "history.process.client.AGAIN_MAX_S=1",
)
IMPATIENT = ("support.tuned", "history.process.client.HUNG_S=2")


def status(server: Server) -> str:
    return str(server.client().get("/_venue/health").json["status"])


def until_ok(server: Server) -> None:
    client, end = server.client(), time.monotonic() + PATIENCE_S
    while (told := client.get("/_venue/health").json["status"]) != "ok":
        assert time.monotonic() < end, told


def until_told(server: Server) -> str:
    """The status that health tells as soon as it is not ok."""
    client, end = server.client(), time.monotonic() + PATIENCE_S
    while (told := client.get("/_venue/health").json["status"]) == "ok":
        assert time.monotonic() < end
    return str(told)


def answered(client: Client, target: str) -> Any:
    """A question's rows, once history answers; until then it is refused with words."""
    end = time.monotonic() + PATIENCE_S
    while (answer := client.get(target)).status != 200:
        assert answer.status == 503
        assert set(answer.json) == {"code", "message"}
        assert answer.headers["retry-after"]
        assert time.monotonic() < end
    return answer.json


def trade(server: Server, count: int, start: int = 0) -> None:
    """Alice sells to bob."""
    for number in range(start, start + count):
        for name, side in (("alice", "SELL"), ("bob", "BUY")):
            order = {
                **ORDER, "side": side, "price": "60000", "newClientOrderId": f"{side}-{number}",
            }  # fmt: skip
            assert server.client(name).post("/api/v3/order", order).status == 200


def trades(server: Server) -> list[str]:
    rows = answered(server.client("alice"), "/api/v3/myTrades?symbol=BTCUSDT&limit=1000")
    return [row["orderId"] for row in rows]


@pytest.mark.parametrize("state", [["--state", "venue.db"], []], ids=["file", "memory"])
def test_a_killed_history_is_started_again_and_lacks_nothing(
    tmp_path: Path, state: list[str]
) -> None:
    with Server(*state, "--no-agents", folder=tmp_path) as server:
        trade(server, 3)
        assert len(trades(server)) == 3
        for round_ in range(2):
            (before,) = children(server.process.pid)
            os.kill(before, signal.SIGKILL)
            trade(server, 2, 10 * (round_ + 1))
            until_ok(server)
            assert len(trades(server)) == 5 + 2 * round_
            (after,) = children(server.process.pid)
            assert after != before
        assert server.stop() == 0
    assert "Traceback" not in server.errors.read_text()
    if state:
        assert verify(str(tmp_path / "venue.db")).problems == []


def test_a_hanging_history_is_killed_and_another_one_started(tmp_path: Path) -> None:
    state = ("--state", "venue.db", "--no-agents")
    with Server(*state, folder=tmp_path, program=IMPATIENT) as server:
        trade(server, 2)
        (before,) = children(server.process.pid)
        os.kill(before, signal.SIGSTOP)
        trade(server, 1, 10)  # orders do not wait for it
        refused = server.client("bob").get("/api/v3/myTrades?symbol=BTCUSDT")
        assert refused.status == 503
        assert refused.headers["retry-after"]
        told = until_told(server)
        # One that still works at first has its 2 s once more.
        hung = r"history failed: the history process did not answer for \d+ s; it is started again"
        assert re.fullmatch(hung, told)
        until_ok(server)
        assert len(trades(server)) == 3
        assert children(server.process.pid) != [before]
        assert server.stop() == 0
    assert verify(str(tmp_path / "venue.db")).problems == []


def test_a_stop_does_not_wait_for_a_hanging_history(tmp_path: Path) -> None:
    state = ("--state", "venue.db", "--no-agents")
    with Server(*state, folder=tmp_path, program=IMPATIENT) as server:
        trade(server, 2)
        assert len(trades(server)) == 2
        os.kill(children(server.process.pid)[0], signal.SIGSTOP)
        trade(server, 1, 10)
        assert server.stop() == 0  # within WAIT_S
    assert "no snapshot: the history process did not answer" in server.errors.read_text()
    with Server(*state, folder=tmp_path) as server:
        assert len(trades(server)) == 3
        assert server.stop() == 0
    assert verify(str(tmp_path / "venue.db")).problems == []


def test_only_new_orders_wait_for_history_and_the_journal_has_what_memory_has_not(
    tmp_path: Path,
) -> None:
    state = ("--state", "venue.db", "--no-agents")
    with Server(*state, folder=tmp_path) as server:
        trade(server, 1)
        assert server.stop() == 0  # with a snapshot
    with Server(*state, folder=tmp_path, program=FAR_BEHIND) as server:
        alice, operator = server.client("alice"), server.client()
        with Listener(server.port, PRIVATE, login(server.account("alice"))) as listener:
            listener.subscribe("orders")
            orders = _frames_of_a_lag(server, tmp_path)
            frames = [listener.until(_of_orders) for _ in range(2 * orders)]
        until_ok(server)
        assert "the journal has them" in server.errors.read_text()
        assert alice.post("/api/v3/order", {**ORDER, "price": "50000"}).status == 200
        closed = answered(alice, "/api/v3/allOrders?symbol=BTCUSDT&limit=100")
        assert len(closed) >= orders
        with Listener(server.port, PRIVATE, login(server.account("alice"))) as listener:
            listener.subscribe("orders?from=0")
            again = [listener.until(_of_orders) for _ in range(len(frames))]
        assert again == frames
        assert operator.get("/_venue/health").json["status"] == "ok"
        assert server.stop() == 0
    assert "Traceback" not in server.errors.read_text()
    assert verify(str(tmp_path / "venue.db")).problems == []


def _of_orders(frame: dict[str, Any]) -> bool:
    return "seq" in frame


def _frames_of_a_lag(server: Server, folder: Path) -> int:
    """With history kept away: orders until one is refused, then all else. How many there were."""
    alice, operator = server.client("alice"), server.client()
    (worker,) = children(server.process.pid)
    assert len(trades(server)) == 1  # history has come along
    placed: list[str] = []
    with held(str(folder / "venue.db.history"), worker):
        while True:
            order = {**ORDER, "price": str(50_000 + len(placed))}
            answer = alice.post("/api/v3/order", order)
            if answer.status != 200:
                break
            placed.append(answer.json["orderId"])
        assert (answer.status, answer.json["message"]) == (
            503, "history is behind; nothing was done",
        )  # fmt: skip
        assert LAG <= len(placed) <= LAG + 1
        for order_id in placed:
            done = alice.delete(f"/api/v3/order?symbol=BTCUSDT&orderId={order_id}")
            assert done.status == 200, done
        for _ in range(KEPT):
            body = {"owner": "bob", "wallet": "SPOT", "asset": "USDT", "amount": "1"}
            assert operator.post("/_venue/deposit", body).status == 200
        assert status(server).startswith("history failed: ")
        assert status(server).endswith("; it is started again")
    return len(placed)


def test_the_helper_has_neither_the_token_nor_the_working_directory(tmp_path: Path) -> None:
    """A user's `signal.py` stays the user's."""
    spoiled = tmp_path / "spoiled"
    (tmp_path / "signal.py").write_text(f"open({str(spoiled)!r}, 'w').write('run')\n")
    secret = "an operator's token, nobody else's"
    process = subprocess.Popen(
        [Path(sys.executable).with_name("venue"), "dev", "--port", "0", "--quiet", "--no-agents"],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "VENUE_OPERATOR_TOKEN": secret, "EXCHANGE_SECRET": secret},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        (worker,) = children(process.pid)
        environment = Path(f"/proc/{worker}/environ").read_bytes()
        assert secret.encode() not in environment
        assert b"VENUE_" not in environment
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    assert not spoiled.exists()
