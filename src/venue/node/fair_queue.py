"""Commands that wait for a later batch, by owner. Owners are served in turn, so an owner that
floods the venue delays only its own commands.

The order is that of fair queueing (RFC 8290, section 4). An owner that had no waiting commands is
served before owners that had some. After its turn, an owner moves to the end. A group of several
commands is never divided, and costs as many turns. Commands of one owner stay in their order.
Commands of the venue itself and of operators are served first of all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from venue.core.messages.commands import Command
from venue.node.replies import OutcomeReceiver

VENUE: Final = 0  # in place of an owner: the venue itself and its operators
AGENTS: Final = -1  # in place of an owner: all liquidity agents, who take turns with the owners
TURN: Final = 1  # commands of one owner in one turn: rounds are short

# Commands applied together, the receiver of their outcome, and their owner.
Group = tuple[Sequence[Command], OutcomeReceiver, int]


class _Flow:
    """The waiting groups of one owner, oldest first, each with the time (s) at which it was added.

    `credit`: the rest of the owner's turn, in commands; below 0 the owner has used later turns
    already.
    """

    __slots__ = ("commands", "credit", "groups", "owner")

    def __init__(self, owner: int) -> None:
        self.owner = owner
        self.commands = 0
        self.groups: deque[tuple[float, Group]] = deque()
        self.credit = TURN


class FairQueue:
    """Groups of commands by owner; `commands` is the number of waiting commands.

    `flows` has each owner that has waiting commands, had some in this round, or owes turns.
    """

    def __init__(self) -> None:
        self.commands = 0
        self.flows: dict[int, _Flow] = {}
        self._first: deque[Group] = deque()
        self._new: deque[_Flow] = deque()
        self._old: deque[_Flow] = deque()

    def add(self, group: Group, now: float) -> None:
        """Append a group to its owner's waiting groups; `now` in s."""
        size = len(group[0])
        self.commands += size
        if group[2] == VENUE:
            self._first.append(group)
        else:
            flow = self._flow(group[2])
            flow.commands += size
            flow.groups.append((now, group))

    def put_back(self, groups: Sequence[Group], now: float) -> None:
        """Put groups that were taken back in front of their owners' other groups; `now` in s."""
        for group in reversed(groups):
            size = len(group[0])
            self.commands += size
            if group[2] == VENUE:
                self._first.appendleft(group)
            else:
                flow = self._flow(group[2])
                flow.commands += size
                flow.credit = min(flow.credit + size, TURN)
                flow.groups.appendleft((now, group))

    def forget(self) -> None:
        """Forget all owners' turns; only allowed when nothing waits."""
        assert not self.commands, f"{self.commands} commands wait"
        self.flows.clear()
        self._new.clear()
        self._old.clear()

    def since(self, owner: int) -> float | None:
        """Return the time (s) at which the owner's oldest waiting group was added; None when none
        waits."""
        flow = self.flows.get(owner)
        return flow.groups[0][0] if flow is not None and flow.groups else None

    def waiting(self, owner: int) -> int:
        """Return the number of an owner's waiting commands; the venue's own are not counted."""
        flow = self.flows.get(owner)
        return flow.commands if flow is not None else 0

    def take(self, room: int) -> list[Group]:
        """Take the next groups in turn, up to `room` commands, but at least one group."""
        return self._take(self._next, room)

    def take_new(self, room: int) -> list[Group]:
        """Take groups as `take` does, but only of owners that had no waiting groups before."""
        return self._take(self._next_new, room)

    def _take(self, following: Callable[[], Group | None], room: int) -> list[Group]:
        taken: list[Group] = []
        while (group := following()) is not None:
            size = len(group[0])
            if taken and size > room:
                break
            self._remove(size)
            taken.append(group)
            room -= size
            if room <= 0:
                break
        return taken

    def _flow(self, owner: int) -> _Flow:
        """Return the owner's flow; make one if it has none."""
        flow = self.flows.get(owner)
        if flow is None:
            flow = self.flows[owner] = _Flow(owner)
            self._new.append(flow)
        return flow

    def _next(self) -> Group | None:
        """Return the next group in turn; its flow, if it has one, is then the first of its list."""
        group = self._next_new()
        while group is None and self._old:
            flow = self._old[0]
            if flow.groups and flow.credit > 0:
                return flow.groups[0][1]
            self._old.popleft()
            if flow.groups or flow.credit < 0:
                flow.credit += TURN
                self._old.append(flow)
            else:
                del self.flows[flow.owner]
        return group

    def _next_new(self) -> Group | None:
        """Return the next group of the venue, or of an owner that had no waiting groups before."""
        if self._first:
            return self._first[0]
        while self._new:
            flow = self._new[0]
            if flow.groups and flow.credit > 0:
                return flow.groups[0][1]
            self._new.popleft()
            if flow.groups:
                flow.credit += TURN
            self._old.append(flow)  # an owner that comes back at once is not new again
        return None

    def _remove(self, size: int) -> None:
        """Remove the group that `_next` has just returned."""
        self.commands -= size
        if self._first:
            self._first.popleft()
            return
        flow = (self._new or self._old)[0]
        flow.groups.popleft()
        flow.commands -= size
        flow.credit -= size
