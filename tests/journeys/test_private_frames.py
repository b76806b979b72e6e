"""Private frames of real engines: the exact life cycles of a spot order and a contract position."""

from __future__ import annotations

from typing import Any

import pytest

from support.contract_world import SYMBOL, ContractWorld
from support.private_room import Room, items_of, only
from support.world import BUY, CONTRACT, FOK, FUNDING, ID, IOC, SELL, SPOT, World
from venue.core.messages import commands
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Exit
from venue.recording.frames import ITEMS_MAX, PrivateFrames
from venue.vocabulary import LIMIT, LONG, MARKET, SHORT

BTC_HELD = 10**7  # `World` gives each owner so many whole units
NO_REASON = "UNKNOWN_ORDER_CANCEL_REASON"
RESERVED = (1, 2)

SPOT_ORDER: dict[str, Any] = {
    "id": str(ID),
    "symbol": "BTCUSDT",
    "baseCoin": "BTC",
    "quoteCoin": "USDT",
    "orderSide": "BUY",
    "price": "1.00",
    "size": "0.0010",
    "value": "0",
    "clientOrderId": "own",
    "type": "LIMIT",
    "timeInForce": "GTC",
    "reduceOnly": False,
    "triggerPrice": "0",
    "orderSource": "API",
    "openTpslParentOrderId": "0",
    "setOpenTp": False,
    "setOpenSl": False,
    "takerFeeRate": "0.002",
    "makerFeeRate": "0.001",
    "feeDiscount": "1",
    "takerFeeDiscount": "1",
    "makerFeeDiscount": "1",
    "status": "NEW",
    "triggerTime": "0",
    "triggerPriceTime": "0",
    "triggerPriceValue": "0",
    "cancelReason": NO_REASON,
    "latestFillPrice": "0",
    "maxFillPrice": "0",
    "minFillPrice": "0",
    "cumFillSize": "0.0000",
    "cumFillValue": "0.00000000",
    "cumFillFee": "0.00000000",
    "createdTime": "1000",
    "updatedTime": "1000",
}
CONTRACT_ORDER: dict[str, Any] = {
    "coin": "QQQ",
    "symbol": SYMBOL,
    "marginMode": "CROSSED",
    "separatedMode": "COMBINED",
    "separatedOpenOrderId": "0",
    "positionSide": "LONG",
    "orderSide": "BUY",
    "price": "1000",
    "size": "10",
    "type": "LIMIT",
    "timeInForce": "GTC",
    "reduceOnly": False,
    "triggerPrice": "0",
    "triggerPriceType": "UNKNOWN_PRICE_TYPE",
    "orderSource": "API",
    "openTpslParentOrderId": "0",
    "positionTpsl": False,
    "setOpenTp": False,
    "setOpenSl": False,
    "leverage": "20",
    "takerFeeRate": "0.0005",
    "makerFeeRate": "0.0002",
    "feeDiscount": "1",
    "liquidateFeeRate": "0.005",
    "status": "NEW",
    "triggerTime": "0",
    "triggerPriceTime": "0",
    "triggerPriceValue": "0",
    "cancelReason": NO_REASON,
    "latestFillPrice": "0",
    "maxFillPrice": "0",
    "minFillPrice": "0",
    "cumFillSize": "0",
    "cumFillValue": "0",
    "cumFillFee": "0",
    "cumLiquidateFee": "0",
    "cumRealizePnl": "0",
}
MONEY: dict[str, Any] = {
    "coin": "QQQ",
    "marginMode": "CROSSED",
    "crossSymbol": "0",
    "isolatedPositionId": "0",
    "pendingDepositAmount": "0",
    "pendingWithdrawAmount": "0",
    "pendingTransferInAmount": "0",
    "pendingTransferOutAmount": "0",
    "liquidating": False,
    "cumDepositAmount": "0",
    "cumWithdrawAmount": "0",
    "cumTransferInAmount": "0",
    "cumTransferOutAmount": "0",
    "cumMarginMoveInAmount": "0",
    "cumMarginMoveOutAmount": "0",
    "cumPositionOpenLongAmount": "0",
    "cumPositionOpenShortAmount": "0",
    "cumPositionCloseLongAmount": "0",
    "cumPositionCloseShortAmount": "0",
    "cumPositionFillFeeAmount": "0",
    "cumPositionLiquidateFeeAmount": "0",
    "cumPositionFundingAmount": "0",
    "cumOrderFillFeeIncomeAmount": "0",
    "cumOrderLiquidateFeeIncomeAmount": "0",
}
LONG_POSITION: dict[str, Any] = {
    "coin": "QQQ",
    "symbol": SYMBOL,
    "side": "LONG",
    "marginMode": "CROSSED",
    "separatedMode": "COMBINED",
    "separatedOpenOrderId": "0",
    "leverage": "20",
    "size": "10",
    "openValue": "10000",
    "openFee": "2",
    "fundingFee": "0",
    "isolatedMargin": "0",
    "autoAppendIsolatedMargin": False,
    "cumOpenSize": "10",
    "cumOpenValue": "10000",
    "cumOpenFee": "2",
    "cumCloseSize": "0",
    "cumCloseValue": "0",
    "cumCloseFee": "0",
    "cumFundingFee": "0",
    "cumLiquidateFee": "0",
    "createdMatchSequenceId": str(ID),
    "updatedMatchSequenceId": str(ID),
}


