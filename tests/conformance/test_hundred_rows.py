"""The hundred operations that a stock client knows of this interface: all are served.

The numbers are those that the operations have in the interface's public list.
"""

from __future__ import annotations

from venue.api.documents.table import ROWS
from venue.vocabulary import Access

SPOT, CONTRACT = "/api/v3", "/capi/v3"
AFFILIATE, AGENCY = f"{SPOT}/rebate/affiliate", f"{SPOT}/agency"
REFERRAL, CONTENT = f"{SPOT}/apiReferral", f"{SPOT}/content"
MARKET, ACCOUNT, COPY = f"{CONTRACT}/market", f"{CONTRACT}/account", f"{CONTRACT}/copy"

Listed = tuple[int, str, str, str]  # number, method, path, permission: P(ublic), R(ead), T(rade)


def _numbered(first: int, method: str, permission: str, root: str, *names: str) -> list[Listed]:
    return [
        (number, method, f"{root}/{name}", permission) for number, name in enumerate(names, first)
    ]


LISTED: tuple[Listed, ...] = (
    *_numbered(1, "GET", "P", SPOT, "ping", "time", "coins", "exchangeInfo", "apiTradingSymbols"),
    *_numbered(
        6, "GET", "P", f"{SPOT}/market",
        "ticker/price", "ticker/24hr", "ticker/bookTicker", "trades", "klines", "depth",
    ),
    (12, "GET", f"{SPOT}/account/", "R"),
    *_numbered(13, "POST", "R", f"{SPOT}/account", "bills", "fundingBills"),
    (15, "GET", f"{SPOT}/account/transferRecords", "R"),
    (16, "POST", f"{SPOT}/tax/income", "R"),
    *_numbered(17, "POST", "T", SPOT, "order", "order/batch"),
    *_numbered(19, "DELETE", "T", SPOT, "order", "openOrders", "order/batch"),
    *_numbered(22, "GET", "R", SPOT, "order", "openOrders", "allOrders", "myTrades"),
    *_numbered(
        26, "GET", "R", AFFILIATE,
        "getAffiliateUIDs", "getChannelUserTradeAndAsset", "getAffiliateCommission",
        "getInternalWithdrawalStatus", "querySubChannelTransactions",
    ),
    (31, "POST", f"{AFFILIATE}/internalWithdrawal", "T"),
    *_numbered(32, "GET", "R", AGENCY, "verifyReferrals", "getAssert", "getDealData"),
    *_numbered(
        35, "GET", "R", REFERRAL, "checkUserEligibility", "rebateRatio", "rebate/recentRecord"
    ),
    *_numbered(
        38, "GET", "R", CONTENT,
        "articles/detail", "articles/list", "articles/listByCoin", "banners/latest",
    ),
    *_numbered(
        42, "GET", "P", MARKET,
        "time", "exchangeInfo", "apiTradingSymbols", "depth", "ticker/24hr", "ticker/bookTicker",
        "trades", "klines", "indexPriceKlines", "markPriceKlines", "historyKlines", "symbolPrice",
        "openInterest", "premiumIndex", "fundingRate",
    ),
    *_numbered(
        57, "GET", "R", ACCOUNT,
        "balance", "commissionRate", "accountConfig", "symbolConfig", "position/allPosition",
        "position/singlePosition",
    ),
    (63, "POST", f"{ACCOUNT}/income", "R"),
    *_numbered(
        64, "POST", "T", ACCOUNT,
        "marginType", "leverage", "positionMargin", "modifyAutoAppendMargin",
    ),
    *_numbered(68, "POST", "T", CONTRACT, "order", "batchOrders"),
    *_numbered(70, "DELETE", "T", CONTRACT, "order", "batchOrders", "allOpenOrders"),
    (73, "POST", f"{CONTRACT}/closePositions", "T"),
    *_numbered(74, "GET", "R", CONTRACT, "order", "openOrders", "order/history", "userTrades"),
    *_numbered(78, "POST", "T", CONTRACT, "algoOrder", "placeTpSlOrder", "modifyTpSlOrder"),
    *_numbered(81, "DELETE", "T", CONTRACT, "algoOrder", "algoOpenOrders"),
    *_numbered(83, "GET", "R", CONTRACT, "openAlgoOrders", "allAlgoOrders"),
    *_numbered(85, "GET", "R", f"{CONTRACT}/trailing", "openOrders", "historyOrders"),
    *_numbered(
        87, "GET", "R", f"{CONTRACT}/sim", "balance", "position/allPosition", "order/history"
    ),
    (90, "POST", f"{CONTRACT}/sim/order", "T"),
    *_numbered(
        91, "GET", "R", COPY,
        "follower/historyOrders", "follower/myTraders", "follower/openOrders", "follower/settings",
        "trader/historyOrders", "trader/openOrders", "trader/pairs",
    ),
    *_numbered(
        98, "POST", "T", COPY, "follower/closePos", "follower/settings", "follower/stopCopy"
    ),
)  # fmt: skip

ALLOWED = {
    "P": {Access.PUBLIC},
    "R": {Access.READ, Access.COPY_TRADE},  # a lead trader has keys of its own kind
    "T": {Access.SPOT_TRADE, Access.CONTRACT_TRADE, Access.COPY_TRADE},
}


def test_a_hundred_are_listed_once() -> None:
    assert [number for number, *_ in LISTED] == list(range(1, 101))
    assert len({(method, path) for _, method, path, _ in LISTED}) == 100


def test_all_are_served_to_whom_they_are_for() -> None:
    served = {(row.method, row.path): row.access for row in ROWS}
    for number, method, path, permission in LISTED:
        access = served.get((method, path))
        assert access in ALLOWED[permission], (number, method, path, access)
