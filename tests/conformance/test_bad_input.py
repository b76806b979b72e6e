"""Everything docs/bad-input.md lists, sent to a live venue: the answer, and that nothing moved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer
from support.refusals import (
    access,
    contracts,
    countdowns,
    numbers,
    operators,
    orders,
    reads,
    transport,
)
from support.refusals.cases import Accepted, Case, Raw, but, order
from support.refusals.stage import Stage
from support.refusals.watching import TRIES_MAX, error_of, told, watched

PAGE = Path(__file__).parents[2] / "docs" / "bad-input.md"
TABLES = (transport, access, numbers, orders, reads, countdowns, operators)
CASES = [case for table in TABLES for case in table.CASES]
ITEM = order(symbol=..., timeInForce="GTC")
ACCEPTED = [case for table in (transport, access, orders, reads) for case in table.ACCEPTED]


def _name(case: Any) -> str:
    return str(case.row if hasattr(case, "row") else case[0])


def item_of(answer: Answer) -> tuple[str, str]:
    """Code and message of the one refused item of a batch."""
    assert answer.headers["content-type"] == "application/json"
    (item,) = answer.json["orderList"]
    assert "orderId" not in item
    if "errorCode" in item:
        assert list(item) == ["symbol", "clientOrderId", "transactTime", "errorCode", "errorMsg"]
        return item["errorCode"], item["errorMsg"]
    assert list(item) == ["status", "errorMsg"]
    return item["status"], item["errorMsg"]


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_refused(stage: Stage, case: Case) -> None:
    answer, commands = watched(stage, case)
    assert answer.status == case.status, answer
    code, message = error_of(answer) if isinstance(case.code, int) else item_of(answer)
    assert code == case.code, message
    told(case, message)
    assert commands == (1 if case.engine else 0)


@pytest.mark.parametrize("case", ACCEPTED, ids=_name)
def test_accepted(stage: Stage, case: Accepted) -> None:
    request = Case(*case[:4], 0, (), case.who, 200, case.headers)
    answer, commands = watched(stage, request)
    assert answer.status == 200, answer
    assert answer.headers.get("x-venue-ignored", "") == case.ignored
    assert commands == 0


@pytest.mark.parametrize(("row", "path"), transport.UNKNOWN_PATHS)
def test_unknown_path(stage: Stage, row: str, path: str) -> None:
    request = Case(row, "GET", path, None, 404, (), "alice", 404, but())
    answer, commands = watched(stage, request)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/json"
    assert list(answer.json)[:4] == ["timestamp", "status", "error", "path"]
    assert set(answer.json) - {"message"} == {"timestamp", "status", "error", "path"}
    assert commands == 0


@pytest.mark.parametrize("case", transport.RAW, ids=_name)
def test_malformed(stage: Stage, case: Raw) -> None:
    for _ in range(TRIES_MAX):  # time may pass in between, by a command of its own
        state, sequence = stage.health()
        answer = stage.raw(case.request, ends=case.status == 0)
        now, count = stage.health()
        if count == sequence:
            break
    assert (now, count) == (state, sequence)
    if case.status == 0:
        assert answer == b""
        return
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % case.status), answer
    assert b"\r\ncontent-type: application/json" in head
    assert b"\r\nconnection: close" in head
    assert body.startswith(b'{"code":-1000,"msg":"')
    assert case.words.encode() in body
    assert answer.count(b"HTTP/1.1") == 1


def test_a_thousand_requests_in_one_breath(stage: Stage) -> None:
    request = b"GET /api/v3/ping HTTP/1.1\r\nHost: {host}\r\n\r\n"
    last = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    answer = stage.raw(request * 999 + last)
    assert answer.count(b"HTTP/1.1 200 OK") == 1_000


def test_http_1_0_needs_no_host(stage: Stage) -> None:
    assert stage.raw(b"GET /api/v3/ping HTTP/1.0\r\n\r\n").endswith(b"{}")


def test_a_refused_batch_placement_that_is_switched_off(stage: Stage) -> None:
    stage.operate("settings", batchPlace=False)
    try:
        request = orders.batch("P0", -1150, "Request method 'POST' not supported")
        answer, commands = watched(stage, request)
    finally:
        stage.operate("settings", batchPlace=True)
    code, told = error_of(answer)
    assert code == -1150
    assert told.startswith("Request method 'POST' not supported; the setting batchPlace is false")
    assert (answer.status, commands) == (400, 0)


def test_wrong_passphrases_lock_the_key_out(stage: Stage) -> None:
    words = ["passphrase in ACCESS-PASSPHRASE"] * 10 + ["Too many wrong passphrases"] * 2
    before = stage.client.get("/_venue/health").json
    for number, word in enumerate(words):  # each is sent once: a repetition would count too
        wrong = but() if number == 11 else but(ACCESS_PASSPHRASE=f"wrong-{number}-planted")
        request = Case("G13", "GET", "/api/v3/openOrders", None, 0, (), "doubted", headers=wrong)
        code, message = error_of(stage.send(request))
        assert code == -1049
        assert word in message
    after = stage.client.get("/_venue/health").json
    seconds = (after["venueTime"] - before["venueTime"]) // 1_000
    assert after["sequence"] - before["sequence"] <= seconds + 1  # nothing but time passing


def test_nobody_elses_order_looks_like_none(stage: Stage) -> None:
    for form in ("orderId={}", "origClientOrderId=v-{}"):
        said = [
            stage.send(Case("Q6", "GET", f"{orders.ORDER}?{form.format(number)}", None, 0, ()))
            for number in (orders.BOBS, orders.UNKNOWN_ID)
        ]
        assert said[0].body == said[1].body
        assert said[0].status == said[1].status


def test_what_an_account_may_not_afford_twice(stage: Stage) -> None:
    one = {**ITEM, "quantity": "0.001"}
    body = {"symbol": "BTCUSDT", "orderList": [one, one, {**one, "quantity": "0.0006"}]}
    first, second, third = stage.act("grace", "POST", orders.BATCH, body)["orderList"]
    assert "orderId" in first
    assert second["errorCode"] == "INSUFFICIENT_BALANCE"
    assert "orderId" in third
    ids = [first["orderId"], third["orderId"], first["orderId"]]
    answer = stage.act("grace", "DELETE", orders.BATCH, {"orderIds": ids})
    assert [item["status"] for item in answer["orderList"]] == ["CANCELED", "CANCELED", "EXPIRED"]


def test_the_whole_balance_may_be_spent(stage: Stage) -> None:
    body = {"symbol": "BTCUSDT", "orderList": [{**ITEM, "price": "50000", "quantity": "0.002"}]}
    (placed,) = stage.act("grace", "POST", orders.BATCH, body)["orderList"]
    (balance,) = stage.act("grace", "GET", "/api/v3/account/")["balances"]
    assert (balance["free"], balance["locked"]) == ("0.00000000", "100.00000000")
    by_client_id = {"orderIds": [], "origClientOrderIds": [f"v-{placed['orderId']}"]}
    (ended,) = stage.act("grace", "DELETE", orders.BATCH, by_client_id)["orderList"]
    assert ended == {"status": "CANCELED", "orderId": placed["orderId"]}


def test_a_client_id_twice_in_a_batch(stage: Stage) -> None:
    one = {**ITEM, "price": "50000", "quantity": "0.0005", "newClientOrderId": "twice"}
    body = {"symbol": "BTCUSDT", "orderList": [one, one, {**one, "quantity": "0.0006"}]}
    first, second, third = stage.act("grace", "POST", orders.BATCH, body)["orderList"]
    assert second["orderId"] == first["orderId"]
    assert third["errorCode"] == "CLIENT_OID_LENGTH_ERROR"
    assert len(stage.act("grace", "GET", "/api/v3/openOrders")) == 1
    stage.act("grace", "DELETE", "/api/v3/openOrders?symbol=BTCUSDT")


@pytest.mark.parametrize("time_in_force", ["FOK", "IOC"])
def test_what_nobody_takes_expires(stage: Stage, time_in_force: str) -> None:
    one = {**ITEM, "quantity": "0.001", "timeInForce": time_in_force}
    body = {"symbol": "BTCUSDT", "orderList": [one]}
    (placed,) = stage.act("grace", "POST", orders.BATCH, body)["orderList"]
    view = stage.act("grace", "GET", f"/api/v3/order?orderId={placed['orderId']}")
    assert (view["status"], view["executedQty"]) == ("EXPIRED", "0.00000")


def test_the_page_and_the_tables_say_the_same() -> None:
    sent: dict[str, list[str]] = {}
    for case in [*CASES, *contracts.CASES]:
        sent.setdefault(case.row, []).append(str(case.code))
    for accepted in [*ACCEPTED, *contracts.ACCEPTED]:
        sent.setdefault(accepted.row, []).append("200")
    for row, _ in transport.UNKNOWN_PATHS:
        sent.setdefault(row, []).append("404")
    for raw in transport.RAW:
        sent.setdefault(raw.row, []).append("-1000" if raw.status else "closed")
    for row, code in (*ELSEWHERE, *contracts.ELSEWHERE):
        sent.setdefault(row, []).append(code)
    found = {
        cells[1].strip(): re.findall(r"`([^`]+)`", cells[3])
        for cells in (line.split("|") for line in PAGE.read_text().splitlines())
        if len(cells) > 4 and re.fullmatch(r" [A-Z][0-9]+ ", cells[1])
    }
    assert {row: sorted(codes) for row, codes in found.items()} == {
        row: sorted(set(codes)) for row, codes in sent.items()
    }


# Rows with a test of their own, here or in the files beside this one.
ELSEWHERE = (
    ("G13", "-1049"),
    ("G18", "200"),
    ("G18", "-1048"),
    ("G35", "-1003"),
    ("G37", "200"),
    ("G38", "-1000"),
    ("P0", "-1150"),
    ("P19", "200"),
    ("P21", "200"),
    ("P23", "200"),
    ("P30", "200"),
    ("C5", "EXPIRED"),
    ("C13", "200"),
)


def test_the_venue_goes_on(stage: Stage) -> None:
    answer = stage.act("alice", "POST", "/api/v3/order", order(price="59000"))
    view = stage.act("alice", "GET", f"/api/v3/order?orderId={answer['orderId']}")
    assert view["status"] == "NEW"
    stage.act("alice", "DELETE", f"/api/v3/order?orderId={answer['orderId']}")


def test_no_secret_was_said(stage: Stage) -> None:
    errors = stage.server.errors.read_bytes()
    secrets = [*stage.secrets, "demo-alice-secret", "demo-bob-secret", "-planted"]
    assert len(stage.answers) > 100
    for secret in secrets:
        assert secret.encode() not in errors
        assert not [answer for answer in stage.answers if secret.encode() in answer]
    assert b"Traceback" not in errors
