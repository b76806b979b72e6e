"""An order book that is kept from the frames of its channel, with every check that they allow."""

from __future__ import annotations

from decimal import Decimal
from types import TracebackType
from typing import Final
from zlib import crc32

from msgspec import UNSET, Struct

from venue.api.streams.channels import CHECKED, LEVELS, DepthFrame
from venue.api.streams.channels import Level as Texts
from venue.client.errors import Misused
from venue.client.frames import SNAPSHOT
from venue.client.streams import Stream

GONE: Final = "0"
Level = tuple[Decimal, Decimal]  # price, size


class Book(Struct, frozen=True):
    """The best levels of a market at an update id, best price first. `time` is in ms."""

    symbol: str
    update_id: int
    time: int
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]


class Wrong(Exception):
    """A book is not the venue's; tells the difference."""


class KeptBook:
    """One market's levels, from its frames in order."""

    def __init__(self) -> None:
        self._bids: dict[Decimal, Texts] = {}
        self._asks: dict[Decimal, Texts] = {}

    def take(self, frame: DepthFrame) -> Book:
        """Return the book after a frame. Wrong: it differs from the venue's; take a snapshot."""
        if frame.event == SNAPSHOT:
            self._bids, self._asks = {}, {}
        for levels, changes in ((self._bids, frame.bids), (self._asks, frame.asks)):
            for price, size in changes:
                if size != GONE:
                    levels[Decimal(price)] = (price, size)
                elif levels.pop(Decimal(price), None) is None:
                    raise Wrong(f"{price} is removed, and was not there")
        bids = [self._bids[price] for price in sorted(self._bids, reverse=True)]
        asks = [self._asks[price] for price in sorted(self._asks)]
        if max(len(bids), len(asks)) > frame.level:
            raise Wrong(f"it has more than {frame.level} levels")
        if frame.checksum is not UNSET and frame.checksum != _checksum(bids + asks):
            raise Wrong("its checksum is another one")
        return Book(frame.symbol, frame.last_id, frame.time, _levels(bids), _levels(asks))


class Books:
    """A market's book after each change. Use it in an `async with`, as a Stream.

    A book is given only when no frame before it is missing and its checksum, where there is one,
    agrees; otherwise the stream begins again with a snapshot. `wrong` counts checks that failed.
    """

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.wrong = 0
        self._kept = KeptBook()

    async def __aenter__(self) -> Books:
        await self.stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stream.__aexit__(kind, problem, trace)

    def __aiter__(self) -> Books:
        return self

    async def __anext__(self) -> Book:
        while True:
            frame = await anext(self.stream)
            assert isinstance(frame, DepthFrame), frame
            try:
                return self._kept.take(frame)
            except Wrong as problem:
                self.wrong += 1
                await self.stream.begin_again(f"the book of {frame.symbol} is wrong: {problem}")


def channel(symbol: str, levels: int) -> str:
    """Return the channel of a market's book with checksums; Misused."""
    if levels not in LEVELS:
        known = " or ".join(str(one) for one in LEVELS)
        raise Misused(f"levels {levels!r}: must be {known}")
    return f"{symbol}@depth{levels}{CHECKED}"


def _checksum(levels: list[Texts]) -> int:
    return crc32(",".join(f"{price}:{size}" for price, size in levels).encode())


def _levels(texts: list[Texts]) -> tuple[Level, ...]:
    return tuple((Decimal(price), Decimal(size)) for price, size in texts)
