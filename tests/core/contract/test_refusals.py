"""Contract orders that are refused: why, in which order, at which bound (rules 3.1, 3.9, 5)."""

from collections.abc import Callable

import msgspec
import pytest

from support.order_desk import (
    BUY,
    FOK,
    GTC,
    IOC,
    LIMIT,
    LONG,
    MARKET,
    NOBODY,
    OPEN_INTEREST_MAX,
    OTHER,
    POSITION_MAX,
    POST_ONLY,
    SELL,
    SHORT,
    SYMBOL,
    Desk,
    of,
    refusal,
)
from venue.core.messages import commands
from venue.core.messages.commands import Exit, PlaceContractOrder
from venue.core.messages.contract_events import ClosedAtMarket, ContractOrderPlaced, ContractTrade
from venue.core.messages.events import Event, Rejected
from venue.core.units import AMOUNT_MAX, PRICE_MAX
from venue.vocabulary import OPEN_ORDERS_PER_SYMBOL_MAX, Reject

pytestmark = pytest.mark.core

SEPARATED = 1


# -- precedence (rule 3.1) -------------------------------------------------------------------------


def arena(separated: int = 0) -> Desk:
    """Mark and last at 1000, bids at 990, asks at 1010; ann is long 20 lots and holds little."""
    desk = Desk("ben", "cid")
    desk.owner("ann", money=4_000_000)
    if separated:
        desk.modes("ann", 0, separated)
    desk.pair("ann", "ben", 20)
    desk.bids("ben", 50, 990)
    desk.asks("ben", 50, 1_010)
    desk.rest("ann", BUY, LONG, 2, 500, "used")
    return desk


Prepare = Callable[[Desk], None]


def used(desk: Desk) -> int:
    return desk.holding("ann").clients["used"].order_id


def freeze(desk: Desk) -> None:
    desk.engine.account(desk.uids["ann"]).frozen = True  # the command would end its orders


def halt(desk: Desk) -> None:
    desk.halt()


def cap(desk: Desk) -> None:
    for _ in range(OPEN_ORDERS_PER_SYMBOL_MAX - len(desk.holding("ann").orders)):
        desk.engine.apply(desk_order(desk, price=1, quantity=2))
    # Where every opening order makes a position, those that are there count against its cap.
    for position in desk.positions("ann"):
        if position.separated:
            desk.engine.apply(
                desk_order(
                    desk, side=SELL, price=1_100, quantity=2, position_id=position.position_id
                )
            )


def empty(desk: Desk) -> None:
    for uid in desk.uids.values():
        desk.ok(commands.CancelContractOrders(uid))


def deepen(desk: Desk) -> None:
    """Bids for all that may be sold at once, where there are any."""
    if desk.perp().market.book.bid:
        desk.bids("ben", 950, 990)


def crowd(desk: Desk) -> None:
    """Others take the open interest to 4 lots below what the contract allows."""
    while left := OPEN_INTEREST_MAX - 4 - desk.perp().open_interest:
        long, short = (f"{name}{left}" for name in ("long", "short"))
        desk.owner(long)
        desk.owner(short)
        desk.pair(long, short, min(left, 2_400))


def lever(desk: Desk) -> None:
    desk.leverage("ann", 50)


def desk_order(desk: Desk, **fields: object) -> PlaceContractOrder:
    order = msgspec.structs.replace(GOOD_OPEN, uid=desk.uids["ann"], time=desk.time)
    return msgspec.structs.replace(order, **fields)


