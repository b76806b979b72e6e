"""Old rows of a venue in memory go, and no state that is kept misses any of its last day."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.tape import Tape
from venue.core.book.book import OPEN
from venue.core.messages.savepoints import DropState, KeepState, RevertState
from venue.core.units import DAY_US
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.settled import forget
from venue.history.store import Store, open_history, open_passing, used_bytes
from venue.history.tables.every import KEPT
from venue.history.tables.spot import OrderRow
from venue.history.tables.table import columns
from venue.pruning.forgetting import spans

DAY = 40  # µs: a "day" of these tapes, some 120 commands
NAMES = ("a", "b", "c")
Row = tuple[str, tuple[Any, ...]]


class Told:
    """A tape, its history, and the rows of each kept state with its time."""

    def __init__(self, store: Store) -> None:
        self.tape, self.store = Tape(), store
        self.projector = Projector(store, Catalog())
        self.kept: dict[str, tuple[int, set[Row]]] = {}
        self.gone = 0

    def rows(self) -> set[Row]:
        self.projector.project(self.tape.applied[self.projector.last_sequence() :])
        return {
            (table.table, row)
            for table in KEPT
            for row in self.store.connection.execute(f"SELECT * FROM {table.table}")
        }

    def forget(self) -> None:
        before = self.rows()
        times = [time for time, _ in self.kept.values()]
        now = self.tape.engine.time
        for _ in forget(self.store.connection, spans(now, times, DAY)):
            pass
        after = self.rows()
        check(before, after, now)
        self.gone += len(before - after)

    def keep(self, name: str) -> None:
        self.tape.say(KeepState(name))
        self.kept[name] = (self.tape.engine.time, self.rows())

    def go_back(self, name: str) -> None:
        self.tape.say(RevertState(name))
        time, rows = self.kept[name]
        check(rows, self.rows(), time)


def check(before: set[Row], after: set[Row], time: int) -> None:
    """No row came or changed, and those that went were settled a day before."""
    assert after <= before
    for name, row in before - after:
        values = dict(
            zip(next(columns(one) for one in KEPT if one.table == name), row, strict=True)
        )
        settled = values.get("update_time") or values["time"]
        assert settled < time - DAY, (name, row)
        assert name != OrderRow.table or values["status"] not in OPEN


@pytest.mark.parametrize("seed", range(12))
def test_a_state_has_its_last_day_however_much_was_forgotten(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    store = open_passing(str(tmp_path / "history"))
    told = Told(store)
    told.keep("ready")
    for step in range(60):
        told.tape.walk(1_000 * seed + step, count=rng.randrange(90))
        name, act = rng.choice(NAMES), rng.randrange(6)
        if act == 0:
            told.keep(name)
        elif act == 1 and name in told.kept:
            told.tape.say(DropState(name))
            del told.kept[name]
        elif act == 2 and name in told.kept:
            told.go_back(name)
        elif act > 2:
            told.forget()
    assert told.gone > 500
    _, rows = told.kept["ready"]
    told.tape.say(RevertState("ready"))
    assert told.rows() == rows  # nothing of it was ever old
    store.close()


def test_rows_stay_few_beside_a_state_that_is_kept(tmp_path: Path) -> None:
    store = open_passing(str(tmp_path / "history"))
    told = Told(store)
    told.keep("ready")
    counts = []
    for step in range(60):
        told.tape.walk(step, count=60)
        told.forget()
        counts.append(len(told.rows()))
    assert max(counts[30:]) < 2 * max(counts[:10])
    store.close()


def test_a_history_in_memory_tells_the_room_that_is_taken() -> None:
    store = open_history(None)
    told = Told(store)
    told.tape.walk(1, count=3_000)
    told.rows()
    full = used_bytes(store)
    for _ in forget(store.connection, [(0, 1 << 60)]):
        pass
    assert used_bytes(store) < full // 2
    store.close()


def test_the_times_in_which_rows_may_go() -> None:
    day, hour = DAY_US, DAY_US // 24
    assert spans(day, []) == []
    assert spans(3 * day, []) == [(0, 2 * day)]
    assert spans(9 * day, [hour, 5 * day, 5 * day + hour]) == [
        (hour, 4 * day),
        (5 * day + hour, 8 * day),
    ]
    assert spans(3 * day, [4 * day]) == [(0, 2 * day)]
