"""A WebSocket message as it goes on the wire: made once, sent to all listeners."""

from __future__ import annotations

import zlib
from struct import Struct
from typing import Final

DEFLATE_MIN: Final = 512  # bytes; shorter messages are not worth compressing
_TAIL: Final = b"\x00\x00\xff\xff"  # ends every compressed message and stays out (RFC 7692)
_TEXT: Final = 0x81  # FIN and the opcode of text
_COMPRESSED: Final = 0x40
_MIDDLE: Final = Struct(">BBH").pack


class Frame:
    """One text message. Nothing of it depends on its receiver."""

    __slots__ = ("_deflated", "payload", "plain")

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self.plain = _head(_TEXT, len(payload)) + payload
        self._deflated: dict[int, bytes] | None = None

    def deflate(self, window_bits: int) -> bytes:
        """Return the message for clients that negotiated compression; no context is taken over."""
        if len(self.payload) < DEFLATE_MIN:
            return self.plain
        if self._deflated is None:
            self._deflated = {}
        made = self._deflated.get(window_bits)
        if made is None:
            packer = zlib.compressobj(wbits=-window_bits, memLevel=5)
            packed = packer.compress(self.payload) + packer.flush(zlib.Z_SYNC_FLUSH)
            packed = packed.removesuffix(_TAIL)
            made = _head(_TEXT | _COMPRESSED, len(packed)) + packed
            self._deflated[window_bits] = made
        return made


def _head(first: int, size: int) -> bytes:
    """Return the first bytes of an unmasked frame (RFC 6455, 5.2)."""
    if size < 126:
        return bytes((first, size))
    if size < 2**16:
        return _MIDDLE(first, 126, size)
    return bytes((first, 127)) + size.to_bytes(8, "big")
