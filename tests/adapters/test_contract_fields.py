"""The contract side of the interface as data: how its fields are read, and its documented rows."""

from __future__ import annotations

import json
from types import NoneType
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from openapi_spec_validator import validate

from venue.api.contract import account as contract_account
from venue.api.contract import conditional, demo
from venue.api.contract import market as contract_market
from venue.api.contract import orders as contract_orders
from venue.api.documents import table
from venue.api.documents.openapi import openapi
from venue.api.errors import ApiError
from venue.api.operation import in_body
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
    assert found == contract_orders.ContractOrderHistoryRequest("ETHUSDT", 1000, None, None, 0)


# row, parameters: ! required, =value a default
PARAMETERS = {
    "contract_exchange_info": "symbol",
    "contract_time": "",
    "contract_trading_symbols": "",
    "contract_depth": "symbol! limit=15",
    "contract_tickers": "symbol",
    "contract_book_tickers": "symbol",
    "contract_trades": "symbol! limit=100",
    "contract_klines": "symbol! interval! limit=100",
    "index_klines": "symbol! interval! limit=100",
    "mark_klines": "symbol! interval! limit=100",
    "history_klines": "symbol! interval! startTime endTime limit=100 priceType=LAST",
    "symbol_price": "symbol! priceType=INDEX",
    "open_interest": "symbol!",
    "premium_index": "symbol",
    "funding_rates": "symbol! startTime endTime limit=100",
    "contract_balance": "",
    "commission_rate": "symbol!",
    "account_config": "",
    "symbol_config": "symbol",
    "positions": "",
    "position": "symbol!",
    "income": "asset symbol incomeType startTime endTime limit=20 nextKeyId nextKeyTime",
    "set_margin_type": "symbol! marginType! separatedType",
    "set_leverage": "symbol! marginType crossLeverage isolatedLongLeverage isolatedShortLeverage",
    "move_margin": "isolatedPositionId! amount! type!",
    "set_auto_margin": "positionId! autoAppendMargin!",
    "place_contract_order": (
        "symbol! side! positionSide! type! quantity! price timeInForce newClientOrderId "
        "tpTriggerPrice slTriggerPrice TpWorkingType=CONTRACT_PRICE SlWorkingType=CONTRACT_PRICE "
        "positionId"
    ),
    "place_contract_batch": "batchOrders!",
    "cancel_contract_order": "orderId origClientOrderId",
    "cancel_contract_batch": "orderIdList origClientOrderIdList",
    "cancel_contract_open_orders": "symbol",
    "close_positions": "symbol positionId",
    "contract_order": "orderId origClientOrderId",
    "contract_open_orders": "symbol orderId startTime endTime limit=100 page=0",
    "contract_order_history": "symbol limit=500 startTime endTime page=0",
    "user_trades": "symbol orderId startTime endTime limit=100",
    "place_algo": (
        "symbol! side! positionSide! type! quantity! clientAlgoId! triggerPrice price "
        "presetTakeProfitPrice presetStopLossPrice TpWorkingType=CONTRACT_PRICE "
        "SlWorkingType=CONTRACT_PRICE activatePrice callbackRate"
    ),
    "place_exit": (
        "symbol! clientAlgoId! planType! triggerPrice! positionSide! executePrice quantity "
        "triggerPriceType=CONTRACT_PRICE"
    ),
    "change_exit": "orderId! triggerPrice! executePrice triggerPriceType",
    "cancel_algo": "orderId origClientOrderId",
    "cancel_algos": "symbol",
    "open_algos": "symbol startTime endTime page=1 limit=100",
    "all_algos": "symbol startTime endTime limit=500",
    "open_trailing": "symbol startTime endTime page=1 limit=100",
    "trailing_history": "symbol startTime endTime page=1 limit=100",
    "demo_balance": "",
    "demo_positions": "",
    "demo_order_history": "symbol limit=500 startTime endTime page=0",
    "place_demo_order": (
        "symbol! side! positionSide! type! quantity! price timeInForce newClientOrderId "
        "tpTriggerPrice slTriggerPrice TpWorkingType=CONTRACT_PRICE SlWorkingType=CONTRACT_PRICE "
        "positionId"
    ),
}