# Each fault: its change of a good order, or of the world, and the limit it names (-1: the
# order that used the id). They stand in the order of the checks.
Fault = tuple[Reject, dict[str, object], Prepare | None, int]
EVERY: list[Fault] = [
    (Reject.OWNER_UNKNOWN, {"uid": NOBODY}, None, 0),
    (Reject.CLIENT_ID_USED, {"client_id": "used"}, None, -1),
    (Reject.ACCOUNT_FROZEN, {}, freeze, 0),
    (Reject.SYMBOL_UNKNOWN, {"symbol": "nothing"}, None, 0),
    (Reject.HALTED, {}, halt, 0),
    (Reject.SIDE, {"side": 2}, None, 0),
    (Reject.TYPE, {"type": -1}, None, 0),
]
SIZES: list[Fault] = [
    (Reject.POSITION_SIDE, {"position_side": 0}, None, 0),
    (Reject.QUANTITY_MIN, {"quantity": 1}, None, 2),
    (Reject.QUANTITY_MAX, {"quantity": 4_501}, None, 4_500),
]
TIF: Fault = (Reject.TIME_IN_FORCE, {"time_in_force": 4}, None, 0)
NO_PRICE: Fault = (Reject.PRICE, {"price": 0}, None, PRICE_MAX)
NOTIONAL: Fault = (Reject.NOTIONAL_MAX, {"price": PRICE_MAX}, None, AMOUNT_MAX)
CAP: Fault = (Reject.OPEN_ORDERS_SYMBOL, {}, cap, OPEN_ORDERS_PER_SYMBOL_MAX)
OPENING: list[Fault] = [
    (Reject.POSITION_MAX, {"quantity": POSITION_MAX + 1}, None, POSITION_MAX),
    (Reject.OPEN_INTEREST_MAX, {}, crowd, OPEN_INTEREST_MAX),
    (Reject.LEVERAGE_SIZE, {"quantity": 2_500}, lever, 2_000),
    (Reject.FUNDS, {"quantity": 1_000}, None, 5_060_000),
]
OPEN_FAULTS: list[Fault] = [
    *EVERY,
    TIF,
    *SIZES,
    NO_PRICE,
    (Reject.TRIGGER_PRICE, {"stop_loss": Exit(-1)}, None, PRICE_MAX),
    NOTIONAL,
    (Reject.PRICE_BAND, {"price": 1_101}, None, 1_100),
    CAP,
    (Reject.WOULD_TRADE, {"time_in_force": POST_ONLY, "price": 1_010}, None, 0),
    *OPENING,
]
CLOSE_FAULTS: list[Fault] = [
    *EVERY,
    TIF,
    *SIZES,
    NO_PRICE,
    (Reject.POSITION_UNKNOWN, {"position_id": NOBODY}, None, 0),
    NOTIONAL,
    (Reject.PRICE_BAND, {"price": 899}, None, 900),
    CAP,
    (Reject.WOULD_TRADE, {"time_in_force": POST_ONLY, "price": 990}, None, 0),
    (Reject.NOTHING_TO_CLOSE, {"quantity": 21}, None, 20),
]
MARKET_FAULTS: list[Fault] = [
    *EVERY,
    (Reject.TIME_IN_FORCE, {"time_in_force": FOK}, None, 0),
    (Reject.TIME_IN_FORCE, {"time_in_force": POST_ONLY}, None, 0),
    *SIZES,
    (Reject.MARKET_SIZE, {"quantity": 1_001}, None, 1_000),
    CAP,
    (Reject.NO_LIQUIDITY, {}, empty, 0),
    (Reject.FUNDS, {"side": SELL, "position_side": SHORT, "quantity": 1_000}, deepen, 6_059_400),
]
GOOD_OPEN = PlaceContractOrder(0, SYMBOL, BUY, LONG, LIMIT, GTC, 10, 1_000)
GOOD_CLOSE = PlaceContractOrder(0, SYMBOL, SELL, LONG, LIMIT, GTC, 10, 1_000)
GOOD_MARKET = PlaceContractOrder(0, SYMBOL, BUY, LONG, MARKET, IOC, 10, 0)
GOODS = {"OPEN": GOOD_OPEN, "CLOSE": GOOD_CLOSE, "MARKET": GOOD_MARKET}
FAULTS = {"OPEN": OPEN_FAULTS, "CLOSE": CLOSE_FAULTS, "MARKET": MARKET_FAULTS}

PAIRS = [
    (kind, first, second)
    for kind, faults in FAULTS.items()
    for at, first in enumerate(faults)
    for second in faults[at:]
    if first is second or not set(first[1]) & set(second[1])
]


@pytest.mark.parametrize(
    ("kind", "first", "second"), PAIRS, ids=[f"{k}-{a[0].name}-{b[0].name}" for k, a, b in PAIRS]
)
def test_of_two_faults_the_earlier_wins(kind: str, first: Fault, second: Fault) -> None:
    """Rule 3.1."""
    desk = arena()
    for prepare in (second[2], None if first is second else first[2]):
        if prepare is not None:
            prepare(desk)
    order = msgspec.structs.replace(GOODS[kind], uid=desk.uids["ann"])
    for fault in (second, first):
        order = msgspec.structs.replace(order, **fault[1])
    limit = used(desk) if first[3] == -1 else first[3]
    detail = "a pause" if first[0] == Reject.HALTED else ""
    assert desk.apply(order) == [Rejected(first[0], limit, detail)]


