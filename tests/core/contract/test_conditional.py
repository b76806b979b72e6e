"""Conditional orders: attached exits, trailing stops, changes, ends, client ids (rule 8)."""

import msgspec
import pytest

from support.order_desk import (
    BUY,
    LAST,
    LONG,
    MARK,
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
    floor,
    of,
    refusal,
    the,
)
from venue.core.messages import commands
from venue.core.messages.commands import NO_EXIT, Exit
from venue.core.messages.contract_events import (
    AlgoChanged,
    AlgoClosed,
    AlgoPlaced,
    AlgoTriggered,
    ContractOrderPlaced,
)
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.units import PRICE_MAX
from venue.vocabulary import (
    CLIENT_ID_MEMORY_US,
    AlgoStatus,
    Reject,
)

pytestmark = pytest.mark.core

every_source = pytest.mark.parametrize("source", [LAST, MARK], ids=["last", "mark"])


# -- attached exits (rule 8.3) ---------------------------------------------------------------------


def protected() -> tuple[Desk, int]:
    """ann's order for 10 long at 995, with exits at 1050 and 950, rests."""
    desk = Desk("ann", "ben")
    desk.last(PRICE)
    (placed,) = desk.place(
        "ann", BUY, LONG, 10, 995, take_profit=Exit(1_050), stop_loss=Exit(950, MARK)
    )
    assert isinstance(placed, ContractOrderPlaced)
    return desk, placed.order_id


def test_exits_appear_with_the_first_fill_and_grow_with_the_next() -> None:
    desk, parent = protected()
    assert desk.holding("ann").algos == {}
    said = desk.place("ben", SELL, SHORT, 4, 995)
    profit, loss = of(said, AlgoPlaced)
    position_id = desk.position("ann").position_id
    for exit_ in (profit, loss):
        assert (exit_.parent_id, exit_.position_id, exit_.quantity) == (parent, position_id, 4)
        assert (exit_.side, exit_.position_side) == (SELL, LONG)
    assert (profit.type, profit.trigger_price, profit.source) == (TAKE_PROFIT_MARKET, 1_050, LAST)
    assert (loss.type, loss.trigger_price, loss.source) == (STOP_MARKET, 950, MARK)
    assert (profit.rising, loss.rising) == (True, False)
    said = desk.place("ben", SELL, SHORT, 3, 995)
    assert of(said, AlgoPlaced) == []
    assert [(each.algo_id, each.quantity) for each in of(said, AlgoChanged)] == [
        (profit.algo_id, 7),
        (loss.algo_id, 7),
    ]


def test_what_an_order_opens_after_its_position_was_closed_gets_exits_of_its_own() -> None:
    desk, parent = protected()
    first = of(desk.place("ben", SELL, SHORT, 4, 995), AlgoPlaced)
    desk.bids("ben", 4, 996)
    said = desk.place("ann", SELL, LONG, 4, 996)
    assert [each.algo_id for each in of(said, AlgoClosed)] == [each.algo_id for each in first]
    again = of(desk.place("ben", SELL, SHORT, 2, 995), AlgoPlaced)
    position_id = desk.position("ann").position_id
    assert [
        (each.parent_id, each.position_id, each.quantity, each.trigger_price) for each in again
    ] == [(parent, position_id, 2, 1_050), (parent, position_id, 2, 950)]
    desk.reopened()
    said = desk.place("ben", SELL, SHORT, 3, 995)
    assert [(each.algo_id, each.quantity) for each in of(said, AlgoChanged)] == [
        (each.algo_id, 5) for each in again
    ]


