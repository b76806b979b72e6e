"""Stores the answers to signed TRADE requests: an exact repetition gets the same answer and has no
effect.

All times here are server time (`Clock.wall`), with which the window of timestamps is checked too. A
request's id ends in its timestamp, so the journal shows how long each id must be remembered.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Final

import msgspec

from venue.api import errors
from venue.api.errors import ApiError
from venue.gateway.access.past_requests import PastRequests, Times

WINDOW_MS: Final = 30_000
REQUESTS_MAX: Final = 2_000_000
ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
# A timestamp is checked before the body is read, which takes at most ten seconds more.
KEPT_MS: Final = WINDOW_MS + 11_000
SEEDED_MS: Final = WINDOW_MS + KEPT_MS + 1_000
DIGEST_BYTES: Final = 16  # of the signature, in an id
TIME_BYTES: Final = 6  # of the timestamp after it, ms
ACTED: Final = b"act-as"  # in an id's place: an operator acted for the owner, nothing was signed

ENTRY_BYTES: Final = 128  # bytes: the cost of an answer beside its body

Answer = tuple[int, bytes]  # HTTP status, body
_IN_FLIGHT: Final = 0  # in the place of an answer's number
_LOST: Final = -1


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[tuple[int, set[bytes]]]).decode


def near(timestamp: int, wall: int) -> bool:
    """Return whether a timestamp (ms) may be of the machine's clock, at server time `wall` (µs)."""
    return abs(timestamp - wall // 1_000) <= SEEDED_MS


def lasting(request: bytes, applied: int, wall: int) -> bool:
    """Return whether a request's id stays known after the state went back past its command, which
    was applied at venue time `applied` (µs)."""
    if len(request) != DIGEST_BYTES + TIME_BYTES:
        return True
    timestamp = int.from_bytes(request[DIGEST_BYTES:])
    return near(timestamp, wall) or not signed_by_venue(timestamp, applied)


def signed_by_venue(timestamp: int, applied: int) -> bool:
    """Return whether a request with a timestamp (ms) was signed by venue time, judged by the venue
    time (µs) at which its command was applied. The journal does not contain the machine's time,
    which signed the others."""
    return abs(timestamp - applied // 1_000) <= KEPT_MS


class ReplayGuard:
    """Remembers each signed request until its timestamp is too old to be accepted again.

    A forgotten request is refused from then on, at any time of the clock. All doors share one
    guard, also those whose clock is shifted by a fault: a request has one effect, at whichever door
    it arrives.

    With `times`, the machine's clock may be set back, and venue time moves and may go back.
    Requests signed by the machine's time are remembered after their window, because a clock may
    reach their timestamps again. Requests signed by venue time belong to the state: a revert
    restores their ids.
    """

    def __init__(self, times: Times | None = None) -> None:
        self._past = PastRequests(times) if times is not None else None
        # The number of each request's answer: dropping the oldest answer need not find its request,
        # which is long out of the processor's caches.
        self._seconds: dict[int, dict[bytes, int]] = {}
        self._waiting: dict[bytes, asyncio.Future[Answer | None]] = {}
        self._answers: deque[tuple[int, Answer]] = deque()  # with the second of the request
        self._first = 1  # the number of the first of them; smaller ones are gone
        self._seeded: dict[int, set[bytes]] = {}
        self._bytes = 0
        self._count = 0
        self._swept = 0
        self._oldest = 0
        self._behind_ms = 0

    def reach_back(self, by_ms: int, now: int) -> None:
        """From now (µs) on know requests until a clock that is `by_ms` behind no longer takes them.

        That clock takes requests that were forgotten before as new.
        """
        if by_ms > self._behind_ms:
            self._behind_ms = by_ms
            self._oldest = min(self._oldest, self._reach(now // 1_000))
            if self._past is not None:
                self._past.known_from = min(self._past.known_from, self._oldest)

    def seed(
        self,
        requests: Iterable[tuple[bytes, int]],
        now: int,
        *,
        moved: bool = False,
        since: int | None = None,
    ) -> None:
        """Know the ids of the journal's last commands after a restart; their answers are gone.

        Each comes with its command's time (µs). It is known until its own timestamp is past
        acceptance, which may be long if the clock was set back between two runs. `moved`: venue
        time was not always the machine's; otherwise all commands `since` then (µs) are among these.
        """
        self._sweep(now // 1_000)
        first = self._oldest
        if since is not None and not moved:
            first = min(first, (since // 1_000 + WINDOW_MS) // 1_000 + 1)
        if self._past is not None:
            self._past.known_from = first
        for request, applied in requests:
            if request == ACTED:
                continue
            timestamp = int.from_bytes(request[DIGEST_BYTES:])
            second = timestamp // 1_000
            if second >= first:
                self._seeded.setdefault(second, set()).add(request)
                if self._past is not None and moved and signed_by_venue(timestamp, applied):
                    self._past.by_venue.add(request)

    def go_back(self, wall: int, now: int) -> None:
        """Forget requests that were signed by venue time after the state to which the venue
        reverts; call `restore` first. `wall` is server time, `now` the earlier of it and the venue
        time there (µs).

        A client may send those requests again, byte for byte, when that time comes again. Requests
        signed by the machine's time stay known, and so do those in flight.
        """
        past = self._past
        if past is None:
            return
        kept, past.kept = past.kept, {}
        for second, requests in self._seconds.items():
            if near(second * 1_000, wall):
                continue
            there = kept.get(second, ())
            for name in past.by_venue & requests.keys():
                if requests[name] != _IN_FLIGHT and name not in there:
                    del requests[name]
                    past.by_venue.remove(name)
                    self._count -= 1
        for second, names in self._seeded.items():
            if near(second * 1_000, wall):
                kept.setdefault(second, set()).update(names)
            else:
                past.forget(second, names - kept.get(second, set()))
        self._seeded = kept
        self._oldest = max(past.known_from, self._reach(now // 1_000))
        self._swept = 0

    def dump(self) -> bytes:
        """Return the ids of the known requests that were signed by venue time: they belong to a
        saved state."""
        past = self._past
        known = {second: set(names) for second, names in self._seeded.items()}
        if past is not None and past.by_venue:
            for second, requests in self._seconds.items():
                if by_venue := past.by_venue & requests.keys():
                    known.setdefault(second, set()).update(by_venue)
        return _encode([(one, sorted(known[one])) for one in sorted(known)]) if known else b""

    def restore(self, data: bytes) -> None:
        """Set the requests that the next `go_back` must not forget."""
        if self._past is not None:
            self._past.kept = dict(_decode(data)) if data else {}

    def remember(self, timestamp: int, request: bytes) -> None:
        """Know an id signed by the machine's time (ms) that no clock accepts now, but may again."""
        if self._past is not None:
            self._past.forget(timestamp // 1_000, (request,))

    def refuses_time(self, timestamp: int) -> bool:
        """Return whether requests of this time (ms) may have had an effect that is not known, so
        that none is accepted."""
        return self._past is not None and self._past.refuses(timestamp, KEPT_MS)

    def refuse(self, first: int, last: int) -> None:
        """Accept no request of these times (µs): such requests may have had an effect."""
        if self._past is not None:
            self._past.refuse(first // 1_000_000, last // 1_000_000)

    def is_answer_gone(self, timestamp: int, request: bytes) -> bool:
        """Return whether a request is known whose answer is gone, from before the start for
        instance."""
        second, past = timestamp // 1_000, self._past
        return request in self._seeded.get(second, ()) or (
            past is not None and past.used and past.has(second, request)
        )

    def enter(
        self, timestamp: int, request: bytes, now: int
    ) -> Answer | asyncio.Future[Answer | None] | None:
        """None for a new request; otherwise its answer, or a future of it while it is in flight.

        `timestamp` in ms, already checked against the window; `now` in µs. A caller that gets None
        must call `record`, `lose` or `forget`; the future gives None when the request was
        forgotten. ApiError -1048: known, but the answer is gone (the future raises it too);
        -1046: too late by now; 503: full.
        """
        now_ms = now // 1_000
        if now_ms // 1_000 != self._swept:
            self._sweep(now_ms)
        second = timestamp // 1_000
        requests, past = self._seconds.get(second), self._past
        if requests is None and past is not None and not past.times.real:
            # Venue time may stand: only a request's new second tells that the machine's passes.
            self._sweep(now_ms)
        if second < self._oldest or (requests is None and self.refuses_time(timestamp)):
            raise errors.error(
                -1046,
                detail="ACCESS-TIMESTAMP became too old while the request waited; sign it again.",
            )
        if requests is None:
            requests = self._seconds[second] = {}
        elif request in requests:
            return self._find_answer(request, requests[request])
        if self.is_answer_gone(timestamp, request):
            raise _answer_gone()
        if self._count >= REQUESTS_MAX and self._behind_ms:
            self._behind_ms = 0  # a fault must not keep others out
            self._sweep(now_ms)
            return self.enter(timestamp, request, now)
        if self._count >= REQUESTS_MAX:
            raise errors.busy("Too many orders at once; nothing was done, send again.")
        requests[request] = _IN_FLIGHT
        self._count += 1
        if past is not None and not past.times.real:
            past.note(timestamp, request)
        return None

    def record(self, timestamp: int, request: bytes, answer: Answer) -> None:
        """Keep the answer; callers that wait for it get it."""
        second = timestamp // 1_000
        requests = self._seconds.get(second)
        if requests is not None:  # otherwise it left the window meanwhile
            requests[request] = self._first + len(self._answers)
            self._answers.append((second, answer))
            self._bytes += len(answer[1]) + ENTRY_BYTES
            while self._bytes > ANSWER_BYTES_MAX:
                self._drop_oldest()
        if waiting := self._waiting.pop(request, None):
            waiting.set_result(answer)

    def lose(self, timestamp: int, request: bytes) -> None:
        """Note that the outcome is unknown: repetitions get -1048."""
        requests = self._seconds.get(timestamp // 1_000)
        if requests is not None:
            requests[request] = _LOST
        if waiting := self._waiting.pop(request, None):
            waiting.set_exception(_answer_gone())
            waiting.exception()  # the waiting caller may have gone

    def forget(self, timestamp: int, request: bytes) -> None:
        """Forget a request that was refused before any effect: it may be sent again."""
        requests = self._seconds.get(timestamp // 1_000)
        if requests is not None and requests.pop(request, None) is not None:
            self._count -= 1
            if self._past is not None:
                self._past.by_venue.discard(request)
        if waiting := self._waiting.pop(request, None):
            waiting.set_result(None)

    def _find_answer(self, request: bytes, number: int) -> Answer | asyncio.Future[Answer | None]:
        if number >= self._first:
            return self._answers[number - self._first][1]
        if number != _IN_FLIGHT:
            raise _answer_gone()
        waiting = self._waiting.get(request)
        if waiting is None:
            waiting = self._waiting[request] = asyncio.get_running_loop().create_future()
        return asyncio.shield(waiting)  # one caller's disconnect must not end the others' wait

    def _drop_oldest(self) -> None:
        _, answer = self._answers.popleft()
        self._first += 1
        self._bytes -= len(answer[1]) + ENTRY_BYTES

    def _reach(self, now_ms: int) -> int:
        """Return the first second whose requests may still come."""
        return (now_ms - KEPT_MS - self._behind_ms) // 1_000

    def _unsigned_span(self) -> tuple[int, int]:
        """Return the seconds, and the first after them, between venue time and the machine's that
        neither accepts; of real time, between what the machine's clock says since it was set and
        server time."""
        if self._past is None:
            return 0, 0
        times = self._past.times
        last = times.signed_until() if not times.real else times.oldest()
        first = (last // 1_000 + KEPT_MS) // 1_000 + 1
        later = max(times.wall(), times.machine()) if times.real else times.wall()
        return first, self._reach(later // 1_000)

    def _sweep(self, now_ms: int) -> None:
        self._swept = now_ms // 1_000
        reach = self._reach(now_ms)
        # It goes back with the machine's clock, as far as all requests are known.
        least = self._oldest if self._past is None else self._past.known_from
        oldest = self._oldest = max(least, reach)
        first, last = self._unsigned_span()
        for second in [one for one in self._seconds if one < oldest or first <= one < last]:
            requests = self._seconds.pop(second)
            self._count -= len(requests)
            if self._past is not None:
                self._past.forget(second, requests)
        while self._answers and self._answers[0][0] < oldest:
            self._drop_oldest()
        for second in [second for second in self._seeded if second < oldest]:
            seeded = self._seeded.pop(second)
            if self._past is not None:
                self._past.forget(second, seeded)


def request_id(digest: bytes, timestamp: int) -> bytes:
    """Return the identity of a signed request: a part of its digest, and its timestamp (ms)."""
    return digest[:DIGEST_BYTES] + timestamp.to_bytes(TIME_BYTES)


def _answer_gone() -> ApiError:
    return errors.error(
        errors.REQUEST_REPEATED,
        detail="This request was received before and its answer is gone; query the order.",
    )
