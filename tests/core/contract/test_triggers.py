"""Conditional orders: directions, triggering, refusals (rule 8)."""

import msgspec
import pytest

from support.order_desk import (
    BUY,
    GTC,
    IOC,
    LAST,
    LIMIT,
    LONG,
    MARK,
    MARKET,
    NOBODY,
    OTHER,
    PRICE,
    SELL,
    SHORT,
    STOP,
    STOP_MARKET,
    SYMBOL,
    TAKE_PROFIT,
    TAKE_PROFIT_MARKET,
    TRAILING,
    Desk,
    contract,
    floor,
    of,
    refusal,
    the,
)
from venue.core.contract.conditional.triggers import CALLBACK_MAX_PPM, FIRED_MAX
from venue.core.contract.records import Algo
from venue.core.messages import commands
from venue.core.messages.commands import Exit, PlaceAlgo, Withdraw
from venue.core.messages.contract_events import (
    AlgoPlaced,
    AlgoTriggered,
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTrade,
    PositionClosed,
)
from venue.core.messages.events import Event, Rejected
from venue.core.units import PRICE_MAX
from venue.vocabulary import (
    ALGO_ORDERS_PER_ACCOUNT_MAX,
    ALGO_ORDERS_PER_SYMBOL_MAX,
    AlgoStatus,
    Cause,
    Reject,
)

pytestmark = pytest.mark.core

STOPS = (STOP, STOP_MARKET)
TYPES = (STOP, STOP_MARKET, TAKE_PROFIT, TAKE_PROFIT_MARKET)
NAMES = ("STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET")
every_type = pytest.mark.parametrize("type_", TYPES, ids=NAMES)
every_side = pytest.mark.parametrize("side", [BUY, SELL], ids=["buy", "sell"])
every_position_side = pytest.mark.parametrize("held", [LONG, SHORT], ids=["long", "short"])
every_source = pytest.mark.parametrize("source", [LAST, MARK], ids=["last", "mark"])


def limit_of(type_: int, side: int) -> int:
    """A price that reaches ben, for the types that have one."""
    if type_ in (STOP, TAKE_PROFIT):
        return 980 if side == SELL else 1_020
    return 0


# -- directions and triggering ---------------------------------------------------------------------


@every_type
@every_position_side
@every_source
def test_closing_ones_wait_where_their_type_and_side_say(
    type_: int, held: int, source: int
) -> None:
    """Rule 8.1: a long's stop waits below, its take-profit above; a short's the other way."""
    desk = floor()
    side = SELL if held == LONG else BUY
    rising = (type_ in STOPS) == (held == SHORT)
    trigger, just_short = (1_010, 1_009) if rising else (990, 991)
    price = limit_of(type_, side)
    algo_id = desk.algo("ann", side, held, type_, 4, trigger, price, source, "mine")
    algo = desk.waiting("ann", algo_id)
    assert algo.rising == rising
    assert of(desk.move(source, just_short), AlgoTriggered) == []
    other = MARK if source == LAST else LAST
    assert of(desk.move(other, trigger), AlgoTriggered) == []
    said = desk.move(source, trigger)
    triggered = the(said, AlgoTriggered)
    assert (triggered.algo_id, triggered.price, triggered.reason) == (algo_id, trigger, 0)
    (placed,) = [each for each in of(said, ContractOrderPlaced) if each.algo_id]
    assert (placed.algo_id, placed.cause) == (algo_id, Cause.TRIGGER)
    assert placed.order_id == triggered.order_id
    assert placed.position_id == desk.position("ann", held).position_id
    assert (placed.side, placed.position_side, placed.quantity) == (side, held, 4)
    assert (placed.type, placed.time_in_force, placed.price) == (
        (LIMIT, GTC, price) if price else (MARKET, IOC, 0)
    )
    (trade,) = [each for each in of(said, ContractTrade) if each.cause == Cause.TRIGGER]
    assert trade.price == (985 if side == SELL else 1_015)
    assert desk.position("ann", held).quantity == 6
    assert algo.status == AlgoStatus.TRIGGERED
    assert desk.holding("ann").algos == {}


