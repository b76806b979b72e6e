"""Contract orders: matching, repetition and end (rules 3 and 5)."""

import msgspec
import pytest

from support.order_desk import (
    BUY,
    FOK,
    GTC,
    ID,
    IOC,
    LIMIT,
    LONG,
    MARK,
    OTHER,
    PLENTY,
    POST_ONLY,
    SELL,
    SHORT,
    STOP_MARKET,
    SYMBOL,
    UNIT,
    Desk,
    of,
    refusal,
    the,
)
from venue.core.messages import commands
from venue.core.messages.commands import NO_EXIT, Exit
from venue.core.messages.contract_events import (
    ClosedAtMarket,
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractTrade,
    Income,
    Leg,
)
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.vocabulary import (
    CLIENT_ID_MEMORY_US,
    Cause,
    IncomeType,
    OrderStatus,
    Reject,
    SelfTrade,
)

pytestmark = pytest.mark.core

CANCELED, EXPIRED = OrderStatus.CANCELED, OrderStatus.EXPIRED
CROSSED, ISOLATED, SEPARATED = 0, 1, 1


# -- matching --------------------------------------------------------------------------------------


def test_one_trade_to_the_last_atom() -> None:
    """Rules 3.2, 5.1, 5.2: the maker's price, two positions, two items, the fees' item."""
    desk = Desk("ann", "ben")
    ann, ben = desk.uids.values()
    bill = desk.engine.counters.bill
    assert desk.place("ann", SELL, SHORT, 7, 1_003, client_id="a") == [
        ContractOrderPlaced(
            ID, ann, SYMBOL, SELL, SHORT, LIMIT, GTC, 7, 1_003, "a", 7, Cause.USER, 0, 0
        )
    ]
    notional = 3 * 1_003 * UNIT
    maker_fee, taker_fee = 61, 181  # 60.18 and 180.54, rounded up (rule 1.2)
    assert desk.place("ben", BUY, LONG, 3, 1_010) == [
        ContractOrderPlaced(
            ID + 1, ben, SYMBOL, BUY, LONG, LIMIT, GTC, 3, 1_010, "", 0, Cause.USER, 0, 0
        ),
        ContractTrade(
            trade_id=ID,
            symbol=SYMBOL,
            price=1_003,
            quantity=3,
            notional=notional,
            taker_side=BUY,
            maker_remaining=4,
            taker_remaining=0,
            cause=Cause.USER,
            maker=Leg(
                ann, ID, ID + 3, SHORT, True, notional, 0, maker_fee, notional - maker_fee,
                PLENTY + notional - maker_fee, bill + 1,
            ),
            taker=Leg(
                ben, ID + 1, ID + 2, LONG, True, notional, 0, taker_fee, -notional - taker_fee,
                PLENTY - notional - taker_fee, bill,
            ),
        ),
        Income(
            bill + 2, 1, 0, "USDT", SYMBOL, IncomeType.ORDER_FILL_FEE_INCOME,
            maker_fee + taker_fee, maker_fee + taker_fee,
        ),
    ]  # fmt: skip
    order = desk.order("ann", ID)
    assert (order.remaining, order.quote, order.status) == (
        4,
        notional,
        OrderStatus.PARTIALLY_FILLED,
    )
    assert desk.perp().open_interest == 3
    assert desk.perp().market.last_price == 1_003


def test_a_taker_walks_the_levels_best_first_oldest_first() -> None:
    """Rule 3.2."""
    desk = Desk("ann", "ben", "cid")
    ids = [
        desk.asks(name, 5, price)
        for name, price in (("ann", 1_002), ("ann", 1_001), ("ben", 1_001), ("ann", 1_000))
    ]
    placed, *said = desk.place("cid", BUY, LONG, 18, 1_001)
    assert isinstance(placed, ContractOrderPlaced)
    assert placed.resting == 3
    done = [(each.maker.order_id, each.price, each.quantity) for each in of(said, ContractTrade)]
    assert done == [(ids[3], 1_000, 5), (ids[1], 1_001, 5), (ids[2], 1_001, 5)]
    assert desk.position("cid").quantity == 15


def test_a_partial_fill_keeps_its_place() -> None:
    desk = Desk("ann", "ben", "cid")
    first, second = desk.bids("ann", 10, 1_000), desk.bids("ben", 10, 1_000)
    makers = [
        trade.maker.order_id
        for _ in range(3)
        for trade in of(desk.place("cid", SELL, SHORT, 4, 1_000), ContractTrade)
    ]
    assert makers == [first, first, first, second]


