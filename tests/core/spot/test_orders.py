"""Spot orders: matching, settlement, holds, repetition and end (rules 3 and 4)."""

import msgspec
import pytest

from support.world import (
    BUY,
    FOK,
    GTC,
    ID,
    IOC,
    LIMIT,
    LOT,
    NOBODY,
    PLENTY,
    POST_ONLY,
    SELL,
    UNIT,
    World,
    refusal,
    trades,
)
from venue.core.book.book import NEXT, OPEN
from venue.core.messages import commands
from venue.core.messages.events import (
    OrderClosed,
    OrderPlaced,
    OrderRepeated,
    Rejected,
    Trade,
)
from venue.vocabulary import (
    CLIENT_ID_MEMORY_US,
    OrderStatus,
    OrderType,
    Reject,
    SelfTrade,
    Side,
    TimeInForce,
)

pytestmark = pytest.mark.core

NEW, PARTLY, FILLED = OrderStatus.NEW, OrderStatus.PARTIALLY_FILLED, OrderStatus.FILLED
CANCELED, EXPIRED = OrderStatus.CANCELED, OrderStatus.EXPIRED


# -- matching and settlement -----------------------------------------------------------------------


def test_one_trade_to_the_last_atom() -> None:
    """Rules 3.2, 4.1 to 4.4: the maker's price, fees in what is received, four bills, balances."""
    world = World("ann", "ben")
    ann, ben = world.uids.values()
    bill = world.engine.counters.bill
    assert world.place("ann", SELL, 7, 50_001, client_id="a") == [
        OrderPlaced(ID, ann, "BTCUSDT", SELL, LIMIT, GTC, 7, 50_001, "a", 7)
    ]
    assert world.locked("ann", "BTC") == 7 * LOT
    notional = 3 * 50_001 * UNIT
    base_fee, quote_fee = 3 * LOT * 2 // 1_000, -(-notional // 1_000)
    assert notional % 1_000 != 0  # so that rounding shows (rule 1.2)
    assert world.place("ben", BUY, 3, 50_100) == [
        OrderPlaced(ID + 1, ben, "BTCUSDT", BUY, LIMIT, GTC, 3, 50_100, "", 0),
        Trade(
            trade_id=ID,
            symbol="BTCUSDT",
            price=50_001,
            quantity=3,
            notional=notional,
            taker_side=BUY,
            maker_order_id=ID,
            taker_order_id=ID + 1,
            maker_uid=ann,
            taker_uid=ben,
            maker_remaining=4,
            taker_remaining=0,
            base_fee=base_fee,
            quote_fee=quote_fee,
            bill_id=bill,
            buyer_quote_after=PLENTY - notional,
            buyer_base_after=PLENTY + 3 * LOT - base_fee,
            seller_base_after=PLENTY - 3 * LOT,
            seller_quote_after=PLENTY + notional - quote_fee,
        ),
    ]
    assert world.locked("ann", "BTC") == 4 * LOT
    assert world.locked("ben", "USDT") == 0  # the over-hold is back (rule 4.3)
    assert world.engine.ledger.fees == [quote_fee, base_fee, 0]
    order = world.order("ann", ID)
    assert (order.remaining, order.quote, order.status) == (4, notional, PARTLY)
    (placed, second) = world.place("ben", BUY, 4, 50_001)
    assert isinstance(second, Trade)
    assert (second.trade_id, second.bill_id, second.maker_remaining) == (ID + 1, bill + 4, 0)
    assert isinstance(placed, OrderPlaced)
    assert world.spot_account("ann").orders == {}
    assert world.engine.counters.bill == bill + 8


def test_the_bills_of_a_trade_with_oneself_chain() -> None:
    """Rule 2.4: after = before + amount also when buyer and seller are one; rule 3.7: NONE."""
    for taker_side in (BUY, SELL):
        world = World("ann")
        world.rest("ann", 1 - taker_side, 10, 1_000)
        (trade,) = trades(world.place("ann", taker_side, 10, 1_000))
        notional = 10 * 1_000 * UNIT
        assert trade.buyer_quote_after == PLENTY - notional
        assert trade.seller_quote_after == PLENTY - trade.quote_fee
        assert trade.buyer_base_after == PLENTY + 10 * LOT - trade.base_fee
        assert trade.seller_base_after == PLENTY - trade.base_fee
        assert world.free("ann", "BTC") == trade.seller_base_after
        assert world.free("ann", "USDT") == trade.seller_quote_after
        assert world.engine.ledger.fees[:2] == [trade.quote_fee, trade.base_fee]


