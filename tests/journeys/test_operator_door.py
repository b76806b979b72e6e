"""Operators: the token decides; without one, the owner of the process at the other end."""

import os
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from support.server import Server
from venue.api.errors import ApiError
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.peers import NOBODY, End, _asked, _looked_up, owner_of

Ask = Callable[[End, End], int | None]

HERE = {b"host": b"127.0.0.1:8787"}
ELSEWHERE = {b"host": b"venue.example:8787"}
SHOWN = {b"authorization": b"Bearer secret token"}


def own() -> int:
    return os.getuid()


def refused(
    door: OperatorDoor, ip: str, headers: dict[bytes, bytes], owner: int | None = None
) -> None:
    with pytest.raises(ApiError) as caught:
        door.check(ip, headers, lambda: own() if owner is None else owner)
    assert (caught.value.code, caught.value.status) == (-1051, 403)


def test_a_token_that_is_set_is_always_asked_for() -> None:
    door = OperatorDoor("secret token")
    refused(door, "10.0.0.9", ELSEWHERE)
    refused(door, "10.0.0.9", ELSEWHERE | {b"authorization": b"Bearer secret"})
    refused(door, "127.0.0.1", HERE)
    door.check("10.0.0.9", ELSEWHERE | SHOWN, own)
    door.check("127.0.0.1", HERE | SHOWN, own)


def test_without_a_token_nobody_elsewhere_is_one() -> None:
    refused(OperatorDoor(), "10.0.0.9", HERE)
    refused(OperatorDoor(), "10.0.0.9", ELSEWHERE | {b"authorization": b"Bearer "})
    refused(OperatorDoor(), "127.0.0.1", ELSEWHERE)
    OperatorDoor().check("127.0.0.1", HERE, own)
    OperatorDoor().check("::1", {b"host": b"[::1]:8787"}, own)


@pytest.mark.parametrize("name", [b"x-forwarded-for", b"forwarded", b"x-real-ip", b"via"])
def test_what_came_through_a_proxy_is_no_operators(name: bytes) -> None:
    refused(OperatorDoor(), "127.0.0.1", HERE | {name: b"1"})
    refused(OperatorDoor(behind_proxy=True), "127.0.0.1", HERE)


def test_another_user_of_the_machine_is_none() -> None:
    """A proxy with nothing but `proxy_pass` looks like a client here, but runs as its own user."""
    refused(OperatorDoor(), "127.0.0.1", HERE, owner=own() + 1)
    refused(OperatorDoor(), "127.0.0.1", HERE, owner=NOBODY)


@pytest.mark.parametrize("ask", [owner_of, _asked, _looked_up])
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


@pytest.mark.parametrize("ask", [owner_of, _asked, _looked_up])
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
