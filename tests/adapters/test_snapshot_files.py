"""Snapshots lie beside the journal: whole or passed over, and never in its way."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import apsw
import pytest

from venue.core.messages.commands import Command, Tick
from venue.journal import built
from venue.journal.chain import BLOCK
from venue.journal.journal import JournalCorrupt, JournalFailed, Snapshot
from venue.journal.opening import open_journal, open_readonly
from venue.journal.snapshot_files import SnapshotFiles, packed


def commands(first: int, count: int) -> list[Command]:
    return [Tick(time=number) for number in range(first, first + count)]


def snapshot(sequence: int) -> Snapshot:
    return Snapshot(sequence, built.name(), f"hash {sequence}", {"engine": bytes(sequence)})


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "journal")


def test_a_damaged_snapshot_is_passed_over(path: str) -> None:
    journal = open_journal(path)
    journal.append(commands(1, 9))
    journal.save_snapshot(snapshot(5))
    journal.save_snapshot(snapshot(9))
    whole = Path(f"{path}.snapshot-9").read_bytes()
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(len(whole))]
    for data in (*changed, whole[:-1], b"", Path(f"{path}.snapshot-5").read_bytes()):
        Path(f"{path}.snapshot-9").write_bytes(data)
        assert list(journal.snapshots()) == [snapshot(5)]
    Path(f"{path}.snapshot-9").write_bytes(whole)
    assert list(journal.snapshots()) == [snapshot(9), snapshot(5)]
    journal.close()


def test_snapshots_of_former_versions_are_taken_out_of_the_journal(path: str) -> None:
    journal = open_journal(path)
    journal.append(commands(1, 9))
    journal.close()
    connection = apsw.Connection(path)
    for sequence in (2, 5, 9):
        row = packed(snapshot(sequence))
        connection.execute("INSERT INTO snapshots VALUES(?, ?, ?, ?, ?)", row)
    connection.execute("UPDATE snapshots SET parts = x'80' WHERE sequence = 9")
    connection.execute("DROP TABLE archived; UPDATE meta SET format = 1")
    connection.execute("ALTER TABLE segments DROP COLUMN rules")
    connection.close()
    for opened in (open_readonly, open_journal):
        journal = opened(path)
        assert list(journal.snapshots()) == [snapshot(5), snapshot(2)]
        journal.close()
        assert SnapshotFiles(path).sequences() == []
    journal = open_journal(path)
    journal.append(commands(10, 1))
    assert list(journal.snapshots()) == [snapshot(5), snapshot(2)]
    journal.close()
    connection = apsw.Connection(path)
    assert connection.execute("SELECT count(*) FROM snapshots").get == 0
    connection.close()
    assert SnapshotFiles(path).sequences() == [5, 2]
    assert stat.S_IMODE(os.stat(f"{path}.snapshot-5").st_mode) == 0o600


def test_what_stands_for_dropped_commands_stays_when_a_former_journal_is_brought_up(
    path: str,
) -> None:
    journal = open_journal(path)
    journal.append(commands(1, BLOCK + 30))
    journal.close()
    connection = apsw.Connection(path)
    for sequence in (BLOCK + 20, BLOCK + 30):
        row = packed(snapshot(sequence))
        connection.execute("INSERT INTO snapshots VALUES(?, ?, ?, ?, ?)", row)
    connection.execute("DROP TABLE archived; UPDATE meta SET format = 2")
    connection.close()
    journal = open_journal(path)
    journal.stand(snapshot(BLOCK + 10))
    journal.drop(BLOCK, BLOCK + 10)
    kept = [snapshot(BLOCK + number) for number in (30, 20, 10)]
    assert list(journal.snapshots()) == kept
    journal.append(commands(BLOCK + 31, 1))
    journal.save_snapshot(snapshot(BLOCK + 31))
    journal.close()
    journal = open_readonly(path)
    assert journal.begin() == BLOCK
    assert list(journal.snapshots()) == [snapshot(BLOCK + 31), kept[0], kept[2]]
    for read in (journal.packed(BLOCK, BLOCK + 31), list(journal.read(BLOCK))):
        assert [first for first, _ in read] == [BLOCK + 1, BLOCK + 31]
    for refused in (lambda: journal.packed(BLOCK - 1, BLOCK), lambda: next(journal.read(0))):
        with pytest.raises(JournalCorrupt, match=f"begins after command {BLOCK}"):
            refused()
    journal.close()


def test_a_snapshot_that_cannot_be_written_leaves_the_journal_at_work(path: str) -> None:
    journal = open_journal(path)
    journal.append(commands(1, 3))
    Path(f"{path}.snapshot-3").mkdir()
    with pytest.raises(JournalFailed, match="no snapshot of"):
        journal.save_snapshot(snapshot(3))
    journal.append(commands(4, 1))
    assert journal.last_sequence() == 4
    journal.close()
    journal = open_readonly(path)
    assert list(journal.read(0)) == [(1, commands(1, 3)), (4, commands(4, 1))]
    journal.close()
