"""Operator operations on snapshots: the state is kept under a name, and gone back to."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from venue.api.fields import Kind
from venue.api.operation import Empty, delete, get, post, put
from venue.vocabulary import Access

OPERATOR = Access.OPERATOR
READY = "ready"  # the state that the venue began to answer in
SnapshotName = Annotated[
    str, Meta(pattern="^[A-Za-z0-9._-]{1,64}$", max_length=64, extra={"kind": Kind.TEXT.value})
]


class SnapshotId(Struct):
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
snapshots = get("snapshots", "/_venue/snapshots", OPERATOR, _W, Empty, list[SnapshotView])
keep = put("keep_snapshot", "/_venue/snapshots/{name}", OPERATOR, _W, SnapshotId, SnapshotView)
drop = delete("delete_snapshot", "/_venue/snapshots/{name}", OPERATOR, _W, SnapshotId, SnapshotView)
revert = post("revert", "/_venue/snapshots/{name}/revert", OPERATOR, _W, SnapshotId, Reverted)
reset = post("reset", "/_venue/reset", OPERATOR, _W, Empty, Reverted)

ROWS = (snapshots, keep, drop, revert, reset)
