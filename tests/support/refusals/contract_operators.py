"""Operator rows of the contract side: contracts, index prices, questions (rows V15 to V18)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Case, changed, get
from support.refusals.operators import operate

LISTED: dict[str, Any] = {
    "baseAsset": "ETH", "quoteAsset": "BTC", "tickSize": "0.0001", "stepSize": "0.001",
    "minOrderSize": "0.001", "maxOrderSize": "1000", "marketOpenLimitSize": "100",
    "maxPositionSize": "1000", "maxOpenInterest": "10000", "maxLeverage": 50,
    "tiers": ["100:50:0.01", "1000:10:0.04"], "indexSources": ["feed"],
}  # fmt: skip
CHANGED: dict[str, Any] = {"symbol": "BTCUSDT"}
INDEX: dict[str, Any] = {"symbol": "BTCSUSDT", "source": "agents", "price": "60000"}
TIER = "notional:leverage:maintenanceRate"


def lists(row: str, code: int, *words: str, **changes: Any) -> list[Case]:
    """A contract that cannot be listed; the same change to a listed one."""
    engine = changes.pop("engine", False)
    fixed = {"baseAsset", "quoteAsset", "tickSize", "stepSize"}
    made = operate(row, "contracts", changed(LISTED, changes), code, *words, engine=engine)
    body = changed(CHANGED, changes)
    change = operate(row, "contracts/change", body, code, *words, engine=engine)
    absent = all(value in (..., None, "") for value in changes.values())
    return [made] if fixed & set(changes) or absent else [made, change]


def notional(name: str) -> list[Case]:
    """A notional that is no amount of the settle asset, or unsafe beside the tiers."""
    tiers: dict[str, Any] = {"tiers": LISTED["tiers"], "maxLeverage": LISTED["maxLeverage"]}
    tiers |= {"indexNotional": "1", "impactNotional": "1"}
    least = "first tier's greatest notional, 0.1, must be at most 0.09"
    most = "1000.5, must be at most 1000, the last tier's greatest notional"
    return [
        *lists("V15", -1142, f"'{name}'", "decimal", **{name: "ten"}),
        *lists("V15", -1142, f"'{name}'", "greater than 0", **{name: "0"}),
        *lists("V15", -1160, f"'{name}'", "decimals", **{name: "1.0000000001"}),
        *lists("V16", -1140, f"'{name}'", least, **(tiers | {name: "0.09"})),
        *lists("V16", -1140, f"'{name}'", most, **(tiers | {name: "1000.5"})),
    ]


def index(row: str, code: int, *words: str, **changes: Any) -> Case:
    return operate(row, "index", changed(INDEX, changes), code, *words)


_LISTING = [
    *[
        case
        for name in LISTED
        if name != "indexSources"
        for absent in (..., None, "")
        for case in lists("V15", -1141, f"'{name}'", **{name: absent})
    ],
    *lists("V15", -1142, "'baseAsset'", "no such asset", baseAsset="NOPE"),
    *lists("V15", -1142, "'quoteAsset'", "no such asset", quoteAsset="NOPE"),
    *[
        case
        for bad in ("100", "100:50", "a:50:0.01", "100:50:0.01:1", "100:5.5:0.01", "-1:50:0.01")
        for case in lists("V15", -1142, "'tiers'", TIER, tiers=[bad])
    ],
    *lists("V15", -1142, "'tiers'", "array", tiers="100:50:0.01"),
    *lists("V15", -1142, "'adlPolicy'", "QUEUE, PRO_RATA", adlPolicy="queue"),
    *lists("V15", -1142, "'fundingTimes'", "08:00", fundingTimes=["24:00"]),
    *lists("V15", -1142, "'fundingTimes'", "08:00", fundingTimes=["8"]),
    *lists("V15", -1140, "'tiers'", "at most 10", tiers=["100:50:0.01"] * 11),
    *lists("V15", -3313, "'maxLeverage'", "from 1 to 500", maxLeverage=501),
    *lists("V15", -1160, "'maxOrderSize'", "decimals", maxOrderSize="1.0000001"),
    *lists("V15", -1160, "'takerFeeRate'", "6 decimals", takerFeeRate="0.0000001"),
    *[operate("V15", f"contracts/{path}", {"symbol": "NOPEUSDT"}, -1121, "'symbol'")
      for path in ("change", "halt", "resume")],
    *[operate("V15", f"contracts/{path}", {}, -1141, "'symbol'")
      for path in ("change", "halt", "resume")],
]  # fmt: skip

_UNFIT = [
    operate("V16", "contracts", LISTED | {"quoteAsset": "SUSDT"}, -1142, "'symbol'", "already",
            engine=True),
    *lists("V16", -1140, "'minOrderSize'", "(maxOrderSize)", minOrderSize="1001"),
    *lists("V16", -1140, "'maxPositionSize'", "(maxOpenInterest)", maxPositionSize="100000000000"),
    operate("V16", "contracts/change", CHANGED | {"maxOpenInterest": "0.001"}, -1140,
            "'maxOpenInterest'", "(maxPositionSize) to 1000000000000.00000"),
    *lists("V16", -1142, "'maxLeverage'", "first tier", maxLeverage=40),
    *lists("V16", -1142, "'maxLeverage'", "first tier", tiers=["100:20:0.01"], maxLeverage=50),
    *lists("V16", -1142, "'tiers'", "below 1 / its leverage", tiers=["100:50:0.02"],
           maxLeverage=50, engine=True, indexNotional="1", impactNotional="1"),
    *lists("V16", -1142, "'tiers'", "must ascend", tiers=["100:50:0.01", "100:40:0.01"],
           maxLeverage=50, engine=True, indexNotional="1", impactNotional="1"),
    *lists("V16", -1142, "'fundingTimes'", "evenly spaced", fundingTimes=["00:00", "09:00"],
           engine=True),
    *lists("V16", -1140, "'takerFeeRate'", "0 to 0.999999", takerFeeRate="1"),
    *lists("V16", -1140, "'buyLimitPriceRatio'", "0.000001 to 1", buyLimitPriceRatio="1.1"),
    *lists("V16", -1140, "'liquidationFeeRate'", "0 to 0.999999", liquidationFeeRate="1"),
    *lists("V16", -1140, "'indexStepRate'", "0.000001 to 0.05", indexStepRate="0.06"),
    *lists("V16", -1140, "'indexStepRate'", "0.03, must be at most", "0.75 x the maintenance rate",
           indexStepRate="0.03"),
    *lists("V16", -1140, "'takerFeeRate'", "0.006, must be at most", "half of the maintenance rate",
           takerFeeRate="0.006"),
    *lists("V16", -1140, "'makerFeeRate'", "0.006, must be at most", makerFeeRate="0.006"),
    *lists("V16", -1140, "'fundingCapRate'", "0.5, must be at most", fundingCapRate="0.5"),
    *lists("V16", -1140, "'maxOwnerShare'", "0.25001, must be at most 0.25", "leave half of it",
           maxOwnerShare="0.25001"),
    *lists("V16", -1140, "'maxOwnerShare'", "0.000001 to 1", maxOwnerShare="0"),
    *lists("V16", -1140, "'fundingCapRate'", "must be above 0", fundingCapRate="0"),
    *[case for name in ("indexNotional", "impactNotional") for case in notional(name)],
]  # fmt: skip

_INDEX = [
    index("V17", -1121, "'symbol'", symbol="NOPEUSDT"),
    *[index("V17", -1141, f"'{name}'", **{name: ...}) for name in ("symbol", "price")],
    index("V17", -1142, "'source'", "must be one of agents", source="feed"),
    index("V17", -1142, "'source'", "follows the spot market", symbol="BTCUSDT"),
    index("V17", -1142, "'source'", "follows the spot market", symbol="BTCUSDT", source=...),
    *[index("V17", -1142, "'price'", "decimal", price=bad) for bad in ("-1", "1e5", "x", True)],
    index("V17", -1160, "'price'", "2 decimals", price="60000.001"),
    index("V17", -1140, "'price'", "18 digits", price="1" * 19),
    index("V17", -1140, "'price'", "to 230584300921.36", price="1" + "0" * 15 + ".01")._replace(
        engine=True
    ),
]

_QUESTIONS = [
    get("V18", "/_venue/positions", -1141, "'owner'", who=None),
    get("V18", "/_venue/positions?owner=nobody", -1142, "'owner'", "no such owner", who=None),
    get("V18", "/_venue/liquidations?owner=nobody", -1142, "'owner'", "no such owner", who=None),
    get("V18", "/_venue/liquidations?limit=0", -1140, "'limit'", "1 to 1000", who=None),
    get("V18", "/_venue/liquidation", -1141, "'id'", who=None),
    get("V18", "/_venue/liquidation?id=x", -1142, "'id'", "whole number", who=None),
    get("V18", "/_venue/liquidation?id=1", -1142, "'id'", "no such liquidation", who=None),
]

CASES = [*_LISTING, *_UNFIT, *_INDEX, *_QUESTIONS]
