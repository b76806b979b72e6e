"""A signed request that comes again: its answer again, and no second effect (row G18)."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer
from support.refusals.cases import Headers, order, signed
from support.refusals.stage import Stage
from support.server import Server

ORDER = "/api/v3/order"
BATCH = "/api/v3/order/batch"
REPEATED = "x-venue-repeated"


def captured(stage: Stage, method: str, target: str, body: Any) -> tuple[str, str, bytes, Headers]:
    """A request as it goes over the wire, to be sent more than once."""
    raw = b"" if body is None else json.dumps(body).encode()
    return method, target, raw, signed(stage.accounts["alice"], method, target, raw)


REQUESTS = [
    ("POST", ORDER, order(price="50000"), 200),
    ("POST", ORDER, order(price="64000", quantity="0.0001"), 200),
    ("POST", ORDER, order(quantity="900"), 400),
    ("POST", ORDER, order(side="buy"), 400),
    ("POST", BATCH, {"symbol": "BTCUSDT", "orderList": [order(timeInForce="GTC")] * 2}, 200),
    ("DELETE", "/api/v3/openOrders?symbol=BTCUSDT", None, 200),
    ("DELETE", BATCH, {"orderIds": [1]}, 200),
    ("POST", "/api/v3/cancelAllAfter", {"timeout": 0}, 200),
    ("POST", "/capi/v3/cancelAllAfter", {"timeout": 4}, 400),
]


@pytest.mark.parametrize(("method", "target", "body", "status"), REQUESTS)
def test_a_repetition_gets_the_same_answer(
    stage: Stage, method: str, target: str, body: Any, status: int
) -> None:
    request = captured(stage, method, target, body)
    first = stage.request(*request)
    assert first.status == status, first
    assert REPEATED not in first.headers
    for _ in range(20):  # a tick in between is a command of its own, and moves prices' state
        before = stage.health()
        again = [stage.request(*request) for _ in range(3)]
        after = stage.health()
        assert [(answer.status, answer.body) for answer in again] == [(status, first.body)] * 3
        assert [answer.headers.get(REPEATED) for answer in again] == ["true"] * 3
        if after == before:
            break
    assert after == before


def test_reads_may_be_repeated(stage: Stage) -> None:
    request = captured(stage, "GET", "/api/v3/openOrders", None)
    answers = [stage.request(*request) for _ in range(3)]
    assert [answer.status for answer in answers] == [200] * 3
    assert [answer.headers.get(REPEATED) for answer in answers] == [None] * 3


def test_repetitions_at_once_place_one_order(stage: Stage) -> None:
    method, target, raw, headers = captured(stage, "POST", ORDER, order(price="51000"))
    plain = {name: str(value) for name, value in headers.items()}
    answers: list[Answer] = []

    def send() -> None:
        client = stage.server.client()
        answers.append(client.call(method, target, raw, dict(plain)))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status for answer in answers] == [200] * 8
    assert len({answer.body for answer in answers}) == 1
    assert sorted(answer.headers.get(REPEATED, "") for answer in answers) == [""] + ["true"] * 7
    found = stage.act("alice", "GET", "/api/v3/openOrders?symbol=BTCUSDT")
    assert [view["price"] for view in found].count("51000.00") == 1
    stage.act("alice", "DELETE", f"{ORDER}?orderId={answers[0].json['orderId']}")


def test_after_a_kill_the_answer_is_gone_and_the_order_is_there_once(tmp_path: Path) -> None:
    arguments = ("--no-agents", "--state", str(tmp_path / "state"))
    with Server(*arguments, folder=tmp_path) as server:
        alice = server.client("alice")
        raw = json.dumps(order()).encode()
        headers = alice.headers("POST", ORDER, raw)
        first = alice.call("POST", ORDER, raw, headers)
        assert first.status == 200
        server.kill()
    with Server(*arguments, folder=tmp_path) as server:
        operator, alice = server.client(), server.client("alice")
        for _ in range(20):  # a tick in between is a command of its own, and moves prices' state
            before = operator.get("/_venue/health").json
            again = alice.call("POST", ORDER, raw, headers)
            after = operator.get("/_venue/health").json
            assert again.status == 400
            assert again.json["code"] == -1048
            assert again.headers[REPEATED] == "true"
            assert "query the order" in again.json["msg"]
            if after["sequence"] == before["sequence"]:
                break
        assert after["sequence"] == before["sequence"]
        assert after["stateHash"] == before["stateHash"]
        (view,) = alice.get("/api/v3/openOrders").json
        assert view["orderId"] == first.json["orderId"]
        assert alice.post(ORDER, order()).status == 200


def test_after_a_kill_contract_requests_are_known_too(tmp_path: Path) -> None:
    arguments = ("--no-agents", "--state", str(tmp_path / "state"))
    path = "/capi/v3/account/leverage"
    body = {"symbol": "BTCUSDT", "marginType": "CROSSED", "crossLeverage": "10"}
    with Server(*arguments, folder=tmp_path) as server:
        alice = server.client("alice")
        raw = json.dumps(body).encode()
        headers = alice.headers("POST", path, raw)
        assert alice.call("POST", path, raw, headers).status == 200
        assert alice.post(path, {**body, "crossLeverage": "20"}).status == 200
        server.kill()
    with Server(*arguments, folder=tmp_path) as server:
        alice = server.client("alice")
        again = alice.call("POST", path, raw, headers)
        assert (again.status, again.json["code"]) == (400, -1048)
        found = alice.get("/capi/v3/account/symbolConfig?symbol=BTCUSDT").json
        assert found[0]["crossLeverage"] == "20"
