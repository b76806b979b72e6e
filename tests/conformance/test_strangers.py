"""Strangers, web pages and proxies at a venue's door, with a witness who must notice nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.client import Client
from support.server import Server
from venue.gateway.access.connections import LINGERING_MAX, RESERVED_PER_IP
from venue.gateway.access.proxies import Proxies

WAIT_S = 30
CONNECTIONS = 100  # of one address
MEGABYTE = 1024 * 1024
GET = b"GET /api/v3/ping HTTP/1.1\r\nHost: venue\r\n\r\n"
LAST = b"GET /api/v3/ping HTTP/1.1\r\nHost: venue\r\nConnection: close\r\n\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
STREAM = (
    b"GET /v3/ws/public HTTP/1.1\r\nHost: venue\r\n%sSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n%s\r\n"
)
OTHER_USER = 65534  # runs nothing else on a machine


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--allow-host", "venue.example", "--allow-origin", "http://desk:5173")
    with Server(*options, folder=tmp_path_factory.mktemp("strangers")) as found:
        yield found
        assert "Traceback" not in found.errors.read_text()


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), WAIT_S)


def read_all(connection: socket.socket) -> bytes:
    found = b""
    while chunk := connection.recv(65_536):
        found += chunk
    return found


def say(server: Server, sent: bytes) -> bytes:
    """Everything the venue answers until it closes."""
    with closing(connect(server)) as connection:
        connection.sendall(sent)
        return read_all(connection)


def ask(server: Server, *lines: bytes, path: bytes = b"/api/v3/ping") -> tuple[int, dict[str, Any]]:
    """Status and body of one request with these headers."""
    head = b"\r\n".join([b"GET %s HTTP/1.1" % path, *lines, b"Connection: close", b"", b""])
    answer = say(server, head)
    return int(answer.split()[1]), json.loads(answer.partition(b"\r\n\r\n")[2])


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


# -- web pages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        [b"Host: page.example"],
        [b"Host: page.example:8787", b"Sec-Fetch-Site: same-origin"],
        [b"Host: 127.0.0.1", b"Origin: http://page.example"],
        [b"Host: 127.0.0.1", b"Origin: null"],
        [b"Host: 127.0.0.1", b"Origin: http://127.0.0.1:5173"],
        [b"Host: 127.0.0.1", b"Sec-Fetch-Site: cross-site"],
        [b"Host: 127.0.0.1", b"Sec-Fetch-Site: same-site"],
    ],
)
@pytest.mark.parametrize("path", [b"/api/v3/ping", b"/_venue/health?stateHash=true", b"/nowhere"])
def test_pages_of_others_may_not_call(server: Server, lines: list[bytes], path: bytes) -> None:
    status, body = ask(server, *lines, path=path)
    operators = path.startswith(b"/_venue/")
    assert (status, body["code"]) == (403, -1051 if operators else -1190)
    told = ("see --allow-host", "see --allow-origin", "of another site")
    assert operators or any(words in body["msg"] for words in told), body


@pytest.mark.parametrize(
    "lines",
    [
        [b"Host: localhost:8787"],
        [b"Host: [::1]:8787"],
        [b"Host: venue"],
        [b"Host: Venue.Example:80"],
        [b"Host: 10.1.2.3"],
        [b"Host: 127.0.0.1", b"Origin: http://127.0.0.1", b"Sec-Fetch-Site: same-origin"],
        [b"Host: 127.0.0.1", b"Sec-Fetch-Site: none"],
        [b"Host: 127.0.0.1", b"Origin: http://desk:5173", b"Sec-Fetch-Site: cross-site"],
    ],
)
def test_the_venues_own_names_and_pages_may(server: Server, lines: list[bytes]) -> None:
    assert ask(server, *lines)[0] == 200


def test_a_page_that_may_call_is_told_so(server: Server) -> None:
    head = (
        b"OPTIONS /api/v3/order HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://desk:5173\r\n"
        b"Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n"
    )
    answer = say(server, head).lower()
    assert answer.startswith(b"http/1.1 200 ")
    assert b"access-control-allow-origin: http://desk:5173\r\n" in answer
    assert b"access-sign" in answer


def test_pages_of_others_open_no_stream(server: Server) -> None:
    asked = STREAM % (UPGRADE, b"")
    rebound = asked.replace(b"Host: venue", b"Host: page.example")
    of_others = [rebound, rebound.replace(b"public", b"private")]
    for line in (b"Origin: http://page.example\r\n", b"Sec-Fetch-Site: cross-site\r\n"):
        of_others.append(STREAM % (UPGRADE, line))
    for sent in of_others:
        with closing(connect(server)) as connection:
            connection.sendall(sent)
            assert connection.recv(12) == b"HTTP/1.1 403"


# -- proxies --------------------------------------------------------------------------------------

FORWARD = """
import encodings.idna, os, socket, sys, threading
if os.getuid() == 0:
    os.setuid(int(sys.argv[2]))