def test_a_taker_walks_the_levels_best_first_oldest_first() -> None:
    """Rule 3.2."""
    world = World("ann", "ben", "cid")
    for name, price in (("ann", 102), ("ann", 101), ("ben", 101), ("ann", 100)):
        world.rest(name, SELL, 5, price)
    placed, *said = world.place("cid", BUY, 18, 101)
    assert isinstance(placed, OrderPlaced)
    assert placed.resting == 3
    done = [(trade.maker_order_id, trade.price, trade.quantity) for trade in trades(said)]
    assert done == [(ID + 3, 100, 5), (ID + 1, 101, 5), (ID + 2, 101, 5)]
    assert [trade.taker_remaining for trade in trades(said)] == [13, 8, 3]
    assert world.locked("cid", "USDT") == 3 * 101 * UNIT
    assert world.order("cid", placed.order_id).status == PARTLY


def test_a_partial_fill_keeps_its_place() -> None:
    world = World("ann", "ben", "cid")
    world.rest("ann", BUY, 10, 100)
    world.rest("ben", BUY, 10, 100)
    makers = [
        trade.maker_order_id
        for quantity in (4, 4, 4)
        for trade in trades(world.place("cid", SELL, quantity, 100))
    ]
    assert makers == [ID, ID, ID, ID + 1]


@pytest.mark.parametrize(
    ("tif", "quantity", "traded", "resting", "status"),
    [
        (GTC, 4, 4, 0, None),
        (GTC, 15, 10, 5, None),
        (IOC, 4, 4, 0, None),
        (IOC, 15, 10, 0, CANCELED),
        (FOK, 10, 10, 0, None),
        (FOK, 11, 0, 0, EXPIRED),
    ],
)
def test_times_in_force(
    tif: int, quantity: int, traded: int, resting: int, status: OrderStatus | None
) -> None:
    """Rules 3.3 and 3.5, against 10 lots at 100 and 10 more at 101, out of reach."""
    world = World("ann", "ben")
    world.rest("ann", SELL, 4, 99)
    world.rest("ann", SELL, 6, 100)
    world.rest("ann", SELL, 10, 101)
    placed, *said = world.place("ben", BUY, quantity, 100, tif)
    assert isinstance(placed, OrderPlaced)
    assert placed.resting == resting
    assert sum(trade.quantity for trade in trades(said)) == traded
    closed = [event for event in said if isinstance(event, OrderClosed)]
    if status is None:
        assert closed == []
    else:
        uid = world.uids["ben"]
        assert closed == [OrderClosed(ID + 3, uid, "BTCUSDT", BUY, 100, status, 0)]
        assert said[-1] == closed[0]
    assert world.locked("ben", "USDT") == resting * 100 * UNIT
    assert (placed.order_id in world.spot_account("ben").orders) == (resting > 0)


def test_an_ioc_that_meets_nobody_expires() -> None:
    """Rule 3.5."""
    world = World("ann")
    _, closed = world.place("ann", BUY, 5, 100, IOC)
    assert closed == OrderClosed(ID, world.uids["ann"], "BTCUSDT", BUY, 100, EXPIRED, 0)


def test_post_only_rests_or_is_refused() -> None:
    """Rule 3.3."""
    world = World("ann", "ben")
    world.rest("ann", SELL, 5, 100)
    assert refusal(world.place("ben", BUY, 5, 100, POST_ONLY)) == Reject.WOULD_TRADE
    (placed,) = world.place("ben", BUY, 5, 99, POST_ONLY)
    assert isinstance(placed, OrderPlaced)
    assert placed.resting == 5
    assert refusal(world.place("ann", SELL, 5, 99, POST_ONLY)) == Reject.WOULD_TRADE
    assert refusal(world.place("ann", BUY, 5, 100, POST_ONLY)) == Reject.WOULD_TRADE  # its own too


@pytest.mark.parametrize(
    ("side", "best", "inside", "outside"),
    [
        (BUY, 1_000, 1_050, 1_051),
        (BUY, 1_001, 1_051, 1_052),
        (SELL, 1_000, 950, 949),
        (SELL, 1_001, 951, 950),
    ],
)
def test_a_market_order_sweeps_to_the_band_from_the_best_price(
    side: int, best: int, inside: int, outside: int
) -> None:
    """Rules 3.4 and 3.5: 5 %, rounded towards the best price; the remainder is canceled."""
    world = World("ann", "ben")
    for price in (outside, inside, best):
        world.rest("ann", 1 - side, 5, price)
    placed, *said = world.place("ben", side, 100, 0)
    assert isinstance(placed, OrderPlaced)
    assert [trade.price for trade in trades(said)] == [best, inside]
    uid = world.uids["ben"]
    assert said[-1] == OrderClosed(ID + 3, uid, "BTCUSDT", side, 0, CANCELED, 0)
    assert placed.resting == 0
    assert world.spot_account("ben").orders == {}


