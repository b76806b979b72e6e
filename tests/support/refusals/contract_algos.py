"""Conditional orders of contracts: placing and changing them (rows T)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Case, changed
from support.refusals.contract_orders import (
    BAD_CLIENT_IDS,
    CHARACTERS,
    FAILED,
    IDS,
    OWN_FORM,
    RANGE,
    SIDE,
)
from support.refusals.contract_stage import (
    ALGO,
    BOBS_STOP,
    DONE,
    GONE_STOP,
    RESTS,
    STOP_ID,
    TRAIL_ID,
    UNKNOWN_ID,
    V3,
)
from support.refusals.numbers import DECIMALS

EXIT = f"{V3}/placeTpSlOrder"
CHANGE = f"{V3}/modifyTpSlOrder"
TYPES = "must be one of STOP, STOP_MARKET, TAKE_PROFIT, TAKE_PROFIT_MARKET, TRAILING_STOP_MARKET"
SOURCES = "CONTRACT_PRICE, MARK_PRICE"
PRICES = "allowed: 0.01 to 1000000000000000.00"
HIGH = "1" + "0" * 15 + ".01"
ABSENT: list[Any] = [..., None, ""]
BAD_SYMBOLS: list[tuple[Any, int]] = [
    *[(absent, -1141) for absent in ABSENT],
    *[(bad, -1121) for bad in ("NOPEUSDT", "ETHBTC", "ſOLUSDT")],
    ("B" * 33, -1142), (1, -1142), (["BTCUSDT"], -1142),
]  # fmt: skip
BAD_SIDES: list[tuple[Any, int]] = [
    *[(absent, -1141) for absent in ABSENT],
    *[(bad, -1142) for bad in ("long", "BOTH", "BUY", 1, ["LONG"])],
]

# An order that waits for 69,000 to buy.
_STOP = {
    "symbol": "BTCUSDT", "side": "BUY", "positionSide": "LONG", "type": "STOP_MARKET",
    "quantity": "0.01", "triggerPrice": "69000", "clientAlgoId": "new-1",
}  # fmt: skip
_TRAIL: dict[str, Any] = {"type": "TRAILING_STOP_MARKET", "triggerPrice": ...}
_EXIT = {
    "symbol": "BTCUSDT", "clientAlgoId": "new-2", "planType": "STOP_LOSS", "triggerPrice": "55000",
    "positionSide": "LONG", "quantity": "0.01",
}  # fmt: skip
_CHANGE = {"orderId": STOP_ID, "triggerPrice": "51000"}


def _sent(row: str, path: str, plain: dict[str, Any], code: int, words: tuple[str, ...],
          changes: dict[str, Any]) -> Case:  # fmt: skip
    who, engine = changes.pop("who", "alice"), changes.pop("engine", False)
    return Case(row, "POST", path, changed(plain, changes), code, words, who, engine=engine)


def waits(row: str, code: int, *words: str, **changes: Any) -> Case:
    """A conditional order that is refused."""
    return _sent(row, ALGO, _STOP, code, words, changes)


def exits(row: str, code: int, *words: str, **changes: Any) -> Case:
    """A take-profit or stop-loss that is refused."""
    return _sent(row, EXIT, _EXIT, code, words, changes)


def moves(row: str, code: int, *words: str, **changes: Any) -> Case:
    """A change that is refused."""
    return _sent(row, CHANGE, _CHANGE, code, words, changes)


def both(row: str, code: int, *words: str, **changes: Any) -> list[Case]:
    """Of either way to place one."""
    return [waits(row, code, *words, **changes), exits(row, code, *words, **changes)]


_FIELDS = [
    *[
        case
        for bad, code in BAD_SYMBOLS
        for case in both("T1", code, "'symbol'", symbol=bad)
    ],
    *[
        waits("T2", -1117, "'side'", SIDE, side=bad)
        for bad in (*ABSENT, "buy", "LONG", 1, ["BUY"])
    ],
    *[
        case
        for bad, code in BAD_SIDES
        for case in both("T2", code, "'positionSide'", positionSide=bad)
    ],
    *[
        waits("T3", -1116, "'type'", TYPES, type=bad)
        for bad in (*ABSENT, "LIMIT", "MARKET", "stop", 1, ["STOP"])
    ],
    *[exits("T3", -1141, "'planType'", planType=bad) for bad in ABSENT],
    *[
        exits("T3", -1142, "'planType'", "TAKE_PROFIT, STOP_LOSS", planType=bad)
        for bad in ("STOP", "stop_loss", 1)
    ],
    *[waits("T4", -1141, "'quantity'", quantity=bad) for bad in ABSENT],
    *both("T4", -1160, "'quantity'", "5 decimals", quantity="0.000101"),
    *[case for bad in ABSENT for case in both("T5", -1141, "'clientAlgoId'", clientAlgoId=bad)],
    *[
        case
        for bad in BAD_CLIENT_IDS
        for case in both("T5", -1180, "'clientAlgoId'", CHARACTERS, clientAlgoId=bad)
    ],
    *both("T5", -1180, "'clientAlgoId'", "the venue's own form", clientAlgoId=OWN_FORM),
    *[case for bad in ABSENT for case in both("T6", -1141, "'triggerPrice'", triggerPrice=bad)],
    *both("T6", -1160, "'triggerPrice'", "2 decimals", triggerPrice="69000.001"),
    *[
        waits("T7", -1141, "'price'", type=kind, price=bad)
        for kind in ("STOP", "TAKE_PROFIT")
        for bad in ABSENT
    ],
    *[
        waits("T7", -1128, "'price'", f"type={kind}", type=kind, price="69000")
        for kind in ("STOP_MARKET", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET")
    ],
    waits("T7", -1160, "'price'", "2 decimals", type="STOP", price="69000.001"),
]  # fmt: skip

_NUMBERS = [
    case
    for row, value, code, _, words in DECIMALS
    for case in (
        *[
            waits(row, code, f"'{field}'", words, **{field: value})
            for field in ("quantity", "triggerPrice")
        ],
        moves(row, code, "'triggerPrice'", words, triggerPrice=value),
        # Of an exit these two may be 0 or absent.
        *[
            exits(row, code, f"'{field}'", words, **{field: value})
            for field in ("quantity", "executePrice")
            if row not in ("X1", "X2")
        ],
    )
]

_COMBINATIONS = [
    *[
        waits("T8", -1141, "'callbackRate'", **_TRAIL, callbackRate=bad) for bad in ABSENT
    ],
    waits("T8", -1160, "'callbackRate'", "6 decimals", **_TRAIL, callbackRate="0.0000001"),
    waits("T8", -1142, "'callbackRate'", "positive decimal", **_TRAIL, callbackRate="5%"),
    waits("T8", -1142, "'callbackRate'", "positive decimal", **_TRAIL, callbackRate="-0.1"),
    waits("T8", -1128, "'triggerPrice'", "type=TRAILING", **{**_TRAIL, "triggerPrice": "69000"}),
    waits(
        "T8", -1160, "'activatePrice'", "2 decimals", **_TRAIL, callbackRate="0.1",
        activatePrice="69000.001",
    ),
    waits("T8", -1128, "'activatePrice'", "type=STOP_MARKET", activatePrice="69000"),
    waits("T8", -1128, "'callbackRate'", "type=STOP_MARKET", callbackRate="0.1"),
    *[
        waits("T9", -1128, f"'{name}'", "side=SELL and positionSide=LONG", side="SELL",
              triggerPrice="50000", **{name: "1"})
        for name in ("presetTakeProfitPrice", "presetStopLossPrice")
    ],
    waits("T9", -1140, "'presetTakeProfitPrice'", "above 69000", presetTakeProfitPrice="69000"),
    waits("T9", -1140, "'presetStopLossPrice'", "below 69000", presetStopLossPrice="69000"),
    waits("T9", -1140, "'presetTakeProfitPrice'", "below 69000", side="SELL",
          positionSide="SHORT", presetTakeProfitPrice="69000.01"),
    *[
        waits("T9", -1160, f"'{name}'", "2 decimals", **{name: "69000.001"})
        for name in ("presetTakeProfitPrice", "presetStopLossPrice")
    ],
    *[
        waits("T10", -1142, f"'{name}'", SOURCES, **{name: bad})
        for name in ("TpWorkingType", "SlWorkingType")
        for bad in ("LAST", "mark_price", 1)
    ],
    *[
        case
        for bad in ("LAST", "mark_price", 1)
        for case in (
            exits("T10", -1142, "'triggerPriceType'", SOURCES, triggerPriceType=bad),
            moves("T10", -1142, "'triggerPriceType'", SOURCES, triggerPriceType=bad),
        )
    ],
    *[moves("T17", -1141, "'orderId'", orderId=bad) for bad in ABSENT],
    *[
        moves("T17", -1142, "'orderId'", "whole number", orderId=bad)
        for bad in ("abc", 1.5, "-1", True, [STOP_ID])
    ],
    *[moves("T17", -1140, "'orderId'", IDS, orderId=bad) for bad in (0, -1, 2**63)],
    *[moves("T17", -1141, "'triggerPrice'", triggerPrice=bad) for bad in ABSENT],
    moves("T17", -1160, "'triggerPrice'", "2 decimals", triggerPrice="51000.001"),
    moves("T17", -1160, "'executePrice'", "2 decimals", executePrice="51000.001"),
    *[
        moves("T17", -3200, "order not found", orderId=number)
        for number in (UNKNOWN_ID, BOBS_STOP, GONE_STOP, RESTS, DONE)
    ],
    moves("T17", -3200, "order not found", who="carol"),
    moves("T17", -1116, "'type'", "TRAILING_STOP_MARKET cannot be changed", orderId=TRAIL_ID),
]  # fmt: skip

_HALTED = {"symbol": "SOLUSDT", "quantity": "1", "triggerPrice": "150"}
_SEPARATED = {"symbol": "SOLSUSDT", "quantity": "1", "triggerPrice": "140"}


def refused(row: str, code: int, *words: str, **changes: Any) -> list[Case]:
    """Of either way to place one, by the engine."""
    return both(row, code, *words, engine=True, **changes)


_ENGINE = [
    *refused("T1", -1054, FAILED, "trading is halted", "a drill", **_HALTED),
    *refused("T4", -1140, "'quantity'", RANGE, quantity="0.00009"),
    *refused("T4", -3007, "'quantity'", RANGE, quantity="1000.00001"),
    *refused("T5", -1180, "'clientAlgoId'", "used before", clientAlgoId="alice-stop"),
    *refused("T5", -1180, "'clientAlgoId'", "used before", clientAlgoId="alice-gone"),
    waits("T5", -1180, "used before", side="SELL", clientAlgoId="alice-stop", triggerPrice="50000",
          SlWorkingType="MARK_PRICE", engine=True),
    exits("T5", -1180, "used before", clientAlgoId="alice-stop", triggerPrice="50000",
          triggerPriceType="MARK_PRICE", engine=True),
    *refused("T6", -1140, "'triggerPrice'", PRICES, triggerPrice=HIGH),
    waits("T7", -1140, "'price'", PRICES, type="STOP", price=HIGH, engine=True),
    exits("T7", -1140, "'executePrice'", PRICES, executePrice=HIGH, engine=True),
    *[
        waits("T8", -1140, "'callbackRate'", "above 0, up to 0.5", **_TRAIL, callbackRate=bad,
              engine=True)
        for bad in ("0", "0.500001", "1")
    ],
    waits("T11", -1054, FAILED, "nothing left to close", side="SELL", who="carol", engine=True),
    waits("T11", -1054, FAILED, "nothing left to close", positionSide="SHORT", engine=True),
    exits("T11", -1054, FAILED, "nothing left to close", positionSide="SHORT", engine=True),
    exits("T11", -1054, FAILED, "nothing left to close", who="carol", engine=True),
    waits("T11", -1054, FAILED, "Position ID missing in separated mode", side="SELL", engine=True,
          **_SEPARATED),
    exits("T11", -1054, FAILED, "Position ID missing in separated mode", engine=True, **_SEPARATED),
    waits("T12", -1054, FAILED, "would trigger at once", "63500.00", side="SELL", engine=True),
    exits("T12", -1054, FAILED, "would trigger at once", "63500.00", triggerPrice="63500",
          engine=True),
    exits("T12", -1054, FAILED, "would trigger at once", planType="TAKE_PROFIT", engine=True),
    exits("T12", -1054, FAILED, "would trigger at once", planType="TAKE_PROFIT", engine=True,
          triggerPriceType="MARK_PRICE"),
    waits("T13", -1054, FAILED, "the contract has no price yet", symbol="ETHUSDT", engine=True),
    *refused("T14", -1057, "frozen", who="erin"),
    waits("T15", -1140, "'symbol'", "at most 50 conditional orders per symbol", who="frank",
          symbol="SOLSUSDT", engine=True),
    moves("T16", -1054, FAILED, "would trigger at once", triggerPrice="63500", engine=True),
    moves("T16", -1054, FAILED, "would trigger at once", triggerPrice="63500", engine=True,
          triggerPriceType="MARK_PRICE"),
    moves("T16", -1140, "'triggerPrice'", PRICES, triggerPrice=HIGH, engine=True),
    moves("T16", -1140, "'executePrice'", PRICES, executePrice=HIGH, engine=True),
]  # fmt: skip

CASES = [*_FIELDS, *_NUMBERS, *_COMBINATIONS, *_ENGINE]
