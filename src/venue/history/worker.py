"""History's own process: projects what it is sent and answers questions, in the order of frames.

Frames go both ways over its standard input and output: one byte of kind, four of length, payload.
It ends when its input ends. Signals are for the venue, which closes the input in good order.
"""

from __future__ import annotations

import pickle
import signal
import struct
import sys
from typing import Any, BinaryIO, Final

import msgspec
from sqlalchemy.exc import DatabaseError

from venue.api.streams import KeptFrame
from venue.core.events import Event
from venue.core.instruments import Asset, Contract, Instrument
from venue.history import driver
from venue.history.projector import Catalog, Projector
from venue.history.store import HistoryDamaged, Store, open_history
from venue.history.tables import FRAMES_KEPT

HEAD: Final = struct.Struct(">cI")
CATALOG: Final = b"c"
PROJECT: Final = b"p"
CHECKPOINT: Final = b"k"
ASK: Final = b"q"
DONE: Final = b"d"
FAILED: Final = b"f"
DAMAGED: Final = b"x"  # failed, because the file is not as it was written


class Entry(msgspec.Struct, array_like=True, gc=False):
    """One applied command, as it travels."""

    sequence: int
    time: int
    events: list[Event]


Listed = tuple[list[Asset], list[Instrument], list[Contract]]
Batch = tuple[list[Entry], list[KeptFrame]]  # commands, and the frames that came of them
_batch = msgspec.msgpack.Decoder(Batch)
_listed = msgspec.msgpack.Decoder(Listed)


class Worker:
    """The store behind the frames."""

    def __init__(self, store: Store, frames_kept: int = FRAMES_KEPT) -> None:
        self._store = store
        self._frames_kept = frames_kept
        self._projector: Projector | None = None

    def answer(self, kind: bytes, payload: bytes) -> Any:
        """What a frame asks for; whatever it raises goes back as text."""
        if kind == CATALOG:
            catalog = Catalog.listing(*_listed.decode(payload))
            self._projector = Projector(self._store, catalog, self._frames_kept)
            return None
        if kind == ASK:
            function, arguments = pickle.loads(payload)  # noqa: S301 - the venue's own pipe
            with self._store.connection.begin():
                return function(self._store.connection, *arguments)
        assert self._projector is not None, "the catalog comes first"
        if kind == PROJECT:
            self._projector.project(*_batch.decode(payload))
            return self._projector.reached()
        assert kind == CHECKPOINT, kind
        return self._projector.checkpoint()


def serve(store: Store, frames_kept: int, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer frames until there are no more."""
    worker = Worker(store, frames_kept)
    _send(outgoing, DONE, store.reached())
    while head := incoming.read(HEAD.size):
        kind, length = HEAD.unpack(head)
        payload = incoming.read(length)
        if len(payload) < length:
            return
        try:
            answer = worker.answer(kind, payload)
        except DatabaseError as problem:
            if type(problem.orig) is driver.DatabaseError:
                told = f"history is damaged ({problem.orig}): the next start builds it again"
                _send(outgoing, DAMAGED, told)
            else:
                _send(outgoing, FAILED, f"{type(problem).__name__}: {problem}")
        except Exception as problem:  # noqa: BLE001 - the venue decides what it means
            _send(outgoing, FAILED, f"{type(problem).__name__}: {problem}")
        else:
            _send(outgoing, DONE, answer)


def _send(outgoing: BinaryIO, kind: bytes, value: Any) -> None:
    payload = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    outgoing.write(HEAD.pack(kind, len(payload)) + payload)
    outgoing.flush()


def main() -> None:
    """Serve the history file named on the command line (none: in memory).

    Before it stands how many frames of a private channel to keep.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    kept, path = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    try:
        store = open_history(path)
    except (HistoryDamaged, OSError) as problem:
        _send(sys.stdout.buffer, FAILED, str(problem))
        return
    try:
        serve(store, kept, sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        pass  # the venue is gone: what was projected is kept
    finally:
        store.close()


if __name__ == "__main__":
    main()