def test_a_market_order_needs_a_book_and_the_funds_of_its_exact_sweep() -> None:
    """Rule 3.4: no reserve for the fee or the band."""
    world = World("ann")
    world.owner("ben", funded=False)
    assert refusal(world.place("ben", BUY, 10, 0)) == Reject.NO_LIQUIDITY
    world.rest("ann", SELL, 5, 1_000)
    world.rest("ann", SELL, 5, 1_001)
    need = (5 * 1_000 + 3 * 1_001) * UNIT
    world.deposit("ben", "USDT", need - 1)
    assert refusal(world.place("ben", BUY, 8, 0)) == Reject.FUNDS
    world.deposit("ben", "USDT", 1)
    assert len(trades(world.place("ben", BUY, 8, 0))) == 2
    assert world.free("ben", "USDT") == 0
    world.rest("ann", BUY, 8, 1_000)
    assert world.free("ben", "BTC") < 8 * LOT  # the fee is gone
    assert refusal(world.place("ben", SELL, 8, 0)) == Reject.FUNDS
    assert len(trades(world.place("ben", SELL, 7, 0))) == 1


def test_a_market_sale_needs_only_what_the_book_can_take() -> None:
    world = World("ann")
    world.owner("ben", funded=False)
    world.deposit("ben", "BTC", 5 * LOT)
    world.rest("ann", BUY, 5, 1_000)
    assert len(trades(world.place("ben", SELL, 100, 0))) == 1
    assert world.free("ben", "BTC") == 0


def test_a_limit_order_needs_exactly_what_it_locks() -> None:
    """Rule 4.1: no fee reserve."""
    world = World("ann", funded=False)
    for side, asset, need in ((BUY, "USDT", 30 * 7 * UNIT), (SELL, "BTC", 7 * LOT)):
        world.deposit("ann", asset, need - 1)
        assert refusal(world.place("ann", side, 7, 30)) == Reject.FUNDS
        world.deposit("ann", asset, 1)
        order_id = world.rest("ann", side, 7, 30)
        assert (world.free("ann", asset), world.locked("ann", asset)) == (0, need)
        world.cancel("ann", order_id)
        assert (world.free("ann", asset), world.locked("ann", asset)) == (need, 0)


# -- client order ids (rule 3.6) -------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["open", "filled", "canceled", "market", "expired"])
def test_the_same_client_id_has_one_effect(ending: str) -> None:
    world = World("ann", "ben")
    world.rest("ben", SELL, 5, 100)
    order = {
        "open": world.command("ann", BUY, 5, 99, client_id="x"),
        "filled": world.command("ann", BUY, 5, 100, client_id="x"),
        "canceled": world.command("ann", BUY, 5, 98, client_id="x"),
        "market": world.command("ann", BUY, 5, 0, client_id="x"),
        "expired": world.command("ann", BUY, 50, 100, FOK, client_id="x"),
    }[ending]
    placed, *_ = world.ok(order)
    assert isinstance(placed, OrderPlaced)
    if ending == "canceled":
        world.cancel("ann", client_id="x")
    first_time = world.time
    world.time += CLIENT_ID_MEMORY_US - 1
    uid = world.uids["ann"]
    again = msgspec.structs.replace(order)
    assert world.ok(again) == [OrderRepeated(placed.order_id, uid, "x", first_time)]
    used = [Rejected(Reject.CLIENT_ID_USED, placed.order_id)]
    for change in ({"quantity": 6}, {"price": 97}, {"side": SELL}, {"symbol": "ETHUSDT"}):
        assert world.apply(msgspec.structs.replace(order, **change)) == used
    for change in ({"type": 1 - order.type}, {"time_in_force": POST_ONLY}):
        assert world.apply(msgspec.structs.replace(order, **change)) == used
    world.time += 1
    fresh, *_ = world.apply(msgspec.structs.replace(order, quantity=4, price=90, type=LIMIT))
    if ending == "open":
        assert [fresh] == used  # unique among open orders, however old
    else:
        assert isinstance(fresh, OrderPlaced)


def test_the_day_of_memory_begins_when_the_order_ends() -> None:
    world = World("ann", "ben")
    world.rest("ann", BUY, 5, 100, "x")
    world.time += 10 * CLIENT_ID_MEMORY_US
    assert len(trades(world.place("ben", SELL, 5, 100))) == 1
    world.time += CLIENT_ID_MEMORY_US - 1
    assert refusal(world.place("ann", BUY, 5, 99, client_id="x")) == Reject.CLIENT_ID_USED
    world.time += 1
    world.rest("ann", BUY, 5, 99, "x")


