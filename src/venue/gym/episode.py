"""The parts of every episode: an engine that goes back to its beginning, and a number of steps."""

from __future__ import annotations

from typing import Final

from venue.core.messages.commands import Command, CreateOwner, Deposit
from venue.core.messages.events import Event, OwnerCreated, Rejected
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state import snapshot
from venue.core.state.audit import problems

BEGUN: Final = "begun"  # the kept state that every episode begins in


class Simulation:
    """An engine of its own. Owners begin at the venue time `begin`, in µs.

    With `audit` the invariants of rule 10 are checked after each step; a broken one is a
    RuntimeError.
    """

    def __init__(self, begin: int, *, audit: bool) -> None:
        self.engine = snapshot.begin()
        self._begin = begin
        self._audit = audit

    def do(self, command: Command) -> list[Event]:
        """Apply a command that the venue may not refuse."""
        events = self.engine.apply(command)
        assert not events or not isinstance(events[0], Rejected), (command, events)
        return events

    def owner(self, name: str, wallet: int, money: dict[str, int]) -> int:
        """The id of a new owner with `money` in a wallet, atoms by asset."""
        created = self.do(CreateOwner(name, 0, self._begin))[0]
        assert type(created) is OwnerCreated, created
        for asset, atoms in money.items():
            self.do(Deposit(created.uid, wallet, asset, atoms, self._begin))
        return created.uid

    def keep(self) -> None:
        """Have every episode begin in the present state."""
        self.do(KeepState(BEGUN, b"", self._begin))

    def go_back(self) -> None:
        """Go back to the state that was kept."""
        self.do(RevertState(BEGUN, self.engine.time))

    def check(self) -> None:
        """Hold the state to the invariants, when that was asked for."""
        if self._audit:
            found = problems(self.engine)
            if found:
                raise RuntimeError("; ".join(found))


class Steps:
    """How far an episode has come. None has begun before `begin`."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"steps: must be 1 or more, not {count}")
        self._count = count
        self.left = 0

    def begin(self) -> None:
        """A new episode."""
        self.left = self._count

    def demand(self) -> None:
        """RuntimeError when the episode is over, or none has begun."""
        if not self.left:
            raise RuntimeError("step: the episode is over, or none has begun: call reset first")

    def end(self) -> None:
        """The episode is over before its time."""
        self.left = 0

    def passed(self) -> float:
        """The part of the episode that has passed, 0 to 1."""
        return 1 - self.left / self._count