@every_type
@every_side
@every_source
@pytest.mark.parametrize("trigger", [990, 1_010])
def test_opening_ones_wait_on_the_side_where_their_trigger_lies(
    type_: int, side: int, source: int, trigger: int
) -> None:
    """Rule 8.1: the name of their type does not matter."""
    desk = Desk("ann", "ben")
    desk.last(PRICE)
    desk.bids("ben", 100, 985)
    desk.asks("ben", 100, 1_015)
    opened = LONG if side == BUY else SHORT
    price = limit_of(type_, side)
    algo_id = desk.algo("ann", side, opened, type_, 4, trigger, price, source)
    assert desk.waiting("ann", algo_id).rising == (trigger == 1_010)
    beside = 1_000 + (trigger - 1_000) * 9 // 10
    assert of(desk.move(source, beside), AlgoTriggered) == []
    said = desk.move(source, trigger)
    assert the(said, AlgoTriggered).reason == 0
    assert desk.position("ann", opened).quantity == 4


@every_type
@every_position_side
@every_source
def test_one_that_is_true_already_is_refused(type_: int, held: int, source: int) -> None:
    """Rule 8.1: the price it names is at, or beyond, the reference."""
    desk = floor()
    desk.post(1_005)
    reference = 1_005 if source == MARK else 1_000
    side = SELL if held == LONG else BUY
    price = limit_of(type_, side)
    rising = (type_ in STOPS) == (held == SHORT)
    for trigger in (reference, reference - 1 if rising else reference + 1):
        command = desk.algo_command("ann", side, held, type_, 4, trigger, price, source)
        assert desk.apply(command) == [Rejected(Reject.WOULD_TRIGGER, reference)]
    desk.algo(
        "ann", side, held, type_, 4, reference + 1 if rising else reference - 1, price, source
    )


def test_an_opening_one_at_the_reference_is_refused() -> None:
    desk = floor()
    command = desk.algo_command("ann", BUY, LONG, STOP_MARKET, 4, 1_000)
    assert desk.apply(command) == [Rejected(Reject.WOULD_TRIGGER, 1_000)]


def test_before_a_first_trade_the_mark_stands_in_and_without_one_nothing_waits() -> None:
    desk = Desk("ann")
    desk.post(1_050)
    command = desk.algo_command("ann", BUY, LONG, STOP_MARKET, 4, 1_050)
    assert desk.apply(command) == [Rejected(Reject.WOULD_TRIGGER, 1_050)]
    desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 1_049)
    desk.ok(commands.RegisterAsset("SOL", 2))
    desk.ok(commands.ListContract(contract("SOL")))
    for source in (LAST, MARK):
        command = desk.algo_command(
            "ann", BUY, LONG, STOP_MARKET, 4, 1_050, 0, source, symbol="SOLUSDT"
        )
        assert refusal(desk.apply(command)) == Reject.NO_MARK


def test_a_gap_triggers_as_well() -> None:
    desk = floor()
    desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990, source=MARK)
    assert the(desk.post(950), AlgoTriggered).price == 990


def test_they_trigger_in_order_of_distance_then_age() -> None:
    """Rule 8.2."""
    desk = floor()
    far = desk.algo("ann", SELL, LONG, STOP_MARKET, 2, 988, source=MARK)
    first = desk.algo("ann", SELL, LONG, STOP_MARKET, 2, 995, source=MARK)
    second = desk.algo("ann", SELL, LONG, STOP_MARKET, 2, 995, source=MARK)
    near = desk.algo("ann", SELL, LONG, STOP_MARKET, 2, 998, source=MARK)
    said = desk.post(980)
    assert [each.algo_id for each in of(said, AlgoTriggered)] == [near, first, second, far]
    desk.post(PRICE)
    far = desk.algo("ann", BUY, SHORT, STOP_MARKET, 2, 1_012, source=MARK)
    near = desk.algo("ann", BUY, SHORT, STOP_MARKET, 2, 1_003, source=MARK)
    said = desk.post(1_020)
    assert [each.algo_id for each in of(said, AlgoTriggered)] == [near, far]


def test_a_halted_contract_triggers_nothing_before_it_is_resumed() -> None:
    """Rule 3.8."""
    desk = floor()
    algo_id = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990, source=MARK)
    desk.halt()
    assert of(desk.post(980), AlgoTriggered) == []
    desk.halt(False)
    assert the(desk.post(979), AlgoTriggered).algo_id == algo_id


