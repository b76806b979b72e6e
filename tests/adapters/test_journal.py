"""The promises of every journal; the file keeps them when disk, process or bytes fail."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import msgspec
import pytest

from support.numbered import SINGLY, commands
from venue.core.messages.commands import Command
from venue.core.rules import RULES
from venue.journal import built
from venue.journal.chain import BLOCK
from venue.journal.file import check_library, refuse_foreign
from venue.journal.journal import Journal, JournalCorrupt, JournalFailed, Segment, Snapshot
from venue.journal.memory import MemoryJournal
from venue.journal.opening import open_journal, open_readonly
from venue.journal.recent import EVERY, RecentJournal

OF_A_DIARY = """
import apsw, os, sys
diary = apsw.Connection(sys.argv[1])
diary.execute("PRAGMA journal_mode = %s; CREATE TABLE diary(day)").fetchall()
many = "WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 99999) SELECT i FROM n"
%s
"""
AMID = "diary.execute('PRAGMA cache_size = 1; BEGIN; INSERT INTO diary ' + many); os._exit(0)"
# Programs that leave a file which is no journal.
FOREIGN = {
    "text": "import sys; open(sys.argv[1], 'w').write('dear diary ' * 1000)",
    "short": "import sys; open(sys.argv[1], 'w').write('x')",
    "database": OF_A_DIARY % ("DELETE", "diary.close()"),
    "database amid a transaction": OF_A_DIARY % ("DELETE", AMID),
    "database with a log": OF_A_DIARY % ("WAL", "diary.close()"),
    "database with a log that is needed": OF_A_DIARY % ("WAL", "os._exit(0)"),
}


def everything(journal: Journal, after: int = 0) -> list[Command]:
    found: list[Command] = []
    for first, piece in journal.read(after):
        assert first == after + len(found) + 1
        found.extend(piece)
    return found


def snapshot(sequence: int) -> Snapshot:
    return Snapshot(sequence, built.name(), f"hash {sequence}", {"engine": bytes(sequence)})


# -- every journal --------------------------------------------------------------------------------


@pytest.fixture(params=["memory", "recent", "sqlite"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    opened: Journal
    if request.param == "memory":
        opened = MemoryJournal(keep=True)
    elif request.param == "recent":
        opened = RecentJournal(EVERY)
    else:
        opened = open_journal(str(tmp_path / "journal"))
    yield opened
    opened.close()


def test_a_new_journal_is_empty(journal: Journal) -> None:
    assert journal.last_sequence() == 0
    assert everything(journal) == []
    assert list(journal.snapshots()) == []


def test_commands_are_numbered_from_one_and_come_back_in_order(journal: Journal) -> None:
    journal.append(commands(1, 3))
    journal.append(commands(4, 1))
    assert journal.last_sequence() == 4
    assert everything(journal) == commands(1, 4)
    assert [everything(journal, after) for after in range(5)] == [
        commands(after + 1, 4 - after) for after in range(5)
    ]


def test_an_empty_batch_is_refused_and_breaks_nothing(journal: Journal) -> None:
    with pytest.raises(ValueError, match="at least one"):
        journal.append([])
    journal.append(commands(1, 1))
    assert journal.last_sequence() == 1


def test_reading_past_the_end_is_refused(journal: Journal) -> None:
    journal.append(commands(1, 2))
    with pytest.raises(JournalCorrupt, match="ends at 2, before 3"):
        everything(journal, 3)


def test_batches_around_block_boundaries(journal: Journal) -> None:
    done = 0
    for size in (BLOCK - 1, 3, 2 * BLOCK + 5, 1, 50):
        journal.append(commands(done + 1, size))
        done += size
    wanted = commands(1, done)
    for after in (0, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, done - 1, done):
        assert everything(journal, after) == wanted[after:]


def test_a_reader_may_be_overtaken_by_an_append(journal: Journal) -> None:
    journal.append(commands(1, 2))
    reader = journal.read(0)
    assert next(reader) == (1, commands(1, 2))
    journal.append(commands(3, 2))
    assert everything(journal, 2) == commands(3, 2)


def test_the_newest_two_snapshots_are_kept_newest_first(journal: Journal) -> None:
    journal.append(commands(1, 9))
    for sequence in (3, 5, 9, 9):
        journal.save_snapshot(snapshot(sequence))
    assert list(journal.snapshots()) == [snapshot(9), snapshot(5)]


def test_a_snapshot_of_the_future_is_a_defect(journal: Journal) -> None:
    with pytest.raises(AssertionError):
        journal.save_snapshot(snapshot(1))


def test_a_closed_journal_takes_nothing(journal: Journal) -> None:
    journal.close()
    journal.close()
    with pytest.raises(JournalFailed, match="closed"):
        journal.append(commands(1, 1))
    with pytest.raises(JournalFailed, match="closed"):
        journal.save_snapshot(snapshot(0))


def test_the_version_that_writes_is_noted(journal: Journal) -> None:
    journal.append(commands(1, 2))
    assert journal.segments() == [Segment(1, built.name(), RULES)]


def test_append_waits_for_a_disk_only_where_there_is_one(journal: Journal) -> None:
    assert journal.instant == isinstance(journal, MemoryJournal | RecentJournal)


def test_a_memory_journal_that_only_counts() -> None:
    journal = MemoryJournal(keep=False)
    journal.append(commands(1, 3))
    journal.save_snapshot(snapshot(3))
    assert journal.last_sequence() == 3
    assert list(journal.snapshots()) == [snapshot(3)]
    assert everything(journal, 3) == []
    with pytest.raises(LookupError):
        everything(journal, 2)


# -- the file -------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "journal")


def write(path: str, batches: int, size: int = 3) -> list[Command]:
    """Write a journal of some batches with a snapshot in the middle; return its commands."""
    journal = open_journal(path)
    for batch in range(batches):
        journal.append(commands(batch * size + 1, size))
        if batch == batches // 2:
            journal.save_snapshot(snapshot(journal.last_sequence()))
    journal.close()
    return commands(1, batches * size)


def reread(path: str) -> list[Command]:
    journal = open_journal(path)
    try:
        return everything(journal)
    finally:
        journal.close()


def test_the_file_goes_on_where_it_was_closed(path: str) -> None:
    done = 0
    for size in (3, BLOCK - 3, 40, 2000, 1):
        journal = open_journal(path)
        assert journal.last_sequence() == done
        journal.append(commands(done + 1, size))
        done += size
        journal.close()
    assert reread(path) == commands(1, done)
    connection = apsw.Connection(path)
    for first, count, chain in connection.execute(
        "SELECT first_sequence, count, chain FROM batches"
    ):
        assert isinstance(first, int)
        assert isinstance(count, int)
        assert SINGLY.get(first + count - 1, chain) == chain
    connection.close()


def test_only_its_owner_may_read_the_file(path: str) -> None:
    journal = open_journal(path)
    journal.append(commands(1, 1))
    for name in (path, path + "-wal"):
        assert stat.S_IMODE(os.stat(name).st_mode) == 0o600
    journal.close()


WRITER = """
import sys
from venue.core.messages.commands import Tick
from venue.journal.opening import open_journal
journal = open_journal(sys.argv[1])
while True:
    journal.append([Tick(time=journal.last_sequence() + 1)] * 3)
    print(journal.last_sequence(), flush=True)
