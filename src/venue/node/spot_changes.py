"""Notes when each owner's spot account last changed, for owners whose account changed since the
start."""

from __future__ import annotations

from typing import Final

import msgspec

from venue.core.messages.applied import Applied
from venue.core.messages.events import OrderClosed, OrderPlaced, Trade, Transferred, WalletMoved
from venue.vocabulary import WALLET_SPOT

_decode: Final = msgspec.msgpack.Decoder(dict[int, int]).decode


class SpotChanges:
    """Follows applied commands. It stores one number for each owner that does anything."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        self._times: dict[int, int] = {}

    def time(self, uid: int) -> int:
        """Return the time of the last change of an owner's balances or holds, in µs; 0: none since
        the start."""
        return self._times.get(uid, 0)

    def dump(self) -> bytes:
        """Return the times, as msgpack."""
        return msgspec.msgpack.encode(self._times)

    def restore(self, data: bytes) -> None:
        """Replace the times by a dump."""
        self._times = _decode(data)

    def follow(self, batch: list[Applied]) -> None:
        """Note the changes of a batch, in order."""
        times = self._times
        for applied in batch:
            for event in applied.events:
                if type(event) is OrderPlaced or type(event) is OrderClosed:
                    times[event.uid] = applied.time
                elif type(event) is Trade:
                    times[event.maker_uid] = times[event.taker_uid] = applied.time
                elif type(event) is WalletMoved:
                    if event.wallet == WALLET_SPOT:
                        times[event.uid] = applied.time
                elif type(event) is Transferred and WALLET_SPOT in (event.source, event.target):
                    times[event.uid] = applied.time
