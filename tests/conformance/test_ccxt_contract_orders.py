"""A stock ccxt client cancels, closes, has orders wait for prices; the test's sums follow it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import ccxt
import pytest

from support.contract_session import (
    BTC,
    ETH,
    POLLS_MAX,
    SOL,
    SWAP,
    TRADERS,
    ContractSession,
    average,
    played,
)
from support.contract_sums import Order
from support.stock import number

TRIGGER = {"trigger": True}
NEW_INDEX = Decimal("148.5")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractSession]:
    with played(tmp_path_factory.mktemp("contract-orders")) as desk:
        yield desk


def check_account(desk: ContractSession, owner: str) -> None:
    """Balance and positions against the sums, at the marks the session has set."""
    sums = desk.sums
    balance = desk.ask(owner, "fetch_balance", SWAP)["USDT"]
    found = {name: number(balance[name]) for name in ("free", "used", "total")}
    assert found == {
        "free": sums.available(owner),
        "used": sums.frozen(owner),
        "total": sums.equity(owner),
    }
    rows = desk.ask(owner, "fetch_positions")
    assert [
        (row["symbol"], row["side"], number(row["contracts"]), number(row["unrealizedPnl"]))
        for row in rows
    ] == [(p.symbol, p.side, p.size, p.profit(sums.marks[p.symbol])) for p in sums.held(owner)]
    for symbol in (BTC, ETH, SOL):
        open_orders = desk.ask(owner, "fetch_open_orders", symbol)
        expected = [order.id for order in sums.of(owner, symbol) if order.open]
        assert sorted(row["id"] for row in open_orders) == expected


def waiting(desk: ContractSession, owner: str, symbol: str = SOL) -> list[dict[str, Any]]:
    """An owner's waiting conditional orders, oldest first."""
    rows = desk.ask(owner, "fetch_open_orders", symbol, None, None, dict(TRIGGER))
    return sorted(rows, key=lambda row: int(row["id"]))


def ended(desk: ContractSession, owner: str, order_id: str) -> dict[str, Any]:
    rows = desk.ask(owner, "fetch_canceled_and_closed_orders", SOL)
    (found,) = [row for row in rows if row["id"] == order_id]
    return dict(found)


def past(desk: ContractSession, owner: str, algo_id: str) -> dict[str, Any]:
    """A conditional order that waits no more; the unified methods do not show these."""
    rows = desk.ask(owner, "contractPrivateGetCapiV3AllAlgoOrders", {"symbol": "SOLUSDT"})
    (found,) = [row for row in rows["orders"] if str(row["algoId"]) == algo_id]
    return dict(found)


def became(desk: ContractSession, owner: str, algo_id: str) -> dict[str, Any]:
    """The order that a conditional one has become."""
    algo = past(desk, owner, algo_id)
    assert algo["algoStatus"] == "TRIGGERED"
    return ended(desk, owner, str(algo["actualOrderId"]))


def check_triggered(
    found: dict[str, Any], order: Order, kind: str, trigger: str, source: str = "CONTRACT_PRICE"
) -> None:
    """Check the order that a conditional order became, as the history of orders tells it."""
    order.id = found["id"]
    raw = found["info"]
    assert (found["status"], raw["status"]) == ("closed", order.status)
    assert (raw["type"], raw["workingType"]) == (kind, source)
    assert (found["side"], found["reduceOnly"]) == (order.side, not order.opens)
    assert number(found["triggerPrice"]) == Decimal(trigger)
    assert number(found["amount"]) == number(found["filled"]) == order.quantity
    assert (number(found["cost"]), number(found["average"])) == (order.quote, average(order))


# -- conditional orders ---------------------------------------------------------------------------


