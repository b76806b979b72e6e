"""History beside a running venue: a process of its own, fed and asked over a pipe.

A process, because projecting costs interpreter time: on a thread it would halve the venue's speed.
When it ends or hangs another one is started and given the commands that it lacks: from memory, or
from the journal where memory does not hold them any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

import msgspec

from venue.api.streams.channels import KeptFrame
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.helpers.link import HelperFailed, Link
from venue.helpers.process import HelperProcess
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
    ForgetRequest,
    Listed,
    OpenRequest,
)
from venue.history.process.speed import Speed
from venue.history.process.starting import start_worker
from venue.history.process.unprojected import BATCH_MAX, UnprojectedChunks
from venue.history.temporary import Folder

if TYPE_CHECKING:  # a process that only asks needs no database
    from apsw import Connection

GATHER_S: Final = 0.25  # how long commands wait for more when nobody asks for them
AHEAD: Final = 6  # frames of commands without an answer: a transaction and half of the next
LAG_MAX: Final = 50_000  # lag in commands at which no caller should open new work
SLOWED: Final = 10_000  # lag from which on commands come only about as fast as it projects them
CATCHES_UP: Final = 2 * SLOWED  # lag from which on they come at half of its speed
KEPT_MAX: Final = 2 * LAG_MAX  # commands kept in memory for history where there is a journal
ASK_S: Final = 5.0  # how long a question may take
DRAIN_S: Final = 10.0  # how long a snapshot waits for history
AGAIN_S: Final = 0.1  # before the first new start of a process; twice as long before each next one
AGAIN_MAX_S: Final = 30.0
DOUBLINGS_MAX: Final = 10
HUNG_S: Final = 5.0  # without an answer a process hangs
HUNG_MAX_S: Final = 60.0  # that grows with each new start too: the disk may be slow

P = ParamSpec("P")
R = TypeVar("R")
Bring = Callable[[int, int], Awaitable[None]]
"""Have the closed file, at the first sequence, reach the second from the journal. HelperFailed."""


class Pipe(Protocol):
    """The way to the process that projects and answers; `Link` says what its parts do."""

    ended: asyncio.Future[str]

    def send(self, kind: bytes, payload: bytes) -> asyncio.Future[Any]: ...

    def kill(self, why: str) -> None: ...

    async def close(self) -> None: ...


Reopen = Callable[[float], Awaitable[tuple[Pipe, int]]]
"""Another pipe, with patience for an answer (s), and the sequence that it begins at."""

log = logging.getLogger("venue.history")


class History:
    """Events go to the worker and rows come back. Belongs to one event loop.

    While a process is started again `reach`, `ask`, `drain`, `checkpoint` and `health` raise
    HelperFailed. A question that meets a damaged page raises it alone, and `health` from then on.
    When a projection meets one, all of them do until the venue is started again.

    `lazy`: commands are projected when somebody asks, or when they fill a transaction.
    """

    def __init__(self, link: Pipe, reached: int, reopen: Reopen, *, lazy: bool = False) -> None:
        self._link: Pipe = link
        self._reopen = reopen
        self._lazy = lazy
        self.forgotten = 0  # rows that were settled before then (µs) are gone
        self._path = ""  # of a file of its own
        self._folder: Folder | None = None  # of a venue in memory
        self._encode = msgspec.msgpack.Encoder().encode
        self._engine: Engine | None = None
        self._bring: Bring | None = None
        self._unprojected = UnprojectedChunks()  # handed over and not known to be projected
        self._dropped = reached  # all commands after this sequence are kept
        self._newest = self._reached = reached
        self.behind = False  # by more than `LAG_MAX`: open no new work
        self._open = False  # a transaction whose last part is not sent yet
        self._under_way = 0  # frames of commands without an answer
        self._speed = Speed()
        self._gathering: asyncio.TimerHandle | None = None
        self._again = ""  # why another process is being started
        self._starts = 0  # since something was projected
        self._failure = ""
        self._damage = ""  # met by a question; questions that do not meet it are answered
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._supervising = asyncio.create_task(self._supervise())

    @classmethod
    async def start(
        cls, path: str | None, frames_kept: int = FRAMES_KEPT, process: HelperProcess | None = None
    ) -> History:
        """Start the worker on the file at `path`; HelperFailed when it cannot. `process` is one
        that `start_worker` has started.

        Without a path the file is a temporary one: a process that ends must not take all with it.
        """
        folder = Folder("history") if not path else None
        if folder is not None:
            path = f"{folder.path}/history"
        assert path
        opened = OpenRequest(path, frames_kept, folder is not None)
        try:
            link, reached = await _open(opened, process or await start_worker(), HUNG_S)
        except BaseException:
            if folder is not None:
                folder.let_go()
            raise
        made = cls(link, reached, partial(_again, opened))
        made._path, made._folder = path, folder
        return made

    def begin(self, engine: Engine, bring: Bring | None = None) -> None:
        """Tell the worker what is listed; before anything is followed.

        With `bring` no more than `KEPT_MAX` commands are kept in memory.
        """
        self._engine = engine
        self._bring = bring
        with contextlib.suppress(HelperFailed):  # the next process is told too
            self._tell_listed()

    def file(self) -> str:
        """Return the path of a file of its own; empty: it shares a process with others."""
        return self._path

    def last_sequence(self) -> int:
        """Return the sequence of the last projected command."""
        return self._reached

    def newest(self) -> int:
        """Return the sequence of the last command handed over."""
        return self._newest

    def lag(self) -> int:
        """Commands handed over and not yet projected."""
        return self._newest - self._reached

    def limit(self) -> float | None:
        """Return how many commands a second may come, so that it is not left too far behind: None
        for any.

        None while it stands still until another process is there: nobody gains by waiting then.
        """
        lag = self.lag()
        if lag <= SLOWED or self._again or self._failure:
            return None
        left = max(0, CATCHES_UP - lag) / (CATCHES_UP - SLOWED)
        return self._speed.limit(left, monotonic())

    def health(self) -> None:
        """Raise HelperFailed while history does not go on, or when a question met damage."""
        self._goes_on()
        if self._damage:
            raise HelperFailed(self._damage)

    def follow(self, batch: Sequence[Applied], frames: Sequence[KeptFrame] = ()) -> None:
        """Project a durable batch, and keep the frames that it caused, soon; in order of sequence.

        Never blocks or raises. The journal has the commands that are dropped here.
        """
        if not batch:
            return
        self._newest = max(self._newest, batch[-1].sequence)
        self.behind = self._newest - self._reached > LAG_MAX
        if self._failure:
            return  # the journal has it; `lag` keeps growing and `health` says why
        self._unprojected.add(batch, frames)
        if self._bring is not None and self._unprojected.commands > KEPT_MAX:
            self._drop()
        else:
            self._send_on()

    async def reach(self, sequence: int, timeout_s: float) -> None:
        """Wait until `sequence` is projected. Raises TimeoutError, HelperFailed."""
        self._goes_on()
        if sequence > self._reached:
            async with asyncio.timeout(timeout_s):
                await self._wait(sequence)

    async def ask(
        self, question: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Ask the worker one of the questions of `questions`.

        Raises HelperFailed, and TimeoutError after `ASK_S`.
        """
        assert not kwargs, "questions are asked by position"
        self._goes_on()
        async with asyncio.timeout(ASK_S):
            try:
                answer: R = await self._link.send(ASK, pickle.dumps((question, args)))
            except HelperFailed as problem:
                if problem.damaged and not self._damage:
                    log.error("%s", problem)
                    self._damage = str(problem)
                raise
        return answer

    async def checkpoint(self) -> int:
        """Make everything projected so far durable; returns the sequence that it reaches."""
        self._goes_on()
        try:
            async with asyncio.timeout(DRAIN_S):
                reached: int = await self._link.send(CHECKPOINT, b"")
        except TimeoutError:
            raise HelperFailed(f"it was not on the disk within {DRAIN_S:g} s") from None
        return reached

    async def begin_copy(self, path: str) -> bool:
        """Write most of a file that is to hold all rows, in pieces: other requests go between
        them. False: they are too many. HelperFailed."""
        payload, left = self._encode((path, False)), True
        while left:
            self._goes_on()
            told: bool | None = await self._link.send(COPY, payload)
            if told is None:
                return False
            left = told
        return True

    def copy(self, path: str) -> asyncio.Future[bool]:
        """Complete that file with all rows of the commands projected so far. HelperFailed."""
        self._goes_on()
        return self._link.send(COPY, self._encode((path, True)))

    async def drain(self) -> None:
        """Wait until everything handed over so far is projected; HelperFailed after `DRAIN_S`."""
        try:
            await self.reach(self._newest, DRAIN_S)
        except TimeoutError:
            told = f"it was still {self.lag()} commands behind after {DRAIN_S:g} s"
            raise HelperFailed(told) from None

    async def archive(self, cut: tuple[int, int, int]) -> None:
        """Move settled rows to an archive, up to a cut (`archive.Cut`), in pieces: other requests
        go between them. HelperFailed: the rest can be asked for again."""
        await self._settle(ARCHIVE, self._encode(cut))

    async def forget(self, spans: list[tuple[int, int]], most: int) -> bool:
        """Take rows out of a history of more than `most` bytes, as `Forgotten` says; return whether
        it was larger. HelperFailed, as for `archive`."""
        return await self._settle(FORGET, self._encode(ForgetRequest(spans, most)))

    async def _settle(self, kind: bytes, payload: bytes) -> bool:
        """Ask for all pieces, one after another; return whether there were any."""
        loop, pieces, left = asyncio.get_running_loop(), -1, True
        while left:
            self._goes_on()
            begun = loop.time()
            left = await self._link.send(kind, payload)
            pieces += 1
            await asyncio.sleep(loop.time() - begun)  # one processor is not taken for it alone
        return pieces > 0

    async def close(self) -> None:
        """Stop after the transaction under way, in bounded time; `drain` first to keep all."""
        self._supervising.cancel()
        await asyncio.gather(self._supervising, return_exceptions=True)
        self._still()
        await self._link.close()
        self._fail_waiting("history is closed")
        if self._folder is not None:
            self._folder.let_go()

    # -- questions --------------------------------------------------------------------------------

    def _goes_on(self) -> None:
        if self._failure:
            raise HelperFailed(self._failure)
        if self._again:
            raise HelperFailed(f"{self._again}; it is started again")

    async def _wait(self, sequence: int) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((sequence, future))
        self._send_on()
        await future

    def _tell_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for sequence, future in waiting:
            if sequence > self._reached and not future.done():
                self._waiting.append((sequence, future))
            elif not future.done():
                future.set_result(None)

    def _fail_waiting(self, why: str) -> None:
        for _, future in self._waiting:
            if not future.done():
                future.set_exception(HelperFailed(why))
                future.exception()
        self._waiting.clear()

    # -- projecting -------------------------------------------------------------------------------

    def _send_on(self) -> None:
        """Send commands at once while a caller waits or a transaction is full; otherwise soon.

        The process has the next ones before it asks: an answer is heard only when this busy thread
        comes to it.
        """
        if self._again:
            return
        while self._under_way < AHEAD and self._is_due():
            if not self._send_part():
                return
        if self._unprojected.unsent and not self._lazy and self._gathering is None:
            loop = asyncio.get_running_loop()
            self._gathering = loop.call_later(GATHER_S, self._begin)

    def _is_due(self) -> bool:
        """Return whether the next commands should be sent now."""
        if not self._unprojected.unsent:
            return False
        return self._open or bool(self._waiting) or self._unprojected.full()

    def _begin(self) -> None:
        """Begin a transaction though it is not full."""
        self._gathering = None
        self._open = True
        self._send_on()

    def _send_part(self) -> bool:
        """Send the next part of a transaction: the last one when it is full or a caller waits.
        False when it cannot be sent."""
        self._still()
        payload, more = self._unprojected.next_part()
        # Far behind, small transactions would only make its caller wait longer.
        hurried = self._waiting and self.lag() <= BATCH_MAX
        self._open = more and not hurried
        if not self._open:
            self._unprojected.end()
        link = self._link
        try:
            answer = link.send(PART if self._open else PROJECT, payload)
        except HelperFailed as problem:
            link.kill(str(problem))
            return False
        if not self._under_way:
            self._speed.begin(monotonic())
        self._under_way += 1
        answer.add_done_callback(partial(self._take_answer, link))
        return True

    def _take_answer(self, link: Pipe, answer: asyncio.Future[int | None]) -> None:
        problem = answer.exception()
        if isinstance(problem, HelperFailed) and problem.damaged:
            self._fail(str(problem))
        elif problem is not None:
            link.kill(str(problem))
        else:
            self._under_way -= 1
            reached = answer.result()
            if reached is None:  # a part
                self._send_on()
            else:
                self._starts = 0
                self._speed.note(reached - self._reached, monotonic())
                self._reach(reached)

    def _reach(self, reached: int) -> None:
        """Let go of projected commands, tell the callers that wait for them, and go on."""
        self._reached = reached
        self.behind = self._newest - reached > LAG_MAX
        self._dropped = max(self._dropped, reached)
        self._unprojected.let_go(reached)
        self._tell_waiting()
        self._send_on()

    def _drop(self) -> None:
        """Leave the kept commands to the journal: memory has a bound."""
        self._dropped = self._unprojected.last
        self._still()
        self._unprojected.clear()
        self._link.kill("history was far behind")

    def _still(self) -> None:
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None

    def _fail(self, reason: str) -> None:
        """History stands still until the venue is started again."""
        log.error("history failed: %s", reason)
        self._failure = reason
        self._supervising.cancel()
        self._still()
        self._unprojected.clear()
        self._fail_waiting(reason)

    # -- supervision ------------------------------------------------------------------------------

    async def _supervise(self) -> None:
        """Start another process whenever there is none that answers."""
        while True:
            why = await asyncio.shield(self._link.ended)
            self._again = _first_line(why)
            self._open = False
            self._under_way = 0
            self._unprojected.begin_again()
            self._still()
            self._fail_waiting(why)
            log.error("history failed: %s; it is started again", why)
            while self._again:
                await self._link.close()
                await asyncio.sleep(min(AGAIN_S * self._patience_factor(), AGAIN_MAX_S))
                self._starts += 1
                try:
                    await self._start_again()
                except (HelperFailed, OSError) as problem:  # no process or pipe can be had, too
                    self._again = _first_line(str(problem))
                    log.error("history is not started yet: %s", problem)

    def _patience_factor(self) -> int:
        """By how much patience has grown with the starts since something was projected."""
        return 1 << min(self._starts, DOUBLINGS_MAX)

    async def _start_again(self) -> None:
        if self._bring is not None and self._reached < self._dropped:
            log.warning("history lacks commands up to %d: the journal has them", self._dropped)
            await self._bring(self._reached, self._dropped)
        patience_s = min(HUNG_S * self._patience_factor(), HUNG_MAX_S)
        self._link, self._reached = await self._reopen(patience_s)
        if self._reached < self._dropped:
            raise HelperFailed(f"it ends at command {self._reached}: others are missing")
        self._tell_listed()
        self._again = ""
        log.warning("history goes on after command %d", self._reached)
        self._reach(self._reached)

    def _tell_listed(self) -> None:
        if self._engine is not None:
            self._link.send(CATALOG, self._encode(catalog_parts(self._engine)))


async def _open(opened: OpenRequest, process: HelperProcess, patience_s: float) -> tuple[Pipe, int]:
    """Return the way to the process, on this file, and the sequence that it has reached."""
    with contextlib.suppress(OSError, RuntimeError):  # it has ended, as `begun` tells
        process.send(OPEN, msgspec.msgpack.encode(opened))
    return await Link.take_over(process, "history", patience_s, path=opened.path)


async def _again(opened: OpenRequest, patience_s: float) -> tuple[Pipe, int]:
    return await _open(opened, await start_worker(), patience_s)


def _first_line(told: str) -> str:
    """Return the message that is shown; the log has the database's own."""
    return told.partition("\n")[0]


def catalog_parts(engine: Engine) -> Listed:
    """Return the parts of a catalog."""
    instruments = [market.instrument for market in engine.spot_markets.values()]
    contracts = [perp.contract for perp in engine.perps.values()]
    return engine.assets, instruments, contracts