def coin(name: str, available: int, frozen: int = 0) -> dict[str, str]:
    """A spot account item; amounts are atoms beyond what `World` gives."""
    texts = [
        f"{BTC_HELD * 10**8 * (place < 2) + atoms:09d}"
        for place, atoms in enumerate((available + frozen, available, frozen))
    ]
    equity, free, held = (f"{text[:-8]}.{text[-8:]}" for text in texts)
    return {"coin": name, "equity": equity, "available": free, "frozen": held}


# -- spot -----------------------------------------------------------------------------------------


def spot_room(*names: str, self_trade: int = 0) -> tuple[World, Room]:
    world = World(*names, self_trade=self_trade)
    world.time = 1_000_000
    return world, Room(world)


def test_the_life_of_a_spot_order() -> None:
    world, room = spot_room("ann", "ben")
    placed = room.say(world.command("ann", BUY, 10, 100, client_id="own"))
    assert placed == [
        ("ann", "orders", "OrderUpdate", [SPOT_ORDER]),
        ("ann", "account", "OrderUpdate", [coin("USDT", -100_000, 100_000)]),
    ]
    world.time = 2_000_999
    # Four lots at 1.00: 0.0004 USDT; the seller pays 0.2 % of it, the buyer 0.1 % of 0.0004 BTC.
    part = {
        "latestFillPrice": "1.00", "maxFillPrice": "1.00", "minFillPrice": "1.00",
        "cumFillSize": "0.0004", "cumFillValue": "0.00040000", "updatedTime": "2000",
    }  # fmt: skip
    bought = SPOT_ORDER | part | {"status": "PARTIALLY_FILLED", "cumFillFee": "0.00000040"}
    sold = SPOT_ORDER | part | {
        "id": str(ID + 1), "clientOrderId": f"v-{ID + 1}", "orderSide": "SELL", "size": "0.0004",
        "status": "FILLED", "cumFillFee": "0.00000080", "createdTime": "2000",
    }  # fmt: skip
    fill = {
        "id": str(ID), "symbol": "BTCUSDT", "baseCoin": "BTC", "quoteCoin": "USDT",
        "fillSize": "0.0004", "fillValue": "0.00040000", "createdTime": "2000",
        "updatedTime": "2000",
    }  # fmt: skip
    maker = fill | {"orderId": str(ID), "orderSide": "BUY", "fillFee": "0.00000040",
                    "direction": "MAKER"}  # fmt: skip
    taker = fill | {"orderId": str(ID + 1), "orderSide": "SELL", "fillFee": "0.00000080",
                    "direction": "TAKER"}  # fmt: skip
    assert room.say(world.command("ben", SELL, 4, 100)) == [
        ("ben", "orders", "OrderUpdate", [sold]),
        ("ann", "orders", "OrderUpdate", [bought]),
        ("ben", "fill", "OrderUpdate", [taker]),
        ("ann", "fill", "OrderUpdate", [maker]),
        ("ben", "account", "OrderUpdate", [coin("BTC", -40_000), coin("USDT", 39_920)]),
        ("ann", "account", "OrderUpdate", [coin("BTC", 39_960), coin("USDT", -100_000, 60_000)]),
    ]
    ended = bought | {"status": "CANCELED", "cancelReason": "USER_CANCELED", "updatedTime": "3000"}
    world.time = 3_000_000
    assert room.say(commands.CancelOrder(world.uids["ann"], 0, "own")) == [
        ("ann", "orders", "OrderUpdate", [ended]),
        ("ann", "account", "OrderUpdate", [coin("USDT", -40_000)]),
    ]
    assert room.say(commands.CancelOrder(world.uids["ann"], 0, "own")) == []


