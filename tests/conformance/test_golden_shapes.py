"""The fields that the exchange itself was recorded to answer with, operation by operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.raw import Desk, ok, operate
from support.server import Server

V3, SPOT = "/capi/v3", "/api/v3"
ORDER = (
    "avgPrice clientOrderId cumQuote executedQty orderId origQty price reduceOnly side positionSide"
    " status stopPrice symbol time timeInForce type updateTime workingType"
)
ALGO = (
    "algoId clientAlgoId algoType orderType symbol side positionSide timeInForce quantity"
    " algoStatus actualOrderId actualPrice triggerPrice price tpTriggerPrice tpPrice"
    " slTriggerPrice slPrice tpOrderType workingType closePosition reduceOnly createTime"
    " updateTime triggerTime"
)
SPOT_ORDER = (
    "symbol orderId clientOrderId price origQty executedQty cummulativeQuoteQty status timeInForce"
    " type side time updateTime isWorking"
)
POSITION = (
    "id asset symbol side marginType separatedMode separatedOpenOrderId leverage size openValue"
    " openFee fundingFee marginSize isolatedMargin isAutoAppendIsolatedMargin cumOpenSize"
    " cumOpenValue cumOpenFee cumCloseSize cumCloseValue cumCloseFee cumFundingFee"
    " cumLiquidateFee createdMatchSequenceId updatedMatchSequenceId createdTime updatedTime"
    " unrealizePnl liquidatePrice"
)
TICKER = (
    "symbol priceChange priceChangePercent lastPrice openPrice highPrice lowPrice volume"
    " quoteVolume openTime closeTime"
)
PREMIUM = (
    "symbol markPrice indexPrice forecastFundingRate lastFundingRate interestRate"
    " nextFundingTime time collectCycle"
)
NETWORK = (
    "network coin withdrawIntegerMultiple isDefault depositEnable withdrawEnable depositDesc"
    " withdrawDesc name withdrawFee withdrawMin withdrawInternalMin depositDust minConfirm"
    " withdrawTag contractAddressUrl contractAddress"
)
TRADE = "id price qty quoteQty time isBuyerMaker isBestMatch"
QUERY = "symbol=BTCUSDT"
# Question, and the fields of its object, or of the first one of its list.
ASKED = [
    (f"{V3}/order/history", ORDER),
    (f"{V3}/openOrders", ORDER),
    (f"{V3}/openAlgoOrders", ALGO),
    (f"{V3}/userTrades", ("id orderId symbol buyer commission commissionAsset maker price qty"
     " quoteQty realizedPnl side positionSide time")),
    (f"{V3}/account/position/allPosition", POSITION),
    (f"{V3}/account/balance", "asset balance availableBalance frozen unrealizePnl"),
    (f"{V3}/account/symbolConfig", ("symbol marginType separatedType crossLeverage"
     " isolatedLongLeverage isolatedShortLeverage")),
    (f"{V3}/account/commissionRate?{QUERY}", "symbol makerCommissionRate takerCommissionRate"),
    (f"{V3}/market/ticker/24hr?{QUERY}", f"{TICKER} markPrice indexPrice"),
    (f"{V3}/market/ticker/bookTicker?{QUERY}", "symbol bidPrice bidQty askPrice askQty time"),
    (f"{V3}/market/premiumIndex?{QUERY}", PREMIUM),
    (f"{V3}/market/fundingRate?{QUERY}", "symbol fundingRate fundingTime markPrice"),
    (f"{V3}/market/openInterest?{QUERY}", "symbol openInterest time"),
    (f"{V3}/market/symbolPrice?{QUERY}", "symbol price time"),
    (f"{V3}/market/trades?{QUERY}", TRADE),
    (f"{SPOT}/market/trades?{QUERY}", TRADE),
    (f"{SPOT}/market/ticker/24hr?{QUERY}",
     f"{TICKER} bidPrice bidQty askPrice askQty count"),
    (f"{SPOT}/market/ticker/price", "symbol price"),
    (f"{SPOT}/market/depth?{QUERY}", "lastUpdateId bids asks"),
    (f"{SPOT}/allOrders?{QUERY}", SPOT_ORDER),
    (f"{SPOT}/myTrades?{QUERY}", "symbol id orderId price qty quoteQty commission time isBuyer"),
    (f"{SPOT}/account", ("makerCommission takerCommission commissionRates canTrade canWithdraw"
     " canDeposit updateTime accountType balances permissions uid")),
    (f"{SPOT}/coins", "coin depositAllEnable withdrawAllEnable name networkList"),
    (f"{SPOT}/account/transferRecords", ("coinName status toType toSymbol fromType fromSymbol"
     " amount tradeTime")),
    (f"{SPOT}/time", "serverTime"),
]  # fmt: skip
# Fields that the published tables show and the recordings do not.
MORE = {
    f"{V3}/openOrders": "priceProtect priceMatch selfTradePreventionMode goodTillDate",
    f"{SPOT}/account": "brokered requireSelfTradePrevention preventSor",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Alice has of everything one."""
    with Server("--no-agents", folder=tmp_path_factory.mktemp("golden")) as server:
        desk = Desk(server)
        operate(desk, "contracts/change", {"symbol": "BTCUSDT", "indexSources": ["desk"]})
        posted = {"symbol": "BTCUSDT", "source": "desk", "price": "64000", "jump": True}
        operate(desk, "index", posted)
        moved = {"owner": "alice", "asset": "USDT", "amount": "5"}
        operate(desk, "transfer", moved | {"from": "SPOT", "to": "FUNDING"})
        for path, buys, sells in (
            (f"{SPOT}/order", {}, {}),
            (f"{V3}/order", {"positionSide": "LONG"}, {"positionSide": "SHORT"}),
        ):
            rest = {"symbol": "BTCUSDT", "quantity": "0.01", "timeInForce": "GTC"}
            rest |= {"type": "LIMIT", "price": "64000"}
            ok(desk.bob.post(path, rest | {"side": "SELL"} | sells))
            ok(desk.alice.post(path, rest | {"side": "BUY"} | buys))
            ok(desk.alice.post(path, rest | {"side": "BUY", "price": "63000"} | buys))
        stop = {
            "symbol": "BTCUSDT", "side": "SELL", "positionSide": "LONG", "type": "STOP_MARKET",
            "quantity": "0.01", "triggerPrice": "60000", "clientAlgoId": "stop",
        }  # fmt: skip
        ok(desk.alice.post(f"{V3}/algoOrder", stop))
        yield desk
        desk.close()


def one(found: Any) -> dict[str, Any]:
    first = found[0] if isinstance(found, list) else found
    assert isinstance(first, dict)
    return first


@pytest.mark.parametrize(("path", "fields"), ASKED, ids=[path for path, _ in ASKED])
def test_an_answer_has_the_recorded_fields(desk: Desk, path: str, fields: str) -> None:
    found = one(ok(desk.alice.get(path)))
    more = MORE.get(path, "").split()
    assert sorted(found) == sorted([*fields.split(), *more])
    if path.endswith("/coins"):
        assert sorted(found["networkList"][0]) == sorted(NETWORK.split())


def test_a_conditional_order_has_the_recorded_values(desk: Desk) -> None:
    waiting = one(ok(desk.alice.get(f"{V3}/openAlgoOrders")))
    found = ok(desk.alice.get(f"{V3}/order?orderId={waiting['algoId']}"))
    assert sorted(found) == sorted(ORDER.split())
    names = ("status", "type", "timeInForce", "workingType", "reduceOnly", "side", "positionSide")
    assert [found[name] for name in names] == [
        "UNTRIGGERED", "STOP_MARKET", "IOC", "CONTRACT_PRICE", True, "SELL", "LONG",
    ]  # fmt: skip
