"""Frames of channels as typed values, and whether each follows on the one before it."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

from venue.api.streams import private
from venue.api.streams.channels import (
    ALIASES,
    STREAMS,
    BookTickerFrame,
    DepthFrame,
    KlineFrame,
    OwnFrame,
    TickerFrame,
    TradeFrame,
)

Frame = TickerFrame | TradeFrame | KlineFrame | DepthFrame | BookTickerFrame | OwnFrame
SPOT: Final = "spot"
CONTRACT: Final = "contract"
PRODUCTS: Final = (SPOT, CONTRACT)
SNAPSHOT: Final = "depthSnapshot"
OWN: Final = frozenset(name for row in STREAMS if row.private for name in row.channels)
PAYLOADS: Final = {event: row.payload for row in STREAMS for event in row.events}
ITEMS: Final[dict[tuple[str, str], type[Struct]]] = {
    (SPOT, private.ACCOUNT): private.SpotAccountItem,
    (SPOT, private.ORDERS): private.SpotOrderItem,
    (SPOT, private.FILL): private.SpotFillItem,
    (CONTRACT, private.ACCOUNT): private.ContractAccountItem,
    (CONTRACT, private.ORDERS): private.ContractOrderItem,
    (CONTRACT, private.FILL): private.ContractFillItem,
    (CONTRACT, private.POSITIONS): private.PositionItem,
}


class Broken(Exception):
    """A connection is of no use any more; another one may be, but not before `after_s` seconds."""

    def __init__(self, words: str, after_s: float = 0.0) -> None:
        super().__init__(words)
        self.after_s = after_s


class Head(Struct):
    """The fields that tell a message's kind: `e` of a frame, `result` of an answer, or a ping's."""

    e: str = ""
    result: Any = None
    id: int | str | None = None
    msg: str = ""
    event: str = ""
    type: str = ""


head_of: Final = msgspec.json.Decoder(Head).decode
_DECODERS: Final[dict[str, msgspec.json.Decoder[Any]]] = {
    event: msgspec.json.Decoder(kind) for event, kind in PAYLOADS.items()
}


def frame_of(product: str, event: str, data: bytes) -> Frame | None:
    """Return a frame with its items typed; None for an event of another version of the interface.

    msgspec.MsgspecError: the message is not this interface's.
    """
    decoder = _DECODERS.get(event)
    if decoder is None:
        return None
    frame: Frame = decoder.decode(data)
    if isinstance(frame, OwnFrame):
        kind = ITEMS[product, event]
        frame.items = [msgspec.convert(item, kind) for item in frame.items]
    return frame


def own_name(channel: str) -> str:
    """Return a private channel's name, without its starting number; empty for a public one."""
    name = channel.partition("?")[0]
    name = ALIASES.get(name, name)
    return name if name in OWN else ""


class Continuity:
    """The numbers of the last frames. `own` outlives connections, `depths` do not."""

    def __init__(self) -> None:
        self.own: dict[str, int] = {}
        self.depths: dict[tuple[str, int], int] = {}

    def takes(self, frame: Frame) -> bool:
        """Return whether a frame is new, and not a repetition. Broken: an earlier one is
        missing."""
        if isinstance(frame, OwnFrame):
            return self._takes_own(frame)
        if isinstance(frame, DepthFrame):
            return self._takes_depth(frame)
        return True

    def _takes_own(self, frame: OwnFrame) -> bool:
        last = self.own[frame.event]
        if frame.sequence <= last:
            return False
        if frame.sequence != last + 1:
            raise Broken(f"{frame.event} {last + 1} is missing")
        self.own[frame.event] = frame.sequence
        return True

    def _takes_depth(self, frame: DepthFrame) -> bool:
        key = (frame.symbol, frame.level)
        last = self.depths.get(key)
        if frame.event != SNAPSHOT:
            if last is None:
                raise Broken(f"the snapshot of {frame.symbol} is missing")
            if frame.last_id <= last:
                return False
            if frame.first_id != last:
                raise Broken(f"a change of {frame.symbol} after update {last} is missing")
        self.depths[key] = frame.last_id
        return True
