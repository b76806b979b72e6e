"""Raw answers of a live venue: key set, JSON type and decimals of every field, as documented."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from support.client import Answer, Client
from support.raw import (
    AMOUNT,
    DECIMALS,
    PRICES,
    SYMBOLS,
    UNKNOWN_ID,
    Desk,
    ok,
    operate,
    order,
    refused,
    trading,
)
from support.shapes import (
    INTEGER,
    LONG_ID,
    MS,
    TEXT,
    Shape,
    check,
    decimal,
    is_flag,
    is_list,
    is_null,
    signed,
    text,
    whole,
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with trading(tmp_path_factory.mktemp("raw")) as desk:
        yield desk


# -- orders (sections 2.2, 4.9) -------------------------------------------------------------------


def order_shape(symbol: str, kind: str = "LIMIT") -> Shape:
    price, quantity = DECIMALS[symbol]
    return {
        "symbol": text(symbol),
        "orderId": LONG_ID,
        "clientOrderId": text(".{1,40}"),
        "price": decimal(price) if kind == "LIMIT" else text("0"),
        "origQty": decimal(quantity),
        "executedQty": decimal(quantity),
        "cummulativeQuoteQty": decimal(AMOUNT),
        "status": text("NEW|PARTIALLY_FILLED|FILLED|CANCELED|EXPIRED"),
        "timeInForce": text("GTC|IOC|FOK") if kind == "LIMIT" else text("IOC"),
        "type": text(kind),
        "side": text("BUY|SELL"),
        "time": MS,
        "updateTime": MS,
        "isWorking": is_flag,
    }


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_open_orders(desk: Desk, symbol: str) -> None:
    found = ok(desk.alice.get(f"/api/v3/openOrders?symbol={symbol.lower()}"))
    for row in found:
        check(row, order_shape(symbol))
    price, quantity = DECIMALS[symbol]
    told = [(row["side"], row["status"], row["price"], row["executedQty"]) for row in found]
    limit = PRICES[symbol]
    assert told == [
        ("SELL", "PARTIALLY_FILLED", f"{limit:.{price}f}", f"{0.25:.{quantity}f}"),
        ("BUY", "NEW", f"{limit - 10:.{price}f}", f"{0:.{quantity}f}"),
    ]
    assert [row["isWorking"] for row in found] == [True, True]
    assert found[0]["clientOrderId"] == f"own-{symbol}"
    assert found[0]["cummulativeQuoteQty"] == f"{limit / 4:.8f}"
    assert int(found[0]["time"]) <= int(found[0]["updateTime"])


def test_open_orders_of_all_symbols(desk: Desk) -> None:
    found = ok(desk.alice.get("/api/v3/openOrders"))
    assert [row["symbol"] for row in found] == [symbol for symbol in SYMBOLS for _ in range(2)]
    assert ok(desk.alice.get("/api/v3/openOrders?symbol=")) == found
    assert desk.bob.get("/api/v3/openOrders").body == b"[]"
    refused(desk.bob.get("/api/v3/openOrders?symbol=NOPE"), -2007, "symbol")


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_one_order_and_all_orders(desk: Desk, symbol: str) -> None:
    rows = ok(desk.bob.get(f"/api/v3/allOrders?symbol={symbol}"))
    for row in rows:
        check(row, order_shape(symbol, row["type"]))
        assert row["status"] == "FILLED"
        assert row["isWorking"] is False
        assert ok(desk.bob.get(f"/api/v3/order?orderId={row['orderId']}")) == row
        by_client_id = f"/api/v3/order?origClientOrderId={row['clientOrderId']}"
        assert ok(desk.bob.get(by_client_id)) == row
    assert [row["type"] for row in rows] == ["MARKET", "LIMIT"]
    assert [row["price"] for row in rows] == ["0", f"{PRICES[symbol]:.{DECIMALS[symbol][0]}f}"]


def test_all_orders_page_from_one(desk: Desk) -> None:
    path = "/api/v3/allOrders?symbol=BTCUSDT"
    every = ok(desk.alice.get(path))
    assert [row["status"] for row in every] == ["CANCELED", "NEW", "PARTIALLY_FILLED"]
    pages = [ok(desk.alice.get(f"{path}&limit=2&page={page}")) for page in (1, 2, 3)]
    assert pages == [every[:2], every[2:], []]
    refused(desk.alice.get(f"{path}&page=0"), -1140, "page")
    refused(desk.alice.get(f"{path}&limit=0"), -1140, "limit", "1 to 1000")
    refused(desk.alice.get(f"{path}&limit=1001"), -1140, "limit", "1 to 1000")
    refused(desk.alice.get("/api/v3/allOrders"), -1141, "symbol")
    refused(desk.alice.get("/api/v3/order"), -1140, "orderId", "origClientOrderId")
    refused(desk.alice.get(f"/api/v3/order?orderId={UNKNOWN_ID}"), -2200)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_my_trades(desk: Desk, symbol: str) -> None:
    price, quantity = DECIMALS[symbol]
    shape = {
        "symbol": text(symbol),
        "id": LONG_ID,
        "orderId": LONG_ID,
        "price": decimal(price),
        "qty": decimal(quantity),
        "quoteQty": decimal(AMOUNT),
        "commission": decimal(AMOUNT),
        "time": MS,
        "isBuyer": is_flag,
    }
    found = ok(desk.bob.get(f"/api/v3/myTrades?symbol={symbol}"))
    for row in found:
        check(row, shape)
    told = [(row["qty"], row["commission"], row["isBuyer"]) for row in found]
    assert told == [
        (f"{0.13:.{quantity}f}", "0.00013000", True),
        (f"{0.12:.{quantity}f}", "0.00012000", True),
    ]
    one = f"/api/v3/myTrades?symbol={symbol}&orderId={found[0]['orderId']}"
    assert ok(desk.bob.get(one)) == found[:1]
    (newest,) = ok(desk.alice.get(f"/api/v3/myTrades?symbol={symbol}&limit=1"))
    assert (newest["isBuyer"], newest["id"]) == (False, found[0]["id"])
    assert newest["commission"] == f"{PRICES[symbol] * 0.13 / 1000:.8f}"


def test_place_and_cancel(desk: Desk) -> None:
    ack = {"symbol": text("BTCUSDT"), "orderId": LONG_ID, "transactTime": MS}
    body = order("btcusdt", "BUY", "0.1", "1000", newClientOrderId="mine-1")
    first = desk.alice.post("/api/v3/order", body)
    check(ok(first), {**ack, "clientOrderId": text("mine-1")})
    # The same client id with the same content is the same order; unknown fields are ignored.
    again = desk.alice.post("/api/v3/order", {**body, "postOnly": False})
    assert (again.body, again.headers["x-venue-ignored"]) == (first.body, "postOnly")
    canceled = desk.alice.delete("/api/v3/order?origClientOrderId=mine-1")
    check(ok(canceled), {"origClientOrderId": text("mine-1"), "status": text("CANCELED")})
    unnamed = ok(desk.alice.post("/api/v3/order", order("BTCUSDT", "BUY", "0.1", "1000")))
    check(unnamed, {**ack, "clientOrderId": text(f"v-{unnamed['orderId']}")})
    canceled = desk.alice.delete(f"/api/v3/order?orderId={unnamed['orderId']}")
    assert canceled.body == b'{"status":"CANCELED","orderId":%s}' % unnamed["orderId"].encode()
    # Not the same request again, which would get the recorded answer.
    refused(desk.alice.delete(f"/api/v3/order?orderId={unnamed['orderId']}&again=1"), -2200)
    refused(desk.alice.delete("/api/v3/order"), -1140, "orderId", "origClientOrderId")


def test_numbers_come_as_strings_or_as_numbers(desk: Desk) -> None:
    raw = b'{"symbol":"SOLUSDT","side":"BUY","type":"LIMIT","quantity":1.50,"price":100.010}'
    placed = ok(desk.bob.post("/api/v3/order", raw))
    found = ok(desk.bob.get(f"/api/v3/order?orderId={placed['orderId']}"))
    assert (found["origQty"], found["price"]) == ("1.500", "100.010")
    answer = desk.bob.delete("/api/v3/openOrders?symbol=SOLUSDT")
    (canceled,) = ok(answer)
    check(canceled, {"orderId": LONG_ID, "status": text("CANCELED")})
    assert canceled["orderId"] == placed["orderId"]
    assert desk.bob.delete("/api/v3/openOrders?symbol=SOLUSDT&again=1").body == b"[]"


# -- batches (sections 2.8, 4.1, 4.11) ------------------------------------------------------------

PLACED: Shape = {
    "symbol": text("ETHUSDT"),
    "orderId": LONG_ID,
    "clientOrderId": text(".{1,40}"),
    "transactTime": MS,
}
NOT_PLACED: Shape = {
    "symbol": text("ETHUSDT"),
    "clientOrderId": text(".{0,40}"),
    "transactTime": MS,
    "errorCode": text("[A-Z_]+"),
    "errorMsg": text(".+"),
}


def item(quantity: str, **more: str) -> dict[str, str]:
    limit = {"side": "BUY", "type": "LIMIT", "price": "9.00", "timeInForce": "GTC"}
    return {**limit, "quantity": quantity, **more}


def batch(client: Client, items: list[Any]) -> Answer:
    return client.post("/api/v3/order/batch", {"symbol": "ETHUSDT", "orderList": items})


def test_batch_place(desk: Desk) -> None:
    ok(desk.alice.post("/api/v3/order", order("ETHUSDT", "BUY", "0.01", "2995")))
    items: list[Any] = [item("0.1", newClientOrderId=f"batch-{step}") for step in range(4)]
    items += [
        item("9999", price="2000", newClientOrderId="too-dear"),
        item("0.1", timeInForce=""),
        item("0.1", price="9.001"),
        {"side": "SELL", "type": "MARKET", "quantity": "0.01"},
        item("0.1", side="HOLD"),
        "no object",
    ]
    reply = ok(batch(desk.bob, items))
    check(reply, {"orderList": is_list})
    results = reply["orderList"]
    placed = [0, 1, 2, 3, 7]
    for index, result in enumerate(results):
        check(result, PLACED if index in placed else NOT_PLACED)
    assert len(results) == len(items)
    given = [result["clientOrderId"] for result in results[:5]]
    assert given == ["batch-0", "batch-1", "batch-2", "batch-3", "too-dear"]
    codes = {index: row["errorCode"] for index, row in enumerate(results) if "errorCode" in row}
    assert codes == {
        4: "INSUFFICIENT_BALANCE",
        5: "INVALID_TIME_IN_FORCE",
        6: "DECIMAL_PRECISION_ERROR",
        8: "INVALID_SIDE",
        9: "PARAM_ERROR",
    }
    assert "amount not enough" in results[4]["errorMsg"]
    still_open = ok(desk.bob.get("/api/v3/openOrders?symbol=ETHUSDT"))
    assert [row["orderId"] for row in still_open] == [row["orderId"] for row in results[:4]]
    assert len(ok(desk.bob.delete("/api/v3/openOrders?symbol=ETHUSDT"))) == 4


def test_batch_place_bounds(desk: Desk) -> None:
    refused(batch(desk.bob, [item("0.1")] * 11), -1140, "orderList", "10")
    refused(batch(desk.bob, []), -1141, "orderList")
    refused(desk.bob.post("/api/v3/order/batch", {"symbol": "ETHUSDT"}), -1141, "orderList")
    refused(desk.bob.post("/api/v3/order/batch", {"orderList": [item("1")]}), -1141, "symbol")
    assert desk.bob.get("/api/v3/openOrders").body == b"[]"


def test_batch_place_is_off_by_default(desk: Desk) -> None:
    operate(desk, "settings", {"batchPlace": False})
    answer = batch(desk.bob, [item("0.1")])
    assert answer.status == 400
    refused(answer, -1150, "Request method 'POST' not supported; the setting batchPlace is false")
    operate(desk, "settings", {"batchPlace": True})


CANCELED: Shape = {"orderId": LONG_ID, "status": text("CANCELED")}
NOT_FOUND: Shape = {"status": text("EXPIRED"), "errorMsg": text("order not found")}
NOT_FOUND_LIVE: Shape = {"status": text("FAILED"), "errorMsg": text("FAILED_ORDER_NOT_FOUND")}
BY_ID: Shape = {"orderId": LONG_ID}  # the live wording names what was asked for by id


@pytest.mark.parametrize(("wording", "shape"), [("document", NOT_FOUND), ("live", NOT_FOUND_LIVE)])
def test_batch_cancel(desk: Desk, wording: str, shape: Shape) -> None:
    operate(desk, "settings", {"batchCancelWording": wording})
    items = [item("0.1", newClientOrderId=f"{wording}-{step}") for step in range(4)]
    ids = [int(row["orderId"]) for row in ok(batch(desk.bob, items))["orderList"]]
    body = {
        "symbol": "ETHUSDT",
        "orderIds": [ids[1], UNKNOWN_ID, str(ids[0])],
        "origClientOrderIds": [f"{wording}-2", "never-sent"],
    }
    reply = ok(desk.bob.delete("/api/v3/order/batch", body))
    check(reply, {"orderList": is_list})
    results = reply["orderList"]
    live = wording == "live"
    by_id = {**shape, **BY_ID} if live else shape
    for result, expected in zip(results, (CANCELED, by_id, CANCELED, CANCELED, shape), strict=True):
        check(result, expected)
    assert [row.get("orderId") for row in results] == [
        str(ids[1]), str(UNKNOWN_ID) if live else None, str(ids[0]), str(ids[2]), None,
    ]  # fmt: skip
    # Symbol is not required; another owner's order is not found, and stays.
    (theirs,) = ok(desk.alice.delete("/api/v3/order/batch", {"orderIds": [ids[3]]}))["orderList"]
    check(theirs, by_id)
    (mine,) = ok(desk.bob.delete("/api/v3/order/batch", {"orderIds": [ids[3]]}))["orderList"]
    check(mine, CANCELED)
    operate(desk, "settings", {"batchCancelWording": "document"})


def test_batch_cancel_bounds(desk: Desk) -> None:
    bodies: list[dict[str, Any]] = [{}, {"orderIds": []}, {"origClientOrderIds": []}]
    for body in bodies:
        refused(desk.bob.delete("/api/v3/order/batch", body), -1141, "orderIds")
    ids = list(range(UNKNOWN_ID, UNKNOWN_ID + 51))
    refused(desk.bob.delete("/api/v3/order/batch", {"orderIds": ids}), -1140, "50")


# -- account (sections 2.5, 4.7 and siblings) -----------------------------------------------------

BILL: Shape = {
    "billId": text("[0-9]{16}"),
    "coinId": whole(1),
    "coinName": text("USDT|BTC|ETH|SOL"),
    "bizType": text("deposit|withdraw|transfer_in|transfer_out|trade_in|trade_out"),
    "deltaAmount": signed(AMOUNT),
    "afterAmount": decimal(AMOUNT),
    "fees": decimal(AMOUNT),
    "cTime": text("[0-9]{13}"),
}
NO_FILL: Shape = {**BILL, "fillSize": text("0"), "fillValue": text("0")}
FUNDING: Shape = {**BILL, "fillSize": is_null, "fillValue": is_null}


def check_bill(row: Any) -> None:
    """A spot bill; the quantity's decimals tell the symbol of its trade."""
    if not str(row["bizType"]).startswith("trade"):
        check(row, NO_FILL)
        return
    price = Decimal(row["fillValue"]) / Decimal(row["fillSize"])
    near = [name for name in SYMBOLS if abs(price - PRICES[name]) < 20]
    size = DECIMALS[near[0]][1]
    check(row, {**BILL, "fillSize": decimal(size), "fillValue": decimal(AMOUNT)})


