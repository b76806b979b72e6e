"""Operators: the token decides; without one, the owner of the process at the other end."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import venue
from support.real_venue import real_venue
from support.server import Server, environment
from support.waits import WAIT_S
from venue.api.errors import ApiError
from venue.client import operator_tokens
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.peers import NOBODY, End, _ask_socket, _looked_up, owner_of

Ask = Callable[[End, End], int | None]

PORT = 8787
HERE = {b"host": b"127.0.0.1:8787"}
ELSEWHERE = {b"host": b"venue.example:8787"}
SHOWN = {b"authorization": b"Bearer secret token"}


def own() -> int:
    return os.getuid()


def refused(
    door: OperatorDoor,
    ip: str,
    headers: dict[bytes, bytes],
    owner: int | None = None,
    *,
    old: bool = False,
) -> None:
    with pytest.raises(ApiError) as caught:
        door.check(ip, headers, lambda: own() if owner is None else owner, old=old)
    assert (caught.value.code, caught.value.status) == (-1051, 403)


def test_a_token_that_is_set_is_always_asked_for() -> None:
    door = OperatorDoor("secret token", port=PORT)
    refused(door, "10.0.0.9", ELSEWHERE)
    refused(door, "10.0.0.9", ELSEWHERE | {b"authorization": b"Bearer secret"})
    refused(door, "127.0.0.1", HERE)
    door.check("10.0.0.9", ELSEWHERE | SHOWN, own)
    door.check("127.0.0.1", HERE | SHOWN, own)


def test_without_a_token_nobody_elsewhere_is_one() -> None:
    refused(OperatorDoor(port=PORT), "10.0.0.9", HERE)
    refused(OperatorDoor(port=PORT), "10.0.0.9", ELSEWHERE | {b"authorization": b"Bearer "})
    refused(OperatorDoor(port=PORT), "127.0.0.1", ELSEWHERE)
    OperatorDoor(port=PORT).check("127.0.0.1", HERE, own)
    OperatorDoor(port=PORT).check("::1", {b"host": b"[::1]:8787"}, own)


@pytest.mark.parametrize(
    "name",
    [
        b"x-forwarded-for", b"x-forwarded-proto", b"forwarded", b"x-real-ip", b"via",
        b"x-request-id",
        b"x-client-ip", b"true-client-ip", b"cf-connecting-ip", b"cdn-loop", b"x-amzn-trace-id",
        b"x-envoy-attempt-count", b"traceparent", b"x-varnish", b"x-original-host",
        b"proxy-connection",
        b"tailscale-user-login", b"x-anything-new", b"origin", b"referer", b"cookie",
        b"sec-fetch-site", b"sec-fetch-dest", b"sec-ch-ua", b"upgrade-insecure-requests",
    ],
)  # fmt: skip
def test_signs_of_a_proxy_or_a_page_are_no_operators(name: bytes) -> None:
    refused(OperatorDoor(port=PORT), "127.0.0.1", HERE | {name: b"1"})
    OperatorDoor("secret token", port=PORT).check("127.0.0.1", HERE | SHOWN | {name: b"1"}, own)


def test_what_came_through_a_proxy_is_no_operators() -> None:
    refused(OperatorDoor(behind_proxy=True, port=PORT), "127.0.0.1", HERE)
    refused(OperatorDoor(port=PORT), "127.0.0.1", HERE, old=True)
    refused(OperatorDoor(port=PORT), "127.0.0.1", {b"host": b"127.0.0.1:9000"})  # ssh -R 9000:...
    refused(OperatorDoor(port=PORT), "127.0.0.1", {b"host": b"127.0.0.1"})  # $host leaves it out
    refused(OperatorDoor(), "127.0.0.1", {b"host": b"127.0.0.1:0"})
    OperatorDoor(port=80).check("127.0.0.1", {b"host": b"127.0.0.1"}, own)


# The headers of programs as they send them.
PROGRAMS = {
    "curl": {b"user-agent": b"curl/8.5.0", b"accept": b"*/*"},
    "requests": {
        b"user-agent": b"python-requests/2.32", b"accept-encoding": b"gzip, deflate",
        b"accept": b"*/*", b"connection": b"keep-alive", b"content-length": b"2",
        b"content-type": b"application/json",
    },
    "urllib": {
        b"accept-encoding": b"identity", b"user-agent": b"Python-urllib/3.13",
        b"connection": b"close",
    },
    "node's fetch": {
        b"connection": b"keep-alive", b"accept": b"*/*", b"accept-language": b"*",
        b"sec-fetch-mode": b"cors", b"user-agent": b"node", b"accept-encoding": b"gzip, deflate",
    },
    "java": {
        b"connection": b"Upgrade, HTTP2-Settings", b"http2-settings": b"AAEAAEAA",
        b"upgrade": b"h2c", b"user-agent": b"Java-http-client/21",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_on_this_machine_are_operators(name: str) -> None:
    OperatorDoor(port=PORT).check("127.0.0.1", HERE | PROGRAMS[name], own)


def test_another_user_of_the_machine_is_none() -> None:
    """A proxy with nothing but `proxy_pass` looks like a client here, but runs as its own user."""
    refused(OperatorDoor(port=PORT), "127.0.0.1", HERE, owner=own() + 1)
    refused(OperatorDoor(port=PORT), "127.0.0.1", HERE, owner=NOBODY)


@pytest.mark.parametrize("ask", [owner_of, _ask_socket, _looked_up])
@pytest.mark.parametrize(
    ("family", "host", "via"),
    [
        (socket.AF_INET, "127.0.0.1", "127.0.0.1"),
        (socket.AF_INET6, "::1", "::1"),
        (socket.AF_INET6, "127.0.0.1", "::ffff:127.0.0.1"),
    ],
)
def test_the_system_tells_whose_socket_it_is(ask: Ask, family: int, host: str, via: str) -> None:
    with closing(socket.socket(family)) as listening, closing(socket.socket(family)) as client:
        listening.bind((via, 0))
        listening.listen()
        server = (host, listening.getsockname()[1])
        client.connect(listening.getsockname())
        here = (host, client.getsockname()[1])
        assert ask(here, server) == os.getuid()
        assert ask((host, server[1]), server) == NOBODY  # it only listens
        client.shutdown(socket.SHUT_WR)
        assert ask(here, server) == os.getuid()


@pytest.mark.parametrize("ask", [owner_of, _ask_socket, _looked_up])
def test_a_socket_that_was_closed_is_nobodys(ask: Ask) -> None:
    """Enemy: another user of this machine, that closes before its request is looked at.

    The system calls the owner of a closed socket root.
    """
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        server = listening.getsockname()
        client = socket.create_connection(server)
        here = client.getsockname()
        accepted, _ = listening.accept()
        with closing(accepted):
            client.close()
            assert accepted.recv(1) == b""  # its end has come
            assert ask(here, server) == NOBODY
        assert ask(here, server) == NOBODY


# -- a running venue ------------------------------------------------------------------------------

HEALTH = "/_venue/health"


def test_where_a_token_is_set_loopback_is_no_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENUE_OPERATOR_TOKEN", "secret token")
    with Server("--no-agents", folder=tmp_path) as server:
        caller = server.client()
        for shown, status in ((None, 403), ("Bearer secret", 403), ("Bearer secret token", 200)):
            assert caller.get(HEALTH, headers={"Authorization": shown}).status == status


# Proxies of the venue's own user send this for a stranger's `curl https://venue.example/...`. Their
# settings are as they come, except for the address of the venue.
FORWARDED = {
    "nginx": b"HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    b"User-Agent: curl/8.5.0\r\nAccept: */*\r\n",
    "nginx, proxy_set_header Host $host, HTTP 1.1": b"HTTP/1.1\r\nHost: localhost\r\n"
    b"User-Agent: curl/8.5.0\r\nAccept: */*\r\n",
    "apache": b"HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: curl/8.5.0\r\n"
    b"Accept: */*\r\nX-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Host: venue.example\r\n"
    b"X-Forwarded-Server: venue.example\r\nConnection: Keep-Alive\r\n",
    "haproxy": b"HTTP/1.1\r\nhost: venue.example\r\nuser-agent: curl/8.5.0\r\naccept: */*\r\n",
    "caddy": b"HTTP/1.1\r\nHost: venue.example\r\nUser-Agent: curl/8.5.0\r\n"
    b"X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\nAccept-Encoding: gzip\r\n",
    "ssh -R 9000": b"HTTP/1.1\r\nHost: localhost:9000\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n",
    "kubectl port-forward 9000": b"HTTP/1.1\r\nHost: 127.0.0.1:9000\r\n"
    b"User-Agent: curl/8.5.0\r\nAccept: */*\r\n",
    "a page, through a development server": b"HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    b"Referer: http://localhost:5173/\r\nConnection: close\r\nAccept: */*\r\n",
}
OUTSIDER = b'{"owner":"alice","wallet":"SPOT","asset":"USDT","amount":"7"}'


def forwarded(server: Server, head: bytes) -> bytes:
    """The answer to a deposit of a stranger's, with these headers."""
    first, _, rest = head.replace(b"{port}", b"%d" % server.port).partition(b"\r\n")
    body = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(OUTSIDER)
    with closing(socket.create_connection(("127.0.0.1", server.port), 30)) as connection:
        connection.sendall(b"POST /_venue/deposit " + first + b"\r\n" + rest + body + OUTSIDER)
        return connection.recv(65_536)


