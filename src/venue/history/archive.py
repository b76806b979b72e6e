"""Archives of history: rows that nothing changes any more, in files of their own beside it.

An archive is a history's file too, with the same tables and checksums. It is whole and synced
before a row is taken out of history. All is done in pieces: history answers between two of them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw
from msgspec import Struct

from venue.files import private_files
from venue.files.archive_names import NEW, archives, in_place
from venue.history import pages
from venue.history.files import HistoryDamaged, check_by_pieces
from venue.history.opening import opening
from venue.history.settled import begin_taking_out, copy_rows, copy_settled, take_out
from venue.history.sql import execute, transaction
from venue.history.store import Store, damage_told, open_history
from venue.history.tables.every import TABLES
from venue.history.tables.spot import Opening, Progress
from venue.history.tables.table import Table, insert_statement


class Cut(Struct, array_like=True):
    """The new beginning of history: after command `sequence`, at its time (µs), with the order ids
    from `order_id` on."""

    sequence: int
    time: int
    order_id: int


def move(store: Store, path: str, cut: Cut) -> Generator[None]:
    """Move the settled rows before a cut from the history at `path` to an archive, piece by piece.

    An end between two pieces loses nothing: rows that were archived and not taken out are archived
    again, and the next opening of the file takes out the rest of those that had begun to go.
    OSError and HistoryDamaged: no row was taken out that no archive has.
    """
    yield from take_out(store.connection)  # the rest of an earlier, unfinished taking out
    begin, _ = opening(store.connection)
    for number, _, name in archives(path):
        if number > begin:  # no row of it was taken out yet: it is written again
            Path(name).unlink()
    if begin >= cut.sequence:
        return
    new = f"{path}{NEW}"
    with nothing_left(new):
        yield from write(store, new, cut)
    in_place(new, path, begin + 1, cut.sequence)
    yield from drop(store, cut)


def write(store: Store, new: str, cut: Cut) -> Iterator[None]:
    """Copy the rows of a history that are settled before a cut into a new file, whole and synced;
    piece by piece. OSError and HistoryDamaged: history is as it was.
    """
    private_files.remove(new)
    open_history(new).close()
    connection, goes_on = store.connection, store.goes_on()
    connection.execute("ATTACH ? AS other", (f"file:{quote(new)}?vfs={pages.VFS}",))
    try:
        yield from copy_settled(connection, cut.time)
        with transaction(connection):
            copy_rows(connection, Opening, ("main", "other"), "true")
            connection.execute("UPDATE other.progress SET sequence = ?", (cut.sequence,))
            connection.execute(f"PRAGMA other.application_id = {int(goes_on)}")
    finally:
        connection.execute("DETACH other")
    open_history(new).close()
    Path(f"{new}{private_files.LOCK}").unlink()
    yield from check_by_pieces(new)


def drop(store: Store, cut: Cut) -> Iterator[None]:
    """Take the rows that an archive has out of a history, piece by piece.

    Orders from the cut's on have all their rows.
    """
    connection = store.connection
    with transaction(connection):
        connection.execute("DELETE FROM opening")
        execute(connection, insert_statement(Opening), (cut.sequence, cut.order_id))
        connection.execute("PRAGMA application_id = 1")
        begin_taking_out(connection, cut.time)
    yield from take_out(connection)
    store.checkpoint()


def shrink(store: Store) -> None:
    """Give the space of the removed rows back; takes time for all rows that are left."""
    store.connection.execute("VACUUM")
    store.checkpoint()


@contextmanager
def nothing_left(new: str) -> Iterator[None]:
    """Remove the new file when it is not whole: a full disk has no room for it."""
    try:
        yield
    except BaseException:
        private_files.remove(new)
        raise


def leading_up(store: Store, path: str, begin: int) -> list[str]:
    """Return the archives beside a history that lead up to where it begins without a gap, oldest
    first.

    None when it was built again since then: rows that were open at its beginning differ there.
    """
    found: list[str] = []
    goes_on = store.goes_on()
    for first, last, name in reversed(archives(path)):
        if goes_on and last == begin:
            found.insert(0, name)
            begin = first - 1
            archive = open_history(name)
            goes_on = archive.goes_on()
            archive.close()
            Path(f"{name}{private_files.LOCK}").unlink()
    return found


def merge(paths: list[str], into: str) -> None:
    """Put the rows of a history and of its archives, oldest first, together in a new file.

    HistoryDamaged when two of them have the same row, OSError when there is no room.
    """
    store = open_history(into)
    connection = store.connection
    try:
        for number, path in enumerate(paths):
            address = f"file:{quote(path)}?vfs={pages.VFS}"
            connection.execute("ATTACH ? AS other", (address,))
            with transaction(connection):
                for table in TABLES:
                    if table is Opening and number:
                        continue  # it begins where the oldest one does
                    if table is Progress:
                        connection.execute("DELETE FROM main.progress")
                    with _once(path, table):
                        copy_rows(connection, table, ("other", "main"), "true")
            connection.execute("DETACH other")
    finally:
        store.close()


@contextmanager
def _once(path: str, table: Table) -> Iterator[None]:
    """HistoryDamaged when a row is in an older file too, or the file is damaged; OSError."""
    with damage_told(path):
        try:
            yield
        except apsw.ConstraintError as problem:
            told = f"{path} has rows of {table.table} that an older archive has too"
            raise HistoryDamaged(told) from problem
