"""Copies with due lots that could not be closed yet, and the queues of their retries (rule 9.4)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.ordered_rows import OrderedRows
from venue.core.copying.people import GONE, IN_LINE, Copy
from venue.core.units import SECOND_US

WOKEN_MAX: Final = 1_000  # copies queued again at one tick
TRIES_MAX: Final = 6  # failed tries that count: a copy then pauses for 16 s


class Overdue:
    """The queued copies, by their lead and its follower, and those that pause after a failed try.

    Leads are served in turn, and so are the followers of a lead, so that no group of copies delays
    another's.
    """

    __slots__ = ("lines", "pausing")

    def __init__(self) -> None:
        self.lines: dict[int, dict[int, dict[int, Copy]]] = {}
        self.pausing: OrderedRows[tuple[int, int, Copy]] = OrderedRows()

    def add(self, copy: Copy) -> None:
        """Queue a copy, unless it is known already."""
        if copy.again == GONE:
            copy.tries = 0
            self._stand(copy)

    def put(self, copy: Copy, again: int) -> None:
        """Queue a copy, or let it pause until `again`, as loaded or computed."""
        if again == IN_LINE:
            self._stand(copy)
        else:
            copy.again = again
            self.pausing.add((again, copy.number, copy))

    def drop(self, copy: Copy) -> None:
        """Forget a copy that has nothing due any more."""
        if copy.again > IN_LINE:
            self.pausing.remove((copy.again, copy.number, copy))
        elif copy.again == IN_LINE:
            lead, follower = _owners(copy)
            line = self.lines[lead]
            own = line[follower]
            del own[copy.number]
            if not own:
                del line[follower]
            if not line:
                del self.lines[lead]
        copy.again = GONE

    def wake(self, time: int) -> None:
        """Queue the copies whose pause is over."""
        for again, _, copy in self.pausing.after((0,), WOKEN_MAX):
            if again > time:
                break
            self.drop(copy)
            self._stand(copy)

    def next(self) -> Copy | None:
        """Remove and return the next copy; its follower and its lead go to the end of their
        queues."""
        for lead, line in self.lines.items():
            follower, own = next(iter(line.items()))
            copy = next(iter(own.values()))
            self.drop(copy)
            if follower in line:
                line[follower] = line.pop(follower)
            if lead in self.lines:
                self.lines[lead] = self.lines.pop(lead)
            return copy
        return None

    def retry_later(self, copy: Copy, time: int, *, closed: bool) -> None:
        """Let a copy that still has lots due wait for the next tick. From its second failed try on
        it pauses 1, 2, 4, 8 and 16 s, until it has `closed` some."""
        copy.tries = 0 if closed else min(TRIES_MAX, copy.tries + 1)
        self.put(copy, time + (1 << copy.tries) // 4 * SECOND_US)

    def copies(self) -> list[Copy]:
        """Return the copies that have lots due: the queued ones, lead by lead in their turn, then
        those that pause after a failed try, in the order in which they wake."""
        found = [
            copy for line in self.lines.values() for own in line.values() for copy in own.values()
        ]
        return found + [row[2] for row in self.pausing.rows()]

    def _stand(self, copy: Copy) -> None:
        copy.again = IN_LINE
        lead, follower = _owners(copy)
        own = self.lines.setdefault(lead, {}).setdefault(follower, {})
        own[copy.number] = copy


def _owners(copy: Copy) -> tuple[int, int]:
    return copy.following.lead.account.uid, copy.following.account.uid
