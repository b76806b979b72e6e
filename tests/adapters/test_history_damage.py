"""A history file that changed since it was written gives the right answer or none."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import apsw
import pytest

from support.damage import REFUSED, answers, flip, project, questions, sessions
from support.tape import rows_of
from venue.core.messages.applied import Applied
from venue.helpers.link import HelperFailed
from venue.history import pages
from venue.history.files import HistoryDamaged, check_pages, put_aside
from venue.history.pages import PAGE, damaged_by_pieces
from venue.history.process.client import History
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.questions import spot as queries
from venue.history.sql import transaction
from venue.history.store import open_history
from venue.history.tables.every import KEPT
from venue.history.tables.spot import (
    BillsOf,
    TransfersOf,
)

FLIPS = 5  # of each file
FILES = 24  # of each session: 240 flips in all


class Made:
    """A session's file, untouched, its commands and its answers."""

    def __init__(self, path: Path, applied: list[Applied]) -> None:
        self.path = path
        self.applied = applied
        store = open_history(str(path))
        self.answers = answers(store)
        self.rows = rows_of(store)
        store.close()


@pytest.fixture(scope="module", params=sorted(sessions()))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    path = tmp_path_factory.mktemp(request.param) / "venue.db.history"
    return Made(path, project(path, sessions()[request.param]))


def copy(made: Made, folder: Path) -> Path:
    return Path(shutil.copy(made.path, folder / "venue.db.history"))


def asked(path: Path) -> list[Any]:
    """Every answer; when the file does not open, every one is refused."""
    try:
        store = open_history(str(path))
    except HistoryDamaged:
        return [REFUSED] * len(questions())
    try:
        return answers(store)
    finally:
        store.close()


def test_the_sessions_fill_every_table_and_answer(made: Made) -> None:
    assert list(chain.from_iterable(damaged_by_pieces(made.path))) == []
    assert REFUSED not in made.answers
    assert sum(bool(answer) for answer in made.answers) > 10
    full = {name for name, rows in made.rows.items() if rows}
    assert len(full) >= (5 if "spot" in str(made.path) else 10)


