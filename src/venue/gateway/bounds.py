"""Limits of connections and requests: for one client, for one address and for all together."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, structs

from venue.gateway.access.attempts import ATTEMPTS_MAX
from venue.gateway.access.connections import HttpLimits
from venue.gateway.access.files import room
from venue.gateway.streams.limits import SessionLimits, SocketLimits

DEV_FACTOR: Final = 100  # all clients of a practice venue share one address
_NO_HTTP: Final = HttpLimits(connections_per_ip=None, connections=None)
_NO_SOCKETS: Final = SocketLimits(
    session=SessionLimits(changes=None, messages=None, faults=None),
    attempts=None,
    frames=None,
    connections_per_ip=None,
    connections=None,
)


class Bounds(Struct, frozen=True):
    """Of HTTP connections and of streams; `told` says why fewer may be open than usual."""

    http: HttpLimits
    sockets: SocketLimits
    told: str


def bounds(*, limited: bool, factor: int = DEV_FACTOR) -> Bounds:
    """Return the usual limits, or only those of the system. OSError when the system lets this
    process open too few files.

    Limits by address are `factor` times the interface's.
    """
    http = HttpLimits() if limited else _NO_HTTP
    sockets = SocketLimits(attempts=ATTEMPTS_MAX * factor) if limited else _NO_SOCKETS
    there = room(http.connections, sockets.connections)
    return Bounds(
        structs.replace(http, connections=there.http),
        structs.replace(sockets, connections=there.streams),
        there.told,
    )
