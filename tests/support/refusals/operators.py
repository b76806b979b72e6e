"""Operator rows: names, amounts, wallets, keys, instruments, and the door (rows V)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Case, but, get

FAILED = "FAILED_PRECONDITION"
MONEY = {"owner": "alice", "wallet": "SPOT", "asset": "USDT", "amount": "1"}
MOVE = {"owner": "alice", "from": "SPOT", "to": "FUNDING", "asset": "USDT", "amount": "1"}
KEY = {"owner": "alice", "permissions": ["READ"]}
LISTED = {
    "baseAsset": "ETH", "quoteAsset": "SOL", "tickSize": "0.0001", "stepSize": "0.001",
    "minTradeAmount": "0.001", "maxTradeAmount": "1000", "marketLimitSize": "100",
}  # fmt: skip


def operate(row: str, path: str, body: Any, code: int, *words: str, engine: bool = False) -> Case:
    return Case(row, "POST", f"/_venue/{path}", body, code, words, None, engine=engine)


def door(host: str | None = None, **headers: str) -> Case:
    """Health asked for through something that is not this machine."""
    changes: dict[str, str] = {**({"Host": host} if host is not None else {}), **headers}
    return Case("V1", "GET", "/_venue/health", None, -1051, ("denied",), None, 403, but(**changes))


_DOOR = [
    *[
        door(host)
        for host in ("evil.example", "evil.example:8787", "127.0.0.1.evil.example", "10.0.0.1", "")
    ],
    door(Forwarded="for=127.0.0.1"),
    door(X_Forwarded_For="127.0.0.1"),
    door(X_Forwarded_Host="127.0.0.1"),
    door(X_Real_IP="127.0.0.1"),
    Case(
        "V1", "POST", "/_venue/deposit", MONEY, -1051, ("denied",), None, 403,
        but(Host="evil.example"),
    ),
    Case(
        "V2", "POST", "/_venue/deposit", MONEY, -1045, ("Content-Type",), None,
        headers=but(Content_Type="text/plain"),
    ),
    Case("V2", "POST", "/_venue/deposit?owner=alice", {}, -1142, ("'query'",), None),
    Case("V2", "POST", "/_venue/deposit", b"{", -1135, ("JSON",), None),
]  # fmt: skip

_MONEY = [
    case
    for path in ("deposit", "withdraw")
    for case in (
        operate("V3", path, {}, -1141, "'owner'"),
        operate("V3", path, MONEY | {"owner": "nobody"}, -1142, "'owner'", "no such owner"),
        operate("V3", path, MONEY | {"owner": "99999999"}, -1142, "'owner'", "no such owner"),
        operate(
            "V3",
            path,
            MONEY | {"owner": "10000001".zfill(20) + "0"},
            -1142,
            "'owner'",
            "no such owner",
        ),
        operate("V3", path, MONEY | {"owner": 10_000_001}, -1142, "'owner'", "printable text"),
        operate("V4", path, MONEY | {"wallet": "spot"}, -1142, "'wallet'", "SPOT, CONTRACT"),
        operate("V4", path, MONEY | {"wallet": None}, -1141, "'wallet'"),
        operate("V5", path, MONEY | {"asset": "NOPE"}, -1142, "'asset'", "no such asset"),
        operate("V5", path, MONEY | {"asset": "USDT\n"}, -1142, "'asset'", "printable text"),
        operate("V6", path, MONEY | {"amount": "0.000000001"}, -1160, "'amount'", "8 decimals"),
        operate("V6", path, MONEY | {"amount": "50000000000"}, -1140, "'amount'", "46116860184.27"),
    )
]

_ENGINE = [
    operate(
        "V6", "deposit", MONEY | {"amount": "46116860184"}, -1140, "'amount'", "supply", engine=True
    ),
    operate(
        "V7",
        "withdraw",
        MONEY | {"amount": "2000000"},
        -1054,
        FAILED,
        "amount not enough: 2000000.00000000 USDT are needed, ",
        "in the spot wallet are free",
        engine=True,
    ),
    operate(
        "V7",
        "withdraw",
        MONEY | {"wallet": "FUNDING"},
        -1054,
        FAILED,
        "USDT are needed, 0.00000000 of 0.00000000 in the funding wallet are free",
        engine=True,
    ),
    operate(
        "V7",
        "withdraw",
        MONEY | {"wallet": "CONTRACT", "amount": "2000000"},
        -1054,
        FAILED,
        "amount not enough: 2000000.00000000 USDT are needed, ",
        "in the contract wallet are free",
        engine=True,
    ),
    operate("V7", "withdraw", MONEY | {"owner": "erin"}, -1057, "frozen", engine=True),
    operate(
        "V7",
        "transfer",
        MOVE | {"amount": "2000000"},
        -1054,
        FAILED,
        "amount not enough: 2000000.00000000 USDT are needed, ",
        "in the spot wallet are free",
        engine=True,
    ),
    operate("V7", "transfer", MOVE | {"owner": "erin"}, -1057, "frozen", engine=True),
    operate("V7", "transfer", MOVE | {"to": "SPOT"}, -1128, "'from'", "'to'", engine=True),
    operate("V8", "owners", {"name": "alice"}, -1142, "'name'", "used by uid", engine=True),
    operate(
        "V11", "assets", {"asset": "usdt", "scale": 8}, -1142, "'asset'", "already", engine=True
    ),
    operate(
        "V12",
        "instruments",
        LISTED | {"baseAsset": "BTC", "quoteAsset": "USDT"},
        -1142,
        "'symbol'",
        "already listed",
        engine=True,
    ),
    operate(
        "V12",
        "instruments",
        LISTED | {"baseAsset": "NOPE"},
        -1142,
        "'baseAsset'",
        "no such",
    ),
    operate(
        "V12",
        "instruments",
        LISTED | {"quoteAsset": "ETH"},
        -1142,
        "'quoteAsset'",
        "another asset than baseAsset",
        engine=True,
    ),
    operate(
        "V12",
        "instruments",
        LISTED | {"tickSize": "0.00000001"},
        -1142,
        "'tickSize'",
        "tickSize x stepSize",
        engine=True,
    ),
    operate(
        "V12",
        "instruments",
        LISTED | {"minTradeAmount": "1001"},
        -1140,
        "'minTradeAmount'",
        "allowed: 0.001 to 1000.000 (maxTradeAmount)",
    ),
    operate(
        "V12",
        "instruments",
        LISTED | {"takerFeeRate": "1"},
        -1140,
        "'takerFeeRate'",
        "allowed: 0 to 0.999999",
    ),
    operate(
        "V12",
        "instruments",
        LISTED | {"marketPriceRatio": "1.1"},
        -1140,
        "'marketPriceRatio'",
        "allowed: 0.000001 to 1",
    ),
    operate(
        "V12",
        "instruments/change",
        {"symbol": "BTCUSDT", "minTradeAmount": "1001"},
        -1140,
        "'minTradeAmount'",
        "allowed: 0.00001 to 1000.00000 (maxTradeAmount)",
    ),
    *[
        operate(
            "V12", "instruments/change", {"symbol": "BTCUSDT", name: bad}, -1140, f"'{name}'", rule
        )
        for name, bad, rule in (
            (
                "maxTradeAmount",
                "0.00001",
                "allowed: 0.00010 (minTradeAmount) to 1000000000000.00000",
            ),
            ("maxTradeAmount", "1" + "0" * 13, "to 1000000000000.00000"),
            ("marketLimitSize", "1" + "0" * 13, "allowed: 0.00001 to 1000000000000.00000"),
            ("makerFeeRate", "1", "allowed: 0 to 0.999999"),
        )
    ],
    operate(
        "V19", "leads", {"owner": "alice", "thirdParty": "x"}, -1142, "'thirdParty'", "no such"
    ),
    operate("V19", "leads", {"owner": "alice", "symbols": ["x"]}, -1121, "'symbols'", engine=True),
    operate("V26", "clock/advance", {}, -1140, "Either parameter 'by' or 'to' or 'to_next'"),
    operate(
        "V13",
        "owners/fees",
        {"owner": "alice", "makerFeeRate": "1", "takerFeeRate": "0"},
        -1140,
        "'makerFeeRate'",
        "0 to 999999",
        engine=True,
    ),
]

_REST = [
    operate("V4", "transfer", MOVE | {"from": "X"}, -1142, "'from'", "SPOT, CONTRACT, FUNDING"),
    operate("V4", "transfer", MOVE | {"to": ""}, -1141, "'to'"),
    operate("V8", "owners", {}, -1141, "'name'"),
    operate("V8", "owners", {"name": ""}, -1141, "'name'"),
    operate("V8", "owners", {"name": "a" * 129}, -1142, "'name'", "128 characters"),
    operate("V8", "owners", {"name": "a\tb"}, -1142, "'name'", "printable"),
    operate("V8", "owners", {"name": 7}, -1142, "'name'", "printable"),
    operate(
        "V8", "owners", {"name": "zoe", "selfTradePrevention": "MAYBE"}, -1142,
        "'selfTradePrevention'", "NONE, EXPIRE_TAKER",
    ),
    operate("V9", "owners/freeze", {"owner": "alice"}, -1141, "'frozen'"),
    operate("V9", "owners/freeze", {"owner": "alice", "frozen": 1}, -1142, "'frozen'", "true or"),
    operate("V9", "owners/freeze", {"owner": "x", "frozen": True}, -1142, "'owner'", "no such"),
    operate("V10", "keys", KEY | {"permissions": ["ALL"]}, -1142, "'permissions'", "READ, SPOT"),
    operate("V10", "keys", KEY | {"permissions": []}, -1141, "'permissions'"),
    operate("V10", "keys", KEY | {"permissions": "READ"}, -1142, "'permissions'", "array"),
    operate("V10", "keys", KEY | {"owner": "nobody"}, -1142, "'owner'", "no such"),
    operate("V10", "keys", KEY | {"ips": ["10.0.0.999"]}, -1142, "'ips'", "10.0.0.999", "CIDR"),
    operate("V10", "keys", KEY | {"ips": ["10.0.0.1"] * 11}, -1140, "'ips'", "at most 10"),
    operate("V10", "keys", KEY | {"label": "a" * 65}, -1142, "'label'", "64 characters"),
    operate("V10", "keys/revoke", {"key": "vk-none"}, -1142, "'key'", "no such key"),
    operate("V11", "assets", {"asset": "A-B", "scale": 8}, -1142, "'asset'", "letters and digits"),
    operate("V11", "assets", {"asset": "A" * 17, "scale": 8}, -1142, "'asset'", "1 to 16"),
    operate("V11", "assets", {"asset": "AAA", "scale": 19}, -1140, "'scale'", "allowed: 0 to 18"),
    operate("V12", "instruments", LISTED | {"tickSize": "0"}, -1142, "'tickSize'", "greater"),
    operate(
        "V12", "instruments", LISTED | {"stepSize": "9" * 18 + "." + "9" * 18}, -1140,
        "'stepSize'", "at most",
    ),
    operate(
        "V12", "instruments", LISTED | {"maxTradeAmount": "1.00001"}, -1160, "'maxTradeAmount'",
        "3 decimals",
    ),
    operate("V12", "instruments/change", {"symbol": "NOPE"}, -2007, "'symbol'"),
    operate("V12", "instruments/halt", {"symbol": "NOPE"}, -2007, "'symbol'"),
    operate("V12", "instruments/halt", {"symbol": "BTCUSDT", "reason": "\n"}, -1142, "'reason'"),
    operate("V12", "instruments/resume", {}, -1141, "'symbol'"),
    operate("V13", "owners/fees", {"owner": "alice", "makerFeeRate": "0"}, -1141, "'takerFeeRate'"),
    operate(
        "V13", "owners/fees", {"owner": "alice", "makerFeeRate": "0.0000001", "takerFeeRate": "0"},
        -1160, "'makerFeeRate'", "6 decimals",
    ),
    operate("V14", "settings", {"batchPlace": "yes"}, -1142, "'batchPlace'", "true or false"),
    operate(
        "V14", "settings", {"batchCancelWording": "x"}, -1142, "'batchCancelWording'",
        "document, live",
    ),
    operate(
        "V14", "settings", {"contractBatchPlace": 1}, -1142, "'contractBatchPlace'",
        "true or false",
    ),
    operate(
        "V14", "settings", {"batchPlace": False, "contractBatchCancelEnvelope": "x"}, -1142,
        "'contractBatchCancelEnvelope'", "object, array",
    ),
    get("V10", "/_venue/keys?owner=nobody", -1142, "'owner'", "no such owner", who=None),
]  # fmt: skip

CASES = [*_DOOR, *_MONEY, *_ENGINE, *_REST]
