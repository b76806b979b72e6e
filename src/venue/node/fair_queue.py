"""Commands that wait for a later batch, by owner: owners take turns, so one that floods the venue
waits for itself and not the others for it.

The order is that of fair queueing (RFC 8290, section 4). An owner for whom nothing waited goes
before owners for whom something did. An owner that had its turn goes after all others; a group of
more commands than one, which is not divided, costs as many turns. Commands of one owner stay in
their order. The venue's own commands and operators' go first of all.
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
    """The waiting commands of one owner, oldest first, with the time (s) since when.

    `credit`: what is left of its turn, in commands; below 0 it waits for turns of which it has
    taken the commands.
    """

    __slots__ = ("commands", "credit", "groups", "owner")

    def __init__(self, owner: int) -> None:
        self.owner = owner
        self.commands = 0
        self.groups: deque[tuple[float, Group]] = deque()
        self.credit = TURN


class FairQueue:
    """Groups of commands by owner; `commands` counts what waits.

    `flows` are those of the owners for whom something waits or waited in this round, or who owe
    turns.
    """

    def __init__(self) -> None:
        self.commands = 0
        self.flows: dict[int, _Flow] = {}
        self._first: deque[Group] = deque()
        self._new: deque[_Flow] = deque()
        self._old: deque[_Flow] = deque()

    def add(self, group: Group, now: float) -> None:
        """Have a group wait after its owner's others; `now` in s."""
        size = len(group[0])
        self.commands += size
        if group[2] == VENUE:
            self._first.append(group)
        else:
            flow = self._flow(group[2])
            flow.commands += size
            flow.groups.append((now, group))

    def put_back(self, groups: Sequence[Group], now: float) -> None:
        """Have groups that were taken wait before their owners' others; `now` in s."""
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
        """Nobody owes a turn: nothing waits, and all that came was served."""
        assert not self.commands, f"{self.commands} commands wait"
        self.flows.clear()
        self._new.clear()
        self._old.clear()

    def since(self, owner: int) -> float | None:
        """Since when (s) the owner's oldest group waits; None when nothing does."""
        flow = self.flows.get(owner)
        return flow.groups[0][0] if flow is not None and flow.groups else None

    def waiting(self, owner: int) -> int:
        """The owner's waiting commands; of the venue's own it is not known."""
        flow = self.flows.get(owner)
        return flow.commands if flow is not None else 0

    def take(self, room: int) -> list[Group]:
        """The groups whose turn it is, as far as their commands have room; at least one."""
        return self._take(self._next, room)

    def take_new(self, room: int) -> list[Group]:
        """As `take`, without the owners for whom something waited before."""
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
        """An owner's flow, made when there is none."""
        flow = self.flows.get(owner)
        if flow is None:
            flow = self.flows[owner] = _Flow(owner)
            self._new.append(flow)
        return flow

    def _next(self) -> Group | None:
        """The group whose turn it is; its flow, if it has one, is the first of its list then."""
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
        """The next group of the venue, or of an owner for whom nothing waited."""
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
        """Take the group that `_next` has just found."""
        self.commands -= size
        if self._first:
            self._first.popleft()
            return
        flow = (self._new or self._old)[0]
        flow.groups.popleft()
        flow.commands -= size
        flow.credit -= size
