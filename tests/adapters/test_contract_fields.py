"""How the fields of the contract side are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from venue.api.contract import account as contract_account
from venue.api.contract import conditional, demo
from venue.api.contract import market as contract_market
from venue.api.contract import orders as contract_orders
from venue.api.errors import ApiError
from venue.gateway.dispatch.decode import body_values, decode
from venue.gateway.dispatch.query import query_values
from venue.gateway.dispatch.shapes import compile_request

ROWS = (
    *contract_market.ROWS,
    *contract_account.ROWS,
    *contract_orders.ROWS,
    *conditional.ROWS,
    *demo.ROWS,
)
ORDER: dict[str, Any] = {
    "symbol": "btcusdt",
    "side": "BUY",
    "positionSide": "LONG",
    "type": "LIMIT",
    "quantity": "1",
    "price": "100",
}
ALGO: dict[str, Any] = {
    "symbol": "BTCUSDT",
    "side": "SELL",
    "positionSide": "LONG",
    "type": "STOP_MARKET",
    "quantity": "1",
    "triggerPrice": "90",
    "clientAlgoId": "my-1",
}
EXIT: dict[str, Any] = {
    "symbol": "BTCUSDT",
    "clientAlgoId": "my-1",
    "planType": "TAKE_PROFIT",
    "triggerPrice": "90",
    "positionSide": "SHORT",
}
SYMBOL = {"symbol": "BTCUSDT"}
KLINES = {"symbol": "BTCUSDT", "interval": "1m"}
MARGIN = {"isolatedPositionId": "7", "amount": "1", "type": 1}
ID = 1_000_000_000_000_017


def _read(request: type[Any], values: dict[str, Any]) -> Any:
    """The request that a JSON body with these values is read as."""
    return decode(compile_request(request), body_values(json.dumps(values).encode()))


def _changed(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The base with changes; `...` takes a key away."""
    return {name: value for name, value in {**base, **changes}.items() if value is not ...}


LEVERAGE = contract_account.LeverageRequest
PLACE = contract_orders.PlaceContractOrderRequest
CANCEL = contract_orders.CancelContractBatchRequest
INCOME = contract_account.IncomeRequest
HISTORY = contract_market.HistoryKlinesRequest