@pytest.mark.parametrize("exits", [1, 2])
def test_exits_count_against_what_may_wait(exits: int) -> None:
    """Rule 8.5, when their order is placed."""
    desk = Desk("ann")
    for _ in range(51 - exits):
        newest = desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 1_010)
    loss = Exit(950) if exits == 2 else NO_EXIT
    said = desk.place("ann", BUY, LONG, 10, 995, take_profit=Exit(1_050), stop_loss=loss)
    assert said == [Rejected(Reject.ALGO_ORDERS_SYMBOL, 50)]
    desk.rest("ann", BUY, LONG, 10, 995)
    desk.ok(commands.CancelAlgo(desk.uids["ann"], newest))
    (placed,) = desk.place("ann", BUY, LONG, 10, 995, take_profit=Exit(1_050), stop_loss=loss)
    assert isinstance(placed, ContractOrderPlaced)


def test_exits_that_open_orders_will_have_count_already() -> None:
    """25 orders with two exits each are what 50 allow, whatever opens first."""
    desk = Desk("ann")
    profit, loss = Exit(1_050), Exit(950)
    placed = [
        the(
            desk.place("ann", BUY, LONG, 2, 995, take_profit=profit, stop_loss=loss),
            ContractOrderPlaced,
        )
        for _ in range(25)
    ]
    refused = [Rejected(Reject.ALGO_ORDERS_SYMBOL, 50)]
    assert desk.place("ann", BUY, LONG, 2, 995, take_profit=profit) == refused
    command = desk.algo_command("ann", BUY, LONG, STOP_MARKET, 4, 1_010)
    assert desk.apply(command) == refused
    desk.cancel("ann", placed[0].order_id)
    desk.ok(msgspec.structs.replace(command))


def test_after_an_exit_was_triggered_what_opens_later_gets_new_ones() -> None:
    """The position is larger than the exits, and stays."""
    desk, parent = protected()
    desk.asks("ben", 5, 1_000)
    desk.place("ann", BUY, LONG, 5, 1_000)
    first = of(desk.place("ben", SELL, SHORT, 3, 995), AlgoPlaced)
    desk.bids("ben", 3, 1_040)
    said = desk.last(1_050)
    assert the(said, AlgoTriggered).algo_id == first[0].algo_id
    assert the(said, AlgoClosed).algo_id == first[1].algo_id
    assert desk.position("ann").quantity == 5
    desk.reopened()
    again = of(desk.place("ben", SELL, SHORT, 4, 995), AlgoPlaced)
    assert [(each.parent_id, each.quantity) for each in again] == [(parent, 4)] * 2
    said = desk.place("ben", SELL, SHORT, 2, 995)
    assert [each.quantity for each in of(said, AlgoChanged)] == [6, 6]


def test_the_exits_of_a_short_lie_the_other_way_round() -> None:
    desk = Desk("ann", "ben")
    desk.bids("ben", 10, 1_000)
    said = desk.place(
        "ann", SELL, SHORT, 6, 1_000, take_profit=Exit(950), stop_loss=Exit(1_050, MARK)
    )
    profit, loss = of(said, AlgoPlaced)
    assert (profit.side, profit.rising, loss.side, loss.rising) == (BUY, False, BUY, True)


def test_one_exit_triggered_cancels_the_other() -> None:
    """It closes what its parent opened; the rest of the position stays."""
    desk, _ = protected()
    desk.asks("ben", 5, 1_000)
    desk.place("ann", BUY, LONG, 5, 1_000)
    profit, loss = of(desk.place("ben", SELL, SHORT, 10, 995), AlgoPlaced)
    desk.bids("ben", 100, 1_040)
    said = desk.last(1_050)
    assert the(said, AlgoTriggered).algo_id == profit.algo_id
    assert [(each.algo_id, each.status) for each in of(said, AlgoClosed)] == [
        (loss.algo_id, AlgoStatus.CANCELED)
    ]
    assert desk.position("ann").quantity == 5
    assert desk.holding("ann").algos == {}


