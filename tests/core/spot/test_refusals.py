"""Spot orders that are refused: why, in which order, at which bound (rules 3.1, 3.9)."""

from collections.abc import Callable

import msgspec
import pytest

from support.world import (
    BUY,
    FOK,
    GTC,
    ID,
    IOC,
    LIMIT,
    MARKET,
    NOBODY,
    PLENTY,
    POST_ONLY,
    SELL,
    UNIT,
    World,
    refusal,
    trades,
)
from venue.core.messages import commands
from venue.core.messages.events import OrderPlaced, Rejected
from venue.core.units import AMOUNT_MAX, PRICE_MAX
from venue.vocabulary import (
    OPEN_ORDERS_PER_ACCOUNT_MAX,
    OPEN_ORDERS_PER_SYMBOL_MAX,
    OrderType,
    Reject,
)

pytestmark = pytest.mark.core


# -- precedence (rule 3.1) -------------------------------------------------------------------------


def arena() -> World:
    """A market whose last trade was at 1000, bids at 990, asks at 1010; ann holds little."""
    world = World("ann", "ben", funded=False)
    for asset in ("USDT", "BTC"):
        world.deposit("ben", asset, PLENTY)
    world.deposit("ann", "USDT", 100_000 * UNIT)
    world.rest("ben", SELL, 2, 1_000)
    assert trades(world.place("ben", BUY, 2, 1_000))
    world.rest("ben", BUY, 50, 990)
    world.rest("ben", SELL, 50, 1_010)
    world.rest("ann", BUY, 2, 500, "used")
    return world


def fill_caps(world: World, count: int, symbol: str = "BTCUSDT") -> None:
    for _ in range(count):
        (placed,) = world.place("ann", BUY, 2, 1, symbol=symbol)
        assert isinstance(placed, OrderPlaced)


Order = commands.PlaceOrder
Prepare = Callable[[World], None]


def freeze(world: World) -> None:
    world.account("ann").frozen = True  # the command would end its orders


def halt(world: World) -> None:
    world.ok(commands.HaltInstrument("BTCUSDT", True))


def cap(world: World) -> None:
    fill_caps(world, OPEN_ORDERS_PER_SYMBOL_MAX - len(world.spot_account("ann").orders))


def empty(world: World) -> None:
    for uid in world.uids.values():
        world.ok(commands.CancelOrders(uid, "BTCUSDT"))


# Each fault: its change of a good order, or of the world, and the limit it names.
# They stand in the order of the checks.
Fault = tuple[Reject, dict[str, object], Prepare | None, int]
LIMIT_FAULTS: list[Fault] = [
    (Reject.OWNER_UNKNOWN, {"uid": NOBODY}, None, 0),
    (Reject.CLIENT_ID_USED, {"client_id": "used"}, None, ID + 4),
    (Reject.ACCOUNT_FROZEN, {}, freeze, 0),
    (Reject.SYMBOL_UNKNOWN, {"symbol": "nothing"}, None, 0),
    (Reject.HALTED, {}, halt, 0),
    (Reject.SIDE, {"side": 2}, None, 0),
    (Reject.TYPE, {"type": -1}, None, 0),
    (Reject.TIME_IN_FORCE, {"time_in_force": 4}, None, 0),
    (Reject.QUANTITY_MIN, {"quantity": 1}, None, 2),
    (Reject.QUANTITY_MAX, {"quantity": 1_000_001}, None, 1_000_000),
    (Reject.PRICE, {"price": 0}, None, PRICE_MAX),
    (Reject.NOTIONAL_MAX, {"price": PRICE_MAX}, None, AMOUNT_MAX),
    (Reject.PRICE_BAND, {"price": 1_101}, None, 1_100),
    (Reject.OPEN_ORDERS_SYMBOL, {}, cap, OPEN_ORDERS_PER_SYMBOL_MAX),
    (Reject.WOULD_TRADE, {"time_in_force": POST_ONLY, "price": 1_010}, None, 0),
    (Reject.FUNDS, {"quantity": 1_000}, None, 0),
]
MARKET_FAULTS: list[Fault] = [
    *LIMIT_FAULTS[:7],
    (Reject.TIME_IN_FORCE, {"time_in_force": FOK}, None, 0),
    (Reject.TIME_IN_FORCE, {"time_in_force": POST_ONLY}, None, 0),
    *LIMIT_FAULTS[8:10],
    (Reject.MARKET_SIZE, {"quantity": 100_001}, None, 100_000),
    (Reject.OPEN_ORDERS_SYMBOL, {}, cap, OPEN_ORDERS_PER_SYMBOL_MAX),
    (Reject.NO_LIQUIDITY, {}, empty, 0),
    (Reject.FUNDS, {"side": SELL}, None, 0),
]
GOOD_LIMIT = Order(0, "BTCUSDT", BUY, LIMIT, GTC, 10, 1_000)
GOOD_MARKET = Order(0, "BTCUSDT", BUY, MARKET, IOC, 10, 0)


