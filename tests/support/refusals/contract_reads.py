"""Contract market data, income, open orders and histories (rows M, I, O, A, H; demo rows Y)."""

from __future__ import annotations

from typing import Any

from support.refusals.cases import Accepted, Case, but, get, post
from support.refusals.contract_stage import ACCOUNT, BOBS_ASK, ORDER, V3

MARKET = f"{V3}/market"
INCOME = f"{ACCOUNT}/income"
OPEN = f"{V3}/openOrders"
OPEN_ALGOS = f"{V3}/openAlgoOrders"
ALGOS = f"{V3}/allAlgoOrders"
TRAILING = f"{V3}/trailing/openOrders"
TRAILED = f"{V3}/trailing/historyOrders"
HISTORY = f"{ORDER}/history"
DEMO_HISTORY = f"{V3}/sim/order/history"
TRADES = f"{V3}/userTrades"
SERIES = ("klines", "indexPriceKlines", "markPriceKlines", "historyKlines")
ONE_SYMBOL = (*SERIES, "depth", "trades", "symbolPrice", "openInterest", "fundingRate")
MAY_SELECT = ("exchangeInfo", "ticker/24hr", "ticker/bookTicker", "premiumIndex")
NO_SUCH = "no such contract symbol"
TIMES = "allowed: 1000000000000 to 9999999999999"
NOW = 1_750_000_000_000
LATER = 9_000_000_000_000  # in the year 2255
DAY = 86_400_000


def public(row: str, target: str, code: int, *words: str) -> Case:
    return get(row, f"{MARKET}/{target}", code, *words, who=None)


# -- market data ----------------------------------------------------------------------------------

_BAD_TIMES = [
    *[(bad, -1142, "whole number") for bad in ("abc", "-1", "1.7e12", "2026-01-01", "%20")],
    *[(bad, -1140, TIMES) for bad in ("0", "1790000000", "1790000000000000", str(2**64))],
]
_LIMITS = {
    **dict.fromkeys(("klines", "indexPriceKlines", "markPriceKlines", "trades"), 1_000),
    "fundingRate": 1_000,
    "historyKlines": 100,
}

_MARKET = [
    *[
        public("M1", f"{path}?{query}", -1141, "'symbol' cannot be empty")
        for path in ONE_SYMBOL
        for query in ("interval=1m", "symbol=&interval=1m")
    ],
    *[
        public("M2", f"{path}?symbol={bad}&interval=1m", -1142, "'symbol'", NO_SUCH)
        for path in (*ONE_SYMBOL, *MAY_SELECT)
        for bad in ("NOPEUSDT", "ETHBTC", "%C5%BFOLUSDT", "BTCUSDT%20", "%25", "..")
    ],
    *[
        public("M2", f"{path}?symbol={'B' * 33}&interval=1m", -1142, "'symbol'")
        for path in (*ONE_SYMBOL, *MAY_SELECT)
    ],
    *[public("M3", f"{path}?symbol=BTCUSDT", -1141, "'interval'") for path in SERIES],
    *[
        public("M3", f"{path}?symbol=BTCUSDT&interval={bad}", -1142, "'interval'", "1m, 5m, 15m")
        for path in SERIES
        for bad in ("7m", "1H", "60", "1d%20", "MINUTE_1")
    ],
    *[
        public(
            "M4", f"{path}?symbol=BTCUSDT&interval=1m&limit={bad}", -1140, "'limit'",
            f"allowed: 1 to {most}",
        )
        for path, most in _LIMITS.items()
        for bad in (0, most + 1, 2**63)
    ],
    *[
        public("M4", f"{path}?symbol=BTCUSDT&interval=1m&limit={bad}", -1142, "'limit'", "whole")
        for path in _LIMITS
        for bad in ("abc", "-1", "1.0", "1e1", "%D9%A5")
    ],
    *[
        public("M5", f"depth?symbol=BTCUSDT&limit={bad}", -1142, "'limit'", "15, 200")
        for bad in ("0", "10", "15.0", "-15", "1000", "015", "%D9%A1%D9%A5")
    ],
    *[
        public("M6", f"symbolPrice?symbol=BTCUSDT&priceType={bad}", -1142, "'priceType'", "INDEX")
        for bad in ("LAST", "mark", "MARK_PRICE")
    ],
    *[
        public(
            "M6", f"historyKlines?symbol=BTCUSDT&interval=1m&priceType={bad}", -1142,
            "'priceType'", "LAST, INDEX, MARK",
        )
        for bad in ("last", "MARK_PRICE", "1")
    ],
    *[
        public(
            "M7", f"{path}?symbol=BTCUSDT&interval=1m&startTime={NOW}&endTime={NOW - 1}", -1171,
            "'startTime'", "'endTime'",
        )
        for path in ("historyKlines", "fundingRate")
    ],
    *[
        public(
            "M8", f"{path}?symbol=BTCUSDT&interval=1m&{field}={bad}", code, f"'{field}'", words
        )
        for path in ("historyKlines", "fundingRate")
        for field in ("startTime", "endTime")
        for bad, code, words in _BAD_TIMES
    ],
    Case("M9", "GET", f"{MARKET}/ticker/24hr", b"{'a':1}", -1142, ("'body'",), None),
    Case("G1", "POST", f"{MARKET}/depth", {}, -1150, ("'POST' not supported",), None),
]  # fmt: skip


