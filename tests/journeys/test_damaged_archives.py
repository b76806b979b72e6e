"""Archives, and files beside them, that have changed: pruned commands and rows are never lost."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.former import BEGIN_US, Stepping
from support.pruned import HALF_US, KEEP_US, NOW_US, archived, copied, everything, live, rows
from support.server import environment
from venue.cli.serving.dev import DevOptions, refused
from venue.cli.serving.shared import SharedOptions
from venue.cli.verify import verify
from venue.core.messages.commands import Tick
from venue.history import pages
from venue.history.files import HistoryDamaged
from venue.history.sql import scalar, transaction
from venue.history.store import open_history
from venue.journal import archive
from venue.journal.chain import BLOCK
from venue.journal.journal import JournalCorrupt
from venue.journal.opening import open_journal, open_readonly
from venue.journal.snapshot_files import SnapshotFiles
from venue.journal.sqlite import SqliteJournal
from venue.node.clock import SystemClock
from venue.pruning.prune import prune, prune_at_start
from venue.recompute.history import rebuild_history
from venue.running.opening import open_venue
from venue.running.options import Options


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a venue that was stopped."""
    folder = tmp_path_factory.mktemp("lived")
    asyncio.run(live(folder / "venue.db"))
    return folder


@pytest.fixture
def state(lived: Path, tmp_path: Path) -> str:
    """A copy of it."""
    return copied(lived, tmp_path / "copy")


class Cut(BaseException):
    """The process is no more."""