def pairs(good: Order, faults: list[Fault]) -> list[tuple[Order, Fault, Fault]]:
    return [
        (good, first, second)
        for at, first in enumerate(faults)
        for second in faults[at:]
        if first is second or not set(first[1]) & set(second[1])
    ]


PAIRS = [*pairs(GOOD_LIMIT, LIMIT_FAULTS), *pairs(GOOD_MARKET, MARKET_FAULTS)]


@pytest.mark.parametrize(
    ("good", "first", "second"),
    PAIRS,
    ids=[f"{OrderType(good.type).name}-{a[0].name}-{b[0].name}" for good, a, b in PAIRS],
)
def test_of_two_faults_the_earlier_wins(good: Order, first: Fault, second: Fault) -> None:
    """Rule 3.1."""
    world = arena()
    for prepare in (second[2], None if first is second else first[2]):
        if prepare is not None:
            prepare(world)
    order = msgspec.structs.replace(good, uid=world.uids["ann"])
    for fault in (second, first):
        order = msgspec.structs.replace(order, **fault[1])
    assert world.apply(order) == [Rejected(first[0], first[3])]


@pytest.mark.parametrize("good", [GOOD_LIMIT, GOOD_MARKET], ids=["LIMIT", "MARKET"])
def test_without_a_fault_the_order_is_taken(good: Order) -> None:
    world = arena()
    placed, *_ = world.ok(msgspec.structs.replace(good, uid=world.uids["ann"]))
    assert isinstance(placed, OrderPlaced)