@pytest.mark.parametrize("opens", [True, False], ids=["open", "close"])
@pytest.mark.parametrize("taker_side", [BUY, SELL], ids=["buy", "sell"])
@pytest.mark.parametrize(
    ("tif", "quantity", "price", "filled", "resting", "end"),
    [
        (GTC, 10, 1_000, 10, 0, None),
        (GTC, 30, 1_000, 20, 10, None),
        (GTC, 30, 990, 0, 30, None),
        (IOC, 20, 1_000, 20, 0, None),
        (IOC, 30, 1_000, 20, 0, CANCELED),
        (IOC, 30, 990, 0, 0, EXPIRED),
        (FOK, 20, 1_000, 20, 0, None),
        (FOK, 21, 1_000, 0, 0, EXPIRED),
        (FOK, 30, 990, 0, 0, EXPIRED),
        (POST_ONLY, 30, 990, 0, 30, None),
        (IOC, 20, 0, 20, 0, None),
        (IOC, 30, 0, 20, 0, CANCELED),
    ],
)
def test_times_in_force(
    opens: bool, taker_side: int, tif: int, quantity: int, price: int, filled: int, resting: int,
    end: OrderStatus | None,
) -> None:  # fmt: skip
    """Rules 3.3 to 3.5: 20 lots stand at 1000; a price of 0 is MARKET, 990 is 1010 for a seller."""
    desk = Desk("ann", "ben")
    side = LONG if (taker_side == BUY) == opens else SHORT
    if not opens:
        desk.pair(*(("ann", "ben") if side == LONG else ("ben", "ann")), 30)
    if taker_side == BUY:
        desk.asks("ben", 20, 1_000)
    else:
        desk.bids("ben", 20, 1_000)
        price = 1_010 if price == 990 else price
    placed, *said = desk.place("ann", taker_side, side, quantity, price, tif)
    assert isinstance(placed, ContractOrderPlaced)
    assert placed.resting == resting
    assert sum(each.quantity for each in of(said, ContractTrade)) == filled
    assert [(each.status, each.resting) for each in of(said, ContractOrderClosed)] == (
        [] if end is None else [(end, 0)]
    )
    assert len(desk.holding("ann").orders) == (1 if resting else 0)


def test_post_only_that_would_trade_is_refused() -> None:
    desk = Desk("ann", "ben")
    desk.asks("ben", 5, 1_000)
    assert refusal(desk.place("ann", BUY, LONG, 5, 1_000, POST_ONLY)) == Reject.WOULD_TRADE


def test_a_market_order_sweeps_to_the_band_and_no_further() -> None:
    """Rule 3.4: 5 % from the best price, whatever the mark."""
    desk = Desk("ann", "ben")
    for price in (1_000, 1_050, 1_051):
        desk.asks("ben", 5, price)
    said = desk.place("ann", BUY, LONG, 15)
    assert [trade.price for trade in of(said, ContractTrade)] == [1_000, 1_050]
    assert the(said, ContractOrderClosed).status == CANCELED


# -- self-trade prevention (rule 3.7) --------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "tif", "said"),
    [
        (SelfTrade.NONE, GTC, ["fill ben", "fill ann", "fill ben"]),
        (SelfTrade.EXPIRE_TAKER, GTC, ["fill ben", "taker EXPIRED"]),
        (SelfTrade.EXPIRE_MAKER, GTC, ["fill ben", "maker EXPIRED", "fill ben"]),
        (SelfTrade.EXPIRE_BOTH, GTC, ["fill ben", "maker EXPIRED", "taker EXPIRED"]),
        (SelfTrade.EXPIRE_MAKER, IOC, ["fill ben", "maker EXPIRED", "fill ben", "taker CANCELED"]),
        (SelfTrade.EXPIRE_TAKER, FOK, ["taker EXPIRED"]),
        (SelfTrade.EXPIRE_MAKER, FOK, ["taker EXPIRED"]),
        (SelfTrade.EXPIRE_BOTH, FOK, ["taker EXPIRED"]),
    ],
)
@pytest.mark.parametrize("side", [BUY, SELL], ids=["buy", "sell"])
def test_self_trade_prevention(side: int, mode: SelfTrade, tif: int, said: list[str]) -> None:
    """The taker wants 20; 5 stand with ben, 5 with itself, 5 with ben. FOK finds 5 or 10."""
    desk = Desk("ben")
    desk.owner("ann", int(mode))
    others = SHORT if side == BUY else LONG
    desk.rest("ben", 1 - side, others, 5, 1_000)
    own = desk.rest("ann", 1 - side, others, 5, 1_000, "own")
    desk.rest("ben", 1 - side, others, 5, 1_000)
    events = desk.place("ann", side, -others, 20, 1_000, tif)[1:]
    shown = [words(desk, each, own) for each in events if not isinstance(each, Income)]
    assert shown == said
    assert (own in desk.holding("ann").orders) == (
        "fill ann" not in said and "maker EXPIRED" not in said
    )


