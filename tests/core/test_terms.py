"""The literals of `venue.terms` are the members they are named after."""

from enum import IntEnum

import pytest

from venue import terms

VOCABULARIES = (terms.Side, terms.OrderType, terms.TimeInForce, terms.OrderStatus, terms.SelfTrade)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_literals_equal_the_members(vocabulary: type[IntEnum]) -> None:
    for member in vocabulary:
        name = "NO_PREVENTION" if member.name == "NONE" else member.name
        if name == "EXPIRE_BOTH":
            continue  # what is left when it is none of the others
        assert getattr(terms, name) == member.value
