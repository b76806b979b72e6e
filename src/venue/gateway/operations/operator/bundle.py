"""Operator operations that hand out a run: the journal from a snapshot on. They change nothing.

A journal holds commands, so neither keys nor passphrases nor tokens; those are in the key store and
in the environment, which this module never reads.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from venue.api import errors
from venue.api.operation import Empty
from venue.api.operator.bundle import (
    BundleView,
    CommandsPiece,
    CommandsRequest,
    SnapshotPiece,
    SnapshotPieceRequest,
)
from venue.core import rules
from venue.core.state.snapshot import state_hash
from venue.gateway.door import Call, Door
from venue.journal import built
from venue.journal.journal import (
    Journal,
    JournalCorrupt,
    JournalFailed,
    Snapshot,
    earliest,
)
from venue.journal.snapshot_files import pack
from venue.node.node import Node
from venue.node.snapshots import take
from venue.times import US_PER_MS

PIECE: Final = 1 << 20  # bytes of a snapshot at a time
LONG: Final = 4_000  # commands: replaying so many would take a second or more
AT_LEAST: Final = 50_000  # commands handed out, where there are as many

T = TypeVar("T")
_encode = msgspec.msgpack.Encoder().encode


def bundle_off(door: Door) -> str:
    """Return the reason that keeps bundles closed; empty: they are open."""
    return "" if door.node.practice else errors.PRACTICE


async def bundle(call: Call, _: Empty) -> BundleView:
    """Return the part of the run that can be handed out now."""
    node = call.node
    engine, journal = node.engine, node.journal
    last, time, digest = engine.sequence, engine.time, state_hash(engine)
    end = take(engine, node.market_data, node.recorder) if last >= LONG else None
    first = await _read(node, lambda: _beginning(journal, last))
    if first is None and earliest(journal):
        raise errors.failed_precondition("no snapshot is kept from which a run could begin")
    begin = first.sequence if first is not None else 0
    call.door.handed_out = end if last - begin >= LONG else None
    return BundleView(
        version=built.name(),
        rules=rules.RULES,
        seed=node.setting("historySeed", ""),
        begin=begin,
        last=last,
        time=time // US_PER_MS,
        state_hash=digest,
        snapshot_bytes=_size(first),
        end_bytes=_size(call.door.handed_out),
        profile=node.profile.value,
    )


def _size(snapshot: Snapshot | None) -> int:
    return len(_encode(pack(snapshot))) if snapshot is not None else 0


async def bundle_snapshot(call: Call, request: SnapshotPieceRequest) -> SnapshotPiece:
    """Return a piece of a snapshot."""
    journal, end = call.node.journal, call.door.handed_out

    def find() -> bytes | None:
        if end is not None and end.sequence == request.sequence:
            return _encode(pack(end))
        for one in journal.snapshots():
            if one.sequence == request.sequence:
                return _encode(pack(one))
        return None

    data = await _read(call.node, find)
    if data is None:
        raise errors.invalid("sequence", "no snapshot is kept there; ask /_venue/bundle again")
    return SnapshotPiece(b64encode(data[request.offset : request.offset + PIECE]).decode())


async def bundle_commands(call: Call, request: CommandsRequest) -> list[CommandsPiece]:
    """Return some of the commands that were asked for, the first of them with the first piece."""
    journal = call.node.journal
    last = min(request.last, call.node.engine.sequence)
    if request.after >= last:
        return []
    if request.after < journal.begin():
        raise errors.invalid(
            "after", f"the journal begins after {journal.begin()}; ask /_venue/bundle again"
        )
    pieces = await _read(call.node, lambda: journal.read_packed(request.after, last))
    return [CommandsPiece(first, b64encode(payload).decode()) for first, payload in pieces]


def _beginning(journal: Journal, last: int) -> Snapshot | None:
    """Return the newest snapshot with enough commands after it; otherwise the oldest, or
    command 1."""
    least = earliest(journal)
    chosen: Snapshot | None = None
    for one in journal.snapshots():
        if least <= one.sequence <= last:
            chosen = one
            if last - one.sequence >= AT_LEAST:
                return chosen
    return chosen if least else None


async def _read(node: Node, function: Callable[[], T]) -> T:
    """Return the result of a read of the journal, done where no other call of it is; ApiError."""
    found: list[T] = []
    try:
        if node.journal.instant:
            return function()  # now: a journal in memory forgets old commands
        await node.sequencer.on_disk_thread(lambda: found.append(function()))
    except (JournalCorrupt, JournalFailed) as problem:
        raise errors.busy(f"the journal cannot be read: {problem}") from None
    return found[0]