def test_attached_exits_wait_once_something_is_open(desk: ContractSession) -> None:
    exits: dict[str, Any] = {
        "takeProfit": {"triggerPrice": 160},
        "stopLoss": {"triggerPrice": 140.125, "triggerPriceType": "mark"},
    }
    parent = desk.quick("s1", "alice", SOL, "buy", "10", "152", **exits)
    assert waiting(desk, "alice") == []
    desk.quick("s2", "bob", SOL, "sell", "10", trades=(("s1", "10"),))
    take, stop = waiting(desk, "alice")
    assert (take["takeProfitPrice"], take["stopLossPrice"]) == (160, None)
    assert (stop["takeProfitPrice"], stop["stopLossPrice"]) == (None, 140.125)
    for row, kind, source in (
        (take, "TAKE_PROFIT_MARKET", "CONTRACT_PRICE"),
        (stop, "STOP_MARKET", "MARK_PRICE"),
    ):
        raw = row["info"]
        assert (row["symbol"], row["type"], row["side"], row["status"]) == (
            SOL, "market", "sell", "open",
        )  # fmt: skip
        assert (row["amount"], row["reduceOnly"]) == (10, True)
        assert (raw["orderType"], raw["workingType"]) == (kind, source)
        assert (raw["positionSide"], str(raw["actualOrderId"])) == ("LONG", parent.id)
    check_account(desk, "alice")


def test_stand_alone_conditional_orders_wait(desk: ContractSession) -> None:
    entry = desk.ask("alice", "create_order", SOL, "market", "buy", 5, None, {"triggerPrice": 155})
    stop = desk.ask(
        "bob", "create_order", SOL, "limit", "buy", 4, 159, {"stopLossPrice": 158}
    )  # fmt: skip
    take = desk.ask(
        "bob", "create_order", SOL, "market", "buy", 3, None,
        {"takeProfitPrice": 145, "takeProfitPriceType": "mark"},
    )  # fmt: skip
    found = waiting(desk, "alice")[-1]
    assert (found["id"], found["clientOrderId"]) == (entry["id"], entry["clientOrderId"])
    assert (found["side"], found["amount"], found["triggerPrice"]) == ("buy", 5, 155)
    assert (found["reduceOnly"], found["stopLossPrice"]) == (False, None)
    first, second = waiting(desk, "bob")
    assert [first["id"], second["id"]] == [stop["id"], take["id"]]
    assert (first["type"], first["price"], first["stopLossPrice"]) == ("limit", 159, 158)
    assert (second["type"], second["takeProfitPrice"]) == ("market", 145)
    assert [row["info"]["workingType"] for row in (first, second)] == [
        "CONTRACT_PRICE",
        "MARK_PRICE",
    ]
    assert {row["info"]["positionSide"] for row in (first, second)} == {"SHORT"}
    canceled = desk.ask("bob", "cancel_order", take["id"], SOL, dict(TRIGGER))
    assert (canceled["id"], canceled["status"]) == (take["id"], "canceled")
    assert [row["id"] for row in waiting(desk, "bob")] == [stop["id"]]
    for owner in TRADERS:
        check_account(desk, owner)  # waiting conditional orders hold no money


def test_a_trade_triggers_an_entry(desk: ContractSession) -> None:
    entry = waiting(desk, "alice")[-1]
    desk.quick("s3", "bob", SOL, "sell", "6", "156")
    desk.quick("s4", "carol", SOL, "buy", "1", trades=(("s3", "1"),))
    assert entry["id"] not in {row["id"] for row in waiting(desk, "alice")}
    order = desk.followed("s5", "alice", SOL, "buy", "5", (("s3", "5"),), opens=True)
    check_triggered(became(desk, "alice", entry["id"]), order, "STOP_MARKET", "155")
    for owner in TRADERS:
        check_account(desk, owner)


def test_a_trade_triggers_a_stop(desk: ContractSession) -> None:
    (stop,) = waiting(desk, "bob")
    desk.quick("s6", "alice", SOL, "sell", "5", "158.5")
    desk.quick("s7", "carol", SOL, "buy", "1", trades=(("s6", "1"),))
    assert waiting(desk, "bob") == []
    order = desk.followed("s8", "bob", SOL, "buy", "4", (("s6", "4"),), price="159")
    found = became(desk, "bob", stop["id"])
    check_triggered(found, order, "STOP", "158")
    assert (found["price"], found["stopLossPrice"]) == (159, 158)
    for owner in TRADERS:
        check_account(desk, owner)


