"""Snapshots that another process takes are those that the venue itself would take."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from support.trading import FOUNDING, trading
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, RecordStreams
from venue.core.units import FIRST_UID
from venue.helpers.link import HelperFailed
from venue.helpers.program import environment
from venue.journal.chain import BLOCK
from venue.journal.opening import open_journal
from venue.journal.snapshot_files import SnapshotFiles
from venue.journal.sqlite import SqliteJournal
from venue.node import keeper
from venue.node.keeper import Keeper
from venue.node.market_data.views import MarketData
from venue.node.snapshots import EVERY, take
from venue.recording.recorder import Recorder

TESTS = Path(__file__).resolve().parents[1]
KEPT = 1_000
STATE = "venue.db"


class Running:
    """The parts of a venue between its doors and its disk."""

    def __init__(self, path: str) -> None:
        self.journal: SqliteJournal = open_journal(path)
        self.engine = Engine()
        self.market_data = MarketData()
        self.recorder = Recorder(KEPT)
        self.recorder.restore(b"", self.engine)
        self.durable = 0
        self.others = children()  # a server that other tests share, for instance
        self.meanwhile: Callable[[], None] = lambda: None
        self.keeper = Keeper(
            self.journal,
            path,
            KEPT,
            on_disk_thread=self._on_disk_thread,
            sequence=lambda: self.engine.sequence,
            durable=self._durable,
        )

    def submit(self, commands: list[Command]) -> None:
        self.journal.append(commands)
        batch = []
        for command in commands:
            applied = Applied(
                self.engine.sequence + 1, command.time, command, self.engine.apply(command)
            )
            self.recorder.note(applied)
            batch.append(applied)
        self.market_data.follow(batch)
        self.recorder.take()

    def here(self) -> list[object]:
        """The sequence, the state hash and the parts of a snapshot that is taken on the spot."""
        taken = take(self.engine, self.market_data, self.recorder)
        return [taken.sequence, taken.state_hash, taken.parts]

    def kept(self) -> list[object]:
        """The same of the newest that is kept."""
        newest = next(self.journal.snapshots())
        return [newest.sequence, newest.state_hash, newest.parts]

    async def _on_disk_thread(self, function: Callable[[], None]) -> None:
        function()
        self.meanwhile()

    async def _durable(self) -> None:
        self.durable = self.engine.sequence


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.chdir(tmp_path)
    opened = Running(STATE)
    yield opened
    opened.journal.close()


def founded(running: Running) -> list[Command]:
    """A market with owners, one of whom listens; the orders that are still to come."""
    stream = trading(7, 6_000)
    running.submit(stream[:FOUNDING])
    listens = RecordStreams(FIRST_UID, time=stream[FOUNDING].time)
    running.submit([listens, *stream[FOUNDING : BLOCK + 5]])
    return stream[BLOCK + 5 :]


def keep(running: Running, time_max_s: float = 60.0) -> int:
    return asyncio.run(running.keeper.keep(time_max_s))


def children() -> set[int]:
    """The processes that this one has started."""
    found: set[int] = set()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it may end meanwhile
            found.update(map(int, (thread / "children").read_text().split()))
    return found


def helpers(running: Running) -> set[int]:
    """The processes that a test has started."""
    return children() - running.others


def test_it_is_the_state_that_the_venue_would_have_kept(running: Running) -> None:
    rest = founded(running)
    for start in range(0, 2_000, 250):
        running.submit(rest[start : start + 250])
    assert keep(running) == running.engine.sequence
    assert running.kept() == running.here()
    for start in range(2_000, 2_100):  # the next one begins from it, and from batches of one
        running.submit(rest[start : start + 1])
    assert keep(running) == running.engine.sequence
    assert running.kept() == running.here()
    assert keep(running) == running.engine.sequence  # nothing has come since
    first = running.engine.sequence - 100
    assert SnapshotFiles(STATE).sequences() == [first + 100, first]
    assert helpers(running) == set()
    assert not [name for name in os.listdir() if name.startswith(f"{STATE}.snapshot.")]


def test_orders_go_on_meanwhile(running: Running) -> None:
    rest = founded(running)
    expected = running.here()
    more = iter(rest)
    running.meanwhile = lambda: running.submit([next(more)])
    keep(running)
    assert running.kept() == expected
    assert running.engine.sequence > BLOCK + 6
    assert running.durable >= BLOCK + 6


def test_a_killed_process_costs_this_snapshot_only(running: Running) -> None:
    founded(running)

    def kill() -> None:
        for pid in helpers(running):
            os.kill(pid, signal.SIGKILL)

    running.meanwhile = kill
    with pytest.raises(HelperFailed, match="ended"):
        keep(running)
    assert helpers(running) == set()
    assert list(running.journal.snapshots()) == []
    running.meanwhile = lambda: None
    keep(running)
    assert running.kept() == running.here()


def test_a_process_that_hangs_is_ended(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    founded(running)
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    monkeypatch.setattr(keeper, "MODULE", "support.hanging")
    with pytest.raises(TimeoutError):
        keep(running, time_max_s=0.01)
    assert helpers(running) == set()


def test_a_snapshot_that_cannot_be_written_is_told(running: Running) -> None:
    founded(running)
    Path(f"{STATE}.snapshot-{running.engine.sequence}").mkdir()
    with pytest.raises(OSError, match="directory"):
        keep(running)
    assert helpers(running) == set()


def test_a_damaged_snapshot_is_passed_over(running: Running) -> None:
    rest = founded(running)
    keep(running)
    Path(f"{STATE}.snapshot-{running.engine.sequence}").write_bytes(b"damaged")
    running.submit(rest[:10])
    keep(running)
    assert running.kept() == running.here()


def test_it_is_started_without_secrets_and_without_the_working_directory(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    founded(running)
    Path("signal.py").write_text("raise SystemExit('a file of the working directory is run')")
    monkeypatch.setenv("VENUE_OPERATOR_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", f"{os.environ.get('PYTHONPATH', '')}{os.pathsep}")
    assert "secret" not in environment(os.environ).values()
    assert "" not in environment(os.environ)["PYTHONPATH"].split(os.pathsep)[1:]
    keep(running)
    assert running.kept() == running.here()


def test_snapshots_ahead_of_the_journal_stand_in_nobody_s_way(running: Running) -> None:
    """Damaged, or another venue's: a good one is due all the same, and stays."""
    founded(running)
    for ahead in (10**9, 10**9 + 1):
        Path(f"{STATE}.snapshot-{ahead}").write_bytes(b"damaged")
    running.engine.sequence, sequence = EVERY, running.engine.sequence
    assert running.keeper.is_due()
    running.engine.sequence = sequence
    keep(running)
    assert running.kept() == running.here()


def test_a_folder_that_cannot_be_read_does_not_stop_the_venue(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    """As when there is no descriptor left."""

    async def scene() -> None:
        going = asyncio.create_task(running.keeper.run())
        while "no snapshot: " not in caplog.text and not going.done():
            await asyncio.sleep(0)
        assert not going.done()
        going.cancel()

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    loop = asyncio.new_event_loop()
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limit[1]))
        loop.run_until_complete(scene())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        loop.close()
