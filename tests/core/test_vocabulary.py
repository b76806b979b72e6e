"""The literals of `venue.vocabulary` are the members they are named after."""

from enum import IntEnum

import pytest

from venue import vocabulary

VOCABULARIES = (
    vocabulary.Side,
    vocabulary.OrderType,
    vocabulary.TimeInForce,
    vocabulary.OrderStatus,
    vocabulary.SelfTrade,
)


@pytest.mark.parametrize("words", VOCABULARIES)
def test_literals_equal_the_members(words: type[IntEnum]) -> None:
    for member in words:
        name = "NO_PREVENTION" if member.name == "NONE" else member.name
        if name == "EXPIRE_BOTH":
            continue  # the case that is left when it is none of the others
        assert getattr(vocabulary, name) == member.value
