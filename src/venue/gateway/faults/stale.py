"""Answers that a `stale` rule gives again: each is the first one to its question."""

from __future__ import annotations

from typing import Final

STALE_MAX: Final = 1_000  # answers that one rule keeps,
STALE_BYTES_MAX: Final = 4 * 1024 * 1024  # and their bytes, with those of their questions

Question = tuple[bytes, ...]  # the caller, then method, path, query and body


class StaleAnswers:
    """The answers' bodies of one rule by question; while there are too many the oldest go."""

    def __init__(self) -> None:
        self._kept: dict[Question, tuple[float, bytes]] = {}  # with the time it was given
        self._bytes = 0

    def first(self, question: Question, body: bytes, now: float, lasts_s: float | None) -> bytes:
        """Return the first answer's body until it is `lasts_s` old, None for always; times in s.

        `body` answers the question now. It becomes the first when there is none, or too old a one.
        """
        found = self._kept.get(question)
        if found is not None:
            since, old = found
            if lasts_s is None or now < since + lasts_s:
                return old
            self._drop(question)
        size = _size(question, body)
        if size > STALE_BYTES_MAX:
            return body
        self._kept[question] = (now, body)
        self._bytes += size
        while len(self._kept) > STALE_MAX or self._bytes > STALE_BYTES_MAX:
            self._drop(next(iter(self._kept)))
        return body

    def _drop(self, question: Question) -> None:
        _, body = self._kept.pop(question)
        self._bytes -= _size(question, body)


def _size(question: Question, body: bytes) -> int:
    return sum(map(len, question)) + len(body)
