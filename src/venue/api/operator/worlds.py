"""Operator operations on worlds: more venues in the same process, each under `/w/NAME`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Flag, Kind
from venue.api.operation import VENUE, Empty, rows
from venue.api.operator.snapshots import SnapshotName

WorldName = Annotated[
    str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$", max_length=64, extra={"kind": Kind.TEXT.value})
]


class WorldRequest(Struct, kw_only=True, rename={"from_": "from"}):
    """A new world, as the venue was when it began, or as it was when the snapshot `from` was saved.
    With `agents` they act in it, as time passes."""

    name: WorldName
    agents: Flag = False
    from_: SnapshotName | None = None


class NamedWorld(Struct, kw_only=True):
    """The world of this name."""

    name: WorldName


class WorldView(Struct, rename={"from_": "from"}):
    """A world: its prefix, and its last command's sequence.

    `from` is the snapshot it began with, empty for none. `alive` from its first request on.
    `problem` is the reason why it takes no commands any more.
    """

    name: str
    path: str
    alive: bool
    agents: bool
    from_: str
    sequence: int
    problem: str


_W = (1, 0)
worlds = VENUE.get("/worlds", _W, Empty, list[WorldView])
create_world = VENUE.post("/worlds", _W, WorldRequest, WorldView)
delete_world = VENUE.delete("/worlds/{name}", _W, NamedWorld, WorldView)

ROWS = rows(globals())
