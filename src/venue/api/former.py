"""Paths and fields of V2, which the live exchange shut down, and those of V3 that do the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

ENDED: Final = "V2 was shut down on 2026-09-30"
CONTRACT: Final = "/capi/v2/"
SPOT: Final = "/api/v2/"
SOCKETS: Final = "/v2/ws"
PREFIXES: Final = (CONTRACT, SPOT)

# The part of a path behind its prefix, and the row of V3.
_CONTRACT_ROWS: Final = {
    "market/time": "GET /capi/v3/market/time",
    "market/contracts": "GET /capi/v3/market/exchangeInfo",
    "market/depth": "GET /capi/v3/market/depth",
    "market/ticker": "GET /capi/v3/market/ticker/24hr",
    "market/tickers": "GET /capi/v3/market/ticker/24hr",
    "market/trades": "GET /capi/v3/market/trades",
    "market/candles": "GET /capi/v3/market/klines",
    "market/historyCandles": "GET /capi/v3/market/historyKlines",
    "market/index": "GET /capi/v3/market/symbolPrice",
    "market/open_interest": "GET /capi/v3/market/openInterest",
    "market/currentFundRate": "GET /capi/v3/market/premiumIndex",
    "market/funding_time": "GET /capi/v3/market/premiumIndex",
    "market/getHistoryFundRate": "GET /capi/v3/market/fundingRate",
    "account/getAccounts": "GET /capi/v3/account/balance",
    "account/getAccount": "GET /capi/v3/account/balance",
    "account/assets": "GET /capi/v3/account/balance",
    "account/settings": "GET /capi/v3/account/symbolConfig",
    "account/leverage": "POST /capi/v3/account/leverage",
    "account/adjustMargin": "POST /capi/v3/account/positionMargin",
    "account/modifyAutoAppendMargin": "POST /capi/v3/account/modifyAutoAppendMargin",
    "account/bills": "POST /capi/v3/account/income",
    "account/position/allPosition": "GET /capi/v3/account/position/allPosition",
    "account/position/singlePosition": "GET /capi/v3/account/position/singlePosition",
    "account/position/changeHoldModel": "POST /capi/v3/account/marginType",
    "order/placeOrder": "POST /capi/v3/order",
    "order/batchOrders": "POST /capi/v3/batchOrders",
    "order/cancel_order": "DELETE /capi/v3/order",
    "order/cancel_batch_orders": "DELETE /capi/v3/batchOrders",
    "order/cancelAllOrders": "DELETE /capi/v3/allOpenOrders",
    "order/closePositions": "POST /capi/v3/closePositions",
    "order/detail": "GET /capi/v3/order",
    "order/history": "GET /capi/v3/order/history",
    "order/current": "GET /capi/v3/openOrders",
    "order/fills": "GET /capi/v3/userTrades",
    "order/placeTpSlOrder": "POST /capi/v3/placeTpSlOrder",
    "order/modifyTpSlOrder": "POST /capi/v3/modifyTpSlOrder",
    "order/plan_order": "POST /capi/v3/algoOrder",
    "order/cancel_plan": "DELETE /capi/v3/algoOrder",
    "order/currentPlan": "GET /capi/v3/openAlgoOrders",
    "order/historyPlan": "GET /capi/v3/allAlgoOrders",
}
_SPOT_ROWS: Final = {
    "public/time": "GET /api/v3/time",
    "public/currencies": "GET /api/v3/coins",
    "public/products": "GET /api/v3/exchangeInfo",
    "public/exchangeInfo": "GET /api/v3/exchangeInfo",
    "market/ticker": "GET /api/v3/market/ticker/24hr",
    "market/tickers": "GET /api/v3/market/ticker/24hr",
    "market/trades": "GET /api/v3/market/trades",
    "market/fills": "GET /api/v3/market/trades",
    "market/candles": "GET /api/v3/market/klines",
    "market/depth": "GET /api/v3/market/depth",
    "account/assets": "GET /api/v3/account/",
    "account/balance": "GET /api/v3/account/",
    "account/bills": "POST /api/v3/account/bills",
    "account/fundingBills": "POST /api/v3/account/fundingBills",
    "account/transferRecords": "GET /api/v3/account/transferRecords",
    "account/fund/bills": "POST /api/v3/account/fundingBills",
    "account/transfer/records": "GET /api/v3/account/transferRecords",
    "trade/orders": "POST /api/v3/order",
    "trade/cancel-order": "DELETE /api/v3/order",
    "trade/cancel-symbol-order": "DELETE /api/v3/openOrders",
    "trade/batch-orders": "POST /api/v3/order/batch",
    "trade/cancel-batch-orders": "DELETE /api/v3/order/batch",
    "trade/orderInfo": "GET /api/v3/order",
    "trade/open-orders": "GET /api/v3/openOrders",
    "trade/history": "GET /api/v3/allOrders",
    "trade/fills": "GET /api/v3/myTrades",
}
ROWS: Final = {f"{CONTRACT}{path}": row for path, row in _CONTRACT_ROWS.items()} | {
    f"{SPOT}{path}": row for path, row in _SPOT_ROWS.items()
}
# Names of symbols there: a contract's begins so, a spot market's ends so.
CONTRACT_BEGIN: Final = "CMT_"
SPOT_END: Final = "_SPBL"


class FormerField(NamedTuple):
    """The names of a field of V2 in V3, of which an operation knows one or some, and its values
    there."""

    names: tuple[str, ...]
    values: Mapping[str, str] = {}


_TYPES: Final = {"0": "LIMIT", "1": "MARKET", "limit": "LIMIT", "market": "MARKET"}
_LIVES: Final = {
    "0": "GTC", "1": "POST_ONLY", "2": "FOK", "3": "IOC",
    "normal": "GTC", "gtc": "GTC", "postOnly": "POST_ONLY", "post_only": "POST_ONLY",
    "fok": "FOK", "ioc": "IOC",
}  # fmt: skip
_CLIENT_IDS: Final = ("origClientOrderIds", "origClientOrderIdList")
# From V2's documentation. Those of the names that the operation of V3 knows are meant.
FIELDS: Final[dict[str, FormerField]] = {
    "client_oid": FormerField(("newClientOrderId", "clientAlgoId")),
    "clientOrderId": FormerField(("newClientOrderId", "clientAlgoId", "origClientOrderId")),
    "clientOid": FormerField(("origClientOrderId",)),
    "clientOids": FormerField(_CLIENT_IDS),
    "cids": FormerField(_CLIENT_IDS),
    "ids": FormerField(("orderIdList",)),
    "orderDataList": FormerField(("batchOrders",)),
    "size": FormerField(("quantity",)),
    "orderType": FormerField(("type",), _TYPES),
    "match_price": FormerField(("type",), _TYPES),
    "match_type": FormerField(("type",)),
    "order_type": FormerField(("timeInForce",), _LIVES),
    "force": FormerField(("timeInForce",), _LIVES),
    "trigger_price": FormerField(("triggerPrice",)),
    "execute_price": FormerField(("price",)),
    "presetTakeProfitPrice": FormerField(("tpTriggerPrice",)),
    "presetStopLossPrice": FormerField(("slTriggerPrice",)),
    "marginMode": FormerField(("marginType",), {"1": "CROSSED", "3": "ISOLATED"}),
    "separatedMode": FormerField(("separatedType",), {"1": "COMBINED", "2": "SEPARATED"}),
    "longLeverage": FormerField(("isolatedLongLeverage", "crossLeverage")),
    "shortLeverage": FormerField(("isolatedShortLeverage", "crossLeverage")),
    "collateralAmount": FormerField(("amount",)),
    "coin": FormerField(("asset",)),
    "businessType": FormerField(("incomeType",)),
    "granularity": FormerField(("interval",)),
    "period": FormerField(("interval",)),
    "createDate": FormerField(("startTime",)),
    "after": FormerField(("startTime",)),
    "before": FormerField(("endTime",)),
    "pageIndex": FormerField(("page",)),
    "pageSize": FormerField(("limit",)),
}
# A contract order's type there, which says the side too.
_DIRECTIONS: Final = {
    "1": "'side' BUY and 'positionSide' LONG",
    "2": "'side' SELL and 'positionSide' SHORT",
    "3": "'side' SELL and 'positionSide' LONG",
    "4": "'side' BUY and 'positionSide' SHORT",
}


def words(path: str) -> str:
    """Return the row of V3 for a caller of a path of V2, in words; empty for any other path."""
    if path.startswith(SOCKETS):
        return f"{ENDED}; its sockets are /spot/v3/ws/... and /contract/v3/ws/... in V3."
    if not path.startswith(PREFIXES):
        return ""
    row = row_of(path)
    told = f"in V3 it is {row}" if row else "GET /openapi.json lists V3's operations"
    return f"{ENDED}; {told}."


def row_of(path: str) -> str:
    """Return the row of V3 for a path of V2; empty when there is none."""
    plain = path.rstrip("/")
    return ROWS.get(plain) or ROWS.get(plain.rpartition("/")[0], "")  # a symbol or an id may end it


def fields(known: Collection[str], values: Any) -> str:
    """Return the words of `intended_fields` for a refusal, which they follow; or empty."""
    told = intended_fields(known, values)
    return f" {ENDED}; in V3 {told}." if told else ""


def intended_fields(known: Collection[str], values: Any) -> str:
    """Return the fields of V3 that are meant by fields of V2, of a request whose operation knows
    these names; empty for a request without any, and for what is no object."""
    told = []
    for name, value in values.items() if isinstance(values, dict) else ():
        field = FIELDS.get(name)
        if field is None or name in known:
            continue
        names = " or ".join(f"'{one}'" for one in field.names if one in known)
        if names:
            now = field.values.get(value) if isinstance(value, str) else None
            told.append(f"'{name}' {value} is {names} {now}" if now else f"'{name}' is {names}")
    way = values.get("type") if told else None
    if "positionSide" in known and isinstance(way, str) and way in _DIRECTIONS:
        told.append(f"'type' {way} is {_DIRECTIONS[way]}")
    return ", ".join(told)


def plain_symbol(symbol: str) -> str:
    """V3's name of a symbol that is written as in V2; any other as it is."""
    upper = symbol.upper()
    if upper.startswith(CONTRACT_BEGIN):
        return upper.removeprefix(CONTRACT_BEGIN)
    return upper.removesuffix(SPOT_END)