def test_an_exit_rejected_leaves_the_other() -> None:
    desk, _ = protected()
    profit, loss = of(desk.place("ben", SELL, SHORT, 10, 995), AlgoPlaced)
    said = desk.last(1_050)  # nobody buys
    assert the(said, AlgoTriggered).reason == Reject.NO_LIQUIDITY
    assert list(desk.holding("ann").algos) == [loss.algo_id]
    desk.bids("ben", 10, 940)
    assert the(desk.post(949), AlgoTriggered).order_id > profit.algo_id


def test_the_end_of_the_position_expires_them() -> None:
    desk, _ = protected()
    exits = of(desk.place("ben", SELL, SHORT, 10, 995), AlgoPlaced)
    desk.bids("ben", 10, 990)
    said = desk.place("ann", SELL, LONG, 10, 990)
    assert [(each.algo_id, each.status) for each in of(said, AlgoClosed)] == [
        (each.algo_id, AlgoStatus.EXPIRED) for each in exits
    ]
    assert desk.holding("ann").algos == {}


def test_an_exit_that_ends_the_position_ends_every_other_too() -> None:
    desk, _ = protected()
    profit, loss = of(desk.place("ben", SELL, SHORT, 10, 995), AlgoPlaced)
    other = desk.algo("ann", SELL, LONG, STOP_MARKET, 0, 900)
    desk.bids("ben", 10, 1_040)
    said = desk.last(1_050)
    assert the(said, AlgoTriggered).algo_id == profit.algo_id
    assert {each.algo_id for each in of(said, AlgoClosed)} == {loss.algo_id, other}
    assert desk.holding("ann").algos == {}


def test_an_order_that_opens_nothing_gets_no_exits() -> None:
    desk, parent = protected()
    desk.cancel("ann", parent)
    assert desk.holding("ann").algos == {}


def test_after_a_part_is_closed_the_exit_closes_what_is_left() -> None:
    desk, _ = protected()
    desk.place("ben", SELL, SHORT, 10, 995)
    desk.bids("ben", 100, 945)
    desk.place("ann", SELL, LONG, 7, 945)
    said = desk.post(950)
    (placed,) = of(said, ContractOrderPlaced)
    assert placed.quantity == 3
    assert desk.positions("ann") == []


def test_a_fill_better_than_the_stop_triggers_it_at_once() -> None:
    desk = Desk("ann", "ben")
    desk.asks("ben", 5, 990)
    desk.bids("ben", 5, 980)
    said = desk.place("ann", BUY, LONG, 5, 1_000, stop_loss=Exit(995))
    assert the(said, AlgoTriggered).price == 995
    assert desk.positions("ann") == []


# -- trailing stops --------------------------------------------------------------------------------


@every_source
def test_a_trailing_stop_follows_from_its_activation_on(source: int) -> None:
    """1 % below the best price since 1020 was reached."""
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    desk.bids("ben", 10, 990)
    algo_id = desk.algo("ann", SELL, LONG, TRAILING, 4, 1_020, 0, source, callback=10_000)
    for price, trigger in (
        (1_010, 0),  # not yet active
        (999, 0),
        (1_020, 1_009),
        (1_015, 1_009),
        (1_060, 1_049),
        (1_050, 1_049),
    ):
        assert of(desk.move(source, price), AlgoTriggered) == []
        algo = desk.waiting("ann", algo_id)
        assert (algo.extreme > 0, algo.trigger_price) == (trigger > 0, trigger)
    triggered = the(desk.move(source, 1_049), AlgoTriggered)
    assert (triggered.algo_id, triggered.price, triggered.reason) == (algo_id, 1_049, 0)
    assert desk.position("ann").quantity == 6
    assert desk.perp().trailing.trails == {}


def test_a_shorts_trailing_stop_follows_downwards_and_rounds_up() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ben", "ann", 10)
    desk.asks("ben", 10, 1_030)
    algo_id = desk.algo("ann", BUY, SHORT, TRAILING, 0, 980, 0, MARK, callback=20_000)
    for price, trigger in ((990, 0), (980, 1_000), (931, 950)):
        assert of(desk.post(price), AlgoTriggered) == []
        assert desk.waiting("ann", algo_id).trigger_price == trigger
    assert of(desk.post(949), AlgoTriggered) == []
    assert the(desk.post(950), AlgoTriggered).algo_id == algo_id
    assert desk.positions("ann", SHORT) == []


