"""Where history is kept: one SQLite database behind one connection, in a file or in memory."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, create_engine, insert, select, update
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from venue.history.contract_tables import SCHEMA
from venue.history.tables import PROGRESS


class Store:
    """One connection, used from one thread at a time, and never while another one has the file."""

    __slots__ = ("_lock", "connection")

    def __init__(self, connection: Connection, lock: IO[str] | None) -> None:
        self.connection = connection
        self._lock = lock

    def reached(self) -> int:
        """The sequence of the last projected command; 0 when there is none."""
        with self.connection.begin():
            return int(self.connection.execute(select(PROGRESS.c.sequence)).scalar_one())

    def clear(self) -> None:
        """Empty every table and go back to sequence 0: the journal can then be projected anew."""
        with self.connection.begin():
            for table in SCHEMA.sorted_tables:
                if table is not PROGRESS:
                    self.connection.execute(table.delete())
            self.connection.execute(update(PROGRESS).values(sequence=0))

    def checkpoint(self) -> None:
        """Make everything committed so far durable; until then a power cut may take it back."""
        with self.connection.begin():
            row = self.connection.exec_driver_sql("PRAGMA wal_checkpoint(FULL)").one()
        assert row[0] == 0, "history is open elsewhere"

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
        self.connection.engine.dispose()
        if self._lock is not None:
            self._lock.close()


def open_history(path: str | None) -> Store:
    """The history in the file at `path`, created where it is missing; None: in memory.

    The file must be history's own: a file that another SQLite library has open would lose its
    locks. While another process has it (one that ends, its venue gone), this one waits. Raises
    sqlalchemy.exc.DatabaseError when the file is no database.
    """
    lock = Path(f"{path}.lock").open("w") if path else None  # noqa: SIM115 - held while open
    if lock is not None:
        fcntl.flock(lock, fcntl.LOCK_EX)
    engine = create_engine(
        URL.create("sqlite", database=path or ":memory:"),
        # One thread at a time, but not always the one that opened it.
        connect_args={"check_same_thread": False},
        poolclass=NullPool,
    )
    connection = engine.connect()
    try:
        with connection.begin():
            # NORMAL: a power cut may take back the last transactions, rows and sequence together;
            # they are then projected again from the journal.
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            connection.exec_driver_sql("PRAGMA synchronous = NORMAL")
            connection.exec_driver_sql("PRAGMA cache_size = -32000")
            # A page is written into the file once for many transactions: a seventh less time.
            connection.exec_driver_sql("PRAGMA wal_autocheckpoint = 4000")
        with connection.begin():
            SCHEMA.create_all(connection)
            if connection.execute(select(PROGRESS.c.sequence)).scalar_one_or_none() is None:
                connection.execute(insert(PROGRESS).values(sequence=0))
    except BaseException:
        connection.close()
        if lock is not None:
            lock.close()
        raise
    return Store(connection, lock)
