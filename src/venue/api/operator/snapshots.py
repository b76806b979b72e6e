"""Operator operations on snapshots: the state is kept under a name, and gone back to."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Kind
from venue.api.operation import VENUE, Empty, rows

READY = "ready"  # the state in which the venue began to answer
SnapshotName = Annotated[
    str, Meta(pattern="^[A-Za-z0-9._-]{1,64}$", max_length=64, extra={"kind": Kind.TEXT.value})
]


class SnapshotId(Struct, kw_only=True):
    """The snapshot of this name: 1 to 64 letters, digits, dots, dashes and underscores."""

    name: SnapshotName


class SnapshotView(Struct):
    """A kept state: the last command in it, venue time then (ms), and its size in bytes."""

    name: str
    sequence: int
    time: int
    bytes: int


class Reverted(Struct):
    """The state that the venue is in again. `epoch` counts how often the state went back,
    `sequence` is the command that began this branch, `time` venue time (ms)."""

    name: str
    epoch: int
    sequence: int
    time: int
    state_hash: str


_W = (1, 0)
snapshots = VENUE.get("/snapshots", _W, Empty, list[SnapshotView])
keep_snapshot = VENUE.put("/snapshots/{name}", _W, SnapshotId, SnapshotView)
delete_snapshot = VENUE.delete("/snapshots/{name}", _W, SnapshotId, SnapshotView)
revert = VENUE.post("/snapshots/{name}/revert", _W, SnapshotId, Reverted)
reset = VENUE.post("/reset", _W, Empty, Reverted)

ROWS = rows(globals())