def words(desk: Desk, event: Event, own: int) -> str:
    if isinstance(event, ContractTrade):
        return "fill ann" if event.maker.uid == desk.uids["ann"] else "fill ben"
    assert isinstance(event, ContractOrderClosed)
    who = "maker" if event.order_id == own else "taker"
    assert event.resting == (5 if who == "maker" else 0)
    return f"{who} {OrderStatus(event.status).name}"


def test_prevention_looks_at_the_takers_mode_only() -> None:
    desk = Desk("ben")
    desk.owner("ann", int(SelfTrade.EXPIRE_BOTH))
    desk.asks("ann", 5, 1_000)
    assert len(of(desk.place("ben", BUY, LONG, 5, 1_000), ContractTrade)) == 1


def test_an_fok_passes_over_its_own_when_others_can_fill_it() -> None:
    desk = Desk("ben")
    desk.owner("ann", int(SelfTrade.EXPIRE_MAKER))
    desk.asks("ann", 5, 999)
    desk.asks("ben", 10, 1_000)
    said = desk.place("ann", BUY, LONG, 10, 1_000, FOK)
    assert the(said, ContractOrderClosed).status == EXPIRED
    assert the(said, ContractTrade).quantity == 10


# -- client order ids (rule 3.6) -------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["open", "filled", "canceled", "market", "expired"])
def test_the_same_client_id_has_one_effect(ending: str) -> None:
    desk = Desk("ann", "ben")
    desk.asks("ben", 5, 1_000)
    order = {
        "open": desk.command("ann", BUY, LONG, 5, 990, client_id="x"),
        "filled": desk.command("ann", BUY, LONG, 5, 1_000, client_id="x"),
        "canceled": desk.command("ann", BUY, LONG, 5, 980, client_id="x"),
        "market": desk.command("ann", BUY, LONG, 5, client_id="x"),
        "expired": desk.command("ann", BUY, LONG, 50, 1_000, FOK, client_id="x"),
    }[ending]
    placed, *_ = desk.ok(order)
    assert isinstance(placed, ContractOrderPlaced)
    if ending == "canceled":
        desk.cancel("ann", client_id="x")
    first_time = desk.time
    desk.time += CLIENT_ID_MEMORY_US - 1
    again = msgspec.structs.replace(order)
    uid = desk.uids["ann"]
    assert desk.ok(again) == [OrderRepeated(placed.order_id, uid, "x", first_time)]
    used = [Rejected(Reject.CLIENT_ID_USED, placed.order_id)]
    for change in (
        {"quantity": 6},
        {"price": 970},
        {"side": SELL},
        {"position_side": SHORT},
        {"symbol": OTHER},
        {"type": 1 - order.type},
        {"time_in_force": POST_ONLY},
    ):
        assert desk.apply(msgspec.structs.replace(order, **change)) == used
    desk.time += 1
    other = msgspec.structs.replace(order, quantity=4, price=900, type=LIMIT)
    fresh, *_ = desk.apply(other)
    if ending == "open":
        assert [fresh] == used  # unique among open orders, however old
    else:
        assert isinstance(fresh, ContractOrderPlaced)


