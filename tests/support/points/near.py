"""A venue whose helpers work in its own process: each of their writes is one of its points."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from venue.helpers.frames import DAMAGED, DONE, HEAD
from venue.helpers.link import HelperFailed
from venue.helpers.serving import serve
from venue.history.files import HistoryDamaged, remove
from venue.history.process import client
from venue.history.process.pipe import OpenRequest
from venue.history.process.worker import Worker
from venue.history.store import open_history, open_passing
from venue.journal.recovery import recover
from venue.journal.snapshot_files import SnapshotFiles
from venue.node.keeper import Keeper
from venue.node.market_data.views import MarketData
from venue.node.snapshots import RecoveryFollowers, take
from venue.pruning import beside, prune
from venue.pruning.helper import Archiving
from venue.recording.recorder import Recorder

Answer = Callable[[bytes, bytes], Any]


class Near:
    """A pipe that is answered at once, as the helper behind it answers; see `client.Pipe`."""

    def __init__(self, answer: Answer, end: Callable[[], None]) -> None:
        self._answer, self._end = answer, end
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def send(self, kind: bytes, payload: bytes) -> asyncio.Future[Any]:
        if self.ended.done():
            raise HelperFailed(self.ended.result())
        said: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        told = io.BytesIO()
        serve(None, self._answer, io.BytesIO(HEAD.pack(kind, len(payload)) + payload), told)
        told.seek(0)
        for _ in range(2):  # a helper says that it is there, then answers
            how, length = HEAD.unpack(told.read(HEAD.size))
            value = pickle.loads(told.read(length))
        if how == DONE:
            said.set_result(value)
        else:
            said.set_exception(HelperFailed(value, damaged=how == DAMAGED))
            said.exception()
        return said

    def kill(self, why: str) -> None:
        if not self.ended.done():
            self.ended.set_result(why)
            self._end()

    async def close(self) -> None:
        self.kill("it was ended")


async def _open(opened: OpenRequest, _: object, patience_s: float) -> tuple[Near, int]:
    try:
        store = open_passing(opened.path) if opened.temporary else open_history(opened.path)
    except (HistoryDamaged, OSError) as problem:
        raise HelperFailed(str(problem)) from None
    worker = Worker(store, opened.frames_kept, opened.path)

    def end() -> None:
        try:
            worker.close()
        finally:
            store.close()
            if opened.temporary:
                remove(opened.path)

    return Near(worker.answer, end), store.last_sequence()


async def _no_process() -> None:
    return None


class _Archivist:
    """In place of `Link`, for the helper that writes archives."""

    @staticmethod
    async def start(*_: object, **__: object) -> tuple[Near, None]:
        archiving = Archiving()
        return Near(archiving.answer, archiving.leave), None


async def _take(keeper: Keeper, last: int, put: Callable[[int], None], _: float) -> None:
    """A snapshot as the process beside the venue makes it."""
    files, journal = keeper._files, keeper._journal
    market_data, recorder = MarketData(), Recorder(keeper._frames_kept)
    try:
        until = prune._Until(journal, last)
        restored = RecoveryFollowers(market_data, recorder, projected=last)
        taken = take(recover(until, last, restored), market_data, recorder)
        try:
            SnapshotFiles(keeper._path).write(taken)
        except OSError as problem:
            raise HelperFailed(str(problem)) from None
        await keeper._durable()
        put(os.getpid())
    finally:
        files.discard(os.getpid())


@contextmanager
def helpers_near() -> Iterator[None]:
    """Venues that are opened meanwhile have their helpers in this process."""
    with (
        patch.object(client, "_open", _open),
        patch.object(client, "start_worker", _no_process),
        patch.object(client, "AGAIN_S", 0.001),
        patch.object(beside, "Link", _Archivist),
        patch.object(Keeper, "_take", _take),
    ):
        yield