@every_source
@pytest.mark.parametrize("activation", [0, 990, PRICE], ids=["none", "reached", "just reached"])
def test_a_trailing_stop_knows_the_price_at_its_placing(source: int, activation: int) -> None:
    """Without a tick between, the next price is 1 % lower: that triggers it (8.2). One whose
    activation price has not come waits for it."""
    desk = floor()
    algo_id = desk.algo("ann", SELL, LONG, TRAILING, 4, activation, 0, source, callback=10_000)
    waits = desk.algo("ann", SELL, LONG, TRAILING, 4, 1_001, 0, source, callback=10_000)
    assert (desk.waiting("ann", algo_id).extreme, desk.waiting("ann", waits).extreme) == (PRICE, 0)
    assert desk.waiting("ann", algo_id).trigger_price == 990
    triggered = the(desk.move(source, 990), AlgoTriggered)
    assert (triggered.algo_id, triggered.price) == (algo_id, 990)
    assert desk.waiting("ann", waits).extreme == 0


@every_source
def test_a_buying_trailing_stop_knows_the_price_at_its_placing(source: int) -> None:
    desk = floor()
    desk.pair("ben", "ann", 10)
    algo_id = desk.algo("ann", BUY, SHORT, TRAILING, 4, 1_001, 0, source, callback=10_000)
    waits = desk.algo("ann", BUY, SHORT, TRAILING, 4, 999, 0, source, callback=10_000)
    assert (desk.waiting("ann", algo_id).extreme, desk.waiting("ann", waits).extreme) == (PRICE, 0)
    assert the(desk.move(source, 1_010), AlgoTriggered).algo_id == algo_id


def test_before_a_first_trade_a_trailing_stop_begins_at_the_mark() -> None:
    """As an ordinary one is compared with it then (8.1)."""
    desk = Desk("ann", "ben")
    algo_id = desk.algo("ann", BUY, LONG, TRAILING, 4, 0, 0, LAST, callback=10_000)
    assert desk.perp().trigger_last == 0
    assert desk.waiting("ann", algo_id).extreme == desk.perp().mark
    again = desk.reopened()
    assert again.contracts.markets[SYMBOL].trailing.prices_of(algo_id) == (PRICE, 1_010)


def test_a_trailing_stop_may_open_too() -> None:
    desk = floor()
    desk.algo("ann", BUY, LONG, TRAILING, 4, 990, 0, MARK, callback=10_000)
    assert of(desk.post(980), AlgoTriggered) == []
    assert len(of(desk.post(990), AlgoTriggered)) == 1
    assert desk.position("ann").quantity == 14


def test_of_several_trailing_stops_each_goes_by_itself() -> None:
    desk = floor()
    ids = [
        desk.algo("ann", SELL, LONG, TRAILING, 2, 0, 0, MARK, callback=rate)
        for rate in (30_000, 10_000, 20_000)
    ]
    desk.tick()
    assert [each.algo_id for each in of(desk.post(980), AlgoTriggered)] == [ids[1], ids[2]]
    assert list(desk.perp().trailing.trails) == [ids[0]]
    desk.ok(commands.CancelAlgo(desk.uids["ann"], ids[0]))
    assert desk.perp().trailing.trails == {}


# -- changing and cancelling -----------------------------------------------------------------------


def change(
    desk: Desk, algo_id: int, trigger: int, price: int = 0, source: int = LAST
) -> list[Event]:
    return desk.apply(commands.ChangeAlgo(desk.uids["ann"], algo_id, trigger, price, source))


