"""Market data, bills and histories (rows K, B, H and R)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Accepted, Case, but, get, post

TICKERS = ("24hr", "price", "bookTicker")
KLINES = "/api/v3/market/klines"
TRADES = "/api/v3/market/trades"
DEPTH = "/api/v3/market/depth"
INFO = "/api/v3/exchangeInfo"
BILLS = "/api/v3/account/bills"
FUNDING = "/api/v3/account/fundingBills"
TAX = "/api/v3/tax/income"
TRANSFERS = "/api/v3/account/transferRecords"
NO_SUCH = "no such spot symbol"
TIMES = "allowed: 1000000000000 to 9999999999999"
NOW = 1_750_000_000_000


def public(row: str, target: str, code: int, *words: str) -> Case:
    return get(row, target, code, *words, who=None)


def ticker(row: str, query: str, code: int, *words: str) -> list[Case]:
    """For each of the operations that select symbols."""
    paths = [f"/api/v3/market/ticker/{name}" for name in TICKERS] + [INFO]
    return [public(row, f"{path}?{query}", code, *words) for path in paths]


_SELECTION = [
    *ticker("K1", "symbol=BTCUSDT&symbols=ETHUSDT", -1128, "'symbol'", "'symbols'", "exclude"),
    *ticker("K3", "symbol=NOPEUSDT", -1142, "'symbol'", NO_SUCH),
    *ticker("K3", "symbol=BTCSUSDT", -1142, "'symbol'", NO_SUCH),
    *ticker("K3", "symbol=%C5%BFOLUSDT", -1142, "'symbol'", NO_SUCH),
    *ticker("K4", "symbols=[]", -1141, "'symbols'"),
    *ticker("K4", "symbols=,", -1142, "'symbols'"),
    *ticker("K4", "symbols=BTCUSDT,,ETHUSDT", -1142, "'symbols'"),
    *ticker("K4", "symbols=[", -1142, "'symbols'", "JSON array"),
    *ticker("K4", "symbols=[1]", -1142, "'symbols'"),
    *ticker("K4", "symbols=[[%22BTCUSDT%22]]", -1142, "'symbols'"),
    *ticker("K4", "symbols=[null]", -1142, "'symbols'"),
    *ticker("K4", "symbols=[%22%22]", -1142, "'symbols'"),
    *ticker("K4", f"symbols={'[' * 3_000}", -1142, "'symbols'"),
    *ticker("K4", "symbols=[NaN]", -1142, "'symbols'"),
    *ticker("K6", "symbols=BTCUSDT,btcusdt", -1142, "'symbols'", "twice"),
    *ticker("K7", f"symbols={','.join(f'A{n}' for n in range(101))}", -1140, "'symbols'", "100"),
    *ticker("K8", "symbols=BTCUSDT,NOPEUSDT", -1142, "'symbols'", NO_SUCH, "'NOPEUSDT'"),
    *[
        case
        for text in ("*", "%25", "..", "BTCUSDT%27--", "%3Cscript%3E", "%E2%82%BF")
        for case in ticker("K10", f"symbol={text}", -1142, "'symbol'", NO_SUCH)
    ],
    *ticker("K10", f"symbols=BTCUSDT,{'%01' * 31}", -1142, "'symbols'", "...'"),
    Case("K11", "GET", "/api/v3/market/ticker/24hr", b"{'a':1}", -1142, ("'body'",), None),
    public("K12", f"{INFO}?symbolStatus=OPEN", -1142, "'symbolStatus'", "TRADING, HALT, BREAK"),
    public("K3", "/capi/v3/market/exchangeInfo?symbol=NOPEUSDT", -1142, "'symbol'"),
]

_SERIES = [
    *[
        case
        for path in (KLINES, TRADES, DEPTH)
        for case in (
            public("R1", path, -1141, "'symbol' cannot be empty"),
            public("R1", f"{path}?symbol=&interval=1m", -1141, "'symbol' cannot be empty"),
            public("R2", f"{path}?symbol=NOPEUSDT&interval=1m", -1142, "'symbol'", NO_SUCH),
        )
    ],
    public("R3", f"{KLINES}?symbol=BTCUSDT", -1141, "'interval'"),
    *[
        public("R3", f"{KLINES}?symbol=BTCUSDT&interval={bad}", -1142, "'interval'", "1m, 5m, 15m")
        for bad in ("7m", "1H", "60", "1d%20", "MINUTE_1")
    ],
    *[
        public(
            "R4", f"{path}?symbol=BTCUSDT&interval=1m&limit={bad}", -1140, "'limit'", "1 to 1000"
        )
        for path in (KLINES, TRADES)
        for bad in ("0", "1001")
    ],
    *[
        public("R5", f"{DEPTH}?symbol=BTCUSDT&limit={bad}", -1142, "'limit'", "15, 200")
        for bad in ("0", "10", "15.0", "-15", "1000", "015", "%D9%A1%D9%A5")
    ],
]


def bills(row: str, code: int, *words: str, **body: Any) -> Case:
    return post(row, BILLS, body, code, *words)


_BILLS = [
    bills("B1", -1142, "'coinId'", "allowed: 1 to 7", coinId=8),
    bills("B1", -1142, "'coinId'", "allowed: 1 to 7", coinId=2**31 - 1),
    bills("B1", -1140, "'coinId'", "allowed: 1 to 2147483647", coinId=2**31),
    bills("B1", -1140, "'coinId'", "allowed: 1 to 2147483647", coinId=0),
    bills("B1", -1140, "'coinId'", "allowed: 1 to 2147483647", coinId=-2),
    bills("B1", -1142, "'coinId'", "whole number", coinId="USDT"),
    bills("B1", -1142, "'coinId'", "whole number", coinId=1.5),
    bills("B1", -1142, "'coinId'", "whole number", coinId=True),
    bills("B2", -1142, "'bizType'", "deposit, withdraw", bizType="trade"),
    bills("B2", -1142, "'bizType'", "deposit, withdraw", bizType="DEPOSIT"),
    bills("B2", -1142, "'bizType'", "deposit, withdraw", bizType={}),
    bills("B2", -1142, "'bizType'", "deposit, withdraw", bizType=["deposit"]),
    *[
        bills("B3", code, f"'{field}'", words, **{field: value})
        for field in ("after", "before")
        for value, code, words in (
            ("abc", -1142, "whole number"),
            (1.5, -1142, "whole number"),
            (True, -1142, "whole number"),
            (-1, -1140, "allowed: 0 to"),
            (2**63, -1140, "to 9223372036854775807"),
        )
    ],
    bills("B4", -1171, "'after'", "'before'", after=NOW + 1, before=NOW),
    bills("B4", -1171, "'after'", "'before'", after=10**15 + 1, before=10**15),
    bills("B5", -1140, "'limit'", "allowed: 1 to 100", limit=0),
    bills("B5", -1140, "'limit'", "allowed: 1 to 100", limit=101),
    bills("B5", -1142, "'limit'", "whole number", limit="10.0"),
]

_SIBLINGS = [
    post("B1", FUNDING, {"coinId": 8}, -1142, "'coinId'", "allowed: 1 to 7"),
    post("B2", FUNDING, {"bizType": "x"}, -1142, "'bizType'", "deposit"),
    post("B3", FUNDING, {"startTime": 5}, -1140, "'startTime'", TIMES),
    post("B3", FUNDING, {"endTime": "x"}, -1142, "'endTime'", "whole number"),
    post("B4", FUNDING, {"startTime": NOW, "endTime": NOW - 1}, -1171, "'startTime'", "'endTime'"),
    post("B5", FUNDING, {"pageIndex": 0}, -1140, "'pageIndex'", "allowed: 1 to 100000"),
    post("B5", FUNDING, {"pageIndex": 100_001}, -1140, "'pageIndex'", "allowed: 1 to 100000"),
    post("B5", FUNDING, {"pageSize": 101}, -1140, "'pageSize'", "allowed: 1 to 100"),
    post("B10", TAX, {"page": 50_001, "limit": "200"}, -1140, "'page'", "at most 10000000"),
    get("B1", f"{TRANSFERS}?coinId=8", -1142, "'coinId'", "allowed: 1 to 7"),
    get("B3", f"{TRANSFERS}?after=5", -1140, "'after'", TIMES),
    get("B3", f"{TRANSFERS}?before={10**15}", -1140, "'before'", TIMES),
    get("B4", f"{TRANSFERS}?after={NOW}&before={NOW - 1}", -1171, "'after'", "'before'"),
    get("B5", f"{TRANSFERS}?limit=101", -1140, "'limit'", "allowed: 1 to 100"),
    get("B8", f"{TRANSFERS}?fromType=spot", -1142, "'fromType'", "SPOT, CONTRACT, FUNDING"),
    post("B2", TAX, {"bizType": "x"}, -1142, "'bizType'", "deposit"),
    post("B5", TAX, {"limit": 201}, -1140, "'limit'", "allowed: 1 to 200"),
    post("B5", TAX, {"page": 0}, -1140, "'page'", "allowed: 1 to 100000"),
    post("B9", TAX, {"coin": "NOPE"}, -1142, "'coin'", "no such asset"),
    post("B9", TAX, {"coin": "A" * 129}, -1142, "'coin'", "128 characters"),
    post("B9", TAX, {"coin": "A\u202e"}, -1142, "'coin'", "printable"),
    *[
        post("B9", TAX, {"month": bad}, -1142, "'month'", "must")
        for bad in ("2026-13", "2026-1", "2026", "2026-00", "26-01", "٢٠٢٦-٠١", 202601)
    ],
    post("B9", TAX, {"month": "1969-12"}, -1140, "'month'", "1970-01 to 2999-12"),
    post("B9", TAX, {"month": "3000-01"}, -1140, "'month'", "1970-01 to 2999-12"),
]

_HISTORIES = [
    case
    for path in ("/api/v3/allOrders", "/api/v3/myTrades")
    for case in (
        get("H1", path, -1141, "'symbol' cannot be empty"),
        get("H1", f"{path}?symbol=NOPEUSDT", -2007, "'symbol'"),
        get("H2", f"{path}?symbol=BTCUSDT&limit=0", -1140, "'limit'", "allowed: 1 to 1000"),
        get("H2", f"{path}?symbol=BTCUSDT&limit=1001", -1140, "'limit'", "allowed: 1 to 1000"),
        get(
            "H3", f"{path}?symbol=BTCUSDT&startTime={NOW}&endTime={NOW - 1}", -1171,
            "'startTime'", "'endTime'",
        ),
        *[
            get("H8", f"{path}?symbol=BTCUSDT&{field}={bad}", -1142, f"'{field}'", "whole number")
            for field in ("startTime", "endTime")
            for bad in ("abc", "-1", "1.7e12", "2026-01-01")
        ],
        *[
            get("H8", f"{path}?symbol=BTCUSDT&{field}={bad}", -1140, f"'{field}'", TIMES)
            for field in ("startTime", "endTime")
            for bad in ("0", "1790000000", "1790000000000000", str(2**64))
        ],
    )
]  # fmt: skip

CASES = [
    *_SELECTION,
    *_SERIES,
    *_BILLS,
    *_SIBLINGS,
    *_HISTORIES,
    get("H5", "/api/v3/allOrders?symbol=BTCUSDT&page=0", -1140, "'page'", "allowed: 1 to 100000"),
    get("H5", "/api/v3/allOrders?symbol=BTCUSDT&page=100001", -1140, "'page'", "1 to 100000"),
    get(
        "H9",
        "/api/v3/allOrders?symbol=BTCUSDT&limit=1000&page=10001",
        -1140,
        "'page'",
        "'limit'",
        "at most 10000000",
    ),
    get("H6", "/api/v3/myTrades?symbol=BTCUSDT&orderId=x", -1142, "'orderId'", "whole number"),
    get("H6", "/api/v3/myTrades?symbol=BTCUSDT&orderId=0", -1140, "'orderId'", "allowed: 1 to"),
    get("H6", "/api/v3/myTrades?symbol=BTCUSDT&fromId=x", -1142, "'fromId'", "whole number"),
    get("H6", "/api/v3/myTrades?symbol=BTCUSDT&fromId=0", -1140, "'fromId'", "allowed: 1 to"),
    get("H6", "/capi/v3/userTrades?fromId=1.5", -1142, "'fromId'", "whole number"),
]

_BOB_BILL = 10**15 + 40

ACCEPTED = [
    Accepted("K2", "GET", "/api/v3/market/ticker/24hr?symbol=", who=None),
    Accepted("K3", "GET", "/api/v3/market/ticker/24hr?symbol=btcusdt", who=None),
    Accepted("K5", "GET", "/api/v3/market/ticker/24hr?symbols=[%22btcusdt%22]", who=None),
    Accepted("K11", "GET", "/api/v3/market/ticker/24hr", {}, who=None),
    Accepted(
        "K12", "GET", "/api/v3/market/ticker/24hr", who="stranger",
        headers=but(ACCESS_SIGN="é".encode(), ACCESS_TIMESTAMP="x"),
    ),
    Accepted("B3", "POST", BILLS, {"after": 0, "before": 1_790_000_000}),
    Accepted("B6", "POST", BILLS, {"after": _BOB_BILL}),
    Accepted("B4", "POST", BILLS, {"after": _BOB_BILL, "before": NOW * 2}),
    Accepted("B7", "POST", BILLS, {"after": str(_BOB_BILL), "coinId": "1", "limit": "5"}),
    Accepted("H7", "GET", f"/api/v3/allOrders?symbol=BTCUSDT&startTime={NOW}&endTime={NOW}"),
]  # fmt: skip
