"""Proxies before a venue's door: none makes an operator of its clients."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from support.asking import LAST, OTHER_USER, ask, say
from support.client import Client
from support.server import Server
from support.waits import WAIT_S
from venue.api.errors import ApiError
from venue.gateway.access.attempts import Attempts
from venue.gateway.access.auth import BAD_PASSPHRASES_MAX
from venue.gateway.access.connections import Gate, HttpLimits
from venue.gateway.access.proxies import Proxies


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", folder=tmp_path_factory.mktemp("proxies")) as found:
        yield found
        assert "Traceback" not in found.errors.read_text()


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
        assert client.get("/_venue/health").status == 403


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


def test_addresses_of_one_ipv6_network_share_limits(tmp_path: Path) -> None:
    """Enemy: a stranger who has 2^64 addresses, as each client of IPv6 has."""
    first, near, far = b"2001:db8:0:1::1", b"2001:db8:0:1:ffff::2", b"2001:db8:0:2::1"
    options = ("--no-agents", "--trusted-proxy", "127.0.0.1")
    with Server(*options, folder=tmp_path) as server:

        def used(ip: bytes) -> int:
            head = LAST[:-4] + b"\r\nX-Forwarded-For: " + ip + b"\r\n\r\n"
            (line,) = [
                line for line in say(server, head).split(b"\r\n") if line.startswith(b"x-used")
            ]
            return int(line.split(b":")[1])

        # A window may end between two: not thrice in a row.
        assert any(used(near) - used(first) == -1 for _ in range(3))
        assert used(far) == 1
        key = {"ACCESS-KEY": "demo-alice", "ACCESS-PASSPHRASE": "wrong"}
        alice = server.client("alice")
        answers = [
            alice.get("/api/v3/openOrders", headers={**key, "X-Forwarded-For": ip.decode()}).json
            for ip in [near] * BAD_PASSPHRASES_MAX
        ]
        assert {answer["code"] for answer in answers} == {-1049}, answers
        right = alice.get("/api/v3/openOrders", headers={"X-Forwarded-For": first.decode()})
        other = alice.get("/api/v3/openOrders", headers={"X-Forwarded-For": far.decode()})
        assert (right.status, other.status) == (400, 200), (right, other)


def test_connections_and_attempts_of_one_ipv6_network_count_together() -> None:
    gate = Gate(HttpLimits(connections_per_ip=1))
    assert gate.enter("2001:db8::1") is None
    assert gate.enter("2001:db8::ffff:2") is not None
    assert gate.enter("2001:db8:0:1::1") is None
    assert gate.enter("fe80::1%eth0") is None
    assert gate.enter("9.9.9.9") is None
    gate.leave("2001:db8::1")
    assert gate.enter("2001:db8::ffff:2") is None
    attempts = Attempts(1)
    attempts.note("2001:db8::1", 0.0)
    with pytest.raises(ApiError):
        attempts.note("2001:db8::2", 0.0)
    attempts.note("2001:db8:0:1::2", 0.0)


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
