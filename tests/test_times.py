"""Times and spans of time as people write them."""

from __future__ import annotations

import pytest

from venue.times import INSTANT_RULE, SPAN_RULE, instant_us, span_us


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("250ms", 250_000),
        ("90s", 90_000_000),
        ("5m", 300_000_000),
        ("8h", 28_800_000_000),
        ("1d12h", 129_600_000_000),
        ("0s", 0),
    ],
)
def test_a_span(text: str, us: int) -> None:
    assert span_us(text) == us


@pytest.mark.parametrize("text", ["", "8", "h", "-8h", "8 h", "1.5h", "8H", "\u0661h", "8h\n"])
def test_no_span(text: str) -> None:
    with pytest.raises(ValueError, match=SPAN_RULE):
        span_us(text)


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-01-01T08:00:00Z", 1_767_254_400_000_000),
        ("2026-01-01T09:00:00.000001+01:00", 1_767_254_400_000_001),
    ],
)
def test_an_instant(text: str, us: int) -> None:
    assert instant_us(text) == us


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "2026-01-01", "2026-01-01T08:00:00", "2026-13-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1969-12-31T23:59:59Z",
    ],
)  # fmt: skip
def test_no_instant(text: str) -> None:
    with pytest.raises(ValueError, match=INSTANT_RULE):
        instant_us(text)