def test_a_stop_on_mark_waits_while_the_index_is_stale() -> None:
    """A halt lets the mark pass the stop; then the source falls silent. A trade triggers nothing
    meanwhile: only those who reduce could meet."""
    desk = floor()
    desk.owner("dan")
    desk.owner("eve")
    desk.pair("dan", "eve", 2)
    stop = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990, source=MARK)
    on_last = desk.algo("ann", SELL, LONG, TAKE_PROFIT_MARKET, 4, 1_010, source=LAST)
    trailing = desk.algo("ann", SELL, LONG, TRAILING, 4, 0, 0, MARK, callback=1)
    desk.halt()
    desk.post(980)
    desk.post(0)
    desk.halt(False)
    assert (desk.perp().mark, desk.perp().current) == (980, False)
    assert of(desk.tick(), AlgoTriggered) == []
    desk.rest("eve", BUY, SHORT, 2, 1_010)
    said = desk.place("dan", SELL, LONG, 2, 1_010)
    assert len(of(said, ContractTrade)) == 1
    assert of(said, AlgoTriggered) == []
    assert desk.waiting("ann", trailing).extreme == 1_000
    assert [one.algo_id for one in of(desk.post(985), AlgoTriggered)] == [stop, trailing]
    assert desk.waiting("ann", on_last) is not None


def test_a_cascade_is_worked_off_in_bounded_steps() -> None:
    """Rules 8.2, 8.5: each one's purchase triggers the next, one tick higher."""
    count = FIRED_MAX + 10
    desk = Desk(*[f"ann{number}" for number in range(count)], "cid")
    desk.last(PRICE)
    for number in range(count + 1):
        desk.asks("cid", 2, PRICE + 1 + number)
    for number in range(count):
        desk.algo(f"ann{number}", BUY, LONG, STOP_MARKET, 2, PRICE + 1 + number)
    said = desk.place("tom", BUY, LONG, 2, PRICE + 1)
    assert [each.price for each in of(said, AlgoTriggered)] == [
        PRICE + 1 + number for number in range(FIRED_MAX)
    ]
    assert desk.perp().market.last_price == PRICE + 1 + FIRED_MAX
    assert len(of(desk.tick(), AlgoTriggered)) == 10
    assert desk.position("ann3").quantity == 2


def test_the_quantity_is_at_most_what_is_held_and_zero_is_all_of_it() -> None:
    desk = floor()
    desk.algo("ann", SELL, LONG, STOP_MARKET, 0, 990, source=MARK)
    desk.algo("ann", BUY, SHORT, TAKE_PROFIT_MARKET, 50, 991, source=MARK)
    desk.pair("ann", "ben", 5)
    said = desk.post(985)
    assert [each.quantity for each in of(said, ContractOrderPlaced)] == [10, 15]
    assert len(of(said, PositionClosed)) == 2


def test_a_triggered_exit_clears_closing_orders_that_are_in_its_way() -> None:
    """Rule 5.1: the newest first, and only as many as it needs."""
    desk = floor()
    older = desk.rest("ann", SELL, LONG, 4, 1_050)
    newer = desk.rest("ann", SELL, LONG, 5, 1_060)
    desk.algo("ann", SELL, LONG, STOP_MARKET, 6, 990, source=MARK)
    said = desk.post(989)
    assert [each.order_id for each in of(said, ContractOrderClosed)] == [newer]
    assert desk.position("ann").quantity == 4
    assert list(desk.holding("ann").orders) == [older]


def test_a_triggered_limit_order_rests_at_its_price() -> None:
    desk = floor()
    desk.algo("ann", SELL, LONG, TAKE_PROFIT, 6, 1_010, 1_012, source=MARK)
    triggered = the(desk.post(1_011), AlgoTriggered)
    order = desk.order("ann", triggered.order_id)
    assert (order.price, order.remaining) == (1_012, 6)
    assert desk.position("ann").free_lots() == 4


def test_an_opening_one_brings_its_exits_along() -> None:
    desk = floor()
    desk.algo(
        "ann", BUY, LONG, STOP_MARKET, 4, 1_010, source=MARK, take_profit=Exit(1_100),
        stop_loss=Exit(900, MARK),
    )  # fmt: skip
    said = desk.post(1_010)
    placed = of(said, AlgoPlaced)
    parent = the(said, AlgoTriggered).order_id
    assert [(each.type, each.trigger_price, each.quantity) for each in placed] == [
        (TAKE_PROFIT_MARKET, 1_100, 4),
        (STOP_MARKET, 900, 4),
    ]
    assert {each.parent_id for each in placed} == {parent}


