"""Operations of affiliates (rows J): alice is one, bob is none."""

from __future__ import annotations

from support.refusals.cases import Accepted, Case, get

UIDS = "/api/v3/rebate/affiliate/getAffiliateUIDs"
VERIFY = "/api/v3/agency/verifyReferrals"
ELIGIBLE = "/api/v3/apiReferral/checkUserEligibility"
RATIO = "/api/v3/apiReferral/rebateRatio"
RECENT = "/api/v3/apiReferral/rebate/recentRecord"
NOW = 1_790_000_000_000
DAY = 86_400_000
TIMES = "allowed: 1000000000000 to 9999999999999"


def paged(
    path: str, *, name: str = "page", most: int = 100, days: int = 90, more: str = ""
) -> list[Case]:
    """Pages and times, as these lists have them."""
    path = f"{path}?{more}&" if more else f"{path}?"
    return [
        *[
            get("J4", f"{path}{name}={bad}", code, f"'{name}'", words)
            for bad, code, words in (
                ("0", -1140, "1 to 100000"), ("100001", -1140, "1 to 100000"),
                ("-1", -1142, "whole number"), ("x", -1142, "whole number"),
            )
        ],
        *[
            get("J4", f"{path}pageSize={bad}", code, "'pageSize'", words)
            for bad, code, words in (
                ("0", -1140, f"1 to {most}"), (str(most + 1), -1140, f"1 to {most}"),
                ("1.5", -1142, "whole number"),
            )
        ],
        *[
            get("J5", f"{path}{time}={bad}", code, f"'{time}'", words)
            for time in ("startTime", "endTime")
            for bad, code, words in (("x", -1142, "whole number"), ("0", -1140, TIMES))
        ],
        get("J5", f"{path}startTime={NOW}&endTime={NOW - 1}", -1171, "'startTime'", "'endTime'"),
        get(
            "J5", f"{path}startTime={NOW}&endTime={NOW + days * DAY + 1}", -1170, f"{days} days"
        ),
    ]  # fmt: skip


def _forbidden(path: str, code: int, status: int, words: str) -> Case:
    return Case("J1", "GET", path, None, code, (words,), "bob", status)


CASES = [
    _forbidden(UIDS, -1051, 403, "denied"),
    _forbidden(f"{VERIFY}?userIds=1", -1051, 403, "denied"),
    _forbidden(f"{ELIGIBLE}?userId=1", -4002, 400, "broker"),
    _forbidden(RATIO, -4002, 400, "broker"),
    _forbidden(RECENT, -4002, 400, "broker"),
    *[
        Case("G19", "GET", path, None, -1052, ("permission READ",), "trader", 403)
        for path in (UIDS, VERIFY, ELIGIBLE, RATIO, RECENT)
    ],
    *[get("J2", f"{UIDS}?uid={bad}", -1142, "'uid'", "whole number") for bad in ("x", "-1", "1.5")],
    get("J2", f"{UIDS}?uid=0", -1140, "'uid'", "allowed: 1 to"),
    get("J3", VERIFY, -1141, "'userIds'"),
    get("J3", f"{VERIFY}?userIds=", -1141, "'userIds'"),
    *[
        get("J3", f"{VERIFY}?userIds={bad}", -1142, "'userIds'", "separated by commas")
        for bad in ("x", "1,,2", "1,", "-1", "1.5", "%D9%A5", "9" * 19)
    ],
    get("J3", f"{VERIFY}?userIds={'1,' * 100}1", -1140, "'userIds'", "100"),
    get("J2", ELIGIBLE, -1141, "'userId'"),
    *[get("J2", f"{ELIGIBLE}?userId={bad}", -1142, "'userId'", "whole") for bad in ("x", "-1")],
    *paged(UIDS),
    *paged(RECENT),
    get("J5", f"{UIDS}?startTime=1600000000000", -1170, "'startTime'", "365 days"),
]
ACCEPTED = [
    Accepted("J6", "GET", f"{UIDS}?uid=999"),
    Accepted("J6", "GET", f"{UIDS}?page=99999"),
    Accepted("J6", "GET", f"{RECENT}?page=99999"),
    Accepted("J6", "GET", f"{VERIFY}?userIds=1,999,999"),
    Accepted("J6", "GET", f"{RATIO}?page=x", ignored="page"),
]
