"""HTTP receipt against a real server: deadlines, sizes, framing, connections; raw sockets."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
import uvloop

from support.waits import WAIT_S
from venue.gateway.access.connections import HttpLimits
from venue.gateway.transport.request import Request
from venue.gateway.transport.server import Server, listen

GET = b"GET /a?x=1 HTTP/1.1\r\nHost: h\r\n\r\n"
LAST = b"GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


class Served:
    """Echoes path, query and body; `/slow` is answered only after `release`."""

    def __init__(self, limits: HttpLimits) -> None:
        self.slow_seen = threading.Event()
        self.served = 0
        self._slow: list[Request] = []
        self.listener = listen("127.0.0.1", 0)
        self.port = self.listener.getsockname()[1]
        self._ready = threading.Event()
        self.thread = threading.Thread(target=lambda: uvloop.run(self._run(limits)))
        self.thread.start()
        assert self._ready.wait(WAIT_S)

    async def _run(self, limits: HttpLimits) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        self.server = await Server.start(self.listener, limits, self._serve)
        self._ready.set()
        await self._stopping.wait()
        await self.server.stop()

    def _serve(self, request: Request) -> None:
        self.served += 1
        if request.path == b"/slow":
            self._slow.append(request)
            self.slow_seen.set()
        else:
            self._echo(request)

    @staticmethod
    def _echo(request: Request) -> None:
        request.answer(200, request.path + b"?" + request.query + b" " + request.body)

    def release(self) -> None:
        self._loop.call_soon_threadsafe(lambda: self._echo(self._slow.pop()))

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self.thread.join(WAIT_S)
        assert not self.thread.is_alive()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)


@contextmanager
def serving(**limits: Any) -> Iterator[Served]:
    served = Served(HttpLimits(**limits))
    try:
        yield served
    finally:
        served.stop()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as one:
        yield one


def exchange(served: Served, *chunks: bytes) -> bytes:
    """Everything the server says until it closes."""
    with closing(served.connect()) as client:
        for chunk in chunks:
            client.sendall(chunk)
        return read_all(client)


def read_all(client: socket.socket) -> bytes:
    found = b""
    while chunk := client.recv(65_536):
        found += chunk
    return found


def read_answer(client: socket.socket) -> tuple[int, bytes]:
    """One answer of a connection that stays open."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += client.recv(65_536)
    head, _, body = found.partition(b"\r\n\r\n")
    (length,) = [
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length")
    ]
    while len(body) < length:
        body += client.recv(65_536)
    return int(head.split()[1]), body


