"""Fills of one millisecond, more than a page: the venue's own `fromId` reads all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.raw import Desk, ok, order, priced, refused
from support.server import Server
from venue import Venue
from venue.gateway.operations.contract import order_questions

MAKERS = 12
SPOT, CONTRACT = "/api/v3", "/capi/v3"
FILLS = {SPOT: f"{SPOT}/myTrades?symbol=BTCUSDT", CONTRACT: f"{CONTRACT}/userTrades?symbol=BTCUSDT"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Alice takes the orders of bob and of herself in one order, in both markets."""
    with (
        Server("--no-agents", folder=tmp_path_factory.mktemp("fills")) as server,
        priced(server) as desk,
    ):
        for base in FILLS:
            more = {} if base == SPOT else {"positionSide": "SHORT", "timeInForce": "GTC"}
            for number in range(MAKERS):
                maker = desk.alice if number in (0, 3, 7, MAKERS - 1) else desk.bob
                body = order("BTCUSDT", "SELL", "0.001", "60000", **more)
                ok(maker.post(f"{base}/order", body))
            more = {} if base == SPOT else {"positionSide": "LONG", "timeInForce": "GTC"}
            quantity = f"0.{MAKERS:03}"
            ok(desk.alice.post(f"{base}/order", order("BTCUSDT", "BUY", quantity, "60000", **more)))
        yield desk


def fills(desk: Desk, base: str, query: str = "") -> list[dict[str, Any]]:
    return list(ok(desk.alice.get(f"{FILLS[base]}{query}")))


@pytest.mark.parametrize("base", FILLS)
def test_fills_of_a_millisecond_are_read_page_by_page(desk: Desk, base: str) -> None:
    every = fills(desk, base)
    assert len(every) == MAKERS + 4
    assert len({row["time"] for row in every}) == 1
    times = f"&startTime={every[0]['time']}&endTime={every[0]['time']}"
    for limit in (1, 2, 3, 5):
        for within in ("", times):
            found: dict[str, dict[str, Any]] = {}
            start = 1
            while page := fills(desk, base, f"&limit={limit}&fromId={start}{within}"):
                assert len(page) <= limit
                found |= {row["id"]: row for row in page}
                start = int(page[-1]["id"]) + 1
            assert len(found) == len(every)
            assert sorted(found.values(), key=every.index) == every


@pytest.mark.parametrize("base", FILLS)
def test_the_oldest_come_first_and_an_id_is_included(desk: Desk, base: str) -> None:
    every = fills(desk, base)
    plain = [row for row in every if int(row["id"]) < 4 * 10**15]
    second, last = plain[-2], plain[0]
    assert fills(desk, base, f"&fromId={second['id']}&limit=1") == [second]
    assert fills(desk, base, f"&fromId={int(last['id']) + 1}") == []
    assert fills(desk, base, f"&fromId={last['id']}&orderId={last['orderId']}") in (
        [last],
        [row for row in every if row["orderId"] == last["orderId"]][:1],
    )


@pytest.mark.parametrize("base", FILLS)
def test_bad_ids(desk: Desk, base: str) -> None:
    for text, code, words in (
        ("0", -1140, "allowed: 1 to"),
        ("-1", -1142, "whole number"),
        ("x", -1142, "whole number"),
        ("1.5", -1142, "whole number"),
        (str(2**63), -1140, "allowed: 1 to"),
    ):
        refused(desk.alice.get(f"{FILLS[base]}&fromId={text}"), code, "'fromId'", words)


def test_contract_fills_of_every_symbol_are_read(desk: Desk) -> None:
    assert ok(desk.alice.get(f"{CONTRACT}/userTrades?fromId=1")) == fills(
        desk, CONTRACT, "&fromId=1"
    )


def test_contract_fills_of_any_time_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an id only those of the last days are told."""
    monkeypatch.setattr(order_questions, "TRADES_DAYS_MAX", 0)
    with Venue(seed=3) as venue:
        alice = venue.account("alice")
        alice.buy("BTCUSDT", "0.01", product="contract", position="LONG")
        venue.run("1s")
        assert alice.call("user_trades") == []
        assert alice.call("user_trades", fromId=1) != []
