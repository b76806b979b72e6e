"""Lines of the interface document that are easily missed, as a live venue answers them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer
from support.clocked import AHEAD
from support.contract_desk import V3, place
from support.contract_raw import LONG, SHORT, posted
from support.raw import Desk, ok, operate, order, refused
from support.server import Server
from support.shapes import Number

SPOT = "/api/v3"
PRICES = {"BTCUSDT": "60000", "ETHUSDT": "3000", "BTCSUSDT": "60000"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("lines")
    with Server("--no-agents", "--batch-place", folder=folder) as server:
        desk = Desk(server)
        for symbol, price in PRICES.items():
            operate(desk, "contracts/change", {"symbol": symbol, "indexSources": ["desk"]})
            operate(desk, "index", posted(symbol, "desk", price))
        yield desk
        desk.close()


# -- items of a batch (4.1, protocol 2.7) ---------------------------------------------------------


def bid(name: str, **more: Any) -> dict[str, Any]:
    return order("BTCUSDT", "BUY", "0.01", "50000", timeInForce="GTC", newClientOrderId=name) | more


def test_an_item_of_another_symbol_is_refused_alone(desk: Desk) -> None:
    items = [bid("same"), bid("other", symbol="ETHUSDT"), bid("lower", symbol="btcusdt")]
    answer = desk.alice.post(f"{SPOT}/order/batch", {"symbol": "btcusdt", "orderList": items})
    same, other, lower = ok(answer)["orderList"]
    assert (other["errorCode"], other["clientOrderId"]) == ("PARAM_VALIDATE_ERROR", "other")
    assert other["errorMsg"] == (
        "Parameter 'symbol' is out of range: must be the batch's, BTCUSDT, or absent."
    )
    open_ids = [row["orderId"] for row in ok(desk.alice.get(f"{SPOT}/openOrders"))]
    assert open_ids == [same["orderId"], lower["orderId"]]
    ok(desk.alice.delete(f"{SPOT}/openOrders?symbol=BTCUSDT"))


def test_unknown_fields_of_items_are_named(desk: Desk) -> None:
    odd = bid("odd") | {"a]\n": 1}
    items = [bid("plain"), bid("more", postOnly=True, stopPrice="1"), "none", odd]
    body = {"symbol": "BTCUSDT", "orderList": items, "reduceOnly": True}
    answer = desk.alice.post(f"{SPOT}/order/batch", body)
    assert [row.get("errorCode") for row in ok(answer)["orderList"]] == [
        None, None, "PARAM_ERROR", None,
    ]  # fmt: skip
    assert answer.headers["x-venue-ignored"] == (
        "reduceOnly,orderList[1].postOnly,orderList[1].stopPrice,orderList[3].a]?"
    )
    ok(desk.alice.delete(f"{SPOT}/openOrders?symbol=BTCUSDT"))


def test_unknown_fields_of_contract_items_are_named(desk: Desk) -> None:
    items = [bid("plain") | LONG, bid("more", reduceOnly=True, timeinforce="FOK") | LONG]
    answer = desk.alice.post(f"{V3}/batchOrders", {"batchOrders": items})
    assert [row["success"] for row in ok(answer)] == [True, True]
    assert answer.headers["x-venue-ignored"] == (
        "batchOrders[1].reduceOnly,batchOrders[1].timeinforce"
    )
    known = desk.alice.post(f"{V3}/batchOrders", {"batchOrders": [bid("known") | LONG]})
    assert "x-venue-ignored" not in known.headers
    assert len(ok(desk.alice.delete(f"{V3}/allOpenOrders"))) == 3


# -- bills (4.7) ----------------------------------------------------------------------------------


def bills(desk: Desk, **asked: Any) -> list[int]:
    found = ok(desk.alice.post(f"{SPOT}/account/bills", {"limit": 100, **asked}))
    return [int(row["billId"]) for row in found]


def test_small_cursors_are_bill_ids(desk: Desk) -> None:
    every = bills(desk)
    assert len(every) > 1
    assert bills(desk, after=0) == bills(desk, after="1") == bills(desk, after=10**12 - 1) == every
    assert bills(desk, before=0) == bills(desk, before=1) == bills(desk, before=10**12 - 1) == []
    assert bills(desk, after=1, before=every[0]) == every[1:]
    assert bills(desk, after=10**12) == every  # a time in 2001
    refused(desk.alice.post(f"{SPOT}/account/bills", {"after": 5, "before": 4}), -1171, "'after'")
    refused(desk.alice.post(f"{SPOT}/account/bills", {"after": -1}), -1140, "'after'", "0 to")


# -- leverage, candles ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["20.00", "20.0", "020", Number("20.00")])
def test_zero_decimals_of_a_leverage_mean_nothing(desk: Desk, text: str) -> None:
    sent = f'"{text}"' if type(text) is str else str(text)
    body = b'{"symbol":"BTCUSDT","crossLeverage":%s}' % sent.encode()
    assert ok(desk.bob.post(f"{V3}/account/leverage", body))["crossLeverage"] == "20"


@pytest.mark.parametrize("text", ["20.", "20.01", ".0", "20.0.0", "0.00", "501.00", "1e1"])
def test_other_decimals_of_a_leverage_do(desk: Desk, text: str) -> None:
    body = {"symbol": "BTCUSDT", "crossLeverage": text}
    refused(desk.bob.post(f"{V3}/account/leverage", body), -3313, "1 to 500")


def test_a_hundred_candles_are_usual(desk: Desk) -> None:
    path = f"{SPOT}/market/klines?symbol=BTCUSDT&interval=1m"
    usual = ok(desk.anyone.get(path))
    assert len(usual) == 100
    assert usual == ok(desk.anyone.get(f"{path}&limit=100"))


# -- lists ----------------------------------------------------------------------------------------

PAGED = {
    f"{SPOT}/allOrders?symbol=BTCUSDT&limit=1000&page=": (10_000, 10_001),
    f"{V3}/openOrders?limit=100&page=": (100_000, 100_001),
    f"{V3}/order/history?limit=1000&page=": (10_000, 10_001),
    f"{V3}/sim/order/history?limit=1000&page=": (10_000, 10_001),
    f"{V3}/order/history?page=": (20_000, 20_001),
    f"{V3}/openAlgoOrders?limit=100&page=": (100_000, 100_001),
}


@pytest.mark.parametrize("path", PAGED)
def test_a_page_too_far_is_refused_and_one_beyond_the_end_is_empty(desk: Desk, path: str) -> None:
    last, beyond = PAGED[path]
    assert desk.alice.get(f"{path}{last}").body == b"[]"
    refused(desk.alice.get(f"{path}{beyond}"), -1140, "'page'")


def test_a_page_too_far_is_refused_in_bodies_too(desk: Desk) -> None:
    path = f"{SPOT}/account/fundingBills"
    assert ok(desk.alice.post(path, {"pageIndex": 100_000, "pageSize": 100}))["items"] == []
    path, sizes = f"{SPOT}/tax/income", {"limit": 200}
    assert ok(desk.alice.post(path, {"page": 50_000, **sizes})) == []
    refused(desk.alice.post(path, {"page": 50_001, **sizes}), -1140, "'page'", "'limit'")


def test_a_start_in_the_future_is_refused_where_the_range_is_bounded(desk: Desk) -> None:
    now = int(ok(desk.anyone.get(f"{V3}/market/time"))["serverTime"])
    soon, later = now + 20_000, now + 3_600_000
    lists = (
        "order/history?", "allAlgoOrders?", "userTrades?", "sim/order/history?",
        "market/historyKlines?symbol=BTCUSDT&interval=1m&",
    )  # fmt: skip
    for path in lists:
        late = f"{V3}/{path}startTime={later}"
        refused(desk.alice.get(late), -1170, "'startTime'", "future")
        refused(desk.alice.get(f"{late}&endTime={later}"), -1170, "'startTime'", "future")
        assert desk.alice.get(f"{V3}/{path}startTime={soon}").status == 200  # a clock may be ahead
        assert desk.alice.get(f"{V3}/{path}endTime={later}").status == 200
    income = f"{V3}/account/income"
    for more in ({}, {"endTime": later}):
        asked = {"startTime": later, **more}
        refused(desk.alice.post(income, asked), -1170, "'startTime'", "future")
    assert ok(desk.alice.post(income, {"startTime": soon}))["items"] == []
    # Where it is not bounded, nothing is there yet.
    assert ok(desk.alice.get(f"{SPOT}/allOrders?symbol=BTCUSDT&startTime={later}")) == []


# -- what acts on everything (protocol 2.7, 2.8) --------------------------------------------------

BOTH = ("BTCUSDT", "BTCSUSDT")  # one settles in demo money
NUMBERS = count()


@pytest.fixture
def busy(desk: Desk) -> Iterator[Desk]:
    """Alice has in both contracts a position, an order and a conditional order; bob can close."""
    for symbol in BOTH:
        terms = {"symbol": symbol, "quantity": "0.01"}
        name = f"stop-{symbol}-{next(NUMBERS)}"
        place(desk, "bob", bid("", side="SELL", price="60000") | SHORT | terms)
        place(desk, "alice", bid("", price="60000") | LONG | terms)
        place(desk, "bob", bid("", price="59990") | LONG | terms)
        place(desk, "alice", bid("", price="50000") | LONG | terms)
        stop = {"side": "SELL", "type": "STOP_MARKET", "triggerPrice": "40000"} | LONG | terms
        place(desk, "alice", stop | {"clientAlgoId": name}, f"{V3}/algoOrder")
    yield desk
    for symbol in BOTH:
        place(desk, "bob", bid("", symbol=symbol, price="59990") | LONG)
        ok(desk.alice.post(f"{V3}/closePositions", {"symbol": symbol}))
        for client in (desk.alice, desk.bob):
            ok(client.delete(f"{V3}/allOpenOrders?symbol={symbol}"))
            ok(client.delete(f"{V3}/algoOpenOrders?symbol={symbol}"))


def held(desk: Desk, symbol: str) -> tuple[int, int, int]:
    """How many positions, orders and conditional orders alice has in a contract."""
    positions = ok(desk.alice.get(f"{V3}/account/position/singlePosition?symbol={symbol}"))
    orders = ok(desk.alice.get(f"{V3}/openOrders?symbol={symbol}"))
    algos = ok(desk.alice.get(f"{V3}/openAlgoOrders?symbol={symbol}"))
    return len(positions), len(orders), len(algos)


def test_an_empty_text_never_means_everything(busy: Desk) -> None:
    before = [held(busy, symbol) for symbol in BOTH]
    bodies = (
        {"symbol": "", "positionId": ""}, {"symbol": ""}, {"positionId": ""}, {"symbol": None},
        {"symbol": "BTCUSDT", "positionId": ""}, {"symbol": "", "positionId": 1},
    )  # fmt: skip
    for body in bodies:
        refused(busy.alice.post(f"{V3}/closePositions", body), -1140, "must not be empty")
    for path in ("allOpenOrders", "algoOpenOrders"):
        for query in ("?symbol=", "?symbol"):
            answer = busy.alice.delete(f"{V3}/{path}{query}")
            refused(answer, -1140, "'symbol'", "must not be empty", "leave it out to mean all")
    refused(busy.alice.delete(f"{SPOT}/openOrders?symbol="), -1141, "'symbol'")
    assert [held(busy, symbol) for symbol in BOTH] == before == [(1, 1, 1)] * 2


def test_without_a_symbol_they_act_on_what_the_lists_show(busy: Desk) -> None:
    (held_position,) = ok(busy.alice.get(f"{V3}/account/position/allPosition"))
    (order_row,) = ok(busy.alice.get(f"{V3}/openOrders"))
    (algo_row,) = ok(busy.alice.get(f"{V3}/openAlgoOrders"))
    (canceled,) = ok(busy.alice.delete(f"{V3}/algoOpenOrders"))
    assert canceled["orderId"] == algo_row["algoId"]
    (canceled,) = ok(busy.alice.delete(f"{V3}/allOpenOrders"))
    assert canceled["orderId"] == order_row["orderId"]
    (closed,) = ok(busy.alice.post(f"{V3}/closePositions", {}))
    assert (closed["positionId"], closed["success"]) == (held_position["id"], True)
    assert [held(busy, symbol) for symbol in BOTH] == [(0, 0, 0), (1, 1, 1)]
    # By name they reach demo contracts: a position by its id as well.
    (demo,) = ok(busy.alice.get(f"{V3}/account/position/singlePosition?symbol=BTCSUSDT"))
    (closed,) = ok(busy.alice.post(f"{V3}/closePositions", {"positionId": demo["id"]}))
    assert (closed["positionId"], closed["success"]) == (demo["id"], True)


# -- what became of orders ------------------------------------------------------------------------


def test_the_actual_price_is_the_one_it_was_executed_at(desk: Desk) -> None:
    symbol = {"symbol": "ETHUSDT"}
    place(desk, "bob", bid("", side="SELL", price="3000", quantity="1") | SHORT | symbol)
    place(desk, "alice", bid("", price="3000", quantity="1") | LONG | symbol)
    common = {"side": "SELL", "quantity": "0.5", "price": ...} | LONG | symbol
    algo = f"{V3}/algoOrder"
    for name, more in (
        ("average", {"type": "STOP_MARKET", "triggerPrice": "2990"}),
        ("unfilled", {"type": "STOP", "triggerPrice": "2989", "price": "3100"}),
        ("ended", {"type": "STOP_MARKET", "triggerPrice": "2000"}),
    ):
        sent = {key: value for key, value in (common | more).items() if value is not ...}
        place(desk, "alice", sent | {"clientAlgoId": name}, algo)
    ok(desk.alice.delete(f"{algo}?origClientOrderId=ended"))
    for price, quantity in (("2980", "0.3"), ("2970", "0.3"), ("2989", "0.1")):
        place(desk, "bob", bid("", price=price, quantity=quantity) | LONG | symbol)
    # The last price falls to what two of them wait for; the first takes both bids.
    place(desk, "alice", bid("", side="SELL", price="2989", quantity="0.1") | LONG | symbol)
    orders = ok(desk.alice.get(f"{V3}/allAlgoOrders?symbol=ETHUSDT"))["orders"]
    told = {row["clientAlgoId"]: (row["triggerPrice"], row["actualPrice"]) for row in orders}
    assert told == {
        "average": ("2990.00", "2976.00"),  # 0.3 at 2980 and 0.2 at 2970
        "unfilled": ("2989.00", "0"),
        "ended": ("2000.00", "0"),
    }
    for client in (desk.alice, desk.bob):
        ok(client.delete(f"{V3}/allOpenOrders?symbol=ETHUSDT"))


def test_a_fill_to_the_insurance_fund_has_an_order(desk: Desk) -> None:
    symbol = {"symbol": "SOLSUSDT"}
    operate(desk, "index", posted("SOLSUSDT", "agents", "100"))
    leverage = {**symbol, "crossLeverage": "50"}
    ok(desk.carol.post(f"{V3}/account/leverage", leverage))
    (money,) = [
        row for row in ok(desk.carol.get(f"{V3}/account/balance")) if row["asset"] == "SUSDT"
    ] or [{"balance": "0"}]
    gone = {"owner": "carol", "wallet": "CONTRACT", "asset": "SUSDT", "amount": money["balance"]}
    if Decimal(money["balance"]):
        operate(desk, "withdraw", gone)
    operate(desk, "deposit", gone | {"amount": "300"})
    place(desk, "bob", bid("", side="SELL", price="100", quantity="100") | SHORT | symbol)
    opened = place(desk, "carol", bid("", price="100", quantity="100") | LONG | symbol)
    operate(desk, "index", posted("SOLSUSDT", "agents", "97.5"))
    path = f"{V3}/userTrades?symbol=SOLSUSDT"
    (fill, first) = ok(desk.carol.get(path))
    assert (str(first["orderId"]), fill["side"], fill["qty"]) == (opened, "SELL", "100.000")
    found = ok(desk.carol.get(f"{V3}/order?orderId={fill['orderId']}"))
    told = {name: found[name] for name in ("symbol", "side", "positionSide", "status", "type")}
    assert told == {
        "symbol": "SOLSUSDT", "side": "SELL", "positionSide": "LONG", "status": "FILLED",
        "type": "MARKET",
    }  # fmt: skip
    assert (found["executedQty"], found["origQty"]) == ("100.000", "100.000")
    assert found["cumQuote"] == fill["quoteQty"]
    assert (found["avgPrice"], found["price"]) == (fill["price"], "0")
    assert (found["time"], found["reduceOnly"], found["orderId"]) == (
        fill["time"], True, fill["orderId"],
    )  # fmt: skip
    assert ok(desk.carol.get(f"{V3}/order?origClientOrderId=v-{fill['orderId']}")) == found
    # It is its owner's alone; the fund and the others have no such order.
    refused(desk.alice.get(f"{V3}/order?orderId={fill['orderId']}"), -3200)
    refused(desk.bob.get(f"{V3}/order?orderId={fill['orderId']}"), -3200)


def test_liquidation_fees_arrive_on_the_fee_account_and_go_on_to_the_fund(desk: Desk) -> None:
    symbol = {"symbol": "SOLSUSDT"}
    operate(desk, "index", posted("SOLSUSDT", "agents", "100"))
    operate(desk, "owners", {"name": "eve"})
    operate(
        desk,
        "deposit",
        {"owner": "eve", "wallet": "CONTRACT", "asset": "SUSDT", "amount": "300"},
    )

    def asked(owner: str, path: str, body: dict[str, Any]) -> Any:
        return ok(desk.anyone.post(path, body, headers={"X-Venue-Act-As": owner}))

    asked("eve", f"{V3}/account/leverage", {**symbol, "crossLeverage": "50"})
    place(desk, "bob", bid("", side="SELL", price="100", quantity="100") | SHORT | symbol)
    asked("eve", f"{V3}/order", bid("", price="100", quantity="100") | LONG | symbol)
    place(desk, "alice", bid("", price="97.6", quantity="100") | LONG | symbol)
    income = f"{V3}/account/income"
    kind = {"asset": "SUSDT", "incomeType": "order_liquidate_fee_income"}
    before = asked("fees", income, kind)["items"]
    operate(desk, "index", posted("SOLSUSDT", "agents", "97.7"))
    (fee, *earlier) = asked("fees", income, kind)["items"]
    assert earlier == before
    assert (fee["symbol"], Decimal(fee["income"]) > 0) == ("SOLSUSDT", True)
    assert asked("insurance-fund", income, kind)["items"] == []
    (out, *_) = asked("fees", income, kind | {"incomeType": "transfer_out"})["items"]
    (into, *_) = asked("insurance-fund", income, kind | {"incomeType": "transfer_in"})["items"]
    assert out["income"] == "-" + fee["income"]
    assert into["income"] == fee["income"]
    assert Decimal(out["balance"]) == Decimal(fee["balance"]) - Decimal(fee["income"])


DAYS_S = 91 * 86_400


def test_an_old_order_that_ended_today_is_in_todays_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--no-agents", "--no-history", "--state", str(tmp_path / "state"))
    monkeypatch.setenv(AHEAD, "0")
    with Server(*arguments, folder=tmp_path, program=("support.clocked",)) as server:
        desk = Desk(server)
        operate(desk, "contracts/change", {"symbol": "BTCUSDT", "indexSources": ["desk"]})
        operate(desk, "index", posted("BTCUSDT", "desk", "60000"))
        old = [place(desk, "alice", bid(f"old-{step}") | LONG) for step in range(3)]
        ok(desk.alice.delete(f"{V3}/order?orderId={old[0]}"))
        desk.close()
        assert server.stop() == 0
    monkeypatch.setenv(AHEAD, str(DAYS_S))
    with Server(*arguments, folder=tmp_path, program=("support.clocked",)) as server:
        alice = Later(server)
        operate_later = server.client()
        index = operate_later.post("/_venue/index", posted("BTCUSDT", "desk", "60000"))
        assert index.status == 200, index
        ok(alice.call("DELETE", f"{V3}/order?orderId={old[2]}"))
        new = ok(alice.call("POST", f"{V3}/order", bid("new") | LONG))["orderId"]
        ok(alice.call("DELETE", f"{V3}/order?orderId={new}"))
        ok(alice.call("DELETE", f"{V3}/order?orderId={old[1]}"))
        history = f"{V3}/order/history"
        listed = [str(row["orderId"]) for row in ok(alice.call("GET", history))]
        assert listed == [new, old[2], old[1]]  # newest first, as they were placed
        pages = [ok(alice.call("GET", f"{history}?limit=2&page={page}")) for page in (0, 1, 2)]
        assert [[str(row["orderId"]) for row in page] for page in pages] == [
            [new, old[2]], [old[1]], [],
        ]  # fmt: skip
        # With a time, it is the time of placing that counts.
        recent = f"{history}?startTime={alice.now_ms() - 86_400_000}"
        assert [str(row["orderId"]) for row in ok(alice.call("GET", recent))] == [new]


class Later:
    """Alice, whose clock is as far ahead as the server's."""

    def __init__(self, server: Server) -> None:
        self._client = server.client("alice")

    def call(self, method: str, target: str, body: Any = None) -> Answer:
        raw = b"" if body is None else json.dumps(body).encode()
        headers = self._client.headers(method, target, raw, DAYS_S * 1000)
        return self._client.call(method, target, raw if raw else None, headers)

    def now_ms(self) -> int:
        return int(self._client.get(f"{V3}/market/time").json["serverTime"])