def refused(answer: bytes, status: int) -> str:
    """The message of a refusal, which must be the only answer and close the connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), answer
    assert b"\r\nconnection: close" in head
    assert b"\r\ncontent-type: application/json" in head
    assert answer.count(b"HTTP/1.1") == 1
    fields = json.loads(body)
    word = "message" if status >= 500 else "msg"
    assert list(fields) == ["code", word]
    assert fields["code"] < 0
    message = fields[word]
    assert isinstance(message, str)
    return message


def post(body: bytes, *headers: bytes, length: bytes | None = None) -> bytes:
    size = str(len(body)).encode() if length is None else length
    lines = [b"POST /p HTTP/1.1", b"Host: h", b"Content-Length: " + size, *headers]
    return b"\r\n".join([*lines, b"", body])


def sized_head(header_bytes: int) -> bytes:
    """A request whose header block is exactly this long."""
    host = b"Host: h\r\n"
    pad = header_bytes - len(host) - len(b"X: \r\n")
    return b"GET /a HTTP/1.1\r\n" + host + b"X: " + b"a" * pad + b"\r\n\r\n"


# -- what is served -------------------------------------------------------------------------------


def test_keeps_the_connection_for_the_next_request(served: Served) -> None:
    with closing(served.connect()) as client:
        for _ in range(3):
            client.sendall(GET)
            assert read_answer(client) == (200, b"/a?x=1 ")
        client.sendall(post(b"hello"))
        assert read_answer(client) == (200, b"/p? hello")


def test_serves_a_thousand_pipelined_requests_in_order(served: Served) -> None:
    requests = [b"GET /n%d HTTP/1.1\r\nHost: h\r\n\r\n" % n for n in range(999)]
    requests.append(b"GET /n999 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    with closing(served.connect()) as client:
        sender = threading.Thread(target=client.sendall, args=(b"".join(requests),))
        sender.start()
        answer = read_all(client)
        sender.join(WAIT_S)
    found = [part.split(b"\r\n\r\n")[1] for part in answer.split(b"HTTP/1.1 200 OK")[1:]]
    assert found == [b"/n%d? " % n for n in range(1_000)]


def test_serves_a_request_that_comes_byte_by_byte(served: Served) -> None:
    with closing(served.connect()) as client:
        for byte in post(b"hello"):
            client.sendall(bytes((byte,)))
        assert read_answer(client) == (200, b"/p? hello")


def test_answers_expect_and_serves_the_body(served: Served) -> None:
    request = post(b"hello", b"Expect: 100-continue", b"Connection: close")
    answer = exchange(served, request)
    assert answer.endswith(b"/p? hello")


def test_ignores_an_upgrade_to_http2(served: Served) -> None:
    upgrade = (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMA")
    with closing(served.connect()) as client:
        client.sendall(post(b"hello", *upgrade))
        assert read_answer(client) == (200, b"/p? hello")
        client.sendall(GET)
        assert read_answer(client) == (200, b"/a?x=1 ")


def test_serves_http_1_0_without_host(served: Served) -> None:
    assert exchange(served, b"GET /a HTTP/1.0\r\n\r\n").endswith(b"/a? ")


# -- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_bytes",
    [
        sized_head(8_192),
        b"GET /a HTTP/1.1\r\nHost: h\r\n" + b"X: y\r\n" * 39 + b"\r\n",
        b"GET /" + b"a" * 4_095 + b" HTTP/1.1\r\nHost: h\r\n\r\n",
        post(b"b" * 16_384),
    ],
    ids=["header block", "headers", "target", "body"],
)
def test_serves_what_is_exactly_at_a_limit(served: Served, request_bytes: bytes) -> None:
    with closing(served.connect()) as client:
        client.sendall(request_bytes)
        assert read_answer(client)[0] == 200


@pytest.mark.parametrize(
    ("request_bytes", "status", "words"),
    [
        (sized_head(8_193), 431, "8192 bytes"),
        (b"GET /a HTTP/1.1\r\nHost: h\r\n" + b"X: y\r\n" * 40 + b"\r\n", 431, "40 headers"),
        (b"GET /" + b"a" * 4_096 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 414, "4096 bytes"),
        (post(b"b" * 16_385), 413, "16384 bytes"),
        (post(b"", length=b"16385"), 413, "16384 bytes"),
        (post(b"", length=b"9" * 18), 413, "16384 bytes"),
        (post(b"", length=b"9" * 300), 400, "Malformed"),
    ],
    ids=[
        "header block",
        "headers",
        "target",
        "body",
        "announced body",
        "huge body",
        "endless body",
    ],
)
def test_refuses_what_is_over_a_limit(
    served: Served, request_bytes: bytes, status: int, words: str
) -> None:
    assert words in refused(exchange(served, request_bytes), status)


@pytest.mark.parametrize("start", [b"GET /a HTTP/1.1\r\nX: ", b"GET /"], ids=["header", "target"])
def test_refuses_an_endless_head(served: Served, start: bytes) -> None:
    with closing(served.connect()) as client:
        client.sendall(start)
        for _ in range(4):
            client.sendall(b"a" * 4_096)
        refused(read_all(client), 414 if start == b"GET /" else 431)


def test_repeated_headers_are_counted_as_they_come(served: Served) -> None:
    """Each costs as much as all before it: a head of them is not read to its end."""
    head = b"GET /a HTTP/1.1\r\nHost: h\r\n" + b"X: y\r\n" * 50
    assert "40 headers" in refused(exchange(served, head), 431)


def test_the_size_of_one_request_does_not_count_for_the_next(served: Served) -> None:
    with closing(served.connect()) as client:
        client.sendall(post(b"", length=b"16000"))
        client.sendall(b"b" * 16_000 + b"GET /a HTTP/1.1\r\nHost: h\r\n")
        assert read_answer(client)[0] == 200
        client.sendall(b"\r\n")
        assert read_answer(client) == (200, b"/a? ")


# -- framing --------------------------------------------------------------------------------------

CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"POST /p HTTP/1.1\r\nHost: h\r\n" + CHUNKED, 411),
        (b"POST /p HTTP/1.1\r\nHost: h\r\n\r\nhello", 411),
        (b"POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n" + CHUNKED, 400),
        (
            b"POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\n",
            400,
        ),
        (post(b"hello", b"Content-Length: 5"), 400),
        (post(b"hello", b"Content-Length: 6"), 400),
        (post(b"", length=b"-1"), 400),
        (post(b"", length=b"+5"), 400),
        (post(b"", length=b"0x5"), 400),
        (post(b"", length=b""), 400),
        (b"GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nHost: h\r\nX : y\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nHost: h\r\nX: y\r\n folded\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nHost: h\r\nX: \x00\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\nHost: h\n\n", 400),
        (b"GET /a\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"nonsense\r\n\r\n", 400),
    ],
)
def test_refuses_bad_framing(served: Served, request_bytes: bytes, status: int) -> None:
    assert refused(exchange(served, request_bytes), status)


def test_a_refusal_comes_after_the_answers_before_it(served: Served) -> None:
    answer = exchange(served, GET, GET + b"nonsense\r\n\r\n")
    first, second, last = answer.split(b"HTTP/1.1 ")[1:]
    assert first.endswith(b"/a?x=1 ")
    assert second.endswith(b"/a?x=1 ")
    assert last.startswith(b"400 ")


def test_nothing_after_a_refusal_is_served(served: Served) -> None:
    refused(exchange(served, b"GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n" + GET), 400)


# -- deadlines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "start",
    [b"G", b"GET /a HTTP/1.1\r\nHost: h\r\nX: y", b"POST /p HTTP/1.1\r\n"],
)
def test_headers_have_a_deadline(start: bytes) -> None:
    with serving(header_s=0.05, request_s=30.0) as served:
        assert "headers" in refused(exchange(served, start), 408)


def test_a_body_has_a_deadline_and_the_application_never_sees_it() -> None:
    with serving(header_s=0.02, request_s=0.05) as served:
        assert "request" in refused(exchange(served, post(b"hel", length=b"5")), 408)
        assert served.served == 0


def test_a_trickle_does_not_move_the_deadline() -> None:
    with serving(header_s=0.1, request_s=0.3) as served, closing(served.connect()) as client:
        client.sendall(post(b"", length=b"16384"))
        client.settimeout(0.01)
        found = b""
        for _ in range(3_000):
            try:
                found = client.recv(65_536)
                break
            except TimeoutError:
                client.sendall(b"b")
        client.settimeout(WAIT_S)
        refused(found + read_all(client), 408)


def test_a_late_request_is_refused_after_the_answer_before_it() -> None:
    with serving(header_s=0.5) as served, closing(served.connect()) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: h\r\n\r\nGET /b")
        assert served.slow_seen.wait(WAIT_S)
        client.settimeout(0.8)  # longer than the deadline: still no answer
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.settimeout(WAIT_S)
        served.release()
        first, second = read_all(client).split(b"HTTP/1.1 ")[1:]
        assert first.endswith(b"/slow? ")
        assert second.startswith(b"408 ")


@pytest.mark.parametrize("before", [b"", b"\r\n", GET])
def test_an_idle_connection_is_closed(before: bytes) -> None:
    with serving(idle_s=0.5) as served:
        answer = exchange(served, before)
        assert answer.count(b"HTTP/1.1") == (1 if before == GET else 0)


def test_a_slow_answer_is_not_idleness() -> None:
    with serving(idle_s=0.5) as served, closing(served.connect()) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        assert served.slow_seen.wait(WAIT_S)
        client.settimeout(0.8)  # longer than it may be idle: still no answer
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.settimeout(WAIT_S)
        served.release()
        assert read_answer(client) == (200, b"/slow? ")


# -- connections ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"connections_per_ip": 2}, "This address has its maximum of 2"),
        ({"connections": 2}, "The venue has its maximum of 2"),
    ],
)
def test_the_excess_connection_is_refused(limits: dict[str, int], words: str) -> None:
    with serving(**limits) as served:
        first, second = served.connect(), served.connect()
        for client in (first, second):
            client.sendall(GET)
            assert read_answer(client)[0] == 200
        assert words in refused(exchange(served, GET), 503)
        first.close()
        await_room(served)
        second.close()


def await_room(served: Served) -> None:
    """The server learns of an end in its own time: ask until it has."""
    for _ in range(10_000):
        with closing(served.connect()) as client:
            client.sendall(GET)
            if read_answer(client)[0] == 200:
                return
    pytest.fail("a closed connection still counts")


@pytest.mark.parametrize("ending", [b"", b"half-close", LAST])
def test_who_never_reads_the_last_answers_is_not_waited_for(ending: bytes) -> None:
    """The rest is too short for the server to be told that nobody reads it."""
    with serving(connections_per_ip=1, idle_s=0.05, write_s=0.05) as served:
        served.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        with closing(socket.socket()) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            client.connect(("127.0.0.1", served.port))
            client.sendall(post(b"b" * 16_384) * 3 + (LAST if ending == LAST else b""))
            if ending == b"half-close":
                client.shutdown(socket.SHUT_WR)
            await_room(served)


def test_connections_may_be_unlimited() -> None:
    with serving(connections=None, connections_per_ip=None) as served:
        clients = [served.connect() for _ in range(120)]
        for client in clients:
            client.sendall(GET)
        assert [read_answer(client)[0] for client in clients] == [200] * 120
        for client in clients:
            client.close()
