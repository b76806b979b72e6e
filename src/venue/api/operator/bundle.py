"""Operator operations that hand out a run, piece by piece; of practice venues only."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Kind
from venue.api.operation import VENUE, Empty, rows

CommandNumber = Annotated[int, Meta(ge=0, le=2**62, extra={"kind": Kind.INTEGER.value})]


class BundleView(Struct, rename="camel"):
    """The run up to now. It is handed out after command `begin`; `last` is the last command, `time`
    its venue time (ms), and `stateHash` the hash of the state after it.

    `snapshotBytes` is the size of the snapshot that stands for earlier commands; 0: there is none,
    and the run begins with command 1. `endBytes` is the size of the snapshot at `last`; 0: the run
    is short. `profile` is the venue's.
    """

    version: str
    rules: int
    seed: str
    begin: int
    last: int
    time: int
    state_hash: str
    snapshot_bytes: int
    end_bytes: int
    profile: str


class SnapshotPieceRequest(Struct, kw_only=True):
    """A piece of the snapshot after a command, from a byte on."""

    sequence: CommandNumber
    offset: CommandNumber = 0


class SnapshotPiece(Struct):
    """At most 1 MiB, in base64."""

    data: str


class CommandsRequest(Struct, kw_only=True):
    """The commands after `after`, up to `last`."""

    after: CommandNumber
    last: CommandNumber


class CommandsPiece(Struct):
    """Commands from `first` on, as a msgpack array in base64. The last ones may lie after those
    that were asked for."""

    first: int
    data: str


_W = (1, 0)
bundle = VENUE.get("/bundle", _W, Empty, BundleView)
bundle_snapshot = VENUE.get("/bundle/snapshot", _W, SnapshotPieceRequest, SnapshotPiece)
bundle_commands = VENUE.get("/bundle/commands", _W, CommandsRequest, list[CommandsPiece])

ROWS = rows(globals())
