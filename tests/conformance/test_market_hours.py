"""Contracts of traditional markets: their type, their hours, and orders outside of them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from venue import Venue
from venue.client.errors import Refused

SHARE = "ACMEUSDT"
HOURS = [f"{day} 14:30-21:00" for day in ("MON", "TUE", "WED", "THU", "FRI")]
FRIDAY = "2026-03-06T20:58:00Z"
MONDAY_OPENS = 1_773_066_600_000  # 2026-03-09T14:30:00Z
TERMS: dict[str, Any] = {
    "baseAsset": "WXB", "quoteAsset": "SUSDT", "tickSize": "0.001", "stepSize": "0.001",
    "minOrderSize": "0.01", "maxOrderSize": "1000", "marketOpenLimitSize": "1000",
    "maxPositionSize": "1000", "maxOpenInterest": "10000", "maxLeverage": 10,
    "tiers": ["250000:10:0.04"], "underlyingType": "Metals", "indexSources": ["desk"],
}  # fmt: skip


@pytest.fixture(scope="module")
def venue() -> Iterator[Venue]:
    """Three seconds of a practice venue, two minutes before the shares' market closes."""
    with Venue(seed=3, at=FRIDAY) as venue:
        venue.run("20s")
        yield venue


def buy(venue: Venue) -> Any:
    return venue.account("alice").buy(SHARE, "1", product="contract", position="LONG")


def view(venue: Venue, symbol: str = SHARE) -> Any:
    (found,) = [row for row in venue.call("contracts") if row.symbol == symbol]
    return found


def test_a_practice_venue_lists_a_share(venue: Venue) -> None:
    rows = {row.symbol: row for row in venue.call("contract_exchange_info").symbols}
    kinds = {(row.contract_type, row.underlying_type) for row in rows.values()}
    assert kinds == {("PERPETUAL", "COIN"), ("TRADIFI_PERPETUAL", "Stocks")}
    share = rows[SHARE]
    assert (share.contract_type, share.max_leverage) == ("TRADIFI_PERPETUAL", 10)
    assert view(venue).trading_hours == HOURS


def test_after_the_close_nothing_is_opened_and_nobody_quotes(venue: Venue) -> None:
    account = venue.account("alice")
    buy(venue)
    assert view(venue).reopens == 0
    venue.run("2m")
    told = view(venue)
    assert (told.in_doubt, told.index_is_current, told.reopens) == (True, False, MONDAY_OPENS)
    assert (told.index_price, told.mark_price) != ("0", "0")
    venue.run("10s")
    (premium,) = venue.call("premium_index", symbol=SHARE)
    assert (premium.index_price, premium.mark_price) == (told.index_price, told.mark_price)
    depth = venue.market(SHARE, product="contract").book()
    assert (depth.bids, depth.asks) == ((), ())
    health = venue.call("health")
    assert health.closed_contracts == [SHARE]
    assert health.stale_contracts == health.doubtful_contracts == []
    with pytest.raises(Refused, match=r"market hours.*until 2026-03-09T14:30:00") as refusal:
        buy(venue)
    assert refusal.value.code == -1054
    position = account.position(SHARE)
    assert position is not None
    assert position.size == 1
    account.sell(SHARE, "0.5", product="contract", position="LONG", price=told.mark_price)
    (rests,) = account.orders(SHARE, product="contract")
    assert rests.quantity == Decimal("0.5")


def test_it_opens_again_and_is_quoted(venue: Venue) -> None:
    """The operator changes the hours: its market opens a minute later."""
    changed = venue.call("change_contract", symbol=SHARE, tradingHours=["FRI 21:02-24:00"])
    assert changed.trading_hours == ["FRI 21:02-24:00"]
    venue.run("2m")
    assert view(venue).reopens == 0
    depth = venue.market(SHARE, product="contract").book()
    assert depth.bids
    assert depth.asks
    buy(venue)
    assert venue.call("change_contract", symbol=SHARE, tradingHours=[]).trading_hours == []


def test_hours_are_listed_and_told_day_by_day(venue: Venue) -> None:
    """Those of metals: from Sunday 23:00 to Friday 22:00, with an hour's break each day."""
    asked = ["SUN 23:00-24:00", "MON-THU 00:00-22:00", "MON-THU 23:00-24:00", "FRI 00:00-22:00"]
    told = venue.call("list_contract", **TERMS, tradingHours=asked)
    assert told.underlying_type == "Metals"
    assert told.trading_hours[:3] == ["MON 00:00-22:00", "MON 23:00-24:00", "TUE 00:00-22:00"]
    assert told.trading_hours[-2:] == ["FRI 00:00-22:00", "SUN 23:00-24:00"]
    assert len(told.trading_hours) == 10
    again = venue.call("change_contract", symbol="WXBSUSDT", tradingHours=told.trading_hours)
    assert again.trading_hours == told.trading_hours
    whole = venue.call("change_contract", symbol="WXBSUSDT", tradingHours=["MON-SUN 00:00-24:00"])
    assert len(whole.trading_hours) == 7


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"tradingHours": ["MON 14:30"]}, "each must be days and times such as MON-FRI"),
        ({"tradingHours": ["mon 14:30-21:00"]}, "each must be days and times such as MON-FRI"),
        ({"tradingHours": ["MON 24:00-24:00"]}, "each must be days and times such as MON-FRI"),
        ({"tradingHours": ["MON 14:30-24:01"]}, "each must be days and times such as MON-FRI"),
        ({"tradingHours": ["FRI-MON 14:30-21:00"]}, "the later day and time stand last"),
        ({"tradingHours": ["MON 14:30-14:30"]}, "the later day and time stand last"),
        ({"tradingHours": ["MON-FRI 10:00-12:00", "TUE 11:59-13:00"]}, "no session may overlap"),
        ({"tradingHours": ["MON 10:00-11:00"] * 11}, "tradingHours"),
        ({"tradingHours": ["MON 10:00-11:00"], "tiers": ["250000:10:0.019"]}, "0.02, must be at"),
        ({"underlyingType": "Coins"}, "underlyingType"),
    ],
)
def test_hours_that_cannot_be_are_refused(venue: Venue, fields: dict[str, Any], words: str) -> None:
    before = venue.call("health").state_hash
    with pytest.raises(Refused) as refusal:
        venue.call("list_contract", **{**TERMS, "baseAsset": "ACME", **fields})
    assert words in str(refusal.value)
    assert next(iter(fields)) in str(refusal.value)
    assert venue.call("health").state_hash == before
