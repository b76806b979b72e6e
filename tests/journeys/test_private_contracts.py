"""Private frames of contracts beyond a trade: triggers, funding, liquidations, modes, restarts."""

from __future__ import annotations

from typing import Any

from support.contract_world import (
    DAY_START,
    HOUR,
    MONEY,
    SECOND,
    SYMBOL,
    ContractWorld,
    isolated_world,
)
from support.private_room import Room, Told, only
from support.world import BUY, CONTRACT, GTC, SELL, SPOT
from venue.core.messages import commands
from venue.core.messages.commands import Exit
from venue.core.state import snapshot
from venue.core.units import FIRST_ID
from venue.vocabulary import (
    IOC,
    LIMIT,
    LONG,
    MARKET,
    SEPARATED,
    SHORT,
    AlgoType,
    MarginMode,
    PriceSource,
    Product,
)

STOP = int(AlgoType.STOP)
STOP_MARKET = int(AlgoType.STOP_MARKET)
TRAILING = int(AlgoType.TRAILING_STOP_MARKET)
MARK = int(PriceSource.MARK_PRICE)
DUE = DAY_START + 16 * HOUR


def order(
    world: ContractWorld, name: str, side: int, position_side: int, quantity: int, price: int,
    position_id: int = 0,
) -> commands.PlaceContractOrder:  # fmt: skip
    """A LIMIT order, or a MARKET order where the price is 0."""
    kind, tif = (LIMIT, GTC) if price else (MARKET, IOC)
    return commands.PlaceContractOrder(
        world.uids[name], SYMBOL, side, position_side, kind, tif, quantity, price,
        position_id=position_id,
    )  # fmt: skip


def conditional(
    world: ContractWorld, name: str, kind: int, quantity: int, trigger_price: int, price: int = 0
) -> commands.PlaceAlgo:
    """A conditional order that closes a long, by the mark."""
    return commands.PlaceAlgo(
        world.uids[name], SYMBOL, SELL, LONG, kind, quantity, trigger_price, price, MARK
    )


