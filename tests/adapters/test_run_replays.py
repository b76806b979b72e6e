"""Runs replayed: where two differ, which branches reverts left, and states that go on from one."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.moments import read_whole, state_at
from venue.bundle.file import RunFile, RunRefused, sealed
from venue.bundle.forking import fork
from venue.bundle.replaying import Compared, Replay, branches, compared, ending
from venue.bundle.runs import opened_run
from venue.cli.verify import verify
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    ChangeSetting,
    Command,
    CreateOwner,
    RegisterAsset,
    Tick,
)
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state.snapshot import begin, state_hash
from venue.history.store import open_history
from venue.journal.journal import JournalCorrupt
from venue.journal.opening import open_journal
from venue.journal.snapshot_files import pack
from venue.node.market_data.views import MarketData
from venue.node.snapshots import take
from venue.recompute.history import Projecting
from venue.recording.recorder import Recorder

COMMANDS: list[Command] = [
    RegisterAsset("USDT", 6, time=1_000),
    CreateOwner("anna", time=2_000),
    KeepState("base", time=3_000),
    CreateOwner("bert", time=4_000),
    Tick(5_000),
    RevertState("base", time=6_000),
    CreateOwner("carl", time=7_000),
    KeepState("second", time=8_000),
    RevertState("second", time=9_000),
    RevertState("base", time=9_500),
]


def state_after(sequence: int) -> str:
    engine = begin()
    for command in COMMANDS[:sequence]:
        engine.apply(command)
    return state_hash(engine)


def bundled(folder: Path, commands: list[Command], name: str = "run.venue", begins: int = 0) -> str:
    """The path of a bundle of commands, from a snapshot after command `begins` on."""
    engine = begin()
    snapshot = b""
    recorder = Recorder()
    recorder.restore(b"", engine)
    market_data = MarketData()
    for sequence, command in enumerate(commands, 1):
        applied = Applied(sequence, command.time, command, engine.apply(command))
        recorder.note(applied)
        market_data.follow([applied])
        if sequence == begins:
            snapshot = msgspec.msgpack.encode(pack(take(engine, market_data, recorder)))
    pieces = [(begins + 1, msgspec.msgpack.encode(commands[begins:]))]
    told = (len(commands), engine.time, state_hash(engine))
    run = RunFile("1", begins, *told, {}, snapshot, pieces, [])
    (folder / name).write_bytes(sealed(run))
    return str(folder / name)


def journaled(folder: Path, name: str = "state.db") -> str:
    path = str(folder / name)
    journal = open_journal(path)
    for command in COMMANDS:
        journal.append([command])
    journal.close()
    return path


def difference(first: str, second: str) -> Compared:
    with opened_run(first) as one, opened_run(second) as other:
        return compared(one, other)


@pytest.mark.parametrize("make", [journaled, lambda folder: bundled(folder, COMMANDS)])
def test_a_run_ends_where_it_ended(tmp_path: Path, make: object) -> None:
    assert callable(make)
    with opened_run(make(tmp_path)) as run:
        end = ending(run)
    assert (end.first, end.last, end.epoch) == (1, 10, 3)
    assert end.state_hash == state_after(10) == state_after(2)


def test_runs_that_are_the_same(tmp_path: Path) -> None:
    found = difference(journaled(tmp_path), bundled(tmp_path, COMMANDS))
    assert found == Compared(1, 10, None, None)


def test_the_first_difference_is_told_by_field(tmp_path: Path) -> None:
    others = list(COMMANDS)
    others[3] = CreateOwner("berta", time=4_001)
    others[6] = Tick(7_000)
    found = difference(bundled(tmp_path, COMMANDS), bundled(tmp_path, others, "other.venue"))
    seen = found.difference
    assert seen is not None
    assert (seen.what, seen.sequence, found.time) == ("COMMAND", 4, None)
    assert (seen.first, seen.second) == (
        "CreateOwner name=bert self_trade=0 agent=False",
        "CreateOwner name=berta self_trade=0 agent=False",
    )
    (field,) = seen.fields
    assert (field.name, field.first, field.second) == ("name", "bert", "berta")


def test_times_and_ids_of_requests_are_no_difference(tmp_path: Path) -> None:
    others = [msgspec.structs.replace(one, time=one.time + 7) for one in COMMANDS[:5]]
    found = difference(bundled(tmp_path, COMMANDS[:5]), bundled(tmp_path, others, "other.venue"))
    assert (found.difference, found.time) == (None, 1)


def test_another_command_and_an_end(tmp_path: Path) -> None:
    others = [*COMMANDS[:4], ChangeSetting("clock", "manual", time=5_000)]
    one = bundled(tmp_path, COMMANDS[:5])
    other = bundled(tmp_path, others, "other.venue")
    shorter = bundled(tmp_path, COMMANDS[:3], "shorter.venue")
    seen = difference(one, other).difference
    assert seen is not None
    assert (seen.what, seen.sequence, seen.first) == ("COMMAND", 5, "Tick")
    assert [field.name for field in seen.fields] == ["what"]
    for pair in ((one, shorter), (shorter, one)):
        seen = difference(*pair).difference
        assert seen is not None
        assert (seen.what, seen.sequence) == ("END", 4)
        assert {seen.first, seen.second} == {"CreateOwner name=bert self_trade=0 agent=False", "-"}


def test_runs_that_begin_with_snapshots(tmp_path: Path) -> None:
    late = bundled(tmp_path, COMMANDS, "late.venue", begins=4)
    assert difference(late, bundled(tmp_path, COMMANDS)) == Compared(5, 10, None, None)
    others = [CreateOwner("otto", time=1_000), *COMMANDS[1:]]
    seen = difference(late, bundled(tmp_path, others, "other.venue")).difference
    assert seen is not None
    assert (seen.what, seen.sequence) == ("STATE", 4)
    with pytest.raises(RunRefused, match="no command in common"):
        difference(late, bundled(tmp_path, COMMANDS[:4], "early.venue"))


def test_branches_that_reverts_left(tmp_path: Path) -> None:
    with opened_run(journaled(tmp_path)) as run:
        found = branches(run)
    assert [(one.begins, one.ends, one.follows, one.kept, one.left) for one in found] == [
        (1, 5, 0, "", 6),
        (6, 8, 3, "base", 9),
        (9, 9, 8, "second", 10),
        (10, 10, 3, "base", None),
    ]
    assert (found[0].time_from, found[0].time_to) == (1_000, 5_000)
    assert found[1].time_from < 5_000  # time went back too


@pytest.mark.parametrize("sequence", [1, 5, 6, 10])
def test_a_fork_is_a_state_file_like_any_other(tmp_path: Path, sequence: int) -> None:
    new = str(tmp_path / "new.db")
    with opened_run(bundled(tmp_path, COMMANDS)) as run:
        made = fork(run, sequence, new)
    assert (made.last, made.state_hash) == (sequence, state_after(sequence))
    findings = verify(new)
    assert findings.problems == []
    assert f"state: {made.state_hash}" in findings.facts
    modes = {one.name: one.stat().st_mode & 0o777 for one in tmp_path.iterdir()}
    assert {mode for name, mode in modes.items() if name != "run.venue"} == {0o600}
    assert not [name for name in modes if "fork" in name or ".keys" in name]
    journal = open_journal(new)
    journal.append([Tick(20_000)])
    assert journal.last_sequence() == sequence + 1
    journal.close()


@pytest.mark.parametrize("begins", [3, 4, 9])
def test_a_fork_of_a_run_that_begins_with_a_snapshot(tmp_path: Path, begins: int) -> None:
    new = str(tmp_path / "new.db")
    with opened_run(bundled(tmp_path, COMMANDS, begins=begins)) as run:
        assert run.begin() == begins
        with pytest.raises(RunRefused, match=f"after commands {begins} to 10"):
            fork(run, begins - 1, new)
        made = fork(run, 9, new)
        with read_whole(run, tmp_path) as moments:
            assert moments.state_hash == state_after(10)
            assert state_at(moments, begins) == state_after(begins)
    assert made.state_hash == state_after(9)
    assert verify(new).problems == []
    with opened_run(new) as again:
        assert (again.begin(), again.last()) == (begins, 9)
        assert Replay(again).engine.sequence == begins


def test_a_fork_takes_no_name_that_is_used(tmp_path: Path) -> None:
    source = bundled(tmp_path, COMMANDS)
    for name in ("new.db", "new.db.keys", "new.db.acknowledged", "new.db-wal"):
        place = tmp_path / name
        place.write_bytes(b"mine")
        with opened_run(source) as run, pytest.raises(RunRefused, match="is there already"):
            fork(run, 3, str(tmp_path / "new.db"))
        assert place.read_bytes() == b"mine"
        place.unlink()
    with opened_run(source) as run:
        with pytest.raises(RunRefused, match="folder is not there"):
            fork(run, 3, str(tmp_path / "nowhere" / "new.db"))
        for sequence in (0, 11):
            with pytest.raises(RunRefused, match="after commands 1 to 10"):
                fork(run, sequence, str(tmp_path / "new.db"))
    assert [one.name for one in tmp_path.iterdir()] == ["run.venue"]


def test_a_fork_that_ends_between_two_renames_is_whole_or_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enemy: kill -9 after the journal has its name, and before its note of acknowledged commands
    has: `verify` called the note missing."""
    source = bundled(tmp_path, COMMANDS)
    rename, found = Path.rename, set()
    for most in range(20):
        new = tmp_path / f"after-{most}" / "new.db"
        new.parent.mkdir()
        left = [most]

        def renamed(file: Path, target: Path, left: list[int] = left) -> Path:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.EIO, "ended here")
            return rename(file, target)

        with monkeypatch.context() as patched, opened_run(source) as run:
            patched.setattr(Path, "rename", renamed)
            with suppress(OSError):
                fork(run, 9, str(new))
        found.add((new.exists(), left[0] < 0))
        if new.exists():
            assert verify(str(new)).problems == [], most
    assert found == {(False, True), (True, True), (True, False)}


