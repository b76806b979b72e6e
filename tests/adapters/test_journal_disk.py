"""The journal on a disk that is watched, refuses to sync, or loses its power."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.disk import Disk
from venue.core.messages.commands import Command, PlaceOrder
from venue.journal import built, sqlite
from venue.journal.file import refuse_foreign
from venue.journal.journal import JournalFailed, Snapshot
from venue.journal.opening import open_journal
from venue.journal.sqlite import SqliteJournal

if TYPE_CHECKING:
    pass

BATCHES = (1, 2, 40, 3, 1, 700, 500, 1, 30, 2, 2, 90, 1, 1)
CHECKPOINT_BYTES = 12 * 4096  # so that the small workload sees several checkpoints


def commands(first: int, count: int) -> list[Command]:
    return [
        PlaceOrder(1, "BTCUSDT", 0, 0, 0, n, 5, f"c{n}", time=n)
        for n in range(first, first + count)
    ]


@pytest.fixture(autouse=True)
def _small_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "CHECKPOINT_BYTES", CHECKPOINT_BYTES)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "journal")


def work(path: str, disk: Disk) -> Iterator[SqliteJournal]:
    """Open, append every batch, save snapshots between; yields after each, noted in the log."""
    journal = open_journal(path)
    try:
        for number, size in enumerate(BATCHES):
            journal.append(commands(journal.last_sequence() + 1, size))
            disk.note("appended", at=journal.last_sequence())
            yield journal
            if number % 5 == 4:
                last = journal.last_sequence()
                journal.save_snapshot(Snapshot(last, built.name(), "", {"engine": b"x" * 9000}))
    finally:
        journal.close()


def reread(path: str) -> list[Command]:
    """The commands as a venue finds them that starts; to look whether it is a journal changes
    nothing."""
    folder = Path(path).parent
    before = {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in folder.iterdir()}
    refuse_foreign(path)
    after = {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in folder.iterdir()}
    assert after == before
    journal = open_journal(path)
    try:
        return [command for _, piece in journal.read(0) for command in piece]
    finally:
        journal.close()


def ends() -> list[int]:
    """The sequences at which a batch ends, from 0."""
    return [sum(BATCHES[:count]) for count in range(len(BATCHES) + 1)]


@pytest.fixture
def watched(path: str) -> list[tuple[str, str, int, bytes]]:
    """The log of an undisturbed run."""
    disk = Disk()
    try:
        for _ in work(path, disk):
            pass
    finally:
        disk.unregister()
    return disk.log


def test_every_append_returns_after_its_log_is_synced(
    watched: list[tuple[str, str, int, bytes]],
) -> None:
    unsynced = written = False
    returns = 0
    for what, file, _, _ in watched:
        if file.endswith("-wal"):
            unsynced = unsynced if what not in ("write", "sync") else what == "write"
            written = written or what == "write"
        if what == "appended":
            assert written
            assert not unsynced
            written = False
            returns += 1
    assert returns == len(BATCHES)
    assert sum(what == "sync" and file == "journal" for what, file, _, _ in watched) > 2


def test_the_first_refused_sync_ends_writing_and_loses_nothing(tmp_path: Path) -> None:
    refuse = 0
    while True:
        refuse += 1
        path = str(tmp_path / f"journal-{refuse}")
        if not refused(path, refuse):
            break
    # Opening, each append, the checkpoints: all of them were refused once.
    assert refuse > len(BATCHES) + 4


def refused(path: str, refuse: int) -> bool:
    """Run the work with one refused sync and check what is left; False when it was never met."""
    disk = Disk(refuse)
    acknowledged = 0
    failed = False
    try:
        for journal in work(path, disk):
            acknowledged = journal.last_sequence()
    except JournalFailed:
        failed = True
    finally:
        disk.unregister()
    found = reread(path)
    assert found == commands(1, len(found))
    assert len(found) >= acknowledged
    assert len(found) in ends()
    assert failed == (disk.syncs >= refuse)
    return failed


def test_after_a_failure_everything_is_refused_and_nothing_is_retried(path: str) -> None:
    disk = Disk()
    try:
        journal = open_journal(path)
        journal.append(commands(1, 3))
        disk.refuse = disk.syncs + 1
        with pytest.raises(JournalFailed, match="this sync is refused") as failure:
            journal.append(commands(4, 1))
        done = len(disk.log)
        for _ in range(2):
            with pytest.raises(JournalFailed, match="failed earlier") as again:
                journal.append(commands(4, 1))
            assert again.value.__cause__ is failure.value.__cause__
        with pytest.raises(JournalFailed, match="failed earlier"):
            journal.save_snapshot(Snapshot(3, built.name(), "", {}))
        assert journal.last_sequence() == 3
        journal.close()
        assert len(disk.log) == done
    finally:
        disk.unregister()
    assert reread(path)[:3] == commands(1, 3)


def test_what_cannot_be_packed_fails_the_journal_and_leaves_it_whole(path: str) -> None:
    journal = open_journal(path)
    journal.append(commands(1, 3))
    with pytest.raises(JournalFailed):
        journal.append([*commands(4, 1), PlaceOrder(1, "", 0, 0, 0, 1 << 70, 0)])
    with pytest.raises(JournalFailed, match="failed earlier"):
        journal.append(commands(4, 1))
    journal.close()
    assert reread(path) == commands(1, 3)


@pytest.mark.parametrize("kept", ["nothing", "everything", "every second"])
def test_power_lost_at_any_moment_loses_nothing_acknowledged(
    watched: list[tuple[str, str, int, bytes]], tmp_path: Path, kept: str
) -> None:
    directory = tmp_path / "after"
    directory.mkdir()
    for moment in range(len(watched) + 1):
        check(directory, watched[:moment], kept)


def test_a_write_that_is_cut_at_any_moment_loses_nothing_acknowledged(
    watched: list[tuple[str, str, int, bytes]], tmp_path: Path
) -> None:
    """Also where only the first bytes of the log are written again."""
    directory = tmp_path / "after"
    directory.mkdir()
    for moment, (what, file, at, data) in enumerate(watched):
        if what == "write":
            cut = (what, file, at, data[: len(data) // 2])
            check(directory, [*watched[:moment], cut], "everything")


def check(directory: Path, log: list[tuple[str, str, int, bytes]], kept: str) -> None:
    """A disk of this log has every acknowledged command, and whole batches only."""
    for old in directory.iterdir():
        old.unlink()
    for name, content in survived(log, kept).items():
        (directory / name).write_bytes(content)
    acknowledged = max((at for what, _, at, _ in log if what == "appended"), default=0)
    found = reread(str(directory / "journal"))
    assert found == commands(1, len(found))
    assert len(found) >= acknowledged
    assert len(found) in ends()


def survived(log: list[tuple[str, str, int, bytes]], kept: str) -> dict[str, bytearray]:
    """The files after a power loss; of the bytes not synced, those that `kept` says."""
    files: dict[str, bytearray] = {}
    last_sync = {file: at for at, (what, file, _, _) in enumerate(log) if what == "sync"}
    for at, (what, file, offset, data) in enumerate(log):
        if what == "delete":
            files.pop(file, None)
            continue
        durable = at < last_sync.get(file, 0)
        lucky = kept == "everything" or (kept == "every second" and at % 2 == 0)
        if what not in ("write", "truncate") or not (durable or lucky):
            continue
        content = files.setdefault(file, bytearray())
        if what == "truncate":
            del content[offset:]
            continue
        content.extend(bytes(max(0, offset - len(content))))
        content[offset : offset + len(data)] = data
    return files


def test_a_batch_is_packed_before_and_written_on_the_disks_thread(path: str) -> None:
    """Beside the event loop the disk's thread does SQLite's work alone."""
    journal = open_journal(path)
    batch = commands(1, 3)
    write = journal.prepare(batch)
    batch[0].time = 99  # packed already: it is written as it was
    assert journal.last_sequence() == 0
    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    assert journal.last_sequence() == 3
    journal.close()
    assert reread(path) == commands(1, 3)


def test_a_batch_out_of_its_order_fails_the_journal(path: str) -> None:
    journal = open_journal(path)
    journal.prepare(commands(1, 3))
    with pytest.raises(JournalFailed, match="in the order of preparing"):
        journal.append(commands(4, 1))
    with pytest.raises(JournalFailed, match="failed earlier"):
        journal.prepare(commands(4, 1))
    journal.close()
    assert reread(path) == []


def test_the_log_moves_into_the_file_a_little_at_a_time(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An order waits while the log is moved: for a millisecond's worth, however long the run."""
    monkeypatch.undo()
    disk = Disk()
    try:
        journal = open_journal(path)
        for number in range(400):
            journal.append(commands(number * 64 + 1, 64))
            disk.note("appended")
        journal.close()
    finally:
        disk.unregister()
    moved, most = 0, 0
    for what, file, _, _ in disk.log:
        if what == "appended":
            moved = 0
        moved += (what, file) == ("write", "journal")
        most = max(most, moved)
    assert 0 < most < 400, "pages of 4 KB"
