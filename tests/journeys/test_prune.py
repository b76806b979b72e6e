"""Old data moves to archives: nothing is lost on the way, and all of it can still be read."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.former import BEGIN_US, Stepping
from support.pruned import (
    DAY_US,
    HALF_US,
    KEEP_US,
    NOW_US,
    TRADES,
    archived,
    copied,
    everything,
    live,
    rows,
)
from support.server import Server
from venue.cli.serving.dev import DevOptions, refused
from venue.cli.serving.shared import SharedOptions
from venue.cli.verify import Findings, verify
from venue.core.messages.commands import ChangeSetting, Tick
from venue.files import private_files
from venue.helpers.link import HelperFailed, Link
from venue.history import archive as rows_archive
from venue.history import settled
from venue.history.store import open_history
from venue.journal import archive
from venue.journal.chain import BLOCK
from venue.journal.journal import JournalCorrupt, Snapshot
from venue.journal.opening import open_journal
from venue.journal.recovery import beginning
from venue.journal.snapshot_files import SnapshotFiles
from venue.journal.sqlite import SqliteJournal
from venue.node.clock import SystemClock
from venue.node.keeper import Keeper
from venue.node.missed_events import MissedEvents
from venue.pruning.beside import Pruning
from venue.pruning.prune import Pruned, prune
from venue.recompute.history import rebuild_history
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.running.snapshots import keeper

FRAMES_KEPT = 1_000
FILES_MOVED = 22  # moments of a kill until the journal is done; then come pieces of history


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Findings]:
    """The folder of a venue that was stopped, and the findings of `verify`."""
    folder = tmp_path_factory.mktemp("lived")
    asyncio.run(live(folder / "venue.db"))
    findings = verify(str(folder / "venue.db"))
    assert findings.problems == []
    return folder, findings


@pytest.fixture(scope="module")
def cut(
    lived: tuple[Path, Findings], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Pruned]:
    """The folder of the same venue, pruned; and where its files begin."""
    folder = tmp_path_factory.mktemp("cut") / "pruned"
    return folder, prune(copied(lived[0], folder), KEEP_US)


@pytest.fixture
def state(lived: tuple[Path, Findings], tmp_path: Path) -> str:
    """A copy to be pruned."""
    return copied(lived[0], tmp_path / "copy")


@pytest.fixture
def short(cut: tuple[Path, Pruned], tmp_path: Path) -> str:
    """A copy of the pruned one."""
    return copied(cut[0], tmp_path / "short")


def told(findings: Findings) -> list[str]:
    """The facts that a verification tells of the whole; snapshots come and go."""
    assert findings.problems == []
    return [fact for fact in findings.facts if not fact.startswith("snapshot:")]


def test_a_pruned_venue_verifies_as_before_with_its_archives(
    state: str, lived: tuple[Path, Findings]
) -> None:
    size, before = Path(state).stat().st_size, rows(state)
    pruned = prune(state, KEEP_US)
    assert pruned.journal % BLOCK == 0
    assert 0 < pruned.journal <= pruned.history
    assert Path(state).stat().st_size < size
    assert 2 * TRADES * 2 <= rows(state) < before
    assert [stat.S_IMODE(path.stat().st_mode) for path in archived(state)] == [0o600] * 2
    names = [path.name for path in archived(state)]
    assert f"venue.db.archive-1-{pruned.journal}" in names
    assert f"venue.db.history.archive-1-{pruned.history}" in names
    assert told(verify(state)) == told(lived[1])
    assert prune(state, KEEP_US) == pruned, "there is no more to do"
    assert [path.name for path in archived(state)] == names


def test_it_is_pruned_again_and_again(state: str, lived: tuple[Path, Findings]) -> None:
    begins = [prune(state, keep * DAY_US).journal for keep in (30, 10, 0)]
    assert 0 < begins[0] < begins[1] < begins[2]
    assert len(archived(state)) == 6
    assert told(verify(state)) == told(lived[1])
    for oldest in archived(state):
        if "archive-1-" in oldest.name:
            oldest.unlink()
    findings = verify(state)
    assert findings.problems == []
    assert any("archives that are not here" in fact for fact in findings.facts), findings.facts
    assert any(f"{lived[1].facts[-1]}" == fact for fact in findings.facts), findings.facts


@pytest.mark.parametrize("gone", ["venue.db.archive", "venue.db.history.archive"])
def test_one_kind_of_archive_alone_is_no_fault(short: str, gone: str) -> None:
    for path in archived(short):
        if path.name.startswith(gone):
            path.unlink()
    assert verify(short).problems == []


def test_history_is_rebuilt_from_archives_or_from_where_the_journal_begins(
    short: str, cut: tuple[Path, Pruned], lived: tuple[Path, Findings], tmp_path: Path
) -> None:
    kept = rows(short)
    assert rebuild_history(short)[0] == 0
    assert rows(short) == rows(str(lived[0] / "venue.db"))
    assert told(verify(short)) == told(lived[1])
    alone = copied(cut[0], tmp_path / "alone")
    for path in archived(alone):
        path.unlink()
    first, *others = told(verify(alone))
    begin = cut[1].history
    assert first.startswith(f"replay: from the snapshot at command {begin}; the commands before it")
    assert "archives that are not here" in first
    assert [fact for fact in others if fact.startswith("state:")] == [
        fact for fact in lived[1].facts if fact.startswith("state:")
    ]
    assert rebuild_history(alone)[0] == begin
    assert rows(alone) == kept
    assert verify(alone).problems == []


def test_an_archive_of_another_venue_is_refused(short: str) -> None:
    (archive,) = [path for path in archived(short) if "history" not in path.name]
    last = "SELECT payload FROM batches ORDER BY first_sequence DESC LIMIT 1"
    with closing(sqlite3.connect(f"file:{archive}?immutable=1", uri=True)) as read:
        ((payload,),) = read.execute(last).fetchall()
    data = bytearray(archive.read_bytes())
    data[data.index(payload[-20:]) + 10] ^= 1  # in the last of its commands
    archive.write_bytes(data)
    (problem,) = verify(short).problems
    assert "sequence" in problem or "archive" in problem
    with pytest.raises(JournalCorrupt):
        rebuild_history(short)


def test_a_pruned_venue_answers_from_what_is_kept_even_when_history_was_damaged(short: str) -> None:
    kept = rows(short)
    history = Path(f"{short}.history")
    history.write_bytes(history.read_bytes()[:5000])
    for one in archived(short):
        one.chmod(0o644)
    with Server("--state", short, "--no-agents", folder=Path(short).parent) as server:
        alice = server.client("alice")
        old = alice.get(f"/api/v3/allOrders?symbol=BTCUSDT&endTime={BEGIN_US // 1000 + 999_000}")
        assert old.status == 200
        begin = BEGIN_US // 1000
        assert all(order["status"] == "NEW" or order["updateTime"] > begin for order in old.json)
        assert len(old.json) < TRADES
        for path in ("/api/v3/openOrders?symbol=BTCUSDT", "/api/v3/myTrades?symbol=BTCUSDT"):
            answer = alice.get(path)
            assert answer.status == 200
            assert answer.json
        order = {"symbol": "BTCUSDT", "type": "LIMIT", "quantity": "0.01", "price": "60000"}
        assert alice.post("/api/v3/order", {**order, "side": "BUY"}).status == 200
        server.kill()
    assert rows(short) == kept
    assert verify(short).problems == []
    assert {stat.S_IMODE(one.stat().st_mode) for one in archived(short)} == {0o600}


# -- beside a running venue -----------------------------------------------------------------------


async def at_once(function: Callable[[], None]) -> None:
    function()


async def nothing() -> None: ...


def alone(state: str, begin: int) -> Snapshot:
    """Take all snapshots away but the one that stands for what is gone; the newest of them."""
    files = SnapshotFiles(state)
    newest, *others = files.sequences()
    whole = files.read(newest)
    assert whole is not None
    assert others[-1] == begin
    for sequence in (newest, *others[:-1]):
        Path(f"{state}.snapshot-{sequence}").unlink()
    return whole


def test_a_snapshot_is_taken_and_the_one_that_the_journal_begins_from_stays(
    short: str, cut: tuple[Path, Pruned]
) -> None:
    begin = cut[1].history
    before = alone(short, begin)
    journal = open_journal(short)
    keeper = Keeper(
        journal,
        short,
        FRAMES_KEPT,
        on_disk_thread=at_once,
        sequence=journal.last_sequence,
        durable=nothing,
    )
    assert asyncio.run(keeper.keep()) == before.sequence
    newest = next(journal.snapshots())
    assert (newest.sequence, newest.state_hash) == (before.sequence, before.state_hash)
    for number in range(3):
        journal.append([Tick(time=NOW_US + number)])
        journal.save_snapshot(Snapshot(journal.last_sequence(), "", "", {}))
    journal.append([Tick(time=NOW_US + 3)])
    last = asyncio.run(keeper.keep())
    assert SnapshotFiles(short).sequences() == [last, last - 1, begin]
    journal.close()


def test_history_is_brought_on_from_where_the_journal_begins(
    short: str, cut: tuple[Path, Pruned]
) -> None:
    begin = cut[1].history
    older = alone(short, begin)
    older.sequence = cut[1].journal - 1  # left over, or put back from a copy: of no use here
    journal = open_journal(short)
    files = SnapshotFiles(short)
    files.write(older)
    files.place(older.sequence, os.getpid())
    reached = journal.last_sequence()
    journal.append([Tick(time=NOW_US + number) for number in range(BLOCK)])
    behind = MissedEvents(journal, at_once, f"{short}.history", FRAMES_KEPT)
    asyncio.run(behind.bring(reached, journal.last_sequence()))
    Path(f"{short}.snapshot-{begin}").unlink()
    with pytest.raises(HelperFailed, match=f"the commands after {cut[1].journal}"):
        asyncio.run(behind.bring(reached, journal.last_sequence()))
    with pytest.raises(JournalCorrupt, match=f"begins after command {cut[1].journal}"):
        beginning(journal)
    journal.close()
    store = open_history(f"{short}.history")
    assert store.last_sequence() == reached + BLOCK
    store.close()


async def pruned_beside(state: str, keep_us: int = KEEP_US) -> None:
    """Prune a venue that is open."""
    failed = list[BaseException]()
    options = Options(state=state, agents=False)
    async with open_venue(options, SystemClock(Stepping(NOW_US)), failed.append) as door:
        node = door.node
        await node.timekeeper.keep("now", node.reverts.dump)
        pruning = Pruning(node, keeper(node, state, FRAMES_KEPT), state, keep_us)
        while await pruning.round():
            pass
        await node.submit([ChangeSetting("pruned", "yes")])
        assert "now" in node.engine.savepoints.kept  # few commands follow it: no whole block
        if keep_us:  # archived data does not come back
            await node.timekeeper.revert("now")
    assert not failed, failed


def test_a_running_venue_prunes_as_a_stopped_one_does(
    state: str, lived: tuple[Path, Findings]
) -> None:
    asyncio.run(pruned_beside(state))
    journal, history = archived(state)
    assert verify(state).problems == []
    whole = everything(str(lived[0] / "venue.db"))
    assert everything(state)[: len(whole)] == whole
    assert {stat.S_IMODE(one.stat().st_mode) for one in (journal, history)} == {0o600}
    begins = [int(one.name.split("-")[-1]) for one in (journal, history)]
    assert prune(state, KEEP_US) == Pruned(*begins), "there is no more to do"
    asyncio.run(pruned_beside(state, 0))
    assert len(archived(state)) == 4
    assert verify(state).problems == []
    rebuild_history(state)
    assert rows(state) == rows(str(lived[0] / "venue.db"))


# -- at a start, and by the command ---------------------------------------------------------------


def test_what_history_lacks_is_not_archived(state: str) -> None:
    Path(f"{state}.history").unlink()
    assert prune(state, KEEP_US).journal == 0
    assert archived(state) == []


async def started(state: str, keep_us: int) -> None:
    """Start a venue that keeps so much, and stop it."""
    failed = list[BaseException]()
    options = Options(state=state, agents=False, keep_us=keep_us)
    clock = SystemClock(Stepping(NOW_US))
    async with open_venue(options, clock, failed.append):
        pass
    assert not failed, failed


def test_a_venue_prunes_at_its_start_when_there_is_enough(state: str) -> None:
    asyncio.run(started(state, 38 * DAY_US))
    assert archived(state) == [], "only two days are too many: less than a tenth"
    asyncio.run(started(state, KEEP_US))
    assert len(archived(state)) == 2
    assert verify(state).problems == []


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "venue", "prune", *arguments], capture_output=True, text=True
    )


def test_the_command_says_where_both_begin(state: str) -> None:
    done = command(state, "--keep", "12h")  # the venue's own, whatever time the machine has
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"the journal begins after command {2 * BLOCK}, history after")
    refusal = command(state, "--keep=-1d")
    words = "must be a span of time from 1h to 99999d, as 30d or 12h"
    assert (refusal.returncode, refusal.stderr) == (2, f"venue: --keep -1d: {words}\n")
    for keep in (
        "",
        "0d",
        "30",
        "1w",
        "1.5d",
        "3\N{ARABIC-INDIC DIGIT ONE}d",
        "100000d",
        "30d\n",
        "59m",
        "10000000000000d",
    ):
        assert (
            refused(SharedOptions(state=state, keep=keep), DevOptions())
            == f"--keep {keep}: {words}"
        )
    assert refused(SharedOptions(state=state, keep="30d"), DevOptions()) == ""
    assert "--state" in refused(SharedOptions(keep="30d"), DevOptions())
    missing = command(f"{state}.none", "--keep", "30d")
    assert (missing.returncode, missing.stderr) == (2, f"venue: {state}.none: no such journal\n")


# -- kills ----------------------------------------------------------------------------------------


def dying(state: str, at: int, act: Callable[[str], object]) -> bool:
    """Act in a process of its own that is killed at a moment of that number; whether it was."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _mortal_until(at)
            act(state)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _mortal_until(at: int) -> None:
    met = 0

    def mortal(room: Any, name: str) -> None:
        """The process may be killed before and after each call of it."""
        called = getattr(room, name)

        def mortally(*arguments: Any, **named: Any) -> Any:
            moment()
            result = called(*arguments, **named)
            moment()
            return result

        setattr(room, name, mortally)

    def moment() -> None:
        nonlocal met
        met += 1
        if met == at:
            os.kill(os.getpid(), signal.SIGKILL)

    vars(archive)["DROPPED"] = BLOCK
    mortal(archive, "check")
    mortal(archive, "in_place")
    mortal(SnapshotFiles, "place")
    mortal(SqliteJournal, "stand")
    mortal(SqliteJournal, "drop")
    mortal(SqliteJournal, "shrink")
    mortal(private_files, "remove")
    mortal(rows_archive, "in_place")
    mortal(settled, "copy_rows")
    mortal(settled, "delete_rows")
    mortal(Link, "send")