def bills(client: Client, **body: Any) -> Any:
    return ok(client.post("/api/v3/account/bills", body))


def test_bills(desk: Desk) -> None:
    every = bills(desk.bob, limit=100)
    for row in every:
        check_bill(row)
    ids = [int(row["billId"]) for row in every]
    assert ids == sorted(ids, reverse=True)
    assert len(every) >= 16  # four deposits, two trades with two bills each in three markets
    assert bills(desk.bob) == every[:10]
    assert ok(desk.bob.post("/api/v3/account/bills", b"{}")) == every[:10]
    assert bills(desk.bob, coinId=None, bizType="", after="", before=None, limit="") == every[:10]
    assert bills(desk.bob, limit="3") == every[:3]
    assert bills(desk.bob, coinId=2, limit=100) == [r for r in every if r["coinName"] == "USDT"]
    for kind in ("deposit", "trade_in", "trade_out"):
        expected = [row for row in every if row["bizType"] == kind]
        assert bills(desk.bob, bizType=kind, limit=100) == expected
        assert expected
    for bound in (0, 101):
        answer = desk.bob.post("/api/v3/account/bills", {"limit": bound})
        refused(answer, -1140, "limit", "1 to 100")


def test_bill_cursors_are_ids_or_times(desk: Desk) -> None:
    every = bills(desk.bob, limit=100)
    middle, older = every[5], every[9]
    assert bills(desk.bob, after=int(middle["billId"])) == every[:5]
    assert bills(desk.bob, before=middle["billId"], limit=100) == every[6:]
    both = {"after": older["billId"], "before": middle["billId"]}
    assert bills(desk.bob, **both) == every[6:9]
    time = middle["cTime"]
    assert bills(desk.bob, after=int(time), limit=100) == [r for r in every if r["cTime"] > time]
    assert bills(desk.bob, before=time, limit=100) == [r for r in every if r["cTime"] < time]


