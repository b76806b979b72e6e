"""Remembers ended things; when an owner has too many, it loses its own oldest first (rule 3.6)."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Generic, TypeVar

from venue.vocabulary import CLIENT_IDS_ENDED_MAX, CLIENT_IDS_PER_OWNER_MAX

E = TypeVar("E")


class EndedItems(Generic[E]):
    """Ended things by owner and number, in the order in which they ended.

    When an owner has too many, its oldest is forgotten; when all owners together have too many, the
    oldest of all is. Ordinary orders use `ClientIds` instead, which links them by their places in a
    book and so needs no extra memory. Other things have no such places.
    """

    __slots__ = ("_by_owner", "_rows")

    def __init__(self) -> None:
        # The more were deleted at a dict's front, the longer it takes to find its first.
        self._rows: OrderedDict[int, tuple[int, E]] = OrderedDict()
        self._by_owner: dict[int, deque[int]] = {}

    def keep(self, uid: int, number: int, thing: E) -> E | None:
        """Remember one more; return the one that was forgotten to make room, if any."""
        self.add(uid, number, thing)
        if len(self._by_owner[uid]) > CLIENT_IDS_PER_OWNER_MAX:
            return self._take(uid)
        if len(self._rows) > CLIENT_IDS_ENDED_MAX:
            return self.take_oldest()
        return None

    def add(self, uid: int, number: int, thing: E) -> None:
        """Append one; nothing is forgotten to make room."""
        assert number not in self._rows, f"{number} ends twice"
        self._rows[number] = (uid, thing)
        own = self._by_owner.get(uid)
        if own is None:
            own = self._by_owner[uid] = deque()
        own.append(number)

    def oldest(self) -> E | None:
        """Return the one that ended first; None when there are none."""
        return next(iter(self._rows.values()))[1] if self._rows else None

    def take_oldest(self) -> E:
        """Remove and return the one that ended first."""
        uid, _ = next(iter(self._rows.values()))
        return self._take(uid)

    def things(self) -> list[E]:
        """Return all remembered things, oldest first."""
        return [thing for _, thing in self._rows.values()]

    def _take(self, uid: int) -> E:
        """Remove the oldest of one owner."""
        own = self._by_owner[uid]
        _, thing = self._rows.pop(own.popleft())
        if not own:
            del self._by_owner[uid]
        return thing
