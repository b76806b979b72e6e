"""Leverage, margin modes and margin of contracts; acts without the right key (rows L, W and
G19)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Case, changed
from support.refusals.contract_stage import (
    ACCOUNT,
    ALGO,
    BOBS_SHORT,
    ISOLATED_ID,
    LONG_ID,
    ORDER,
    RESTS,
    UNKNOWN_ID,
    V3,
)

LEVERAGE = f"{ACCOUNT}/leverage"
MODE = f"{ACCOUNT}/marginType"
MARGIN = f"{ACCOUNT}/positionMargin"
AUTO = f"{ACCOUNT}/modifyAutoAppendMargin"
FAILED = "FAILED_PRECONDITION"
IDS = "allowed: 1 to 9223372036854775807"
NAMES = ("crossLeverage", "isolatedLongLeverage", "isolatedShortLeverage")
MODES = "CROSSED, ISOLATED"
IN_USE = (FAILED, "the mode can change only while the symbol has no position and no order")
NOT_ISOLATED = (FAILED, "the position is not isolated")
BAD_SYMBOLS: list[tuple[Any, int]] = [
    (..., -1141), (None, -1141), ("", -1141), ("NOPEUSDT", -1121), ("ETHBTC", -1121),
    ("ſOLUSDT", -1121), ("B" * 33, -1142), (1, -1142), (["BTCUSDT"], -1142),
]  # fmt: skip


def sent(
    row: str, path: str, plain: dict[str, Any], code: int, *words: str, **changes: Any
) -> Case:
    """A good request, changed; `who` sends it, `engine` tells who refuses it."""
    who, engine = changes.pop("who", "alice"), changes.pop("engine", False)
    return Case(row, "POST", path, changed(plain, changes), code, words, who, engine=engine)


def leverage(row: str, code: int, *words: str, **changes: Any) -> Case:
    plain = {"symbol": "BTCUSDT", "crossLeverage": "10"}
    return sent(row, LEVERAGE, plain, code, *words, **changes)


def mode(row: str, code: int, *words: str, **changes: Any) -> Case:
    plain = {"symbol": "BTCUSDT", "marginType": "ISOLATED"}
    return sent(row, MODE, plain, code, *words, **changes)


def margin(row: str, code: int, *words: str, **changes: Any) -> Case:
    plain = {"isolatedPositionId": ISOLATED_ID, "amount": "1", "type": 1}
    return sent(row, MARGIN, plain, code, *words, **changes)


def auto(row: str, code: int, *words: str, **changes: Any) -> Case:
    plain = {"positionId": ISOLATED_ID, "autoAppendMargin": True}
    return sent(row, AUTO, plain, code, *words, **changes)


_BAD_LEVERAGES: list[Any] = [
    "0", "-5", "0.5", "10.5", "10.", "1e2", "NaN", "١٠", " 10", "10x", "+5", "0x10", " ", "501",
    "9" * 40, "9" * 5_000, 0, -5, 10.5, 501, 2**64, True, ["10"], {"x": "10"},
]  # fmt: skip

_LEVERAGE = [
    *[leverage("L1", code, "'symbol'", symbol=bad) for bad, code in BAD_SYMBOLS],
    *[
        leverage("L2", -1141, "'crossLeverage' or 'isolatedLongLeverage'", crossLeverage=absent)
        for absent in (..., None, "")
    ],
    *[
        leverage("L3", -1142, "'marginType'", MODES, marginType=bad)
        for bad in ("cross", "Crossed", "ISOLATE", 1, ["CROSSED"], True)
    ],
    *[
        leverage(
            "L7" if isinstance(bad, float | bool | list | dict) else "L5",
            -3313, f"'{name}'", "allowed: whole numbers from 1 to 500", **{name: bad},
        )
        for name in NAMES
        for bad in _BAD_LEVERAGES
    ],
    *[
        leverage(
            "L6", -3313, f"'{name}'", "from 1 to 100", engine=True,
            **{"crossLeverage": ..., name: "101"},
        )
        for name in NAMES
    ],
    leverage("L6", -3313, "'crossLeverage'", "from 1 to 50", crossLeverage="51", engine=True),
    leverage("L6", -3313, "'crossLeverage'", "from 1 to 50", crossLeverage=126, engine=True,
             symbol="SOLSUSDT"),
    leverage("L6", -3313, "'isolatedLongLeverage'", engine=True, isolatedLongLeverage="500"),
    leverage("L8", -1054, FAILED, "amount not enough", who="grace", crossLeverage="1", engine=True),
    leverage("L8", -1054, FAILED, "amount not enough", crossLeverage=1, engine=True),
    leverage("L9", -1054, *IN_USE, marginType="ISOLATED", engine=True),
    leverage("L9", -1054, *IN_USE, marginType="CROSSED", symbol="ETHSUSDT", engine=True),
]  # fmt: skip

_MODES = [
    *[mode("W1", code, "'symbol'", symbol=bad) for bad, code in BAD_SYMBOLS],
    *[mode("W2", -1141, "'marginType'", marginType=bad) for bad in (..., None, "")],
    *[
        mode("W2", -1142, "'marginType'", MODES, marginType=bad)
        for bad in ("cross", "isolated", "ISOLATE", 1, ["CROSSED"])
    ],
    *[
        mode("W2", -1142, "'separatedType'", "COMBINED, SEPARATED", separatedType=bad)
        for bad in ("combined", "SPLIT", 1, True)
    ],
    mode("W3", -1054, *IN_USE, engine=True),
    mode("W3", -1054, *IN_USE, marginType="CROSSED", separatedType="SEPARATED", engine=True),
    mode("W3", -1054, *IN_USE, who="frank", symbol="SOLSUSDT", engine=True),
]

_POSITIONS: list[tuple[Any, int, str]] = [
    (..., -1141, "cannot be empty"), (None, -1141, "cannot be empty"), ("abc", -1142, "whole"),
    (1.5, -1142, "whole number"), ("-1", -1142, "whole number"), (True, -1142, "whole number"),
    ([ISOLATED_ID], -1142, "whole number"), (0, -1140, IDS), (-1, -1140, IDS), (2**63, -1140, IDS),
]  # fmt: skip
_UNKNOWN = (UNKNOWN_ID, BOBS_SHORT, RESTS)

_MARGINS = [
    *[
        margin("W4", code, "'isolatedPositionId'", words, isolatedPositionId=bad)
        for bad, code, words in _POSITIONS
    ],
    *[
        margin("W4", -1142, "'isolatedPositionId'", "no such position", isolatedPositionId=bad)
        for bad in _UNKNOWN
    ],
    margin("W4", -1142, "'isolatedPositionId'", "no such position", who="carol"),
    *[margin("W5", -1141, "'amount'", amount=bad) for bad in (..., None, "")],
    *[
        margin("W5", -1142, "'amount'", words, amount=bad)
        for bad, words in (
            ("0", "greater than 0"), (0, "greater than 0"), ("-1", "positive"), (-1, "positive"),
            ("+1", "positive"), ("1e5", "positive"), ("NaN", "positive"), ("1,000", "positive"),
            (" 1", "positive"), ("١", "positive"), (True, "positive"), (["1"], "positive"),
        )
    ],
    margin("W5", -1160, "'amount'", "8 decimals", amount="0.000000001"),
    margin("W5", -1140, "'amount'", "at most 46116860184.27387904", amount="50000000000"),
    margin("W5", -1140, "'amount'", "18 digits", amount="1" * 19),
    *[margin("W6", -1141, "'type'", type=bad) for bad in (..., None, "")],
    *[margin("W6", -1140, "'type'", "allowed: 1 to 2", type=bad) for bad in (0, 3, "3", -1)],
    *[margin("W6", -1142, "'type'", "whole number", type=bad) for bad in ("ADD", 1.5, True, [1])],
    margin("W7", -1054, *NOT_ISOLATED, isolatedPositionId=LONG_ID, engine=True),
    margin("W7", -1054, *NOT_ISOLATED, isolatedPositionId=LONG_ID, type=2, engine=True),
    margin("W8", -1054, FAILED, "amount not enough: at most", amount="1000000", engine=True),
    margin("W8", -1054, FAILED, "amount not enough: at most", amount="140", type=2, engine=True),
    *[
        auto("W9", code, "'positionId'", words, positionId=bad) for bad, code, words in _POSITIONS
    ],
    *[
        auto("W9", -1142, "'positionId'", "no such position", positionId=bad, engine=True)
        for bad in _UNKNOWN
    ],
    *[auto("W9", -1141, "'autoAppendMargin'", autoAppendMargin=bad) for bad in (..., None, "")],
    *[
        auto("W9", -1142, "'autoAppendMargin'", "true or false", autoAppendMargin=bad)
        for bad in (1, 0, "yes", "TRUE", [True])
    ],
    auto("W7", -1054, *NOT_ISOLATED, positionId=LONG_ID, engine=True),
]  # fmt: skip


# -- what a key may not do ------------------------------------------------------------------------

_READS = [
    ("GET", f"{ACCOUNT}/balance"),
    ("GET", f"{ACCOUNT}/commissionRate"),
    ("GET", f"{ACCOUNT}/accountConfig"),
    ("GET", f"{ACCOUNT}/symbolConfig"),
    ("GET", f"{ACCOUNT}/position/allPosition"),
    ("GET", f"{ACCOUNT}/position/singlePosition"),
    ("POST", f"{ACCOUNT}/income"),
    ("GET", ORDER),
    ("GET", f"{V3}/openOrders"),
    ("GET", f"{V3}/order/history"),
    ("GET", f"{V3}/userTrades"),
    ("GET", f"{V3}/openAlgoOrders"),
    ("GET", f"{V3}/allAlgoOrders"),
    ("GET", f"{V3}/trailing/openOrders"),
    ("GET", f"{V3}/trailing/historyOrders"),
    ("GET", f"{V3}/sim/balance"),
    ("GET", f"{V3}/sim/position/allPosition"),
    ("GET", f"{V3}/sim/order/history"),
]
_TRADES = [
    ("POST", MODE),
    ("POST", LEVERAGE),
    ("POST", MARGIN),
    ("POST", AUTO),
    ("POST", ORDER),
    ("DELETE", ORDER),
    ("POST", f"{V3}/batchOrders"),
    ("DELETE", f"{V3}/batchOrders"),
    ("DELETE", f"{V3}/allOpenOrders"),
    ("POST", f"{V3}/closePositions"),
    ("POST", ALGO),
    ("DELETE", ALGO),
    ("POST", f"{V3}/placeTpSlOrder"),
    ("POST", f"{V3}/modifyTpSlOrder"),
    ("DELETE", f"{V3}/algoOpenOrders"),
    ("POST", f"{V3}/sim/order"),
    ("POST", f"{V3}/cancelAllAfter"),
]


def _forbidden(method: str, path: str, permission: str, who: str) -> Case:
    body: dict[str, Any] | None = {} if method == "POST" or path.endswith("batchOrders") else None
    return Case("G19", method, path, body, -1052, (permission,), who, 403)


_PERMISSIONS = [
    *[_forbidden(method, path, "permission READ", "trader") for method, path in _READS],
    *[
        _forbidden(method, path, "permission CONTRACT_TRADE", who)
        for method, path in _TRADES
        for who in ("dave", "reader", "spotter")
    ],
    Case("G19", "POST", "/api/v3/order", {}, -1052, ("permission SPOT_TRADE",), "trader", 403),
]

CASES = [*_LEVERAGE, *_MODES, *_MARGINS, *_PERMISSIONS]
