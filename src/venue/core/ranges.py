"""The integers that a command may carry, as types of its fields, and a check for them."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from venue.core.units import NUMBER_MAX

Whole = Annotated[int, Meta(ge=0, le=NUMBER_MAX)]  # quantities, prices, amounts, ids, times
Signed = Annotated[int, Meta(ge=-NUMBER_MAX, le=NUMBER_MAX)]  # amounts that may be taken back
Code = Annotated[int, Meta(ge=-1, le=1_000)]  # members of vocabularies and small counts; -1: none

WRONG: Final = (msgspec.MsgspecError, ValueError, OverflowError, TypeError)

_encode: Final = msgspec.msgpack.Encoder().encode


class OutOfBounds(ValueError):
    """No command can carry this value; `name` is the field, `rule` its allowed values."""

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(f"{name}: {rule}")
        self.name = name
        self.rule = rule


def fault(struct: Struct) -> OutOfBounds | None:
    """Return the first field that cannot be written, or not be read back; None when all can."""
    fields = msgspec.structs.fields(type(struct))
    for field, value in zip(fields, msgspec.structs.astuple(struct), strict=True):
        if _fits(field.type, value):
            continue
        for part in value if isinstance(value, list | tuple) else (value,):
            inner = fault(part) if isinstance(part, Struct) else None
            if inner is not None:
                return inner
        kind = msgspec.inspect.type_info(field.type)
        if isinstance(kind, msgspec.inspect.IntType):
            return OutOfBounds(field.name, f"allowed: {kind.ge} to {kind.le}")
        return OutOfBounds(
            field.name, f"allowed: whole numbers of at most {NUMBER_MAX}, and Unicode text"
        )
    return None


def _fits(kind: Any, value: Any) -> bool:
    try:
        msgspec.msgpack.decode(_encode(value), type=kind)
    except WRONG:
        return False
    return True
