"""The commands that a cut may go up to: all later ones build on them, whatever was gone back to."""

from __future__ import annotations

import msgspec
import pytest

from venue.core.messages.commands import Command, Tick
from venue.core.messages.savepoints import DropState, KeepState, RevertState
from venue.journal.chain import BLOCK
from venue.pruning.cut import Piece, Trunk, answered, cut, last_old

KEEP, BACK, TICKS = KeepState("a", b"\x93" * 8), RevertState("a"), [Tick()] * 10


def pieces(*batches: list[Command], kept: dict[str, int] | None = None) -> list[Piece]:
    """Those of a journal with these batches."""
    trunk = Trunk(0, 0, kept or {})
    for batch in batches:
        trunk.read_on(trunk.reached + 1, msgspec.msgpack.encode(batch))
    return trunk.pieces(0)


@pytest.mark.parametrize(
    ("batches", "expected"),
    [
        ([TICKS, TICKS], [(0, 20)]),
        ([TICKS, [KEEP], TICKS, [BACK], TICKS], [(0, 10), (22, 32)]),
        ([TICKS, [KEEP], TICKS, [Tick(), BACK], TICKS], [(0, 10), (23, 33)]),
        ([TICKS, [KEEP], TICKS, [DropState("a")], TICKS], [(0, 32)]),
        # Kept on a branch that was left: going there is going back to before it, too.
        (
            [[KEEP], TICKS, [KeepState("b")], [BACK], TICKS, [RevertState("b")], TICKS],
            [(24, 34)],
        ),
        ([TICKS, [KEEP], TICKS, [KEEP], TICKS, [BACK], TICKS], [(0, 21), (33, 43)]),
        ([TICKS, [RevertState("before")], TICKS], [(11, 21)]),
        ([[KEEP], TICKS, [BACK]], []),
    ],
)
def test_nothing_between_a_state_and_the_way_back_to_it(
    batches: list[list[Command]], expected: list[Piece]
) -> None:
    assert pieces(*batches) == expected


def test_states_that_were_kept_before_the_rows_are_known() -> None:
    trunk = Trunk(10, 20, {"a": 15})
    trunk.read_on(21, msgspec.msgpack.encode([BACK]))
    trunk.read_on(22, msgspec.msgpack.encode(TICKS))
    assert trunk.pieces(10) == [(10, 14), (21, 31)]
    assert trunk.pieces(25) == [(25, 31)]


def test_a_revert_at_the_end_leaves_the_time_of_the_state() -> None:
    trunk = Trunk(0, 0, {})
    assert trunk.newest() == 0
    trunk.read_on(1, msgspec.msgpack.encode([*TICKS, KEEP, Tick(), BACK]))
    assert trunk.newest() == 11
    trunk.read_on(14, msgspec.msgpack.encode(TICKS))
    assert trunk.newest() == 23


@pytest.mark.parametrize(
    ("until", "beyond", "found"),
    [(49, 0, 4), (100, 0, 10), (4, 0, 0), (15, 10, 1), (15, 11, 0), (75, 0, 4), (81, 0, 8)],
)
def test_the_last_command_that_is_old_enough(until: int, beyond: int, found: int) -> None:
    """Commands 5 to 7 lie on a branch that was left: their times are passed over."""
    times = {1: 5, 2: 20, 3: 30, 4: 40, 5: 500, 6: 600, 7: 700, 8: 80, 9: 90, 10: 100}
    asking = last_old([(0, 4), (7, 10)], until, beyond)
    assert answered(asking, times.__getitem__) == found


@pytest.mark.parametrize(
    ("last", "found"),
    [
        (BLOCK - 1, 0),
        (BLOCK, BLOCK),
        (BLOCK + 9, BLOCK + 9),
        (3 * BLOCK + 9, BLOCK + 10),  # the block begins on a branch that was left
        (4 * BLOCK, 4 * BLOCK),
        (9 * BLOCK, 5 * BLOCK),
    ],
)
def test_a_whole_block_goes_with_no_branch_left_behind_it(last: int, found: int) -> None:
    assert cut([(0, BLOCK + 10), (3 * BLOCK + 5, 5 * BLOCK)], last) == found


def test_nothing_goes_of_no_piece() -> None:
    assert cut([], 10 * BLOCK) == 0
    assert answered(last_old([], 1, 0), lambda _: 0) == 0
