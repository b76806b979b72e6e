"""Operator operations that hand out a run, piece by piece; of practice venues only."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Kind
from venue.api.operation import VENUE, Empty, rows

CommandNumber = Annotated[int, Meta(ge=0, le=2**62, extra={"kind": Kind.INTEGER.value})]


class BundleView(Struct, rename="camel"):
    """The run up to now. `begin` is the command behind which it is handed out, `last` the last one
    and `time` its venue time (ms), `stateHash` that of the state behind it.

    `snapshotBytes` is the size of the snapshot that stands for what came before; 0: there is none,
    and the run begins with command 1.
    """

    version: str
    rules: int
    seed: str
    begin: int
    last: int
    time: int
    state_hash: str
    snapshot_bytes: int


class SnapshotPieceRequest(Struct):
    """A piece of the snapshot behind a command, from a byte on."""

    sequence: CommandNumber
    offset: CommandNumber = 0


class SnapshotPiece(Struct):
    """At most 1 MiB, in base64."""

    data: str


class CommandsRequest(Struct):
    """Commands behind one, up to another."""

    after: CommandNumber
    last: CommandNumber


class CommandsPiece(Struct):
    """Commands from `first` on, as a msgpack array in base64. The last ones may lie behind those
    that were asked for."""

    first: int
    data: str


_W = (1, 0)
bundle = VENUE.get("/bundle", _W, Empty, BundleView)
bundle_snapshot = VENUE.get("/bundle/snapshot", _W, SnapshotPieceRequest, SnapshotPiece)
bundle_commands = VENUE.get("/bundle/commands", _W, CommandsRequest, list[CommandsPiece])

ROWS = rows(globals())
