"""Recovery gives the same venue from every start, and never guesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from support.trading import trading
from venue.core import rules
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    CancelOrder,
    Command,
    SetCancelAfter,
    Tick,
)
from venue.core.messages.savepoints import DropState, KeepState, RevertState
from venue.core.rules import RULES
from venue.core.state import snapshot as state
from venue.journal import built
from venue.journal.journal import Journal, JournalCorrupt, OtherRules, Snapshot
from venue.journal.memory import MemoryJournal
from venue.journal.opening import open_journal
from venue.journal.recovery import WINDOW, beginning, recover, tail_requests

NOBODY_LAGS = 1 << 62
Opener = Callable[[], Journal]


class Views:
    """A sink that remembers what it was handed."""

    def __init__(self) -> None:
        self.restored: list[tuple[dict[str, bytes], int]] = []
        self.noted: list[Applied] = []
        self.applied: list[Applied] = []

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        assert not self.applied
        self.restored.append((parts, engine.sequence))
        self.engine = engine

    def note(self, applied: Applied) -> None:
        assert applied.sequence == self.engine.sequence, "the engine is further already"
        self.noted.append(applied)

    def follow(self, batch: list[Applied]) -> None:
        self.applied.extend(batch)
        assert self.noted == self.applied


@pytest.fixture(params=["memory", "sqlite"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Opens a journal; the file's is closed and opened again by `reopen`."""
    if request.param == "memory":
        return lambda: MemoryJournal(keep=True)
    return lambda: open_journal(str(tmp_path / "journal"))


def reopen(journal: Journal, opener: Opener) -> Journal:
    if isinstance(journal, MemoryJournal):
        return journal
    journal.close()
    return opener()


def snapshot_of(engine: Engine) -> Snapshot:
    parts = {"engine": state.dump(engine), "market_data": b"at %d" % engine.sequence}
    return Snapshot(engine.sequence, built.name(), state.state_hash(engine), parts)


def live(journal: Journal, commands: list[Command], snapshots: tuple[int, ...]) -> Engine:
    """Run commands as a node does, in batches of 7, with snapshots after some of the batches."""
    engine = Engine()
    for start in range(0, len(commands), 7):
        batch = commands[start : start + 7]
        journal.append(batch)
        for command in batch:
            engine.apply(command)
        if start + 7 in snapshots:
            journal.save_snapshot(snapshot_of(engine))
    return engine


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("snapshots", [(), (210,), (70, 210), (70, 210, 700)])
@pytest.mark.parametrize("reached", [NOBODY_LAGS, 210, 209, 0])
def test_every_start_leads_to_the_same_venue(
    opener: Opener, seed: int, snapshots: tuple[int, ...], reached: int
) -> None:
    journal = opener()
    commands = trading(seed, 700)
    engine = live(journal, commands, snapshots)
    journal = reopen(journal, opener)
    views = Views()
    recovered = recover(journal, reached, views)
    journal.close()
    assert state.dump(recovered) == state.dump(engine)
    start = max((at for at in snapshots[-2:] if at <= reached), default=0)
    parts = {"market_data": b"at %d" % start} if start else {}
    assert views.restored == [(parts, start)]
    assert [applied.sequence for applied in views.applied] == list(range(start + 1, 701))
    assert [applied.command for applied in views.applied] == commands[start:]
    told = Engine()
    events = [told.apply(command) for command in commands][start:]
    assert [applied.events for applied in views.applied] == events
    assert [applied.time for applied in views.applied] == [c.time for c in commands[start:]]


def test_an_empty_journal_gives_a_new_venue(opener: Opener) -> None:
    journal = opener()
    views = Views()
    engine = recover(journal, 0, views)
    journal.close()
    assert state.dump(engine) == state.dump(Engine())
    assert views.restored == [({}, 0)]
    assert views.applied == []


def test_the_recovered_venue_goes_on_like_the_first(opener: Opener) -> None:
    commands = trading(4, 400)
    journal = opener()
    live(journal, commands[:203], (70, 140))
    journal = reopen(journal, opener)
    engine = recover(journal, NOBODY_LAGS, Views())
    first = Engine()
    for command in commands[:203]:
        first.apply(command)
    for command in commands[203:]:
        assert engine.apply(command) == first.apply(command)
    assert state.dump(engine) == state.dump(first)
    journal.close()


def wrong_hash(snapshot: Snapshot) -> None:
    snapshot.state_hash = "0" * 32


def wrong_bytes(snapshot: Snapshot) -> None:
    snapshot.parts["engine"] = snapshot.parts["engine"][:-1]


def wrong_state(snapshot: Snapshot) -> None:
    """An order of an owner that is not there."""
    held = msgspec.msgpack.decode(snapshot.parts["engine"], type=state.EngineSnapshot)
    held.state.accounts.pop()
    snapshot.parts["engine"] = msgspec.msgpack.encode(held)


def no_engine(snapshot: Snapshot) -> None:
    del snapshot.parts["engine"]


