"""The kept states of a history as a tree, and the changes that lead from one to the next.

Each kept state stands below the one that it was reached from, its parent. The changes of a state
lead from its parent to it, transaction after transaction; taken back, newest first, they lead up.
So going from one state to another costs only the changes on the way. The present state is in the
tree too. Its tables call a state a node.

Changes that were never taken back lack the rows added to tables that only grow, and name where
those ended before (`ends`): the rows stand there until then. Before such changes are taken back and
may be wanted again, they are completed with these rows.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from venue.history import changesets
from venue.history.kept_rows import delete_behind
from venue.history.sql import first

if TYPE_CHECKING:
    from apsw import Connection

NOW: Final = 0  # the present state
NONE: Final = -1  # the parent of the oldest
LEVEL: Final = 1  # of compression: a quarter of the size for a tenth of the time that it took
TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS nodes
    (node INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS changes
    (number INTEGER PRIMARY KEY, node INTEGER NOT NULL, packed BLOB NOT NULL,
    ends TEXT NOT NULL DEFAULT '')""",
    "CREATE INDEX IF NOT EXISTS changes_of_node ON changes (node, number)",
)


class KeptState(Struct):
    """A state below its parent; `name` is "" where branches only part."""

    parent: int
    name: str


class Branches:
    """The tree of one history, inside a transaction of the caller's; `write` notes it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        for statement in TABLES:
            connection.execute(statement)
        rows = connection.execute("SELECT node, parent, name FROM nodes ORDER BY node")
        self._states = {number: KeptState(parent, name) for number, parent, name in rows}
        self._now = self._states.setdefault(NOW, KeptState(NONE, ""))

    def has_states(self) -> bool:
        """Return whether any state is kept."""
        return len(self._states) > 1

    def keep(self, name: str) -> None:
        """Keep the present state; a former one of this name is forgotten."""
        self.drop(name)
        number = max(self._states) + 1
        self._states[number] = KeptState(self._now.parent, name)
        self._give(NOW, number)
        self._now.parent = number

    def drop(self, name: str) -> None:
        """Keep the state of a name no longer."""
        for state in self._states.values():
            if state.name == name:
                state.name = ""

    def go_to(self, name: str) -> bool:
        """Make the rows those of a kept state; False when none has this name."""
        found = [number for number, state in self._states.items() if name and state.name == name]
        if found:
            self._go_to(found[0])
        return bool(found)

    def go_to_oldest(self) -> None:
        """Make the rows those of the oldest state that is known."""
        self._go_to(self._above(NOW)[-1])

    def begin_before(self, changes: bytes) -> None:
        """Add the state that history is in before the oldest one, whose `changes` led to it."""
        oldest, number = self._now.parent, max(self._states) + 1
        self._states[oldest].parent = self._now.parent = number
        self._states[number] = KeptState(NONE, "")
        add(self._connection, changesets.invert(changes), oldest)

    def write(self) -> None:
        """Drop the changes that lead to no kept state, and note the tree."""
        while any(self._spare(number) for number in list(self._states)):
            pass
        self._connection.execute("DELETE FROM nodes")
        for number, state in self._states.items():
            row = (number, state.parent, state.name)
            self._connection.execute("INSERT INTO nodes VALUES (?, ?, ?)", row)

    # -- the way ----------------------------------------------------------------------------------

    def _go_to(self, target: int) -> None:
        ups, downs = self._above(NOW), [target, *self._above(target)]
        self._take_back_for_good()
        for number in [one for one in ups if one not in downs]:
            for one in reversed(self._changes(number)):
                self._take_back(one)
        for number in reversed([one for one in downs if one not in ups]):
            for one in self._changes(number):
                changesets.apply(self._connection, self._read_change(one)[0])
        self._now.parent = target

    def _take_back_for_good(self) -> None:
        """Take back the changes that lead to the present state. The rows after the ends of all of
        them are those after the ends of the first."""
        earliest = ""
        for one in reversed(self._changes(NOW)):
            changes, ends = self._read_change(one)
            changesets.take_back(self._connection, changes)
            earliest = ends or earliest
        if earliest:
            delete_behind(self._connection, earliest)
        self._forget(NOW)

    def _take_back(self, number: int) -> None:
        """Take changes back that may be wanted again: from now on they are noted whole."""
        changes, ends = self._read_change(number)
        if not ends:
            changesets.take_back(self._connection, changes)
            return
        with changesets.recording(self._connection) as taken_back:
            changesets.take_back(self._connection, changes)
            delete_behind(self._connection, ends)
            whole = changesets.invert(taken_back())
        self._connection.execute(
            "UPDATE changes SET packed = ?, ends = '' WHERE number = ?", (_compress(whole), number)
        )

    def _above(self, number: int) -> list[int]:
        """Return the states above one, the nearest first."""
        found: list[int] = []
        while (number := self._states[number].parent) != NONE:
            found.append(number)
        return found

    def _changes(self, number: int) -> list[int]:
        question = "SELECT number FROM changes WHERE node = ? ORDER BY number"
        return [one for (one,) in self._connection.execute(question, (number,))]

    def _read_change(self, number: int) -> tuple[bytes, str]:
        """Return a changeset, and the last keys of the growing tables before it."""
        question = "SELECT packed, ends FROM changes WHERE number = ?"
        packed, ends = first(self._connection, question, (number,))
        return zlib.decompress(packed) if packed else b"", ends

    # -- states without a use ---------------------------------------------------------------------

    def _spare(self, number: int) -> bool:
        """Take a state out that no name needs; whether it was. The tree keeps nothing older than
        the oldest state, and changes that lead through a state pass to the one below."""
        state = self._states.get(number)
        if state is None or state.name or number == NOW:
            return False
        below = [one for one, other in self._states.items() if other.parent == number]
        if len(below) > 1:
            return False
        if below:
            if state.parent == NONE:
                self._forget(below[0])
            self._give(number, below[0])
            self._states[below[0]].parent = state.parent
        self._forget(number)
        del self._states[number]
        return True

    def _give(self, number: int, to: int) -> None:
        self._connection.execute("UPDATE changes SET node = ? WHERE node = ?", (to, number))

    def _forget(self, number: int) -> None:
        self._connection.execute("DELETE FROM changes WHERE node = ?", (number,))


def add(connection: Connection, changes: bytes, number: int = NOW, ends: str = "") -> None:
    """Note changes after all others that lead to a state, inside the caller's transaction."""
    row = (number, _compress(changes), ends)
    connection.execute("INSERT INTO changes (node, packed, ends) VALUES (?, ?, ?)", row)


def follow_on(connection: Connection, changes: bytes, ends: str) -> None:
    """Note changes that lead to the present state. Empty ones are noted only for their ends, when
    no earlier changes have any."""
    before = "SELECT 1 FROM changes WHERE node = ? AND ends <> '' LIMIT 1"
    if changes or first(connection, before, (NOW,)) is None:
        add(connection, changes, NOW, ends)


def _compress(changes: bytes) -> bytes:
    return zlib.compress(changes, LEVEL) if changes else b""
