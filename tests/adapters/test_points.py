"""Wherever a venue ends, and wherever its disk fails: it starts again and knows what it said.

A part of all points, spread over what is done there; `make points` tries every one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import apsw
import pytest

from support.points.acts import ACTS
from support.points.disk import BROKEN, FULL
from support.points.known import FILE
from support.points.run import Base, ended, failed, made_bases
from venue.files import private_files
from venue.journal import archive, file, sqlite
from venue.journal.chain import BLOCK
from venue.journal.journal import Snapshot
from venue.journal.sqlite import Row, SqliteJournal
from venue.pruning import prune
from venue.running import opening

EACH = 193  # how many points a chosen one stands for; of those that are no write or sync,
OTHERS = 29
NEAR = 40  # points at the file that a planted fault is about
FAILING = 331  # and of those at which the disk fails


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Base]:
    return made_bases(tmp_path_factory.mktemp("bases"))


def some(number: int, what: str, _: str) -> bool:
    return number % (EACH if what in ("write", "torn", "sync") else OTHERS) == 1


@pytest.mark.parametrize("name", sorted(ACTS))
def test_nothing_is_lost_wherever_it_ends(
    tmp_path: Path, bases: dict[str, Base], name: str
) -> None:
    found = ended(name, bases, tmp_path, some)
    assert found.wrong == []
    assert found.tried["states checked"] > 0


@pytest.mark.parametrize("how", [FULL, BROKEN])
@pytest.mark.parametrize("name", sorted(ACTS))
def test_nothing_is_lost_wherever_the_disk_fails(
    tmp_path: Path, bases: dict[str, Base], name: str, how: str
) -> None:
    """The venue ends in words, and goes on when the disk is sound again."""
    first = 1 + sorted(ACTS).index(name)
    found = failed(name, how, bases, tmp_path, range(first, 10_000, FAILING))
    assert found.wrong == []
    assert found.tried[how] > 0


# -- faults that were planted ---------------------------------------------------------------------


def alone(path: str) -> None:
    """The look at a file without its log, as it once was."""
    if Path(path).exists() and Path(path).stat().st_size:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        with (
            file.translate_errors(path),
            closing(apsw.Connection(f"file:{path}?immutable=1", flags=flags)) as connection,
        ):
            if not file.is_empty(connection):
                file.check_format(connection, path)


def in_place_at_once(path: Path, data: bytes) -> None:
    """A file that is written where it stands."""
    private_files.create(path)
    path.write_bytes(data)


def renamed_unsynced(path: Path, data: bytes) -> None:
    """A file that is renamed, and not synced before."""
    temporary = path.with_name(f"{path.name}.tmp")
    private_files.create(temporary)
    temporary.write_bytes(data)
    temporary.replace(path)


def noted_first(journal: SqliteJournal, rows: list[Row]) -> None:
    """A commit whose command is noted as acknowledged before it is there."""
    journal._acknowledged.note(rows[-1][0] + rows[-1][1] - 1)
    commit(journal, rows)


def dropped_first(journal: SqliteJournal, path: str, snapshot: Snapshot) -> None:
    """A pruning that takes commands out before they are in an archive."""
    whole = list(journal.rows(0, BLOCK))
    told = archive.archive_span(journal, BLOCK, 0)
    archive.drop(journal, BLOCK, snapshot)
    made = archive.Archive(path, told)
    made.add([payload for _, _, payload, _ in whole])
    made.finish()
    made.close()


commit = SqliteJournal._commit
PLANTED: dict[str, tuple[str, list[tuple[Any, str, Callable[..., Any]]], str, str]] = {
    "a file judged without its log": (
        "begin",
        [(opening, "refuse_foreign", alone), (file, "refuse_foreign", alone)],
        FILE,
        "does not start",
    ),
    "keys written in their place": (
        "keys",
        [(private_files, "put", in_place_at_once)],
        f"{FILE}.keys",
        "does not start",
    ),
    "keys renamed before they are synced": (
        "keys",
        [(private_files, "put", renamed_unsynced)],
        f"{FILE}.keys",
        "is renamed before it is synced",
    ),
    "a note before its command": (
        "trade",
        [(sqlite.SqliteJournal, "_commit", noted_first)],
        f"{FILE}-wal",
        "does not start",
    ),
    "commands taken out before they are archived": (
        "archive stopped",
        [(prune, "_prune_journal", dropped_first)],
        f"{FILE}.archive*",
        "is lost",
    ),
}


@pytest.mark.parametrize("fault", sorted(PLANTED))
def test_a_planted_fault_is_found(
    tmp_path: Path, bases: dict[str, Base], monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    name, changes, of, words = PLANTED[fault]
    for where, what, instead in changes:
        monkeypatch.setattr(where, what, instead)
    chosen: list[int] = []

    def near(number: int, _: str, file: str) -> bool:
        if fnmatch(file, of) and len(chosen) < NEAR:
            chosen.append(number)
            return True
        return False

    found = ended(name, bases, tmp_path, near)
    assert any(words in one for one in found.wrong), found
