"""History's own process: projects what it is sent and answers questions, in the order of frames.

It answers as `helpers.serving` says.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator
from functools import partial
from itertools import chain
from typing import Any, Final

import apsw
import msgspec

from venue.api.streams.channels import KeptFrame
from venue.core import wide
from venue.helpers.frames import FAILED
from venue.helpers.serving import SOON, Damaged, begin_helper, hear, say, serve
from venue.history.archive import Cut, move
from venue.history.files import HistoryDamaged, remove
from venue.history.frames_kept import FRAMES_KEPT
from venue.history.process.pipe import (
    ARCHIVE,
    ASK,
    CATALOG,
    CHECKPOINT,
    COPY,
    FORGET,
    OPEN,
    PART,
    PROJECT,
    Batch,
    Entry,
    ForgetRequest,
    Listed,
    OpenRequest,
)
from venue.history.projection.projector import Projector
from venue.history.projection.spot_rows import Catalog
from venue.history.settled import forget
from venue.history.sql import transaction
from venue.history.store import HistoryCopy, Store, open_history, open_passing, size, used_bytes

_batch: wide.Decoder[Batch] = wide.Decoder(Batch)
_listed = msgspec.msgpack.Decoder(Listed)
_cut = msgspec.msgpack.Decoder(Cut)
_forgotten = msgspec.msgpack.Decoder(ForgetRequest)
_copied = msgspec.msgpack.Decoder(tuple[str, bool])
COPIED_MAX: Final = 4 << 30  # bytes of a history that is copied: each world takes as much disk
COPIED_PAGES: Final = 4_096  # at a time, 16 MiB: other requests go between
_opened = msgspec.msgpack.Decoder(OpenRequest)


class Worker:
    """The store, as frames ask it."""

    def __init__(self, store: Store, frames_kept: int = FRAMES_KEPT, path: str = "") -> None:
        self._store = store
        self._frames_kept = frames_kept
        self._path = path
        self._projector: Projector | None = None
        self._commands: list[Entry] = []  # of the next transaction
        self._frames: list[KeptFrame] = []
        self._settling: Generator[None] | None = None
        self._copy: HistoryCopy | None = None  # under way
        self._copied = ""  # and its file

    def answer(self, kind: bytes, payload: bytes) -> Any:
        """Answer the request in a frame. Damaged, and what the store raises."""
        try:
            return self._answer(kind, payload)
        except (apsw.CorruptError, apsw.NotADBError) as problem:
            told = f"history is damaged ({problem}): the next start builds it again"
            raise Damaged(told) from problem

    def _answer(self, kind: bytes, payload: bytes) -> Any:
        if kind == CATALOG:
            catalog = Catalog.listing(*_listed.decode(payload))
            self._projector = Projector(self._store, catalog, self._frames_kept)
            self._commands, self._frames = [], []
            return None
        if kind == ASK:
            function, arguments = pickle.loads(payload)  # noqa: S301 - the venue's own pipe
            with transaction(self._store.connection):
                return function(self._store.connection, *arguments)
        if kind == ARCHIVE:
            return self._settle(partial(move, self._store, self._path, _cut.decode(payload)))
        if kind == FORGET:
            return self._settle(partial(self._forget, _forgotten.decode(payload)))
        if kind == COPY:
            path, whole = _copied.decode(payload)
            return self._go_on(path, whole=whole)
        assert self._projector is not None, "the catalog comes first"
        if kind in (PART, PROJECT):
            chunks, frames = _batch.decode(payload)
            self._commands += chain.from_iterable(chunks)
            self._frames += chain.from_iterable(frames)
            if kind == PART:
                return None
            commands, self._commands = self._commands, []
            caused, self._frames = self._frames, []
            self._projector.project(commands, caused)
            return self._projector.last_sequence()
        assert kind == CHECKPOINT, kind
        return self._projector.checkpoint()

    def _settle(self, begin: Callable[[], Generator[None]]) -> bool:
        """Archive or forget the next piece; whether pieces are left, with which the next call goes
        on."""
        if self._settling is None:
            self._settling = begin()
        left = False
        try:
            for _ in self._settling:
                left = True
                break
        finally:
            if not left:
                self._settling = None
        return left

    def _forget(self, what: ForgetRequest) -> Generator[None]:
        """Take old rows out, where there is too much."""
        if used_bytes(self._store) > what.most:
            yield from forget(self._store.connection, what.spans)

    def _go_on(self, path: str, *, whole: bool) -> bool | None:
        """Copy a piece, or all that is left; whether pieces are left, None: it is too much."""
        if self._copy is None or self._copied != path:
            if self._copy is not None:
                self._copy.close()  # nobody waits for that one any more
            if size(self._store) > COPIED_MAX:
                return None
            self._copy, self._copied = HistoryCopy(self._store, path), path
        if not whole:
            return self._copy.go_on(COPIED_PAGES)
        self._copy.finish()
        self._copy = None
        return False

    def close(self) -> None:
        """Leave the unarchived rows whole; before the store is closed."""
        if self._copy is not None:
            self._copy.close()
        if self._settling is not None:
            self._settling.close()


def main() -> None:
    """Serve the history file that the first frame names: it comes when the venue knows it, which
    may be long after this process was begun."""
    begin_helper(SOON)
    frame = hear()
    if frame is None:
        return
    assert frame[0] == OPEN, frame[0]
    opened = _opened.decode(frame[1])
    try:
        store = open_passing(opened.path) if opened.temporary else open_history(opened.path)
    except (HistoryDamaged, OSError) as problem:
        say(FAILED, str(problem))
        return
    worker = Worker(store, opened.frames_kept, opened.path)
    try:
        serve(store.last_sequence(), worker.answer)
    finally:
        worker.close()
        store.close()
        if opened.temporary:
            remove(opened.path)
