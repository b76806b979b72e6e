"""History beside a running node: a process of its own, fed and asked over a pipe.

A process, because projecting costs interpreter time: on a thread it would halve the venue's speed.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import msgspec
from sqlalchemy import Connection

from venue.api.streams import KeptFrame
from venue.core.applied import Applied
from venue.core.engine import Engine
from venue.history.tables import FRAMES_KEPT
from venue.history.worker import (
    ASK,
    CATALOG,
    CHECKPOINT,
    DAMAGED,
    DONE,
    HEAD,
    PROJECT,
    Entry,
    Listed,
)

BATCH_MAX: Final = 1_000  # commands per transaction: questions are answered in between
GATHER_S: Final = 0.1  # how long commands wait for company when nobody asks for them
LAG_MAX: Final = 50_000  # commands behind the engine at which no new ones should be accepted

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger("venue.history")


class HistoryFailed(Exception):
    """History stands still until the venue is started again; the text says why."""


class History:
    """Events go to the worker and rows come back. Belongs to one event loop.

    After a failure `reach`, `ask`, `drain`, `checkpoint` and `health` raise HistoryFailed. A
    question that meets a damaged page raises it alone, and `health` from then on.
    """

    def __init__(self, process: asyncio.subprocess.Process, reached: int) -> None:
        self._process = process
        self._encode = msgspec.msgpack.Encoder().encode
        self._pending: deque[Applied] = deque()
        self._frames: deque[KeptFrame] = deque()  # of those pending, in their order
        self._newest = self._reached = reached
        self._projecting = False
        self._gathering: asyncio.TimerHandle | None = None
        self._failure = ""
        self._damage = ""  # what a question met; those that do not meet it are answered
        self._closing = False
        self._asked: deque[asyncio.Future[Any]] = deque()
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, path: str | None, frames_kept: int = FRAMES_KEPT) -> History:
        """Start the worker on the file at `path`, or in memory. HistoryFailed when it cannot."""
        arguments = [str(frames_kept), *([path] if path else [])]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "venue.history.worker",
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # ^C is for the venue, which ends the worker in good order
        )
        assert process.stdout is not None
        try:
            kind, reached = await _receive(process.stdout)
        except asyncio.IncompleteReadError:
            await process.wait()
            raise HistoryFailed(f"{path or 'history'}: the history process ended") from None
        if kind != DONE:
            await process.wait()
            raise HistoryFailed(reached)
        return cls(process, reached)

    def begin(self, engine: Engine) -> None:
        """Tell the worker what is listed; before anything is followed."""
        self._send(CATALOG, self._encode(listed(engine)))

    def reached(self) -> int:
        """The sequence of the last projected command."""
        return self._reached

    def lag(self) -> int:
        """Commands handed over and not yet projected; from `LAG_MAX` on, accept no new ones."""
        return self._newest - self._reached

    def health(self) -> None:
        """Raise HistoryFailed when projecting has failed or a question met damage."""
        if self._failure or self._damage:
            raise HistoryFailed(self._failure or self._damage)

    def follow(self, batch: Sequence[Applied], frames: Sequence[KeptFrame] = ()) -> None:
        """Have a durable batch and the frames that came of it kept soon; in order of sequence.

        Never blocks, drops or raises.
        """
        if not batch:
            return
        self._newest = max(self._newest, batch[-1].sequence)
        if self._failure:
            return  # the journal has it; `lag` keeps growing and `health` says why
        self._pending.extend(batch)
        self._frames.extend(frames)
        if not self._projecting and self._gathering is None:
            self._gather()

    async def reach(self, sequence: int, timeout_s: float) -> None:
        """Wait until `sequence` is projected. Raises TimeoutError, HistoryFailed."""
        self._goes_on()
        if sequence > self._reached:
            async with asyncio.timeout(timeout_s):
                await self._wait(sequence)

    async def ask(
        self, question: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Have the worker answer one of the questions of `queries`. Raises HistoryFailed."""
        self._goes_on()
        assert not kwargs, "questions are asked by position"
        answer: R = await self._send(ASK, pickle.dumps((question, args)))
        return answer

    async def checkpoint(self) -> int:
        """Make everything projected so far durable; returns the sequence that it reaches."""
        self._goes_on()
        reached: int = await self._send(CHECKPOINT, b"")
        return reached

    async def drain(self) -> None:
        """Wait until everything handed over so far is projected. Raises HistoryFailed."""
        self._goes_on()
        if self._newest > self._reached:
            await self._wait(self._newest)

    async def close(self) -> None:
        """Stop after the transaction under way; `drain` first to keep all."""
        self._closing = True
        self._pending.clear()
        self._frames.clear()
        if self._gathering is not None:
            self._gathering.cancel()
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        await self._listening

    def _goes_on(self) -> None:
        if self._failure:
            raise HistoryFailed(self._failure)

    def _gather(self) -> None:
        """Project at once when somebody waits or a transaction is full; else in a moment."""
        if self._waiting or len(self._pending) >= BATCH_MAX:
            self._project()
        else:
            loop = asyncio.get_running_loop()
            self._gathering = loop.call_later(GATHER_S, self._project)

    def _project(self) -> None:
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        self._projecting = True
        part = [self._pending.popleft() for _ in range(min(len(self._pending), BATCH_MAX))]
        entries = [Entry(done.sequence, done.time, done.events) for done in part]
        frames = []
        while self._frames and self._frames[0].sequence <= part[-1].sequence:
            frames.append(self._frames.popleft())
        self._send(PROJECT, self._encode((entries, frames))).add_done_callback(self._projected)

    def _projected(self, answer: asyncio.Future[int]) -> None:
        self._projecting = False
        problem = answer.exception()
        if problem is not None:
            self._fail(str(problem))
            return
        self._reached = answer.result()
        waiting, self._waiting = self._waiting, []
        for sequence, future in waiting:
            if sequence > self._reached:
                self._waiting.append((sequence, future))
            elif not future.done():
                future.set_result(None)
        if self._pending:
            self._gather()

    async def _wait(self, sequence: int) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((sequence, future))
        if self._gathering is not None:
            self._project()
        await future

    def _send(self, kind: bytes, payload: bytes) -> asyncio.Future[Any]:
        assert self._process.stdin is not None
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked.append(answer)
        try:
            self._process.stdin.write(HEAD.pack(kind, len(payload)) + payload)
        except (OSError, RuntimeError):  # the pipe broke before its end was seen
            self._fail("the history process ended")
        return answer

    async def _listen(self) -> None:
        """Hand each answer to whoever asked, in order."""
        assert self._process.stdout is not None
        try:
            while True:
                kind, value = await _receive(self._process.stdout)
                answer = self._asked.popleft()
                if answer.done():
                    continue  # its caller has given up
                if kind == DONE:
                    answer.set_result(value)
                else:
                    if kind == DAMAGED and not self._damage:
                        log.error("%s", value)
                        self._damage = value
                    answer.set_exception(HistoryFailed(value))
                    answer.exception()  # nobody may be waiting
        except asyncio.IncompleteReadError:
            self._fail("the history process ended")

    def _fail(self, reason: str) -> None:
        if not self._failure and not self._closing:
            log.error("history failed: %s", reason)
        self._failure = self._failure or reason
        self._pending.clear()
        self._frames.clear()
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        waiting = [future for _, future in self._waiting] + list(self._asked)
        self._waiting.clear()
        for future in waiting:
            if not future.done():
                future.set_exception(HistoryFailed(self._failure))
                future.exception()


def listed(engine: Engine) -> Listed:
    """What a catalog is made of."""
    instruments = [market.instrument for market in engine.spot.markets.values()]
    contracts = [perp.contract for perp in engine.contracts.markets.values()]
    return engine.ledger.assets, instruments, contracts


async def _receive(stream: asyncio.StreamReader) -> tuple[bytes, Any]:
    kind, length = HEAD.unpack(await stream.readexactly(HEAD.size))
    return kind, pickle.loads(await stream.readexactly(length))  # noqa: S301 - our own process