"""


@pytest.fixture
def writer(path: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that writes the journal, and prints each sequence that is durable."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("opener", [open_journal, open_readonly])
def test_a_second_process_is_refused_until_the_first_is_gone(
    path: str, writer: subprocess.Popen[str], opener: Callable[[str], Journal]
) -> None:
    assert writer.stdout is not None
    assert writer.stdout.readline() == "3\n"
    with pytest.raises(JournalFailed, match="in use by another process"):
        opener(path)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    opener(path).close()


def test_a_second_opening_in_the_same_process_is_refused(path: str) -> None:
    journal = open_journal(path)
    with pytest.raises(JournalFailed, match="in use"):
        open_journal(path)
    journal.append(commands(1, 1))
    journal.close()


@pytest.mark.parametrize("lines", [1, 2, 17, 400])
def test_everything_a_killed_writer_said_is_there(
    path: str, writer: subprocess.Popen[str], lines: int
) -> None:
    assert writer.stdout is not None
    printed = [writer.stdout.readline() for _ in range(lines)]
    writer.send_signal(signal.SIGKILL)
    printed += writer.stdout.read().splitlines()
    said = int([line for line in printed if line][-1])
    found = reread(path)
    assert len(found) >= said
    assert len(found) % 3 == 0


def test_appends_may_come_from_another_thread(path: str) -> None:
    journal = open_journal(path)
    thread = threading.Thread(target=journal.append, args=(commands(1, 4),))
    thread.start()
    thread.join()
    assert everything(journal) == commands(1, 4)
    journal.close()


def test_another_version_begins_a_segment(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, batches=2)
    written = [Segment(1, built.name(), RULES)]
    for version in ("8.0", "9.0", "9.0"):
        monkeypatch.setattr(built, "name", lambda version=version: version)
        journal = open_journal(path)
        assert journal.segments() == written
        journal.append(commands(journal.last_sequence() + 1, 1))
        if version != written[-1].engine_version:
            written.append(Segment(journal.last_sequence(), version, RULES))
        assert journal.segments() == written
        journal.close()
    assert [segment.first_sequence for segment in written] == [1, 7, 8]


def test_reading_only_changes_nothing(path: str) -> None:
    journal = open_journal(path)
    journal.append(commands(1, 5))
    copy = path + ".copy"
    shutil.copy(path, copy)
    shutil.copy(path + "-wal", copy + "-wal")
    journal.close()
    before = [Path(copy + end).read_bytes() for end in ("", "-wal")]
    reader = open_readonly(copy)
    assert everything(reader) == commands(1, 5)
    with pytest.raises(JournalFailed, match="reading only"):
        reader.append(commands(6, 1))
    reader.close()
    assert [Path(copy + end).read_bytes() for end in ("", "-wal")] == before


def test_there_must_be_something_to_read(path: str) -> None:
    with pytest.raises(JournalFailed):
        open_readonly(path)
    assert not os.path.exists(path)


@pytest.mark.parametrize("opener", [open_journal, open_readonly, refuse_foreign])
@pytest.mark.parametrize("kind", sorted(FOREIGN))
def test_what_is_not_a_journal_is_left_alone(
    tmp_path: Path, kind: str, opener: Callable[[str], Journal | None]
) -> None:
    """Whatever its program left beside it, and wherever that was killed."""
    subprocess.run([sys.executable, "-c", FOREIGN[kind], "other"], cwd=tmp_path, check=True)
    path = tmp_path / "other"
    path.chmod(0o640)
    before = looked_at(tmp_path)
    with pytest.raises(JournalCorrupt, match=str(path)):
        opener(str(path))
    assert looked_at(tmp_path) == before


def looked_at(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """A folder's files: their bytes, the times of their changes and their modes."""
    there = {one.name: one.stat() for one in sorted(folder.iterdir())}
    return {
        name: ((folder / name).read_bytes(), found.st_mtime_ns, found.st_mode)
        for name, found in there.items()
    }


