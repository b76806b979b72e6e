"""Affiliates' questions about invited owners, and money they send (rows J): alice is one."""

from __future__ import annotations

from typing import Any

from support.refusals.affiliates import DAY, NOW, paged
from support.refusals.cases import Accepted, Case, changed, get

AFFILIATE, AGENCY = "/api/v3/rebate/affiliate", "/api/v3/agency"
TRADES = f"{AFFILIATE}/getChannelUserTradeAndAsset"
PAID = f"{AFFILIATE}/getAffiliateCommission"
STATUS = f"{AFFILIATE}/getInternalWithdrawalStatus"
SUBS = f"{AFFILIATE}/querySubChannelTransactions"
SEND = f"{AFFILIATE}/internalWithdrawal"
ASSETS, DEALS = f"{AGENCY}/getAssert", f"{AGENCY}/getDealData"
READS = (TRADES, PAID, STATUS, f"{SUBS}?productType=SPOT", f"{ASSETS}?userId=1", DEALS)
ALICE, BOB, FEES = 10_000_001, 10_000_002, 1
MONEY: dict[str, Any] = {"toUserId": BOB, "coin": "USDT", "amount": "1"}
ACCOUNTS = ("fromAccountType", "toAccountType")


def send(code: int, *words: str, **changes: Any) -> Case:
    who, status = changes.pop("who", "alice"), changes.pop("status", 400)
    engine = bool(changes.pop("engine", False))
    body = changed(MONEY, changes)
    return Case("J9", "POST", SEND, body, code, words, who, status, engine=engine)