def test_one_exit_cancels_the_other(desk: ContractSession) -> None:
    take, stop = waiting(desk, "alice")
    desk.quick("s9", "bob", SOL, "buy", "12", "160.5")
    desk.quick("s10", "carol", SOL, "sell", "1", trades=(("s9", "1"),), opens=False)
    assert waiting(desk, "alice") == []
    order = desk.followed("s11", "alice", SOL, "sell", "10", (("s9", "10"),))
    check_triggered(became(desk, "alice", take["id"]), order, "TAKE_PROFIT_MARKET", "160")
    assert past(desk, "alice", stop["id"])["algoStatus"] == "CANCELED"
    desk.cancel("s9")
    for owner in TRADERS:
        check_account(desk, owner)


def test_the_mark_triggers_a_stop(desk: ContractSession) -> None:
    params = {"stopLossPrice": 149, "stopLossPriceType": "mark"}
    stop = desk.ask("alice", "create_order", SOL, "market", "sell", 5, None, params)
    desk.quick("s12", "bob", SOL, "buy", "6", "148")
    desk.operate("/_venue/contracts/change", {"symbol": "SOLUSDT", "indexStepRate": "0.006"})
    desk.index(SOL, NEW_INDEX)
    for _ in range(POLLS_MAX):
        if not waiting(desk, "alice"):
            break
    desk.sums.marks[SOL] = NEW_INDEX
    assert desk.ask("alice", "fetch_mark_price", SOL)["markPrice"] == float(NEW_INDEX)
    order = desk.followed("s13", "alice", SOL, "sell", "5", (("s12", "5"),))
    found = became(desk, "alice", stop["id"])
    check_triggered(found, order, "STOP_MARKET", "149", "MARK_PRICE")
    for owner in TRADERS:
        check_account(desk, owner)


def test_exits_of_an_entry(desk: ContractSession) -> None:
    """A conditional order that opens a position can have exits of its own."""
    params = {
        "triggerPrice": 161,
        "takeProfit": {"triggerPrice": 170},
        "stopLoss": {"triggerPrice": 155},
    }
    desk.ask("alice", "create_order", SOL, "limit", "buy", 2, 162, params)
    (found,) = waiting(desk, "alice")
    assert (found["triggerPrice"], found["price"], found["reduceOnly"]) == (161, 162, False)
    assert (found["takeProfitPrice"], found["stopLossPrice"]) == (170, 155)
    desk.ask("alice", "create_order", BTC, "market", "buy", 1, None, {"triggerPrice": 70_000})
    canceled = desk.ask("alice", "cancel_all_orders", SOL, dict(TRIGGER))
    assert [row["id"] for row in canceled] == [found["id"]]
    assert len(waiting(desk, "alice", BTC)) == 1
    canceled = desk.ask("alice", "cancel_all_orders", None, {**SWAP, **TRIGGER})
    assert [row["status"] for row in canceled] == ["canceled"]
    assert waiting(desk, "alice", BTC) == []
    check_account(desk, "alice")


# -- cancel ---------------------------------------------------------------------------------------