# -- income ---------------------------------------------------------------------------------------


def income(row: str, code: int, *words: str, **body: Any) -> Case:
    return post(row, INCOME, body, code, *words)


_INCOME_TIMES: list[tuple[Any, int, str]] = [
    ("abc", -1142, "whole number"),
    ("2026-01-01", -1142, "whole number"),
    (1.5, -1142, "whole number"),
    (True, -1142, "whole number"),
    ([NOW], -1142, "whole number"),
    ("-1", -1142, "whole number"),
    (-1, -1140, TIMES),
    (0, -1140, TIMES),
    (1_790_000_000, -1140, TIMES),
    (10**18, -1140, TIMES),
    (2**63, -1140, TIMES),
]

_BAD_KINDS: list[Any] = ["trade", "DEPOSIT", "REALIZED_PNL", {}, ["deposit"], 1]

_INCOME = [
    income("I1", -1142, "'asset'", "no such asset", asset="NOPE"),
    income("I1", -1142, "'asset'", "no such asset", asset="USDT "),
    income("I1", -1142, "'asset'", "printable text", asset="A" * 129),
    income("I1", -1142, "'asset'", "printable text", asset=1),
    income("I1", -1142, "'asset'", "printable text", asset="A\u202e"),
    *[income("I2", -1121, "'symbol'", symbol=bad) for bad in ("NOPEUSDT", "ETHBTC", "ſOLUSDT")],
    income("I2", -1142, "'symbol'", symbol="B" * 33),
    income("I2", -1142, "'symbol'", symbol=["BTCUSDT"]),
    *[
        income("I3", -1142, "'incomeType'", "deposit, withdraw, transfer_in", incomeType=bad)
        for bad in _BAD_KINDS
    ],
    *[
        income("I4", code, f"'{field}'", words, **{field: value})
        for field in ("startTime", "endTime", "nextKeyTime")
        for value, code, words in _INCOME_TIMES
    ],
    income("I5", -1171, "'startTime'", "'endTime'", startTime=NOW, endTime=NOW - 1),
    income(
        "I6", -1170, "'endTime'", "at most 100 days", startTime=NOW, endTime=NOW + 100 * DAY + 1
    ),
    income("I8", -1140, "'limit'", "allowed: 1 to 100", limit=0),
    income("I8", -1140, "'limit'", "allowed: 1 to 100", limit=-1),
    income("I8", -1140, "'limit'", "allowed: 1 to 100", limit=101),
    income("I8", -1140, "'limit'", "allowed: 1 to 100", limit=2**64),
    income("I8", -1142, "'limit'", "whole number", limit=1.5),
    income("I8", -1142, "'limit'", "whole number", limit=True),
    income("I8", -1142, "'limit'", "whole number", limit="20x"),
    post("I10", f"{INCOME}?limit=5", {}, -1142, "'query'", "body"),
    Case("I10", "POST", f"{INCOME}?asset=USDT", {"asset": "BTC"}, -1142, ("'query'",)),
    income("I11", -1141, "'nextKeyTime'", nextKeyId=5),
    income("I11", -1141, "'nextKeyId'", nextKeyTime=NOW),
    *[
        income("I11", code, "'nextKeyId'", words, nextKeyId=bad, nextKeyTime=NOW)
        for bad, code, words in (
            ("abc", -1142, "whole number"), (1.5, -1142, "whole number"),
            (0, -1140, "allowed: 1 to 9223372036854775807"), (2**63, -1140, "allowed: 1 to"),
        )
    ],
    get("G1", INCOME, -1150, "not supported"),
]  # fmt: skip


# -- open orders, conditional orders, histories ---------------------------------------------------


