"""Text to ticks and lots: texts read before are remembered, within bounds."""

from __future__ import annotations

import pytest

from venue.api.errors import ApiError
from venue.gateway.dispatch import decode


def known() -> int:
    return decode._read_before.cache_info().currsize


@pytest.mark.parametrize("text", ["1.25", "1.250", "01.25", "1.25" + "0" * 1_000])
def test_a_text_means_the_same_each_time(text: str) -> None:
    assert [decode.scale_amount(text, 2, "price") for _ in range(3)] == [125] * 3
    assert decode.scale_amount(text, 4, "price") == 12_500


def test_neither_long_texts_nor_refused_ones_are_kept() -> None:
    before = known()
    decode.scale_amount("0.5" + "0" * 10_000, 2, "price")
    for name in ("price", "quantity", "price"):  # each is told of its own field
        with pytest.raises(ApiError, match=name):
            decode.scale_amount("0.123456789123456", 2, name)
    assert known() == before
