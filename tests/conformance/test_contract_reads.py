"""Contract questions about orders: shapes of raw answers, and values computed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from support.contract_desk import V3, contracts_traded, place
from support.contract_raw import posted, zero
from support.raw import UNKNOWN_ID, Desk, ok, operate, order, refused
from support.shapes import (
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
)

MAKER, TAKER = Decimal("0.0002"), Decimal("0.0006")
DAY_MS = 86_400_000
MONEY, SIGNED = decimal(8), signed(8)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with contracts_traded(tmp_path_factory.mktemp("contracts")) as desk:
        yield desk


# -- orders (sections 2.1, 4.3, 4.6, 4.8) ---------------------------------------------------------

ORDER: Shape = {
    "avgPrice": text(r"0|[1-9][0-9]*\.[0-9]{2}"),
    "clientOrderId": text(".{1,36}"),
    "cumQuote": MONEY,
    "executedQty": decimal(5),
    "orderId": LONG_ID,
    "origQty": decimal(5),
    "price": text(r"0|[1-9][0-9]*\.[0-9]{2}"),
    "reduceOnly": is_flag,
    "side": text("BUY|SELL"),
    "positionSide": text("LONG|SHORT"),
    "status": text("NEW|PARTIALLY_FILLED|FILLED|CANCELED|EXPIRED"),
    "stopPrice": text("0"),
    "symbol": text("BTCUSDT"),
    "time": MS,
    "timeInForce": text("GTC|IOC"),
    "type": text("LIMIT|MARKET"),
    "updateTime": MS,
    "workingType": text("UNKNOWN_PRICE_TYPE"),
}
ENDED_STOP: Shape = ORDER | {
    "status": text("CANCELED"),
    "stopPrice": decimal(2),
    "timeInForce": text("IOC"),
    "type": text("STOP_MARKET"),
    "workingType": text("CONTRACT_PRICE"),
}
OPEN_ORDER: Shape = ORDER | {
    "priceProtect": lambda value: value is False,
    "priceMatch": text("NONE"),
    "selfTradePreventionMode": text("NONE"),
    "goodTillDate": zero,
}


def test_open_orders(desk: Desk) -> None:
    found = ok(desk.alice.get(f"{V3}/openOrders"))
    for row in found:
        check(row, OPEN_ORDER)
    own, closing = found
    assert (own["clientOrderId"], own["status"]) == ("own-1", "PARTIALLY_FILLED")
    assert (own["avgPrice"], own["cumQuote"]) == ("60000.00", "12000.00000000")
    assert (own["executedQty"], own["origQty"]) == ("0.20000", "0.50000")
    assert (closing["status"], closing["avgPrice"]) == ("NEW", "0")
    assert [row["reduceOnly"] for row in found] == [False, True]


def test_open_orders_page_and_filter(desk: Desk) -> None:
    path = f"{V3}/openOrders?symbol=btcusdt"
    own, closing = ok(desk.alice.get(path))
    assert ok(desk.alice.get(f"{path}&orderId={own['orderId']}")) == [closing]
    assert ok(desk.alice.get(f"{path}&orderId={closing['orderId']}")) == []
    assert ok(desk.alice.get(f"{path}&limit=1&page=0")) == [own]
    assert ok(desk.alice.get(f"{path}&limit=1&page=1")) == [closing]
    first, last = int(own["time"]), int(closing["time"])
    assert ok(desk.alice.get(f"{path}&endTime={first}")) == []
    assert own in ok(desk.alice.get(f"{path}&endTime={first + 1}"))
    assert ok(desk.alice.get(f"{path}&startTime={first - 1}")) == [own, closing]
    assert own not in ok(desk.alice.get(f"{path}&startTime={first}"))
    assert ok(desk.alice.get(f"{path}&startTime={last}")) == []
    assert ok(desk.alice.get(f"{path}&startTime={last}&endTime={last}")) == []
    assert ok(desk.alice.get(f"{path}&startTime={first - 1}&endTime={last + 1}")) == [own, closing]
    assert ok(desk.alice.get(f"{V3}/openOrders?symbol=ETHUSDT")) == []
    refused(desk.alice.get(f"{V3}/openOrders?symbol=NOPEUSDT"), -1121, "'symbol'")
    refused(desk.alice.get(f"{path}&startTime=1700000000001&endTime=1700000000000"), -1171)
    refused(desk.alice.get(f"{path}&limit=101"), -1140, "'limit'", "1 to 100")


def test_one_order(desk: Desk) -> None:
    by_name = ok(desk.alice.get(f"{V3}/order?origClientOrderId=own-1"))
    check(by_name, ORDER)
    assert ok(desk.alice.get(f"{V3}/order?orderId={by_name['orderId']}")) == by_name
    gone = ok(desk.alice.get(f"{V3}/order?origClientOrderId=gone-1"))
    assert (gone["status"], gone["executedQty"]) == ("CANCELED", "0.00000")
    refused(desk.bob.get(f"{V3}/order?orderId={by_name['orderId']}"), -3200, "order not found")
    refused(desk.alice.get(f"{V3}/order?orderId={UNKNOWN_ID}"), -3200, "order not found")


def test_order_history_holds_what_has_ended(desk: Desk) -> None:
    rows = ok(desk.alice.get(f"{V3}/order/history?symbol=BTCUSDT"))
    stop, gone = rows
    check(gone, ORDER)
    check(stop, ENDED_STOP)
    assert (stop["clientOrderId"], gone["clientOrderId"]) == ("stop-2", "gone-1")
    (bought,) = ok(desk.alice.get(f"{V3}/order/history?symbol=ETHUSDT"))
    assert (bought["status"], bought["avgPrice"]) == ("FILLED", "3000.00")
    assert ok(desk.alice.get(f"{V3}/order/history")) == [stop, bought, gone]
    assert ok(desk.alice.get(f"{V3}/order/history?limit=1&page=1")) == [bought]
    assert ok(desk.alice.get(f"{V3}/order/history?limit=2&page=1")) == [gone]
    sold = ok(desk.bob.get(f"{V3}/order/history?symbol=BTCUSDT"))
    assert [(row["type"], row["price"], row["timeInForce"]) for row in sold] == [
        ("MARKET", "0", "IOC")
    ]


def test_order_history_reaches_over_ninety_days(desk: Desk) -> None:
    stop, gone = ok(desk.alice.get(f"{V3}/order/history?symbol=BTCUSDT"))
    path, time = f"{V3}/order/history?symbol=BTCUSDT", int(gone["time"])
    longest = 90 * DAY_MS
    assert time < int(stop["time"])
    assert ok(desk.alice.get(f"{path}&startTime={time - longest}&endTime={time}")) == [gone]
    too_long = desk.alice.get(f"{path}&startTime={time - longest - 1}&endTime={time}")
    refused(too_long, -1170, "'endTime'", "90 days")
    assert ok(desk.alice.get(f"{path}&endTime={time}")) == [gone]
    assert ok(desk.alice.get(f"{path}&startTime={time}")) == [stop, gone]
    assert ok(desk.alice.get(f"{path}&startTime={time - longest}")) == [gone]
    assert ok(desk.alice.get(f"{path}&startTime={time - longest - 1}")) == []
    refused(desk.alice.get(f"{path}&startTime={time}&endTime={time - 1}"), -1171)


def test_own_fills(desk: Desk) -> None:
    eth, btc = ok(desk.alice.get(f"{V3}/userTrades"))
    shape: Shape = {
        "id": LONG_ID,
        "orderId": LONG_ID,
        "symbol": TEXT,
        "buyer": is_flag,
        "commission": MONEY,
        "commissionAsset": text("USDT"),
        "maker": is_flag,
        "price": decimal(2),
        "qty": decimal(5),
        "quoteQty": MONEY,
        "realizedPnl": SIGNED,
        "side": text("BUY"),
        "positionSide": text("LONG"),
        "time": MS,
    }
    check(btc, shape)
    check(eth, shape | {"qty": decimal(4)})
    assert (btc["commission"], btc["quoteQty"]) == (f"{12_000 * MAKER:.8f}", "12000.00000000")
    assert (btc["maker"], btc["buyer"], btc["realizedPnl"]) == (True, True, "0.00000000")
    (sold,) = ok(desk.bob.get(f"{V3}/userTrades?symbol=BTCUSDT"))
    assert (sold["commission"], sold["maker"]) == (f"{12_000 * TAKER:.8f}", False)
    assert ok(desk.alice.get(f"{V3}/userTrades?orderId={btc['orderId']}")) == [btc]
    time = int(btc["time"])
    span = f"startTime={time}&endTime={time + 7 * DAY_MS}"
    assert btc in ok(desk.alice.get(f"{V3}/userTrades?symbol=BTCUSDT&{span}"))
    too_long = f"startTime={time}&endTime={time + 7 * DAY_MS + 1}"
    refused(desk.alice.get(f"{V3}/userTrades?{too_long}"), -1170, "7 days")


# -- conditional orders (sections 2.3, 4.4) -------------------------------------------------------


def test_waiting_conditional_orders(desk: Desk) -> None:
    (found,) = ok(desk.alice.get(f"{V3}/openAlgoOrders"))
    nothing = dict.fromkeys(
        ("actualOrderId", "tpTriggerPrice", "tpPrice", "slTriggerPrice", "slPrice", "tpOrderType"),
        is_null,
    )
    check(
        found,
        nothing
        | {
            "algoId": LONG_ID,
            "clientAlgoId": text("stop-1"),
            "algoType": text("PLAN"),
            "orderType": text("STOP_MARKET"),
            "symbol": text("BTCUSDT"),
            "side": text("SELL"),
            "positionSide": text("LONG"),
            "timeInForce": text("IOC"),
            "quantity": text("0.10000"),
            "algoStatus": text("UNTRIGGERED"),
            "actualPrice": text("0"),
            "triggerPrice": text("59000.00"),
            "price": text("0"),
            "workingType": text("CONTRACT_PRICE"),
            "closePosition": lambda value: value is False,
            "reduceOnly": lambda value: value is True,
            "createTime": MS,
            "updateTime": MS,
            "triggerTime": zero,
        },
    )
    assert ok(desk.alice.get(f"{V3}/openAlgoOrders?page=2")) == []
    assert ok(desk.alice.get(f"{V3}/openAlgoOrders?symbol=ETHUSDT")) == []


def test_ended_conditional_orders(desk: Desk) -> None:
    page = ok(desk.alice.get(f"{V3}/allAlgoOrders?limit=1"))
    check(page, {"orders": is_list, "hasMore": lambda value: value is False})
    (found,) = page["orders"]
    check(
        found,
        {
            "algoId": LONG_ID,
            "clientAlgoId": text("stop-2"),
            "algoType": text("PLAN"),
            "orderType": text("STOP_MARKET"),
            "symbol": text("BTCUSDT"),
            "side": text("SELL"),
            "positionSide": text("LONG"),
            "timeInForce": text("IOC"),
            "quantity": text("0.10000"),
            "algoStatus": text("CANCELED"),
            "actualOrderId": zero,
            "actualPrice": text("0"),
            "triggerPrice": text("58000.00"),
            "price": text("0"),
            "workingType": text("CONTRACT_PRICE"),
            "createTime": MS,
            "updateTime": MS,
            "triggerTime": zero,
        },
    )
    refused(desk.alice.get(f"{V3}/allAlgoOrders?limit=1001"), -1140, "'limit'")


def test_an_order_that_was_triggered(desk: Desk) -> None:
    """On a demo contract, whose index is posted: alice's stop at 2,990 sells at 2,995."""
    operate(desk, "index", posted("ETHSUSDT", "agents", "3000"))
    long, short = {"positionSide": "LONG"}, {"positionSide": "SHORT"}
    place(desk, "alice", order("ETHSUSDT", "BUY", "1", "3000", timeInForce="GTC") | long)
    place(desk, "bob", order("ETHSUSDT", "SELL", "1") | short)
    stop = order("ETHSUSDT", "SELL", "0.5", "2995") | long | {"type": "STOP"}
    stop |= {"triggerPrice": "2990", "clientAlgoId": "stop-3"}
    algo_id = place(desk, "alice", stop, f"{V3}/algoOrder")
    place(desk, "bob", order("ETHSUSDT", "BUY", "0.1", "2990", timeInForce="GTC") | long)
    place(desk, "alice", order("ETHSUSDT", "SELL", "0.1", "2990", timeInForce="IOC") | short)
    (resting,) = ok(desk.alice.get(f"{V3}/openOrders?symbol=ETHSUSDT"))
    told = [resting[name] for name in ("type", "price", "stopPrice", "workingType", "reduceOnly")]
    assert told == ["STOP", "2995.00", "2990.00", "CONTRACT_PRICE", True]
    (ended,) = ok(desk.alice.get(f"{V3}/allAlgoOrders?symbol=ETHSUSDT"))["orders"]
    assert (ended["algoId"], ended["algoStatus"]) == (algo_id, "TRIGGERED")
    assert (ended["actualOrderId"], ended["actualPrice"]) == (resting["orderId"], "0")
    assert int(ended["triggerTime"]) >= int(ended["createTime"])
    assert ok(desk.alice.get(f"{V3}/openAlgoOrders?symbol=ETHSUSDT")) == []
    place(desk, "bob", order("ETHSUSDT", "BUY", "0.2", "2995", timeInForce="IOC") | long)
    place(desk, "bob", order("ETHSUSDT", "BUY", "0.3", "2996", timeInForce="IOC") | long)
    path = f"{V3}/order?orderId={resting['orderId']}"
    filled = ok(desk.alice.get(path))
    assert (filled["status"], filled["avgPrice"], filled["type"]) == ("FILLED", "2995.00", "STOP")
    (ended,) = ok(desk.alice.get(f"{V3}/allAlgoOrders?symbol=ETHSUSDT"))["orders"]
    assert ended["actualPrice"] == "2995.00"
    fills = ok(desk.alice.get(f"{V3}/userTrades?orderId={resting['orderId']}"))
    assert [(row["qty"], row["realizedPnl"]) for row in fills] == [
        ("0.3000", "-1.50000000"),
        ("0.2000", "-1.00000000"),
    ]
    assert "ETHSUSDT" not in {row["symbol"] for row in ok(desk.alice.get(f"{V3}/userTrades"))}
    held = ok(desk.alice.get(f"{V3}/sim/position/allPosition"))
    assert [(row["symbol"], row["side"], row["size"]) for row in held] == [
        ("ETHSUSDT", "LONG", "0.5000"),
        ("ETHSUSDT", "SHORT", "0.1000"),
    ]
