"""Decimals and integers, wherever they stand (rows X and N)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Case, get, item, place, post

POSITIVE = "must be a positive decimal number"
LONG = "18 digits before the point"

# row, text, code, its name in a batch item, words
DECIMALS: list[tuple[str, Any, int, str, str]] = [
    ("X1", "", -1141, "PARAM_EMPTY", "cannot be empty"),
    ("X1", None, -1141, "PARAM_EMPTY", "cannot be empty"),
    ("X2", "0", -1142, "PARAM_ERROR", "greater than 0"),
    ("X2", "0.0", -1142, "PARAM_ERROR", "greater than 0"),
    ("X2", "000.000", -1142, "PARAM_ERROR", "greater than 0"),
    ("X2", 0, -1142, "PARAM_ERROR", "greater than 0"),
    ("X3", "-1", -1142, "PARAM_ERROR", POSITIVE),
    ("X3", -1, -1142, "PARAM_ERROR", POSITIVE),
    ("X4", "+1", -1142, "PARAM_ERROR", POSITIVE),
    ("X5", "1e5", -1142, "PARAM_ERROR", POSITIVE),
    ("X5", "1E-400", -1142, "PARAM_ERROR", POSITIVE),
    ("X5", "1e2000000", -1142, "PARAM_ERROR", POSITIVE),
    ("X6", "NaN", -1142, "PARAM_ERROR", POSITIVE),
    ("X6", "Infinity", -1142, "PARAM_ERROR", POSITIVE),
    ("X6", "sNaN123", -1142, "PARAM_ERROR", POSITIVE),
    ("X7", "1,000", -1142, "PARAM_ERROR", POSITIVE),
    ("X8", "1_000", -1142, "PARAM_ERROR", POSITIVE),
    ("X9", " 1", -1142, "PARAM_ERROR", POSITIVE),
    ("X9", "1\n", -1142, "PARAM_ERROR", POSITIVE),
    ("X9", " ", -1142, "PARAM_ERROR", POSITIVE),
    ("X10", "١٢٣", -1142, "PARAM_ERROR", POSITIVE),
    ("X10", "１２", -1142, "PARAM_ERROR", POSITIVE),
    ("X10", "²", -1142, "PARAM_ERROR", POSITIVE),
    ("X11", "0x10", -1142, "PARAM_ERROR", POSITIVE),
    ("X12", ".5", -1142, "PARAM_ERROR", POSITIVE),
    ("X12", "5.", -1142, "PARAM_ERROR", POSITIVE),
    ("X12", "1.2.3", -1142, "PARAM_ERROR", POSITIVE),
    ("X13", "1.1234567890123456789", -1160, "DECIMAL_PRECISION_ERROR", "at most 18 decimals"),
    ("X13", "1.123456", -1160, "DECIMAL_PRECISION_ERROR", "decimals are allowed"),
    ("X13", "0.000000000000000001", -1160, "DECIMAL_PRECISION_ERROR", "decimals are allowed"),
    ("X14", "1" * 19, -1140, "PARAM_VALIDATE_ERROR", LONG),
    ("X14", "9" * 5_000, -1140, "PARAM_VALIDATE_ERROR", LONG),
    ("X14", "0" * 19 + "1", -1140, "PARAM_VALIDATE_ERROR", LONG),
    ("X14", "9" * 18 + ".99", -1140, "PARAM_VALIDATE_ERROR", "at most"),
    ("X16", "-0", -1142, "PARAM_ERROR", POSITIVE),
    ("X17", True, -1142, "PARAM_ERROR", POSITIVE),
    ("X17", ["1"], -1142, "PARAM_ERROR", POSITIVE),
    ("X17", {"1": 1}, -1142, "PARAM_ERROR", POSITIVE),
]

# row, JSON value, code, words; the field is a limit of 1 to 100
INTEGERS: list[tuple[str, Any, int, str]] = [
    ("N2", "abc", -1142, "whole number"),
    ("N3", "1.0", -1142, "whole number"),
    ("N3", 1.5, -1142, "whole number"),
    ("N4", "1e3", -1142, "whole number"),
    ("N5", "-1", -1142, "whole number"),
    ("N5", -1, -1140, "allowed: 1 to 100"),
    ("N6", "+5", -1142, "whole number"),
    ("N7", "٥", -1142, "whole number"),
    ("N8", " 5", -1142, "whole number"),
    ("N8", "5\n", -1142, "whole number"),
    ("N9", "0", -1140, "allowed: 1 to 100"),
    ("N9", 101, -1140, "allowed: 1 to 100"),
    ("N10", 2**63, -1140, "allowed: 1 to 100"),
    ("N10", str(2**63), -1140, "allowed: 1 to 100"),
    ("N11", 2**64 + 1, -1140, "allowed: 1 to 100"),
    ("N11", str(2**64 + 1), -1140, "allowed: 1 to 100"),
    ("N12", True, -1142, "whole number"),
    ("N12", [5], -1142, "whole number"),
    ("N13", "9" * 5_000, -1140, "allowed: 1 to 100"),
    ("N13", "0" * 5_000 + "5", -1140, "allowed: 1 to 100"),
]

QUERY_INTEGERS: list[tuple[str, str, int, str]] = [
    ("N2", "abc", -1142, "whole number"),
    ("N3", "1.0", -1142, "whole number"),
    ("N4", "1e3", -1142, "whole number"),
    ("N5", "-1", -1142, "whole number"),
    ("N6", "%2B5", -1142, "whole number"),
    ("N7", "%D9%A5", -1142, "whole number"),
    ("N8", "%205", -1142, "whole number"),
    ("N9", "0", -1140, "allowed: 1 to"),
    ("N10", str(2**63), -1140, "allowed: 1 to"),
    ("N11", str(2**64 + 1), -1140, "allowed: 1 to"),
    ("N12", "true", -1142, "whole number"),
    ("N13", "9" * 3_900, -1140, "allowed: 1 to"),
]


def _decimals() -> list[Case]:
    cases = []
    for row, value, code, name, words in DECIMALS:
        for field in ("quantity", "price"):
            said = (f"'{field}'", words)
            cases.append(place(row, code, *said, **{field: value}))
            cases.append(item(row, name, *said, **{field: value}))
        money = {"owner": "alice", "wallet": "SPOT", "asset": "USDT", "amount": value}
        if row != "X13":  # an amount has more decimals
            cases.append(post(row, "/_venue/deposit", money, code, "'amount'", words))
    return cases


CASES = [
    *_decimals(),
    *[
        post(row, "/api/v3/account/bills", {"limit": value}, code, "'limit'", words)
        for row, value, code, words in INTEGERS
    ],
    *[
        get(row, f"/api/v3/allOrders?symbol=BTCUSDT&{field}={text}", code, f"'{field}'", words)
        for row, text, code, words in QUERY_INTEGERS
        for field in ("limit", "page")
    ],
]
