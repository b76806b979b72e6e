"""Events become rows: one transaction with the sequence it reached, each command exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import astuple

from venue.api.streams.channels import KeptFrame
from venue.core.messages.events import Event
from venue.core.messages.savepoints import StateReverted
from venue.history import savepoints
from venue.history.frames import by_channel, pack_frames
from venue.history.frames_kept import FRAMES_KEPT, frames_gone
from venue.history.projection.batch import AppliedCommand, Batch
from venue.history.projection.spot_rows import Catalog, Rows
from venue.history.sql import execute_for_each, transaction
from venue.history.store import Store
from venue.history.tables.frames import FrameRow
from venue.history.tables.table import insert_statement, is_flat, values

if TYPE_CHECKING:
    from apsw import Connection


class Projector:
    """Writes the engine's events into a store. Used from one thread.

    Of the frames of a private channel the newest are kept, at least `frames_kept`.
    """

    __slots__ = ("_catalog", "_frames_kept", "_reached", "_store")

    def __init__(self, store: Store, catalog: Catalog, frames_kept: int = FRAMES_KEPT) -> None:
        self._store = store
        self._catalog = catalog
        self._frames_kept = frames_kept
        self._reached = store.last_sequence()
        store.expect_rows()

    def last_sequence(self) -> int:
        """Return the sequence of the last command whose rows are in the store."""
        return self._reached

    def project(self, batch: Sequence[AppliedCommand], frames: Sequence[KeptFrame] = ()) -> None:
        """Write the rows of a batch, its frames and its last sequence in one transaction: in
        several when it keeps or reverts states.

        Commands already projected, and their frames, are passed over; a missing one is a defect.
        Rows that a later revert takes back are not written.
        """
        begin = 0
        for end, event in _pieces(batch):
            self._project(batch[begin:end], frames, event)
            begin = end
        self._project(batch[begin:] if begin else batch, frames, None)

    def _project(
        self, commands: Sequence[AppliedCommand], frames: Sequence[KeptFrame], last: Event | None
    ) -> None:
        """The same for commands of which only the last one's event is about a kept state."""
        before = reached = self._reached
        rows = Rows(self._catalog)
        stays = type(last) is not StateReverted
        for applied in commands:
            if applied.sequence <= reached:
                continue
            assert applied.sequence == reached + 1, (applied.sequence, reached)
            reached = applied.sequence
            if stays:
                rows.fold(applied)
        if reached == before:
            return
        batch = rows.finish()
        connection = self._store.connection
        new = [frame for frame in frames if stays and before < frame.sequence <= reached]
        with transaction(connection):
            begun = savepoints.begin(connection)
            _insert(connection, batch, grows=True)
            with savepoints.record_changes(connection, begun):
                _insert(connection, batch, grows=False)
                for text, changed in batch.changes:
                    execute_for_each(connection, text, changed)
                connection.execute("UPDATE progress SET sequence = ?", (reached,))
                if new:
                    _keep(connection, new, self._frames_kept)
            if last is not None:
                savepoints.follow(connection, last)
        self._reached = reached

    def checkpoint(self) -> int:
        """Make everything projected so far durable; returns the sequence that it reaches."""
        self._store.checkpoint()
        return self._reached


def _pieces(batch: Sequence[AppliedCommand]) -> list[tuple[int, Event]]:
    """Return the events that keep or revert states, each with the number of commands up to it. Of
    reverts in a row only the last has an effect."""
    pieces: list[tuple[int, Event]] = []
    for number, applied in enumerate(batch, 1):
        if applied.events and type(applied.events[0]) in savepoints.KINDS:
            event = applied.events[0]
            if pieces and type(event) is type(pieces[-1][1]) is StateReverted:
                pieces.pop()
            pieces.append((number, event))
    return pieces


def _insert(connection: Connection, batch: Batch, *, grows: bool) -> None:
    """Write a batch's new rows to the tables that only grow, or to all others, inside the caller's
    transaction."""
    for table, rows in batch.new.items():
        if rows and table.grows is grows:
            flat = astuple if is_flat(table) else values
            execute_for_each(connection, insert_statement(table), list(map(flat, rows)))


def _keep(connection: Connection, frames: Sequence[KeptFrame], kept: int) -> None:
    """Write frames and take away those that are too old, inside the caller's transaction."""
    channels = by_channel(frames)
    rows = [row for channel, own in channels.items() for row in pack_frames(channel, own)]
    execute_for_each(connection, insert_statement(FrameRow), rows)
    for channel, own in channels.items():
        gone = frames_gone(own[-1].number, kept)
        if gone > frames_gone(own[0].number - 1, kept):
            connection.execute(
                "DELETE FROM frames WHERE uid = ? AND product = ? AND channel = ? AND number <= ?",
                (*channel, gone),
            )
