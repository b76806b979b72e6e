"""Any state of a run is that of a whole replay, wherever a jump to it begins."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from support.moments import read_on, read_whole, state_at
from venue.bundle import moments as kept_states
from venue.bundle.file import RunRefused
from venue.bundle.moments import Moments
from venue.bundle.replaying import Replay
from venue.bundle.runs import PastRun, opened_run
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, CreateOwner, RegisterAsset, Tick
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state.snapshot import begin, state_hash
from venue.journal.opening import open_journal
from venue.journal.snapshot_files import SnapshotFiles
from venue.node.market_data.views import MarketData
from venue.node.snapshots import take
from venue.recording.recorder import Recorder

COUNT = 400
SNAPSHOTS = (150, 333)
JUMPS = (400, 1, 2, 9, 10, 11, 149, 150, 151, 220, 333, 334, 399)


def command(number: int) -> Command:
    """Owners come, and states are kept and gone back to."""
    time = number * 1_000
    if number == 1:
        return RegisterAsset("USDT", 6, time=time)
    if number % 90 == 0:
        return RevertState("base", time=time)
    if number % 40 == 5:
        return KeepState("base", time=time)
    return CreateOwner(f"owner{number}", time=time) if number % 3 else Tick(time)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A stopped venue's journal, with snapshots on its way."""
    made = str(tmp_path / "state.db")
    engine, market_data, recorder = begin(), MarketData(), Recorder()
    recorder.restore(b"", engine)
    with closing(open_journal(made)) as journal:
        for sequence in range(1, COUNT + 1):
            one = command(sequence)
            journal.append([one])
            applied = Applied(sequence, one.time, one, engine.apply(one))
            recorder.note(applied)
            market_data.follow([applied])
            if sequence in SNAPSHOTS:
                journal.save_snapshot(take(engine, market_data, recorder))
    return made


@pytest.fixture(autouse=True)
def _near(monkeypatch: pytest.MonkeyPatch) -> None:
    """States are kept after few commands, and few of them."""
    monkeypatch.setattr(kept_states, "LEAST_APART", 10)
    monkeypatch.setattr(kept_states, "KEPT_MOST", 6)


def replayed(run: PastRun) -> dict[int, str]:
    """The states of a whole replay."""
    replay = Replay(run)
    return {step.sequence: state_hash(replay.engine) for step in replay.steps(run.last())}


def check(run: PastRun, moments: Moments) -> None:
    right = replayed(run)
    assert {at: state_at(moments, at) for at in JUMPS} == {at: right[at] for at in JUMPS}


@pytest.mark.parametrize("reached", [0, 1, 30, 200])
def test_a_state_is_the_same_before_the_replay_has_come_to_it(
    path: str, tmp_path: Path, reached: int
) -> None:
    with opened_run(path) as run, closing(Moments(run, str(tmp_path))) as moments:
        read_on(moments, reached)
        assert moments.reached >= reached
        check(run, moments)


def test_a_state_is_the_same_after_the_replay(
    path: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened_run(path) as run, read_whole(run, tmp_path) as moments:
        assert moments.state_hash == replayed(run)[COUNT]
        check(run, moments)
        kept = moments.kept()
        assert len(kept) <= kept_states.KEPT_MOST
        assert kept[-1] == COUNT
        assert len(list(Path(moments.folder).glob("state-*"))) == len(kept)
    assert caplog.messages == []


def test_a_replay_begins_with_the_newest_snapshot(path: str, tmp_path: Path) -> None:
    with opened_run(path) as run, closing(Moments(run, str(tmp_path))) as moments:
        begins = [next(iter(moments.snapshots(at)), None) for at in (149, 150, 332, COUNT)]
        assert [one.sequence if one else 0 for one in begins] == [0, 150, 150, 333]
        read_on(moments, COUNT)
        newest = next(iter(moments.snapshots(COUNT)))
        assert newest.sequence == COUNT


def test_a_damaged_state_on_the_way_is_passed_over_and_told(
    path: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened_run(path) as run, read_whole(run, tmp_path) as moments:
        for number, file in enumerate(sorted(Path(moments.folder).glob("state-*"))):
            data = bytearray(file.read_bytes())
            data[len(data) // 2] ^= 1
            file.write_bytes(data if number % 2 else data[:9])
        check(run, moments)
    assert "is damaged, and passed over" in caplog.text


def test_a_damaged_snapshot_is_passed_over_and_told(
    path: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Path(f"{path}.snapshot-333").write_bytes(b"nothing")
    with opened_run(path) as run, closing(Moments(run, str(tmp_path))) as moments:
        check(run, moments)
        read_on(moments, COUNT)
        check(run, moments)
    assert f"{path}.snapshot-333 is damaged, and passed over" in caplog.text


@pytest.mark.parametrize("forged", [True, False])
def test_a_snapshot_of_another_state(
    path: str, tmp_path: Path, forged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Enemy: a snapshot that is whole, of a venue with other owners, or with another hash."""
    files = SnapshotFiles(path)
    found = files.read(150)
    assert found is not None
    if forged:
        engine, views, recorder = begin(), MarketData(), Recorder()
        for number in range(150):
            engine.apply(RegisterAsset(f"A{number}", 6, time=150_000))
        recorder.restore(b"", engine)
        found = take(engine, views, recorder)
    else:
        found = msgspec.structs.replace(found, state_hash="0" * 32)
    files.write(found)
    files.put(150, os.getpid(), 0)
    with opened_run(path) as run, closing(Moments(run, str(tmp_path))) as moments:
        if not forged:
            check(run, moments)
            assert "at command 150 does not hold, and is passed over" in caplog.text
            return
        with pytest.raises(RunRefused, match="its commands lead to"):
            read_on(moments, COUNT)


def test_a_run_that_ends_in_another_state_is_refused_when_it_is_read(
    path: str, tmp_path: Path
) -> None:
    with opened_run(path) as run:
        run.state_hash = "0" * 32
        with (
            closing(Moments(run, str(tmp_path))) as moments,
            pytest.raises(RunRefused, match="it was changed"),
        ):
            read_on(moments, COUNT)


def test_what_is_under_way_can_be_stopped(path: str, tmp_path: Path) -> None:
    with opened_run(path) as run, closing(Moments(run, str(tmp_path))) as moments:
        read_on(moments, 30)
        moments.stop()
        with pytest.raises(RunRefused, match="told to end"):
            moments.go_on()
        with pytest.raises(RunRefused, match="told to end"):
            state_at(moments, 200)
