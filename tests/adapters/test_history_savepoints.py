"""History goes back and forth between the branches of a journal, row for row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.tape import Tape
from venue.core.messages.savepoints import DropState, KeepState, RevertState
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.sql import scalar, transaction
from venue.history.store import Store, open_history
from venue.history.tables.every import TABLES
from venue.history.tables.spot import Progress

FILES = Path(__file__).resolve().parents[1] / "files"
Rows = dict[str, list[tuple[Any, ...]]]


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_history(None)
    yield opened
    opened.close()


def rows(store: Store) -> Rows:
    with transaction(store.connection):
        return {
            table.table: sorted(store.connection.execute(f"SELECT * FROM {table.table}"), key=repr)
            for table in TABLES
            if table is not Progress
        }


def written(store: Store) -> int:
    """How many bytes are kept to take changes back."""
    with transaction(store.connection):
        return scalar(store.connection, "SELECT total(length(packed)) FROM changes")


class Told:
    """A tape whose commands are projected in batches of many as they come."""

    def __init__(self, store: Store) -> None:
        self.tape = Tape()
        self.store = store
        self.projector = Projector(store, Catalog())
        self.done = 0

    def walk(self, seed: int) -> Rows:
        self.tape.walk(seed, count=80)
        return self.project()

    def project(self) -> Rows:
        self.projector.project(self.tape.applied[self.done :])
        self.done = len(self.tape.applied)
        assert (
            self.projector.last_sequence()
            == self.store.last_sequence()
            == self.tape.engine.sequence
        )
        return rows(self.store)


def test_rows_go_back_and_forth_between_branches(store: Store) -> None:
    told = Told(store)
    told.walk(1)
    told.tape.say(KeepState("a"))
    at_a = told.project()
    told.walk(2)
    told.tape.say(KeepState("b"))
    at_b = told.project()
    assert told.walk(3) != at_b
    for name, expected in (("a", at_a), ("b", at_b), ("b", at_b), ("a", at_a), ("b", at_b)):
        told.tape.say(RevertState(name))
        assert told.project() == expected
        assert told.walk(4) != expected


def test_a_batch_may_hold_several_reverts(store: Store) -> None:
    told = Told(store)
    tape = told.tape
    for round_ in range(4):
        tape.walk(round_, count=30)
        tape.say(KeepState(f"at {round_}"))
        tape.walk(round_, count=30)
        tape.say(RevertState(f"at {round_ // 2}"))
    tape.walk(9, count=30)
    at_once = told.project()
    other = open_history(None)
    one_by_one = Projector(other, Catalog())
    for applied in tape.applied:
        one_by_one.project([applied])
    assert rows(other) == at_once
    other.close()


def test_going_back_again_and_again_keeps_no_more(store: Store) -> None:
    told = Told(store)
    told.walk(1)
    told.tape.say(KeepState("a"))
    told.project()
    for _ in range(5):
        told.walk(2)
        assert written(store) > 0
        told.tape.say(RevertState("a"))
        told.project()
        assert written(store) == 0
    told.tape.say(DropState("a"))
    told.walk(3)
    assert written(store) == 0


def test_a_history_that_began_later_loses_what_it_has(store: Store) -> None:
    told = Told(store)
    told.walk(1)
    told.tape.say(KeepState("a"))
    told.walk(2)
    sequence = told.tape.engine.sequence
    with transaction(store.connection):  # as in a history that began after the kept state
        store.connection.execute("DROP TABLE nodes")
    told.tape.say(RevertState("a"))
    assert not any(told.project().values())
    assert store.last_sequence() == sequence + 1


def test_a_state_behind_another_costs_nothing_when_one_goes_back_before_it(store: Store) -> None:
    """It once doubled what was written down, with every time."""
    told = Told(store)
    told.walk(1)
    told.tape.say(KeepState("older"))
    at_older = told.walk(2)
    told.tape.say(KeepState("newer"))
    at_newer = told.project()
    told.tape.say(RevertState("older"))
    at_older = told.project()
    between = written(store)
    for _ in range(5):
        told.walk(3)
        told.tape.say(RevertState("older"))
        assert told.project() == at_older
        assert written(store) == between
    told.tape.say(RevertState("newer"))
    assert told.project() == at_newer
    told.tape.say(DropState("older"))
    told.project()
    assert written(store) == 0


def test_states_from_before_this_history_and_later_ones(store: Store) -> None:
    told = Told(store)
    told.tape.say(KeepState("before"))
    told.walk(1)
    with transaction(store.connection):
        store.connection.execute("DELETE FROM nodes")
    for table in ("changes", "fills", "bills", "orders"):
        with transaction(store.connection):
            store.connection.execute(f"DELETE FROM {table}")
    told.tape.say(KeepState("a"))
    at_a = told.project()
    told.walk(2)
    for _ in range(3):
        told.tape.say(RevertState("before"))
        assert not any(told.project().values())
        told.walk(3)
        told.tape.say(RevertState("a"))
        assert told.project() == at_a
        told.walk(4)


def test_rows_that_are_only_added_are_not_written_down(store: Store) -> None:
    """However many orders are placed and traded, they go back by their keys, and come again."""
    told = Told(store)
    told.tape.say(KeepState("a"))
    at_a = told.project()
    grown = told.walk(1)
    assert len(grown["orders"]) > 20 < len(grown["bills"])
    least = written(store)
    assert least < 20 * len(grown["orders"])
    told.tape.say(KeepState("b"))
    told.project()
    told.tape.say(RevertState("a"))
    assert told.project() == at_a
    assert written(store) > 2 * least  # the way to b is told whole now
    told.tape.say(RevertState("b"))
    assert told.project() == grown


NAMES = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize("seed", range(12))
def test_any_tree_of_states(store: Store, seed: int) -> None:
    """Kept, dropped and gone back to in any order: rows are those that were kept, and no more is
    written down than all rows that were there."""
    rng = Random(seed)
    told = Told(store)
    told.tape.say(KeepState("a"))
    kept = {"a": told.project()}
    sizes = 0
    for step in range(60):
        told.tape.walk(1_000 * seed + step, count=rng.randrange(6))
        now = told.project()
        name = rng.choice(NAMES)
        act = rng.randrange(4)
        if act == 0:
            told.tape.say(KeepState(name))
            kept[name] = now
        elif act == 1 and name in kept:
            told.tape.say(DropState(name))
            del kept[name]
        elif name in kept:
            told.tape.say(RevertState(name))
            now = kept[name]
        assert told.project() == now, (step, act, name)
        sizes = max(sizes, written(store))
    assert 0 < sizes < 200_000
    for name in list(kept):
        told.tape.say(DropState(name))
    told.project()
    assert written(store) == 0
