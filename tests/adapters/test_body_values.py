"""A body of plain texts is read by a short way, which gives what the long one gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venue.api.errors import ApiError
from venue.gateway.dispatch.decode import body_values
from venue.gateway.dispatch.json_body import object_values

TEXTS = st.text(max_size=6)
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | TEXTS
PIECES = st.sampled_from(
    [
        b"{",
        b"}",
        b'"',
        b'"a"',
        b'"b"',
        b":",
        b",",
        b" ",
        b"\\",
        b"\xff",
        b"\x00",
        b"1",
        b"null",
        b"[",
        b"]",
    ]
)


def both(body: bytes) -> tuple[Any, Any]:
    return outcome(body_values, body), outcome(object_values, body)


def outcome(read: Any, body: bytes) -> Any:
    try:
        return read(body)
    except ApiError as refusal:
        return refusal.code, refusal.message


@given(st.dictionaries(TEXTS, SCALARS, max_size=4), st.sampled_from([None, 1]))
def test_objects(value: dict[str, Any], indent: int | None) -> None:
    short, long = both(json.dumps(value, indent=indent, ensure_ascii=False).encode())
    assert short == long


@given(st.lists(PIECES, max_size=14).map(b"".join))
def test_anything(body: bytes) -> None:
    short, long = both(body)
    assert short == long


@pytest.mark.parametrize(
    "body",
    [b'{"a":"1","a":"2"}', b'{"a":"\xff"}', b'{"a":"\x01"}', b'{"a":"1",}', b"\xef\xbb\xbf{}"],
)
def test_what_must_be_refused_is(body: bytes) -> None:
    short, long = both(body)
    assert short == long
    assert short[0] == -1135
