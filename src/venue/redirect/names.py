"""Answers an isolated command's questions for names (DNS): the exchange's lead here, others do not
exist and are counted."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Final

from venue.redirect.hosts import STANDS_FOR_IT, is_exchange
from venue.redirect.traffic import Traffic, count

# The domain that names are looked for in when they are found nowhere: they are asked for again.
SEARCHED: Final = "searched.invalid"
QUESTION_MAX: Final = 512
HEADER: Final = 12  # bytes
ADDRESS: Final = 1  # the type of a question for an address of IPv4
NO_SUCH_NAME: Final = 3
ANSWERED: Final = 0x8580  # an answer of the server that knows, which asks others too
# The name in the question, type A, class IN, a minute, four bytes.
RECORD: Final = bytes.fromhex("c00c 0001 0001 0000003c 0004") + socket.inet_aton(STANDS_FOR_IT)


class NameServer:
    """Answers at a socket; its `answer` is called when there is a question."""

    def __init__(self, at: socket.socket, traffic: Traffic) -> None:
        self._at = at
        self._traffic = traffic
        at.setblocking(False)

    def answer(self) -> None:
        """Answer a question; one that is none gets no answer."""
        with suppress(OSError, ValueError, IndexError):
            question, asker = self._at.recvfrom(QUESTION_MAX)
            self._at.sendto(self._reply(question), asker)

    def _reply(self, question: bytes) -> bytes:
        """ValueError, IndexError: it is no question."""
        name, end = _name(question)
        kind = int.from_bytes(question[end : end + 2], "big")
        found = is_exchange(name)
        if not found and kind == ADDRESS and not name.endswith(SEARCHED):
            count(self._traffic.cut, name)
        records = RECORD if found and kind == ADDRESS else b""
        flags = ANSWERED if found else ANSWERED | NO_SUCH_NAME
        counts = (1, 1 if records else 0, 0, 0)
        header = b"".join(one.to_bytes(2, "big") for one in (flags, *counts))
        return question[:2] + header + question[HEADER : end + 4] + records


def _name(question: bytes) -> tuple[str, int]:
    """Return the name that is asked for, and where it ends. ValueError, IndexError."""
    labels = []
    place = HEADER
    while length := question[place]:
        labels.append(question[place + 1 : place + 1 + length].decode("ascii"))
        place += 1 + length
    if not labels or not all(one.isprintable() for one in labels):
        raise ValueError("no name")
    return ".".join(labels).lower(), place + 1
