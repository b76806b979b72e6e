"""Snapshots lie beside the journal: whole or passed over, and never in its way."""

from __future__ import annotations

from pathlib import Path

import pytest

from venue.core.messages.commands import Command, Tick
from venue.journal import built
from venue.journal.journal import JournalFailed, Snapshot
from venue.journal.opening import open_journal, open_readonly


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
