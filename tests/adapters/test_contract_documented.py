"""The contract side of the interface as the documents have it: rows, parameters and replies."""

from __future__ import annotations

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
from venue.api.operation import request_type
from venue.gateway.dispatch.shapes import compile_request

ROWS = (
    *contract_market.ROWS,
    *contract_account.ROWS,
    *contract_orders.ROWS,
    *conditional.ROWS,
    *demo.ROWS,
)

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
    "user_trades": "symbol orderId startTime endTime fromId limit=100",
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
    assert {row.name: _parameters(request_type(row)) for row in ROWS} == PARAMETERS


def _parameters(request: type[Any]) -> str:
    words = []
    for field in compile_request(request).fields:
        default = "" if field.default is None else f"={field.default}"
        words.append(f"{field.name}!" if field.required else f"{field.name}{default}")
    return " ".join(words)


def test_only_batches_cancel_by_a_body() -> None:
    assert [row.name for row in ROWS if row.method == "DELETE" and row.in_body] == [
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
