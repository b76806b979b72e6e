"""The parameters of a query, percent-decoded once."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from venue.api import errors
from venue.api.fields import SYMBOLS_MAX

PARAMETERS_MAX: Final = 20
_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


def query_values(query: bytes, lists: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the query's parameters, percent-decoded once. ApiError -1142 for a malformed or
    repeated one.

    One of `lists` may be repeated: then its values are a list.
    """
    values: dict[str, Any] = {}
    parts = query.split(b"&")
    if len(parts) > PARAMETERS_MAX + (SYMBOLS_MAX if lists else 0):
        raise errors.out_of_range("query", f"at most {PARAMETERS_MAX} parameters are allowed")
    for part in parts:
        if not part:
            continue
        raw_name, _, raw_value = part.partition(b"=")
        name, value = _unquote(raw_name), _unquote(raw_value)
        if not name:
            raise errors.invalid("query", "a parameter needs a name")
        if name in values and name in lists:
            before = values[name]
            values[name] = [*(before if isinstance(before, list) else [before]), value]
            continue
        if name in values:
            raise errors.invalid(errors.quote_value(name)[1:-1], "given more than once")
        values[name] = value
    if len(values) > PARAMETERS_MAX:
        raise errors.out_of_range("query", f"at most {PARAMETERS_MAX} parameters are allowed")
    return values


def _unquote(raw: bytes) -> str:
    if b"%" not in raw and raw.isascii():
        return raw.replace(b"+", b" ").decode("ascii")
    if _ESCAPE.search(raw):
        raise errors.invalid("query", "malformed percent-encoding")
    try:
        text = unquote_to_bytes(raw.replace(b"+", b" ")).decode("utf-8")
    except UnicodeDecodeError:
        raise errors.invalid("query", "percent-encoding is not UTF-8") from None
    if "\0" in text:
        raise errors.invalid("query", "NUL in a parameter")
    return text