@pytest.mark.parametrize("kind", GOODS)
def test_without_a_fault_the_order_is_taken(kind: str) -> None:
    desk = arena()
    placed, *_ = desk.ok(msgspec.structs.replace(GOODS[kind], uid=desk.uids["ann"]))
    assert isinstance(placed, ContractOrderPlaced)


Repair = dict[str, object] | commands.Command


def found_one_by_one(desk: Desk, order: PlaceContractOrder, repairs: list[Repair]) -> list[int]:
    found = [refusal(desk.apply(order))]
    for repair in repairs:
        if isinstance(repair, dict):
            order = msgspec.structs.replace(order, **repair)
        else:
            desk.ok(repair)
        found.append(refusal(desk.apply(order)))
    return found


def test_of_all_faults_of_an_opening_order_they_come_in_order() -> None:
    """Rule 3.1: repaired one by one."""
    desk = arena()
    for prepare in (crowd, cap, lever, halt, freeze):
        prepare(desk)
    ann = desk.uids["ann"]
    order = PlaceContractOrder(NOBODY, "nothing", 2, 0, 2, 4, 1, 0, "used", stop_loss=Exit(-1))
    repairs: list[Repair] = [
        {"uid": ann},
        {"client_id": "fresh"},
        commands.FreezeOwner(ann, False),
        {"symbol": SYMBOL},
        commands.HaltInstrument(SYMBOL, False, product=1),
        {"side": BUY},
        {"type": LIMIT},
        {"time_in_force": POST_ONLY},
        {"position_side": LONG},
        {"quantity": 4_501},
        {"quantity": 4_500},
        {"price": PRICE_MAX},
        {"stop_loss": Exit(1)},
        {"price": 1_101},
        {"price": 1_010},
        commands.CancelContractOrders(ann),
        {"price": 1_000},
        {"quantity": 2_500},
    ]
    found = found_one_by_one(desk, order, repairs)
    assert found == [fault[0] for fault in OPEN_FAULTS if fault not in OPENING[2:]]
    for long in [name for name in desk.uids if name.startswith("long")][:2]:
        short = long.replace("long", "short")
        desk.rest(long, SELL, LONG, 2_100, 1_000)
        assert of(desk.place(short, BUY, SHORT, 2_100, 1_000), ContractTrade)
    order = desk_order(desk, quantity=2_500)
    assert found_one_by_one(desk, order, [{"quantity": 1_970}]) == [
        Reject.LEVERAGE_SIZE,
        Reject.FUNDS,
    ]
    desk.deposit("ann", 1_000_000)
    desk.ok(msgspec.structs.replace(order, quantity=1_970))


def test_of_all_faults_of_a_closing_order_they_come_in_order() -> None:
    desk = arena(SEPARATED)
    cap(desk)
    ann = desk.uids["ann"]
    order = desk_order(
        desk, side=SELL, quantity=21, price=PRICE_MAX, time_in_force=POST_ONLY, position_id=NOBODY
    )
    repairs: list[Repair] = [
        {"position_id": 0},
        {"position_id": desk.position("ann").position_id},
        {"price": 899},
        {"price": 990},
        commands.CancelContractOrders(ann),
        {"price": 1_000},
    ]
    found = found_one_by_one(desk, order, repairs)
    assert found == [
        Reject.POSITION_UNKNOWN,
        Reject.POSITION_ID_MISSING,
        Reject.NOTIONAL_MAX,
        Reject.PRICE_BAND,
        Reject.OPEN_ORDERS_SYMBOL,
        Reject.WOULD_TRADE,
        Reject.NOTHING_TO_CLOSE,
    ]


# -- what can be closed ----------------------------------------------------------------------------