@pytest.mark.parametrize("seed", range(FILES))
def test_flipped_bits_change_no_answer(
    made: Made, tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    path = copy(made, tmp_path)
    places = flip(path, random.Random(seed), FLIPS)
    pages = sorted({place // PAGE + 1 for place in places})
    with pytest.raises(HistoryDamaged, match=rf"is damaged: page {pages[0]}\b"):
        check_pages(str(path))
    assert list(chain.from_iterable(damaged_by_pieces(path))) == pages
    given = asked(path)
    wrong = [
        question
        for question, answer, right in zip(questions(), given, made.answers, strict=True)
        if answer not in (right, REFUSED)
    ]
    assert wrong == []
    assert caplog.messages == []  # a refusal is no defect


def test_every_page_counts(made: Made, tmp_path: Path) -> None:
    """Rows, indexes and inner pages: with all of them damaged nothing is answered."""
    path = copy(made, tmp_path)
    data = bytearray(path.read_bytes())
    for at in range(PAGE + 50, len(data), PAGE):
        data[at] ^= 4
    path.write_bytes(data)
    assert set(asked(path)) == {REFUSED}


def test_pages_in_each_others_place_are_damage(made: Made, tmp_path: Path) -> None:
    path = copy(made, tmp_path)
    data = path.read_bytes()
    second, third = data[PAGE : 2 * PAGE], data[2 * PAGE : 3 * PAGE]
    path.write_bytes(data[:PAGE] + third + second + data[3 * PAGE :])
    assert list(chain.from_iterable(damaged_by_pieces(path))) == [2, 3]


@pytest.mark.parametrize("left", [10, 100, PAGE, 5 * PAGE, 5 * PAGE + 17])
def test_a_truncated_file_is_damage(made: Made, tmp_path: Path, left: int) -> None:
    path = copy(made, tmp_path)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(HistoryDamaged):
        check_pages(str(path))
    assert set(map(str, asked(path))) <= {REFUSED, *map(str, made.answers)}


@pytest.mark.parametrize(
    "content", [b"\0" * 20_000, b"no database\n" * 2_000, b"SQLite format 3\0"]
)
def test_what_is_no_history_is_damage(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "venue.db.history"
    path.write_bytes(content)
    with pytest.raises(HistoryDamaged, match=r"venue\.db\.history is damaged"):
        open_history(str(path))


def roots(path: Path, name: str) -> list[int]:
    """The first pages of a table and its indexes."""
    store = open_history(str(path))
    with transaction(store.connection):
        text = "SELECT rootpage FROM sqlite_schema WHERE tbl_name = ? AND rootpage > 0"
        found = [page for (page,) in store.connection.execute(text, (name,))]
    store.close()
    return found


def spoil(path: Path, pages: list[int]) -> None:
    data = bytearray(path.read_bytes())
    for page in pages:
        data[(page - 1) * PAGE + 2_000] ^= 1
    path.write_bytes(data)


def test_nothing_is_written_onto_a_damaged_page(made: Made, tmp_path: Path) -> None:
    path, half = tmp_path / "venue.db.history", len(made.applied) // 2
    catalog = Catalog()
    store = open_history(str(path))
    Projector(store, catalog).project(made.applied[:half])
    store.close()
    spoil(
        path,
        [page for table in KEPT for page in roots(path, table.table)],
    )
    store = open_history(str(path))
    with pytest.raises(apsw.CorruptError, match=r"page \d+ is damaged"):
        Projector(store, catalog).project(made.applied)
    assert store.last_sequence() == half
    store.close()


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_log_is_projected_again_or_refused(made: Made, tmp_path: Path, seed: int) -> None:
    """A killed process leaves the file, and a log whose end is not yet in it."""
    choice = random.Random(seed)
    path, killed = tmp_path / "venue.db.history", tmp_path / "killed.history"
    store, catalog = open_history(str(path)), Catalog()
    projector = Projector(store, catalog)
    for at in range(0, len(made.applied), 50):
        projector.project(made.applied[at : at + 50])
        if choice.randrange(8) == 0:
            projector.checkpoint()
    shutil.copy(path, killed)
    shutil.copy(f"{path}-wal", f"{killed}-wal")
    store.close()
    flip(Path(f"{killed}-wal"), choice, FLIPS)
    try:
        store = open_history(str(killed))
    except HistoryDamaged:
        return
    reached = store.last_sequence()
    Projector(store, catalog).project(made.applied[reached:])
    rows = rows_of(store)
    store.close()
    assert list(chain.from_iterable(damaged_by_pieces(killed))) == []
    assert rows == {**made.rows, "frames": []}


def test_a_question_that_meets_damage_is_refused_and_shown(made: Made, tmp_path: Path) -> None:
    path = copy(made, tmp_path)
    spoil(path, found := roots(path, "bills"))

    async def scene() -> None:
        history = await History.start(str(path))
        history.health()
        which = TransfersOf(1)
        assert await history.ask(queries.transfers, which, 5) == []
        with pytest.raises(HelperFailed, match=rf"page {found[1]} is damaged"):
            await history.ask(queries.bills, BillsOf(1, 0), 5)
        with pytest.raises(HelperFailed, match="the next start builds it again"):
            history.health()
        assert await history.ask(queries.transfers, which, 5) == []  # others are answered
        await history.close()

    asyncio.run(scene())


def test_a_file_without_checksums_is_not_taken(tmp_path: Path) -> None:
    """Another program has made it, or another program has copied history with SQLite's means."""
    path = tmp_path / "venue.db.history"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE progress (sequence INTEGER)")
    before = path.read_bytes()
    with pytest.raises(HistoryDamaged):
        open_history(str(path))
    assert path.read_bytes() == before


def test_what_was_moved_aside_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "venue.db.history"
    for content in ("first", "second", "third"):
        path.write_text(content)
        put_aside(str(path))
    aside = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert aside == {
        "venue.db.history.damaged": "first",
        "venue.db.history.damaged-2": "second",
        "venue.db.history.damaged-3": "third",
    }


def test_no_sync_has_much_to_wait_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enemy: history's checkpoint. The journal's syncs, and with them all orders, waited until its
    16 MB were on the disk."""
    unsynced = {pages.PageFile: 0, pages.LogFile: 0}
    most = dict(unsynced)

    def watch(kind: type[Any]) -> None:
        write, sync = kind.xWrite, kind.xSync

        def written(file: Any, data: bytes, offset: int) -> None:
            unsynced[kind] += len(data)
            most[kind] = max(most[kind], unsynced[kind])
            write(file, data, offset)

        def synced(file: Any, flags: int) -> None:
            sync(file, flags)
            unsynced[kind] = 0

        monkeypatch.setattr(kind, "xWrite", written)
        monkeypatch.setattr(kind, "xSync", synced)

    watch(pages.PageFile)
    watch(pages.LogFile)
    with closing(open_history(str(tmp_path / "history"))) as store:
        with transaction(store.connection):
            store.connection.execute("CREATE TABLE large AS SELECT zeroblob(8000000) AS b")
        store.checkpoint()
    for most_of_a_file in most.values():
        assert pages.PIECE_BYTES <= most_of_a_file < pages.PIECE_BYTES + 2 * PAGE


def test_a_file_of_another_versions_columns_is_refused_before_a_row_is_lost(tmp_path: Path) -> None:
    """Enemy: a new version that adds a column; the first trade ended its history."""
    path = tmp_path / "venue.db.history"
    open_history(str(path)).close()
    for change in ("ALTER TABLE fills ADD COLUMN other INTEGER", "DROP TABLE fills"):
        connection = pages.connect(str(path))
        connection.execute(change)
        if change.startswith("DROP"):
            connection.execute("CREATE TABLE fills (trade_id INTEGER PRIMARY KEY)")
        connection.close()
        with pytest.raises(HistoryDamaged, match="history: its table fills has another"):
            open_history(str(path))