@pytest.mark.parametrize("opener", [open_journal, open_readonly])
def test_what_is_no_regular_file_is_refused_and_gets_no_file_beside_it(
    tmp_path: Path, opener: Callable[[str], Journal]
) -> None:
    link = tmp_path / "device"
    link.symlink_to("/dev/null")
    for place in ("/dev/null", str(link), str(tmp_path)):
        with pytest.raises(JournalFailed, match=f"{place} is no regular file"):
            opener(place)
    assert not Path("/dev/null-journal").exists()
    assert list(tmp_path.iterdir()) == [link]


@pytest.mark.parametrize("version", ["3.40.1", "3.51.2", "3.51.2.1"])
def test_an_old_library_is_refused(version: str) -> None:
    with pytest.raises(JournalFailed, match=r"3\.51\.3"):
        check_library(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.54.1", "4.0.0"])
def test_a_good_library_is_taken(version: str) -> None:
    check_library(version)


# -- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["payload", "chain"])
def test_one_flipped_bit_anywhere_in_a_row_is_found(path: str, column: str) -> None:
    write(path, batches=3)
    connection = apsw.Connection(path)
    rows = connection.execute(f"SELECT first_sequence, {column} FROM batches").fetchall()
    connection.close()
    update = f"UPDATE batches SET {column} = ? WHERE first_sequence = ?"
    for first, value in rows:
        assert isinstance(value, bytes)
        for at in range(len(value)):
            damaged = bytearray(value)
            damaged[at] ^= 1 << at % 8
            with apsw.Connection(path) as connection:
                connection.execute(update, (bytes(damaged), first))
            connection.close()
            with pytest.raises(JournalCorrupt, match=f"sequence {first}:"):
                reread(path)
        with apsw.Connection(path) as connection:
            connection.execute(update, (value, first))
        connection.close()
    assert reread(path) == commands(1, 9)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM batches WHERE first_sequence = 1",
        "DELETE FROM batches WHERE first_sequence = 4",
        "UPDATE batches SET first_sequence = 5 WHERE first_sequence = 4",
        "UPDATE batches SET first_sequence = 0 WHERE first_sequence = 1",
        "UPDATE batches SET first_sequence = 1 << 62 WHERE first_sequence = 7",
        "UPDATE batches SET count = 2 WHERE first_sequence = 4",
        "UPDATE batches SET count = 4 WHERE first_sequence = 7",
        "UPDATE batches SET count = -1 WHERE first_sequence = 7",
        "UPDATE batches SET count = 1 << 61 WHERE first_sequence = 7",
        "DROP TABLE batches",
        "DELETE FROM meta",
        "UPDATE meta SET format = 4",
        "UPDATE meta SET format = 0",
    ],
)
def test_rows_that_are_not_as_written_are_found(path: str, damage: str) -> None:
    write(path, batches=3)
    connection = apsw.Connection(path)
    connection.execute(damage)
    connection.close()
    with pytest.raises(JournalCorrupt):
        reread(path)