def test_cancels_release_what_was_held(desk: ContractSession) -> None:
    labels = [f"ladder{step}" for step in range(8)]
    for step, label in enumerate(labels):
        desk.quick(label, "bob", SOL, "buy", "1.5", str(Decimal("147.001") - step))
    orders = [desk.sums.orders[label] for label in labels]
    check_account(desk, "bob")
    canceled = desk.cancel("ladder0")
    assert (canceled["id"], canceled["clientOrderId"]) == (orders[0].id, orders[0].client_id)
    assert canceled["status"] == "canceled"
    check_account(desk, "bob")
    params = {"clientOrderId": orders[1].client_id}
    canceled = desk.ask("bob", "cancel_order", None, SOL, params)
    assert canceled["id"] == orders[1].id
    several = [orders[2].id, orders[3].id]
    found = desk.ask("bob", "cancel_orders", several, SOL)
    assert [(row["id"], row["status"]) for row in found] == [(i, "canceled") for i in several]
    names = [orders[5].client_id, orders[4].client_id]
    found = desk.ask("bob", "cancel_orders", None, SOL, {"clientOrderIds": names})
    assert [row["id"] for row in found] == [orders[5].id, orders[4].id]
    for order in orders[1:6]:
        order.canceled = True
    check_account(desk, "bob")
    left = [order.id for order in desk.sums.of("bob", SOL) if order.open]
    found = desk.ask("bob", "cancel_all_orders", SOL)
    assert sorted(row["id"] for row in found) == left
    for order in desk.sums.of("bob", SOL):
        order.canceled = order.canceled or order.open
    for order in orders:
        assert desk.ask("bob", "fetch_order", order.id, SOL)["status"] == "canceled"
    check_account(desk, "bob")
    left = [o.id for o in desk.sums.orders.values() if o.owner == "bob" and o.open]
    assert left
    found = desk.ask("bob", "cancel_all_orders", None, dict(SWAP))
    assert sorted(row["id"] for row in found) == left
    for order in desk.sums.orders.values():
        order.canceled = order.canceled or (order.owner == "bob" and order.open)
    check_account(desk, "bob")


def test_one_client_id_is_one_order(desk: ContractSession) -> None:
    params: dict[str, Any] = {"clientOrderId": "the.one:order/of-mine_1"}
    order = desk.quick("once", "bob", SOL, "buy", "2", "146.5", **params)
    again = desk.ask("bob", "create_order", SOL, "limit", "buy", 2, 146.5, dict(params))
    assert (again["id"], again["clientOrderId"]) == (order.id, params["clientOrderId"])
    found = desk.ask("bob", "fetch_order", order.id, SOL, dict(params))
    assert (found["id"], found["clientOrderId"]) == (order.id, params["clientOrderId"])
    check_account(desk, "bob")
    desk.cancel("once")
    check_account(desk, "bob")


# -- leverage and modes ---------------------------------------------------------------------------


def test_leverage_of_open_positions_and_orders(desk: ContractSession) -> None:
    """It changes what positions and orders hold, in one step."""
    reply = desk.ask("alice", "set_leverage", 8, BTC)
    assert reply == {
        "symbol": "BTCUSDT",
        "marginType": "CROSSED",
        "crossLeverage": "8",
        "isolatedLongLeverage": "0",
        "isolatedShortLeverage": "0",
    }
    sums = desk.sums
    sums.leverages["alice", BTC] = 8
    for position in sums.held("alice", BTC):
        position.leverage = 8
    for order in sums.of("alice", BTC):
        if order.open and order.opens:
            sums.margin_anew(order)
    check_account(desk, "alice")
    params = {"isolatedLongLeverage": 7, "isolatedShortLeverage": 3}
    reply = desk.ask("carol", "set_leverage", 1, SOL, params)
    assert (reply["isolatedLongLeverage"], reply["isolatedShortLeverage"]) == ("7", "3")
    found = desk.ask("carol", "fetch_leverage", SOL)
    assert (found["longLeverage"], found["marginMode"]) == (20, "cross")


def test_margin_mode_and_position_mode(desk: ContractSession) -> None:
    for hedged, mode in ((True, "isolated"), (False, "cross")):
        params = {"marginMode": mode}
        reply = desk.ask("carol", "set_position_mode", hedged, ETH, dict(params))
        assert (reply["code"], reply["msg"]) == ("200", "success")
        assert desk.ask("carol", "fetch_position_mode", ETH)["hedged"] is hedged
        assert desk.ask("carol", "fetch_margin_mode", ETH)["marginMode"] == mode
    desk.ask("carol", "set_margin_mode", "isolated", ETH)
    desk.ask("carol", "set_leverage", 4, ETH, {"marginMode": "isolated"})
    found = desk.ask("carol", "fetch_leverage", ETH)
    assert (found["marginMode"], found["longLeverage"], found["shortLeverage"]) == (
        "isolated", 4, 4,
    )  # fmt: skip


