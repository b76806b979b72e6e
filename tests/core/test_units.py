"""Roundings and bounds of whole numbers (rules 1.1, 1.2, 1.4)."""

import math
from fractions import Fraction

import pytest

from venue.core.units import AMOUNT_MAX, FIRST_ID, PPM, PRICE_MAX, QUANTITY_MAX, ceil_div, part_up

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    ("number", "divisor", "up"),
    [(0, 3, 0), (1, 3, 1), (3, 3, 1), (4, 3, 2), (-1, 3, 0), (-4, 3, -1)],
)
def test_ceil_div_rounds_up(number: int, divisor: int, up: int) -> None:
    assert ceil_div(number, divisor) == up


def test_ceil_div_is_exact_where_floats_are_not() -> None:
    assert ceil_div(2**62 + 1, 1) == 2**62 + 1
    assert ceil_div(10**30 + 1, 10**15) == 10**15 + 1


@pytest.mark.parametrize("whole", [0, 1, 7, PPM - 1, 2**30 + 1, 10**18 + 1, AMOUNT_MAX])
@pytest.mark.parametrize(
    ("part", "parts"), [(0, 1), (1, 1), (1, 3), (2, 3), (QUANTITY_MAX - 1, QUANTITY_MAX)]
)
def test_a_part_is_rounded_up_and_never_more_than_the_whole(
    whole: int, part: int, parts: int
) -> None:
    """Rule 1.2."""
    found = part_up(whole, part, parts)
    assert found == math.ceil(Fraction(whole * part, parts))
    assert 0 <= found <= whole


def test_bounds() -> None:
    """Rule 1.4: 16 digits, exact below 2^53; stored integers fit 64 bits."""
    assert len(str(FIRST_ID)) == 16
    assert FIRST_ID < 2**53
    assert AMOUNT_MAX <= 2**62
    assert 2 * max(PRICE_MAX, QUANTITY_MAX) < 2**63  # a band of +100 % is still a stored integer
