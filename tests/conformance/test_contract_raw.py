"""Raw contract orders of a live venue: keys and their order, JSON types, decimals, bounds.

Sections 2.1, 2.3, 4.3, 4.4, 4.6 and 4.8 of the interface.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from support.contract_desk import V3
from support.contract_raw import (
    ALGO_BULK,
    DAY_MS,
    DECIMALS,
    ENDED_BULK,
    OPEN_BULK,
    PRICES,
    SYMBOLS,
    everything,
    exact,
    zero,
)
from support.raw import UNKNOWN_ID, Desk, ok, refused
from support.shapes import (
    LONG_ID,
    MS,
    Shape,
    decimal,
    is_flag,
    is_list,
    is_null,
    parsed,
    text,
)

MONEY = decimal(8)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with everything(tmp_path_factory.mktemp("contract-raw")) as desk:
        yield desk


def test_a_check_fails_for_other_keys_types_and_decimals() -> None:
    shape: Shape = {"id": LONG_ID, "price": decimal(2), "on": is_flag, "none": is_null}
    good = b'{"id":1000000000000001,"price":"1.20","on":true,"none":null}'
    exact(parsed(good), shape)
    for old, new in (
        (b'"id":1000000000000001', b'"id":"1000000000000001"'),
        (b"1000000000000001", b"1e15"),
        (b'"1.20"', b"1.20"),
        (b'"1.20"', b'"1.2"'),
        (b'"1.20"', b'"1.200"'),
        (b"true", b'"true"'),
        (b"true", b"1"),
        (b"null", b"0"),
        (b',"none":null', b""),
        (b"null", b'null,"more":0'),
        (b'"price":"1.20","on":true', b'"on":true,"price":"1.20"'),
    ):
        assert old in good
        with pytest.raises(AssertionError):
            exact(parsed(good.replace(old, new)), shape)
    with pytest.raises(AssertionError):  # a check that would take numbers for strings
        exact({"id": "1"}, {"id": lambda value: value == "1"})


# -- orders (sections 2.1, 4.3, 4.6, 4.8) ---------------------------------------------------------

EXTRA: Shape = {
    "priceProtect": lambda value: value is False,
    "priceMatch": text("NONE"),
    "selfTradePreventionMode": text("NONE"),
    "goodTillDate": zero,
}


def order_shape(row: dict[str, Any], decimals: tuple[int, int]) -> Shape:
    """The shape of an order, after its type and its executed part."""
    price, quantity = (decimal(number) for number in decimals)
    none, kind = text("0"), str(row["type"])
    triggered = kind not in ("LIMIT", "MARKET")
    at_market = kind.endswith("MARKET")
    source = "CONTRACT_PRICE|MARK_PRICE" if triggered else "UNKNOWN_PRICE_TYPE"
    return {
        "avgPrice": price if Decimal(row["executedQty"]) else none,
        "clientOrderId": text("[a-z0-9]+-[A-Z0-9]+"),
        "cumQuote": MONEY,
        "executedQty": quantity,
        "orderId": LONG_ID,
        "origQty": quantity,
        "price": none if at_market else price,
        "reduceOnly": is_flag,
        "side": text("BUY|SELL"),
        "positionSide": text("LONG|SHORT"),
        "status": text("NEW|PARTIALLY_FILLED|FILLED|CANCELED|EXPIRED"),
        "stopPrice": price if triggered else none,
        "symbol": text("BTCUSDT|ETHUSDT|SOLUSDT|ETHSUSDT"),
        "time": MS,
        "timeInForce": text("IOC" if at_market else "GTC|FOK|POST_ONLY"),
        "type": text("LIMIT|MARKET|TAKE_PROFIT|TAKE_PROFIT_MARKET|STOP_MARKET"),
        "updateTime": MS,
        "workingType": text(source),
    }


def lines(rows: list[Any], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def ids(rows: list[Any]) -> list[int]:
    return [int(row["orderId"]) for row in rows]


def test_order_info_to_the_byte(desk: Desk) -> None:
    answer = desk.alice.get(f"{V3}/order?origClientOrderId=own-BTCUSDT")
    found = ok(answer)
    number, time, updated = (found[name] for name in ("orderId", "time", "updateTime"))
    assert answer.body.decode() == (
        '{"avgPrice":"60000.00","clientOrderId":"own-BTCUSDT","cumQuote":"12000.00000000",'
        f'"executedQty":"0.20000","orderId":{number},"origQty":"0.50000","price":"60000.00",'
        '"reduceOnly":false,"side":"BUY","positionSide":"LONG","status":"PARTIALLY_FILLED",'
        f'"stopPrice":"0","symbol":"BTCUSDT","time":{time},"timeInForce":"GTC","type":"LIMIT",'
        f'"updateTime":{updated},"workingType":"UNKNOWN_PRICE_TYPE"}}'
    )
    assert desk.alice.get(f"{V3}/order?orderId={number}").body == answer.body
    refused(desk.alice.get(f"{V3}/order"), -1140, "'orderId'", "'origClientOrderId'")
    refused(desk.alice.get(f"{V3}/order?orderId={UNKNOWN_ID}"), -3200, "order not found")
    refused(desk.bob.get(f"{V3}/order?orderId={number}"), -3200, "order not found")


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_open_orders(desk: Desk, symbol: str) -> None:
    answer = desk.alice.get(f"{V3}/openOrders?symbol={symbol}")
    found = ok(answer)
    for row in found:
        exact(row, order_shape(row, DECIMALS[symbol]) | EXTRA)
        assert row["symbol"] == symbol
    names = ("type", "status", "timeInForce", "reduceOnly", "workingType")
    assert lines(found, *names) == [
        ("LIMIT", "PARTIALLY_FILLED", "GTC", False, "UNKNOWN_PRICE_TYPE"),
        ("LIMIT", "NEW", "POST_ONLY", True, "UNKNOWN_PRICE_TYPE"),
        ("TAKE_PROFIT", "NEW", "GTC", True, "CONTRACT_PRICE"),
    ]
    price, _ = DECIMALS[symbol]
    last, own = f"{PRICES[symbol] * 1.005:.{price}f}", f"{PRICES[symbol] * 1.02:.{price}f}"
    assert lines(found[2:], "stopPrice", "price", "avgPrice") == [(last, own, "0")]
    # A listed order has the fields of its own answer, and four more.
    extra = (
        b',"priceProtect":false,"priceMatch":"NONE",'
        b'"selfTradePreventionMode":"NONE","goodTillDate":0}'
    )
    infos = [desk.alice.get(f"{V3}/order?orderId={number}").body for number in ids(found)]
    assert answer.body == b"[" + b",".join(info[:-1] + extra for info in infos) + b"]"


def test_open_orders_of_all_contracts(desk: Desk) -> None:
    found = ok(desk.alice.get(f"{V3}/openOrders"))
    assert [row["symbol"] for row in found] == [symbol for symbol in SYMBOLS for _ in range(3)]
    assert ids(found) == sorted(ids(found))
    assert ok(desk.alice.get(f"{V3}/openOrders?symbol=&orderId=&limit=&page=")) == found
    assert desk.bob.get(f"{V3}/openOrders").body == b"[]"


def test_open_orders_bounds(desk: Desk) -> None:
    path = f"{V3}/openOrders"
    default = ok(desk.carol.get(path))
    pages = [ok(desk.carol.get(f"{path}?page={page}")) for page in (0, 1, 2)]
    assert [len(page) for page in pages] == [100, OPEN_BULK - 100, 0]
    every = pages[0] + pages[1]
    assert default == pages[0] == ok(desk.carol.get(f"{path}?limit=100"))
    assert [row["clientOrderId"] for row in every] == [f"open-{step}" for step in range(OPEN_BULK)]
    assert ok(desk.carol.get(f"{path}?limit=1&page=100")) == every[100:]
    assert ok(desk.carol.get(f"{path}?limit=7&page=3")) == every[21:28]
    numbers = ids(every)
    for index, number in ((0, numbers[0]), (40, numbers[40]), (100, numbers[100])):
        assert ok(desk.carol.get(f"{path}?orderId={number}")) == every[index + 1 :]
    assert ok(desk.carol.get(f"{path}?orderId={numbers[1] - 1}&limit=1")) == every[1:2]
    assert ok(desk.carol.get(f"{path}?orderId=0")) == default
    time = every[50]["time"]
    since = ok(desk.carol.get(f"{path}?startTime={time}"))
    until = [
        row for page in (0, 1) for row in ok(desk.carol.get(f"{path}?endTime={time}&page={page}"))
    ]
    assert since == [row for row in every if row["time"] > time]
    assert until == [row for row in every if row["time"] < time]
    for bad in (0, 101):
        refused(desk.carol.get(f"{path}?limit={bad}"), -1140, "'limit'", "1 to 100")
    refused(desk.carol.get(f"{path}?page=-1"), -1142, "'page'")


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_order_history(desk: Desk, symbol: str) -> None:
    for client, expected in (
        (
            desk.alice,
            [
                ("TAKE_PROFIT_MARKET", "FILLED", True),
                ("LIMIT", "FILLED", False),
                ("STOP_MARKET", "CANCELED", True),
                ("LIMIT", "EXPIRED", False),
                ("LIMIT", "CANCELED", False),
            ],
        ),
        (
            desk.bob,
            [("LIMIT", "FILLED", False), ("LIMIT", "FILLED", True), ("MARKET", "FILLED", False)],
        ),
    ):
        answer = client.get(f"{V3}/order/history?symbol={symbol}")
        found = ok(answer)
        for row in found:
            exact(row, order_shape(row, DECIMALS[symbol]))
        assert lines(found, "type", "status", "reduceOnly") == expected
        infos = [client.get(f"{V3}/order?orderId={number}").body for number in ids(found)]
        assert answer.body == b"[" + b",".join(infos) + b"]"


def test_order_history_of_a_stop_by_mark(desk: Desk) -> None:
    stopped, bought = ok(desk.alice.get(f"{V3}/order/history?symbol=ETHSUSDT"))
    for row in (stopped, bought):
        exact(row, order_shape(row, (2, 4)))
    names = ("type", "status", "workingType", "stopPrice", "avgPrice", "executedQty", "origQty")
    assert lines([stopped], *names) == [
        ("STOP_MARKET", "CANCELED", "MARK_PRICE", "2990.00", "2975.00", "0.4000", "1.0000")
    ]


def test_order_history_bounds(desk: Desk) -> None:
    path = f"{V3}/order/history"
    default = ok(desk.carol.get(path))
    thousand = ok(desk.carol.get(f"{path}?limit=1000"))
    rest = ok(desk.carol.get(f"{path}?limit=1000&page=1"))
    ended = [f"canceled-{step}" for step in range(OPEN_BULK)]
    waited = [f"algo-{step}" for step in range(ALGO_BULK)]
    names = [f"ended-{step}" for step in range(ENDED_BULK)] + ended + waited
    every = thousand + rest
    assert (len(default), len(thousand)) == (500, 1000)
    assert [row["clientOrderId"] for row in every] == names[::-1]
    assert default == every[:500] == ok(desk.carol.get(f"{path}?page=0"))
    assert ok(desk.carol.get(f"{path}?page=1")) == every[500:1000]
    assert ok(desk.carol.get(f"{path}?page=2")) == every[1000:1500]
    assert ok(desk.carol.get(f"{path}?limit=1&page={len(every)}")) == []
    for bad in (0, 1001):
        refused(desk.carol.get(f"{path}?limit={bad}"), -1140, "'limit'", "1 to 1000")
    refused(desk.carol.get(f"{path}?page=-1"), -1142, "'page'")


@pytest.mark.parametrize(
    ("path", "created"), [(f"{V3}/order/history", "time"), (f"{V3}/allAlgoOrders", "createTime")]
)
def test_ninety_days(desk: Desk, path: str, created: str) -> None:
    def ask(query: str) -> Any:
        found = ok(desk.alice.get(f"{path}?symbol=BTCUSDT&{query}"))
        return found if isinstance(found, list) else found["orders"]

    every, span = ask("limit=100"), 90 * DAY_MS
    newest, oldest = int(every[0][created]), int(every[-1][created])
    assert len(every) > 1
    assert ask(f"startTime={newest - span}&endTime={newest}") == every
    assert ask(f"endTime={oldest + span}") == every
    assert ask(f"endTime={newest + span + 1}") == []
    assert ask(f"startTime={newest - span}") == every
    assert ask(f"startTime={oldest - span - 1}") == []
    assert ask(f"startTime={newest + 1}") == []
    too_long = f"{path}?startTime={oldest - span - 1}&endTime={oldest}"
    refused(desk.alice.get(too_long), -1170, "'endTime'", "90 days")
    refused(desk.alice.get(f"{path}?startTime={oldest}&endTime={oldest - 1}"), -1171, "'startTime'")


# -- conditional orders (sections 2.3, 4.4) -------------------------------------------------------


def algo_shape(row: dict[str, Any], decimals: tuple[int, int]) -> Shape:
    """The shape of an ended conditional order, after whether it became an order at a price."""
    price, quantity = (decimal(number) for number in decimals)
    became, at_market = row["algoStatus"] == "TRIGGERED", str(row["orderType"]).endswith("MARKET")
    return {
        "algoId": LONG_ID,
        "clientAlgoId": text("[a-z]+(-[A-Z0-9]+)?"),
        "algoType": text("PLAN"),
        "orderType": text("TAKE_PROFIT|TAKE_PROFIT_MARKET|STOP_MARKET"),
        "symbol": text("BTCUSDT|ETHUSDT|SOLUSDT|ETHSUSDT"),
        "side": text("SELL"),
        "positionSide": text("LONG"),
        "timeInForce": text("IOC" if at_market else "GTC"),
        "quantity": quantity,
        "algoStatus": text("TRIGGERED|CANCELED"),
        "actualOrderId": LONG_ID if became else zero,
        "actualPrice": price if became and at_market else text("0"),
        "triggerPrice": price,
        "price": text("0") if at_market else price,
        "workingType": text("CONTRACT_PRICE|MARK_PRICE"),
        "createTime": MS,
        "updateTime": MS,
        "triggerTime": MS if became else zero,
    }


@pytest.mark.parametrize("symbol", [*SYMBOLS, "ETHSUSDT"])
def test_conditional_history(desk: Desk, symbol: str) -> None:
    page = ok(desk.alice.get(f"{V3}/allAlgoOrders?symbol={symbol}"))
    exact(page, {"orders": is_list, "hasMore": is_flag})
    found = page["orders"]
    decimals = DECIMALS.get(symbol, (2, 4))
    for row in found:
        exact(row, algo_shape(row, decimals))
        if row["algoStatus"] == "TRIGGERED":
            became = ok(desk.alice.get(f"{V3}/order?orderId={row['actualOrderId']}"))
            for ours, its in (("orderType", "type"), ("triggerPrice", "stopPrice")):
                assert row[ours] == became[its]
            assert (row["price"], row["triggerTime"]) == (became["price"], became["time"])
    told = lines(found, "orderType", "algoStatus", "workingType")
    if symbol == "ETHSUSDT":
        assert told == [("STOP_MARKET", "TRIGGERED", "MARK_PRICE")]
        return
    assert told == [
        ("STOP_MARKET", "CANCELED", "CONTRACT_PRICE"),
        ("TAKE_PROFIT_MARKET", "TRIGGERED", "CONTRACT_PRICE"),
        ("TAKE_PROFIT", "TRIGGERED", "CONTRACT_PRICE"),
    ]  # orders that still wait are not history


def test_conditional_history_bounds(desk: Desk) -> None:
    path = f"{V3}/allAlgoOrders"
    whole = ok(desk.carol.get(f"{path}?limit=1000"))
    every = whole["orders"]
    names = [f"algo-{step}" for step in range(ALGO_BULK)]
    assert [row["clientAlgoId"] for row in every] == names[::-1]
    assert whole["hasMore"] is False
    assert ok(desk.carol.get(path)) == {"orders": every[:500], "hasMore": True}
    assert ok(desk.carol.get(f"{path}?limit=501")) == whole
    assert ok(desk.carol.get(f"{path}?limit=1")) == {"orders": every[:1], "hasMore": True}
    for bad in (0, 1001):
        refused(desk.carol.get(f"{path}?limit={bad}"), -1140, "'limit'", "1 to 1000")
    # Without a page parameter one goes on from the oldest; those of the same ms come again.
    told: dict[str, Any] = {}
    page = ok(desk.carol.get(f"{path}?limit=100"))
    while True:
        told |= {row["algoId"]: row for row in page["orders"]}
        if not page["hasMore"]:
            break
        oldest = page["orders"][-1]["createTime"]
        page = ok(desk.carol.get(f"{path}?limit=100&endTime={oldest}"))
        assert page["orders"][-1]["algoId"] not in told
    assert list(told.values()) == every
    nothing = desk.bob.get(path)
    assert nothing.body == b'{"orders":[],"hasMore":false}'