def test_what_no_venue_wrote_leaves_nothing_behind(tmp_path: Path) -> None:
    path = bundled(tmp_path, COMMANDS)
    strange = RunFile("1", 0, 2, 0, "", {}, b"", [(1, msgspec.msgpack.encode(COMMANDS[:1]))], [])
    Path(path).write_bytes(sealed(strange))
    with opened_run(path) as run:
        with pytest.raises(JournalCorrupt, match="sequence 2: missing"):
            ending(run)
        with pytest.raises(JournalCorrupt, match="sequence 2: missing"):
            fork(run, 2, str(tmp_path / "new.db"))
    assert [one.name for one in tmp_path.iterdir()] == ["run.venue"]


@pytest.mark.parametrize("begins", [1_023, 1_024, 1_030])
def test_a_fork_beside_a_block_of_the_journals_chain(tmp_path: Path, begins: int) -> None:
    new = str(tmp_path / "new.db")
    commands = [*COMMANDS, *(Tick(10_000 + n) for n in range(2_100))]
    with opened_run(bundled(tmp_path, commands, begins=begins)) as run:
        made = fork(run, 2_049, new)
    assert made.state_hash == state_after(10)
    assert verify(new).problems == []
    with opened_run(new) as again:
        assert (again.begin(), again.last()) == (begins, 2_049)
        assert ending(again).state_hash == made.state_hash


def test_small_batches_become_history_in_few_transactions(tmp_path: Path) -> None:
    """A venue's quiet hour is a hundred thousand batches of a command or two each."""
    commands = [*COMMANDS, *(Tick(10_000 + n) for n in range(3_000))]
    begun: list[str] = []
    store = open_history(str(tmp_path / "history"))

    def note(_: Any, text: str, __: Any) -> bool:
        begun.append(text)
        return True

    store.connection.exec_trace = note
    projecting = Projecting(store)
    engine = begin()
    projecting.restore({}, engine)
    for sequence, command in enumerate(commands, 1):
        applied = Applied(sequence, command.time, command, engine.apply(command))
        projecting.note(applied)
        projecting.follow([applied])
    assert projecting.checkpoint() == store.last_sequence() == len(commands)
    store.close()
    assert 3 < begun.count("BEGIN") < 40
