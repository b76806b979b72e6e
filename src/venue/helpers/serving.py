"""A helper's end of the pipe: it answers the venue's frames, in their order.

It ends when its input ends. It ignores signals, because the venue handles them and then closes the
input.
"""

from __future__ import annotations

import logging
import pickle
import signal
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, Final

from venue.helpers.frames import DAMAGED, DONE, FAILED, HEAD
from venue.helpers.program import give_way

LAST: Final = 19  # the niceness of work that nobody waits for: orders go first, history too
SOON: Final = 5  # of work that somebody waits for; beside other busy programs it must still go on

log = logging.getLogger("venue.helpers")


class Damaged(Exception):
    """A file is not as it was written; the text says which, and what to do."""


def begin_helper(niceness: int = 0) -> None:
    """Ignore signals, lower this process's priority, and report failures that nobody can catch,
    such as SQLite's while it closes, as a sentence instead of a traceback."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.unraisablehook = _report
    if niceness:
        give_way(niceness)


def _report(met: sys.UnraisableHookArgs) -> None:
    log.warning("a helper met: %s", met.exc_value)


def serve(
    first: Any,
    answer: Callable[[bytes, bytes], Any],
    incoming: BinaryIO | None = None,
    outgoing: BinaryIO | None = None,
) -> None:
    """Say something first, then answer frames until there are no more, or the venue is gone.

    An exception of `answer` goes back as text. Without streams these are the process's own.
    """
    try:
        say(DONE, first, outgoing)
        while frame := hear(incoming):
            kind, value = _answered(answer, *frame)
            say(kind, value, outgoing)
    except ConnectionError:
        pass  # the venue is gone: what was done stays


def _answered(
    answer: Callable[[bytes, bytes], Any], kind: bytes, payload: bytes
) -> tuple[bytes, Any]:
    try:
        return DONE, answer(kind, payload)
    except Damaged as problem:
        return DAMAGED, str(problem)
    except Exception as problem:  # noqa: BLE001 - the venue decides what it means
        return FAILED, f"{type(problem).__name__}: {problem}"


def hear(incoming: BinaryIO | None = None) -> tuple[bytes, bytes] | None:
    """Return the venue's next frame, its kind and payload; None when there are no more."""
    stream = incoming or sys.stdin.buffer
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, length = HEAD.unpack(head)
    payload = stream.read(length)
    return (kind, payload) if len(payload) == length else None


def say(kind: bytes, value: Any, outgoing: BinaryIO | None = None) -> None:
    """Send a frame to the venue. ConnectionError when it is gone."""
    stream = outgoing or sys.stdout.buffer
    payload = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(kind, len(payload)) + payload)
    stream.flush()
