"""Requests of a venue whose time moves: seconds that no clock accepts may be accepted again.

Seconds are those of a request's timestamp.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Protocol

# Ids that are known though no clock accepts their seconds: a million of 22 bytes.
PAST_BYTES_MAX: Final = 22_000_000


class Times(Protocol):
    """The clocks that a timestamp may be near."""

    real: bool  # venue time is server time

    def now(self) -> int:
        """Venue time, µs."""

    def wall(self) -> int:
        """Server time, µs."""

    def signed_until(self) -> int:
        """The latest venue time that clients may go by before it moves, µs."""


class PastRequests:
    """The clock that each known request was signed by, and the ids of those that were forgotten
    and were signed by the machine's: venue time may come to theirs.

    `kept` are those, by second, that a state has which is about to be gone back to. `known_from` is
    the first second that this run of the venue knows about.
    """

    __slots__ = ("_bytes", "_ids", "_refused", "by_venue", "kept", "known_from", "times", "used")

    def __init__(self, times: Times) -> None:
        self.times = times
        self.by_venue: set[bytes] = set()  # signed by venue time, and not forgotten
        self.kept: dict[int, set[bytes]] = {}
        self.known_from = 0
        self.used = False  # no second has left the window
        # Of each second all ids in a row, which takes a quarter of a dictionary's room; the second
        # that was forgotten first comes first.
        self._ids: dict[int, bytes] = {}
        self._bytes = 0
        self._refused = (1, 0)  # the first and the last second that there was no room for

    def note(self, timestamp: int, request: bytes) -> None:
        """Note the clock that a request was signed by (ms) while they differ: the one that its time
        is nearer to."""
        times = self.times
        signed = timestamp * 1_000
        if abs(signed - times.now()) <= abs(signed - times.wall()):
            self.by_venue.add(request)

    def forget(self, second: int, requests: Collection[bytes]) -> None:
        """Have the requests of a second that leaves the window known on, unless they were signed by
        venue time. Where there are too many, the seconds that were forgotten first are refused."""
        if self.by_venue:
            signed = set(requests) - self.by_venue
            self.by_venue.difference_update(requests)
            requests = signed
        if not requests:
            return
        self.used = True
        self._ids[second] = self._ids.pop(second, b"") + b"".join(requests)
        self._bytes += sum(map(len, requests))
        while self._bytes > PAST_BYTES_MAX:
            gone = next(iter(self._ids))
            self._bytes -= len(self._ids.pop(gone))
            first, last = self._refused
            self._refused = (min(first, gone), max(last, gone)) if first <= last else (gone, gone)

    def has(self, second: int, request: bytes) -> bool:
        """Whether a request was forgotten that must not have another effect."""
        row = self._ids.get(second)
        # `in` would first take the id for a number, and make an exception of that it is none.
        return row is not None and row.find(request) >= 0

    def refuses(self, second: int) -> bool:
        """Whether requests of a second were forgotten for want of room: none is taken."""
        first, last = self._refused
        return first <= second <= last
