"""Requests that come at once are served in turns of their callers.

Enemy: an owner with hundreds of connections, behind all of which another owner's request waited.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path
from typing import Any, cast

from support.server import Server
from venue.gateway.transport.request import Request
from venue.gateway.transport.turns import AT_ONCE, Turns

MANY = 3 * AT_ONCE


def request(caller: str, number: int) -> Request:
    """A request that names a key, or none; it is never answered here."""
    headers = {b"access-key": caller.encode()} if caller else {}
    return Request(cast(Any, None), "192.0.2.7", b"GET", b"/%d" % number, headers, ())


def served(*came: Request) -> list[Request]:
    """The requests of one turn of the loop, in the order in which they are served."""
    order: list[Request] = []

    async def scene() -> None:
        turns = Turns(order.append, asyncio.get_running_loop())
        for one in came:
            turns.take(one)
        while len(order) < len(came):
            await asyncio.sleep(0)

    asyncio.run(scene())
    return order


def test_as_many_as_a_turn_takes_are_served_as_they_come() -> None:
    came = [request("flood", number) for number in range(AT_ONCE)]
    came[-1].headers = {b"access-key": b"other"}
    assert served(*came) == came


def test_a_newcomer_waits_for_one_turn_and_not_for_a_flood() -> None:
    flood = [request("flood", number) for number in range(MANY)]
    other, stranger = request("other", 0), request("", 0)
    order = served(*flood, other, stranger)
    assert order[:AT_ONCE] == flood[:AT_ONCE]
    assert order.index(other) <= AT_ONCE + 2
    assert order.index(stranger) <= AT_ONCE + 2
    assert [one for one in order if one not in (other, stranger)] == flood  # each caller's in order


def test_the_next_requests_of_a_turn_wait_behind_those_before() -> None:
    order: list[Request] = []
    first = [request("flood", number) for number in range(2 * AT_ONCE)]
    later = [request("flood", number) for number in range(AT_ONCE)]

    async def scene() -> None:
        turns = Turns(order.append, asyncio.get_running_loop())
        for one in first:
            turns.take(one)
        await asyncio.sleep(0)
        for one in later:
            turns.take(one)
        while len(order) < len(first) + len(later):
            await asyncio.sleep(0)

    asyncio.run(scene())
    assert order == [*first, *later]


def test_every_connection_of_a_crowd_is_answered(tmp_path: Path) -> None:
    """All of them have asked before the venue sees the first: it stands still meanwhile."""
    asked = b"GET /api/v3/time HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with Server("--no-agents", "--no-limits", folder=tmp_path) as server:
        crowd = [socket.create_connection(("127.0.0.1", server.port), 30) for _ in range(MANY)]
        os.kill(server.process.pid, signal.SIGSTOP)
        for one in crowd:
            one.sendall(asked + asked)
        os.kill(server.process.pid, signal.SIGCONT)
        for one in crowd:
            with one, one.makefile("rb") as answers:
                for _ in range(2):
                    assert answers.readline().startswith(b"HTTP/1.1 200 ")
                    while answers.readline().strip():
                        pass
                    body = answers.read(1)
                    while not body.endswith(b"}"):
                        body += answers.read(1)
        assert server.client().get("/api/v3/time").status == 200