def test_a_changed_one_triggers_at_its_new_price_only() -> None:
    desk = floor()
    algo_id = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 995, source=MARK)
    assert change(desk, algo_id, 990, 980, LAST) == [
        AlgoChanged(algo_id, desk.uids["ann"], SYMBOL, STOP, 990, 980, LAST, False, 4)
    ]
    assert of(desk.post(986), AlgoTriggered) == []
    said = desk.last(990)
    assert the(said, AlgoTriggered).algo_id == algo_id
    assert [each.price for each in of(said, ContractOrderPlaced) if each.algo_id] == [980]


def test_a_change_to_no_price_makes_it_a_market_one_and_back() -> None:
    desk = floor()
    algo_id = desk.algo("ann", SELL, LONG, TAKE_PROFIT, 4, 1_010, 1_000)
    assert the(change(desk, algo_id, 1_010), AlgoChanged).type == TAKE_PROFIT_MARKET
    assert the(change(desk, algo_id, 1_010, 5), AlgoChanged).type == TAKE_PROFIT


def test_a_change_keeps_a_closing_ones_direction_and_finds_an_opening_ones_anew() -> None:
    desk = floor()
    closing = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990)
    opening = desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 990)
    assert change(desk, closing, 1_000) == [Rejected(Reject.WOULD_TRIGGER, 1_000)]
    assert change(desk, closing, 1_010) == [Rejected(Reject.WOULD_TRIGGER, 1_000)]
    assert change(desk, opening, 1_000) == [Rejected(Reject.WOULD_TRIGGER, 1_000)]
    assert the(change(desk, opening, 1_010), AlgoChanged).rising
    assert not the(change(desk, closing, 980), AlgoChanged).rising


def test_the_faults_of_a_change() -> None:
    desk = floor()
    mine = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990)
    trailing = desk.algo("ann", SELL, LONG, TRAILING, 4, 0, callback=10_000)
    bens = desk.algo("ben", SELL, LONG, STOP_MARKET, 4, 990)
    unknown = [Rejected(Reject.ALGO_UNKNOWN)]
    assert change(desk, bens, 980) == unknown
    assert change(desk, 1, 980) == unknown
    assert desk.apply(commands.ChangeAlgo(NOBODY, mine, 980, 0, LAST)) == unknown
    for trigger in (0, -1, PRICE_MAX + 1):
        assert change(desk, mine, trigger) == [Rejected(Reject.TRIGGER_PRICE, PRICE_MAX)]
    for price in (-1, PRICE_MAX + 1):
        assert change(desk, mine, 980, price) == [Rejected(Reject.PRICE, PRICE_MAX)]
    assert refusal(change(desk, trailing, 980)) == Reject.TYPE
    desk.ok(commands.CancelAlgo(desk.uids["ann"], mine))
    assert change(desk, mine, 980) == unknown


def test_a_halted_contract_takes_no_change_but_cancels() -> None:
    """Rule 3.8."""
    desk = floor()
    first = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990)
    desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 980)
    desk.halt()
    assert change(desk, first, 985) == [Rejected(Reject.HALTED, 0, "a pause")]
    desk.ok(commands.CancelAlgo(desk.uids["ann"], first))
    assert len(desk.ok(commands.CancelAlgos(desk.uids["ann"]))) == 1


def test_cancel_by_id_and_by_client_id() -> None:
    desk = floor()
    ann = desk.uids["ann"]
    first = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990, source=MARK, client_id="x")
    second = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 991, source=MARK)
    for command in (
        commands.CancelAlgo(desk.uids["ben"], first),
        commands.CancelAlgo(desk.uids["ben"], 0, "x"),
        commands.CancelAlgo(ann, 0, "y"),
        commands.CancelAlgo(ann),
        commands.CancelAlgo(NOBODY, first),
    ):
        assert refusal(desk.apply(command)) == Reject.ALGO_UNKNOWN
    canceled = AlgoStatus.CANCELED
    assert desk.apply(commands.CancelAlgo(ann, 0, "x")) == [
        AlgoClosed(first, ann, SYMBOL, canceled)
    ]
    assert desk.apply(commands.CancelAlgo(ann, second)) == [
        AlgoClosed(second, ann, SYMBOL, canceled)
    ]
    assert refusal(desk.apply(commands.CancelAlgo(ann, second))) == Reject.ALGO_UNKNOWN
    assert of(desk.post(980), AlgoTriggered) == []