def test_separated_positions(desk: ContractSession) -> None:
    """Each opening order has a position of its own, and its own money in isolated mode."""
    sums = desk.sums
    desk.ask("carol", "set_position_mode", True, ETH, {"marginMode": "isolated"})
    sums.separated.add(("carol", ETH))
    sums.isolated.add(("carol", ETH))
    sums.leverages["carol", ETH] = 4
    desk.quick("g1", "bob", ETH, "sell", "0.0050", "3409.93")
    openers = [
        desk.quick(label, "carol", ETH, "buy", size, trades=(("g1", size),)).id
        for label, size in (("g2", "0.0020"), ("g3", "0.0030"))
    ]
    rows = desk.ask("carol", "fetch_positions", [ETH])
    assert [str(row["info"]["separatedOpenOrderId"]) for row in rows] == openers
    assert [row["hedged"] for row in rows] == [True, True]
    check_account(desk, "carol")
    desk.quick("g4", "bob", ETH, "buy", "0.0015", "3401.23", opens=False)
    desk.quick(
        "g5", "carol", ETH, "sell", "0.0015", trades=(("g4", "0.0015"),), opens=False,
        closes=openers[1], positionId=rows[1]["id"],
    )  # fmt: skip
    for owner in ("bob", "carol"):
        check_account(desk, owner)
    params = {"reduceOnly": True}
    with pytest.raises(ccxt.ExchangeError, match="Position ID missing"):
        desk.ask("carol", "create_order", ETH, "limit", "sell", 0.001, 3_500, params)


# -- close ----------------------------------------------------------------------------------------


def test_close_position(desk: ContractSession) -> None:
    """An isolated one: its collateral goes back to the other money."""
    desk.cancel("e1")
    desk.quick("e5", "bob", ETH, "buy", "3", "3404.44")
    (position,) = desk.sums.held("alice", ETH)
    size = str(position.size)
    closed = desk.ask("alice", "close_position", ETH)
    order = desk.followed("e6", "alice", ETH, "sell", size, (("e5", size),))
    order.id = closed["id"]
    found = desk.ask("alice", "fetch_order", order.id, ETH)
    assert (found["status"], found["type"], found["reduceOnly"]) == ("closed", "market", True)
    assert (number(found["filled"]), number(found["cost"])) == (order.executed, order.quote)
    assert desk.ask("alice", "fetch_position", ETH) is None
    assert desk.ask("alice", "close_all_positions", {"symbol": "ETHUSDT"}) == []
    for owner in TRADERS:
        check_account(desk, owner)


def test_close_all_positions(desk: ContractSession) -> None:
    """Each at market, the oldest first; bob has five of them in three contracts."""
    desk.cancel("e5")
    for symbol, size, bid, ask in (
        (BTC, "1", "63990", "64010"), (ETH, "5", "3395", "3405"), (SOL, "50", "148", "149"),
    ):  # fmt: skip
        desk.quick(f"ask {symbol}", "alice", symbol, "sell", size, ask)
        desk.quick(f"bid {symbol}", "alice", symbol, "buy", size, bid)
    before = desk.ask("bob", "fetch_positions")
    closed = desk.ask("bob", "close_all_positions")
    assert [row["id"] for row in closed] == [row["id"] for row in before]
    held = desk.sums.held("bob")
    assert len(closed) == len(held) >= 5
    for row, position in zip(closed, held, strict=True):
        assert row["info"]["success"] is True
        side, other = ("sell", "bid") if position.side == "long" else ("buy", "ask")
        trades = ((f"{other} {position.symbol}", str(position.size)),)
        label = f"close {row['id']}"
        order = desk.followed(label, "bob", position.symbol, side, str(position.size), trades)
        order.id = str(row["info"]["successOrderId"])
        found = desk.ask("bob", "fetch_order", order.id, position.symbol)
        assert number(found["cost"]) == order.quote
    assert desk.ask("bob", "fetch_positions") == []
    balance = desk.ask("bob", "fetch_balance", SWAP)["USDT"]
    assert number(balance["free"]) == number(balance["total"]) == desk.sums.wallet("bob")
    for owner in TRADERS:
        check_account(desk, owner)
