"""Makes a journal that begins after a snapshot and does not have the commands before it."""

from __future__ import annotations

import os
from typing import Final

import msgspec

from venue.core.messages.commands import Command, Tick
from venue.journal.chain import BLOCK, START, Chain
from venue.journal.file import connect, make_when_empty, translate_errors

UNKNOWN_RULES: Final = 1  # such commands are never replayed: the snapshot stands for them
UNKNOWN_VERSION: Final = "unknown"

_encode = msgspec.msgpack.Encoder().encode


def begin_behind(path: str, sequence: int, time: int) -> None:
    """Make a journal that continues after command `sequence`, stamped at `time` (µs); save the
    snapshot there before any other call.

    A journal begins at a block's boundary: commands of passing time fill the block up to this one.
    JournalFailed, also when the file exists.
    """
    boundary = sequence // BLOCK * BLOCK
    with translate_errors(path):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = connect(path)
    try:
        with translate_errors(path):
            make_when_empty(connection, path)
            if boundary:
                connection.execute("INSERT INTO archived VALUES(?, ?)", (boundary, START))
            if boundary == sequence:
                return
            unknown: list[Command] = [Tick(time) for _ in range(sequence - boundary)]
            payload = _encode(unknown)
            digest = Chain(boundary, START).add(payload, len(unknown))
            segment = (boundary + 1, UNKNOWN_VERSION, UNKNOWN_RULES)
            connection.execute("INSERT INTO segments VALUES(?, ?, ?)", segment)
            row = (boundary + 1, len(unknown), payload, digest)
            connection.execute("INSERT INTO batches VALUES(?, ?, ?, ?)", row)
    finally:
        connection.close()
