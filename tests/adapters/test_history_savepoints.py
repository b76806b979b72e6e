"""History goes back and forth between the branches of a journal, row for row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from support.tape import Tape
from venue.core.messages.savepoints import DropState, KeepState, RevertState
from venue.history.projection.projector import Catalog, Projector
from venue.history.schema.copying import SCHEMA
from venue.history.schema.spot import PROGRESS
from venue.history.store import Store, open_history

Rows = dict[str, list[tuple[Any, ...]]]


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_history(None)
    yield opened
    opened.close()


def rows(store: Store) -> Rows:
    with store.connection.begin():
        return {
            table.name: sorted(map(tuple, store.connection.execute(select(table))), key=repr)
            for table in SCHEMA.sorted_tables
            if table is not PROGRESS
        }


def written(store: Store) -> int:
    """How many statements are kept to take changes back."""
    with store.connection.begin():
        found = store.connection.exec_driver_sql("SELECT count(*) FROM undo")
        return int(found.scalar_one())


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
        assert self.projector.reached() == self.store.reached() == self.tape.engine.sequence
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
    with store.connection.begin():  # as a history that was begun behind the kept state
        store.connection.exec_driver_sql("DELETE FROM savepoints")
    told.tape.say(RevertState("a"))
    assert not any(told.project().values())
    assert store.reached() == sequence + 1
