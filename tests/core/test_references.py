"""Movements of money under a reference (rule 2.6): each has its effect once."""

from __future__ import annotations

import pytest

from support.world import World, refusal
from venue.core.messages.benefit_commands import ChangeGift
from venue.core.messages.benefit_events import MovementRepeated
from venue.core.messages.commands import Command, Deposit, FreezeOwner, Transfer, Withdraw
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.references import MEMORY_US, REFERENCES_MAX
from venue.core.state import snapshot
from venue.vocabulary import Reject, Wallet

pytestmark = pytest.mark.core

SPOT, CONTRACT, FUNDING = int(Wallet.SPOT), int(Wallet.CONTRACT), int(Wallet.FUNDING)
PLENTY = 10**15


@pytest.fixture
def world() -> World:
    return World("ann", "ben")


def movements(world: World) -> dict[str, Command]:
    uid = world.uids["ann"]
    return {
        "deposit": Deposit(uid, SPOT, "BTC", 7, reference="r1"),
        "withdraw": Withdraw(uid, SPOT, "BTC", 7, reference="r1"),
        "transfer": Transfer(uid, SPOT, FUNDING, "BTC", 7, reference="r1"),
        "to contract": Transfer(uid, SPOT, CONTRACT, "BTC", 7, reference="r1"),
        "gift": ChangeGift(uid, "BTC", 7, reference="r1"),
    }


KINDS = ["deposit", "withdraw", "transfer", "to contract", "gift"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_repetition_has_no_second_effect(world: World, kind: str) -> None:
    """Rule 2.6."""
    movement = movements(world)[kind]
    first = world.ok(movement)
    known = world.engine.references.known["r1"].answer
    digest = snapshot.state_hash(world.engine)
    world.ok(FreezeOwner(world.uids["ann"], True))
    assert world.ok(movement) == [MovementRepeated(known[0])]
    world.ok(FreezeOwner(world.uids["ann"], False))
    assert snapshot.state_hash(world.engine) == digest
    again = snapshot.load(snapshot.dump(world.engine))
    assert again.apply(movement) == [MovementRepeated(known[0])]
    assert len(first) == {"deposit": 1, "withdraw": 1, "gift": 2}.get(kind, 3)
    assert len(known) == (4 if len(first) == 3 else 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_another_movement_under_the_reference_is_refused(
    world: World, kind: str, other: str
) -> None:
    """Rule 2.6."""
    world.ok(movements(world)[kind])
    digest = snapshot.state_hash(world.engine)
    found = movements(world)[other]
    assert not isinstance(found, FreezeOwner)
    if kind == other:
        found = movements(world)[kind]
        found.amount = 8  # type: ignore[union-attr]
    assert refusal(world.apply(found)) == Reject.REFERENCE_USED
    assert snapshot.state_hash(world.engine) == digest


def test_without_a_reference_each_has_its_effect(world: World) -> None:
    """Rule 2.6."""
    uid = world.uids["ann"]
    for _ in range(2):
        world.ok(Deposit(uid, SPOT, "BTC", 7))
    assert world.free("ann", "BTC") == PLENTY + 14
    assert world.engine.references.known == {}


def test_a_refused_movement_leaves_no_reference(world: World) -> None:
    """Rule 2.6."""
    uid = world.uids["ann"]
    wanted = Withdraw(uid, SPOT, "BTC", PLENTY + 1, reference="r1")
    assert refusal(world.apply(wanted)) == Reject.FUNDS
    world.ok(Deposit(uid, SPOT, "BTC", 1))
    world.ok(wanted)
    assert world.free("ann", "BTC") == 0


def test_references_are_forgotten_after_thirty_days_and_beyond_the_newest(world: World) -> None:
    """Rule 2.6."""
    uid = world.uids["ann"]
    engine = world.engine
    start = engine.time

    def deposit(reference: str, time: int) -> None:
        engine.apply(Deposit(uid, SPOT, "BTC", 1, time=time, reference=reference))

    deposit("old", start)
    deposit("old", start + MEMORY_US - 1)
    assert world.free("ann", "BTC") == PLENTY + 1
    deposit("old", start + MEMORY_US)
    assert world.free("ann", "BTC") == PLENTY + 2
    for number in range(REFERENCES_MAX):
        deposit(str(number), engine.time)
    assert len(engine.references.known) == REFERENCES_MAX
    assert next(iter(engine.references.known)) == "0"


def test_references_go_back_with_the_state(world: World) -> None:
    """Rule 2.6."""
    uid = world.uids["ann"]
    world.engine.codec = snapshot.CODEC
    world.ok(KeepState("before"))
    world.ok(Deposit(uid, SPOT, "BTC", 7, reference="r1"))
    world.ok(RevertState("before"))
    world.ok(Deposit(uid, SPOT, "BTC", 7, reference="r1"))
    assert world.free("ann", "BTC") == PLENTY + 7
