"""The lists of trailing stops, on a live venue: raw answers, pages, and that others stay out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.contract_desk import V3, contracts_traded, place
from support.raw import Desk, ok, order, refused
from support.shapes import LONG_ID, MS, check, text

OPEN, ENDED = f"{V3}/trailing/openOrders", f"{V3}/trailing/historyOrders"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with contracts_traded(tmp_path_factory.mktemp("contracts")) as desk:
        yield desk


def trailing(name: str, **more: str) -> dict[str, Any]:
    return {
        **order("BTCUSDT", "SELL", "0.1"),
        "positionSide": "LONG",
        "type": "TRAILING_STOP_MARKET",
        "callbackRate": "0.05",
        "clientAlgoId": name,
        **more,
    }


def test_trailing_stops_wait_and_end_in_lists_of_their_own(desk: Desk) -> None:
    assert ok(desk.alice.get(OPEN)) == ok(desk.alice.get(ENDED)) == []
    path = f"{V3}/algoOrder"
    ids = [place(desk, "alice", trailing(f"t-{number}"), path) for number in range(3)]
    place(desk, "alice", trailing("t-3", activatePrice="66000"), path)
    waiting = ok(desk.alice.get(OPEN))
    assert [found["clientAlgoId"] for found in waiting] == ["t-0", "t-1", "t-2", "t-3"]
    assert waiting == [
        found
        for found in ok(desk.alice.get(f"{V3}/openAlgoOrders"))
        if found["orderType"] == "TRAILING_STOP_MARKET"
    ]
    told = [(found["activatePrice"], found["callbackRate"]) for found in waiting[2:]]
    assert told == [("0", "0.05"), ("66000.00", "0.05")]
    assert [found["clientAlgoId"] for found in ok(desk.alice.get(f"{OPEN}?limit=1&page=2"))] == [
        "t-1"
    ]
    assert ok(desk.alice.get(f"{OPEN}?page=2")) == []
    assert ok(desk.alice.get(f"{OPEN}?symbol=ETHUSDT")) == ok(desk.bob.get(OPEN)) == []
    for algo_id in ids:
        assert desk.alice.delete(f"{path}?orderId={algo_id}").status == 200
    assert [found["clientAlgoId"] for found in ok(desk.alice.get(OPEN))] == ["t-3"]
    ended = ok(desk.alice.get(ENDED))
    assert [found["clientAlgoId"] for found in ended] == ["t-2", "t-1", "t-0"]
    check(
        ended[0],
        {
            "algoId": LONG_ID,
            "clientAlgoId": text("t-2"),
            "algoType": text("PLAN"),
            "orderType": text("TRAILING_STOP_MARKET"),
            "symbol": text("BTCUSDT"),
            "side": text("SELL"),
            "positionSide": text("LONG"),
            "timeInForce": text("IOC"),
            "quantity": text("0.10000"),
            "algoStatus": text("CANCELED"),
            "actualOrderId": lambda value: value == "0",
            "actualPrice": text("0"),
            "triggerPrice": text(r"0|[0-9]+\.[0-9]{2}"),
            "price": text("0"),
            "workingType": text("CONTRACT_PRICE"),
            "createTime": MS,
            "updateTime": MS,
            "triggerTime": lambda value: value == "0",
            "activatePrice": text("0"),
            "callbackRate": text("0.05"),
        },
    )
    pages = [ok(desk.alice.get(f"{ENDED}?limit=2&page={page}")) for page in (1, 2, 3)]
    assert pages == [ended[:2], ended[2:], []]
    assert ok(desk.alice.get(f"{ENDED}?symbol=ETHUSDT")) == ok(desk.bob.get(ENDED)) == []
    everything = ok(desk.alice.get(f"{V3}/allAlgoOrders"))["orders"]
    assert {found["orderType"] for found in everything} == {"STOP_MARKET", "TRAILING_STOP_MARKET"}


def test_a_wrong_page(desk: Desk) -> None:
    for path in (OPEN, ENDED):
        refused(desk.alice.get(f"{path}?page=0"), -1140, "'page'", "1 to 100000")
