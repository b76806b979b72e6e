"""Cancel-all-after of both products (rows Z)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Case, changed, post

PATHS = ("/api/v3/cancelAllAfter", "/capi/v3/cancelAllAfter")

_MALFORMED: list[Any] = [
    "abc", "1.0", "1e1", "-1", "+5", " 60", "60 ", "6_0", "0x3c", "٦٠", "NaN", "60s", 60.0, 7.5,
    True, False, [60], [], {"seconds": 60},
]  # fmt: skip
_OUTSIDE: list[Any] = [
    1, 4, "4", "004", -1, -60, 86_401, "86401", 604_800, 2**63, 2**64 + 1, "9" * 5_000,
]  # fmt: skip
_FAULTS: list[tuple[str, Any, int, str]] = [
    *[("Z1", bad, -1141, "cannot be empty") for bad in (..., None, "")],
    *[("Z2", bad, -1142, "must be a whole number") for bad in _MALFORMED],
    *[("Z3", bad, -1140, "allowed: 0, or 5 to 86400") for bad in _OUTSIDE],
]

CASES: list[Case] = [
    post(row, path, changed({"timeout": 60}, {"timeout": bad}), code, "'timeout'", words)
    for path in PATHS
    for row, bad, code, words in _FAULTS
]
