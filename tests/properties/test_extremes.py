"""No command with numbers at their bounds is a defect, and every state can be written (1.5)."""

from __future__ import annotations

import pytest

from properties.length import walked
from support.extremes import Extremes
from venue.core.messages.commands import PlaceContractOrder, PlaceOrder

pytestmark = pytest.mark.core

SEEDS = 24
STEPS = 400
CHECK_EVERY = 50


@pytest.mark.parametrize("seed", walked(range(SEEDS)))
def test_numbers_at_their_bounds_are_no_defect(seed: int) -> None:
    walk = Extremes(seed)
    for number in range(1, STEPS + 1):
        walk.step()
        if number % CHECK_EVERY == 0:
            walk.check()
    assert walk.kinds[PlaceOrder] > 0
    if seed == 0:  # in some worlds no contract can be opened
        assert walk.kinds[PlaceContractOrder] > 0
