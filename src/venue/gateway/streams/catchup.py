"""Brings a listener from an old frame of a private channel to the present ones: none missed, none
twice.

Pages come from history, as fast as the reader takes them. With less than a page to go, live frames
are held back until the page has been sent; then the listener is live.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from venue.gateway.door import Door
from venue.gateway.streams.frames import Frame
from venue.helpers.link import HelperFailed
from venue.history.questions import spot as questions
from venue.recording.numbering import OwnKey

PAGE: Final = 500  # frames asked for at once
TURN: Final = 50  # frames sent before others have their turn
HISTORY_S: Final = 30.0  # how long history may be behind
POLICY: Final = 1008
INTERNAL_ERROR: Final = 1011

log = logging.getLogger("venue.gateway")


class Reader(Protocol):
    """The receiver of the frames; only `ready` waits."""

    def send(self, frame: Frame) -> None: ...

    def end(self, code: int, reason: str) -> None: ...

    def fits(self, frames: int, size: int) -> bool: ...

    async def ready(self) -> None: ...


class FrameGone(Exception):
    """The frame is not stored any more."""


class CatchUp:
    """Runs as a task until it calls `live` with the last number that was sent."""

    def __init__(
        self, door: Door, reader: Reader, key: OwnKey, after: int, live: Callable[[int], None]
    ) -> None:
        self._node = door.node
        self._defects = door.stream_defects
        self._reader = reader
        self._key = key
        self._sent = after
        self._live = live
        self._held: deque[tuple[int, Frame]] = deque()
        self._held_bytes = 0
        self._holding = False
        self._held_from = 0  # frames up to this number come from history
        self._task = asyncio.create_task(self._run())

    def take(self, number: int, frame: Frame) -> None:
        """A frame of now; before the last page it will come from history too."""
        if not self._holding or number <= self._held_from:
            return
        self._held.append((number, frame))
        self._held_bytes += len(frame.plain)
        if not self._reader.fits(len(self._held), self._held_bytes):
            self._reader.end(POLICY, f"too slow: {len(self._held)} messages waited to be read")

    def end(self) -> None:
        """Go no further."""
        self._task.cancel()

    async def _run(self) -> None:
        try:
            await self._catch_up()
        except HelperFailed:
            self._reader.end(INTERNAL_ERROR, "history is not available")
        except TimeoutError:
            self._reader.end(INTERNAL_ERROR, "history is behind")
        except FrameGone as gone:
            self._reader.end(POLICY, f"message {gone} is no longer kept")
        except Exception:
            log.exception("defect in a resumed channel")
            self._defects.count += 1
            self._reader.end(INTERNAL_ERROR, "internal error")

    async def _catch_up(self) -> None:
        newest = self._node.recorder.numbering.newest
        while newest(self._key) - self._sent > PAGE:
            await self._replay(newest(self._key))
        self._held_from = newest(self._key)
        self._holding = True
        await self._replay(self._held_from)
        while self._held:
            number, frame = self._held.popleft()
            self._held_bytes -= len(frame.plain)
            await self._send(number, frame)
        self._live(self._sent)

    async def _replay(self, newest: int) -> None:
        """Send the stored frames up to a number."""
        node, key = self._node, self._key
        if self._sent < newest:
            await node.history.reach(node.engine.sequence, HISTORY_S)
        while self._sent < newest:
            page = await node.history.ask(questions.frames, key, self._sent, newest, PAGE)
            if not page:
                raise FrameGone(self._sent + 1)
            for number, payload in page:
                if number != self._sent + 1:
                    raise FrameGone(self._sent + 1)
                await self._send(number, Frame(payload))

    async def _send(self, number: int, frame: Frame) -> None:
        await self._reader.ready()
        self._reader.send(frame)
        self._sent = number
        if number % TURN == 0:
            await asyncio.sleep(0)
