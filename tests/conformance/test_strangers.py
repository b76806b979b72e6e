"""Strangers at a venue's door, with a witness who must notice nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from support.asking import LAST, OTHER_USER, STREAM, UPGRADE, ask, connect, read_all, say
from support.listening import Listener
from support.server import Server
from venue.candles import INTERVALS
from venue.gateway.access.connections import LINGERING_MAX, RESERVED_PER_IP

CONNECTIONS = 100  # of one address
MEGABYTE = 1024 * 1024
REFUSED = b"GET /api/v3/market/depth HTTP/1.1\r\nHost: venue\r\n\r\n"  # without a symbol
REFUSED_LAST = REFUSED[:-2] + b"Connection: close\r\n\r\n"
GET = b"GET /api/v3/ping HTTP/1.1\r\nHost: venue\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", folder=tmp_path_factory.mktemp("strangers")) as found:
        yield found
        assert "Traceback" not in found.errors.read_text()


def open_files(server: Server) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def memory(server: Server) -> int:
    """Bytes that the venue's process holds."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


# -- what one connection can do -------------------------------------------------------------------


@pytest.mark.parametrize(
    "sent",
    [
        b"CONNECT /x HTTP/1.1\r\nHost: venue\r\n\r\n",
        b"CONNECT venue:80 HTTP/1.1\r\nHost: venue\r\n\r\n",
    ],
)
def test_connect_is_refused(server: Server, sent: bytes) -> None:
    assert say(server, sent * 1_000).startswith(b"HTTP/1.1 400 ")


def test_upgrades_that_are_ignored_are_answered_one_after_another(server: Server) -> None:
    ignored = b"GET /api/v3/ping HTTP/1.1\r\nHost: venue\r\n" + UPGRADE + b"\r\n"
    answer = say(server, ignored * 2_000 + LAST)
    assert answer.count(b"HTTP/1.1 200 OK") == 2_001


def test_the_body_behind_an_ignored_upgrade_is_no_request(server: Server) -> None:
    body = GET
    head = b"POST /api/v3/ping HTTP/1.1\r\nHost: venue\r\n%sContent-Length: %d\r\n\r\n"
    answer = say(server, head % (UPGRADE, len(body)) + body + LAST)
    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"400", b"200"]


def test_an_upgrade_behind_a_request_leaves_it_its_answer(server: Server) -> None:
    first, second = say(server, GET + STREAM % (UPGRADE, b"")).split(b"HTTP/1.1 ")[1:]
    assert first.startswith(b"200 ")
    assert second.startswith(b"400 ")


def test_what_comes_with_an_upgrade_is_answered_behind_it(server: Server) -> None:
    """Enemy: a client that does not wait for the answer to its upgrade before it sends frames.

    Some were answered before it, others were lost.
    """
    pings = b"".join(b"\x89\x84" + bytes(4) + b"%04d" % number for number in range(90))
    text = b'{"method":"PING","id":1}' + b" " * 6_000
    message = b"\x81\xfe" + len(text).to_bytes(2, "big") + bytes(4) + text
    end = b"\x88\x82" + bytes(4) + b"\x03\xe8"
    answer = say(server, STREAM % (UPGRADE, b"") + pings + message + end)
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 ")
    pongs = [rest.find(b"\x8a\x04%04d" % number) for number in range(90)]
    assert pongs == sorted(pongs)
    assert min(rest.find(b'"connected"'), pongs[0], rest.find(b'{"result":true,"id":1}')) > 0
    assert rest.endswith(b"\x88\x02\x03\xe8")