def half_dropped(state: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pruning that ended when a part of what is archived was taken out; the archive."""
    drop, calls = SqliteJournal.drop, list[int]()

    def once(journal: SqliteJournal, end: int, snapshot: int) -> None:
        if calls:
            raise Cut
        calls.append(end)
        drop(journal, end, snapshot)

    with monkeypatch.context() as patched:
        patched.setattr(archive, "DROPPED", BLOCK)
        patched.setattr(SqliteJournal, "drop", once)
        with pytest.raises(Cut):
            prune(state, HALF_US)
    (written,) = archived(state)
    return written


@pytest.mark.parametrize("damage", ["flipped", "other", "empty"])
def test_an_archive_that_is_not_whole_stands_for_nothing(
    state: str, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """The rest of what a cut pruning was to take out is not taken out."""
    whole = everything(state)
    written = half_dropped(state, monkeypatch)
    data = written.read_bytes()
    if damage == "flipped":
        spoiled = bytearray(data)
        for at in range(BLOCK * 8, len(data), 4096):
            spoiled[at + 2000] ^= 1
        written.write_bytes(spoiled)
    elif damage == "other":
        other = open_journal(f"{written}.new")
        other.append([Tick(time=BEGIN_US)] * (2 * BLOCK))
        other.close()
        Path(f"{written}.new").rename(written)
    else:
        written.write_bytes(b"")
    with pytest.raises(JournalCorrupt, match="nothing was removed"):
        prune(state, HALF_US)
    written.write_bytes(data)
    assert everything(state) == whole
    assert prune(state, HALF_US).journal == 2 * BLOCK
    assert everything(state) == whole


def test_an_archive_with_more_than_the_journal_is_not_removed(lived: Path, state: str) -> None:
    """An older copy of the journal was put back."""
    prune(state, HALF_US)
    first, *_ = archived(state)
    older = open_readonly(str(lived / "venue.db"))
    pieces = [part for _, part in older.read(0)]
    older.close()
    for name in ("", ".acknowledged"):
        Path(f"{state}{name}").unlink()
    journal = open_journal(state)
    journal.append([one for part in pieces for one in part][: BLOCK + 100])
    journal.close()
    kept = first.read_bytes()
    with pytest.raises(JournalCorrupt, match=f"the journal ends at command {BLOCK + 100}"):
        prune(state, HALF_US)
    assert first.read_bytes() == kept


def test_an_older_history_costs_no_archive(lived: Path, state: str) -> None:
    begin = prune(state, KEEP_US).history
    before = {path: path.read_bytes() for path in archived(state)}
    shutil.copy(lived / "venue.db.history", f"{state}.history")
    store = open_history(f"{state}.history")
    with transaction(store.connection):
        store.connection.execute("UPDATE progress SET sequence = 500")
    store.close()
    words = f"ends at command 500, the journal begins after {begin}"
    with pytest.raises(HistoryDamaged, match=words):
        prune(state, KEEP_US)
    assert {path: path.read_bytes() for path in archived(state)} == before


def test_an_archive_with_another_versions_columns_is_named(state: str) -> None:
    """Its rows would be put together with others of other columns."""
    prune(state, KEEP_US)
    (written,) = [path for path in archived(state) if path.name.startswith("venue.db.history.")]
    connection = pages.connect(str(written))
    connection.execute("ALTER TABLE fills ADD COLUMN other INTEGER")
    connection.close()
    (problem,) = verify(state).problems
    assert f"{written}: its table fills has another version's columns" in problem


def test_a_damaged_history_is_told_in_words(state: str, caplog: pytest.LogCaptureFixture) -> None:
    """Also where it begins is looked up; a start goes on and mends it."""
    store = open_history(f"{state}.history")
    with transaction(store.connection):
        asked = "SELECT rootpage FROM sqlite_schema WHERE name = 'opening'"
        page = scalar(store.connection, asked)
    store.close()
    history = Path(f"{state}.history")
    data = bytearray(history.read_bytes())
    data[page * 4096 - 1000] ^= 1
    history.write_bytes(data)
    with pytest.raises(HistoryDamaged, match=f"page {page} is damaged"):
        prune(state, KEEP_US)
    prune_at_start(state, KEEP_US)
    assert "nothing more is archived" in caplog.text


def test_a_rebuild_that_cannot_be_ended_leaves_history_as_it_was(state: str) -> None:
    prune(state, HALF_US)
    oldest, *_ = archived(state)
    data = bytearray(oldest.read_bytes())
    data[len(data) // 2] ^= 1
    oldest.write_bytes(data)
    kept = rows(state)
    with pytest.raises(JournalCorrupt, match=r"sequence|malformed"):  # a row, or what holds rows
        rebuild_history(state)
    assert rows(state) == kept
    assert list(Path(state).parent.glob("*.rebuilt*")) == []


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, env=environment()
    )


def test_a_full_disk_costs_no_row_of_history(state: str) -> None:
    kept = rows(state)
    ended = command("support.full", "1000000", "rebuild-history", state)
    assert ended.returncode == 2
    words = rf"venue: \S*{Path(state).name}.history.rebuilt cannot be used: .*\n"
    assert re.fullmatch(words, ended.stderr), ended.stderr
    assert rows(state) == kept
    assert verify(state).problems == []


def test_a_check_without_room_for_its_own_files_is_told(state: str) -> None:
    for room in (100_000, 1_000_000):
        ended = command("support.full", str(room), "verify", state)
        assert ended.returncode == 1
        assert "PROBLEM " in ended.stderr
        assert "cannot be used: " in ended.stderr
        assert "Traceback" not in ended.stderr
    assert verify(state).problems == []


def test_a_state_without_a_name_is_refused() -> None:
    """It would be kept in memory: a variable that was not set."""
    assert refused(SharedOptions(state=""), DevOptions()).startswith("--state: names no file")


def test_a_kill_in_a_rebuild_costs_no_row_of_history(state: str) -> None:
    kept = rows(state)
    killed = command("support.killed", "50", "rebuild-history", state)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert Path(f"{state}.history.rebuilt").exists()
    assert rows(state) == kept
    assert verify(state).problems == []
    assert command("venue", "rebuild-history", state).returncode == 0
    assert rows(state) == kept
    assert list(Path(state).parent.glob("*.rebuilt*")) == []


@pytest.mark.parametrize("room", [20_000, 100_000, 500_000])
def test_a_full_disk_is_not_filled_with_half_an_archive(state: str, room: int) -> None:
    names = set(os.listdir(Path(state).parent))
    whole = everything(state)
    ended = command("support.full", str(room), "prune", state, "--keep", "1h")
    assert ended.returncode == 2
    assert ended.stderr.startswith("venue: ")
    assert ended.stderr.count("\n") == 1
    more = set(os.listdir(Path(state).parent)) - names
    assert not [name for name in more if not re.search(r"-wal$|-shm$|\.archive-1-\d+$", name)], more
    assert everything(state) == whole
    assert verify(state).problems == []


def test_files_of_another_venue_are_refused(lived: Path, tmp_path: Path) -> None:
    """Its snapshot would give everybody other money, and the journal goes on from it."""
    mine = tmp_path / "mine"
    mine.mkdir()

    async def started(state: Path) -> None:
        failed = list[BaseException]()
        clock = SystemClock(Stepping(BEGIN_US - 1))
        async with open_venue(Options(state=str(state), agents=False), clock, failed.append):
            pass
        assert not failed, failed

    asyncio.run(started(mine / "venue.db"))
    for name in ("venue.db", "venue.db.acknowledged", "venue.db.history"):
        shutil.copy(lived / name, mine)
    with pytest.raises(JournalCorrupt, match="is not of this journal"):
        asyncio.run(started(mine / "venue.db"))


def test_what_is_told_of_later_snapshots_is_enough(lived: Path, state: str) -> None:
    """An older copy of the journal is put back, and the files against it are moved away as told."""

    async def started() -> int:
        failed = list[BaseException]()
        clock = SystemClock(Stepping(NOW_US))
        async with open_venue(Options(state=state, agents=False), clock, failed.append) as door:
            node = door.node
            return node.engine.sequence

    older = open_readonly(str(lived / "venue.db"))
    whole = [one for _, part in older.read(0) for one in part]
    older.close()
    for name in ("", ".acknowledged", ".history"):
        Path(f"{state}{name}").unlink()
    journal = open_journal(state)
    journal.append(whole[: 2 * BLOCK])
    journal.close()
    with pytest.raises(JournalCorrupt, match="move the later snapshots away"):
        asyncio.run(started())
    for sequence in SnapshotFiles(state).sequences():
        if sequence > 2 * BLOCK:
            Path(f"{state}.snapshot-{sequence}").unlink()
    assert asyncio.run(started()) == 2 * BLOCK
    assert verify(state).problems == []
