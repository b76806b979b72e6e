"""Contract orders: placing, canceling, closing, asking for one (rows D, F, E and Q)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Case, delete, get, market, post
from support.refusals.contract_stage import (
    ALGO,
    BOBS_ASK,
    BOBS_SHORT,
    BOBS_STOP,
    DONE,
    GONE_STOP,
    ISOLATED_ID,
    LONG_ID,
    ORDER,
    RESTS,
    SHORT,
    SPOT_ID,
    STOP_ID,
    UNKNOWN_ID,
    V3,
    contract_order,
)
from support.refusals.numbers import DECIMALS

BATCH = f"{V3}/batchOrders"
OPEN = f"{V3}/allOpenOrders"
CLOSE = f"{V3}/closePositions"
DEMO = f"{V3}/sim/order"
SIDE, TYPE, TIF = "must be BUY or SELL", "must be LIMIT or MARKET", "GTC, IOC, FOK or POST_ONLY"
FAILED = "FAILED_PRECONDITION"
FUNDS = (FAILED, "amount not enough")
BAND = "outside the price band, which for this side ends at"
CHARACTERS = "1 to 36 characters"
NEITHER = "Either parameter 'orderId' or 'origClientOrderId' must be sent"
IDS = "allowed: 1 to 9223372036854775807"
SELLS: dict[str, Any] = {"side": "SELL"}  # closes a long position
SHORTS: dict[str, Any] = {"side": "SELL", **SHORT}  # opens a short one
BAD_CLIENT_IDS: list[Any] = [
    "a" * 37, "a" * 300, "a b", "é", "<script>", "a\n", 5, True, ["a"], {"a": 1},
]  # fmt: skip
OWN_FORM = "v-" + "1" * 16


def place(row: str, code: int, *words: str, **changes: Any) -> Case:
    """A contract order that is refused; `path` is where it goes, `engine` tells who refuses it."""
    who, path = changes.pop("who", "alice"), changes.pop("path", ORDER)
    engine = changes.pop("engine", False)
    return Case(row, "POST", path, contract_order(**changes), code, words, who, engine=engine)


def stops(row: str, code: int, *words: str, **changes: Any) -> Case:
    """As `place`, refused by the engine."""
    return place(row, code, *words, engine=True, **changes)


_FIELDS = [
    *[
        place("D1", -1141, "'symbol' cannot be empty", symbol=symbol, path=path)
        for symbol in (..., None, "")
        for path in (ORDER, DEMO)
    ],
    *[
        place("D2", -1121, "'symbol'", symbol=symbol, path=path)
        for symbol in ("NOPEUSDT", "BTC-USDT", "ſOLUSDT", "BTCUSDT ", "ETHBTC", "%", "..")
        for path in (ORDER, DEMO)
    ],
    *[place("D2", -1142, "'symbol'", symbol=bad) for bad in ("B" * 33, 1, ["BTCUSDT"], True)],
    *[
        place("D3", -1117, "'side'", SIDE, side=side)
        for side in (..., None, "", "buy", "LONG", 1, ["BUY"], True)
    ],
    *[place("D4", -1141, "'positionSide'", positionSide=side) for side in (..., None, "")],
    *[
        place("D4", -1142, "'positionSide'", "LONG, SHORT", positionSide=side)
        for side in ("long", "BOTH", "NET", "BUY", 1, -1, ["LONG"])
    ],
    *[
        place("D5", -1116, "'type'", TYPE, type=kind)
        for kind in (..., None, "", "limit", "STOP", "TAKE_PROFIT_MARKET", 1)
    ],
    *[
        place("D6", -1115, "'timeInForce'", TIF, timeInForce=tif)
        for tif in ("GTX", "gtc", "DAY", 1, True)
    ],
    *[
        place("D6", -1141, "'timeInForce' cannot be empty", timeInForce=tif, **demo)
        for tif in (..., None, "")
        for demo in ({}, {"symbol": "BTCSUSDT", "path": DEMO})
    ],
    *[place("D7", -1141, "'price'", price=price) for price in (..., None, "")],
    place("D7", -1128, "'price'", "type=MARKET", **market(price="60000")),
    place("D7", -1128, "'timeInForce'", "type=MARKET", **market(timeInForce="POST_ONLY")),
    *[place("D8", -1141, "'quantity'", quantity=quantity) for quantity in (..., None, "")],
    place("D8", -1141, "'quantity'", **market(quantity=...)),
    place("D8", -1160, "'quantity'", "5 decimals", quantity="0.000101"),
    place("D9", -1160, "'price'", "2 decimals", price="60000.001"),
]

_NUMBERS = [
    place(row, code, f"'{field}'", words, **{field: value})
    for row, value, code, _, words in DECIMALS
    for field in ("quantity", "price", "tpTriggerPrice", "slTriggerPrice")
    if row != "X1" or field in ("quantity", "price")
]

_REST = [
    *[
        place("D12", -1180, "'newClientOrderId'", CHARACTERS, newClientOrderId=bad)
        for bad in BAD_CLIENT_IDS
    ],
    place("D12", -1180, "'newClientOrderId'", "the venue's own form", newClientOrderId=OWN_FORM),
    *[
        place("D13", -1142, f"'{name}'", "CONTRACT_PRICE, MARK_PRICE", **{name: bad})
        for name in ("TpWorkingType", "SlWorkingType")
        for bad in ("LAST", "mark_price", "INDEX_PRICE", 1)
    ],
    *[
        place("D13", -1160, f"'{name}'", "2 decimals", **{name: "61000.001"})
        for name in ("tpTriggerPrice", "slTriggerPrice")
    ],
    *[
        place("D13", -1128, f"'{name}'", "side=SELL and positionSide=LONG", **SELLS, **{name: "1"})
        for name in ("tpTriggerPrice", "slTriggerPrice")
    ],
    place(
        "D13", -1128, "'tpTriggerPrice'", "side=BUY and positionSide=SHORT", **SHORT,
        tpTriggerPrice="1",
    ),
    place(
        "D14", -1128, "'positionId'", "side=BUY and positionSide=LONG", positionId=LONG_ID
    ),
    *[
        place("D14", -1142, "'positionId'", "whole number", **SELLS, positionId=bad)
        for bad in ("abc", 1.5, "-1", True, [LONG_ID])
    ],
    *[
        place("D14", -1140, "'positionId'", IDS, **SELLS, positionId=bad)
        for bad in (0, -1, 2**63)
    ],
    place("Y1", -1121, "'symbol'", symbol="BTCUSDT", path=DEMO),
    place("Y1", -1117, "'side'", symbol="BTCSUSDT", side="x", path=DEMO),
    place("Y1", -1141, "'quantity'", symbol="BTCSUSDT", quantity=..., path=DEMO),
    place("Y1", -1160, "'price'", symbol="BTCSUSDT", price="0.001", path=DEMO),
]  # fmt: skip

RANGE = "allowed: 0.00010 to 1000.00000"
_HALTED: dict[str, Any] = {"symbol": "SOLUSDT", "quantity": "1", "price": "150"}

_ENGINE = [
    stops("D2", -1054, FAILED, "trading is halted", "a drill", **_HALTED),
    stops("D8", -1140, "'quantity'", RANGE, quantity="0.00009"),
    stops("D8", -3007, "'quantity'", RANGE, quantity="1000.00001"),
    stops("D8", -3007, "'quantity'", "at most 100.00000", **market(quantity="100.00001")),
    stops("D9", -1140, "'price'", "0.01 to 1000000000000000.00", price="1" + "0" * 15 + ".01"),
    stops("D10", -1140, "'price'", BAND, "69850.00", price="69850.01"),
    stops("D10", -1140, "'price'", BAND, "57150.00", **SHORTS, price="57149.99"),
    stops("D10", -1140, "'price'", BAND, "57150.00", **SELLS, price="57149.99"),
    stops(
        "D11", -1140, "'quantity'", "price x quantity", "46116860184.27387904 USDT", **SHORTS,
        quantity="1000", price="1" + "0" * 15,
    ),
    stops("D12", -1180, "used before", newClientOrderId="alice-rests", quantity="0.02"),
    stops("D12", -1180, "used before", newClientOrderId="alice-rests", side="SELL"),
    stops("D12", -1180, "used before", newClientOrderId="alice-done"),
    stops("D12", -1180, "used before", newClientOrderId="alice-rests", slTriggerPrice="50000"),
    stops("D12", -1180, "used before", newClientOrderId="alice-rests", tpTriggerPrice="70000"),
    stops("D13", -1140, "'tpTriggerPrice'", "above 60000.00", tpTriggerPrice="60000"),
    stops("D13", -1140, "'slTriggerPrice'", "below 60000.00", slTriggerPrice="60000"),
    stops("D13", -1140, "'tpTriggerPrice'", "below 64000", **SHORTS, price="64000",
          tpTriggerPrice="64000.01"),
    stops("D13", -1140, "'slTriggerPrice'", "above 64000", **SHORTS, price="64000",
          slTriggerPrice="63999.99"),
    stops("D13", -1140, "'tpTriggerPrice'", "above 63500", **market(tpTriggerPrice="63500")),
    stops(
        "D13", -1140, "'tpTriggerPrice'", "0.01 to 1000000000000000.00",
        tpTriggerPrice="1" + "0" * 15 + ".01",
    ),
    *[
        stops("D14", -1142, "'positionId'", "no such position", **SELLS, positionId=number)
        for number in (UNKNOWN_ID, BOBS_SHORT, ISOLATED_ID, RESTS, SPOT_ID)
    ],
    stops("D15", -1054, *FUNDS, "USDT are needed", who="carol"),
    stops("D15", -1054, *FUNDS, who="carol", **market()),
    stops("D15", -1054, *FUNDS, quantity="700"),
    stops("D15", -1054, *FUNDS, who="grace", **SHORTS, quantity="0.1", price="63500"),
    stops("D15", -1054, *FUNDS, who="carol", symbol="ETHSUSDT", price="3000", path=DEMO),
    stops("D16", -1054, FAILED, "exceed max size", "for leverage '20'", quantity="1000"),
    stops("D17", -1054, FAILED, "nothing left to close", who="carol", **SELLS),
    stops("D17", -1054, FAILED, "nothing left to close", who="carol", **SELLS, **market()),
    stops("D17", -1054, FAILED, "nothing left to close", **SHORT),
    stops("D17", -1054, FAILED, "beyond 0.01000", who="grace", **SELLS, quantity="0.02"),
    stops("D18", -1054, FAILED, "POST_ONLY", price="64000", timeInForce="POST_ONLY"),
    stops("D18", -1054, FAILED, "POST_ONLY", **SELLS, price="63000", timeInForce="POST_ONLY"),
    stops("D19", -1054, FAILED, "no liquidity", symbol="ETHSUSDT", **market(path=DEMO)),
    stops("D20", -1057, "frozen", who="erin"),
    stops("D21", -1140, "'symbol'", "at most 200 open orders per symbol", who="frank",
          symbol="SOLSUSDT", quantity="0.01", price="1"),
    stops("D22", -1054, FAILED, "Position ID missing in separated mode", **SELLS,
          symbol="SOLSUSDT", price="150"),
    stops("D23", -1140, "'quantity'", "a position may be at most 0.20000", symbol="BTCSUSDT",
          quantity="0.2", path=DEMO),
    stops("D23", -1140, "'quantity'", "open interest may be at most 1.10000", symbol="BTCSUSDT",
          who="bob", quantity="0.2"),
    stops("D23", -1140, "'quantity'", "positions on a side may be at most 30000.000",
          "0.01 of the greatest open interest, 3000000.000", symbol="SOLSUSDT", quantity="30000",
          price="150"),
]  # fmt: skip


# -- placing a batch ------------------------------------------------------------------------------


def item(row: str, code: str, *words: str, **changes: Any) -> Case:
    """A batch of one contract order, which is refused."""
    who, engine = changes.pop("who", "alice"), changes.pop("engine", False)
    body = {"batchOrders": [contract_order(**{"timeInForce": "GTC", **changes})]}
    return Case(row, "POST", BATCH, body, code, words, who, 200, engine=engine)


def stops_item(code: str, *words: str, **changes: Any) -> Case:
    """As `item`, refused by the engine."""
    return item("D26", code, *words, engine=True, **changes)


_NO_BATCH: list[Any] = [{}, {"batchOrders": None}, {"batchOrders": []}, {"orderList": [{}]}]
_NO_ARRAY: list[Any] = ["[]", {"0": {}}, 1, True]
_NO_ORDER: list[Any] = [None, "BUY", [], 1, True]

_BATCHES = [
    *[post("D25", BATCH, body, -1141, "'batchOrders'") for body in _NO_BATCH],
    *[
        post("D25", BATCH, {"batchOrders": bad}, -1142, "'batchOrders'", "array")
        for bad in _NO_ARRAY
    ],
    post("D25", BATCH, {"batchOrders": [contract_order()] * 11}, -1140, "1 to 10 orders"),
    *[
        Case("D26", "POST", BATCH, {"batchOrders": [bad]}, "PARAM_ERROR", ("'batchOrders'",),
             status=200)
        for bad in _NO_ORDER
    ],
    item("D26", "PARAM_EMPTY", "'symbol'", symbol=...),
    item("D26", "INVALID_SYMBOL", "'symbol'", symbol="NOPEUSDT"),
    item("D26", "INVALID_SIDE", SIDE, side="HOLD"),
    item("D26", "PARAM_ERROR", "'positionSide'", positionSide="BOTH"),
    item("D26", "INVALID_ORDER_TYPE", TYPE, type="STOP"),
    item("D26", "PARAM_EMPTY", "'timeInForce'", timeInForce=...),
    item("D26", "INVALID_TIME_IN_FORCE", TIF, timeInForce="gtc"),
    item("D26", "PARAM_EMPTY", "'quantity'", quantity=""),
    item("D26", "DECIMAL_PRECISION_ERROR", "'price'", "2 decimals", price="60000.001"),
    item("D26", "INVALID_PARAM_COMBINATION", "'price'", "type=MARKET", type="MARKET"),
    item("D26", "CLIENT_OID_LENGTH_ERROR", CHARACTERS, newClientOrderId="a b"),
    stops_item("CLIENT_OID_LENGTH_ERROR", "used before", newClientOrderId="alice-done"),
    stops_item("PARAM_VALIDATE_ERROR", "'quantity'", quantity="0.00009"),
    stops_item("CONTRACT_QUANTITY_EXCEEDED", "'quantity'", quantity="1000.00001"),
    stops_item("INSUFFICIENT_BALANCE", *FUNDS, who="carol"),
    stops_item("CONTRACT_LEVERAGE_ERROR", "exceed max size", "leverage '20'", quantity="1000"),
    stops_item("NOTHING_TO_CLOSE", FAILED, who="carol", **SELLS),
    stops_item("WOULD_TRADE", FAILED, price="64000", timeInForce="POST_ONLY"),
    stops_item("USER_LOCKED", "frozen", who="erin"),
]  # fmt: skip


# -- canceling ------------------------------------------------------------------------------------


def cancels(row: str, code: int, *words: str, **body: Any) -> Case:
    """A batch cancel that is refused as a whole."""
    return delete(row, BATCH, body, code, *words)


def lost(row: str, **body: Any) -> Case:
    """A batch cancel whose one item is not found."""
    return Case(
        row, "DELETE", BATCH, body, "CONTRACT_ORDER_NOT_EXIST", ("order not found",), status=200,
        engine=True,
    )  # fmt: skip


_EITHER = "'orderIdList' or 'origClientOrderIdList'"
_BAD_IDS: list[tuple[Any, int, str]] = [
    (1, -1142, "array"),
    ("12", -1142, "array"),
    ({"1": 1}, -1142, "array"),
    ([None], -1142, "whole number"),
    ([""], -1142, "whole number"),
    ([1.5], -1142, "whole number"),
    (["1 OR 1=1"], -1142, "whole number"),
    ([[1]], -1142, "whole number"),
    ([True], -1142, "whole number"),
    ([-1], -1140, IDS),
    ([0], -1140, IDS),
    ([2**63], -1140, IDS),
    ([RESTS, "x"], -1142, "whole number"),
]

_CANCELS = [
    cancels("F1", -1141, _EITHER),
    cancels("F1", -1141, _EITHER, orderIdList=[], origClientOrderIdList=[]),
    cancels("F1", -1141, _EITHER, orderIdList=None, symbol="BTCUSDT"),
    cancels("F1", -1141, _EITHER, orderIds=[RESTS]),
    *[
        cancels("F2", code, "'orderIdList'", words, orderIdList=ids)
        for ids, code, words in _BAD_IDS
    ],
    *[
        cancels("F3", -1180, "'origClientOrderIdList'", CHARACTERS, origClientOrderIdList=[bad])
        for bad in ["", None, *BAD_CLIENT_IDS]
    ],
    cancels("F3", -1142, "'origClientOrderIdList'", "array", origClientOrderIdList="alice-rests"),
    cancels("F4", -1140, "'orderIdList'", "at most 10", orderIdList=list(range(1, 12))),
    cancels("F4", -1140, "at most 10", orderIdList=[1] * 6, origClientOrderIdList=["a"] * 5),
    lost("F5", orderIdList=[UNKNOWN_ID]),
    lost("F5", orderIdList=[DONE]),
    lost("F5", origClientOrderIdList=["alice-done"]),
    lost("F5", origClientOrderIdList=["nobodys"]),
    lost("F5", orderIdList=[SPOT_ID]),
    lost("F5", orderIdList=[STOP_ID]),
    lost("F6", orderIdList=[BOBS_ASK]),
    lost("F6", orderIdList=[str(BOBS_ASK)]),
    lost("F6", origClientOrderIdList=["bob-ask"]),
    lost("F6", origClientOrderIdList=[f"v-{BOBS_ASK + 1}"]),
    Case("F7", "DELETE", BATCH, None, -1045, ("Content-Type",)),
    Case("F7", "DELETE", BATCH, b" ", -1135, ("JSON",)),
    Case("F7", "DELETE", BATCH, b"[]", -1135, ("JSON",)),
    delete("F7", f"{BATCH}?orderIdList=1", {"orderIdList": [1]}, -1142, "'query'", "body"),
    *[
        delete("F9", f"{path}{query}", None, -1140, "'symbol'", "must not be empty", "to mean all")
        for path in (f"{V3}/allOpenOrders", f"{V3}/algoOpenOrders")
        for query in ("?symbol=", "?symbol", "?symbol=&page=1")
    ],
    *[
        delete("F8", f"{path}?symbol={bad}", None, code, "'symbol'")
        for path in (OPEN, f"{V3}/algoOpenOrders")
        for bad, code in (
            ("NOPEUSDT", -1121), ("ETHBTC", -1121), ("%C5%BFOLUSDT", -1121), ("B" * 33, -1142),
        )
    ],
    *[
        delete("F8", path, {"symbol": "BTCUSDT"}, -1142, "'body'", "query")
        for path in (OPEN, f"{V3}/algoOpenOrders")
    ],
]  # fmt: skip


# -- one order, asked for or canceled -------------------------------------------------------------

_ASKED = (("GET", ORDER), ("DELETE", ORDER), ("DELETE", ALGO))
# Row, operation, and an id that it does not find.
_NOT_FOUND: list[tuple[str, str, str]] = [
    *[
        (row, path, which)
        for path in (ORDER, ALGO)
        for row, which in (
            ("Q5", f"orderId={UNKNOWN_ID}"),
            ("Q5", "origClientOrderId=unknown"),
            ("Q5", f"origClientOrderId=v-{UNKNOWN_ID}"),
            ("Q8", f"orderId={SPOT_ID}"),
            ("Q8", f"origClientOrderId=v-{SPOT_ID}"),
            ("Q8", f"orderId={LONG_ID}"),
        )
    ],
    ("Q6", ORDER, f"orderId={BOBS_ASK}"),
    ("Q6", ORDER, "origClientOrderId=bob-ask"),
    ("Q6", ORDER, f"origClientOrderId=v-{BOBS_ASK}"),
    ("Q6", ALGO, f"orderId={BOBS_STOP}"),
    ("Q6", ALGO, "origClientOrderId=bob-stop"),
    ("Q6", ALGO, f"origClientOrderId=v-{BOBS_STOP}"),
    ("Q6", ORDER, f"orderId={BOBS_STOP}"),
    ("Q6", ORDER, "origClientOrderId=bob-stop"),
    ("Q6", ORDER, f"origClientOrderId=v-{BOBS_STOP}"),
    ("Q8", ALGO, f"orderId={RESTS}"),
    ("Q8", ALGO, "origClientOrderId=alice-rests"),
]

_NAMED = [
    *[
        case
        for method, path in _ASKED
        for case in (
            *[
                Case("Q1", method, f"{path}{query}", None, -1140, (NEITHER,))
                for query in ("", "?orderId=&origClientOrderId=")
            ],
            Case(
                "Q2", method, f"{path}?orderId=1&origClientOrderId=a", None, -1128,
                ("'orderId'", "'origClientOrderId'", "exclude"),
            ),
            *[
                Case("Q3", method, f"{path}?orderId={bad}", None, -1142, ("'orderId'", "whole"))
                for bad in ("abc", "-1", "1.0", "1,2", "[1]", "%2B1", "%D9%A5", "1%20OR%201=1")
            ],
            *[
                Case("Q3", method, f"{path}?orderId={bad}", None, -1140, ("'orderId'", IDS))
                for bad in ("0", str(2**63), str(2**64))
            ],
            *[
                Case(
                    "Q4", method, f"{path}?origClientOrderId={bad}", None, -1180,
                    ("'origClientOrderId'", CHARACTERS),
                )
                for bad in ("a" * 37, "a%20b", "%C3%A9", "a+b")
            ],
        )
    ],
    *[
        Case(row, method, f"{path}?{which}", None, -3200, ("order not found",),
             engine=method == "DELETE")
        for row, path, which in _NOT_FOUND
        for method in (("GET", "DELETE") if path == ORDER else ("DELETE",))
    ],
    *[
        Case("Q8", "DELETE", f"{ORDER}?{which}", None, -3200, ("order not found",), engine=True)
        for which in (f"orderId={STOP_ID}", "origClientOrderId=alice-stop")
    ],
    *[
        Case("Q7", "DELETE", f"{path}?{which}", None, -3200, ("order not found",), engine=True)
        for path, which in (
            (ORDER, f"orderId={DONE}"), (ORDER, "origClientOrderId=alice-done"),
            (ALGO, f"orderId={GONE_STOP}"), (ALGO, "origClientOrderId=alice-gone"),
        )
    ],
]  # fmt: skip


# -- closing positions ----------------------------------------------------------------------------

_CLOSES = [
    post("E1", CLOSE, {"symbol": "NOPEUSDT"}, -1121, "'symbol'"),
    post("E1", CLOSE, {"symbol": "ſOLUSDT"}, -1121, "'symbol'"),
    post("E1", CLOSE, {"symbol": "B" * 33}, -1142, "'symbol'"),
    *[
        post("E6", CLOSE, body, -1140, f"'{name}'", "must not be empty", "leave it out to mean all")
        for empty in ("", None)
        for name, body in (
            ("symbol", {"symbol": empty}),
            ("symbol", {"symbol": empty, "positionId": LONG_ID}),
            ("positionId", {"positionId": empty}),
            ("positionId", {"symbol": "BTCUSDT", "positionId": empty}),
        )
    ],
    post("E1", CLOSE, {"symbol": 1}, -1142, "'symbol'"),
    *[
        post("E2", CLOSE, {"positionId": bad}, -1142, "'positionId'", "whole number")
        for bad in ("abc", 1.5, "-1", True, [LONG_ID])
    ],
    *[post("E2", CLOSE, {"positionId": bad}, -1140, "'positionId'", IDS) for bad in (0, -1, 2**63)],
    *[
        post("E3", CLOSE, body, -1142, "'positionId'", "no such position")._replace(engine=True)
        for body in (
            {"positionId": UNKNOWN_ID},
            {"positionId": BOBS_SHORT},
            {"positionId": RESTS},
            {"symbol": "ETHUSDT", "positionId": LONG_ID},
        )
    ],
    post("E4", f"{CLOSE}?symbol=BTCUSDT", {}, -1142, "'query'", "body"),
    Case("E4", "POST", CLOSE, None, -1045, ("Content-Type",)),
    Case("E4", "POST", CLOSE, b" ", -1135, ("JSON",)),
    Case("E4", "POST", CLOSE, b"[]", -1135, ("JSON",)),
    get("G1", CLOSE, -1150, "not supported"),
]

CASES = [*_FIELDS, *_NUMBERS, *_REST, *_ENGINE, *_BATCHES, *_CANCELS, *_NAMED, *_CLOSES]