@pytest.mark.parametrize(
    ("quantity", "price", "tif", "status", "executed"),
    [
        (8, 100, IOC, "CANCELED", "0.0005"),
        (8, 100, FOK, "EXPIRED", "0.0000"),
        (8, 0, IOC, "CANCELED", "0.0005"),
        (8, 101, IOC, "EXPIRED", "0.0000"),
    ],
)
def test_what_ends_at_once_is_told_once(
    quantity: int, price: int, tif: int, status: str, executed: str
) -> None:
    world, room = spot_room("ann", "ben")
    world.rest("ann", BUY, 5, 100)
    room = Room(world)
    told = room.say(world.command("ben", SELL, quantity, price, tif))
    (order,) = only(told, "ben", "orders")
    assert (order["status"], order["cumFillSize"]) == (status, executed)
    assert order["cancelReason"] == "COULD_NOT_FILL"
    assert order["type"] == ("LIMIT" if price else "MARKET")
    assert order["price"] == (f"{price / 100:.2f}" if price else "0")


def test_self_trade_prevention_names_its_victim() -> None:
    world, room = spot_room("ann", self_trade=2)
    room.say(world.command("ann", BUY, 5, 100))
    first, second = only(room.say(world.command("ann", SELL, 5, 100)), "ann", "orders")
    assert (first["id"], first["status"]) == (str(ID + 1), "NEW")
    assert (second["id"], second["status"]) == (str(ID), "EXPIRED")
    assert second["cancelReason"] == "EXPIRE_CANCELED"


def test_money_says_which_way_it_went() -> None:
    world, room = spot_room("ann")
    uid = world.uids["ann"]
    room.say(commands.CreateOwner("nobody"))
    assert room.say(commands.Deposit(uid, SPOT, "BTC", 5)) == [
        ("ann", "account", "DepositUpdate", [coin("BTC", 5)])
    ]
    assert room.say(commands.Withdraw(uid, SPOT, "BTC", 7)) == [
        ("ann", "account", "WithdrawUpdate", [coin("BTC", -2)])
    ]
    assert room.say(commands.Transfer(uid, SPOT, FUNDING, "BTC", 3)) == [
        ("ann", "account", "WithdrawUpdate", [coin("BTC", -5)])
    ]
    told = room.say(commands.Transfer(uid, SPOT, CONTRACT, "BTC", 100))
    assert [frame[:3] for frame in told] == [
        ("ann", "account", "WithdrawUpdate"),
        ("ann", "account", "DepositUpdate"),
    ]
    (spot,), (contract,) = (frame[3] for frame in told)
    assert spot == coin("BTC", -105)
    assert contract["amount"] == contract["legacyAmount"] == "0.00000100"
    assert contract["cumTransferInAmount"] == "0.00000100"
    assert room.say(commands.Deposit(uid, FUNDING, "BTC", 5)) == []
    assert room.say(commands.Withdraw(uid, SPOT, "BTC", 10**18)) == []


