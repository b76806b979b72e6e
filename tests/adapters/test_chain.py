"""The chain of hashes over the commands of a journal."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.numbered import SINGLY, commands, digests
from venue.journal.chain import BLOCK, START, Chain


@given(st.lists(st.integers(1, 40) | st.integers(1, 700), max_size=3))
def test_the_chain_does_not_depend_on_the_batches(sizes: list[int]) -> None:
    found = digests(sizes)
    assert found == {sequence: SINGLY[sequence] for sequence in found}


def test_the_chain_is_taken_up_again_at_a_block() -> None:
    chain = Chain(BLOCK, SINGLY[BLOCK])
    payload = msgspec.msgpack.encode(commands(BLOCK + 1, 20))
    assert chain.add(payload, 20) == SINGLY[BLOCK + 20]
    assert SINGLY[BLOCK] != START


@pytest.mark.parametrize("count", [0, 2, BLOCK + 1])
def test_the_chain_refuses_a_wrong_count(count: int) -> None:
    with pytest.raises(ValueError, match="command"):
        Chain().add(msgspec.msgpack.encode(commands(1, 1)), count)