def test_the_numbers_of_coins(desk: Desk) -> None:
    """As the live exchange counts them."""
    told = {row["coinName"]: row["coinId"] for row in bills(desk.alice, limit=100)}
    assert (told["BTC"], told["USDT"]) == ("1", "2")
    assert {row["coinName"] for row in bills(desk.bob, coinId=2, limit=100)} == {"USDT"}


def test_account(desk: Desk) -> None:
    answer = desk.alice.get("/api/v3/account/")
    found = ok(answer)
    shape: Shape = {
        "makerCommission": INTEGER,
        "takerCommission": INTEGER,
        "commissionRates": lambda value: type(value) is dict,
        "canTrade": is_flag,
        "canWithdraw": is_flag,
        "canDeposit": is_flag,
        "brokered": is_flag,
        "requireSelfTradePrevention": is_flag,
        "preventSor": is_flag,
        "updateTime": MS,
        "accountType": text("SPOT"),
        "balances": is_list,
        "permissions": is_list,
        "uid": INTEGER,
    }
    check(found, shape)
    check(found["commissionRates"], {"maker": decimal(8), "taker": decimal(8)})
    assert (found["makerCommission"], found["commissionRates"]["maker"]) == ("10", "0.00100000")
    assert found["permissions"] == ["SPOT"]
    assert found["uid"] == str(desk.uid)
    for balance in found["balances"]:
        check(balance, {"asset": TEXT, "free": decimal(AMOUNT), "locked": decimal(AMOUNT)})
    assert [row["asset"] for row in found["balances"]] == ["BTC", "USDT", "ETH", "SOL"]
    assert desk.alice.get("/api/v3/account").body == answer.body
    assert ok(desk.carol.get("/api/v3/account"))["balances"] == []


