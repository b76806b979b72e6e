"""Stores snapshots in files of their own beside the journal, so that no write of the journal waits
for them.

A file is `FILE.snapshot-SEQUENCE`, written under another name and then renamed.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from venue.journal.chain import DIGEST
from venue.journal.journal import Snapshot

KEPT: Final = 2
PIECE: Final = 1 << 20  # bytes between two syncs: other writers wait for each sync
MODE: Final = 0o600

SnapshotRow = tuple[int, str, str, bytes, bytes]
"""Sequence, engine version, state hash, the parts as msgpack, checksum."""

_encoder = msgspec.msgpack.Encoder()
_parts = msgspec.msgpack.Decoder(dict[str, bytes])
_rows = msgspec.msgpack.Decoder(SnapshotRow)


class SnapshotFiles:
    """The snapshots of the journal at `path`. All calls but `read` raise OSError."""

    def __init__(self, path: str) -> None:
        self._base = Path(path)
        self._prefix = f"{self._base.name}.snapshot-"

    def sequences(self) -> list[int]:
        """Return the files that exist, newest first, intact or not."""
        folder, prefix = self._base.parent, self._prefix
        names = [name.removeprefix(prefix) for name in os.listdir(folder) if prefix in name]
        return sorted((int(name) for name in names if name.isdecimal()), reverse=True)

    def read(self, sequence: int) -> Snapshot | None:
        """Return one of them; None when it cannot be read or was changed."""
        try:
            row = _rows.decode(self._at(sequence).read_bytes())
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return unpack(row) if row[0] == sequence else None

    def damaged_files(self) -> list[str]:
        """Return the files that exist and cannot be read as they were written."""
        return [str(self._at(one)) for one in self.sequences() if self.read(one) is None]

    def write(self, snapshot: Snapshot) -> None:
        """Write a snapshot under a name of this process; `place` makes it count."""
        data = memoryview(_encoder.encode(pack(snapshot)))
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = os.open(self._temporary_path(os.getpid()), flags, MODE)
        try:
            os.fchmod(descriptor, MODE)
            while data:
                data = data[os.write(descriptor, data[:PIECE]) :]
                os.fdatasync(descriptor)
        except OSError:
            self.discard(os.getpid())  # a full disk is not filled with a useless file
            raise
        finally:
            os.close(descriptor)

    def put(self, sequence: int, pid: int, begin: int) -> None:
        """Make the snapshot that process `pid` wrote valid, durably, and `tidy`."""
        self.place(sequence, pid)
        self.tidy(begin, sequence)

    def place(self, sequence: int, pid: int) -> None:
        """Make the snapshot that process `pid` wrote valid, durably."""
        self._temporary_path(pid).replace(self._at(sequence))
        folder = os.open(self._base.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def tidy(self, begin: int, last: int) -> None:
        """Remove older snapshots.

        The newest two up to `last` are kept, and the first that is not before `begin`, unless that
        is 0. Later ones do not belong to this journal: they stay, but are not used.
        """
        known = [one for one in self.sequences() if one <= last]
        first = min((one for one in known if one >= begin > 0), default=0)
        for one in known[KEPT:]:
            if one != first:
                self._at(one).unlink(missing_ok=True)

    def discard(self, pid: int) -> None:
        """Remove the snapshot that process `pid` wrote and that is not needed."""
        self._temporary_path(pid).unlink(missing_ok=True)

    def _at(self, sequence: int) -> Path:
        return self._base.with_name(f"{self._prefix}{sequence}")

    def _temporary_path(self, pid: int) -> Path:
        return self._base.with_name(f"{self._base.name}.snapshot.{pid}")


def pack(snapshot: Snapshot) -> SnapshotRow:
    """Return a snapshot in the form in which it is stored."""
    parts = _encoder.encode(snapshot.parts)
    row = (snapshot.sequence, snapshot.engine_version, snapshot.state_hash, parts)
    return (*row, _checksum(*row))


def unpack(row: SnapshotRow) -> Snapshot | None:
    """Return the snapshot of a stored row; None when it is damaged."""
    sequence, engine_version, state_hash, parts, checksum = row
    if checksum != _checksum(sequence, engine_version, state_hash, parts):
        return None
    return Snapshot(sequence, engine_version, state_hash, _parts.decode(parts))


def _checksum(sequence: int, engine_version: str, state_hash: str, parts: bytes) -> bytes:
    encoded = _encoder.encode((sequence, engine_version, state_hash, parts))
    return blake2b(encoded, digest_size=DIGEST).digest()