# -- refused when their time has come --------------------------------------------------------------


def rejected(desk: Desk, algo: Algo, said: list[Event], reason: Reject) -> None:
    triggered = the(said, AlgoTriggered)
    assert (triggered.algo_id, triggered.order_id) == (algo.algo_id, 0)
    assert triggered.reason == reason
    assert algo.status == AlgoStatus.EXPIRED
    assert desk.holding(algo.holding.account.name).algos == {}
    assert of(said, ContractOrderPlaced) == []


def test_without_liquidity_it_expires() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    algo = desk.waiting("ann", desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990, source=MARK))
    rejected(desk, algo, desk.post(980), Reject.NO_LIQUIDITY)
    assert desk.position("ann").quantity == 10


def test_without_funds_an_opening_one_expires() -> None:
    desk = Desk("ben")
    desk.owner("ann", money=20_500)
    desk.asks("ben", 10, 1_015)
    algo = desk.waiting("ann", desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 1_010, source=MARK))
    desk.ok(Withdraw(desk.uids["ann"], 1, "USDT", 20_000))
    rejected(desk, algo, desk.post(1_010), Reject.FUNDS)


def test_beyond_the_band_a_limit_one_expires() -> None:
    desk = floor()
    algo_id = desk.algo("ann", SELL, LONG, STOP, 4, 990, 890, source=MARK)
    rejected(desk, desk.waiting("ann", algo_id), desk.post(990), Reject.PRICE_BAND)


def test_a_frozen_owners_one_expires_when_its_price_comes() -> None:
    """Rule 2.7, of one that opens and of one that closes."""
    desk = floor()
    opening = desk.waiting("ann", desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 1_010, source=MARK))
    desk.freeze("ann")
    rejected(desk, opening, desk.post(1_010), Reject.ACCOUNT_FROZEN)
    desk.freeze("ann", False)
    closing = desk.waiting("ann", desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990, source=MARK))
    desk.freeze("ann")
    rejected(desk, closing, desk.post(990), Reject.ACCOUNT_FROZEN)


# -- refusals at placement -------------------------------------------------------------------------

GOOD = PlaceAlgo(0, SYMBOL, SELL, LONG, STOP, 4, 990, 980)


def test_of_all_faults_at_once_they_come_in_order() -> None:
    """Rule 3.1: repaired one by one."""
    desk = floor()
    ann = desk.uids["ann"]
    desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 950, client_id="used")
    for _ in range(ALGO_ORDERS_PER_SYMBOL_MAX - 1):
        desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 950)
    desk.bids("ann", 2, 900)
    desk.close("ann")  # ann's positions are gone
    assert desk.positions("ann") == []
    for _ in range(ALGO_ORDERS_PER_SYMBOL_MAX - len(desk.holding("ann").algos)):
        desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 950)
    desk.halt()
    desk.freeze("ann")
    order = PlaceAlgo(NOBODY, "nothing", 2, 0, 5, 1, 0, 0, client_id="used")
    repairs: list[dict[str, object] | commands.Command] = [
        {"uid": ann},
        {"client_id": "fresh"},
        commands.FreezeOwner(ann, False),
        {"symbol": SYMBOL},
        commands.HaltInstrument(SYMBOL, False, product=1),
        {"side": SELL},
        {"type": STOP},
        {"position_side": LONG},
        {"quantity": 4_501},
        {"quantity": 4},
        {"trigger_price": 1_000},
        {"price": 980},
        commands.CancelAlgos(ann),
    ]
    found = [refusal(desk.apply(order))]
    for repair in repairs:
        if isinstance(repair, dict):
            order = msgspec.structs.replace(order, **repair)
        else:
            desk.ok(repair)
        found.append(refusal(desk.apply(order)))
    assert found == [
        Reject.OWNER_UNKNOWN,
        Reject.CLIENT_ID_USED,
        Reject.ACCOUNT_FROZEN,
        Reject.SYMBOL_UNKNOWN,
        Reject.HALTED,
        Reject.SIDE,
        Reject.TYPE,
        Reject.POSITION_SIDE,
        Reject.QUANTITY_MIN,
        Reject.QUANTITY_MAX,
        Reject.TRIGGER_PRICE,
        Reject.PRICE,
        Reject.ALGO_ORDERS_SYMBOL,
        Reject.NOTHING_TO_CLOSE,
    ]
    desk.pair("ann", "ben", 4)
    last = desk.perp().market.last_price
    order = msgspec.structs.replace(order, trigger_price=last)
    assert desk.apply(order) == [Rejected(Reject.WOULD_TRIGGER, last)]
    desk.ok(msgspec.structs.replace(order, trigger_price=last - 1))


