"""Worlds of a running venue, as clients reach them."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

from support.client import Answer, Client
from support.server import Server


class At:
    """The address of one world, where a client wants a server's."""

    def __init__(self, server: Server, name: str) -> None:
        self.name = name
        self.url = f"{server.url}/w/{name}"


def operator(server: Server) -> Client:
    """The one connection by which its worlds are managed."""
    return server._clients[0] if server._clients else server.client()


def made(server: Server, name: str, **more: Any) -> At:
    """A new world."""
    answer = operator(server).post("/_venue/worlds", {"name": name, **more})
    assert answer.status == 200, answer
    return At(server, name)


def gone(server: Server, name: str) -> None:
    """A world ends."""
    answer = operator(server).delete(f"/_venue/worlds/{name}")
    assert answer.status == 200, answer


def asked(client: Client, name: str, method: str, target: str, body: Any = None) -> Answer:
    """One request in a world; where the client has credentials it is signed over the path after the
    prefix."""
    raw = json.dumps(body).encode() if body is not None else b""
    signed = client.headers(method, target, raw)
    return client.call(method, f"/w/{name}{target}", body, headers=signed)


def sequence(server: Server, name: str) -> int:
    """Of a world's last command."""
    with closing(Client(server.port)) as client:
        return int(asked(client, name, "GET", "/_venue/health").json["sequence"])
