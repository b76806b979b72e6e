"""Encodes integers of any size in msgpack: one beyond 64 bits is an extension."""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar

import msgspec

WIDE: Final = 1  # the extension: the number's bytes, signed, the greatest first
LEAST: Final = -(2**63)
BEYOND: Final = 2**64

T = TypeVar("T")

_encode: Final = msgspec.msgpack.Encoder().encode


def encode(value: Any) -> bytes:
    """Return a value as msgpack; without wide numbers the bytes are msgspec's, at the same
    speed."""
    try:
        return _encode(value)
    except OverflowError:
        return _encode(_mark_wide(msgspec.to_builtins(value, builtin_types=(bytes,))))


class Decoder(Generic[T]):
    """Reads what `encode` wrote as values of one type."""

    __slots__ = ("_kind", "_narrow")

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._narrow = msgspec.msgpack.Decoder(kind)

    def decode(self, data: bytes) -> T:
        """Return the value; MsgspecError when the bytes are none of this type."""
        try:
            found: T = self._narrow.decode(data)
        except msgspec.ValidationError:
            # An extension, or no such value at all: then this raises the same.
            plain = msgspec.msgpack.decode(data, ext_hook=_number)
            found = msgspec.convert(plain, self._kind)
        return found


def _mark_wide(value: Any) -> Any:
    if type(value) is int and not LEAST <= value < BEYOND:
        return msgspec.msgpack.Ext(WIDE, value.to_bytes(value.bit_length() // 8 + 1, signed=True))
    if isinstance(value, list | tuple):
        return [_mark_wide(each) for each in value]
    if isinstance(value, dict):
        return {key: _mark_wide(each) for key, each in value.items()}
    return value


def _number(code: int, data: memoryview) -> int:
    if code != WIDE:
        raise msgspec.ValidationError(f"extension {code} is none of this venue's")
    return int.from_bytes(data, signed=True)
