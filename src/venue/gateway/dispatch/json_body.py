"""Reads the JSON of a body strictly: numbers stay text, and a name given twice is refused."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from venue.api import errors

NUMBER_LENGTH_MAX: Final = 32
BRACKETS_MAX: Final = 200  # bounds nesting before the parser sees it

_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?", re.ASCII)


class Number(str):
    """A JSON number's own text, so that it never becomes a float."""

    __slots__ = ()


def _number(text: str) -> Number:
    if len(text) > NUMBER_LENGTH_MAX or text == "-0" or not _PLAIN_NUMBER.fullmatch(text):
        raise ValueError(
            f"number {errors.quote_value(text)} is not a plain decimal of at most 32 digits"
        )
    return Number(text)


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate key in an object")
    return found


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_int=_number, parse_constant=_constant
)


def json_value(text: str) -> Any:
    """Any JSON, numbers as `Number`. ValueError, RecursionError: it is none."""
    return _decoder.decode(text)


def object_values(body: bytes) -> dict[str, Any]:
    """Return the body's JSON object, numbers as `Number`. ApiError -1135 for anything else."""
    if body.count(b"{") + body.count(b"[") > BRACKETS_MAX:
        raise errors.not_json("nested too deeply or too many elements")
    try:
        value = _decoder.decode(body.decode("utf-8"))
        if b"\\u" in body:
            _refuse_surrogates(value)
    except UnicodeError:
        raise errors.not_json("the body is not UTF-8") from None
    except RecursionError:
        raise errors.not_json("nested too deeply") from None
    except ValueError as problem:
        reason = problem.msg if isinstance(problem, json.JSONDecodeError) else str(problem)
        raise errors.not_json(reason) from None
    if not isinstance(value, dict):
        raise errors.not_json("the body must be an object")
    return value


def _refuse_surrogates(value: Any) -> None:
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise ValueError("NUL in a string")
    elif isinstance(value, list):
        for item in value:
            _refuse_surrogates(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            _refuse_surrogates(name)
            _refuse_surrogates(item)