def parts(item: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(item[name] for name in names)


def traded(*others: str) -> tuple[ContractWorld, Room]:
    """`ann` is long 10 at 1,000, `ben` short."""
    world = ContractWorld("ann", "ben", *others)
    world.trade("ann", "ben", 10, 1000)
    return world, Room(world)


def test_a_triggered_stop_and_the_order_it_becomes() -> None:
    world, room = traded("cid")
    room.say(order(world, "cid", BUY, LONG, 4, 985))
    (waiting,) = only(room.say(conditional(world, "ann", STOP, 10, 990, 980)), "ann", "orders")
    shown = ("type", "status", "price", "size", "triggerPrice", "triggerTime", "timeInForce")
    assert parts(waiting, *shown) == ("STOP", "UNTRIGGERED", "980", "10", "990", "0", "GTC")
    assert parts(waiting, "triggerPriceType", "triggerPriceValue") == ("MARK_PRICE", "0")
    world.wait(1)
    told = room.say(commands.PostIndex(SYMBOL, "desk", 989, jump=True))
    at = str(world.time // 1000)
    entered, ended = only(told, "ann", "orders")
    assert parts(ended, "id", *shown) == (
        waiting["id"], "STOP", "TRIGGERED", "980", "10", "990", at, "GTC",
    )  # fmt: skip
    assert parts(entered, *shown) == ("STOP", "PARTIALLY_FILLED", "980", "10", "990", at, "GTC")
    assert parts(entered, "cumFillSize", "latestFillPrice") == ("4", "985")
    assert entered["triggerPriceValue"] == ended["triggerPriceValue"] == "990"
    assert entered["id"] != ended["id"]
    gone = commands.CancelContractOrder(world.uids["ann"], int(entered["id"]))
    (ended,) = only(room.say(gone), "ann", "orders")
    assert parts(ended, "type", "status", "cancelReason") == ("STOP", "CANCELED", "USER_CANCELED")


def test_a_stop_that_cannot_enter_expires() -> None:
    world, room = traded()
    (waiting,) = only(room.say(conditional(world, "ann", STOP_MARKET, 0, 990)), "ann", "orders")
    assert parts(waiting, "size", "positionTpsl", "reduceOnly") == ("0", True, True)
    (ended,) = only(room.say(commands.PostIndex(SYMBOL, "desk", 980, jump=True)), "ann", "orders")
    assert parts(ended, "id", "status", "cancelReason") == (
        waiting["id"], "EXPIRED", "COULD_NOT_FILL",
    )  # fmt: skip


def test_changes_and_ends_of_conditional_orders() -> None:
    world, room = traded()
    uid = world.uids["ann"]
    (waiting,) = only(room.say(conditional(world, "ann", STOP_MARKET, 10, 990)), "ann", "orders")
    number = int(waiting["id"])
    (changed,) = only(room.say(commands.ChangeAlgo(uid, number, 970, 960, MARK)), "ann", "orders")
    assert changed == waiting | {
        "type": "STOP", "triggerPrice": "970", "price": "960", "timeInForce": "GTC",
    }  # fmt: skip
    (ended,) = only(room.say(commands.CancelAlgo(uid, number)), "ann", "orders")
    assert ended == changed | {"status": "CANCELED", "cancelReason": "USER_CANCELED"}
    trailing = commands.PlaceAlgo(
        uid, SYMBOL, SELL, LONG, TRAILING, 0, 0, 0, MARK, callback_ppm=10_000
    )
    (waiting,) = only(room.say(trailing), "ann", "orders")
    assert parts(waiting, "type", "triggerPrice") == ("TRAILING_STOP_MARKET", "0")
    room.say(commands.PostIndex(SYMBOL, "desk", 1_001, jump=True))
    told = room.say(commands.PostIndex(SYMBOL, "desk", 980, jump=True))
    (ended,) = only(told, "ann", "orders")
    assert parts(ended, "status", "triggerPriceValue") == ("EXPIRED", ended["triggerPrice"])
    assert 985 < int(ended["triggerPrice"]) < 1_001


def test_a_triggered_exit_ends_its_sibling() -> None:
    world = ContractWorld("ann", "ben", "cid")
    room = Room(world)
    asked = order(world, "ann", BUY, LONG, 10, 1000)
    asked.take_profit, asked.stop_loss = Exit(1_100, MARK), Exit(990, MARK)
    room.say(asked)
    room.say(order(world, "ben", SELL, SHORT, 10, 0))
    room.say(order(world, "cid", BUY, LONG, 6, 985))
    told = room.say(commands.PostIndex(SYMBOL, "desk", 989, jump=True))
    by_type = {
        (item["type"], item["status"]): item["cancelReason"] for item in only(told, "ann", "orders")
    }
    assert by_type == {
        ("STOP_MARKET", "CANCELED"): "COULD_NOT_FILL",
        ("STOP_MARKET", "TRIGGERED"): "UNKNOWN_ORDER_CANCEL_REASON",
        ("TAKE_PROFIT_MARKET", "CANCELED"): "REDUCE_ONLY_CANCELED",
    }
    assert [item["size"] for item in only(told, "ann", "positions")] == ["4"]


# -- money ----------------------------------------------------------------------------------------


def causes(told: Told, name: str) -> list[tuple[str, str]]:
    return [(channel, cause) for owner, channel, cause, _ in told if owner == name]


def test_funding_names_itself() -> None:
    world, room = traded()
    world.time = DUE - 5 * SECOND
    room.say(commands.PostIndex(SYMBOL, "desk", 1_000, jump=True))
    room.say(commands.Tick())
    world.time = DUE
    room.say(commands.PostIndex(SYMBOL, "desk", 1_000, jump=True))
    told = room.say(commands.Tick())
    wanted = [("account", "PositionFundingSettle"), ("positions", "PositionFundingSettle")]
    assert causes(told, "ann") == causes(told, "ben") == wanted
    # 0.01 % of 10,000, and the first trade's fee.
    (money,) = only(told, "ann", "account")
    assert parts(money, "legacyAmount", "cumPositionFundingAmount") == ("999994", "-1")
    (position,) = only(told, "ann", "positions")
    assert parts(position, "fundingFee", "cumFundingFee", "size") == ("-1", "-1", "10")
    (money,) = only(told, "ben", "account")
    assert parts(money, "legacyAmount", "cumPositionFundingAmount") == ("999999", "1")


def test_deposits_and_transfers_of_the_contract_wallet() -> None:
    world, room = traded()
    uid = world.uids["ann"]
    told = room.say(commands.Deposit(uid, CONTRACT, "QQQ", 7))
    assert causes(told, "ann") == [("account", "DepositUpdate")]
    told += room.say(commands.Withdraw(uid, CONTRACT, "QQQ", 3))
    assert causes(told, "ann")[1:] == [("account", "WithdrawUpdate")]
    told = room.say(commands.Transfer(uid, CONTRACT, SPOT, "QQQ", 2))
    assert causes(told, "ann") == [("account", "DepositUpdate"), ("account", "WithdrawUpdate")]
    money = only(told, "ann", "account")[1]
    sums = ("cumDepositAmount", "cumWithdrawAmount", "cumTransferOutAmount", "legacyAmount")
    assert parts(money, *sums) == ("7", "3", "2", str(MONEY - 5 + 2))


def test_margin_moves_into_an_isolated_position() -> None:
    world = isolated_world()
    room = Room(world)
    uid, position = world.uids["ann"], world.position("ann")
    told = room.say(commands.MoveMargin(uid, position.position_id, 250))
    (item,) = only(told, "ann", "positions")
    assert parts(item, "marginMode", "isolatedMargin", "leverage") == ("ISOLATED", "750", "20")
    (money,) = only(told, "ann", "account")
    assert parts(money, "cumMarginMoveInAmount", "cumMarginMoveOutAmount") == ("250", "250")
    assert parts(money, "amount", "legacyAmount") == (str(MONEY - 505 - 250), str(MONEY - 5))
    told = room.say(commands.SetAutoMargin(uid, position.position_id, True))
    (item,) = only(told, "ann", "positions")
    assert item["autoAppendIsolatedMargin"] is True
    told = room.say(commands.SetLeverage(uid, SYMBOL, long=10))
    (item,) = only(told, "ann", "positions")
    assert item["leverage"] == "10"
    assert causes(told, "ann") == [("account", "OrderUpdate"), ("positions", "OrderUpdate")]


def test_separate_positions_know_the_order_that_opened_them() -> None:
    world = ContractWorld("ann", "ben")
    room = Room(world)
    uid = world.uids["ann"]
    room.say(commands.SetMarginMode(uid, SYMBOL, int(MarginMode.ISOLATED), SEPARATED))
    opened = only(room.say(order(world, "ann", BUY, LONG, 10, 1000)), "ann", "orders")[0]["id"]
    told = room.say(order(world, "ben", SELL, SHORT, 10, 0))
    (position,) = only(told, "ann", "positions")
    (own,) = only(told, "ann", "fill")
    asked = order(world, "ann", SELL, LONG, 10, 1_010, int(position["id"]))
    (closing,) = only(room.say(asked), "ann", "orders")
    told = room.say(order(world, "ben", BUY, SHORT, 10, 0))
    (ended,) = only(told, "ann", "positions")
    (left,) = only(told, "ann", "fill")
    for item in (position, own, closing, ended, left):
        assert parts(item, "marginMode", "separatedMode", "separatedOpenOrderId") == (
            "ISOLATED", "SEPARATED", opened,
        )  # fmt: skip
    assert ended["size"] == "0"


def test_a_liquidation_tells_its_fee_and_what_it_canceled() -> None:
    """Ann's pool is in danger at 959; cid buys part, the fund takes the rest over."""
    world = isolated_world("cid")
    room = Room(world)
    resting = order(world, "ann", SELL, LONG, 5, 1_040)
    room.say(resting)
    room.say(order(world, "cid", BUY, LONG, 6, 955))
    told = room.say(commands.PostIndex(SYMBOL, "desk", 959, jump=True))
    canceled, swept = only(told, "ann", "orders")
    assert parts(canceled, "status", "cancelReason") == ("CANCELED", "LIQUIDATE_CANCELED")
    assert parts(swept, "status", "cumFillSize", "cancelReason") == (
        "CANCELED", "6", "COULD_NOT_FILL",
    )  # fmt: skip
    book, outside = only(told, "ann", "fill")
    assert parts(book, "fillSize", "orderId") == ("6", swept["id"])
    # The taker's fee of 5,730 is 3, the liquidation's 0.5 % of it 29.
    assert parts(book, "fillFee", "liquidateFee") == ("32", "29")
    assert parts(swept, "cumFillFee", "cumLiquidateFee") == ("32", "29")
    assert parts(outside, "fillSize", "direction") == ("4", "TAKER")
    assert outside["fillFee"] == outside["liquidateFee"]
    (position,) = only(told, "ann", "positions")
    assert parts(position, "size", "marginMode") == ("0", "ISOLATED")
    (money,) = only(told, "ann", "account")
    fees = 29 + int(outside["liquidateFee"])
    assert money["cumPositionLiquidateFeeAmount"] == str(fees)
    assert {name for name, *_ in told} == {"ann", "cid"}


def test_a_countdown_cancels_in_the_owners_name() -> None:
    world, room = traded("cid")
    room.say(order(world, "cid", BUY, LONG, 4, 985))
    room.say(order(world, "ann", SELL, LONG, 3, 1015))
    room.say(order(world, "ann", BUY, LONG, 3, 980))
    room.say(conditional(world, "ann", STOP_MARKET, 10, 900))
    uid = world.uids["ann"]
    assert room.say(commands.SetCancelAfter(uid, int(Product.CONTRACT), 10 * SECOND)) == []
    world.wait(10)
    told = room.say(commands.Tick())
    shown = [parts(item, "type", "status", "cancelReason") for item in only(told, "ann", "orders")]
    assert shown == [("LIMIT", "CANCELED", "USER_CANCELED")] * 2
    assert only(told, "cid", "orders") == []


def test_what_shrinks_or_is_overtaken_is_told() -> None:
    world, room = traded("cid")
    (kept,) = only(room.say(order(world, "ann", SELL, LONG, 8, 1_040)), "ann", "orders")
    room.say(order(world, "cid", BUY, LONG, 6, 985))
    told = room.say(commands.ClosePositions(world.uids["ann"]))
    (ended, closing) = only(told, "ann", "orders")
    assert parts(ended, "id", "status", "cancelReason") == (
        kept["id"], "CANCELED", "REDUCE_ONLY_CANCELED",
    )  # fmt: skip
    assert parts(closing, "type", "status", "cumFillSize") == ("MARKET", "CANCELED", "6")
    assert [item["size"] for item in only(told, "ann", "positions")] == ["4"]


# -- restarts -------------------------------------------------------------------------------------


def test_open_orders_go_on_after_a_restart() -> None:
    world, room = traded("cid")
    asked = order(world, "ann", BUY, LONG, 10, 990)
    asked.stop_loss = Exit(900, MARK)
    room.say(asked)
    (before, stop) = only(room.say(order(world, "cid", SELL, SHORT, 4, 0)), "ann", "orders")
    (position,) = only(room.say(commands.SetLeverage(world.uids["ann"], SYMBOL, 10)), "ann",
                       "positions")  # fmt: skip
    world.engine = snapshot.load(snapshot.dump(world.engine))
    room = Room(world)
    told = room.say(order(world, "cid", SELL, SHORT, 5, 0))
    after, stopped = only(told, "ann", "orders")
    assert after == before | {
        "cumFillSize": "9", "cumFillValue": "8910", "leverage": "10", "cumFillFee": "1",
    }  # fmt: skip
    assert stopped == stop | {"size": "9", "leverage": "10"}
    (grown,) = only(told, "ann", "positions")
    changed = ("size", "openValue", "openFee", "cumOpenSize", "cumOpenValue", "cumOpenFee",
               "updatedMatchSequenceId")  # fmt: skip
    assert grown == position | {name: grown[name] for name in changed}
    assert grown["size"] == "19"
    (money,) = only(told, "ann", "account")
    assert parts(money, "cumPositionOpenLongAmount", "cumPositionFillFeeAmount") == ("4950", "1")


def test_an_order_keeps_its_trigger_over_a_restart() -> None:
    world, room = traded()
    asked = conditional(world, "ann", STOP, 10, 990, 980)
    asked.client_id = "own"
    room.say(asked)
    entered, _ = only(room.say(commands.PostIndex(SYMBOL, "desk", 989, jump=True)), "ann", "orders")
    world.engine = snapshot.load(snapshot.dump(world.engine))
    room = Room(world)
    gone = commands.CancelContractOrder(world.uids["ann"], int(entered["id"]))
    (ended,) = only(room.say(gone), "ann", "orders")
    assert ended == entered | {"status": "CANCELED", "cancelReason": "USER_CANCELED"}
    assert int(ended["id"]) > FIRST_ID
