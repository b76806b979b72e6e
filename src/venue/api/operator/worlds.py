"""Operator operations on worlds: more venues in the same process, each under `/w/NAME`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Flag, Kind
from venue.api.operation import VENUE, Empty, rows

WorldName = Annotated[
    str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$", max_length=64, extra={"kind": Kind.TEXT.value})
]


class WorldRequest(Struct):
    """A new world, as the venue was when it began. With `agents` they act in it, as time passes."""

    name: WorldName
    agents: Flag = False


class NamedWorld(Struct):
    """The world of this name."""

    name: WorldName


class WorldView(Struct):
    """A world: its prefix, and its last command's sequence.

    `alive` from its first request on. `problem` says why it takes nothing any more.
    """

    name: str
    path: str
    alive: bool
    agents: bool
    sequence: int
    problem: str


_W = (1, 0)
worlds = VENUE.get("/worlds", _W, Empty, list[WorldView])
create_world = VENUE.post("/worlds", _W, WorldRequest, WorldView)
delete_world = VENUE.delete("/worlds/{name}", _W, NamedWorld, WorldView)

ROWS = rows(globals())
