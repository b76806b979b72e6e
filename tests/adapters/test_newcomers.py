"""The turns in which listeners get the first frames of channels."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import cast

from venue.api.streams.channels import SOCKETS, Stream, streams_of
from venue.gateway.streams.newcomers import TOGETHER, Newcomers
from venue.gateway.streams.subscriber import PublicKey, Subscriber
from venue.vocabulary import Product

STREAM = next(iter(streams_of(SOCKETS[0]).values()))


class Turns:
    """A loop whose turns the test takes."""

    def __init__(self) -> None:
        self._called: deque[Callable[[], None]] = deque()

    def call_soon(self, callback: Callable[[], None]) -> None:
        self._called.append(callback)

    def take(self) -> bool:
        """Whether there was a turn to take."""
        if not self._called:
            return False
        self._called.popleft()()
        return True


class Room:
    """Newcomers of a loop, and who was let in."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.came: list[tuple[str, str]] = []
        loop = cast(asyncio.AbstractEventLoop, self.turns)
        self._newcomers = Newcomers(loop, self._let_in)

    def add(self, name: str, symbol: str) -> None:
        self._newcomers.add(cast(Subscriber, name), (Product.SPOT, symbol, "trade"), STREAM)

    def remove(self, name: str, symbol: str) -> None:
        self._newcomers.remove(cast(Subscriber, name), (Product.SPOT, symbol, "trade"))

    def _let_in(self, listener: Subscriber, key: PublicKey, stream: Stream) -> None:
        assert stream is STREAM
        self.came.append((str(listener), key[1]))


def test_listeners_take_turns_and_few_come_in_together() -> None:
    room = Room()
    for number in range(10):
        room.add("ann", f"A{number}")
    room.add("ben", "B")
    assert room.came == []
    room.turns.take()
    assert room.came == [("ann", "A0"), ("ben", "B"), ("ann", "A1"), ("ann", "A2")]
    assert len(room.came) == TOGETHER
    room.add("cid", "C")
    room.turns.take()
    assert ("cid", "C") in room.came
    while room.turns.take():
        pass
    assert [symbol for name, symbol in room.came if name == "ann"] == [f"A{n}" for n in range(10)]
    assert len(room.came) == 12


def test_who_leaves_before_its_turn_does_not_come_in() -> None:
    room = Room()
    room.add("ann", "A")
    room.add("ann", "B")
    room.add("ben", "C")
    room.remove("ann", "A")
    room.remove("ben", "C")
    room.remove("ben", "C")
    room.remove("cid", "D")
    while room.turns.take():
        pass
    assert room.came == [("ann", "B")]
    room.add("ann", "A")  # it may come again
    assert room.turns.take()
    assert room.came[-1] == ("ann", "A")
    assert not room.turns.take()