def test_funding_bills(desk: Desk) -> None:
    def ask(**body: Any) -> Any:
        return ok(desk.alice.post("/api/v3/account/fundingBills", body))

    page = ask()
    paging: Shape = {
        "total": INTEGER,
        "pageSize": INTEGER,
        "pages": INTEGER,
        "page": INTEGER,
        "hasNextPage": is_flag,
        "items": is_list,
    }
    check(page, paging)
    for row in page["items"]:
        check(row, FUNDING)
    told = [(row["bizType"], row["deltaAmount"], row["afterAmount"]) for row in page["items"]]
    assert told == [
        ("transfer_out", "-2.50000000", "10.00000000"),
        ("transfer_in", "12.50000000", "12.50000000"),
    ]
    first, second = ask(pageSize=1), ask(pageSize="1", pageIndex=2)
    assert [first["items"], second["items"]] == [page["items"][:1], page["items"][1:]]
    counts = [first[name] for name in ("total", "pageSize", "pages", "page")]
    assert (counts, first["hasNextPage"]) == (["2", "1", "2", "1"], True)
    assert (second["page"], second["hasNextPage"]) == ("2", False)
    assert (page["pageSize"], page["hasNextPage"]) == ("10", False)
    for name in ("pageSize", "pageIndex"):
        refused(desk.alice.post("/api/v3/account/fundingBills", {name: 0}), -1140, name)
    refused(desk.alice.post("/api/v3/account/fundingBills", {"pageSize": 101}), -1140, "1 to 100")