# request, base, given, attribute, read as
ACCEPTED: list[tuple[type[Any], dict[str, Any], dict[str, Any], str, Any]] = [
    (LEVERAGE, SYMBOL, {"crossLeverage": "1"}, "cross_leverage", 1),
    (LEVERAGE, SYMBOL, {"crossLeverage": 500}, "cross_leverage", 500),
    (LEVERAGE, SYMBOL, {"isolatedLongLeverage": "20"}, "isolated_long_leverage", 20),
    (LEVERAGE, SYMBOL, {"isolatedLongLeverage": "20.00"}, "isolated_long_leverage", 20),
    (LEVERAGE, SYMBOL, {"isolatedShortLeverage": ""}, "isolated_short_leverage", None),
    (LEVERAGE, SYMBOL, {"marginType": "ISOLATED"}, "margin_type", "ISOLATED"),
    (PLACE, ORDER, {}, "symbol", "BTCUSDT"),
    (PLACE, ORDER, {"positionSide": "SHORT"}, "position_side", "SHORT"),
    (PLACE, ORDER, {"timeInForce": "POST_ONLY"}, "time_in_force", "POST_ONLY"),
    (PLACE, ORDER, {"newClientOrderId": "a" * 36}, "new_client_order_id", "a" * 36),
    (PLACE, ORDER, {"newClientOrderId": "A.b:c/0_-"}, "new_client_order_id", "A.b:c/0_-"),
    (PLACE, ORDER, {"newClientOrderId": None}, "new_client_order_id", None),
    (PLACE, ORDER, {"tpTriggerPrice": 110.5}, "tp_trigger_price", "110.5"),
    (PLACE, ORDER, {"TpWorkingType": "MARK_PRICE"}, "tp_working_type", "MARK_PRICE"),
    (PLACE, ORDER, {"SlWorkingType": "MARK_PRICE"}, "sl_working_type", "MARK_PRICE"),
    (PLACE, ORDER, {"tpWorkingType": "MARK_PRICE"}, "tp_working_type", "CONTRACT_PRICE"),
    (PLACE, ORDER, {"SlWorkingType": ""}, "sl_working_type", "CONTRACT_PRICE"),
    (PLACE, ORDER, {"positionId": str(ID)}, "position_id", ID),
    (CANCEL, {}, {"orderIdList": [str(ID), ID]}, "order_id_list", [ID, ID]),
    (CANCEL, {}, {"origClientOrderIdList": ["x"]}, "orig_client_order_id_list", ["x"]),
    (conditional.PlaceAlgoRequest, ALGO, {"type": "TAKE_PROFIT"}, "type", "TAKE_PROFIT"),
    (
        conditional.PlaceAlgoRequest, ALGO, {"type": "TRAILING_STOP_MARKET"},
        "type", "TRAILING_STOP_MARKET",
    ),
    (conditional.PlaceAlgoRequest, ALGO, {"callbackRate": "0.01"}, "callback_rate", "0.01"),
    (conditional.PlaceAlgoRequest, ALGO, {"activatePrice": "80"}, "activate_price", "80"),
    (conditional.PlaceAlgoRequest, ALGO, {"triggerPrice": ...}, "trigger_price", None),
    (conditional.PlaceExitRequest, EXIT, {"executePrice": "0"}, "execute_price", "0"),
    (conditional.PlaceExitRequest, EXIT, {"executePrice": 0}, "execute_price", "0"),
    (conditional.PlaceExitRequest, EXIT, {"quantity": 0}, "quantity", "0"),
    (conditional.PlaceExitRequest, EXIT, {}, "quantity", None),
    (conditional.PlaceExitRequest, EXIT, {"planType": "STOP_LOSS"}, "plan_type", "STOP_LOSS"),
    (conditional.PlaceExitRequest, EXIT, {}, "trigger_price_type", "CONTRACT_PRICE"),
    (INCOME, {}, {"incomeType": "position_funding"}, "income_type", "position_funding"),
    (INCOME, {}, {"incomeType": "tracking_third_party_share"}, "income_type",
     "tracking_third_party_share"),
    (INCOME, {}, {"asset": "", "symbol": "", "startTime": None}, "symbol", None),
    (INCOME, {}, {"nextKeyId": str(ID)}, "next_key_id", ID),
    (INCOME, {}, {"limit": "100"}, "limit", 100),
    (HISTORY, KLINES, {"interval": "1w"}, "interval", "1w"),
    (HISTORY, KLINES, {"interval": "1M"}, "interval", "1M"),
    (HISTORY, KLINES, {"priceType": "INDEX"}, "price_type", "INDEX"),
    (contract_account.PositionMarginRequest, MARGIN, {"type": "2"}, "type", 2),
    (contract_account.PositionMarginRequest, MARGIN, {}, "isolated_position_id", 7),
    (contract_orders.ContractOpenOrdersRequest, {}, {"page": 0}, "page", 0),
    (contract_orders.ContractOpenOrdersRequest, {}, {"orderId": "0"}, "order_id", 0),
]  # fmt: skip

