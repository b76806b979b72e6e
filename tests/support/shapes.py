"""Exact shapes of JSON: the key set of an object, the JSON type and the decimals of each field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Check = Callable[[Any], bool]
Shape = dict[str, Check]


class Number(str):
    """A JSON number's own text, told from a string."""

    __slots__ = ()


def parsed(body: bytes) -> Any:
    """The JSON value, numbers as `Number`; a key given twice or NaN fails."""
    return json.loads(
        body.decode("ascii"),
        parse_int=Number,
        parse_float=Number,
        parse_constant=_refuse,
        object_pairs_hook=_pairs,
    )


def _refuse(text: str) -> Any:
    raise AssertionError(f"{text} is not JSON")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    assert len(found) == len(pairs), f"a key is given twice: {pairs}"
    return found


def check(value: Any, shape: Shape) -> None:
    """Exactly these keys, each with what its check says."""
    assert type(value) is dict, value
    assert sorted(value) == sorted(shape), value
    wrong = {name: value[name] for name, holds in shape.items() if not holds(value[name])}
    assert not wrong, wrong


def whole(digits: int | None = None) -> Check:
    """A JSON integer, of so many digits."""
    form = re.compile(r"0|-?[1-9][0-9]*")
    return lambda value: (
        type(value) is Number and form.fullmatch(value) is not None and digits in (None, len(value))
    )


def text(pattern: str = ".*") -> Check:
    """A JSON string that matches."""
    form = re.compile(pattern, re.ASCII)
    return lambda value: type(value) is str and form.fullmatch(value) is not None


def decimal(decimals: int) -> Check:
    """A JSON string with a decimal number of exactly so many decimals."""
    return text(rf"(0|[1-9][0-9]*)\.[0-9]{{{decimals}}}")


def number(decimals: int) -> Check:
    """A JSON number with exactly so many decimals."""
    return digits(rf"(0|[1-9][0-9]*)\.[0-9]{{{decimals}}}")


def digits(pattern: str) -> Check:
    """A JSON number whose own text matches."""
    form = re.compile(pattern, re.ASCII)
    return lambda value: type(value) is Number and form.fullmatch(value) is not None


def signed(decimals: int) -> Check:
    """The same, possibly negative."""
    return text(rf"-?(0|[1-9][0-9]*)\.[0-9]{{{decimals}}}")


def is_flag(value: Any) -> bool:
    """A JSON boolean."""
    return type(value) is bool


def is_null(value: Any) -> bool:
    """JSON null."""
    return value is None


def is_list(value: Any) -> bool:
    """A JSON array."""
    return type(value) is list


LONG_ID = whole(16)  # ids are JSON integers of 16 digits
MS = whole(13)  # times are JSON integers in ms
INTEGER = whole()
TEXT = text()
_PLAIN = r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?"
PLAIN = text(_PLAIN)  # a rate or increment, without trailing zeros
PLAIN_NUMBER = digits(_PLAIN)  # the same as a JSON number
SYMBOL = text("[A-Z]{6,}")