# method, path below /capi/v3, access, weight: the index of the documents, in its order
INDEX = """
GET market/exchangeInfo PUBLIC 1/0
GET market/time PUBLIC 1/0
GET market/apiTradingSymbols PUBLIC 5/0
GET market/depth PUBLIC 1/0
GET market/ticker/24hr PUBLIC 40/0
GET market/ticker/bookTicker PUBLIC 1/0
GET market/trades PUBLIC 5/0
GET market/klines PUBLIC 1/0
GET market/indexPriceKlines PUBLIC 1/0
GET market/markPriceKlines PUBLIC 1/0
GET market/historyKlines PUBLIC 5/0
GET market/symbolPrice PUBLIC 1/0
GET market/openInterest PUBLIC 2/0
GET market/premiumIndex PUBLIC 1/0
GET market/fundingRate PUBLIC 5/0
GET account/balance READ 5/10
GET account/commissionRate READ 5/10
GET account/accountConfig READ 5/10
GET account/symbolConfig READ 5/10
GET account/position/allPosition READ 10/15
GET account/position/singlePosition READ 2/3
POST account/income READ 2/5
POST account/marginType CONTRACT_TRADE 20/50
POST account/leverage CONTRACT_TRADE 10/20
POST account/positionMargin CONTRACT_TRADE 15/30
POST account/modifyAutoAppendMargin CONTRACT_TRADE 15/30
POST order CONTRACT_TRADE 2/5
POST batchOrders CONTRACT_TRADE 5/10
DELETE order CONTRACT_TRADE 2/3
DELETE batchOrders CONTRACT_TRADE 5/10
DELETE allOpenOrders CONTRACT_TRADE 5/10
POST closePositions CONTRACT_TRADE 40/50
GET order READ 2/3
GET openOrders READ 2/3
GET order/history READ 10/10
GET userTrades READ 5/5
POST algoOrder CONTRACT_TRADE 2/5
POST placeTpSlOrder CONTRACT_TRADE 2/5
POST modifyTpSlOrder CONTRACT_TRADE 2/5
DELETE algoOrder CONTRACT_TRADE 2/3
DELETE algoOpenOrders CONTRACT_TRADE 5/10
GET openAlgoOrders READ 3/3
GET allAlgoOrders READ 5/10
GET trailing/openOrders READ 2/2
GET trailing/historyOrders READ 10/10
GET sim/balance READ 5/10
GET sim/position/allPosition READ 10/15
GET sim/order/history READ 10/10
POST sim/order CONTRACT_TRADE 2/5
"""


def test_rows_are_the_documented_index() -> None:
    rows = [
        f"{row.method} {row.path.removeprefix('/capi/v3/')} {row.access.name}"
        f" {row.weight[0]}/{row.weight[1]}"
        for row in ROWS
    ]
    assert rows == INDEX.strip().splitlines()


def test_parameters_are_the_documented_ones() -> None:
    assert {row.name: _parameters(row.request) for row in ROWS} == PARAMETERS


def _parameters(request: type[Any]) -> str:
    words = []
    for field in compile_request(request).fields:
        default = "" if field.default is None else f"={field.default}"
        words.append(f"{field.name}!" if field.required else f"{field.name}{default}")
    return " ".join(words)


def test_only_batches_cancel_by_a_body() -> None:
    assert [row.name for row in ROWS if row.method == "DELETE" and in_body(row)] == [
        "cancel_contract_batch"
    ]


