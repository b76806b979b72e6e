"""Open files: the caps of connections fit what the system allows, and no crowd uses it up."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from support.server import Server, environment
from support.waits import WAIT_S

SOURCES = [f"127.0.0.{n}" for n in range(11, 16)]  # all of 127/8 are addresses of this machine
GET = b"GET /api/v3/ping HTTP/1.1\r\nHost: venue\r\n\r\n"
STREAM = (
    b"GET /v3/ws/public HTTP/1.1\r\nHost: venue\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
FILES = 460  # of which 200 are left for connections: 100 for HTTP, 100 for streams
EACH = 100


def limited(soft: int, hard: int) -> tuple[str, ...]:
    return ("support.descriptors", str(soft), str(hard))


def connect(server: Server, source: str) -> socket.socket:
    here = ("127.0.0.1", server.port)
    return socket.create_connection(here, WAIT_S, source_address=(source, 0))


def crowd(server: Server, stack: ExitStack, count: int) -> Iterator[socket.socket]:
    """So many connections, evenly from all addresses."""
    for number in range(count):
        yield stack.enter_context(closing(connect(server, SOURCES[number % len(SOURCES)])))


def asks_health(server: Server) -> bytes:
    """An operator's request, as a program of this machine sends it."""
    return b"GET /_venue/health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port


def status(connection: socket.socket, sent: bytes) -> int:
    """The status of the answer; 0 when there is none."""
    try:
        connection.sendall(sent)
        found = connection.recv(65_536)
    except OSError:
        return 0
    return int(found.split()[1]) if found else 0


def allowed(server: Server) -> tuple[int, int]:
    """Soft and hard limit of the venue's open files."""
    return resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)


def open_files(server: Server) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, "it does not come about"


def sleeps(server: Server) -> bool:
    """Whether the venue's process waits for something to happen."""
    text = Path(f"/proc/{server.process.pid}/stat").read_text()
    return text.rpartition(")")[2].split()[0] == "S"


def test_the_soft_limit_is_raised_as_far_as_the_caps_need(tmp_path: Path) -> None:
    """Enemy: a system whose usual soft limit (1,024, 256) is far below 4,000 connections."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Server("--no-agents", folder=tmp_path, program=limited(256, most)) as server:
        soft, hard = allowed(server)
        assert (min(most, 4_200) <= soft <= hard, hard) == (True, most)
        health = server.client().get("/_venue/health").json
        assert (health["status"], bool(health["warnings"])) == ("ok", most < 4_200)


def test_caps_shrink_to_what_the_system_allows(tmp_path: Path) -> None:
    """Enemy: strangers of several addresses, who together open more than the venue may have.

    They are told so, the operator comes in, and the venue has files left for its own work.
    """
    state = str(tmp_path / "state")
    with (
        Server("--state", state, folder=tmp_path, program=limited(256, FILES)) as server,
        ExitStack() as stack,
    ):
        operator = server.client()
        health = operator.get("/_venue/health").json
        (told,) = health["warnings"]
        assert told in server.errors.read_text()
        for words in (f" {FILES} ", f"{EACH} HTTP connections and {EACH} streams", "ulimit"):
            assert words in told
        assert (health["status"], allowed(server)) == ("ok", (FILES, FILES))
        streams = [status(one, STREAM) for one in crowd(server, stack, EACH)]
        assert streams == [101] * EACH
        (last,) = crowd(server, stack, 1)
        assert status(last, STREAM) == 503
        found = [status(one, GET) for one in crowd(server, stack, 2 * EACH)]
        let_in = found.count(200)  # the operator has a seat, the refused stream may have one still
        assert let_in in (EACH - 2, EACH - 1)
        assert found == [200] * let_in + [503] * (2 * EACH - let_in)
        with closing(connect(server, "127.0.0.1")) as reserved:
            assert status(reserved, asks_health(server)) == 200
        alice = server.client("alice")
        alice.connection = operator.connection
        body = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.0001"}
        for number in range(50):
            placed = alice.post("/api/v3/order", {**body, "price": f"{30_000 + number}.00"})
            assert placed.status == 200, placed
        assert operator.get("/_venue/health").json["status"] == "ok"
        assert open_files(server) < FILES
        assert server.stop() == 0
        assert "Traceback" not in server.errors.read_text()


def test_without_limits_the_system_s_are_kept(tmp_path: Path) -> None:
    """Enemy: a load generator against `--no-limits`, which asks for more than there is."""
    with (
        Server("--no-limits", folder=tmp_path, program=limited(256, FILES)) as server,
        ExitStack() as stack,
    ):
        operator = server.client()
        assert operator.get("/_venue/health").json["warnings"] == []
        made = [stack.enter_context(closing(connect(server, "127.0.0.1"))) for _ in range(EACH + 9)]
        found = [status(one, GET) for one in made]
        assert found == [200] * (EACH - 1) + [503] * 10
        assert operator.get("/_venue/health").json["status"] == "ok"


def test_a_venue_with_room_for_nobody_ends_in_words(tmp_path: Path) -> None:
    command = [sys.executable, "-m", *limited(64, 100), "dev", "--port", "0", "--quiet"]
    found = subprocess.run(
        command, env=environment(), cwd=tmp_path, timeout=WAIT_S,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 2
    assert "100 files" in found.stderr
    assert "Traceback" not in found.stderr


def test_no_file_is_left_for_another_connection(tmp_path: Path) -> None:
    """Enemy: a crowd at a venue whose limit was lowered while it runs.

    Connections that cannot be accepted are closed. The venue does not spin, those within are
    served, and others come in when files are free again.
    """
    with Server("--no-agents", folder=tmp_path) as server, ExitStack() as stack:
        within = stack.enter_context(closing(connect(server, "127.0.0.1")))
        assert status(within, GET) == 200
        before = open_files(server)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (before + 10,) * 2)
        with ExitStack() as outside:
            found = [status(one, GET) for one in crowd(server, outside, 40)]
            assert found == [200] * 10 + [0] * 30
            for _ in range(20):
                assert status(within, GET) == 200
                until(lambda: sleeps(server))
        until(lambda: open_files(server) == before)
        with closing(connect(server, SOURCES[0])) as late:
            assert status(late, GET) == 200
        assert status(within, asks_health(server)) == 200
        assert "Traceback" not in server.errors.read_text()
        assert server.stop() == 0
