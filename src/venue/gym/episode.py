"""The parts of every episode: an engine that can return to its start, and a count of steps."""

from __future__ import annotations

from typing import Final

from venue.core.messages.commands import Command, CreateOwner, Deposit
from venue.core.messages.events import Event, OwnerCreated, Rejected
from venue.core.messages.savepoints import KeepState, RevertState
from venue.core.state import snapshot
from venue.core.state.audit import problems

BEGUN: Final = "begun"  # the saved state in which every episode starts


class Simulation:
    """An engine for one environment. Owners are created at the venue time `begin`, in µs.

    With `audit` the invariants of rule 10 are checked after each step; a broken one raises
    RuntimeError.
    """

    def __init__(self, begin: int, *, audit: bool) -> None:
        self.engine = snapshot.begin()
        self._begin = begin
        self._audit = audit

    def do(self, command: Command) -> list[Event]:
        """Apply a command that must not be refused."""
        events = self.engine.apply(command)
        assert not events or not isinstance(events[0], Rejected), (command, events)
        return events

    def owner(self, name: str, wallet: int, money: dict[str, int]) -> int:
        """Create an owner with `money` in a wallet, atoms by asset; return its id."""
        created = self.do(CreateOwner(name, 0, self._begin))[0]
        assert type(created) is OwnerCreated, created
        for asset, atoms in money.items():
            self.do(Deposit(created.uid, wallet, asset, atoms, self._begin))
        return created.uid

    def keep(self) -> None:
        """Save the present state as the start of every episode."""
        self.do(KeepState(BEGUN, b"", self._begin))

    def go_back(self) -> None:
        """Revert to the saved state."""
        self.do(RevertState(BEGUN, self.engine.time))

    def check(self) -> None:
        """Check the invariants of the state, if `audit` is on."""
        if self._audit:
            found = problems(self.engine)
            if found:
                raise RuntimeError("; ".join(found))


class Steps:
    """Counts the steps of an episode. No episode runs before `begin`."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"steps: must be 1 or more, not {count}")
        self._count = count
        self.left = 0

    def begin(self) -> None:
        """Start a new episode."""
        self.left = self._count

    def demand(self) -> None:
        """Raise RuntimeError when the episode is over, or none has started."""
        if not self.left:
            raise RuntimeError("step: the episode is over, or none has begun: call reset first")

    def end(self) -> None:
        """End the episode early."""
        self.left = 0

    def passed(self) -> float:
        """Return the part of the episode that has passed, 0 to 1."""
        return 1 - self.left / self._count
