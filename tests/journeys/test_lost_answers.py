"""Answers that were lost: the second of two equal requests has no second effect."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import venue
from support.server import Server, environment
from support.waits import WAIT_S
from venue.api.documents.table import BY_NAME, ROWS
from venue.api.repeating import NAMES, Repetition, repeated_under, repetition

TOKEN = "the token of the operator"
MONEY = {"owner": "alice", "wallet": "SPOT", "asset": "USDT", "amount": "7"}
GIFT = {"owner": "alice", "asset": "USDT", "amount": "7"}
MOVEMENTS = {
    "deposit": MONEY,
    "withdraw": MONEY,
    "transfer": {
        "owner": "alice",
        "from": "SPOT",
        "to": "CONTRACT",
        "asset": "USDT",
        "amount": "7",
    },
    "give_gift": GIFT,
    "take_gift": GIFT,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", folder=tmp_path_factory.mktemp("lost")) as found:
        yield found


def test_each_operation_has_a_judgement() -> None:
    for row in ROWS:
        kind, more = repetition(row)
        assert kind is not Repetition.EACH or more, row.name
    assert {repeated_under(row) for row in ROWS} == {"", *NAMES}
    moving = [row.name for row in ROWS if repeated_under(row) == "reference"]
    assert moving == list(MOVEMENTS)


def everything(server: Server) -> Any:
    """All of alice's money, of each wallet."""
    alice = server.client("alice")
    operator = server.client()
    return (
        alice.get("/api/v3/account").json["balances"],
        alice.get("/capi/v3/account/balance").json,
        operator.get("/_venue/benefits?owner=alice").json,
    )


@pytest.mark.parametrize("name", MOVEMENTS)
def test_a_movement_that_is_sent_again_is_answered_as_the_first(server: Server, name: str) -> None:
    operator = server.client()
    if name == "take_gift":
        operator.post(BY_NAME["give_gift"].path, GIFT)
    path, body = BY_NAME[name].path, MOVEMENTS[name] | {"reference": f"lost/{name}"}
    before = everything(server)
    first = operator.post(path, body)
    assert first.status == 200, first
    after = everything(server)
    assert after != before
    operator.post("/_venue/deposit", MONEY | {"wallet": "FUNDING"})  # others' in between
    again = operator.post(path, body)
    assert (again.status, again.body) == (200, first.body)
    assert everything(server) == after
    other = operator.post(path, body | {"amount": "8"})
    assert (other.status, other.json["code"]) == (400, -1180)
    assert "'reference'" in other.json["msg"]
    assert everything(server) == after


@pytest.mark.parametrize("bad", ["a b", "x" * 41, "\u00e9", 5])
def test_a_reference_that_is_none_is_refused(server: Server, bad: object) -> None:
    answer = server.client().post("/_venue/deposit", MONEY | {"reference": bad})
    assert answer.status == 400
    assert "'reference'" in answer.json["msg"]


@contextmanager
def losing(port: int) -> Iterator[int]:
    """A connection to a venue that loses the answer to each first of two requests."""

    def serve(listening: socket.socket) -> None:
        with closing(listening):
            for lost in (True, False) * 50:
                client, _ = listening.accept()
                with closing(client):
                    asked = _whole(client)
                    if not asked:
                        return
                    with closing(socket.create_connection(("127.0.0.1", port))) as there:
                        there.sendall(asked)
                        answer = _whole(there)
                    if not lost:
                        client.sendall(answer)

    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=serve, args=(listening,))
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        socket.create_connection(listening.getsockname()).close()
        thread.join(30)


def _whole(connection: socket.socket) -> bytes:
    """One message with a body of the length that it says."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            return b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body


def test_clients_and_commands_repeat_under_a_reference_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENUE_OPERATOR_TOKEN", TOKEN)
    with Server("--no-agents", folder=tmp_path) as server, losing(server.port) as port:
        alice = server.client("alice")

        def held() -> Decimal:
            rows = alice.get("/api/v3/account").json["balances"]
            return next(Decimal(row["free"]) for row in rows if row["asset"] == "USDT")

        before = held()
        with venue.Client(f"http://127.0.0.1:{port}", operator_token=TOKEN) as operator:
            moved = operator.deposit(owner="alice", wallet="SPOT", asset="USDT", amount="7")
            assert Decimal(moved.after) == before + 7
            assert held() == before + 7
        done = subprocess.run(
            [sys.executable, "-m", "venue", "faucet", "alice", "SPOT", "USDT", "5"],
            capture_output=True, text=True, timeout=WAIT_S, cwd=tmp_path,
            env={**environment(), "VENUE_URL": f"http://127.0.0.1:{port}"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert held() == before + 12
        assert server.stop() == 0
