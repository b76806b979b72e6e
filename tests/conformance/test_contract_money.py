"""Contract questions about money: balances, positions, income; values computed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from support.contract_desk import ACCOUNT, V3, contracts_traded, place
from support.contract_raw import posted
from support.raw import Desk, ok, operate, order, refused
from support.shapes import (
    INTEGER,
    LONG_ID,
    MS,
    TEXT,
    Shape,
    check,
    decimal,
    is_flag,
    is_list,
    is_null,
    signed,
    text,
)

ALICE_FUNDS = 1_000_000
MAKER, TAKER = Decimal("0.0002"), Decimal("0.0006")
ETH_MAINTENANCE = Decimal("0.004")  # the first tier's rate
DAY_MS = 86_400_000
MONEY, SIGNED = decimal(8), signed(8)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with contracts_traded(tmp_path_factory.mktemp("contracts")) as desk:
        yield desk


# -- the account ----------------------------------------------------------------------------------

FEES = 12_000 * MAKER + 3_000 * MAKER
# Held for the rest of the order for 0.5: margin at leverage 20 and the taker's fee.
FROZEN = Decimal("0.3") * 60_000 / 20 + Decimal("0.3") * 60_000 * TAKER


def test_balance(desk: Desk) -> None:
    (found,) = ok(desk.alice.get(f"{ACCOUNT}/balance"))
    check(
        found,
        {
            "asset": text("USDT"),
            "balance": MONEY,
            "availableBalance": MONEY,
            "frozen": MONEY,
            "unrealizePnl": SIGNED,
        },
    )
    assert found["balance"] == f"{ALICE_FUNDS - FEES:.8f}"
    assert found["frozen"] == f"{FROZEN:.8f}"
    (isolated,) = ok(desk.alice.get(f"{ACCOUNT}/position/singlePosition?symbol=ETHUSDT"))
    # The cross wallet, less the margin of the BTC position at its mark of 60,000.
    free = ALICE_FUNDS - FEES - Decimal(isolated["isolatedMargin"]) - 600 - FROZEN
    assert found["availableBalance"] == f"{free:.8f}"
    assert found["unrealizePnl"] == "0.00000000"


def test_positions(desk: Desk) -> None:
    btc, eth = ok(desk.alice.get(f"{ACCOUNT}/position/allPosition"))
    shape: Shape = {
        "id": LONG_ID,
        "asset": text("USDT"),
        "symbol": text("BTCUSDT"),
        "side": text("LONG"),
        "marginType": text("CROSSED"),
        "separatedMode": text("COMBINED"),
        "separatedOpenOrderId": INTEGER,
        "leverage": text("20"),
        "size": decimal(5),
        "openValue": MONEY,
        "openFee": MONEY,
        "fundingFee": SIGNED,
        "marginSize": MONEY,
        "isolatedMargin": text("0"),
        "isAutoAppendIsolatedMargin": is_flag,
        **{f"cum{name}": MONEY for name in ("OpenValue", "OpenFee", "CloseValue", "CloseFee")},
        "cumOpenSize": decimal(5),
        "cumCloseSize": decimal(5),
        "cumFundingFee": SIGNED,
        "cumLiquidateFee": MONEY,
        "createdMatchSequenceId": LONG_ID,
        "updatedMatchSequenceId": LONG_ID,
        "createdTime": MS,
        "updatedTime": MS,
        "unrealizePnl": SIGNED,
        "liquidatePrice": text("0"),  # its collateral is a million
    }
    check(btc, shape)
    assert (btc["size"], btc["openValue"]) == ("0.20000", "12000.00000000")
    assert (btc["openFee"], btc["marginSize"]) == (f"{12_000 * MAKER:.8f}", "600.00000000")
    other: Shape = {"symbol": text("ETHUSDT"), "marginType": text("ISOLATED")}
    sizes = dict.fromkeys(("size", "cumOpenSize", "cumCloseSize"), decimal(4))
    margins = {"isolatedMargin": MONEY, "leverage": text("10"), "liquidatePrice": decimal(2)}
    check(eth, shape | other | sizes | margins)


def test_liquidation_price_of_an_isolated_position(desk: Desk) -> None:
    (found,) = ok(desk.alice.get(f"{ACCOUNT}/position/singlePosition?symbol=ETHUSDT"))
    assert found["marginSize"] == found["isolatedMargin"]
    margin = Decimal(found["isolatedMargin"])
    # Equity margin + (p - 3,000) equals the maintenance margin 0.004 x p.
    price = (3_000 - margin) / (1 - ETH_MAINTENANCE)
    assert abs(Decimal(found["liquidatePrice"]) - price) < Decimal("0.01")


def test_rates_and_modes(desk: Desk) -> None:
    assert ok(desk.alice.get(f"{ACCOUNT}/commissionRate?symbol=BTCUSDT")) == {
        "symbol": "BTCUSDT",
        "makerCommissionRate": "0.0002",
        "takerCommissionRate": "0.0006",
    }
    modes = ok(desk.alice.get(f"{ACCOUNT}/symbolConfig"))
    by_symbol = {row["symbol"]: row for row in modes}
    assert by_symbol["ETHUSDT"] == {
        "symbol": "ETHUSDT",
        "marginType": "ISOLATED",
        "separatedType": "COMBINED",
        "crossLeverage": "20",
        "isolatedLongLeverage": "10",
        "isolatedShortLeverage": "20",
    }
    assert ok(desk.alice.get(f"{ACCOUNT}/symbolConfig?symbol=ETHUSDT")) == [by_symbol["ETHUSDT"]]
    config = ok(desk.alice.get(f"{ACCOUNT}/accountConfig"))
    flags = dict.fromkeys(("canTrade", "canDeposit", "canWithdraw", "dualSidePosition"), is_flag)
    check(config, flags | {"updateTime": MS})
    assert all(config[name] for name in flags)
    refused(desk.alice.get(f"{ACCOUNT}/commissionRate?symbol=NOPEUSDT"), -1121, "'symbol'")


# -- income (sections 2.4, 4.2) -------------------------------------------------------------------


def income(desk: Desk, **asked: Any) -> Any:
    return ok(desk.alice.post(f"{ACCOUNT}/income", asked))


def test_income_items(desk: Desk) -> None:
    page = income(desk, asset="", symbol="", incomeType="", startTime=None, endTime=None)
    check(page, {"hasNextPage": is_flag, "items": is_list, "nextKey": is_null})
    shape: Shape = {
        "billId": LONG_ID,
        "asset": TEXT,
        "symbol": text("|[A-Z]+"),
        "income": SIGNED,
        "incomeType": TEXT,
        "balance": SIGNED,
        "fillFee": MONEY,
        "time": MS,
        "transferReason": TEXT,
    }
    for item in page["items"]:
        check(item, shape)
    (opened,) = income(desk, symbol="BTCUSDT", incomeType="position_open_long")["items"]
    fee = 12_000 * MAKER
    assert opened["income"] == f"{-12_000 - fee:.8f}"
    assert opened["fillFee"] == f"{fee:.8f}"
    # The sum of a wallet's items over its pools, and the open values, is its balance (5.2, 5.3).
    items = income(desk, asset="USDT")["items"]
    assert sum(Decimal(item["income"]) for item in items) + 15_000 == ALICE_FUNDS - FEES
    assert [item["billId"] for item in items] == sorted(
        (item["billId"] for item in items), reverse=True
    )


def test_income_goes_on_behind_its_key(desk: Desk) -> None:
    whole = income(desk)["items"]
    told: list[Any] = []
    asked: dict[str, Any] = {"limit": 2}
    while True:
        page = income(desk, **asked)
        told += page["items"]
        assert page["hasNextPage"] == (page["nextKey"] is not None)
        if page["nextKey"] is None:
            break
        check(page["nextKey"], {"nextKeyId": LONG_ID, "nextKeyTime": MS})
        asked |= page["nextKey"]
    assert told == whole
    half = {"nextKeyId": whole[0]["billId"]}
    refused(desk.alice.post(f"{ACCOUNT}/income", half), -1141, "nextKeyTime")


def test_income_spans(desk: Desk) -> None:
    whole = income(desk)["items"]
    newest, oldest = int(whole[0]["time"]), int(whole[-1]["time"])
    assert income(desk, startTime=oldest)["items"] == whole
    assert income(desk, startTime=oldest - 1_000 * DAY_MS)["items"] == whole
    assert income(desk, endTime=newest)["items"] == whole
    assert income(desk, endTime=oldest + 30 * DAY_MS)["items"] == whole
    assert income(desk, endTime=newest + 30 * DAY_MS + 1)["items"] == []
    longest = {"startTime": newest - 100 * DAY_MS, "endTime": newest}
    assert income(desk, **longest)["items"] == whole
    longest["startTime"] -= 1
    refused(desk.alice.post(f"{ACCOUNT}/income", longest), -1170, "'endTime'", "100 days")
    reversed_ = {"startTime": newest, "endTime": newest - 1}
    refused(desk.alice.post(f"{ACCOUNT}/income", reversed_), -1171, "'startTime'")
    refused(desk.alice.post(f"{ACCOUNT}/income", {"asset": "NOPE"}), -1142, "'asset'")
    refused(desk.alice.post(f"{ACCOUNT}/income", {"symbol": "NOPEUSDT"}), -1121, "'symbol'")
    refused(desk.alice.post(f"{ACCOUNT}/income", {"incomeType": "gift"}), -1142, "'incomeType'")


# -- demo money -----------------------------------------------------------------------------------


def test_demo_money_stands_apart(desk: Desk) -> None:
    operate(desk, "index", posted("BTCSUSDT", "agents", "60000"))
    body = order("BTCSUSDT", "BUY", "0.1", "59000", timeInForce="GTC", positionSide="LONG")
    place(desk, "alice", body, f"{V3}/sim/order")
    (found,) = ok(desk.alice.get(f"{V3}/openOrders?symbol=BTCSUSDT"))
    assert found["symbol"] == "BTCSUSDT"
    listed = ok(desk.alice.get(f"{V3}/openOrders"))
    assert {row["symbol"] for row in listed} == {"BTCUSDT"}
    assert desk.alice.delete(f"{V3}/order?orderId={found['orderId']}").status == 200
    for path in (f"{V3}/sim/order/history", f"{V3}/order/history?symbol=BTCSUSDT"):
        (ended, *_) = ok(desk.alice.get(path))
        assert (ended["orderId"], ended["status"]) == (found["orderId"], "CANCELED")
    symbols = {row["symbol"] for row in ok(desk.alice.get(f"{V3}/order/history"))}
    assert symbols == {"BTCUSDT", "ETHUSDT"}
    stop = body | {"type": "STOP_MARKET", "price": "", "timeInForce": "", "clientAlgoId": "demo"}
    place(desk, "alice", stop | {"triggerPrice": "61000"}, f"{V3}/algoOrder")
    (waiting,) = ok(desk.alice.get(f"{V3}/openAlgoOrders?symbol=BTCSUSDT"))
    assert (waiting["symbol"], waiting["clientAlgoId"]) == ("BTCSUSDT", "demo")
    listed = ok(desk.alice.get(f"{V3}/openAlgoOrders"))
    assert {row["symbol"] for row in listed} == {"BTCUSDT"}
    assert desk.alice.delete(f"{V3}/algoOrder?origClientOrderId=demo").status == 200
    assert {item["asset"] for item in income(desk)["items"]} == {"USDT"}
    assert {item["asset"] for item in income(desk, asset="SUSDT")["items"]} == {"SUSDT"}
    refused(desk.alice.get(f"{V3}/sim/order/history?symbol=BTCUSDT"), -1121, "'symbol'")
    (demo,) = ok(desk.alice.get(f"{V3}/sim/balance"))
    assert demo["asset"] == "SUSDT"