def test_a_refused_order_does_not_use_up_its_client_id_and_owners_do_not_share() -> None:
    world = World("ann", "ben")
    assert refusal(world.place("ann", BUY, 1, 100, client_id="x")) == Reject.QUANTITY_MIN
    world.rest("ann", BUY, 5, 100, "x")
    world.rest("ben", BUY, 5, 100, "x")
    world.cancel("ann", client_id="x")
    assert list(world.spot_account("ben").orders) == [ID + 1]


# -- ending ----------------------------------------------------------------------------------------


def test_cancel_by_id_and_by_client_id() -> None:
    world = World("ann", "ben")
    ann = world.uids["ann"]
    first, second = world.rest("ann", BUY, 5, 100, "x"), world.rest("ann", SELL, 6, 105)
    assert len(trades(world.place("ben", SELL, 2, 100))) == 1
    assert world.cancel("ann", client_id="x") == [
        OrderClosed(first, ann, "BTCUSDT", BUY, 100, CANCELED, 3)
    ]
    assert world.cancel("ann", second) == [
        OrderClosed(second, ann, "BTCUSDT", SELL, 105, CANCELED, 6)
    ]
    assert world.locked("ann", "USDT") == world.locked("ann", "BTC") == 0


@pytest.mark.parametrize(
    ("order_id", "client_id"), [(ID, ""), (0, "x"), (ID + 9, ""), (0, "y"), (0, "")]
)
def test_what_is_not_open_or_another_owners_is_unknown(order_id: int, client_id: str) -> None:
    world = World("ann", "ben")
    world.rest("ann", BUY, 5, 100, "x")
    world.rest("ann", BUY, 5, 100)
    assert refusal(world.cancel("ben", order_id, client_id)) == Reject.ORDER_UNKNOWN
    world.cancel("ann", ID)
    assert refusal(world.cancel("ann", order_id, client_id)) == Reject.ORDER_UNKNOWN


def test_cancel_all_ends_one_symbol_oldest_first() -> None:
    world = World("ann", "ben")
    ann = world.uids["ann"]
    for side, price in ((BUY, 100), (SELL, 200), (BUY, 101)):
        world.rest("ann", side, 5, price)
    world.rest("ben", BUY, 5, 100)
    assert isinstance(world.place("ann", BUY, 5, 100, symbol="ETHUSDT")[0], OrderPlaced)
    closed = world.apply(commands.CancelOrders(ann, "BTCUSDT"))
    assert [event.order_id for event in closed if isinstance(event, OrderClosed)] == [
        ID,
        ID + 1,
        ID + 2,
    ]
    assert list(world.spot_account("ann").orders) == [ID + 4]
    assert list(world.spot_account("ben").orders) == [ID + 3]
    assert world.apply(commands.CancelOrders(ann, "BTCUSDT")) == []


def test_the_faults_of_a_cancel() -> None:
    world = World("ann")
    assert refusal(world.apply(commands.CancelOrder(NOBODY, ID))) == Reject.OWNER_UNKNOWN
    assert refusal(world.apply(commands.CancelOrders(NOBODY, "nothing"))) == Reject.OWNER_UNKNOWN
    unknown = commands.CancelOrders(world.uids["ann"], "nothing")
    assert refusal(world.apply(unknown)) == Reject.SYMBOL_UNKNOWN


def test_the_life_cycle_is_a_table_with_final_ends() -> None:
    """Rule 3.10."""
    assert list(NEXT) == [int(status) for status in OrderStatus]
    for status in (FILLED, CANCELED, EXPIRED):
        assert NEXT[int(status)] == ()
    for status in (NEW, PARTLY):
        assert {int(PARTLY), int(FILLED), int(CANCELED), int(EXPIRED)} == set(NEXT[int(status)])
    assert (int(NEW), int(PARTLY)) == OPEN


def test_an_end_is_final() -> None:
    """Rule 3.10: the engine refuses to give an order a status that may not follow."""
    world = World("ann")
    world.rest("ann", BUY, 10, 1_000)
    resting = world.order("ann", ID)
    resting.become(int(CANCELED))
    with pytest.raises(AssertionError, match=r"order \d+: 3 to 2"):
        resting.become(int(FILLED))


def test_the_terms_have_no_gaps() -> None:
    """The engine compares sides, types and times in force as a range of integers."""
    for terms in (Side, OrderType, TimeInForce, SelfTrade):
        assert [int(term) for term in terms] == list(range(len(terms)))
