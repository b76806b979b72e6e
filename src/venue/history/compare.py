"""History against the journal, row by row, for `venue verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from venue.api.streams.channels import KeptFrame
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.history.frames import unpack_frames
from venue.history.kept_events import KeptEvents
from venue.history.opening import opening
from venue.history.process.client import catalog_parts
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.store import open_history
from venue.history.tables.every import KEPT
from venue.history.tables.frames import FrameRow
from venue.history.tables.table import Table, columns

if TYPE_CHECKING:
    from apsw import Connection

PROBLEMS_MAX: Final = 100  # of each table
BATCH: Final = 1_000  # commands per transaction
Values = tuple[Any, ...]


class ExpectedHistory:
    """The expected contents of history up to a sequence: projected while the journal is replayed.

    Begins where `engine` stands, after command `begin`. Rows that were made before are not known
    and not compared.
    """

    def __init__(self, engine: Engine, end: int) -> None:
        self._folder = TemporaryDirectory(prefix="venue-verify-")
        self._store = open_history(f"{self._folder.name}/history")
        self.begin, self._begin_time, self._end = engine.sequence, engine.time, end
        self._first_order = engine.counters.order
        self._store.connection.execute("UPDATE progress SET sequence = ?", (self.begin,))
        self._projector = Projector(self._store, Catalog.listing(*catalog_parts(engine)))
        self._kept = KeptEvents(engine)
        self._batch: list[Applied] = []
        self._frames: list[KeptFrame] = []

    def note(self, applied: Applied) -> None:
        """Go on with a command, before the next one is applied."""
        kept = self._kept.of(applied)
        if applied.sequence <= self._end:
            self._batch.append(kept)

    def follow(self, frames: Sequence[KeptFrame]) -> None:
        """Go on with the frames that the noted commands caused, in order."""
        self._frames += [frame for frame in frames if frame.sequence <= self._end]
        if len(self._batch) >= BATCH:
            self._project()

    def differences(self, stored: Connection, frames_begin: int) -> list[str]:
        """Return every row that is missing, another's or not as the journal makes it, as texts.

        Frames only after command `frames_begin`: archives have none.
        """
        self._project()
        problems = self._begins_too_late(stored)
        for table in KEPT:
            ours, theirs = (
                _frames(connection, max(self.begin, frames_begin))
                if table is FrameRow
                else _rows(connection, table, self._begin_time if self.begin else -1)
                for connection in (stored, self._store.connection)
            )
            found = _differences(len(table.key), ours, theirs)
            texts = [f"{table.table} {text}" for text in islice(found, PROBLEMS_MAX)]
            more = next(found, None) is not None
            problems += [*texts, f"... and more rows of {table.table}"] if more else texts
        return problems

    def close(self) -> None:
        """Take the projected rows away."""
        self._store.close()
        self._folder.cleanup()

    def _project(self) -> None:
        self._projector.project(self._batch, self._frames)
        self._batch, self._frames = [], []

    def _begins_too_late(self, stored: Connection) -> list[str]:
        """Return the problem of a history that begins after the replay, or not where it says."""
        begin, first_order = opening(stored)
        if begin == 0 or begin < self.begin:
            return []
        if (begin, first_order) == (self.begin, self._first_order):
            return []
        told = (
            f"history begins after command {begin} with order {first_order},"
            f" the journal after {self.begin} with {self._first_order}"
        )
        return [told]


def _rows(connection: Connection, table: Table, after: int) -> Iterator[Values]:
    """Return a table's rows of later than a time, in the order of their keys, which come first."""
    keys = ", ".join(table.key)
    names = ", ".join([*table.key, *(name for name in columns(table) if name not in table.key)])
    text = f"SELECT {names} FROM {table.table} WHERE {table.made} > ? ORDER BY {keys}"
    return iter(connection.execute(text, (after,)))


def _frames(connection: Connection, after: int) -> Iterator[Values]:
    """Yield the frames that later commands caused: their keys and sequences, each by itself.

    The wording of a frame is no rule, so its content is not compared.
    """
    rows = connection.execute(
        "SELECT uid, product, channel, number, sequence, payload FROM frames WHERE sequence > ?"
        " ORDER BY uid, product, channel, number",
        (after,),
    )
    for *key, number, sequence, payload in rows:
        for own, came_of, _ in unpack_frames(number, sequence, payload):
            if came_of > after:
                yield (*key, own, came_of)


def _differences(width: int, ours: Iterator[Values], theirs: Iterator[Values]) -> Iterator[str]:
    """Yield the rows that differ: both sides are in the order of their keys, of `width` columns."""
    have, want = next(ours, None), next(theirs, None)
    while have is not None or want is not None:
        if want is None or (have is not None and have[:width] < want[:width]):
            assert have is not None
            yield f"{_name(have[:width])}: not in the journal"
            have = next(ours, None)
        elif have is None or want[:width] < have[:width]:
            yield f"{_name(want[:width])}: missing"
            want = next(theirs, None)
        else:
            if have != want:
                yield f"{_name(have[:width])}: history says {have}, the journal {want}"
            have, want = next(ours, None), next(theirs, None)


def _name(key: Sequence[Any]) -> str:
    return " ".join(map(str, key))
