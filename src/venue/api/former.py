"""Paths of V2, which the live exchange shut down, and the rows of V3 that do the same."""

from __future__ import annotations

from typing import Final

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
    "market/candles": "GET /api/v3/market/klines",
    "market/depth": "GET /api/v3/market/depth",
    "account/assets": "GET /api/v3/account/",
    "account/balance": "GET /api/v3/account/",
    "account/bills": "POST /api/v3/account/bills",
    "account/fund/bills": "POST /api/v3/account/fundingBills",
    "account/transfer/records": "GET /api/v3/account/transferRecords",
    "trade/orders": "POST /api/v3/order",
    "trade/cancel-order": "DELETE /api/v3/order",
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


def words(path: str) -> str:
    """The row of V3 for a caller of a path of V2, in words; empty for any other path."""
    if path.startswith(SOCKETS):
        return f"{ENDED}; its sockets are /spot/v3/ws/... and /contract/v3/ws/... in V3."
    if not path.startswith(PREFIXES):
        return ""
    plain = path.rstrip("/")
    row = ROWS.get(plain) or ROWS.get(plain.rpartition("/")[0])  # a symbol or an id may end it
    told = f"in V3 it is {row}" if row is not None else "GET /openapi.json lists V3's operations"
    return f"{ENDED}; {told}."


def plain_symbol(symbol: str) -> str:
    """V3's name of a symbol that is written as in V2; any other as it is."""
    upper = symbol.upper()
    if upper.startswith(CONTRACT_BEGIN):
        return upper.removeprefix(CONTRACT_BEGIN)
    return upper.removesuffix(SPOT_END)
