"""Streams behind trusted proxies: the client's address counts; a forged header gains nothing."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from support.server import Server
from support.waits import WAIT_S

MOST = 100  # streams of one address
# All of 127/8 are addresses of this machine.
PROXY, STRANGER, OTHER = "127.0.0.7", "127.0.0.8", "127.0.0.9"
OPEN, FULL = 101, 503
UPGRADE = (
    "GET /v3/ws/public HTTP/1.1\r\nHost: venue\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{lines}\r\n"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("forwarded")
    with Server("--no-agents", "--trusted-proxy", PROXY, folder=folder) as found:
        yield found
        assert "Traceback" not in found.errors.read_text()


def forwarded(*addresses: str) -> str:
    return "".join(f"X-Forwarded-For: {address}\r\n" for address in addresses)


class Crowd:
    """Connections from any address of this machine, all closed at the end."""

    def __init__(self, server: Server, stack: ExitStack) -> None:
        self._port = server.port
        self._stack = stack

    def stream(self, source: str, lines: str = "") -> int:
        """Ask for a stream and stay; the status of the answer."""
        return self.say(source, UPGRADE.format(lines=lines))[0]

    def fill(self, source: str, lines: str = "") -> None:
        """As many streams as one address may have."""
        assert [self.stream(source, lines) for _ in range(MOST)] == [OPEN] * MOST
        assert self.stream(source, lines) == FULL

    def say(self, source: str, text: str) -> tuple[int, bytes]:
        """Status and all that came with it."""
        address = ("127.0.0.1", self._port)
        made = socket.create_connection(address, WAIT_S, source_address=(source, 0))
        self._stack.enter_context(closing(made))
        made.sendall(text.encode())
        found = b""
        while b"\r\n\r\n" not in found:
            chunk = made.recv(65_536)
            assert chunk, "no answer"
            found += chunk
        return int(found.split()[1]), found


@pytest.fixture
def crowd(server: Server) -> Iterator[Crowd]:
    """Each test has addresses of its own: the last one's connections may not be gone yet."""
    with ExitStack() as stack:
        yield Crowd(server, stack)


def test_streams_count_for_the_forwarded_address(crowd: Crowd) -> None:
    """Enemy: one client behind a proxy that takes every stream of the proxy's other clients."""
    crowd.fill(PROXY, forwarded("203.0.113.1"))
    assert crowd.stream(PROXY, forwarded("203.0.113.2")) == OPEN
    assert crowd.stream(OTHER) == OPEN


def test_a_client_cannot_choose_another_address_through_a_proxy(crowd: Crowd) -> None:
    """Enemy: a client that sends the header itself; the proxy appends the client's address."""
    crowd.fill(PROXY, forwarded("198.51.100.1, 203.0.113.3"))
    for first in ("198.51.100.2", "127.0.0.1", "nonsense"):
        assert crowd.stream(PROXY, forwarded(f"{first}, 203.0.113.3")) == FULL
        assert crowd.stream(PROXY, forwarded(first, "203.0.113.3")) == FULL
        assert crowd.stream(PROXY, forwarded(f"{first}, 203.0.113.3", PROXY)) == FULL
    # Nor can it have others refused in its name.
    assert crowd.stream(PROXY, forwarded("203.0.113.3, 203.0.113.4")) == OPEN


def test_the_header_of_a_peer_that_is_no_proxy_is_ignored(crowd: Crowd) -> None:
    """Enemy: a stranger that writes another address into each of its upgrades."""
    streams = [crowd.stream(STRANGER, forwarded(f"203.0.113.{n}")) for n in range(100, 201)]
    assert streams == [OPEN] * MOST + [FULL]
    # The addresses it named have all of their streams.
    assert crowd.stream(PROXY, forwarded("203.0.113.100")) == OPEN


def test_a_proxy_that_names_nobody_is_one_client(crowd: Crowd) -> None:
    """Enemy: a client that has its proxy send what is no address, to be counted nowhere."""
    for lines in (forwarded("unknown"), forwarded(""), forwarded("203.0.113.5,"), ""):
        assert crowd.stream(PROXY, lines) == OPEN
    for n in range(MOST - 4):
        assert crowd.stream(PROXY, forwarded(f"unknown{n}")) == OPEN
    assert crowd.stream(PROXY, forwarded("_hidden")) == FULL


@pytest.mark.parametrize("source", [PROXY, STRANGER, "127.0.0.1"])
@pytest.mark.parametrize(
    "lines",
    ["", forwarded("127.0.0.1"), forwarded("::1"), forwarded("127.0.0.1, 127.0.0.1"),
     forwarded("203.0.113.6")],
    ids=["none", "loopback", "loopback of IPv6", "twice", "elsewhere"],
)  # fmt: skip
def test_no_forwarded_address_opens_the_operators_door(
    crowd: Crowd, source: str, lines: str
) -> None:
    """Enemy: a client that has itself forwarded as this machine, to be taken for the operator."""
    text = f"GET /_venue/health HTTP/1.1\r\nHost: 127.0.0.1\r\n{lines}Connection: close\r\n\r\n"
    status, answer = crowd.say(source, text)
    assert (status, b'"code":-1051' in answer) == (403, True)


def test_without_proxies_a_forwarded_request_is_no_operators(tmp_path: Path) -> None:
    """Enemy: a client of a proxy that the venue was not told of."""
    with Server("--no-agents", folder=tmp_path) as server, ExitStack() as stack:
        crowd = Crowd(server, stack)
        text = (
            f"GET /_venue/health HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{{lines}}"
            "Connection: close\r\n\r\n"
        )
        assert crowd.say("127.0.0.1", text.format(lines=forwarded("127.0.0.1")))[0] == 403
        status, answer = crowd.say("127.0.0.1", text.format(lines=""))
        assert status == 200
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["status"] == "ok"