def test_who_pipelines_without_reading_fills_no_memory(tmp_path: Path) -> None:
    """Its own sending stalls, and others are served meanwhile."""
    documents = b"GET /openapi.json HTTP/1.1\r\nHost: venue\r\n\r\n"
    with Server("--no-agents", "--no-limits", folder=tmp_path) as server, ExitStack() as stack:
        before = memory(server)
        for sent in (GET, documents, STREAM % (b"", b"")):
            connection = stack.enter_context(closing(connect(server)))
            connection.settimeout(1.0)
            with pytest.raises(TimeoutError):
                connection.sendall(sent * (64 * MEGABYTE // len(sent)))
        assert server.client().get("/api/v3/ping").status == 200
        assert memory(server) - before < 32 * MEGABYTE


@pytest.fixture
def stopped(server: Server) -> Iterator[Callable[[], None]]:
    """The venue does not run until it is called: what is sent meanwhile comes at once."""
    server.process.send_signal(signal.SIGSTOP)

    def go_on() -> None:
        server.process.send_signal(signal.SIGCONT)

    try:
        yield go_on
    finally:
        go_on()


def test_who_sends_many_requests_at_once_takes_turns_with_others(
    server: Server, stopped: Callable[[], None]
) -> None:
    """Enemy: a stranger whose requests take a hundredth of a second each, sent in one piece."""
    many = 200
    with closing(connect(server)) as hostile, closing(connect(server)) as witness:
        hostile.sendall(REFUSED * (many - 1) + REFUSED_LAST)
        witness.sendall(REFUSED_LAST)
        stopped()
        (number,) = numbers(read_all(witness))
        others = numbers(read_all(hostile))
    assert len(others) == many
    assert sum(other < number for other in others) <= 2


def test_first_frames_of_many_channels_hold_nobody_up(server: Server) -> None:
    """Enemy: a stranger who subscribes to all charts of all markets, again and again. A later
    message is answered before them."""
    charts = [
        f"{symbol}@kline_{interval}_LAST_PRICE"
        for symbol in ("BTCUSDT", "ETHUSDT", "SOLUSDT")
        for interval in INTERVALS
    ]
    with Listener(server.port, "/v3/ws/public") as hostile:
        server.process.send_signal(signal.SIGSTOP)  # so that both are read in one turn
        hostile.say({"method": "SUBSCRIBE", "params": charts, "id": 1})
        hostile.say({"method": "PING", "id": 2})
        server.process.send_signal(signal.SIGCONT)
        told = [hostile.receive() for _ in range(len(charts) + 2)]
    assert told[:2] == [{"result": True, "id": 1}, {"result": True, "id": 2}]
    assert {frame["e"] for frame in told[2:]} == {"klineSnapshot"}
    assert [frame["s"] for frame in told[2:]] == [chart.partition("@")[0] for chart in charts]


def numbers(answers: bytes) -> list[int]:
    """The numbers of refused requests, in the order in which they were served."""
    found = re.findall(rb"\r\nx-venue-request-id: (\w+)\r\n", answers, re.IGNORECASE)
    return [int(number) for number in found]


@pytest.mark.parametrize("linger", [True, False], ids=["half-closed", "reset"])
def test_who_leaves_before_the_answer_leaves_nothing(server: Server, linger: bool) -> None:
    """Enemy: a client that ends its connection while its orders are on the way to the disk."""
    for number in range(20):
        sent = b"".join(placing(server, f"{40_000 + 3 * number + own}.00") for own in range(3))
        with closing(connect(server)) as gone:
            gone.sendall(sent)
            if linger:
                gone.shutdown(socket.SHUT_WR)
                assert read_all(gone).count(b"HTTP/1.1 200 ") == 3
            else:
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert server.client("alice").delete("/api/v3/openOrders?symbol=BTCUSDT").status == 200
    assert "Traceback" not in server.errors.read_text()


def placing(server: Server, price: str) -> bytes:
    """A signed order of alice's, as it goes over the wire."""
    body = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.0001"}
    raw = json.dumps({**body, "price": price}).encode()
    headers = server.client("alice").headers("POST", "/api/v3/order", raw)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"POST /api/v3/order HTTP/1.1\r\nHost: venue\r\n{lines}Content-Length: {len(raw)}"
    return head.encode() + b"\r\n\r\n" + raw


@pytest.mark.parametrize(
    ("begin", "frame"),
    [(b"", b"\x89\x80"), (b"\x01\x80" + bytes(4), b"\x00\x80")],
    ids=["pings", "empty fragments"],
)
def test_a_flood_of_small_frames_is_ended(server: Server, begin: bytes, frame: bytes) -> None:
    """Enemy: one socket without a key, which sends the smallest frames that there are."""
    words = b"more than 100 pings or fragments a second"
    with closing(connect(server)) as flood, closing(connect(server)) as witness:
        flood.sendall(STREAM % (UPGRADE, b"") + begin + (frame + bytes(4)) * 20_000)
        found = b""
        while words not in found:
            chunk = flood.recv(65_536)
            assert chunk, "closed without a word"
            found += chunk
        flood.settimeout(1.0)
        with pytest.raises((TimeoutError, ConnectionError)):  # nobody reads it any more
            flood.sendall(bytes(64 * MEGABYTE))
        witness.sendall(GET)
        assert witness.recv(65_536).startswith(b"HTTP/1.1 200 ")


# -- what one address can do ----------------------------------------------------------------------


def fill(server: Server, stack: ExitStack, sent: bytes, answer: bytes) -> bytes:
    """Open connections that say this until one gets another answer; return that answer."""
    for _ in range(CONNECTIONS + 1):
        connection = stack.enter_context(closing(connect(server)))
        connection.sendall(sent)
        found = connection.recv(65_536)
        if not found.startswith(answer):
            return found
    pytest.fail("an address has more connections than it may")


def test_refused_upgrades_keep_their_seat(server: Server) -> None:
    """A login that fails leaves a connection that closes slowly; it counts until it is gone."""
    private = (STREAM % (UPGRADE, b"")).replace(b"/v3/ws/public", b"/v3/ws/private")
    with ExitStack() as stack:
        before = open_files(server)
        answer = fill(server, stack, private, b"HTTP/1.1 401 ")
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"This address has its maximum of 100 connections." in answer
        for _ in range(3 * CONNECTIONS):
            refused = stack.enter_context(closing(connect(server)))
            refused.sendall(private)
            assert refused.recv(65_536).startswith(b"HTTP/1.1 503 ")
        # Those with a seat, and those that may still read why they have none.
        assert open_files(server) - before <= CONNECTIONS + RESERVED_PER_IP + LINGERING_MAX


def test_operators_come_in_where_an_address_is_full(server: Server) -> None:
    with ExitStack() as stack:
        assert fill(server, stack, GET, b"HTTP/1.1 200 ").startswith(b"HTTP/1.1 503 ")
        here = b"Host: 127.0.0.1:%d" % server.port
        assert ask(server, here, path=b"/_venue/health")[0] == 200


CROWD = """
import encodings.idna, os, select, socket, sys
os.setuid(int(sys.argv[2]))
def connected():
    return socket.create_connection(("127.0.0.1", int(sys.argv[1])))
kept = [connected() for _ in range(100)]
for one in kept:
    one.sendall(b"GET /api/v3/ping HTTP/1.1\\r\\nHost: venue\\r\\n\\r\\n")
    one.recv(65536)
waiting = [connected() for _ in range(8)]
print("full", flush=True)
while True:
    for one in select.select(waiting, [], [])[0]:
        one.close()
        waiting[waiting.index(one)] = connected()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="a test of another user needs to be root first")
def test_another_user_takes_no_operators_connections(tmp_path: Path) -> None:
    """Enemy: another user of this machine, who takes each connection that becomes free."""
    command = [sys.executable, "-I", "-c", CROWD]
    with (
        Server("--no-agents", folder=tmp_path) as server,
        subprocess.Popen(
            [*command, str(server.port), str(OTHER_USER)], stdout=subprocess.PIPE
        ) as crowd,
    ):
        assert crowd.stdout is not None
        assert crowd.stdout.readline() == b"full\n"
        try:
            here = b"Host: 127.0.0.1:%d" % server.port
            for _ in range(20):
                assert ask(server, here, path=b"/_venue/health")[0] == 200
        finally:
            crowd.kill()


@pytest.mark.parametrize(
    ("method", "path", "status", "weight"),
    [
        ("GET", "/nowhere", 404, 1),
        ("PUT", "/api/v3/order", 400, 1),
        ("GET", "/openapi.json", 200, 20),
        ("GET", "/asyncapi.json", 200, 20),
    ],
)
def test_what_there_is_not_costs_weight(
    server: Server, method: str, path: str, status: int, weight: int
) -> None:
    anyone = server.client()

    def used() -> int:
        return int(anyone.get("/api/v3/ping").headers["x-used-weight-10s"])

    for _ in range(2):  # a window may end meanwhile, two do not
        before = used()
        assert anyone.call(method, path, b"").status == status
        after = used()
        if after - before == weight + 1:
            return
    pytest.fail(f"{before}, then {after}")
