"""Operator rows of gifts, the discount and affiliates (rows V20 to V25)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Case, changed, get
from support.refusals.operators import operate

GIFT: dict[str, Any] = {"owner": "alice", "asset": "USDT", "amount": "5"}
TERMS: dict[str, Any] = {"asset": "BTC", "holding": "1", "rate": "0.2"}
AFFILIATE: dict[str, Any] = {"owner": "alice", "code": "ALICE", "spotRate": "0.1"}
TIERS: dict[str, Any] = {"product": "SPOT", "tiers": ["1000:0.0008:0.0009"]}
INVITE: dict[str, Any] = {"owner": "alice", "code": "NOBODYS"}


def gift(code: int, *words: str, **changes: Any) -> list[Case]:
    engine = changes.pop("engine", False)
    body = changed(GIFT, changes)
    return [
        operate("V20", f"gifts/{path}", body, code, *words, engine=engine)
        for path in ("give", "take")
    ]


def terms(code: int, *words: str, **changes: Any) -> Case:
    return operate("V21", "discount", changed(TERMS, changes), code, *words)


def affiliate(refusal: int, *words: str, **changes: Any) -> Case:
    return operate("V22", "affiliates", changed(AFFILIATE, changes), refusal, *words)


def tiers(refusal: int, *words: str, **changes: Any) -> Case:
    return operate("V25", "fee-tiers", changed(TIERS, changes), refusal, *words)


_GIFTS = [
    *[
        case
        for name in GIFT
        for absent in (..., None, "")
        for case in gift(-1141, f"'{name}'", **{name: absent})
    ],
    *gift(-1142, "'owner'", "no such owner", owner="nobody"),
    *gift(-1142, "'asset'", "no such asset", asset="NOPE"),
    *[
        case
        for bad in ("-1", "1e3", "x", True, [1])
        for case in gift(-1142, "'amount'", "decimal", amount=bad)
    ],
    *gift(-1160, "'amount'", "8 decimals", amount="0.000000001"),
    *gift(-1142, "'amount'", "greater than 0", amount="0"),
    *gift(-1140, "'amount'", "18 digits", amount="1" * 19),
    *gift(-1142, "'name'", "the venue's own", owner="insurance-fund", engine=True),
    operate("V20", "gifts/take", GIFT, -1054, "amount not enough", engine=True),
]
_TERMS = [
    *[terms(-1141, f"'{name}'", **{name: absent}) for name in TERMS for absent in (..., None, "")],
    terms(-1142, "'asset'", "no such asset", asset="NOPE"),
    terms(-1142, "'holding'", "decimal", holding="-1"),
    terms(-1160, "'holding'", "8 decimals", holding="0.000000001"),
    terms(-1142, "'holding'", "greater than 0", holding="0"),
    terms(-1160, "'rate'", "6 decimals", rate="0.0000001"),
    *[terms(-1140, "'rate'", "0.000001 to 0.5", rate=bad) for bad in ("0", "0.500001", "1")],
    operate("V21", "owners/discount", {"on": True}, -1141, "'owner'"),
    operate("V21", "owners/discount", {"owner": "alice"}, -1141, "'on'"),
    operate("V21", "owners/discount", {"owner": "alice", "on": "yes"}, -1142, "'on'"),
    operate("V21", "owners/discount", {"owner": "nobody", "on": True}, -1142, "no such owner"),
]
_AFFILIATES = [
    *[
        affiliate(-1141, f"'{name}'", **{name: absent})
        for name in ("owner", "code")
        for absent in (..., None, "")
    ],
    affiliate(-1142, "'owner'", "no such owner", owner="nobody"),
    *[affiliate(-1142, "'code'", "letters and digits", code=bad) for bad in ("a b", "é", "A" * 33)],
    *[
        affiliate(-1140, f"'{name}'", "0 to 0.5", **{name: "0.6"})
        for name in ("spotRate", "contractRate")
    ],
    affiliate(-1160, "'spotRate'", "6 decimals", spotRate="0.0000001"),
    *[
        operate("V23", "affiliates/invite", changed(INVITE, {name: absent}), -1141, f"'{name}'")
        for name in INVITE
        for absent in (..., None, "")
    ],
    operate("V23", "affiliates/invite", INVITE, -1142, "'code'", "no affiliate's"),
    operate("V23", "affiliates/invite", INVITE | {"owner": "nobody"}, -1142, "no such owner"),
    get("V23", "/_venue/benefits?owner=nobody", -1142, "'owner'", "no such owner", who=None),
]
_TIERS = [
    *[tiers(-1141, "'product'", product=absent) for absent in (..., None, "")],
    tiers(-1142, "'product'", "SPOT, CONTRACT", product="FUTURES"),
    *[tiers(-1142, "'asset'", "no such asset", asset=bad) for bad in ("NOPE", "USDT ")],
    tiers(-1142, "'tiers'", "array", tiers="1:0.1:0.1"),
    *[
        tiers(-1142, "'tiers'", "volume:makerRate:takerRate", tiers=[bad])
        for bad in ("1", "1:0.1", "1:0.1:0.1:0.1", "-1:0.1:0.1", "1:1:0.1", "1:0.1:0.1000001",
                    "1e3:0.1:0.1", "x:0.1:0.1", "", "1:-0.1:0.1", "1:0.1:2", "٥:0.1:0.1")
    ],
    tiers(-1142, "'tiers'", tiers=[1]),
    tiers(-1160, "'tiers'", "8 decimals", tiers=["0.000000001:0.1:0.1"]),
    *[
        tiers(-1140, "'tiers'", "above 0 and the one before", tiers=bad)
        for bad in (["0:0.1:0.1"], ["5:0.1:0.1", "5:0.1:0.1"], ["5:0.1:0.1", "4:0.1:0.1"])
    ],
    tiers(-1140, "'tiers'", "at most 10", tiers=[f"{number}:0.1:0.1" for number in range(1, 12)]),
    tiers(-1140, "'tiers'", "is allowed", tiers=["1" * 18 + ":0.1:0.1"]),
    get("V25", "/_venue/owners/fee-tier", -1141, "'owner'", who=None),
    get("V25", "/_venue/owners/fee-tier?owner=nobody", -1142, "no such owner", who=None),
]  # fmt: skip
CASES = [*_GIFTS, *_TERMS, *_AFFILIATES, *_TIERS]