def test_a_damaged_end_of_a_block_is_found_by_who_starts_there(path: str) -> None:
    journal = open_journal(path)
    journal.append(commands(1, BLOCK + 10))
    journal.close()
    connection = apsw.Connection(path)
    connection.execute("UPDATE batches SET chain = zeroblob(32) WHERE first_sequence = 1")
    connection.close()
    with pytest.raises(JournalCorrupt, match=f"sequence {BLOCK + 1}:"):
        open_journal(path)


def test_packed_pieces_are_what_read_gives(journal: Journal) -> None:
    for size in (3, 1000, 30, *[1] * 100, 2000):
        journal.append(commands(journal.last_sequence() + 1, size))
    for after, last in ((0, 3133), (3, 1033), (1033, 1040), (1024, 3133)):
        decoded: list[Command] = []
        while after + len(decoded) < last:
            for first, payload in journal.read_packed(after + len(decoded), last):
                piece = msgspec.msgpack.decode(payload, type=list[Command])
                decoded += piece[after + len(decoded) + 1 - first :]
        assert decoded[: last - after] == commands(after + 1, last - after)


def test_a_file_with_any_damaged_byte_gives_a_prefix_or_an_error(path: str) -> None:
    wanted = write(path, batches=4)
    whole = Path(path).read_bytes()
    for at in range(0, len(whole), 37):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        Path(path).write_bytes(damaged)
        Path(path + "-wal").unlink(missing_ok=True)
        try:
            found = reread(path)
        except (JournalCorrupt, JournalFailed):
            continue
        assert found == wanted[: len(found)], at