def wrong_sequence(snapshot: Snapshot) -> None:
    snapshot.sequence += 1


@pytest.mark.parametrize("spoil", [wrong_hash, wrong_bytes, wrong_state, no_engine, wrong_sequence])
def test_a_snapshot_that_does_not_hold_is_passed_over(
    opener: Opener, spoil: Callable[[Snapshot], None]
) -> None:
    journal = opener()
    engine = live(journal, trading(5, 300), (70, 140))
    intact = list(journal.snapshots())
    spoiled = msgspec.msgpack.decode(msgspec.msgpack.encode(intact[0]), type=Snapshot)
    spoil(spoiled)
    journal.save_snapshot(spoiled)
    views = Views()
    assert state.dump(recover(journal, 141, views)) == state.dump(engine)
    journal.close()
    # The wrong sequence took a place of its own, and the oldest snapshot made room for it.
    assert views.restored[0][1] == (140 if spoil is wrong_sequence else 70)


def test_a_snapshot_past_the_end_of_the_journal_is_damage() -> None:
    whole, short = MemoryJournal(keep=True), MemoryJournal(keep=True)
    commands = trading(6, 140)
    live(whole, commands, (70, 140))
    short.append(commands)
    for snapshot in whole.snapshots():
        short.save_snapshot(snapshot)
    assert recover(short, NOBODY_LAGS, Views()).sequence == 140
    for snapshot in short.snapshots():
        snapshot.sequence += 140
    with pytest.raises(JournalCorrupt, match="sequence 141: missing"):
        recover(short, NOBODY_LAGS, Views())


def test_a_command_that_no_engine_takes_is_named() -> None:
    journal = MemoryJournal(keep=True)
    journal.append([Tick(time=7), Tick(time=5)])
    with pytest.raises(JournalCorrupt, match=r"sequence 2: cannot be applied: .* 5 lies before 7"):
        recover(journal, NOBODY_LAGS, Views())


# -- other rules ----------------------------------------------------------------------------------


def upgrade(path: Path, monkeypatch: pytest.MonkeyPatch, snapshots: tuple[int, ...]) -> Journal:
    """A journal of 140 commands under today's rules, opened under the next ones."""
    journal = open_journal(str(path))
    live(journal, trading(7, 140), snapshots)
    journal.close()
    monkeypatch.setattr(rules, "RULES", RULES + 1)
    return open_journal(str(path))


def test_another_version_with_the_same_rules_replays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = open_journal(str(tmp_path / "journal"))
    engine = live(journal, trading(7, 140), (70,))
    journal.close()
    monkeypatch.setattr(built, "name", lambda: "99.0")
    journal = open_journal(str(tmp_path / "journal"))
    views = Views()
    assert state.dump(recover(journal, NOBODY_LAGS, views)) == state.dump(engine)
    assert views.restored[0][1] == 70
    assert beginning(journal) is None
    journal.close()


def test_other_rules_go_on_from_the_last_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = upgrade(tmp_path / "journal", monkeypatch, (70, 140))
    journal.append([Tick(time=1 << 40)])
    views = Views()
    assert recover(journal, NOBODY_LAGS, views).sequence == 141
    journal.close()
    assert views.restored == [({"market_data": b"at 140"}, 140)]
    assert [applied.sequence for applied in views.applied] == [141]


@pytest.mark.parametrize(("snapshots", "first"), [((), 1), ((70,), 71)])
def test_other_rules_do_not_replay_what_they_did_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshots: tuple[int, ...], first: int
) -> None:
    journal = upgrade(tmp_path / "journal", monkeypatch, snapshots)
    views = Views()
    asked = f"commands {first} to 140 were answered under rules {RULES} .* stop it cleanly"
    with pytest.raises(OtherRules, match=asked):
        recover(journal, NOBODY_LAGS, views)
    with pytest.raises(OtherRules, match=asked):
        beginning(journal)
    journal.append([Tick(time=1 << 40)])
    with pytest.raises(OtherRules, match=f"commands {first} to 140 .* missing or damaged"):
        recover(journal, NOBODY_LAGS, views)
    journal.close()
    assert views.restored == []