_NOBODY = [
    *[Case("J1", "GET", path, None, -1051, ("denied",), "bob", 403) for path in READS],
    Case("J1", "POST", SUBS, {"productType": "SPOT"}, -1051, ("denied",), "bob", 403),
    send(-1051, "denied", who="bob", status=403)._replace(row="J1"),
    *[Case("G19", "GET", path, None, -1052, ("permission READ",), "trader", 403) for path in READS],
    *[
        send(-1052, "permission SPOT_TRADE", who=who, status=403)._replace(row="G19")
        for who in ("reader", "trader", "copier")
    ],
]
_READS = [
    *paged(TRADES),
    *paged(STATUS, most=200, days=31),
    *paged(PAID, days=92),
    *paged(SUBS, name="pageNum", more="productType=SPOT"),
    *[
        get("J2", f"{path}{name}={bad}", code, f"'{name}'", words)
        for path, name in (
            (f"{TRADES}?", "uid"),
            (f"{PAID}?", "uid"),
            (f"{STATUS}?", "withdrawID"),
            (f"{SUBS}?productType=SPOT&", "subUid"),
            (f"{ASSETS}?", "userId"),
        )
        for bad, code, words in (
            ("x", -1142, "whole number"),
            ("1.5", -1142, "whole number"),
            ("-1", -1142, "whole number"),
            ("0", -1140, "allowed: 1 to"),
            ("9" * 20, -1140, "allowed: 1 to"),
        )
    ],
    get("J2", ASSETS, -1141, "'userId'"),
    *[
        get("J2", f"{ASSETS}?userId={uid}", -1142, "'userId'", "the caller invited no such owner")
        for uid in (ALICE, BOB, FEES, 999)  # own, another's, the venue's, nobody's: told alike
    ],
    *[
        get("J7", f"{path}?coin={bad}", -1142, "'coin'", "no such asset")
        for path in (PAID, STATUS)
        for bad in ("NOPE", "%D9%A5", "USDT%20")
    ],
    get("J7", f"{PAID}?productType=BOTH", -1142, "'productType'", "SPOT, FUTURES"),
    get("J7", SUBS, -1141, "'productType'"),
    get("J7", f"{SUBS}?productType=spot", -1142, "'productType'", "SPOT, FUTURES"),
    Case("J7", "POST", SUBS, {}, -1141, ("'productType'",)),
    Case("J7", "POST", SUBS, {"productType": 1}, -1142, ("'productType'",)),
    *[get("J7", f"{STATUS}?{name}=FUNDING", -1142, f"'{name}'", "SPOT, FUND") for name in ACCOUNTS],
    get("J5", f"{STATUS}?startTime={NOW - 400 * DAY}", -1170, "'startTime'", "31 days"),
]
_DAYS = [
    *[
        get("J8", f"{path}{name}={bad}", -1142, f"'{name}'")
        for path in (f"{ASSETS}?userId=1&", f"{DEALS}?")
        for name in ("startTime", "endTime")
        for bad in ("x", "2026-02-30", "2026-13-01", "2026-1-1", "1790000000000", "%D9%A5")
    ],
    *[
        get("J8", f"{path}startTime=2026-05-02&endTime=2026-05-01", -1171, "'startTime'")
        for path in (f"{ASSETS}?userId=1&", f"{DEALS}?")
    ],
    *[
        get("J8", f"{path}startTime=2026-01-01&endTime=2026-04-01", -1170, "90 days")
        for path in (f"{ASSETS}?userId=1&", f"{DEALS}?")
    ],
    get("J8", f"{DEALS}?startTime=0001-01-01&endTime=0001-01-02", -1140, "1971-01-01"),
    *[
        get("J3", f"{DEALS}?userIds={bad}", -1142, "'userIds'", "separated by commas")
        for bad in ("x", "1,,2", "1&userIds=", "-1", "9" * 19)
    ],
    get("J3", f"{DEALS}?userIds={'1,' * 100}1", -1140, "'userIds'", "100"),
    get("J3", f"{DEALS}?{'userIds=1&' * 101}", -1140, "'userIds'", "100"),
]
_SENDS = [
    *[send(-1141, f"'{name}'", **{name: absent}) for name in MONEY for absent in (..., None, "")],
    *[send(-1142, "'toUserId'", "whole", toUserId=bad) for bad in ("x", 1.5, True, [BOB])],
    *[send(-1140, "'toUserId'", "allowed: 1 to", toUserId=bad) for bad in (0, -1, 2**63)],
    *[
        send(-1142, "'toUserId'", "no such owner", toUserId=bad, engine=True)
        for bad in (999, FEES, 2, 3)
    ],
    send(-1142, "'toUserId'", "another owner", toUserId=ALICE, engine=True),
    *[send(-1142, "'coin'", "no such asset", coin=bad) for bad in ("NOPE", "usdt ")],
    send(-1142, "'coin'", "printable", coin=1),
    *[
        send(-1142, "'amount'", "decimal", amount=bad)
        for bad in ("-1", "1e3", "x", True, [1], "+1", " 1", "٥")
    ],
    send(-1142, "'amount'", "greater than 0", amount="0"),
    send(-1142, "'amount'", "greater than 0", amount="0.000000"),
    send(-1160, "'amount'", "6 decimals", amount="0.0000001"),
    send(-1140, "'amount'", "18 digits", amount="1" * 19),
    send(-1140, "'amount'", "is allowed", amount="1" * 18),
    send(-1140, "'amount'", "at most 46116860184.27387904 is allowed", amount="184467440738"),
    send(-1140, "'amount'", "is allowed", amount="46116860184.273880"),
    send(
        -1054,
        "900000000.00000000 USDT are needed, ",
        "spot wallet are free",
        amount="900000000",
        engine=True,
    ),
    send(
        -1054,
        "are needed, 0.00000000 of 0.00000000 in the funding wallet",
        fromAccountType="FUND",
        engine=True,
    ),
    *[send(-1142, f"'{name}'", "SPOT, FUND", **{name: "CONTRACT"}) for name in ACCOUNTS],
    *[
        send(-1180, "'clientTranId'", "1 to 40 characters", clientTranId=bad)
        for bad in ("a b", "x" * 41, 1, "é")
    ],
    send(-1057, "frozen", who="frozen", engine=True),
]
CASES = [*_NOBODY, *_READS, *_DAYS, *_SENDS]
ACCEPTED = [
    *[Accepted("J6", "GET", f"{path}?page=99999") for path in (TRADES, PAID, STATUS)],
    Accepted("J6", "GET", f"{SUBS}?productType=FUTURES&pageNum=99999"),
    Accepted("J6", "POST", SUBS, {"productType": "SPOT", "subUid": 999}),
    Accepted("J6", "GET", f"{TRADES}?uid=999"),
    Accepted("J6", "GET", f"{PAID}?uid={BOB}&coin=usdt&productType=FUTURES"),
    Accepted("J6", "GET", f"{STATUS}?withdrawID=999&coin="),
    Accepted("J6", "GET", f"{DEALS}?userIds={BOB},999&userIds=1"),
    Accepted("J6", "GET", f"{DEALS}?startTime=2026-01-01&endTime=2026-03-31"),
]
