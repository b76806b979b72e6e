"""Memories of things that ended: full for one owner, not yet for the others (rule 3.6)."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Generic, TypeVar

from venue.vocabulary import CLIENT_IDS_ENDED_MAX, CLIENT_IDS_PER_OWNER_MAX

E = TypeVar("E")


class Ended(Generic[E]):
    """Things of owners under numbers of their own, in the order in which they ended.

    As of ordinary orders, an owner's oldest is forgotten for its newest, and the oldest of all for
    anybody's. `ClientIds` links the ordinary ones by their places in a book, which they need no
    more: that costs no memory and no table. Others have no such places.
    """

    __slots__ = ("_by_owner", "_rows")

    def __init__(self) -> None:
        # The more were deleted at a dict's front, the longer it takes to find its first.
        self._rows: OrderedDict[int, tuple[int, E]] = OrderedDict()
        self._by_owner: dict[int, deque[int]] = {}

    def keep(self, uid: int, number: int, thing: E) -> E | None:
        """Remember one more; return the one that was forgotten for it, if any."""
        self.add(uid, number, thing)
        if len(self._by_owner[uid]) > CLIENT_IDS_PER_OWNER_MAX:
            return self._take(uid)
        if len(self._rows) > CLIENT_IDS_ENDED_MAX:
            return self.take_oldest()
        return None

    def add(self, uid: int, number: int, thing: E) -> None:
        """Put one after all others; no other is forgotten for it."""
        assert number not in self._rows, f"{number} ends twice"
        self._rows[number] = (uid, thing)
        own = self._by_owner.get(uid)
        if own is None:
            own = self._by_owner[uid] = deque()
        own.append(number)

    def oldest(self) -> E | None:
        """The one that ended first; None when there is none."""
        return next(iter(self._rows.values()))[1] if self._rows else None

    def take_oldest(self) -> E:
        """Take out the one that ended first."""
        uid, _ = next(iter(self._rows.values()))
        return self._take(uid)

    def things(self) -> list[E]:
        """All, oldest first."""
        return [thing for _, thing in self._rows.values()]

    def _take(self, uid: int) -> E:
        """Take an owner's oldest out."""
        own = self._by_owner[uid]
        _, thing = self._rows.pop(own.popleft())
        if not own:
            del self._by_owner[uid]
        return thing