def test_a_long_sweep_makes_several_frames() -> None:
    world, room = spot_room("ann", "ben")
    for number in range(ITEMS_MAX + 1):
        world.rest("ann", BUY, 2, 100 - number // 60)
    room = Room(world)
    told = room.say(world.command("ben", SELL, 2 * ITEMS_MAX + 2, 95))
    sizes = [len(items) for name, channel, _, items in told if (name, channel) == ("ann", "fill")]
    assert sizes == [ITEMS_MAX, 1]
    assert len({item["orderId"] for item in only(told, "ann", "fill")}) == ITEMS_MAX + 1


def test_who_does_not_listen_is_told_nothing_and_may_listen_later() -> None:
    world = World("ann", "ben")
    heard: list[int] = []
    frames = PrivateFrames(world.engine, heard.__contains__)
    for command in (world.command("ann", BUY, 10, 100), world.command("ben", SELL, 4, 100)):
        events = world.apply(command)
        assert frames.frames(Applied(world.engine.sequence, world.time, command, events)) == []
    heard.append(world.uids["ann"])
    frames.changes.take_up(world.account("ann"))
    command = world.command("ben", SELL, 5, 100)
    events = world.apply(command)
    told = frames.frames(Applied(world.engine.sequence, world.time, command, events))
    assert {frame.uid for frame in told} == {world.uids["ann"]}
    (item,) = items_of(told[0])
    # 9 of 10 were filled; the fee and the prices are known of the 5 since then.
    assert (item["cumFillSize"], item["cumFillFee"]) == ("0.0009", "0.00000050")


# -- contracts ------------------------------------------------------------------------------------


def contract_order(world: ContractWorld, name: str, **fields: Any) -> commands.PlaceContractOrder:
    """An order to buy 10 at 1,000 and open a long, but for what is named."""
    asked = {"side": BUY, "position_side": LONG, "type": LIMIT, "time_in_force": 0,
             "quantity": 10, "price": 1000} | fields  # fmt: skip
    return commands.PlaceContractOrder(world.uids[name], SYMBOL, **asked)


def taking(side: int, position_side: int, quantity: int = 10) -> dict[str, int]:
    """The fields of a market order."""
    return {"side": side, "position_side": position_side, "type": MARKET, "time_in_force": IOC,
            "quantity": quantity, "price": 0}  # fmt: skip


def test_the_life_of_a_contract_position() -> None:
    world = ContractWorld("ann", "ben")
    room = Room(world)
    times = {"createdTime": "1699974000000", "updatedTime": "1699974000000"}
    money = MONEY | times
    exits = {"take_profit": Exit(1_100, 0), "stop_loss": Exit(900, 1)}
    placed = CONTRACT_ORDER | times | {
        "id": str(ID), "clientOrderId": "own", "setOpenTp": True, "setOpenSl": True,
    }  # fmt: skip
    # Held: margin 500 and the taker's fee 5.
    assert room.say(contract_order(world, "ann", client_id="own", **exits)) == [
        ("ann", "orders", "OrderUpdate", [placed]),
        ("ann", "account", "OrderUpdate",
         [money | {"amount": "999495", "legacyAmount": "1000000"}]),
    ]  # fmt: skip
    filled = {"status": "FILLED", "latestFillPrice": "1000", "maxFillPrice": "1000",
              "minFillPrice": "1000", "cumFillSize": "10", "cumFillValue": "10000"}  # fmt: skip
    sold = CONTRACT_ORDER | times | filled | {
        "id": str(ID + 1), "clientOrderId": f"v-{ID + 1}", "orderSide": "SELL",
        "positionSide": "SHORT", "type": "MARKET", "timeInForce": "IOC", "price": "0",
        "cumFillFee": "5",
    }  # fmt: skip
    waiting = CONTRACT_ORDER | times | {
        "orderSide": "SELL", "reduceOnly": True, "price": "0", "timeInForce": "IOC",
        "openTpslParentOrderId": str(ID), "status": "UNTRIGGERED",
    }  # fmt: skip
    profit = waiting | {
        "id": str(ID + 4), "clientOrderId": f"v-{ID + 4}", "type": "TAKE_PROFIT_MARKET",
        "triggerPrice": "1100", "triggerPriceType": "CONTRACT_PRICE",
    }  # fmt: skip
    loss = waiting | {
        "id": str(ID + 5), "clientOrderId": f"v-{ID + 5}", "type": "STOP_MARKET",
        "triggerPrice": "900", "triggerPriceType": "MARK_PRICE",
    }  # fmt: skip
    fill = times | {
        "id": str(ID), "coin": "QQQ", "symbol": SYMBOL, "marginMode": "CROSSED",
        "separatedMode": "COMBINED", "separatedOpenOrderId": "0", "fillSize": "10",
        "fillValue": "10000", "liquidateFee": "0", "realizePnl": "0",
    }  # fmt: skip
    own = fill | {"orderId": str(ID), "positionSide": "LONG", "orderSide": "BUY", "fillFee": "2",
                  "direction": "MAKER"}  # fmt: skip
    others = fill | {"orderId": str(ID + 1), "positionSide": "SHORT", "orderSide": "SELL",
                     "fillFee": "5", "direction": "TAKER"}  # fmt: skip
    position = LONG_POSITION | times | {"id": str(ID + 3)}
    short = position | {"id": str(ID + 2), "side": "SHORT", "openFee": "5", "cumOpenFee": "5"}
    assert room.say(contract_order(world, "ben", **taking(SELL, SHORT))) == [
        ("ben", "orders", "OrderUpdate", [sold]),
        ("ann", "orders", "OrderUpdate", [placed | filled | {"cumFillFee": "2"}, profit, loss]),
        ("ben", "fill", "OrderUpdate", [others]),
        ("ann", "fill", "OrderUpdate", [own]),
        ("ben", "account", "OrderUpdate",
         [money | {"amount": "999495", "legacyAmount": "999995", "cumPositionFillFeeAmount": "5",
                   "cumPositionOpenShortAmount": "10000"}]),
        ("ann", "account", "OrderUpdate",
         [money | {"amount": "999498", "legacyAmount": "999998", "cumPositionFillFeeAmount": "2",
                   "cumPositionOpenLongAmount": "10000"}]),
        ("ben", "positions", "OrderUpdate", [short]),
        ("ann", "positions", "OrderUpdate", [position]),
    ]  # fmt: skip


def test_a_closed_position_has_size_0_and_its_exits_end() -> None:
    world = ContractWorld("ann", "ben")
    room = Room(world)
    room.say(contract_order(world, "ann", take_profit=Exit(1_100, 0)))
    room.say(contract_order(world, "ben", **taking(SELL, SHORT)))
    room.say(contract_order(world, "ben", side=BUY, position_side=SHORT, price=1_010))
    world.wait(1)
    told = room.say(contract_order(world, "ann", **taking(SELL, LONG)))
    closing, exit_ = only(told, "ann", "orders")
    assert (closing["status"], closing["reduceOnly"]) == ("FILLED", True)
    assert (closing["cumRealizePnl"], closing["cumFillFee"]) == ("100", "6")
    assert (exit_["type"], exit_["status"]) == ("TAKE_PROFIT_MARKET", "EXPIRED")
    assert exit_["cancelReason"] == "REDUCE_ONLY_CANCELED"
    (position,) = only(told, "ann", "positions")
    assert position == LONG_POSITION | {
        "id": str(ID + 3), "size": "0", "openValue": "0", "cumCloseSize": "10",
        "cumCloseValue": "10100", "cumCloseFee": "6", "updatedMatchSequenceId": str(ID + 1),
        "createdTime": "1699974000000", "updatedTime": "1699974001000",
    }  # fmt: skip
    (money,) = only(told, "ann", "account")
    assert money["legacyAmount"] == money["amount"] == "1000092"
    assert money["cumPositionCloseLongAmount"] == "10100"
    assert [item["realizePnl"] for item in only(told, "ben", "fill")] == ["-100"]