@pytest.mark.parametrize("reloaded", [False, True])
@pytest.mark.parametrize("price", [990, 1_000])
def test_exits_are_content(price: int, reloaded: bool) -> None:
    """Rule 3.6: what an order was asked with is compared, whether it rests or is filled."""
    desk = Desk("ann", "ben")
    desk.asks("ben", 5, 1_000)
    plain = desk.command("ann", BUY, LONG, 5, price, client_id="plain")
    exits = desk.command(
        "ann", BUY, LONG, 5, price - 1, client_id="exits",
        take_profit=Exit(1_050), stop_loss=Exit(950, MARK),
    )  # fmt: skip
    ids = {}
    for order in (plain, exits):
        (ids[order.client_id], *_) = of(desk.ok(order), ContractOrderPlaced)
    if reloaded:
        desk.engine = desk.reopened()
    for order, changes in (
        (plain, [{"take_profit": Exit(1_050)}, {"stop_loss": Exit(950)}]),
        (exits, [
            {"take_profit": Exit(1_050, MARK)}, {"take_profit": Exit(1_051)},
            {"stop_loss": Exit(950)}, {"stop_loss": NO_EXIT},
            {"take_profit": NO_EXIT, "stop_loss": NO_EXIT},
        ]),
    ):  # fmt: skip
        first = ids[order.client_id].order_id
        assert isinstance(desk.apply(msgspec.structs.replace(order))[0], OrderRepeated)
        for change in changes:
            again = msgspec.structs.replace(order, **change)
            assert desk.apply(again) == [Rejected(Reject.CLIENT_ID_USED, first)], change


@pytest.mark.parametrize("reloaded", [False, True])
@pytest.mark.parametrize("filled", [False, True])
def test_the_position_asked_for_is_content(filled: bool, reloaded: bool) -> None:
    """Rule 3.6: also where the position is gone, and where one would be found without its id."""
    desk = Desk("ann", "ben")
    desk.modes("ann", ISOLATED, SEPARATED)
    for lots in (5, 6):
        desk.pair("ann", "ben", lots)
    one, two = (position.position_id for position in desk.positions("ann"))
    if filled:
        desk.bids("ben", 5, 1_000)
    price = 1_000 if filled else 1_050
    order = desk.command("ann", SELL, LONG, 5, price, client_id="close", position_id=one)
    placed = the(desk.ok(order), ContractOrderPlaced)
    if reloaded:
        desk.engine = desk.reopened()
    assert isinstance(desk.apply(msgspec.structs.replace(order))[0], OrderRepeated)
    for other in (two, 0):
        again = msgspec.structs.replace(order, position_id=other)
        assert desk.apply(again) == [Rejected(Reject.CLIENT_ID_USED, placed.order_id)]


def test_the_day_of_memory_begins_when_the_order_ends_and_a_tick_forgets() -> None:
    desk = Desk("ann", "ben")
    desk.rest("ann", BUY, LONG, 5, 1_000, "x")
    desk.time += 10 * CLIENT_ID_MEMORY_US
    desk.post(1_000)
    assert of(desk.place("ben", SELL, SHORT, 5, 1_000), ContractTrade)
    desk.tick(CLIENT_ID_MEMORY_US - 1)
    assert refusal(desk.place("ann", BUY, LONG, 5, 990, client_id="x")) == Reject.CLIENT_ID_USED
    desk.tick(1)
    assert desk.holding("ann").clients == {}
    assert list(desk.engine.contracts.client_ids.ended_orders()) == []
    desk.post(1_000)
    desk.rest("ann", BUY, LONG, 5, 990, "x")


def test_refusals_use_no_client_id_up_and_owners_and_products_do_not_share() -> None:
    """Rule 3.6: unique per owner and product."""
    desk = Desk("ann", "ben")
    assert refusal(desk.place("ann", BUY, LONG, 1, 990, client_id="x")) == Reject.QUANTITY_MIN
    desk.rest("ann", BUY, LONG, 5, 990, "x")
    desk.rest("ben", BUY, LONG, 5, 990, "x")
    algo = desk.algo_command("ann", BUY, LONG, STOP_MARKET, 5, 1_050, client_id="x")
    desk.ok(algo)
    grid = desk.perp().contract.instrument
    desk.ok(commands.ListInstrument(grid))
    desk.ok(commands.Deposit(desk.uids["ann"], 0, "USDT", PLENTY))
    spot = commands.PlaceOrder(desk.uids["ann"], SYMBOL, BUY, LIMIT, GTC, 5, 900, "x")
    desk.ok(spot)
    desk.cancel("ann", client_id="x")
    assert len(desk.holding("ann").orders) == 0
    assert len(desk.holding("ben").orders) == 1
    assert len(desk.holding("ann").algos) == 1
    assert len(desk.engine.spot_account(desk.uids["ann"]).orders) == 1


# -- ending ----------------------------------------------------------------------------------------


