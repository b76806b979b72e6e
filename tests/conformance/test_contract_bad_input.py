"""Contract rows of docs/bad-input.md, sent to a live venue: each answer; nothing moved."""

from __future__ import annotations

from typing import Any

import pytest

from support.client import Answer
from support.refusals import contracts
from support.refusals.cases import Accepted, Case
from support.refusals.contract_orders import BATCH
from support.refusals.contract_stage import (
    ACCOUNT,
    BOBS_ASK,
    BOBS_STOP,
    ISOLATED_ID,
    ORDER,
    UNKNOWN_ID,
    V3,
    contract_order,
    place,
)
from support.refusals.stage import Stage
from support.refusals.watching import error_of, told, watched


def _name(case: Any) -> str:
    return str(case.row)


def item_of(answer: Answer) -> tuple[str, str]:
    """Code and message of the one refused item of a batch: placements answer with an array."""
    assert answer.headers["content-type"] == "application/json"
    found, client_id = answer.json, "clientOrderId"
    if isinstance(found, dict):
        found, client_id = found["orderList"], "origClientOrderId"
    (item,) = found
    assert list(item) == ["orderId", client_id, "success", "errorCode", "errorMessage"]
    assert item["success"] is False
    return item["errorCode"], item["errorMessage"]


@pytest.mark.parametrize("case", contracts.CASES, ids=_name)
def test_refused(contract_stage: Stage, case: Case) -> None:
    answer, commands = watched(contract_stage, case)
    assert answer.status == case.status, answer
    code, message = error_of(answer) if isinstance(case.code, int) else item_of(answer)
    assert code == case.code, message
    told(case, message)
    assert commands == (1 if case.engine else 0)


@pytest.mark.parametrize("case", contracts.ACCEPTED, ids=_name)
def test_accepted(contract_stage: Stage, case: Accepted) -> None:
    request = Case(*case[:4], 0, (), case.who, 200, case.headers)
    answer, commands = watched(contract_stage, request)
    assert answer.status == 200, answer
    assert answer.headers.get("x-venue-ignored", "") == case.ignored
    assert commands == 0


@pytest.mark.parametrize(
    ("method", "path", "bobs"),
    [
        ("GET", ORDER, BOBS_ASK),
        ("DELETE", ORDER, BOBS_ASK),
        ("DELETE", f"{V3}/algoOrder", BOBS_STOP),
    ],
)
def test_nobody_elses_order_looks_like_none(
    contract_stage: Stage, method: str, path: str, bobs: int
) -> None:
    for form in ("orderId={}", "origClientOrderId=v-{}"):
        targets = [f"{path}?{form.format(number)}" for number in (bobs, UNKNOWN_ID)]
        said = [contract_stage.send(Case("Q6", method, to, None, 0, ())) for to in targets]
        assert said[0].body == said[1].body
        assert said[0].status == said[1].status


def test_nobody_elses_order_is_shown_by_a_cursor(contract_stage: Stage) -> None:
    ours = contract_stage.act("alice", "GET", f"{V3}/openOrders?orderId={BOBS_ASK - 2}")
    assert [row["clientOrderId"] for row in ours] == ["alice-rests"]
    assert contract_stage.act("alice", "GET", f"{V3}/openOrders?orderId={BOBS_ASK - 1}") == []


def test_a_batch_placement_that_is_switched_off(contract_stage: Stage) -> None:
    contract_stage.operate("settings", contractBatchPlace=False)
    try:
        request = Case("D0", "POST", BATCH, {"batchOrders": [contract_order()]}, -1150, ())
        answer, commands = watched(contract_stage, request)
    finally:
        contract_stage.operate("settings", contractBatchPlace=True)
    code, told = error_of(answer)
    assert code == -1150
    assert told.startswith("Request method 'POST' not supported; the setting contractBatchPlace is")
    assert (answer.status, commands) == (400, 0)