LEVERAGE_RULE = "allowed: whole numbers from 1 to 500"
# request, base, given, code, words
REFUSED: list[tuple[type[Any], dict[str, Any], dict[str, Any], int, str]] = [
    *[
        (LEVERAGE, SYMBOL, {name: value}, -3313, f"'{name}' is out of range: {LEVERAGE_RULE}")
        for name in ("crossLeverage", "isolatedLongLeverage", "isolatedShortLeverage")
        for value in (
            "0", 0, 501, "501", -1, "-1", "10.", 10.5, "10.5", "1e2", "abc", " 5", "5\n", "+5",
            "٥", True, [5], {"5": 5}, "9" * 5_000, "0" * 5_000 + "5",
        )
    ],
    *[
        (PLACE, ORDER, {"newClientOrderId": value}, -1180, "1 to 36 characters")
        for value in ("a" * 37, "a b", "a\n", "ä", "a#", 17, True, ["a"])
    ],
    (contract_orders.ContractOrderRequest, {}, {"origClientOrderId": "a" * 37}, -1180,
     "'origClientOrderId'"),
    (CANCEL, {}, {"origClientOrderIdList": ["a" * 37]}, -1180, "'origClientOrderIdList'"),
    (CANCEL, {}, {"origClientOrderIdList": "a"}, -1142, "must be an array"),
    (CANCEL, {}, {"orderIdList": [0]}, -1140, "'orderIdList'"),
    (PLACE, ORDER, {"positionSide": ...}, -1141, "'positionSide'"),
    (PLACE, ORDER, {"positionSide": "BOTH"}, -1142, "LONG, SHORT"),
    (PLACE, ORDER, {"positionSide": "long"}, -1142, "LONG, SHORT"),
    (PLACE, ORDER, {"positionSide": 1}, -1142, "LONG, SHORT"),
    (PLACE, ORDER, {"side": ...}, -1117, "BUY or SELL"),
    (PLACE, ORDER, {"type": "STOP"}, -1116, "LIMIT or MARKET"),
    (PLACE, ORDER, {"timeInForce": "GTX"}, -1115, "'timeInForce'"),
    (PLACE, ORDER, {"quantity": "0"}, -1142, "'quantity'"),
    (PLACE, ORDER, {"TpWorkingType": "INDEX_PRICE"}, -1142, "'TpWorkingType'"),
    (PLACE, ORDER, {"SlWorkingType": "mark_price"}, -1142, "CONTRACT_PRICE, MARK_PRICE"),
    (PLACE, ORDER, {"positionId": 0}, -1140, "'positionId'"),
    (conditional.PlaceAlgoRequest, ALGO, {"type": "LIMIT"}, -1116, "TRAILING_STOP_MARKET"),
    (conditional.PlaceAlgoRequest, ALGO, {"type": "stop"}, -1116, "STOP, STOP_MARKET"),
    (conditional.PlaceAlgoRequest, ALGO, {"type": ["STOP"]}, -1116, "'type'"),
    (conditional.PlaceAlgoRequest, ALGO, {"type": ...}, -1116, "'type'"),
    (conditional.PlaceAlgoRequest, ALGO, {"clientAlgoId": ...}, -1141, "'clientAlgoId'"),
    (conditional.PlaceAlgoRequest, ALGO, {"clientAlgoId": "a" * 37}, -1180, "'clientAlgoId'"),
    (conditional.PlaceAlgoRequest, ALGO, {"quantity": "0"}, -1142, "'quantity'"),
    (conditional.PlaceAlgoRequest, ALGO, {"callbackRate": "1%"}, -1142, "'callbackRate'"),
    (conditional.PlaceExitRequest, EXIT, {"planType": "STOP"}, -1142, "TAKE_PROFIT, STOP_LOSS"),
    (conditional.PlaceExitRequest, EXIT, {"executePrice": "-1"}, -1142, "'executePrice'"),
    (conditional.PlaceExitRequest, EXIT, {"triggerPrice": "0"}, -1142, "'triggerPrice'"),
    (contract_account.MarginTypeRequest, {**SYMBOL, "marginType": "CROSSED"},
     {"separatedType": "SPLIT"}, -1142, "COMBINED, SEPARATED"),
    (contract_account.MarginTypeRequest, SYMBOL, {"marginType": "CROSS"}, -1142,
     "CROSSED, ISOLATED"),
    (contract_account.AutoMarginRequest, {"positionId": 7}, {"autoAppendMargin": 1}, -1142,
     "'autoAppendMargin'"),
    (contract_account.PositionMarginRequest, MARGIN, {"type": 3}, -1140, "1 to 2"),
    (contract_account.PositionMarginRequest, MARGIN, {"amount": "0"}, -1142, "'amount'"),
    (INCOME, {}, {"incomeType": "funding"}, -1142, "position_funding"),
    (INCOME, {}, {"limit": 101}, -1140, "1 to 100"),
    (INCOME, {}, {"nextKeyTime": 5}, -1140, "'nextKeyTime'"),
    (HISTORY, KLINES, {"interval": "3m"}, -1142, "'interval'"),
    (HISTORY, KLINES, {"priceType": "LAST_PRICE"}, -1142, "LAST, INDEX, MARK"),
    (HISTORY, KLINES, {"limit": 101}, -1140, "1 to 100"),
    (contract_market.SymbolPriceRequest, SYMBOL, {"priceType": "LAST"}, -1142, "INDEX, MARK"),
    (contract_orders.ContractOpenOrdersRequest, {}, {"page": -1}, -1140, "'page'"),
    (conditional.OpenAlgosRequest, {}, {"page": 0}, -1140, "'page'"),
]  # fmt: skip


@pytest.mark.parametrize(("request_type", "base", "given", "attribute", "value"), ACCEPTED)
def test_accepted(
    request_type: type[Any],
    base: dict[str, Any],
    given: dict[str, Any],
    attribute: str,
    value: Any,
) -> None:
    found = getattr(_read(request_type, _changed(base, given)), attribute)
    assert found == value
    assert isinstance(found, type(value))


@pytest.mark.parametrize(("request_type", "base", "given", "code", "words"), REFUSED)
def test_refused(
    request_type: type[Any], base: dict[str, Any], given: dict[str, Any], code: int, words: str
) -> None:
    with pytest.raises(ApiError) as refusal:
        _read(request_type, _changed(base, given))
    assert refusal.value.code == code
    assert words in refusal.value.message


def test_a_query_is_read_like_a_body() -> None:
    request = compile_request(contract_orders.ContractOrderHistoryRequest)
    found = decode(request, query_values(b"symbol=ethusdt&limit=1000&page=0&startTime="))
    assert found == contract_orders.ContractOrderHistoryRequest(
        symbol="ETHUSDT", limit=1000, page=0
    )
