"""A sequencer with a disk that waits until it is let."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, Tick
from venue.core.state.snapshot import begin
from venue.journal.memory import MemoryJournal
from venue.node.outbox import Outbox
from venue.node.sequencer import Sequencer


class Gate:
    """A journal on a disk that waits until it is let, and can break."""

    instant = False

    def __init__(self) -> None:
        self._kept = MemoryJournal(keep=True)
        self.open = threading.Event()
        self.batches: list[int] = []
        self.broken = False
        self.tell: Callable[[int], None] = lambda count: None  # of a batch that is handed over

    def prepare(self, commands: list[Command]) -> Callable[[], None]:
        self.tell(len(commands))
        return partial(self._write, commands)

    def _write(self, commands: list[Command]) -> None:
        assert self.open.wait(10)
        if self.broken:
            raise OSError("the disk is gone")
        self._kept.append(commands)
        self.batches.append(len(commands))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)


class Clock:
    """A clock that may run backwards."""

    def __init__(self, *times: int) -> None:
        self.times = list(times)

    def now(self) -> int:
        return self.times.pop(0) if len(self.times) > 1 else self.times[0]

    def wall(self) -> int:
        raise AssertionError("commands are stamped with venue time")


class Desk:
    """A sequencer with all that it needs."""

    def __init__(self, journal: Any, clock: Clock, capacity: int | None = None) -> None:
        self.engine = begin()
        self.outbox = Outbox()
        self.published: list[int] = []
        self.outbox.follow(lambda batch: self.published.extend(done.sequence for done in batch))
        self.failures: list[BaseException] = []
        self.sequencer = Sequencer(
            self.engine, journal, self.outbox, clock, self.failures.append, capacity=capacity
        )

    def enter(self, owner: int, size: int = 1) -> asyncio.Future[list[Applied]]:
        """So many commands of an owner, applied together."""
        answer: asyncio.Future[list[Applied]] = asyncio.get_running_loop().create_future()
        self.sequencer.enter([Tick()] * size, answer, owner=owner)
        return answer


def run(story: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 20))