def test_a_client_id_twice_in_a_batch(contract_stage: Stage) -> None:
    one = contract_order(
        price="50000", quantity="0.0001", timeInForce="GTC", newClientOrderId="both"
    )
    body = {"batchOrders": [one, one, {**one, "quantity": "0.0002"}]}
    first, second, third = contract_stage.act("grace", "POST", BATCH, body)
    assert second == first
    assert (third["success"], third["orderId"]) == (False, "")
    assert (third["errorCode"], third["clientOrderId"]) == ("CLIENT_OID_LENGTH_ERROR", "both")
    (canceled,) = contract_stage.act("grace", "DELETE", f"{V3}/allOpenOrders?symbol=BTCUSDT")
    assert str(canceled["orderId"]) == first["orderId"]


def test_an_order_that_is_not_there_twice_in_a_batch(contract_stage: Stage) -> None:
    one = contract_order(price="50000", quantity="0.0001", newClientOrderId="twice")
    order_id = place(contract_stage, "grace", one)
    body = {"orderIdList": [order_id, order_id], "origClientOrderIdList": ["twice"]}
    items = contract_stage.act("grace", "DELETE", BATCH, body)["orderList"]
    assert [item["success"] for item in items] == [True, False, False]
    assert [item["errorMessage"] for item in items] == ["", *["order not found"] * 2]


def test_a_client_id_twice_is_one_order(contract_stage: Stage) -> None:
    one = contract_order(price="50000", quantity="0.0001", newClientOrderId="again")
    first = contract_stage.act("grace", "POST", ORDER, one)
    assert contract_stage.act("grace", "POST", ORDER, {**one, "timeInForce": "GTC"}) == first
    assert len(contract_stage.act("grace", "GET", f"{V3}/openOrders")) == 1
    (canceled,) = contract_stage.act("grace", "DELETE", f"{V3}/allOpenOrders?symbol=btcusdt")
    assert canceled["success"] is True


def test_a_position_that_cannot_be_closed_says_why(contract_stage: Stage) -> None:
    body = {"symbol": "ETHSUSDT"}
    request = Case("E5", "POST", f"{V3}/closePositions", body, 0, (), engine=True)
    answer, commands = watched(contract_stage, request)
    assert (answer.status, commands) == (200, 1)
    (item,) = answer.json
    assert item["positionId"] == ISOLATED_ID
    assert item["success"] is False
    assert item["successOrderId"] == 0
    assert "no liquidity" in item["errorMessage"]


def test_leverages_come_one_at_a_time_as_numbers_for_either_mode(contract_stage: Stage) -> None:
    def change(**leverages: Any) -> tuple[str, str, str, str]:
        body = {"symbol": "ETHUSDT", **leverages}
        found = contract_stage.act("alice", "POST", f"{ACCOUNT}/leverage", body)
        return (
            found["marginType"],
            found["crossLeverage"],
            found["isolatedLongLeverage"],
            found["isolatedShortLeverage"],
        )

    assert change(crossLeverage=10) == ("CROSSED", "10", "0", "0")
    assert change(isolatedLongLeverage="15") == ("CROSSED", "10", "15", "0")
    assert change(marginType="ISOLATED", crossLeverage="11")[0:2] == ("ISOLATED", "11")
    assert change(marginType="CROSSED", isolatedShortLeverage=7)[0] == "CROSSED"


def test_the_venue_goes_on(contract_stage: Stage) -> None:
    order_id = place(contract_stage, "alice", contract_order(price="59000"))
    view = contract_stage.act("alice", "GET", f"{ORDER}?orderId={order_id}")
    assert view["status"] == "NEW"
    contract_stage.act("alice", "DELETE", f"{ORDER}?orderId={order_id}")


def test_no_secret_was_said(contract_stage: Stage) -> None:
    errors = contract_stage.server.errors.read_bytes()
    secrets = [*contract_stage.secrets, "demo-alice-secret", "demo-bob-secret"]
    assert len(contract_stage.answers) > 100
    for secret in secrets:
        assert secret.encode() not in errors
        assert not [answer for answer in contract_stage.answers if secret.encode() in answer]
    assert b"Traceback" not in errors