def test_there_must_be_something_to_close() -> None:
    """Rule 5.1: a position of that side in that symbol, less what other orders close."""
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    for side, position_side, symbol in ((BUY, SHORT, SYMBOL), (SELL, LONG, OTHER)):
        said = desk.place("ann", side, position_side, 2, 1_000, symbol=symbol)
        assert said == [Rejected(Reject.NOTHING_TO_CLOSE)]
    assert desk.place("ann", SELL, LONG, 11, 1_050) == [Rejected(Reject.NOTHING_TO_CLOSE, 10)]
    first = desk.rest("ann", SELL, LONG, 6, 1_050)
    assert desk.place("ann", SELL, LONG, 5, 1_050) == [Rejected(Reject.NOTHING_TO_CLOSE, 4)]
    desk.rest("ann", SELL, LONG, 4, 1_050)
    desk.cancel("ann", first)
    desk.rest("ann", SELL, LONG, 6, 1_050)


def test_a_named_position_must_be_ones_own_of_that_symbol_and_side() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    own = desk.position("ann").position_id
    others = desk.position("ben", SHORT).position_id
    unknown = [Rejected(Reject.POSITION_UNKNOWN)]
    assert desk.place("ann", SELL, LONG, 2, 1_050, position_id=others) == unknown
    assert desk.place("ann", BUY, SHORT, 2, 950, position_id=own) == unknown
    assert desk.place("ann", SELL, LONG, 2, 1_050, position_id=own, symbol=OTHER) == unknown
    desk.rest("ann", SELL, LONG, 2, 1_050, position_id=own)


# -- other commands --------------------------------------------------------------------------------


def test_the_faults_of_cancelling() -> None:
    desk = Desk("ann", "ben")
    resting = desk.bids("ann", 5, 900)
    everything: list[tuple[commands.Command, Reject]] = [
        (commands.CancelContractOrder(NOBODY, resting), Reject.OWNER_UNKNOWN),
        (commands.CancelContractOrder(desk.uids["ben"], resting), Reject.ORDER_UNKNOWN),
        (commands.CancelContractOrder(desk.uids["ann"], resting + 1), Reject.ORDER_UNKNOWN),
        (commands.CancelContractOrder(desk.uids["ann"], 0, "x"), Reject.ORDER_UNKNOWN),
        (commands.CancelContractOrder(desk.uids["ann"]), Reject.ORDER_UNKNOWN),
        (commands.CancelContractOrders(NOBODY, "nothing"), Reject.OWNER_UNKNOWN),
        (commands.CancelContractOrders(desk.uids["ann"], "nothing"), Reject.SYMBOL_UNKNOWN),
    ]
    for command, reason in everything:
        assert refusal(desk.apply(command)) == reason
    desk.cancel("ann", resting)
    assert refusal(desk.cancel("ann", resting)) == Reject.ORDER_UNKNOWN


def test_spot_does_not_know_a_contract_order_nor_the_other_way_round() -> None:
    desk = Desk("ann")
    resting = desk.bids("ann", 5, 900)
    ann = desk.uids["ann"]
    assert refusal(desk.apply(commands.CancelOrder(ann, resting))) == Reject.ORDER_UNKNOWN
    spot = commands.PlaceOrder(ann, SYMBOL, BUY, LIMIT, GTC, 5, 900)
    assert refusal(desk.apply(spot)) == Reject.SYMBOL_UNKNOWN


def test_the_faults_of_closing_positions() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    ann, own = desk.uids["ann"], desk.position("ann").position_id
    everything: list[tuple[commands.Command, Reject]] = [
        (commands.ClosePositions(NOBODY), Reject.OWNER_UNKNOWN),
        (commands.ClosePositions(ann, "nothing"), Reject.SYMBOL_UNKNOWN),
        (commands.ClosePositions(ann, OTHER, own), Reject.POSITION_UNKNOWN),
        (commands.ClosePositions(desk.uids["ben"], "", own), Reject.POSITION_UNKNOWN),
    ]
    for command, reason in everything:
        assert refusal(desk.apply(command)) == reason
    assert desk.close("ann", OTHER) == []
    assert closed(desk.close("ann")) == [(own, Reject.NO_LIQUIDITY)]
    desk.halt()
    assert closed(desk.close("ann")) == [(own, Reject.HALTED)]
    assert desk.position("ann").quantity == 10


def closed(events: list[Event]) -> list[tuple[int, int]]:
    assert [event.order_id for event in of(events, ClosedAtMarket)] == [0] * len(events)
    return [(event.position_id, event.reason) for event in of(events, ClosedAtMarket)]
