"""States kept under names: the whole state goes back, and the journal alone repeats it."""

from __future__ import annotations

from support.tape import Tape
from support.world import BUY, LIMIT
from venue.core.messages.commands import PlaceOrder
from venue.core.messages.events import OrderPlaced, Rejected
from venue.core.messages.savepoints import (
    DropState,
    KeepState,
    RevertState,
    StateDropped,
    StateKept,
    StateReverted,
)
from venue.core.savepoints import KEPT_MAX
from venue.core.state import snapshot
from venue.vocabulary import Reject


def rest(tape: Tape) -> OrderPlaced:
    (placed,) = tape.say(PlaceOrder(tape.uids[2], "BTCUSDT", BUY, LIMIT, 0, 5, 50))
    assert isinstance(placed, OrderPlaced)
    return placed


def test_a_state_comes_back_whole_with_its_ids_and_time() -> None:
    tape = Tape().walk(seed=3, count=300)
    engine = tape.engine
    assert tape.say(KeepState("base", b"aside")) == [StateKept("base", engine.sequence)]
    kept, time, digest = engine.sequence, engine.time, snapshot.state_hash(engine)
    first = rest(tape)
    tape.walk(seed=4, count=300)
    assert snapshot.state_hash(engine) != digest
    for epoch in (1, 2, 3):
        said = tape.say(RevertState("base"))
        assert said == [StateReverted("base", kept, time, epoch, b"aside")]
        assert (snapshot.state_hash(engine), engine.time) == (digest, time)
        again = rest(tape)
        assert (again.order_id, again.uid) == (first.order_id, first.uid)
        tape.walk(seed=epoch, count=50)


def test_the_commands_alone_bring_about_the_same() -> None:
    tape = Tape().walk(seed=5, count=100)
    for round_ in range(4):
        tape.say(KeepState(f"at {round_}"))
        tape.walk(seed=round_, count=60)
        tape.say(RevertState(f"at {round_ // 2}"))
    other = snapshot.begin()
    for applied in tape.applied:
        applied.command.time = applied.time
        assert other.apply(applied.command) == applied.events
    assert snapshot.dump(other) == snapshot.dump(tape.engine)


def test_a_dump_has_the_kept_states_and_the_hash_has_not() -> None:
    tape = Tape().walk(seed=6, count=100)
    digest = snapshot.state_hash(tape.engine)
    tape.say(KeepState("one"))
    tape.walk(seed=7, count=20)
    tape.say(RevertState("one"))
    assert snapshot.state_hash(tape.engine) == digest
    loaded = snapshot.load(snapshot.dump(tape.engine))
    assert snapshot.dump(loaded) == snapshot.dump(tape.engine)
    assert loaded.savepoints.epoch == 1
    loaded.apply(RevertState("one", time=tape.engine.time))
    assert snapshot.state_hash(loaded) == digest


def test_what_is_not_kept_is_refused_and_changes_nothing() -> None:
    tape = Tape()
    before = snapshot.state_hash(tape.engine)
    assert tape.say(RevertState("none")) == [Rejected(Reject.STATE_UNKNOWN)]
    assert tape.say(DropState("none")) == [Rejected(Reject.STATE_UNKNOWN)]
    for number in range(KEPT_MAX):
        tape.say(KeepState(str(number)))
    assert tape.say(KeepState("more")) == [Rejected(Reject.STATES_MAX, KEPT_MAX)]
    assert tape.say(KeepState("7")) == [StateKept("7", tape.engine.sequence)]
    assert tape.say(DropState("8")) == [StateDropped("8")]
    assert tape.say(KeepState("more")) == [StateKept("more", tape.engine.sequence)]
    assert len(tape.engine.savepoints.kept) == KEPT_MAX
    assert snapshot.state_hash(tape.engine) == before


def test_a_kept_state_is_no_larger_for_the_others() -> None:
    tape = Tape().walk(seed=8, count=50)
    for number in range(5):
        tape.say(KeepState(str(number)))
    assert len({len(kept.state) for kept in tape.engine.savepoints.kept.values()}) == 1