def test_of_all_faults_at_once_they_come_in_the_order_of_the_terms() -> None:
    """Rule 3.1: repaired one by one, each next fault is a later member of `Reject`."""
    world = arena()
    cap(world)
    halt(world)
    freeze(world)
    ann = world.uids["ann"]
    order = Order(NOBODY, "nothing", 2, 2, 4, 1, 0, "used")
    repairs: list[dict[str, object] | commands.Command] = [
        {"uid": ann},
        {"client_id": "fresh"},
        commands.FreezeOwner(ann, False),
        {"symbol": "BTCUSDT"},
        commands.HaltInstrument("BTCUSDT", False),
        {"side": SELL},
        {"type": LIMIT},
        {"time_in_force": POST_ONLY},
        {"quantity": 1_000_001},
        {"quantity": 1_000_000},
        {"price": PRICE_MAX},
        {"price": 899},
        {"price": 900},
        commands.CancelOrders(ann, "BTCUSDT"),
        {"price": 1_000},
    ]
    found = [refusal(world.apply(order))]
    for repair in repairs:
        if isinstance(repair, dict):
            order = msgspec.structs.replace(order, **repair)
        else:
            world.ok(repair)
        found.append(refusal(world.apply(order)))
    market_only = (Reject.MARKET_SIZE, Reject.OPEN_ORDERS_ACCOUNT, Reject.NO_LIQUIDITY)
    expected = [r for r in Reject if r <= Reject.FUNDS and r not in market_only]
    assert found == expected
    world.deposit("ann", "BTC", PLENTY)
    world.ok(order)


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quantity", "price", "reason"),
    [
        (2, 1, None),
        (1, 1, Reject.QUANTITY_MIN),
        (0, 1, Reject.QUANTITY_MIN),
        (-5, 1, Reject.QUANTITY_MIN),
        (1_000_000, 1, None),
        (1_000_001, 1, Reject.QUANTITY_MAX),
        (2, 0, Reject.PRICE),
        (2, -1, Reject.PRICE),
        (2, PRICE_MAX + 1, Reject.PRICE),
        (2, AMOUNT_MAX // (2 * UNIT) + 1, Reject.NOTIONAL_MAX),
        (2, AMOUNT_MAX // (2 * UNIT), Reject.FUNDS),
    ],
)
def test_quantity_price_and_notional_have_bounds(
    quantity: int, price: int, reason: Reject | None
) -> None:
    world = World("ann")
    uid = world.uids["ann"]
    events = world.apply(Order(uid, "BTCUSDT", BUY, LIMIT, GTC, quantity, price))
    if reason is None:
        assert isinstance(events[0], OrderPlaced)
    else:
        assert refusal(events) == reason


def test_a_fraction_of_a_lot_is_a_defect() -> None:
    world = World("ann")
    for numbers in ((2.0, 5), (2, 5.0)):
        order = Order(world.uids["ann"], "BTCUSDT", BUY, LIMIT, GTC, *numbers)
        with pytest.raises((AssertionError, TypeError)):
            world.engine.apply(order)


@pytest.mark.parametrize(
    ("side", "inside", "outside", "far"), [(BUY, 1_100, 1_101, 1), (SELL, 900, 899, 10**9)]
)
def test_the_band_holds_the_aggressive_side_against_the_last_trade(
    side: int, inside: int, outside: int, far: int
) -> None:
    """Rule 3.9: 10 % of 1000; a far resting order is fine."""
    world = World("ann", "ben")
    world.rest("ben", SELL, 2, 1_000)
    assert trades(world.place("ben", BUY, 2, 1_000))
    refused = world.place("ann", side, 2, outside)
    assert refused == [Rejected(Reject.PRICE_BAND, inside)]
    world.rest("ann", side, 2, inside)
    world.rest("ann", side, 2, far)


def test_without_a_trade_the_band_is_around_the_mid_and_needs_both_sides() -> None:
    """Rule 3.9: the middle is 1001.5; bands round towards it: 1101.65 and 901.35."""
    world = World("ann", "ben")
    world.rest("ben", BUY, 2, 1_000)
    world.rest("ben", SELL, 2, 5_000)
    world.cancel("ben", ID + 1)
    world.rest("ann", SELL, 2, 1_003)
    assert world.place("ann", BUY, 2, 1_102) == [Rejected(Reject.PRICE_BAND, 1_101)]
    assert world.place("ann", SELL, 2, 901) == [Rejected(Reject.PRICE_BAND, 902)]
    world.cancel("ben", ID)
    assert world.place("ben", BUY, 2, 4_000, IOC)[0] != Rejected(Reject.PRICE_BAND, 1_101)


def test_open_orders_are_capped_per_symbol_and_per_account() -> None:
    """Rule 3.1: 200 and 1,000; an end of one makes room again."""
    world = World("ann", "ben")
    for number in range(5):
        base = f"C{number}"
        world.ok(commands.RegisterAsset(base, 8))
        grid = world.engine.spot.markets["BTCUSDT"].instrument
        listed = msgspec.structs.replace(grid, symbol=f"{base}USDT", base=base)
        world.ok(commands.ListInstrument(listed))
        fill_caps(world, 200, f"C{number}USDT")
        if number < 4:
            refused = world.place("ann", BUY, 2, 1, symbol=f"C{number}USDT")
            assert refused == [Rejected(Reject.OPEN_ORDERS_SYMBOL, 200)]
    assert len(world.spot_account("ann").orders) == OPEN_ORDERS_PER_ACCOUNT_MAX == 1_000
    world.rest("ben", SELL, 2, 100)
    whole = Rejected(Reject.OPEN_ORDERS_ACCOUNT, 1_000)
    assert world.place("ann", BUY, 2, 1) == [whole]
    assert world.place("ann", BUY, 2, 0) == [whole]
    assert world.place("ann", BUY, 2, 1, symbol="C0USDT") == [
        Rejected(Reject.OPEN_ORDERS_SYMBOL, 200)
    ]
    world.cancel("ann", min(world.spot_account("ann").orders))
    world.rest("ann", BUY, 2, 1)