@pytest.mark.parametrize(
    ("change", "reason", "limit"),
    [
        ({"quantity": 1}, Reject.QUANTITY_MIN, 2),
        ({"quantity": -1}, Reject.QUANTITY_MIN, 2),
        ({"side": BUY, "quantity": 0}, Reject.QUANTITY_MIN, 2),
        ({"quantity": 4_501}, Reject.QUANTITY_MAX, 4_500),
        ({"trigger_price": 0}, Reject.TRIGGER_PRICE, PRICE_MAX),
        ({"trigger_price": PRICE_MAX + 1}, Reject.TRIGGER_PRICE, PRICE_MAX),
        ({"price": 0}, Reject.PRICE, PRICE_MAX),
        ({"price": PRICE_MAX + 1}, Reject.PRICE, PRICE_MAX),
        ({"type": TAKE_PROFIT, "price": 0}, Reject.PRICE, PRICE_MAX),
        ({"type": TRAILING}, Reject.CALLBACK_RATE, CALLBACK_MAX_PPM),
        (
            {"type": TRAILING, "callback_ppm": 1, "trigger_price": -1},
            Reject.TRIGGER_PRICE,
            PRICE_MAX,
        ),
        (
            {"type": TRAILING, "callback_ppm": 1, "trigger_price": PRICE_MAX + 1},
            Reject.TRIGGER_PRICE,
            PRICE_MAX,
        ),
        ({"type": STOP_MARKET, "price": -1}, Reject.PRICE, PRICE_MAX),
        ({"type": STOP_MARKET, "price": PRICE_MAX + 1}, Reject.PRICE, PRICE_MAX),
        ({"take_profit": Exit(-1)}, Reject.TRIGGER_PRICE, PRICE_MAX),
        ({"stop_loss": Exit(PRICE_MAX + 1)}, Reject.TRIGGER_PRICE, PRICE_MAX),
        (
            {"type": TRAILING, "callback_ppm": CALLBACK_MAX_PPM + 1},
            Reject.CALLBACK_RATE,
            CALLBACK_MAX_PPM,
        ),
        ({"position_side": SHORT, "side": BUY, "symbol": OTHER}, Reject.NOTHING_TO_CLOSE, 0),
    ],
)
def test_bounds(change: dict[str, object], reason: Reject, limit: int) -> None:
    desk = floor()
    command = msgspec.structs.replace(GOOD, uid=desk.uids["ann"])
    assert desk.apply(msgspec.structs.replace(command, **change)) == [Rejected(reason, limit)]
    for good in ({}, {"quantity": 0}, {"type": STOP_MARKET, "price": 0}):
        desk.ok(msgspec.structs.replace(command, **good))


def test_at_most_50_wait_per_symbol_and_200_per_account() -> None:
    """Rule 8.5; an end of one makes room."""
    desk = Desk("ann", "ben")
    for number in range(3):
        desk.ok(commands.RegisterAsset(f"C{number}", 2))
        desk.ok(commands.ListContract(contract(f"C{number}")))
        desk.post(PRICE, f"C{number}USDT")
    symbols = [SYMBOL, OTHER, "C0USDT", "C1USDT"]
    for symbol in symbols:
        for _ in range(ALGO_ORDERS_PER_SYMBOL_MAX):
            newest = desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 1_010, symbol=symbol)
        command = desk.algo_command("ann", BUY, LONG, STOP_MARKET, 4, 1_010, symbol=symbol)
        assert desk.apply(command) == [Rejected(Reject.ALGO_ORDERS_SYMBOL, 50)]
    assert len(desk.holding("ann").algos) == ALGO_ORDERS_PER_ACCOUNT_MAX == 200
    command = desk.algo_command("ann", BUY, LONG, STOP_MARKET, 4, 1_010, symbol="C2USDT")
    assert desk.apply(command) == [Rejected(Reject.ALGO_ORDERS_ACCOUNT, 200)]
    desk.ok(commands.CancelAlgo(desk.uids["ann"], newest))
    desk.ok(msgspec.structs.replace(command))
