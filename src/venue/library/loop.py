"""The event loop of a venue in this process: it has a thread, and one other thread calls it.

The separate thread lets a served venue answer while the caller waits for that answer, and lets a
notebook call, whose thread already runs a loop.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, Final, TypeVar

import uvloop

from venue.client.errors import Misused

R = TypeVar("R")
LOOK_S: Final = 0.1  # how often the watch of a call is called


class LoopThread:
    """Runs coroutines for the thread that made it."""

    def __init__(self) -> None:
        self._loop = uvloop.new_event_loop()
        self._caller = (os.getpid(), threading.get_ident())
        self._thread = threading.Thread(target=self._run, name="venue", daemon=True)
        self.closed = False
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def check(self) -> None:
        """Raise Misused if the venue is closed, or this is not the thread that created it."""
        if self.closed:
            raise Misused("the venue is closed: make another one with Venue(...)")
        if (os.getpid(), threading.get_ident()) != self._caller:
            raise Misused(
                "a Venue belongs to the thread that made it, and this is another one: give each"
                " thread a Venue of its own, or call serve() and let threads use a Client"
            )

    def call(self, coroutine: Coroutine[Any, Any, R], watch: Callable[[], None] | None = None) -> R:
        """Run a coroutine to its end; call `watch` regularly while it runs.

        An interrupt ends the coroutine too. Call `check` first.
        """
        future: Future[R] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            while watch is not None:
                try:
                    return future.result(LOOK_S)
                except TimeoutError:
                    if future.done():
                        return future.result()
                    watch()
            return future.result()
        except CancelledError:
            raise Misused("the call was ended before its answer was known") from None
        except BaseException:
            future.cancel()
            raise

    def alive(self) -> bool:
        """Return whether the thread exists: a forked process does not have it."""
        return os.getpid() == self._caller[0] and self._thread.is_alive()

    def close(self) -> None:
        """End the loop and its thread."""
        if self.closed:
            return
        self.closed = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
