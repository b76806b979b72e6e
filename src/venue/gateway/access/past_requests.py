"""Remembers requests of a venue whose time moves, where a clock may reach their timestamps again.

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

    def machine(self) -> int:
        """Return the machine's own time, which may be set, µs."""

    def oldest(self) -> int:
        """Return the earliest of these, µs."""

    def signed_until(self) -> int:
        """Return the latest venue time that clients may go by before it moves, µs."""


class PastRequests:
    """For each known request, the clock that signed it. Also the ids of forgotten requests that
    were signed by the machine's clock, because venue time may still reach their timestamps.

    `kept` are the requests, by second, of a state to which a revert is about to go back.
    `known_from` is the first second that this run of the venue knows about.
    """

    __slots__ = (
        "_bytes",
        "_ids",
        "_let_go",
        "_refused",
        "by_venue",
        "kept",
        "known_from",
        "times",
        "used",
    )

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
        self._let_go = -1  # the last second of which ids signed by venue time were let go

    def note(self, timestamp: int, request: bytes) -> None:
        """Note the clock that a request was signed by (ms) while they differ: the one that its time
        is nearer to."""
        times = self.times
        signed = timestamp * 1_000
        others = min(abs(signed - times.wall()), abs(signed - times.machine()))
        if abs(signed - times.now()) <= others:
            self.by_venue.add(request)

    def forget(self, second: int, requests: Collection[bytes]) -> None:
        """Move the requests of a second that leaves the window to the forgotten ones, unless they
        were signed by venue time. Where these are too many, the seconds that were forgotten first
        are refused."""
        if self.by_venue:
            signed = set(requests) - self.by_venue
            if len(signed) < len(requests):
                self._let_go = max(self._let_go, second)
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
            self.refuse(gone, gone)

    def refuse(self, first: int, last: int) -> None:
        """Take no requests of these seconds."""
        begin, end = self._refused
        self._refused = (min(begin, first), max(end, last)) if begin <= end else (first, last)

    def has(self, second: int, request: bytes) -> bool:
        """Return whether this is a forgotten request, which must not have another effect."""
        row = self._ids.get(second)
        # `in` would first take the id for a number, and make an exception of that it is none.
        return row is not None and row.find(request) >= 0

    def refuses(self, timestamp: int, within: int) -> bool:
        """Return whether requests of this time (ms) may have had an effect that is not known, so
        that none is accepted: they were dropped for lack of room, or the machine's clock was set
        back to times of which this run does not know all requests. A request within `within` ms of
        venue time counts as signed by it."""
        second = timestamp // 1_000
        first, last = self._refused
        if second < self.known_from or first <= second <= last:
            return True
        if second > self._let_go:
            return False
        times = self.times
        begin, end = times.now() // 1_000 - within, times.signed_until() // 1_000 + within
        return not begin <= timestamp <= end
