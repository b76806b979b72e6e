"""One helper process at the end of a pipe: sends it requests, receives its answers, ends it.

Frames in both directions have the format of `frames`. A process that leaves a frame unanswered for
too long without using the processor hangs: the link kills it. Nothing committed is lost by that.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Final

from venue.helpers.frames import DAMAGED, DONE
from venue.helpers.process import HelperProcess, spawn

START_S: Final = 30.0  # how long a process may take to open its file
CLOSE_S: Final = 3.0  # how long it may take to end
ASKED_MAX: Final = 5_000  # frames without an answer
WORKS_MAX: Final = 12  # times the patience with a process: so long it may work on one frame
WORKED_NS: Final = 1_000_000  # of its processor time; to be stopped by a signal takes some, too


class HelperFailed(Exception):
    """A helper cannot do this now; the text says why. `damaged`: its file has changed."""

    def __init__(self, told: str, *, damaged: bool = False) -> None:
        super().__init__(told)
        self.damaged = damaged


class Link:
    """A running process. Belongs to one event loop."""

    def __init__(self, process: HelperProcess, name: str, patience_s: float) -> None:
        self._process = process
        self._name = name
        self._patience_s = patience_s
        self._asked: deque[asyncio.Future[Any]] = deque()
        self._hangs: asyncio.TimerHandle | None = None
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Done with the reason when nothing can be asked any more."""
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(
        cls, module: str, *arguments: str, name: str, patience_s: float
    ) -> tuple[Link, Any]:
        """Start a process; return it and its first frame. HelperFailed when it does not start.

        Error texts contain `name`, as in "the `name` process ended"; a process that gives no answer
        for `patience_s` hangs.
        """
        return await cls.take_over(await spawn(module, *arguments), name, patience_s)

    @classmethod
    async def take_over(
        cls, process: HelperProcess, name: str, patience_s: float, *, path: str = ""
    ) -> tuple[Link, Any]:
        """Take over a process that `spawn` started, as `start` does. A failure to start also names
        its file, at `path`."""
        of_file = f"{path}: " if path else ""
        try:
            async with asyncio.timeout(START_S):
                kind, value = await process.receive()
            if kind == DONE:
                return cls(process, name, patience_s), value
            told = value
        except asyncio.IncompleteReadError:
            told = f"{of_file}the {name} process ended"
        except TimeoutError:
            told = f"{of_file}the {name} process did not start within {START_S:g} s"
        except BaseException:
            await process.end()
            raise
        await process.end()
        raise HelperFailed(told)

    def send(self, kind: bytes, payload: bytes) -> asyncio.Future[Any]:
        """Send a frame and return its answer. HelperFailed when there will be none."""
        if len(self._asked) >= ASKED_MAX:
            raise HelperFailed(f"{ASKED_MAX} questions wait for the {self._name} process")
        if self.ended.done():
            raise HelperFailed(self.ended.result())
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked.append(answer)
        if len(self._asked) == 1:
            self._await_answer()
        try:
            self._process.send(kind, payload)
        except (OSError, RuntimeError):  # the pipe broke before its end was seen
            self.kill(f"the {self._name} process ended")
        return answer

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def kill(self, why: str) -> None:
        """End the process now; the transactions that it committed stay."""
        self._process.kill()
        self._over(why)

    def worked_s(self) -> float:
        """Return the processor time that the process has used, in seconds."""
        return self._process.worked() / 1e9

    async def close(self) -> None:
        """End the process after all answers; kill it when it does not end."""
        self._process.stdin.close()
        await self._process.end(CLOSE_S)
        self._listening.cancel()
        self._over(f"the {self._name} process was ended")

    def _await_answer(self) -> None:
        """Start to wait for the answer to the oldest open frame."""
        if self._hangs is not None:
            self._hangs.cancel()
            self._hangs = None
        if self._asked:
            self._look_again(self._process.worked(), WORKS_MAX)

    def _look_again(self, before: int, times: int) -> None:
        loop = asyncio.get_running_loop()
        self._hangs = loop.call_later(self._patience_s, self._look, before, times - 1)

    def _look(self, before: int, times: int) -> None:
        """Kill a process that has used no processor time since the last check. On a busy machine a
        working process may answer late, and is left alone."""
        now = self._process.worked()
        if times and now > before + WORKED_NS:
            self._look_again(now, times)
        else:
            waited_s = (WORKS_MAX - times) * self._patience_s
            self.kill(f"the {self._name} process did not answer for {waited_s:g} s")

    async def _listen(self) -> None:
        """Pass each answer to its caller, in order, until the process has ended."""
        try:
            while True:
                kind, value = await self._process.receive()
                answer = self._asked.popleft()
                self._await_answer()
                if answer.done():
                    continue  # its caller has given up
                if kind == DONE:
                    answer.set_result(value)
                else:
                    fail(answer, HelperFailed(value, damaged=kind == DAMAGED))
        except asyncio.IncompleteReadError:
            self._over(f"the {self._name} process ended")

    def _over(self, why: str) -> None:
        if self.ended.done():
            return
        self.ended.set_result(why)
        while self._asked:
            fail(self._asked.popleft(), HelperFailed(why))
        self._await_answer()


def fail(answer: asyncio.Future[Any], problem: BaseException) -> None:
    """Set a problem as the answer, unless there is an answer already."""
    if not answer.done():
        answer.set_exception(problem)
        answer.exception()  # nobody may be waiting
