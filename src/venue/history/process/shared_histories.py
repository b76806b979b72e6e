"""The histories of many small venues in one helper process, each in a temporary file of its own.

Other histories begin as the first one: when it is whole, their files are copies of its file. There
may be several such bases, 0 for a new venue. A history takes no space until it is asked, or has a
transaction's worth of commands.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from venue.helpers.link import ASKED_MAX, HelperFailed, Link, fail
from venue.history.process.client import AGAIN_S, HUNG_S, History, Pipe
from venue.history.process.pipe import (
    BASE,
    BASE_BITS,
    CATALOG,
    DROP,
    OPEN,
    address_payload,
    base_path,
)
from venue.history.temporary import Folder

MODULE: Final = "venue.history.process.shared_worker"


class SharedHistories:
    """Small histories that share one helper process. Belongs to one event loop."""

    def __init__(self, frames_kept: int) -> None:
        self._frames_kept = frames_kept
        self._folder = ""
        self._held: Folder | None = None
        self._link: Link | None = None
        self._turn = asyncio.Lock()
        self._number = 0
        self._bases = 0
        self._firsts: dict[int, int] = {}  # the number of each base's first history
        self._basing: dict[int, asyncio.Future[None]] = {}

    async def place(self) -> tuple[int, str]:
        """Return the number of another base, and the file for the rows that its first history
        begins with. HelperFailed, OSError."""
        await self.link()
        self._bases += 1
        return self._bases, str(base_path(self._folder, self._bases))

    def reserve(self) -> int:
        """Return the number of another base, whose file is made elsewhere: its histories wait until
        it `stands`."""
        self._bases += 1
        self._basing[self._bases] = asyncio.get_running_loop().create_future()
        return self._bases

    async def file(self, base: int) -> str:
        """Return the place of a reserved base's file. HelperFailed, OSError."""
        await self.link()
        return str(base_path(self._folder, base))

    def stands(self, base: int) -> None:
        """The file of a reserved base is whole."""
        self._basing[base].set_result(None)

    def first(self, base: int = 0, reached: int = 0) -> History:
        """Return the history that others will begin with: empty, or as the file at the base's
        place."""
        number = self._next(base)
        history = History(
            Share(self.link, number), reached, partial(self._reopen, number, self.link)
        )
        self._firsts[base] = number
        return history

    def base(self, first: History, base: int = 0) -> None:
        """Begin others where the first one ends, as soon as it is whole."""
        self._basing[base] = asyncio.create_task(self._base(first, base))

    def history(self, reached: int, base: int = 0) -> History:
        """Return a new one, which begins where the first one ended: after command `reached`."""
        number = self._next(base)
        ready = partial(self._ready, base)
        share = Share(ready, number)
        return History(share, reached, partial(self._reopen, number, ready), lazy=True)

    async def forget(self, base: int) -> None:
        """Forget a base: no history begins with it any more."""
        self._firsts.pop(base, None)
        basing = self._basing.pop(base, None)
        if basing is not None:
            basing.cancel()
            await asyncio.gather(basing, return_exceptions=True)
        with suppress(HelperFailed, OSError):
            await (await self.link()).send(DROP, address_payload(base << BASE_BITS))

    def _next(self, base: int) -> int:
        self._number += 1
        return base << BASE_BITS | self._number

    async def link(self, patience_s: float = HUNG_S) -> Link:
        """Return the helper process, started when there is none. HelperFailed, OSError."""
        async with self._turn:
            if self._link is None or self._link.ended.done():
                if self._link is not None:
                    await self._link.close()
                if self._held is None:
                    self._held = Folder("worlds")
                    self._folder = self._held.path
                self._link, _ = await Link.start(
                    MODULE,
                    self._folder,
                    str(self._frames_kept),
                    name="world history",
                    patience_s=patience_s,
                )
            return self._link

    async def close(self) -> None:
        """End the process and take all files away."""
        for basing in self._basing.values():
            basing.cancel()
        await asyncio.gather(*self._basing.values(), return_exceptions=True)
        if self._link is not None:
            await self._link.close()
        if self._held is not None:
            self._held.let_go()

    async def _base(self, first: History, base: int) -> None:
        try:
            while True:
                try:
                    await first.drain()
                    await (await self.link()).send(BASE, address_payload(self._firsts[base]))
                    return
                except (HelperFailed, OSError):  # it is told and started again by `first`
                    await asyncio.sleep(AGAIN_S)
        finally:
            await first.close()

    async def _ready(self, base: int) -> Link:
        """Return the process, when it has the rows that histories begin with."""
        await asyncio.shield(self._basing[base])
        return await self.link()

    async def _reopen(
        self, number: int, opened: Callable[[], Awaitable[Link]], patience_s: float
    ) -> tuple[Pipe, int]:
        await self.link(patience_s)
        link = await opened()
        reached: int = await link.send(OPEN, address_payload(number))
        share = Share(opened, number)
        share.attach(link)
        return share, reached


class Share:
    """One history's link to the shared process; a `Pipe`. A failure of one ends no other.

    `opened` gives the process.
    """

    def __init__(self, opened: Callable[[], Awaitable[Link]], number: int) -> None:
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._opened = opened
        self._number = number
        self._link: Link | None = None
        # Asked before there is a link.
        self._early: deque[tuple[bytes, bytes, asyncio.Future[Any]]] = deque()
        self._opening: asyncio.Task[None] | None = None

    def attach(self, link: Link) -> None:
        """Go through this process from now on."""
        self._link = link
        link.ended.add_done_callback(self._with_link)

    def send(self, kind: bytes, payload: bytes) -> asyncio.Future[Any]:
        """Send a frame; return its answer. HelperFailed when there can be none."""
        if self.ended.done():
            raise HelperFailed(self.ended.result())
        if self._link is not None:
            return self._link.send(kind, address_payload(self._number, payload))
        if len(self._early) >= ASKED_MAX:
            raise HelperFailed(f"{ASKED_MAX} questions wait for history")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._early.append((kind, payload, answer))
        if self._opening is None and kind != CATALOG:
            self._opening = asyncio.create_task(self._open())
        return answer

    def kill(self, why: str) -> None:
        """Use the process no more; it goes on for the others."""
        self._over(why)

    async def close(self) -> None:
        """Remove the file, unless the share has ended: then it is opened again."""
        if self._opening is not None:
            self._opening.cancel()
        if self.ended.done():
            return
        if self._link is not None:
            with suppress(HelperFailed):
                await self._link.send(DROP, address_payload(self._number))
        self._over("history was closed")

    async def _open(self) -> None:
        try:
            link = await self._opened()
            self.attach(link)
            while self._early:
                kind, payload, answer = self._early[0]  # stays until it is sent
                sent = link.send(kind, address_payload(self._number, payload))
                sent.add_done_callback(partial(_hand_on, answer))
                self._early.popleft()
        except (HelperFailed, OSError) as problem:
            self._over(str(problem))

    def _with_link(self, ended: asyncio.Future[str]) -> None:
        self._over(ended.result())

    def _over(self, why: str) -> None:
        if self.ended.done():
            return
        self.ended.set_result(why)
        if self._link is not None:
            self._link.ended.remove_done_callback(self._with_link)
        for _, _, answer in self._early:
            fail(answer, HelperFailed(why))
        self._early.clear()


def _hand_on(answer: asyncio.Future[Any], sent: asyncio.Future[Any]) -> None:
    problem = sent.exception()
    if problem is not None:
        fail(answer, problem)
    elif not answer.done():
        answer.set_result(sent.result())