# Fields in order with their JSON types: ? may be null or absent
REPLIES: list[tuple[type[Any], str]] = [
    (
        contract_orders.ContractOrderView,
        (
            "avgPrice:str clientOrderId:str cumQuote:str executedQty:str orderId:int origQty:str "
            "price:str reduceOnly:bool side:str positionSide:str status:str stopPrice:str "
            "symbol:str time:int timeInForce:str type:str updateTime:int workingType:str "
            "priceProtect:bool? priceMatch:str? selfTradePreventionMode:str? goodTillDate:int?"
        ),
    ),
    (
        conditional.EndedAlgo,
        (
            "algoId:int clientAlgoId:str algoType:str orderType:str symbol:str side:str "
            "positionSide:str timeInForce:str quantity:str algoStatus:str actualOrderId:int "
            "actualPrice:str triggerPrice:str price:str workingType:str createTime:int "
            "updateTime:int triggerTime:int activatePrice:str? callbackRate:str?"
        ),
    ),
    (
        contract_account.IncomeItem,
        (
            "billId:int asset:str symbol:str? income:str incomeType:str balance:str fillFee:str "
            "time:int transferReason:str"
        ),
    ),
    (
        contract_account.LeverageReply,
        (
            "symbol:str marginType:str crossLeverage:str isolatedLongLeverage:str "
            "isolatedShortLeverage:str"
        ),
    ),
    (
        contract_account.ContractBalance,
        "asset:str balance:str availableBalance:str frozen:str unrealizePnl:str",
    ),
    (
        contract_account.PositionView,
        (
            "id:int asset:str symbol:str side:str marginType:str separatedMode:str "
            "separatedOpenOrderId:int leverage:str size:str openValue:str openFee:str "
            "fundingFee:str marginSize:str isolatedMargin:str isAutoAppendIsolatedMargin:bool "
            "cumOpenSize:str cumOpenValue:str cumOpenFee:str cumCloseSize:str "
            "cumCloseValue:str cumCloseFee:str cumFundingFee:str cumLiquidateFee:str "
            "createdMatchSequenceId:int "
            "updatedMatchSequenceId:int createdTime:int updatedTime:int unrealizePnl:str "
            "liquidatePrice:str"
        ),
    ),
    (contract_account.Acknowledged, "code:str msg:str requestTime:int"),
    (
        contract_orders.ContractOrderAck,
        "orderId:str clientOrderId:str success:bool errorCode:str errorMessage:str",
    ),
    (
        contract_orders.ContractCanceled,
        "orderId:str origClientOrderId:str success:bool errorCode:str errorMessage:str",
    ),
    (
        contract_orders.ContractOrderCanceled,
        "orderId:int success:bool errorCode:str errorMessage:str",
    ),
    (
        contract_orders.UserTrade,
        (
            "id:int orderId:int symbol:str buyer:bool commission:str commissionAsset:str "
            "maker:bool price:str qty:str quoteQty:str realizedPnl:str "
            "side:str positionSide:str time:int"
        ),
    ),
    (conditional.ExitAck, "success:bool orderId:int errorCode:str errorMessage:str"),
    (
        contract_market.PremiumIndex,
        (
            "symbol:str markPrice:str indexPrice:str lastFundingRate:str forecastFundingRate:str "
            "interestRate:str nextFundingTime:int time:int collectCycle:int"
        ),
    ),
]


@pytest.mark.parametrize(("reply", "fields"), REPLIES)
def test_reply_fields_are_the_documented_ones(reply: type[Any], fields: str) -> None:
    hints = get_type_hints(reply)
    found = [
        f"{field.encode_name}:{_json_type(hints[field.name])}"
        for field in msgspec.structs.fields(reply)
    ]
    assert found == fields.split()


def _json_type(hint: Any) -> str:
    leaves = get_args(hint)
    if not leaves:
        return str(hint.__name__)
    assert leaves[1] in (NoneType, msgspec.UnsetType)
    return f"{leaves[0].__name__}?"


def test_fields_are_written_in_their_documented_order() -> None:
    reply = contract_account.Acknowledged(request_time=1)
    assert msgspec.json.encode(reply) == b'{"code":"200","msg":"success","requestTime":1}'
    page = contract_account.IncomePage(False, [], None)
    assert msgspec.json.encode(page) == b'{"hasNextPage":false,"items":[],"nextKey":null}'


def test_rows_fit_into_the_table() -> None:
    rows = list(dict.fromkeys([*table.ROWS, *ROWS]))
    assert len({row.name for row in rows}) == len(rows)
    assert len({(row.method, row.path) for row in rows}) == len(rows)
    document = openapi(rows, "0")
    validate(document)
    # Two types of one name would be told apart by their modules, and lose their parameters.
    assert all("." not in name for name in document["components"]["schemas"])
