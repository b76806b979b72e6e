"""Caches encoded public answers until the data in them changes.

Two bounds limit the cache: the number of symbols that the operator has listed, and a constant. No
questions of a caller can exceed them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

import msgspec
from msgspec import Struct

from venue.gateway.answers.encoded import EncodedBody

ANSWERS_MAX: Final = 4_096  # answers, the longest (200 levels of a book) some 12 KB
# Series, each with at most `ITEMS_MAX` items: more than the demo markets have. With fewer, a client
# that asks for all in turn would have the venue encode each one of everybody's again.
SERIES_MAX: Final = 400
WORLD_SERIES_MAX: Final = 8  # of each of many worlds
SPANS_MAX: Final = 32  # charts of which candles of the past are kept encoded
FOREVER: Final = 2**63
ITEMS_MAX: Final = 1_000  # items of some 200 bytes: the most that one question may ask for

Question = tuple[str, ...]
# A decimal is a JSON number with its own digits; no float comes between.
encode: Final = msgspec.json.Encoder(decimal_format="number").encode


class KnownAnswer:
    """An answer, and the stamp of its data: the two change together.

    An answer that changes with time too is valid before the time `until` (µs).
    """

    __slots__ = ("answer", "stamp", "until")

    def __init__(self, stamp: Any, until: int, answer: EncodedBody) -> None:
        self.stamp = stamp
        self.until = until
        self.answer = answer


class Series:
    """The encoded items of a question that may be asked with any limit, oldest first.

    `keys` ascend: a trade's id, a candle's open time. `stamp`, `asked` and `until` (µs) say of
    which data the items are and how long they are valid; `begin` is the first key whose item may
    still change. `complete`: no item comes before the first one.
    """

    __slots__ = (
        "_items", "_limit", "_made", "asked", "begin", "complete", "keys", "stamp", "until",
    )  # fmt: skip

    def __init__(self) -> None:
        self.stamp: object = None
        self.asked = 0
        self.until = 0
        self.begin = 0
        self.complete = False
        self.keys: deque[int] = deque(maxlen=ITEMS_MAX)
        self._items: deque[bytes] = deque(maxlen=ITEMS_MAX)
        self._made: EncodedBody | None = None
        self._limit = 0  # of the last answer made

    def add(self, key: int, item: bytes) -> None:
        """Append the newest item."""
        self.keys.append(key)
        self._items.append(item)
        self._made = None

    def drop(self, begin: int) -> None:
        """Drop the items with the key `begin` or a later one."""
        keys = self.keys
        while keys and keys[-1] >= begin:
            keys.pop()
            self._items.pop()
        self._made = None

    def answer(self, limit: int, *, newest_first: bool = False) -> EncodedBody:
        """Return the newest `limit` items as a JSON array; a series is always asked the same way
        round."""
        made = self._made
        if made is None or self._limit != limit:
            newest = list(islice(reversed(self._items), limit))
            if not newest_first:
                newest.reverse()
            made = self._made = EncodedBody(b"[" + b",".join(newest) + b"]")
            self._limit = limit
        return made


class Answers:
    """The cached answers and series, by question; the oldest are dropped first."""

    __slots__ = ("_series_max", "_spans", "known", "series_by_question")

    def __init__(self, series_max: int = SERIES_MAX) -> None:
        self._series_max = series_max
        self.known: dict[Question, KnownAnswer] = {}
        self.series_by_question: dict[Question, Series] = {}
        self._spans: dict[Question, dict[int, tuple[Any, bytes]]] = {}

    def clear(self) -> None:
        """Forget all of them."""
        self.known.clear()
        self.series_by_question.clear()
        self._spans.clear()

    def keep(
        self, question: Question, stamp: Any, data: bytes, until: int = FOREVER
    ) -> EncodedBody:
        """Store an answer that is valid while its stamp stays the same and before `until`; return
        it."""
        answer = EncodedBody(data)
        known = self.known
        if question not in known and len(known) >= ANSWERS_MAX:
            del known[next(iter(known))]
        known[question] = KnownAnswer(stamp, until, answer)
        return answer

    def find_or_make(
        self, question: Question, stamp: Any, make: Callable[[], bytes]
    ) -> EncodedBody:
        """Return the answer of a question under a stamp; `make` is called when it is not known."""
        known = self.known.get(question)
        if known is not None and known.stamp == stamp:
            return known.answer
        return self.keep(question, stamp, make())

    def array(
        self, question: Question, items: list[tuple[int, Any]], make: Callable[[Any], Any]
    ) -> EncodedBody:
        """Return a JSON array of `make` for each of the facts, which have a key each. A fact that
        has not changed since the last question is not encoded again."""
        spans = self._spans
        known = spans.pop(question, {})
        if len(spans) >= min(SPANS_MAX, self._series_max):
            del spans[next(iter(spans))]
        told: dict[int, tuple[Any, bytes]] = {}
        for key, fact in items:
            one = known.get(key)
            told[key] = (fact, encode(make(fact))) if one is None or one[0] != fact else one
        known.update(told)
        spans[question] = known if len(known) <= 2 * ITEMS_MAX else told
        return EncodedBody(b"[" + b",".join([data for _, data in told.values()]) + b"]")

    def series(self, question: Question) -> Series:
        """Return the series of a question, empty when it is new; the one used longest ago goes
        first."""
        kept = self.series_by_question
        found = kept.pop(question, None)
        if found is None:
            found = Series()
            if len(kept) >= self._series_max:
                del kept[next(iter(kept))]
        kept[question] = found
        return found


def array(parts: list[bytes]) -> EncodedBody:
    """Encoded parts as one JSON array."""
    return EncodedBody(b"[" + b",".join(parts) + b"]")


def with_last(reply: Struct, parts: list[bytes]) -> EncodedBody:
    """Return a reply that ends with an empty array, with these encoded parts in that array."""
    empty = encode(reply)
    assert empty.endswith(b"[]}"), type(reply)
    return EncodedBody(empty[:-2] + b",".join(parts) + b"]}")
