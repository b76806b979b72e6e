"""Operator operations on worlds: more venues in the same process, each under `/w/NAME`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Flag, Kind
from venue.api.operation import Empty, delete, get, post
from venue.vocabulary import Access

OPERATOR = Access.OPERATOR
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
worlds = get("worlds", "/_venue/worlds", OPERATOR, _W, Empty, list[WorldView])
create_world = post("create_world", "/_venue/worlds", OPERATOR, _W, WorldRequest, WorldView)
delete_world = delete("delete_world", "/_venue/worlds/{name}", OPERATOR, _W, NamedWorld, WorldView)

ROWS = (worlds, create_world, delete_world)