def copy(source, target):
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
while True:
    client, _ = listening.accept()
    venue = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    threading.Thread(target=copy, args=(client, venue), daemon=True).start()
    threading.Thread(target=copy, args=(venue, client), daemon=True).start()
"""


@contextmanager
def forwarding(port: int) -> Iterator[int]:
    """A proxy that says nothing of itself, run by another user where this one may do that."""
    command = [sys.executable, "-I", "-c", FORWARD, str(port), str(OTHER_USER)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


def test_a_proxy_of_another_user_makes_nobody_an_operator(server: Server) -> None:
    with forwarding(server.port) as port, closing(Client(port)) as client:
        assert client.get("/api/v3/ping").status == 200
        expected = 403 if os.getuid() == 0 else 200  # otherwise it is the venue's own user
        assert client.get("/_venue/health").status == expected


DEPOSITS = """
import encodings.idna, os, socket, sys
os.setuid(int(sys.argv[2]))
body = b'{"owner":"alice","wallet":"SPOT","asset":"USDT","amount":"7"}'
head = b"POST /_venue/deposit HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n"
head += b"Content-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n"
sent = head % len(body) + body
made = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(20)]
for connection in made:
    connection.sendall(sent)
    connection.close()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="a test of another user needs to be root first")
def test_another_user_who_has_gone_is_no_operator(server: Server) -> None:
    """Enemy: another user of this machine, who sends an operator's request and closes at once.

    The system says of a socket that was closed that it is root's.
    """
    alice = server.client("alice")
    before = alice.get("/api/v3/account/").json["balances"]
    server.process.send_signal(signal.SIGSTOP)  # so the requests are looked at late
    try:
        command = [sys.executable, "-I", "-c", DEPOSITS, str(server.port), str(OTHER_USER)]
        subprocess.run(command, check=True, timeout=WAIT_S)
        closed = f" 0100007F:{server.port:04X} 05 "  # the peer has taken note of the end
        until(lambda: Path("/proc/net/tcp").read_text().count(closed) >= 20)
    finally:
        server.process.send_signal(signal.SIGCONT)
    assert server.client().get("/_venue/health").json["status"] == "ok"
    assert alice.get("/api/v3/account/").json["balances"] == before


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, "it does not come about"
        time.sleep(0.001)


def test_behind_a_trusted_proxy_its_clients_are_told_apart(tmp_path: Path) -> None:
    options = ("--no-agents", "--trusted-proxy", "127.0.0.1")
    with Server(*options, folder=tmp_path) as server:
        here = b"Host: 127.0.0.1"
        assert ask(server, here, path=b"/_venue/health")[0] == 403

        def used(*lines: bytes) -> int:
            head = b"\r\n".join([LAST[:-4], *lines, b"", b""])
            (line,) = [
                line for line in say(server, head).split(b"\r\n") if line.startswith(b"x-used")
            ]
            return int(line.split(b":")[1])

        forged = b"X-Forwarded-For: 9.9.9.9, 8.8.8.8"
        assert [used(b"X-Forwarded-For: 9.9.9.1")] == [1]
        assert [used(forged), used(b"X-Forwarded-For: 1.1.1.1", b"X-Forwarded-For: 8.8.8.8")] in (
            [1, 2],
            [1, 1],  # the window may have ended
        )


@pytest.mark.parametrize(
    ("said", "client"),
    [
        (b"9.9.9.9", "9.9.9.9"),
        (b"::ffff:9.9.9.9", "9.9.9.9"),
        (b"::FFFF:0909:0909", "9.9.9.9"),
        (b"9.9.9.9, ::ffff:10.0.0.1", "9.9.9.9"),
        (b"2001:db8:0::1", "2001:db8::1"),
        (b"9.9.9.9:80", "127.0.0.1"),
    ],
)
def test_an_address_is_one_however_a_proxy_writes_it(said: bytes, client: str) -> None:
    proxies = Proxies(["127.0.0.1", "10.0.0.0/8"])
    assert proxies.client("127.0.0.1", {b"x-forwarded-for": said}) == client


def test_a_proxy_that_is_none_ends_in_words(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="--trusted-proxy nginx"):
        Server("--trusted-proxy", "nginx", folder=tmp_path)
