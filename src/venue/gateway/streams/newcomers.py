"""Listeners that wait for the first frame of a public channel.

A first frame takes up to a millisecond to make, and one message may ask for two hundred. A few are
made in one iteration of the event loop, and listeners are served in turn: the frames that one of
them asks for delay others, and orders, by no more than these few.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from venue.api.streams.channels import Stream
from venue.gateway.streams.subscriber import PublicKey, Subscriber

TOGETHER: Final = 4  # first frames made in one turn of the loop


class Newcomers:
    """`let_in` makes a listener one of a channel's, and sends it the first frame."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        let_in: Callable[[Subscriber, PublicKey, Stream], None],
    ) -> None:
        self._loop = loop
        self._let_in = let_in
        self._waiting: dict[Subscriber, dict[PublicKey, Stream]] = {}
        self._called = False  # the next turn is asked for

    def add(self, listener: Subscriber, key: PublicKey, stream: Stream) -> None:
        """Queue a listener's first frame after all others that it waits for, never before this
        returns."""
        self._waiting.setdefault(listener, {})[key] = stream
        self._call()

    def remove(self, listener: Subscriber, key: PublicKey) -> None:
        """Remove a listener from the queue, if it is in it."""
        keys = self._waiting.get(listener)
        if keys is not None and keys.pop(key, None) is not None and not keys:
            del self._waiting[listener]

    def _call(self) -> None:
        if not self._called:
            self._called = True
            self._loop.call_soon(self._take_turn)

    def _take_turn(self) -> None:
        self._called = False
        for _ in range(TOGETHER):
            if not self._waiting:
                return
            listener = next(iter(self._waiting))
            keys = self._waiting.pop(listener)
            key = next(iter(keys))
            stream = keys.pop(key)
            if keys:
                self._waiting[listener] = keys  # after the others
            self._let_in(listener, key, stream)
        if self._waiting:
            self._call()