def listing(
    letter: str, path: str, symbol: int, limit: tuple[int, int], times: tuple[int, int, int]
) -> list[Case]:
    """Cases that all lists of orders refuse, by the row numbers of `symbol`, limit and times.

    `limit` is (row, most); `times` are the rows of reversed, too long and malformed.
    """
    number, most = limit
    reversed_, _, malformed = times
    return [
        *[
            get(f"{letter}{symbol}", f"{path}?symbol={bad}", -1121, "'symbol'")
            for bad in ("NOPEUSDT", "ETHBTC", "%C5%BFOLUSDT", "BTCUSDT%20")
        ],
        get(f"{letter}{symbol}", f"{path}?symbol={'B' * 33}", -1142, "'symbol'"),
        *[
            get(f"{letter}{number}", f"{path}?limit={bad}", code, "'limit'", words)
            for bad, code, words in (
                ("0", -1140, f"1 to {most}"), (str(most + 1), -1140, f"1 to {most}"),
                ("-1", -1142, "whole number"), ("abc", -1142, "whole number"),
                ("1.5", -1142, "whole number"),
            )
        ],
        get(
            f"{letter}{reversed_}", f"{path}?startTime={NOW}&endTime={NOW - 1}", -1171,
            "'startTime'", "'endTime'",
        ),
        *[
            get(f"{letter}{malformed}", f"{path}?{field}={bad}", code, f"'{field}'", words)
            for field in ("startTime", "endTime")
            for bad, code, words in _BAD_TIMES
        ],
    ]  # fmt: skip


def too_long(row: str, path: str, days: int) -> Case:
    span = f"startTime={NOW}&endTime={NOW + days * DAY + 1}"
    return get(row, f"{path}?symbol=BTCUSDT&{span}", -1170, "'endTime'", f"at most {days} days")


def pages(row: str, path: str, first: int) -> list[Case]:
    return [
        *[
            get(row, f"{path}?page={bad}", -1142, "'page'", "whole number")
            for bad in ("-1", "1.5", "abc")
        ],
        *[
            get(row, f"{path}?page={bad}", -1140, "'page'", f"allowed: {first} to 100000")
            for bad in ("100001", "1000000000", str(2**64))
        ],
    ]


_LISTS = [
    *listing("O", OPEN, 1, (5, 100), (4, 0, 3)),
    *[
        get("O2", f"{OPEN}?orderId={bad}", -1142, "'orderId'", "whole number")
        for bad in ("abc", "-1", "1.5", "1%20OR%201=1", "%D9%A5")
    ],
    get("O2", f"{OPEN}?orderId={2**63}", -1140, "'orderId'", "0 to 9223372036854775807"),
    *pages("O6", OPEN, 0),
    *listing("O", OPEN_ALGOS, 1, (5, 100), (4, 0, 3)),
    *pages("O6", OPEN_ALGOS, 1),
    get("O6", f"{OPEN_ALGOS}?page=0", -1140, "'page'", "allowed: 1 to 100000"),
    *listing("O", TRAILING, 1, (5, 100), (4, 0, 3)),
    *pages("O6", TRAILING, 1),
    *listing("H", TRAILED, 1, (2, 100), (3, 4, 8)),
    *pages("H5", TRAILED, 1),
    too_long("H4", TRAILED, 90),
    *listing("A", ALGOS, 1, (2, 1_000), (4, 3, 8)),
    too_long("A3", ALGOS, 90),
    *listing("H", HISTORY, 1, (2, 1_000), (3, 4, 8)),
    *pages("H5", HISTORY, 0),
    *[
        get("H9", f"{path}?limit=1000&page=10001", -1140, "'page'", "'limit'", "at most 10000000")
        for path in (HISTORY, DEMO_HISTORY)
    ],
    get("H9", f"{HISTORY}?page=20001", -1140, "'page'", "'limit'", "at most 10000000"),
    *[
        get(row, f"{path}startTime={LATER}{more}", -1170, "'startTime'", "future")
        for row, path in (
            ("H10", f"{HISTORY}?"),
            ("H10", f"{DEMO_HISTORY}?"),
            ("H10", f"{TRADES}?"),
            ("A9", f"{ALGOS}?"),
            ("M11", f"{MARKET}/historyKlines?symbol=BTCUSDT&interval=1m&"),
        )
        for more in ("", f"&endTime={LATER + 1}")
    ],
    post("I12", INCOME, {"startTime": LATER}, -1170, "'startTime'", "future"),
    post("I12", INCOME, {"startTime": LATER, "endTime": LATER}, -1170, "'startTime'", "future"),
    too_long("H4", HISTORY, 90),
    *listing("H", TRADES, 1, (2, 100), (3, 4, 8)),
    too_long("H4", TRADES, 7),
    get("H6", f"{TRADES}?orderId=x", -1142, "'orderId'", "whole number"),
    get("H6", f"{TRADES}?orderId=0", -1140, "'orderId'", "allowed: 1 to"),
    *listing("H", DEMO_HISTORY, 1, (2, 1_000), (3, 4, 8)),
    *pages("H5", DEMO_HISTORY, 0),
    get("H4", f"{DEMO_HISTORY}?startTime={NOW}&endTime={NOW + 90 * DAY + 1}", -1170, "90 days"),
    get("Y2", f"{DEMO_HISTORY}?symbol=BTCUSDT", -1121, "'symbol'"),
    *[
        get("O7", f"{ACCOUNT}/{path}?symbol={bad}", -1121, "'symbol'")
        for path in ("commissionRate", "symbolConfig", "position/singlePosition")
        for bad in ("NOPEUSDT", "ETHBTC", "%C5%BFOLUSDT")
    ],
    *[
        get("O7", f"{ACCOUNT}/{path}", -1141, "'symbol'")
        for path in ("commissionRate", "position/singlePosition")
    ],
    Case("G1", "POST", OPEN, {}, -1150, ("'POST' not supported",)),
    Case("G1", "DELETE", HISTORY, None, -1150, ("'DELETE' not supported",)),
    Case("G17", "GET", OPEN, b'{"symbol":"BTCUSDT"}', -1142, ("'body'", "query")),
]

