"""Placing and canceling, one by one and in batches (rows P and C)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import (
    FIRST_ID,
    Accepted,
    Case,
    delete,
    get,
    item,
    market,
    order,
    place,
    post,
)

ORDER = "/api/v3/order"
BATCH = "/api/v3/order/batch"
OPEN = "/api/v3/openOrders"
SIDE, TYPE, TIF = "must be BUY or SELL", "must be LIMIT or MARKET", "GTC, IOC, FOK or POST_ONLY"
FAILED = "FAILED_PRECONDITION"
FUNDS = (FAILED, "amount not enough")
BAND = "outside the price band, which for this side ends at"
CHARACTERS = "1 to 40 characters"
COMBINATION = "INVALID_PARAM_COMBINATION"
RANGE = "PARAM_VALIDATE_ERROR"
CLIENT_ID = "CLIENT_OID_LENGTH_ERROR"
UNKNOWN_ID = FIRST_ID * 9
BOBS = FIRST_ID  # bob's ask, see the stage

ELEMENTS: list[Any] = [None, "BUY", [], 1, True]
_ONE = order(symbol=..., timeInForce="GTC")


def batch(row: str, code: int, *words: str, **members: Any) -> Case:
    """A batch that is refused as a whole."""
    body = {"symbol": "BTCUSDT", "orderList": [_ONE], **members}
    kept = {name: value for name, value in body.items() if value is not ...}
    return post(row, BATCH, kept, code, *words)


def both(row: str, code: int, name: str, *words: str, **changes: Any) -> list[Case]:
    """The same order alone and in a batch."""
    return [place(row, code, *words, **changes), item(row, name, *words, **changes)]


_WHOLE = [
    batch("P1", -1141, "'symbol'", symbol=...),
    batch("P1", -1141, "'symbol'", symbol=None),
    batch("P1", -1141, "'symbol'", symbol=""),
    place("P1", -1141, "'symbol'", symbol=...),
    batch("P2", -2007, "'symbol'", symbol="NOPEUSDT"),
    batch("P2", -2007, "'symbol'", symbol="BTCSUSDT"),
    batch("P2", -2007, "'symbol'", symbol="ſOLUSDT"),
    place("P2", -2007, "'symbol'", symbol="NOPEUSDT"),
    place("P2", -2007, "'symbol'", symbol="BTC-USDT"),
    place("P2", -2007, "'symbol'", symbol="ſOLUSDT"),
    place("P2", -1142, "'symbol'", symbol="B" * 33),
    batch("P3", -1141, "'orderList'", orderList=...),
    batch("P3", -1141, "'orderList'", orderList=None),
    batch("P3", -1142, "'orderList'", "array", orderList={}),
    batch("P3", -1142, "'orderList'", "array", orderList="[]"),
    batch("P4", -1141, "'orderList'", orderList=[]),
    batch("P5", -1140, "'orderList'", "1 to 10", orderList=[_ONE] * 11),
]

_ITEMS = [
    *[
        Case(
            "P29",
            "POST",
            BATCH,
            {"symbol": "BTCUSDT", "orderList": [_ONE | {"symbol": symbol}]},
            code,
            ("'symbol'", words),
            status=200,
        )
        for symbol, code, words in (
            ("ETHUSDT", RANGE, "BTCUSDT"),
            ("NOPEUSDT", RANGE, "BTCUSDT"),
            ("B" * 33, "PARAM_ERROR", "must be a symbol"),
            (["BTCUSDT"], "PARAM_ERROR", "must be a symbol"),
        )
    ],
    *[
        Case(
            "P6",
            "POST",
            BATCH,
            {"symbol": "BTCUSDT", "orderList": [element]},
            "PARAM_ERROR",
            ("'orderList'", "object"),
            status=200,
        )
        for element in ELEMENTS
    ],
    *[
        case
        for side in (..., None, "", "buy", "Buy", "LONG", 1, ["BUY"])
        for case in both("P7", -1117, "INVALID_SIDE", "'side'", SIDE, side=side)
    ],
    *[
        case
        for kind in (..., None, "", "limit", "STOP", "STOP_LIMIT", 1)
        for case in both("P8", -1116, "INVALID_ORDER_TYPE", "'type'", TYPE, type=kind)
    ],
    item("P9", "INVALID_TIME_IN_FORCE", "'timeInForce'", TIF, timeInForce=...),
    *[
        case
        for tif in ("GTX", "gtc", "DAY", 1, True)
        for case in both(
            "P9", -1115, "INVALID_TIME_IN_FORCE", "'timeInForce'", TIF, timeInForce=tif
        )
    ],
    *[
        case
        for price in (..., None, "")
        for case in both("P10", -1141, "PARAM_EMPTY", "'price'", price=price)
    ],
    *both("P11", -1128, COMBINATION, "'price'", "type=MARKET", **market(price="60000")),
    *both("P11", -1128, COMBINATION, "'timeInForce'", "MARKET", **market(timeInForce="POST_ONLY")),
    *both("P12", -1141, "PARAM_EMPTY", "'quantity'", quantity=...),
    *both("P12", -1141, "PARAM_EMPTY", "'quantity'", **market(quantity=...)),
    *both("P14", -1160, "DECIMAL_PRECISION_ERROR", "'quantity'", "5 decimals", quantity="0.000101"),
    *both("P15", -1160, "DECIMAL_PRECISION_ERROR", "'price'", "2 decimals", price="60000.001"),
    *[
        case
        for bad in ("a" * 41, "a b", "é", "<script>", "a\n", 5, True, ["a"], "v-" + "1" * 16)
        for case in both("P28", -1180, CLIENT_ID, "'newClientOrderId'", newClientOrderId=bad)
    ],
    *both(
        "P14",
        -1160,
        "DECIMAL_PRECISION_ERROR",
        "'quantity'",
        "multiple of the step size 0.005",
        symbol="SOLETH",
        quantity="0.007",
    ),
    *both(
        "P15",
        -1160,
        "DECIMAL_PRECISION_ERROR",
        "'price'",
        "multiple of the tick size 0.00005",
        symbol="SOLETH",
        price="1.00007",
    ),
]

_ENGINE = [
    *both(
        "P2", -1054, "HALTED", FAILED, "trading is halted", "a drill", symbol="SOLUSDT", engine=True
    ),
    *both("P13", -1057, "USER_LOCKED", "frozen", who="erin", engine=True),
    *both(
        "P14", -1140, RANGE, "'quantity'", "0.00010 to 1000.00000", quantity="0.00009", engine=True
    ),
    *both(
        "P14", -1140, RANGE, "'quantity'", "0.00010 to 1000.00000", quantity="1000.1", engine=True
    ),
    *both(
        "P15",
        -1140,
        RANGE,
        "'price'",
        "0.01 to 1000000000000000.00",
        price="1" + "0" * 15 + ".01",
        engine=True,
    ),
    *both("P16", -1140, "PRICE_BAND", "'price'", BAND, "70400.00", price="70400.01", engine=True),
    *both(
        "P16",
        -1140,
        "PRICE_BAND",
        "'price'",
        BAND,
        "57600.00",
        side="SELL",
        price="57599.99",
        engine=True,
    ),
    *both(
        "P16",
        -1140,
        "MARKET_SIZE",
        "'quantity'",
        "at most 100.00000",
        **market(quantity="100.1"),
        engine=True,
    ),
    *both(
        "P17",
        -1140,
        RANGE,
        "'quantity'",
        "price x quantity",
        side="SELL",
        quantity="1000",
        price="1" + "0" * 15,
        engine=True,
    ),
    *both("P18", -1054, "INSUFFICIENT_BALANCE", *FUNDS, quantity="1000", engine=True),
    *both("P18", -1054, "INSUFFICIENT_BALANCE", *FUNDS, who="carol", engine=True),
    *both("P18", -1054, "INSUFFICIENT_BALANCE", *FUNDS, who="grace", side="SELL", engine=True),
    *both("P18", -1054, "INSUFFICIENT_BALANCE", *FUNDS, who="carol", **market(), engine=True),
    *both(
        "P18", -1054, "INSUFFICIENT_BALANCE", *FUNDS, who="grace", quantity="0.00167", engine=True
    ),
    *both(
        "P22",
        -1180,
        CLIENT_ID,
        "'newClientOrderId'",
        "used before",
        newClientOrderId="alice-rests",
        quantity="0.02",
        engine=True,
    ),
    *both(
        "P22",
        -1180,
        CLIENT_ID,
        "'newClientOrderId'",
        "used before",
        newClientOrderId="alice-done",
        engine=True,
    ),
    *both(
        "P24",
        -1054,
        "NO_LIQUIDITY",
        FAILED,
        "no liquidity",
        symbol="ETHUSDT",
        **market(quantity="0.1"),
        engine=True,
    ),
    *both(
        "P25",
        -1140,
        "MAX_NUM_ORDERS",
        "'symbol'",
        "at most 200 open orders per symbol",
        who="frank",
        price="1",
        quantity="0.001",
        engine=True,
    ),
    *both(
        "P25",
        -1140,
        "MAX_NUM_ORDERS",
        "'symbol'",
        "at most 1000 open orders per account",
        who="frank",
        symbol="SOLETH",
        price="1",
        quantity="0.005",
        engine=True,
    ),
    *both(
        "P26",
        -1054,
        "WOULD_TRADE",
        FAILED,
        "POST_ONLY",
        price="64000",
        timeInForce="POST_ONLY",
        engine=True,
    ),
]


def cancels(row: str, code: int, *words: str, **body: Any) -> Case:
    return delete(row, BATCH, body, code, *words)


def lost(row: str, **body: Any) -> Case:
    """A batch cancel whose one item is not found."""
    return Case(
        row, "DELETE", BATCH, body, "EXPIRED", ("order not found",), status=200, engine=True
    )


_IDS: list[tuple[Any, int, str]] = [
    (1, -1142, "array"),
    ("12", -1142, "array"),
    ({"1": 1}, -1142, "array"),
    ([[1]], -1142, "whole number"),
    ([None], -1142, "whole number"),
    ([""], -1142, "whole number"),
    ([1.5], -1142, "whole number"),
    (["1 OR 1=1"], -1142, "whole number"),
    ([True], -1142, "whole number"),
    ([-1], -1140, "allowed: 1 to 9223372036854775807"),
    ([0], -1140, "allowed: 1 to 9223372036854775807"),
    ([2**63], -1140, "allowed: 1 to 9223372036854775807"),
    ([BOBS + 3, "x"], -1142, "whole number"),
]

_CANCELS = [
    cancels("C1", -1141, "'orderIds' or 'origClientOrderIds'"),
    cancels("C1", -1141, "'orderIds' or 'origClientOrderIds'", orderIds=[], origClientOrderIds=[]),
    cancels("C1", -1141, "'orderIds' or 'origClientOrderIds'", orderIds=None, symbol="BTCUSDT"),
    *[cancels("C2", code, "'orderIds'", words, orderIds=ids) for ids, code, words in _IDS],
    *[
        cancels("C3", -1180, "'origClientOrderIds'", CHARACTERS, origClientOrderIds=[bad])
        for bad in ("", None, "a" * 41, "a b", "é", 5, ["a"])
    ],
    cancels("C3", -1142, "'origClientOrderIds'", "array", origClientOrderIds="alice-rests"),
    cancels("C4", -1140, "at most 50", orderIds=list(range(1, 52))),
    cancels("C4", -1140, "at most 50", orderIds=[1] * 26, origClientOrderIds=["a"] * 25),
    cancels("C6", -2007, "'symbol'", orderIds=[BOBS + 3], symbol="NOPEUSDT"),
    lost("C7", orderIds=[UNKNOWN_ID]),
    lost("C7", origClientOrderIds=["nobody's"[:6]]),
    lost("C7", orderIds=[BOBS + 2]),
    lost("C8", orderIds=[BOBS]),
    lost("C8", orderIds=[str(BOBS)]),
    lost("C8", origClientOrderIds=["bob-ask"]),
    lost("C8", origClientOrderIds=[f"v-{BOBS + 1}"]),
    Case("C12", "DELETE", BATCH, None, -1045, ("Content-Type",)),
    Case("C12", "DELETE", BATCH, b" ", -1135, ("JSON",)),
]  # fmt: skip

_NAMED = [
    case
    for method in ("GET", "DELETE")
    for case in (
        Case("Q1", method, ORDER, None, -1140, ("'orderId'", "'origClientOrderId'")),
        Case("Q1", method, f"{ORDER}?orderId=&origClientOrderId=", None, -1140, ("Either",)),
        Case(
            "Q2", method, f"{ORDER}?orderId=1&origClientOrderId=a", None, -1128,
            ("'orderId'", "'origClientOrderId'", "exclude"),
        ),
        *[
            Case("Q3", method, f"{ORDER}?orderId={bad}", None, -1142, ("'orderId'", "whole number"))
            for bad in ("abc", "-1", "1.0", "1,2", "[1]", "%2B1", "%D9%A5")
        ],
        *[
            Case("Q3", method, f"{ORDER}?orderId={bad}", None, -1140, ("'orderId'", "1 to 922"))
            for bad in ("0", str(2**63), str(2**64))
        ],
        *[
            Case(
                "Q4", method, f"{ORDER}?origClientOrderId={bad}", None, -1180,
                ("'origClientOrderId'", CHARACTERS),
            )
            for bad in ("a" * 41, "a%20b", "%C3%A9", "a+b")
        ],
        *[
            Case(
                row, method, f"{ORDER}?{which}", None, -2200, ("order not found",),
                engine=method == "DELETE",
            )
            for row, which in (
                ("Q5", f"orderId={UNKNOWN_ID}"),
                ("Q5", "origClientOrderId=unknown"),
                ("Q5", f"origClientOrderId=v-{UNKNOWN_ID}"),
                ("Q6", f"orderId={BOBS}"),
                ("Q6", "origClientOrderId=bob-ask"),
                ("Q6", f"origClientOrderId=v-{BOBS}"),
            )
        ],
    )
]  # fmt: skip

CASES = [
    *_WHOLE,
    *_ITEMS,
    *_ENGINE,
    *_CANCELS,
    *_NAMED,
    delete("Q7", f"{ORDER}?orderId={BOBS + 2}", None, -2200, "order not found")._replace(
        engine=True
    ),
    delete("S1", OPEN, None, -1141, "'symbol' cannot be empty"),
    delete("S1", f"{OPEN}?symbol=", None, -1141, "'symbol' cannot be empty"),
    delete("S2", f"{OPEN}?symbol=NOPEUSDT", None, -2007, "'symbol'"),
    get("S2", f"{OPEN}?symbol=NOPEUSDT", -2007, "'symbol'"),
    get("S2", f"{OPEN}?symbol=BTCSUSDT", -2007, "'symbol'"),
    get("S2", f"{OPEN}?symbol=%C5%BFOLUSDT", -2007, "'symbol'"),
    get("S2", f"{OPEN}?symbol=BTCUSDT%20", -2007, "'symbol'"),
    get("S2", f"{OPEN}?symbol={'B' * 33}", -1142, "'symbol'"),
]

ACCEPTED = [
    Accepted("S1", "GET", f"{OPEN}?symbol="),
    Accepted("S2", "GET", f"{OPEN}?symbol=btcUsdt"),
    Accepted("S5", "GET", OPEN, who="frank"),
]  # fmt: skip
