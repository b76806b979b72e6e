"""Ordered rows keep rows in order, however many come and go."""

from __future__ import annotations

import random

import pytest

from venue.core.contract.ordered_rows import CHUNK_MAX, OrderedRows

pytestmark = pytest.mark.core


def test_rows_come_and_go_in_order() -> None:
    choice = random.Random(7)
    ordered: OrderedRows[tuple[int, int, object]] = OrderedRows()
    rows: list[tuple[int, int, object]] = []
    for number in range(6 * CHUNK_MAX):
        if rows and choice.random() < 0.4:
            row = rows.pop(choice.randrange(len(rows)))
            ordered.remove(row)
        else:
            row = (choice.randrange(50), number, object())
            rows.append(row)
            ordered.add(row)
    rows.sort(key=lambda row: row[:2])
    assert ordered.rows() == rows
    assert ordered.count == len(rows)
    assert ordered.first() == rows[0]
    assert max(len(chunk) for chunk in ordered.chunks) <= CHUNK_MAX
    for place in (0, 1, len(rows) // 2, len(rows) - 3):
        key, number, _ = rows[place]
        assert ordered.after((key, number), 700) == rows[place : place + 700]
        assert ordered.after((key, number + 1), 3) == rows[place + 1 : place + 4]
    while rows:
        ordered.remove(rows.pop())
    assert (ordered.first(), ordered.count, ordered.after((0,), 5)) == (None, 0, [])
