"""`allOrders` over spans of any length, on a history with orders."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.client import Client
from support.server import Server

NOW = 1_767_225_600_000  # 2026-01-01
YEAR = 366 * 86_400_000
ORDER = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.01"}
COUNT = 5
FAR = 9_999_999_999_999


@pytest.fixture(scope="module")
def alice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Five orders, a day apart."""
    folder = tmp_path_factory.mktemp("years")
    options = ("--no-agents", "--no-limits", "--clock", "manual", "--at", "2026-01-01T00:00:00Z")
    with Server(*options, folder=folder) as server:
        found, operator = server.client("alice"), server.client()
        for number in range(COUNT):
            body = {**ORDER, "price": str(50_000 + number)}
            answer = found.post("/api/v3/order", body)
            assert answer.status == 200, answer
            moved = operator.post("/_venue/clock/advance", {"by": "1d"})
            assert moved.status == 200, moved
        yield found


@pytest.mark.parametrize(
    ("start", "end", "count"),
    [
        (None, None, COUNT),
        (NOW - 5 * YEAR, None, COUNT),
        (NOW - 5 * YEAR, NOW + YEAR, COUNT),
        (1_000_000_000_000, FAR, COUNT),
        (1_000_000_000_000, None, COUNT),
        (None, FAR, COUNT),
        (None, NOW + 86_400_000 - 1, 1),
        (NOW + 86_400_000, None, COUNT - 1),
        (NOW + YEAR, FAR, 0),
        (NOW - 5 * YEAR, NOW - YEAR, 0),
    ],
)
def test_spot_orders_of_any_span(
    alice: Client, start: int | None, end: int | None, count: int
) -> None:
    times = {"startTime": start, "endTime": end}
    asked = "".join(f"&{name}={time}" for name, time in times.items() if time is not None)
    answer = alice.get(f"/api/v3/allOrders?symbol=BTCUSDT{asked}")
    assert (answer.status, len(answer.json)) == (200, count), answer