def test_no_proxy_of_the_venues_own_user_makes_operators(tmp_path: Path) -> None:
    """Enemy: a stranger behind a proxy that the venue's user runs."""
    with Server("--no-agents", folder=tmp_path) as server:
        for name, head in FORWARDED.items():
            answer = forwarded(server, head)
            assert answer.startswith((b"HTTP/1.1 403 ", b"HTTP/1.0 403 ")), (name, answer)
            assert b"VENUE_OPERATOR_TOKEN" in answer or b"Permission denied" in answer, name
        here = b"HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: */*\r\n"
        assert forwarded(server, here).startswith(b"HTTP/1.1 200 ")


# -- a real venue: its token ----------------------------------------------------------------------


def command(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "venue", *words],
        capture_output=True, text=True, timeout=WAIT_S, cwd=folder,
        env={**environment(), **variables},
    )  # fmt: skip


def test_a_real_venue_makes_a_token_and_asks_everybody_for_it(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        file = tmp_path / "real.db.operator"
        assert file.stat().st_mode & 0o777 == 0o600
        token = server.token()
        assert len(token) >= 32
        caller = server.client()
        for shown, status in ((None, 403), ("Bearer no", 403), (f"Bearer {token}", 200)):
            answer = caller.get(HEALTH, headers={"Authorization": shown})
            assert answer.status == status
            assert token.encode() not in answer.body
        here = b"HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: */*\r\n"
        assert forwarded(server, here).startswith(b"HTTP/1.1 403 ")
        assert server.stop() == 0
    with real_venue(tmp_path) as server:
        assert server.token() == token
        assert server.stop() == 0


def test_commands_and_the_client_find_the_token(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        there = {"VENUE_URL": server.url}
        done = command(tmp_path, "post", "create_owner", "name=erin", **there)
        assert done.returncode == 0, done.stderr
        with venue.Client(server.url) as client:
            assert [owner.name for owner in client.owners()] == ["erin"]
        wrong = venue.Client(server.url, operator_token="not this one")
        with wrong, pytest.raises(venue.Refused):
            wrong.owners()
        done = command(tmp_path, "status", **there, VENUE_OPERATOR_TOKEN="not this one")
        assert done.returncode == 2
        assert "FILE.operator" in done.stderr
        assert operator_tokens.find_token("127.0.0.1", server.port) == server.token()
        assert server.stop() == 0
    # A program that listens there next does not get it.
    assert operator_tokens.find_token("127.0.0.1", server.port) == ""


@pytest.mark.parametrize("kill", [False, True])
def test_who_listens_after_the_venue_gets_no_token(tmp_path: Path, kill: bool) -> None:
    """Enemy: a program that waits for the venue to end, and takes its port."""
    with real_venue(tmp_path) as server:
        if kill:
            server.kill()
        else:
            assert server.stop() == 0
    with closing(socket.create_server(("127.0.0.1", server.port))) as listening:
        script = [sys.executable, "-m", "venue", "status", "--url", server.url]
        with subprocess.Popen(script, env=environment(), stderr=subprocess.PIPE) as process:
            accepted, _ = listening.accept()
            with closing(accepted):
                said = accepted.recv(65_536)
            process.communicate(timeout=WAIT_S)
    assert said.startswith(b"GET /_venue/health")
    assert b"authorization" not in said.lower()


@pytest.mark.parametrize(
    ("mode", "text", "words"),
    [(0o640, "x" * 40, "other users could read this token"), (0o600, "short", "holds no token")],
)
def test_a_token_that_is_none_keeps_the_venue_from_starting(
    tmp_path: Path, mode: int, text: str, words: str
) -> None:
    file = tmp_path / "real.db.operator"
    file.write_text(text)
    file.chmod(mode)
    with pytest.raises(RuntimeError, match=words):
        real_venue(tmp_path)
    assert file.read_text() == text


def test_a_token_of_the_environment_stands_for_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENUE_OPERATOR_TOKEN", "the token of the operator")
    with real_venue(tmp_path) as server:
        assert not (tmp_path / "real.db.operator").exists()
        shown = {"Authorization": "Bearer the token of the operator"}
        assert server.client().get(HEALTH, headers=shown).status == 200
        assert server.stop() == 0


def test_a_busy_bot_takes_no_weight_from_operators(tmp_path: Path) -> None:
    """Enemy: a program on the operator's machine that asks as much as it may, and more."""
    with Server("--no-agents", "--real-limits", folder=tmp_path) as server:
        bot, operator = server.client(), server.client()
        while bot.get("/openapi.json").status == 200:
            pass
        assert bot.get("/api/v3/ping").status == 429
        for _ in range(10):
            assert operator.get(HEALTH).status == 200


def test_who_is_no_operator_takes_no_weight_from_those_who_are(tmp_path: Path) -> None:
    """Enemy: a stranger who has the operator's address, and asks for the operator's rows."""
    with Server("--no-agents", "--real-limits", folder=tmp_path) as server:
        stranger, operator = server.client(), server.client()
        while (refused := stranger.get(HEALTH, headers={"Via": "1.1 proxy"})).status == 403:
            pass
        assert refused.status == 429
        for _ in range(10):
            assert operator.get(HEALTH).status == 200