def test_cancel_all_ends_one_symbol_or_all_oldest_first() -> None:
    desk = floor()
    ann = desk.uids["ann"]
    ids = [
        desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 990),
        desk.algo("ann", SELL, LONG, TRAILING, 4, 0, callback=10_000),
        desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 1_010, source=MARK),
    ]
    other = desk.algo("ann", BUY, LONG, STOP_MARKET, 4, 1_010, symbol=OTHER)
    desk.algo("ben", SELL, LONG, STOP_MARKET, 4, 990)
    assert refusal(desk.apply(commands.CancelAlgos(NOBODY))) == Reject.OWNER_UNKNOWN
    assert refusal(desk.apply(commands.CancelAlgos(ann, "nothing"))) == Reject.SYMBOL_UNKNOWN
    said = desk.ok(commands.CancelAlgos(ann, SYMBOL))
    assert [each.algo_id for each in of(said, AlgoClosed)] == ids
    assert [each.algo_id for each in of(desk.ok(commands.CancelAlgos(ann)), AlgoClosed)] == [other]
    assert len(desk.holding("ben").algos) == 1


# -- client ids (rule 3.6) -------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["waiting", "changed", "triggered", "canceled"])
def test_the_same_client_id_has_one_effect(ending: str) -> None:
    desk = floor()
    command = desk.algo_command("ann", SELL, LONG, STOP_MARKET, 4, 990, 0, MARK, "x")
    (placed,) = desk.ok(command)
    assert isinstance(placed, AlgoPlaced)
    first_time = desk.time
    if ending == "changed":
        change(desk, placed.algo_id, 980, 970, MARK)
    elif ending == "triggered":
        assert the(desk.post(990), AlgoTriggered).reason == 0
    elif ending == "canceled":
        desk.ok(commands.CancelAlgo(desk.uids["ann"], placed.algo_id))
    desk.time += CLIENT_ID_MEMORY_US - 1
    repeated = [OrderRepeated(placed.algo_id, desk.uids["ann"], "x", first_time)]
    assert desk.apply(msgspec.structs.replace(command)) == repeated
    used = [Rejected(Reject.CLIENT_ID_USED, placed.algo_id)]
    for other in (
        {"symbol": OTHER},
        {"side": BUY},
        {"position_side": SHORT},
        {"type": TAKE_PROFIT_MARKET},
        {"quantity": 5},
        {"trigger_price": 989},
        {"source": LAST},
        {"take_profit": Exit(1_100)},
        {"stop_loss": Exit(900)},
        {"callback_ppm": 1},
    ):
        assert desk.apply(msgspec.structs.replace(command, **other)) == used
    desk.tick(1)
    fresh = desk.apply(msgspec.structs.replace(command, quantity=5, trigger_price=900))
    if ending in ("waiting", "changed"):
        assert fresh == used
    else:
        assert isinstance(fresh[0], AlgoPlaced)


def test_a_trailing_stop_is_known_again_while_it_follows() -> None:
    desk = floor()
    command = desk.algo_command(
        "ann", SELL, LONG, TRAILING, 4, 1_005, 0, MARK, "x", callback=50_000
    )
    (placed,) = desk.ok(command)
    assert isinstance(placed, AlgoPlaced)
    desk.post(1_006)
    assert isinstance(desk.apply(msgspec.structs.replace(command))[0], OrderRepeated)
    other = msgspec.structs.replace(command, callback_ppm=40_000)
    assert desk.apply(other) == [Rejected(Reject.CLIENT_ID_USED, placed.algo_id)]
