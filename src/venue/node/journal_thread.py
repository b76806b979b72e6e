"""The journal's thread: it runs one call at a time, in order, and reports each result on the event
loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

Job = tuple[Callable[[], None], Callable[[BaseException | None], None]]


class DiskThread:
    """Runs the calls that wait for the disk. It is leaner than an executor, as every order passes
    it.

    The thread starts with the first call; a journal in memory makes none. A thread that is not
    closed ends with the process.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread: Thread | None = None

    def submit(
        self, function: Callable[[], None], done: Callable[[BaseException | None], None]
    ) -> None:
        """Call `function` on the thread, then `done` on the loop with its exception, or None."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()
        self._jobs.put((function, done))

    def close(self) -> None:
        """End the thread after the calls that were submitted."""
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