def test_a_journal_of_other_rules_is_only_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version that made it must be able to open it again, to stop it cleanly."""
    path = tmp_path / "journal"
    upgrade(path, monkeypatch, (70,)).close()
    before = path.read_bytes()
    journal = open_journal(str(path))
    with pytest.raises(OtherRules):
        recover(journal, NOBODY_LAGS, Views())
    journal.close()
    assert path.read_bytes() == before
    monkeypatch.setattr(rules, "RULES", RULES)
    journal = open_journal(str(path))
    assert recover(journal, NOBODY_LAGS, Views()).sequence == 140
    journal.close()


def test_the_snapshot_that_rules_began_from_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = upgrade(tmp_path / "journal", monkeypatch, (70, 140))
    engine = recover(journal, NOBODY_LAGS, Views())
    kept = [[140, 70]]
    for number in range(4):
        command = Tick(time=(1 << 40) + number)
        journal.append([command])
        engine.apply(command)
        journal.save_snapshot(snapshot_of(engine))
        kept.append([one.sequence for one in journal.snapshots()])
    assert kept == [[140, 70], [141, 140], [142, 141, 140], [143, 142, 140], [144, 143, 140]]
    first = beginning(journal)
    assert first is not None
    assert first.sequence == 140
    views = Views()
    assert state.dump(recover(journal, 140, views)) == state.dump(engine)
    assert [applied.sequence for applied in views.applied] == [141, 142, 143, 144]
    journal.close()


def test_a_command_whose_number_is_reached_again_by_later_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two changes of rules: only the segment of today's is replayed, whatever rules came before."""
    journal = upgrade(tmp_path / "journal", monkeypatch, (70, 140))
    engine = recover(journal, NOBODY_LAGS, Views())
    command = Tick(time=1 << 40)
    journal.append([command])
    engine.apply(command)
    journal.save_snapshot(snapshot_of(engine))
    journal.close()
    monkeypatch.setattr(rules, "RULES", RULES)
    journal = open_journal(str(tmp_path / "journal"))
    journal.append([Tick(time=1 << 41)])
    assert [(one.first_sequence, one.rules) for one in journal.segments()] == [
        (1, RULES),
        (141, RULES + 1),
        (142, RULES),
    ]
    views = Views()
    assert recover(journal, NOBODY_LAGS, views).sequence == 142
    assert views.restored[0][1] == 141
    with pytest.raises(OtherRules):
        recover(journal, 140, Views())
    journal.close()


def test_request_ids_are_found_across_a_change_of_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = upgrade(tmp_path / "journal", monkeypatch, (140,))
    before = tail_requests(journal, 0, always)
    journal.append([CancelOrder(1, 1, "", b"later", 1 << 40)])
    assert tail_requests(journal, 0, always) == [*before, (b"later", 1 << 40)]
    journal.close()


# -- request ids ----------------------------------------------------------------------------------


def always(request: bytes, applied: int) -> bool:
    return True


def test_requests_that_a_revert_took_out_are_known_only_if_they_last() -> None:
    def signed(name: bytes, time: int) -> Command:
        return CancelOrder(1, 1, "", name, time)

    journal = MemoryJournal(keep=True)
    journal.append([signed(b"in x", 1), KeepState("x", b"", 1), signed(b"in y", 2)])
    journal.append([KeepState("y", b"", 2), signed(b"gone", 3), signed(b"lasts", 3)])
    journal.append([RevertState("x", 4), signed(b"gone too", 2), RevertState("y", 4)])
    journal.append([signed(b"new", 5), DropState("x", 5), RevertState("x", 5)])
    found = tail_requests(journal, 0, lambda request, _: request == b"lasts")
    assert found == [(b"in x", 1), (b"in y", 2), (b"lasts", 3), (b"new", 5)]


@pytest.mark.parametrize("since", [0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 9_999, 10_000, 10_001])
def test_the_request_ids_since_a_time(opener: Opener, since: int) -> None:
    journal = opener()
    commands: list[Command] = []
    signed: Command
    for time in range(1, 10_001):
        request = b"" if time % 3 == 0 else time.to_bytes(4, "big")
        signed = CancelOrder(1, 1, "", request, time)
        if time % 7 == 0:
            signed = SetCancelAfter(1, 0, 0, request, time)
        commands.append(Tick(time) if time % 5 == 0 else signed)
    for start in range(0, len(commands), 300):
        journal.append(commands[start : start + 300])
    wanted = [
        (time.to_bytes(4, "big"), time)
        for time in range(max(1, since), 10_001)
        if time % 3 and time % 5
    ]
    assert tail_requests(journal, since, always) == wanted
    journal.close()


class Counted:
    """A journal that counts the commands read from it."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.count = 0
        self.begin = journal.begin
        self.last_sequence = journal.last_sequence
        self.instant = journal.instant
        self.prepare = journal.prepare
        self.append = journal.append
        self.segments = journal.segments
        self.snapshots = journal.snapshots
        self.save_snapshot = journal.save_snapshot
        self.close = journal.close

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        for first, commands in self.journal.read(after):
            self.count += len(commands)
            yield first, commands


def test_the_tail_is_read_and_not_the_whole_journal(opener: Opener) -> None:
    journal = opener()
    last = 10 * WINDOW
    for start in range(0, last, 1000):
        batch: list[Command] = [
            CancelOrder(1, 1, "", b"r", time)
            for time in range(start + 1, min(start + 1000, last) + 1)
        ]
        journal.append(batch)
    counted = Counted(journal)
    assert len(tail_requests(counted, last - 10, always)) == 11
    assert counted.count <= WINDOW
    counted.count = 0
    assert len(tail_requests(counted, last - WINDOW, always)) == WINDOW + 1
    assert counted.count <= 3 * WINDOW
    journal.close()