def test_transfer_records(desk: Desk) -> None:
    found = ok(desk.alice.get("/api/v3/account/transferRecords"))
    shape: Shape = {
        "coinName": text("USDT"),
        "status": text("Successful"),
        "toType": text("SPOT|FUNDING"),
        "toSymbol": TEXT,
        "fromType": text("SPOT|FUNDING"),
        "fromSymbol": TEXT,
        "amount": decimal(AMOUNT),
        "tradeTime": text("[0-9]{13}"),
    }
    for row in found:
        check(row, shape)
    told = [(row["fromType"], row["toType"], row["amount"]) for row in found]
    assert told == [("FUNDING", "SPOT", "2.50000000"), ("SPOT", "FUNDING", "12.50000000")]
    path = "/api/v3/account/transferRecords"
    assert ok(desk.alice.get(f"{path}?fromType=SPOT")) == found[1:]
    assert ok(desk.alice.get(f"{path}?limit=1")) == found[:1]
    assert ok(desk.alice.get(f"{path}?coinId=1")) == []
    refused(desk.alice.get(f"{path}?limit=101"), -1140, "1 to 100")


def test_tax_income(desk: Desk) -> None:
    def ask(**body: Any) -> Any:
        return ok(desk.bob.post("/api/v3/tax/income", body))

    every = bills(desk.bob, limit=100)
    assert ask() == every[:10]
    assert ask(limit=200) == every
    assert ask(limit=7, page=2) == every[7:14]
    assert ask(coin="BTC", limit=200) == [row for row in every if row["coinName"] == "BTC"]
    assert ask(month="2020-02") == []
    refused(desk.bob.post("/api/v3/tax/income", {"limit": 201}), -1140, "1 to 200")
    refused(desk.bob.post("/api/v3/tax/income", {"month": "2020-13"}), -1142, "month")
