"""The journal's thread: one call at a time, in order, each answered on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

Job = tuple[Callable[[], None], Callable[[BaseException | None], None]]


class DiskThread:
    """Runs what waits for the disk. Leaner than an executor: its hand-over is on every order's way.

    It begins with the first call, which a journal in memory never makes. A thread that is not let
    go ends with the process.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread: Thread | None = None

    def submit(
        self, function: Callable[[], None], done: Callable[[BaseException | None], None]
    ) -> None:
        """Call `function` on the thread, then `done` on the loop with what it raised, or None."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()
        self._jobs.put((function, done))

    def close(self) -> None:
        """Let the thread end, after what was submitted."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            function, done = job
            problem: BaseException | None = None
            try:
                function()
            except BaseException as raised:  # noqa: BLE001 - handed over, whatever it is
                problem = raised
            self._loop.call_soon_threadsafe(done, problem)