def test_cancel_by_id_and_by_client_id_gives_back_what_was_held() -> None:
    desk = Desk("ann", "ben")
    ann = desk.uids["ann"]
    first = desk.rest("ann", BUY, LONG, 5, 990, "x")
    second = desk.rest("ann", SELL, SHORT, 6, 1_050)
    assert of(desk.place("ben", SELL, SHORT, 2, 990), ContractTrade)
    third = desk.rest("ann", SELL, LONG, 2, 1_060)
    assert desk.cancel("ann", client_id="x") == [
        ContractOrderClosed(first, ann, SYMBOL, BUY, 990, CANCELED, 3, Cause.USER)
    ]
    assert desk.cancel("ann", second) == [
        ContractOrderClosed(second, ann, SYMBOL, SELL, 1_050, CANCELED, 6, Cause.USER)
    ]
    assert desk.position("ann").free_lots() == 0
    desk.cancel("ann", third)
    assert desk.position("ann").free_lots() == 2
    assert desk.held("ann") == 0
    modes = desk.holding("ann").modes_in(desk.perp())
    assert (modes.opening_long, modes.opening_short) == (0, 0)


def test_cancel_all_ends_one_symbol_or_all_oldest_first() -> None:
    desk = Desk("ann", "ben")
    ids = [desk.bids("ann", 5, 900), desk.asks("ann", 5, 1_050), desk.bids("ann", 5, 950)]
    desk.bids("ben", 5, 900)
    elsewhere = the(desk.place("ann", BUY, LONG, 5, 900, symbol=OTHER), ContractOrderPlaced)
    ann = desk.uids["ann"]
    said = desk.ok(commands.CancelContractOrders(ann, SYMBOL))
    assert [each.order_id for each in of(said, ContractOrderClosed)] == ids
    assert list(desk.holding("ann").orders) == [elsewhere.order_id]
    assert len(desk.ok(commands.CancelContractOrders(ann))) == 1
    assert desk.ok(commands.CancelContractOrders(ann)) == []
    assert len(desk.holding("ben").orders) == 1


def test_what_settles_in_a_named_asset_is_left_alone() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 5, 1_000)
    desk.bids("ben", 5, 990)
    desk.bids("ann", 5, 900)
    desk.algo("ann", SELL, LONG, STOP_MARKET, 5, 800)
    ann, held = desk.uids["ann"], desk.position("ann")
    for command in (
        commands.CancelAlgos(ann, without="USDT"),
        commands.CancelContractOrders(ann, SYMBOL, without="USDT"),
        commands.ClosePositions(ann, without="USDT"),
    ):
        assert desk.ok(command) == []
    assert len(desk.ok(commands.CancelAlgos(ann, without="OTHER"))) == 1
    assert len(desk.ok(commands.CancelContractOrders(ann, without="OTHER"))) == 1
    said = desk.ok(commands.ClosePositions(ann, without="OTHER"))
    assert of(said, ClosedAtMarket)[0].position_id == held.position_id


def test_a_halted_contract_takes_cancels_only() -> None:
    """Rule 3.8; a client order id is answered first (rule 3.1)."""
    desk = Desk("ann")
    first = desk.rest("ann", BUY, LONG, 5, 990, "mine")
    desk.bids("ann", 5, 980)
    desk.halt()
    assert desk.place("ann", BUY, LONG, 5, 970) == [Rejected(Reject.HALTED, 0, "a pause")]
    ann = desk.uids["ann"]
    assert desk.place("ann", BUY, LONG, 5, 990, client_id="mine") == [
        OrderRepeated(first, ann, "mine", desk.time)
    ]
    assert len(desk.place("ann", BUY, LONG, 5, 970, symbol=OTHER)) == 1
    assert len(desk.cancel("ann", first)) == 1
    assert len(desk.ok(commands.CancelContractOrders(ann, SYMBOL))) == 1
    desk.halt(False)
    desk.bids("ann", 5, 970)


def test_orders_of_all_products_share_one_counter() -> None:
    """Rule 1.4: orders, positions and conditional orders; a refused one uses none up."""
    desk = Desk("ann", "ben")
    first = desk.bids("ann", 5, 990)
    refusal(desk.place("ann", BUY, LONG, 1, 990))
    second = desk.algo("ann", BUY, LONG, STOP_MARKET, 5, 1_050)
    said = desk.place("ben", SELL, SHORT, 5, 990)
    third = the(said, ContractOrderPlaced).order_id
    trade = the(said, ContractTrade)
    ids = [first, second, third, trade.taker.position_id, trade.maker.position_id]
    assert ids == [ID, ID + 1, ID + 2, ID + 3, ID + 4]
    assert desk.bids("ann", 5, 980) == ID + 5