CASES = [*_MARKET, *_INCOME, *_LISTS]

_EMPTY = {"asset": None, "symbol": "", "incomeType": "", "startTime": None, "limit": None}
_EQUAL = f"startTime={NOW}&endTime={NOW}"

ACCEPTED = [
    *[
        Accepted("M10", "GET", f"{MARKET}/{path}?symbol=btcusdt&interval=1m", who=None,
                 ignored="" if path in SERIES else "interval")
        for path in (*ONE_SYMBOL, *MAY_SELECT)
    ],
    *[Accepted("M10", "GET", f"{MARKET}/{path}?symbol=", who=None) for path in MAY_SELECT],
    Accepted(
        "M10", "GET", f"{MARKET}/ticker/24hr", who="reader",
        headers=but(ACCESS_SIGN="é".encode(), ACCESS_TIMESTAMP="x"),
    ),
    Accepted("I7", "POST", INCOME, {}),
    Accepted("I7", "POST", INCOME, _EMPTY),
    Accepted("I7", "POST", INCOME, {"asset": "usdt", "symbol": "btcusdt", "limit": "20"}),
    Accepted("I7", "POST", INCOME, {"startTime": NOW}),
    Accepted("I7", "POST", INCOME, {"endTime": str(NOW)}),
    Accepted("I7", "POST", INCOME, {"startTime": NOW, "endTime": NOW + 100 * DAY}),
    Accepted("I7", "POST", INCOME, {"nextKeyId": BOBS_ASK, "nextKeyTime": 9_999_999_999_999}),
    Accepted("I9", "POST", INCOME, {"uid": 10_000_003, "owner": "bob"}, ignored="uid,owner"),
    Accepted("O1", "GET", f"{OPEN}?symbol=btcUsdt"),
    Accepted("O1", "GET", f"{OPEN_ALGOS}?symbol="),
    Accepted("O8", "GET", f"{OPEN}?orderId={BOBS_ASK}"),
    Accepted("O8", "GET", f"{OPEN}?orderId=0&page=100000"),
    Accepted("A5", "GET", f"{ALGOS}?startTime=1000000000000"),
    Accepted("A5", "GET", f"{ALGOS}?endTime=1000000000000"),
    Accepted("A6", "GET", f"{ALGOS}?page=-1", ignored="page"),
    Accepted("A7", "GET", f"{ALGOS}?symbol=BTCUSDT&{_EQUAL}"),
    *[
        Accepted("H7", "GET", f"{path}?{_EQUAL}")
        for path in (HISTORY, TRADES, DEMO_HISTORY)
    ],
    *[
        Accepted("Y2", "GET", f"{V3}/sim/{path}")
        for path in ("balance", "position/allPosition", "order/history")
    ],
    *[
        Accepted("G31", "GET", f"{ACCOUNT}/{path}?uid=10000003", ignored="uid")
        for path in ("balance", "accountConfig", "position/allPosition")
    ],
]  # fmt: skip
