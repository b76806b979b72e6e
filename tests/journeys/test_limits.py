"""Weight budgets: fixed windows per address and per account."""

import pytest

from venue.api.errors import ApiError
from venue.candles import MINUTE_US
from venue.gateway.access import limits
from venue.gateway.access.limits import WINDOW_US, Limits

START = 1_700_000_000_000_000  # the first instant of a window


def test_counts_weight_within_a_window() -> None:
    budgets = Limits()
    assert budgets.charge_ip("a", 2, START) == (2, 498)
    assert budgets.charge_ip("a", 498, START + WINDOW_US - 1) == (500, 0)
    assert budgets.charge_ip("b", 5, START) == (5, 495)
    assert budgets.charge_ip("a", 1, START + WINDOW_US) == (1, 499)


def test_refuses_until_the_window_ends() -> None:
    budgets = Limits(per_ip=10)
    budgets.charge_ip("a", 8, START)
    with pytest.raises(ApiError) as refusal:
        budgets.charge_ip("a", 3, START + 1)
    assert (refusal.value.code, refusal.value.status) == (-1003, 429)
    assert refusal.value.retry_after == 10
    assert b'"message"' in refusal.value.body()
    assert b'"msg"' not in refusal.value.body()
    with pytest.raises(ApiError) as again:
        budgets.charge_ip("a", 1, START + WINDOW_US - 1)
    assert again.value.retry_after == 1
    assert budgets.charge_ip("a", 10, START + WINDOW_US) == (10, 0)


def test_accounts_have_their_own_budget() -> None:
    budgets = Limits(per_ip=None, per_uid=10)
    assert budgets.charge_ip("a", 1_000_000, START) is None
    budgets.charge_uid(1, 10, START)
    budgets.charge_uid(2, 10, START)
    with pytest.raises(ApiError, match="this account used its weight of 10 per 10 seconds"):
        budgets.charge_uid(1, 1, START)


def test_budgets_can_be_off() -> None:
    budgets = Limits(None, None)
    budgets.charge_uid(1, 10**9, START)
    assert budgets.charge_ip("a", 10**9, START) is None


def test_a_clock_set_back_does_not_refuse_for_long() -> None:
    budgets = Limits(per_ip=1)
    budgets.charge_ip("a", 1, START + 100 * WINDOW_US)
    assert budgets.charge_ip("a", 1, START) == (1, 0)


def test_callers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CALLERS_MAX", 2)
    budgets = Limits(per_ip=10)
    for ip in ("a", "b"):
        assert budgets.charge_ip(ip, 1, START) == (1, 9)
    assert budgets.charge_ip("c", 6, START) == (6, 4)
    with pytest.raises(ApiError):
        budgets.charge_ip("d", 6, START)
    assert budgets.charge_ip("a", 1, START) == (2, 8)


def test_orders_are_counted_by_ten_seconds_and_by_minute() -> None:
    budgets = Limits(None, None, 10)
    assert budgets.charge_orders(1, 1, START) == (1, 1)
    assert budgets.charge_orders(1, 5, START + WINDOW_US - 1) == (6, 6)
    assert budgets.charge_orders(2, 1, START) == (1, 1)
    assert budgets.charge_orders(1, 4, START + WINDOW_US) == (4, 10)
    with pytest.raises(ApiError, match="this account sent its 10 of this minute") as refusal:
        budgets.charge_orders(1, 1, START + 2 * WINDOW_US)
    assert (refusal.value.code, refusal.value.status) == (-1003, 429)
    minute = START - START % MINUTE_US + MINUTE_US
    assert refusal.value.retry_after == (minute - START - 2 * WINDOW_US) // 1_000_000
    assert budgets.charge_orders(1, 5, minute) == (5, 5)
    assert Limits(None, None, None).charge_orders(1, 10**9, START) is None
