"""The kept states of a history as a tree, and the statements that lead from one to the next.

Each kept state is a node below the one that it was reached from. Between a node and its parent
stand the statements that cross that edge, away from where history stands: below a node they lead up
to it, beside it they lead down. To cross an edge is to run its statements, the newest first; what
the triggers write meanwhile leads back, and takes their place. So going back costs what lies on the
way, however often one has gone, and nothing is written down twice.

The statements of an edge are consecutive numbers of the table `undo`. Those behind all others
belong to the present state, which is a node too.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from sqlalchemy import Connection

from venue.history import driver

AT_ONCE: Final = 1_000  # statements in one call
NOW: Final = 0  # the node of the present state
NONE: Final = -1  # the parent of the oldest
LAST: Final = 1 << 62  # above every number
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS undo (number INTEGER PRIMARY KEY, statement TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS nodes (
        node INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL,
        behind INTEGER NOT NULL, until INTEGER NOT NULL
    )""",
)


class Node(Struct):
    """A state below its parent; `name` is "" where branches only part. Its statements are numbered
    from `behind` + 1 to `until`."""

    parent: int
    name: str
    behind: int
    until: int


class Branches:
    """The tree of one history, inside a transaction of the caller's; `write` notes it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        for statement in _TABLES:
            connection.exec_driver_sql(statement)
        rows = connection.exec_driver_sql("SELECT * FROM nodes ORDER BY node").all()
        self._nodes = {node: Node(*values) for node, *values in rows}
        if not self._nodes:
            self._nodes[NOW] = Node(NONE, "", 0, LAST)
            self._convert()
        self._now = self._nodes[NOW]

    def known(self) -> bool:
        """Whether any state is kept."""
        return len(self._nodes) > 1

    def keep(self, name: str) -> None:
        """Keep the present state; a former one of this name is no more."""
        self.drop(name)
        newest = self._newest()
        number = max(self._nodes) + 1
        self._nodes[number] = Node(self._now.parent, name, self._now.behind, newest)
        self._now.parent, self._now.behind = number, newest

    def drop(self, name: str) -> None:
        """Keep the state of a name no longer."""
        for node in self._nodes.values():
            if node.name == name:
                node.name = ""

    def go_to(self, name: str) -> bool:
        """Make the rows those of a kept state; False when none has this name."""
        found = [number for number, node in self._nodes.items() if name and node.name == name]
        if found:
            self._go_to(found[0])
        return bool(found)

    def go_to_oldest(self) -> None:
        """Make the rows those of the oldest state that is known."""
        self._go_to(self._above(NOW)[-1])

    def begin_before(self) -> None:
        """Have a state of its own before the oldest, in which history stands: what was written down
        since `go_to_oldest` leads from it to the oldest."""
        newest = self._newest()
        number = max(self._nodes) + 1
        oldest = self._nodes[self._now.parent]
        oldest.parent, oldest.behind, oldest.until = number, self._now.behind, newest
        self._nodes[number] = Node(NONE, "", newest, newest)
        self._now.parent, self._now.behind = number, newest

    def write(self) -> None:
        """Let go of what leads to no kept state, and note the tree."""
        while any(self._spare(number) for number in list(self._nodes)):
            pass
        if not self.known():
            self._connection.exec_driver_sql("DELETE FROM undo")
        self._now.behind = min(self._now.behind, self._newest())  # numbers are used again
        self._connection.exec_driver_sql("DELETE FROM nodes")
        for number, node in self._nodes.items():
            row = (number, node.parent, node.name, node.behind, node.until)
            self._connection.exec_driver_sql("INSERT INTO nodes VALUES (?, ?, ?, ?, ?)", row)

    # -- the way ----------------------------------------------------------------------------------

    def _go_to(self, target: int) -> None:
        with driver.without_triggers(self._connection):  # nobody comes back
            self._run(self._now)
        self._forget(self._now)
        ups, downs = self._above(NOW), [target, *self._above(target)]
        shared = set(ups) & set(downs)
        for number in [one for one in ups if one not in shared]:
            self._cross(self._nodes[number])
        for number in reversed([one for one in downs if one not in shared]):
            self._cross(self._nodes[number])
        self._now.parent, self._now.behind = target, self._newest()

    def _above(self, number: int) -> list[int]:
        """The nodes above one, the nearest first."""
        found: list[int] = []
        while (number := self._nodes[number].parent) != NONE:
            found.append(number)
        return found

    def _cross(self, node: Node) -> None:
        before = self._newest()
        self._run(node)
        self._forget(node)
        node.behind, node.until = before, max(before, self._newest())

    def _run(self, node: Node) -> None:
        behind = "SELECT statement FROM undo WHERE number > ? AND number <= ? ORDER BY number DESC"
        rows = self._connection.exec_driver_sql(behind, (node.behind, node.until))
        statements = [statement for (statement,) in rows]
        for start in range(0, len(statements), AT_ONCE):
            self._connection.exec_driver_sql(";".join(statements[start : start + AT_ONCE]))

    # -- what is not needed -----------------------------------------------------------------------

    def _spare(self, number: int) -> bool:
        """Take a node out that no name needs; whether it was."""
        node = self._nodes.get(number)
        if node is None or node.name or number == NOW:
            return False
        below = [one for one, other in self._nodes.items() if other.parent == number]
        if len(below) > 1:
            return False
        if not below:
            self._forget(node)
        else:
            self._join(number, below[0])
        del self._nodes[number]
        return True

    def _join(self, number: int, child: int) -> None:
        """Have the statements of two edges in a row as those of the lower one; nothing goes back
        beyond the oldest node."""
        node, below = self._nodes[number], self._nodes[child]
        leads_up = child == NOW or child in self._above(NOW)
        first, second = (node, below) if leads_up else (below, node)
        if node.parent == NONE:
            self._forget(below)
            below.behind = below.until = self._newest()
        elif first.until == second.behind:
            below.behind, below.until = first.behind, second.until
        else:
            now, behind = self._now, self._newest()
            now.until = behind  # the present's stand behind all others
            self._move_to_end(first)
            self._move_to_end(second)
            below.behind, below.until = behind, self._newest()
            if below is not now:
                now.behind = self._move_to_end(now)
        self._now.until = LAST
        below.parent = node.parent

    def _move_to_end(self, node: Node) -> int:
        """Number a node's statements anew, behind all others; the number that they are behind."""
        newest = self._newest()
        copy = (
            "INSERT INTO undo (statement)"
            " SELECT statement FROM undo WHERE number > ? AND number <= ? ORDER BY number"
        )
        self._connection.exec_driver_sql(copy, (node.behind, node.until))
        self._forget(node)
        return newest

    def _forget(self, node: Node) -> None:
        self._connection.exec_driver_sql(
            "DELETE FROM undo WHERE number > ? AND number <= ?", (node.behind, node.until)
        )

    def _newest(self) -> int:
        found = self._connection.exec_driver_sql("SELECT coalesce(max(number), 0) FROM undo")
        newest: int = found.scalar_one()
        return newest

    def _convert(self) -> None:
        """Read what a former version kept: one state behind the other, each a row with the number
        of the last statement before it."""
        known = "SELECT count(*) FROM main.sqlite_schema WHERE name = 'savepoints'"
        if not self._connection.exec_driver_sql(known).scalar_one():
            return
        former = "SELECT name, number FROM savepoints ORDER BY number"
        rows = self._connection.exec_driver_sql(former).all()
        now = self._nodes[NOW]
        for number, (name, until) in enumerate(rows, NOW + 1):
            behind = now.behind if number > 1 else until
            self._nodes[number] = Node(now.parent, name, behind, until)
            now.parent, now.behind = number, until
        self._connection.exec_driver_sql("DROP TABLE savepoints")