def test_a_kill_at_any_moment_loses_nothing(lived: tuple[Path, Findings], tmp_path: Path) -> None:
    """All data is there, at whatever step the kill came, and the next pruning goes on."""
    whole = everything(str(lived[0] / "venue.db"))
    act = partial(prune, keep_us=HALF_US)
    at = 1
    while dying(state := copied(lived[0], tmp_path / f"{at}"), at, act):
        assert everything(state) == whole
        if at % 3 == 0:
            pruned = prune(state, HALF_US)
            assert (pruned.journal, len(archived(state))) == (2 * BLOCK, 2)
            assert everything(state) == whole
        if at % 7 == 0:
            assert told(verify(state)) == told(lived[1])
        at += 1 if at < FILES_MOVED else 10
    assert at > 50


def test_a_helper_of_a_dead_venue_touches_nothing_that_the_next_one_writes(state: str) -> None:
    """Enemy: a helper that hears of the end of its venue late, and begins and removes an archive
    while the next venue writes one: that could not be opened, or had its name for another file."""
    journal = open_journal(state)
    what = archive.archive_span(journal, 2 * BLOCK, 0)
    ours = archive.Archive(state, what)
    child = os.fork()
    if child == 0:
        try:
            archive.Archive(state, what).leave()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    for _, _, payload, _ in journal.rows(0, 2 * BLOCK):
        ours.add([payload])
    left = Path(f"{state}.archive.new-{child}")  # by a helper that was killed
    left.touch()
    ours.finish()
    ours.leave()
    journal.close()
    assert [one.name for one in archived(state)] == [f"venue.db.archive-1-{2 * BLOCK}"]
    prune(state, KEEP_US)
    assert not left.exists()
    assert verify(state).problems == []


@pytest.mark.parametrize("at", [4, 10, 12, 40, 70, 96])
def test_a_kill_of_a_venue_that_prunes_loses_nothing(
    lived: tuple[Path, Findings], tmp_path: Path, at: int
) -> None:
    """Before and while commands are taken out, and while history is copied and taken out; a venue
    that is started then goes on."""
    whole = everything(str(lived[0] / "venue.db"))
    state = copied(lived[0], tmp_path / "killed")
    assert dying(state, at, lambda one: asyncio.run(pruned_beside(one, HALF_US)))
    assert everything(state)[: len(whole)] == whole
    asyncio.run(started(state, HALF_US))
    assert verify(state).problems == []
    assert everything(state)[: len(whole)] == whole
    assert len(archived(state)) == 2
