"""APSW with the face that SQLAlchemy asks a database driver for: connections, cursors, errors.

APSW, because only it lets pages be checked on their way from the file (`pages`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final

import apsw

from venue.core.units import STORED_MAX
from venue.history.tables.every import KEPT

if TYPE_CHECKING:
    from sqlalchemy import Connection as SqlConnection

paramstyle: Final = "qmark"
sqlite_version_info: Final = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
Binary: Final = bytes

# Statements that begin a transaction; questions and settings go without one.
_WRITES: Final = ("INSERT", "UPDATE", "DELETE")

log = logging.getLogger("venue.history")


class DatabaseError(Exception):
    """The file is damaged, or no database."""


class OperationalError(Exception):
    """A statement that does not fit, a lock, a disk."""


class ProgrammingError(Exception):
    """A misuse of the driver: SQLAlchemy asks for the name."""


class IntegrityError(Exception):
    """A row that the tables forbid: its like is there already, or a value is missing."""


# SQLAlchemy wraps each of these in its own exception of the same name.
Error: Final = (DatabaseError, OperationalError, ProgrammingError, IntegrityError)


class Cursor:
    """One statement after another, and the rows of the last."""

    arraysize = 1
    rowcount = -1
    lastrowid = None

    def __init__(self, cursor: apsw.Cursor) -> None:
        self._cursor = cursor
        self.description: tuple[Any, ...] | None = None
        # Only at this moment does SQLite name the columns even when there will be no row.
        cursor.exec_trace = self._begins

    def execute(self, text: str, values: Sequence[Any] = ()) -> None:
        self.description = None
        with _translated():
            connection = self._cursor.connection
            if text.lstrip()[:6].upper() in _WRITES and not connection.in_transaction:
                connection.execute("BEGIN")
            try:
                self._cursor.execute(text, tuple(values))
            except OverflowError:  # a column holds 64 bits: its greatest stands for what is more
                self._cursor.execute(text, tuple([_held(value) for value in values]))

    def executemany(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        for row in rows:
            self.execute(text, row)

    def fetchone(self) -> tuple[Any, ...] | None:
        with _translated():
            return self._cursor.fetchone()

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        while len(rows) < size and (row := self.fetchone()) is not None:
            rows.append(row)
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        with _translated():
            return self._cursor.fetchall()

    def close(self) -> None:
        self._cursor.close(True)

    def _begins(self, cursor: apsw.Cursor, _: str, __: Any) -> bool:
        told = cursor.get_description()
        self.description = tuple((name, *[None] * 6) for name, *_ in told) or None
        return True


def _held(value: Any) -> Any:
    return max(-STORED_MAX - 1, min(value, STORED_MAX)) if type(value) is int else value


class Connection:
    """An APSW connection whose writes are transactions."""

    isolation_level = ""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def begin_copy(self, target: apsw.Connection) -> apsw.Backup:
        """Have another file become as this one is; outside of a transaction."""
        with _translated():
            return target.backup("main", self._connection, "main")

    def cursor(self) -> Cursor:
        return Cursor(self._connection.cursor())

    def commit(self) -> None:
        self._end("COMMIT")

    def rollback(self) -> None:
        self._end("ROLLBACK")

    def close(self) -> None:
        """A log that does not fit into its file any more stays beside it: nothing is lost."""
        try:
            self._connection.close()
        except apsw.Error as problem:
            log.warning("history's log stays beside its file: %s", problem)

    @contextmanager
    def recording(self) -> Iterator[Callable[[], bytes]]:
        """As the function of this name."""
        with closing(apsw.Session(self._connection, "main")) as session:
            for table in KEPT:
                session.attach(table.table)
            yield session.changeset

    def apply(self, changes: bytes, flags: int = 0) -> None:
        """As the function of this name."""
        with _translated():
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN")
            apsw.Changeset.apply(changes, self._connection, conflict=_settled, flags=flags)

    def create_function(self, name: str, count: int, function: Any, **_: Any) -> None:
        """A function of SQL's; SQLAlchemy brings one."""
        self._connection.create_scalar_function(name, function, count, deterministic=True)

    def _end(self, how: str) -> None:
        with _translated():
            if self._connection.in_transaction:
                self._connection.execute(how)


@contextmanager
def recording(connection: SqlConnection) -> Iterator[Callable[[], bytes]]:
    """Record the changes in the tables that go back meanwhile; the given function returns them so
    far as a changeset, empty when nothing changed."""
    opened: Any = connection.connection.dbapi_connection
    with opened.recording() as changes:
        yield changes


def apply(connection: SqlConnection, changes: bytes) -> None:
    """Make a changeset's changes, inside the caller's transaction. A row that is there already, or
    is gone, counts as changed."""
    opened: Any = connection.connection.dbapi_connection
    opened.apply(changes)


def take_back(connection: SqlConnection, changes: bytes) -> None:
    """As `apply`, the other way."""
    opened: Any = connection.connection.dbapi_connection
    opened.apply(changes, apsw.SQLITE_CHANGESETAPPLY_INVERT)


def inverted(changes: bytes) -> bytes:
    """The changeset that leads back."""
    found: bytes = apsw.Changeset.invert(changes)
    return found


def _settled(reason: int, _: apsw.TableChange) -> int:
    """A row that was archived meanwhile is left alone; of two rows the changeset's is right."""
    if reason in (apsw.SQLITE_CHANGESET_DATA, apsw.SQLITE_CHANGESET_CONFLICT):
        return apsw.SQLITE_CHANGESET_REPLACE
    return apsw.SQLITE_CHANGESET_OMIT


@contextmanager
def _translated() -> Iterator[None]:
    """Turn APSW's errors into the kinds that SQLAlchemy knows."""
    try:
        yield
    except apsw.ConstraintError as problem:
        raise IntegrityError(str(problem)) from problem
    except (apsw.CorruptError, apsw.NotADBError) as problem:
        raise DatabaseError(str(problem)) from problem
    except apsw.Error as problem:
        raise OperationalError(str(problem)) from problem
