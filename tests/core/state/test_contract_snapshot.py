"""The contract side as bytes and back: equal dumps, equal hashes, equal futures (rule 10)."""

import msgspec
import pytest

from support.contract_walk import START, UNIT, Walk
from support.order_desk import (
    BUY,
    CONTRACT,
    FOK,
    IOC,
    LAST,
    LONG,
    MARK,
    OTHER,
    PLENTY,
    PRICE,
    SECOND,
    SELL,
    SHORT,
    SOURCE,
    STOP,
    STOP_MARKET,
    SYMBOL,
    TRAILING,
    Desk,
    contract,
    of,
    the,
)
from venue.core.book.book import resting
from venue.core.contract.reference.funding import CHUNK
from venue.core.engine import Engine
from venue.core.instruments import Tier
from venue.core.messages import commands
from venue.core.messages.commands import Command, Exit
from venue.core.messages.contract_events import (
    AlgoPlaced,
    AlgoTriggered,
    FundingDue,
    FundingSettled,
    LeverageSet,
)
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.state import audit, snapshot
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import CLIENT_ID_MEMORY_US, Reject

pytestmark = pytest.mark.core

ISOLATED, SEPARATED = 1, 1
ANN, BEN, CID = 10_000_001, 10_000_002, 10_000_003


def lived_in() -> Desk:
    """Something in every corner: positions in every mode, orders, exits, stops, ended ids."""
    desk = Desk("ann", "ben", "cid", "dan", self_trade=2)
    desk.modes("cid", ISOLATED)
    desk.modes("dan", ISOLATED, SEPARATED)
    desk.leverage("cid", 3, 4, 5)
    desk.ok(commands.SetFees(BEN, 7, 8, product=1))
    desk.ok(commands.Deposit(2, CONTRACT, "USDT", 5_000_000))
    desk.pair("ann", "ben", 40)
    desk.pair("ben", "ann", 30, 1_003)
    for lots in (10, 6):
        desk.pair("dan", "ben", lots)
    desk.time += 3 * SECOND
    desk.bids("cid", 20, 995)
    desk.place("ann", SELL, SHORT, 8, 995, client_id="hit")
    desk.ok(commands.MoveMargin(CID, desk.position("cid").position_id, 5_000))
    desk.ok(commands.SetAutoMargin(CID, desk.position("cid").position_id, True))
    protected = desk.command(
        "ann", BUY, LONG, 12, 990, client_id="safe", take_profit=Exit(1_080),
        stop_loss=Exit(940, MARK),
    )  # fmt: skip
    desk.ok(protected)
    desk.place("ben", SELL, SHORT, 5, 990)
    desk.ok(msgspec.structs.replace(protected, client_id="unhurt", price=980))
    desk.rest("ann", SELL, LONG, 15, 1_060, "close")
    desk.rest("ann", SELL, LONG, 5, 1_060)
    dans = desk.positions("dan")
    desk.rest("dan", SELL, LONG, 6, 1_070, "his", dans[1].position_id)
    desk.algo("ann", BUY, LONG, STOP, 4, 1_040, 1_045, MARK, "stop", take_profit=Exit(1_200))
    changed = desk.algo("ann", SELL, LONG, STOP_MARKET, 0, 930, client_id="changed")
    desk.ok(commands.ChangeAlgo(ANN, changed, 935, 920, MARK))
    desk.algo("ben", BUY, SHORT, TRAILING, 0, 0, 0, MARK, callback=30_000)
    desk.algo("ann", SELL, LONG, TRAILING, 4, 1_200, 0, MARK, "later", callback=30_000)
    gone = desk.algo("ann", SELL, LONG, STOP_MARKET, 4, 930, client_id="gone")
    desk.ok(commands.CancelAlgo(ANN, gone))
    desk.place("cid", BUY, LONG, 90, 980, FOK, "killed")
    desk.rest("cid", BUY, LONG, 9, 970, "canceled")
    desk.cancel("cid", client_id="canceled")
    desk.post(1_002)
    for _ in range(3):
        desk.tick(5 * SECOND)
        desk.post(1_001)
    desk.halt(symbol=OTHER)
    desk.freeze("dan")
    return desk


def same(first: Engine, second: Engine, command: Command) -> list[Event]:
    """The events of both for a command, which must be the same."""
    said = first.apply(msgspec.structs.replace(command))
    assert second.apply(msgspec.structs.replace(command)) == said
    return said


# -- equal states ----------------------------------------------------------------------------------


def test_a_dump_loads_to_an_equal_engine() -> None:
    desk = lived_in()
    engine = desk.reopened()
    assert (engine.sequence, engine.time) == (desk.engine.sequence, desk.engine.time)
    assert snapshot.state_hash(engine) == snapshot.state_hash(desk.engine)
    assert audit.problems(engine) == []
    for symbol, perp in desk.engine.contracts.markets.items():
        other = engine.contracts.markets[symbol]
        for half, loaded in (
            (perp.market.book.bids, other.market.book.bids),
            (perp.market.book.asks, other.market.book.asks),
        ):
            assert [order.order_id for order in resting(half)] == [
                order.order_id for order in resting(loaded)
            ]
        assert list(other.positions) == list(perp.positions)
        assert sorted(other.trailing.trails) == sorted(perp.trailing.trails)
        assert other.premiums == perp.premiums
        assert (other.market.halted, other.market.halt_reason) == (
            perp.market.halted,
            perp.market.halt_reason,
        )
    for uid in desk.engine.ledger.accounts:
        first, second = desk.engine.holding(uid), engine.holding(uid)
        assert list(second.orders) == list(first.orders)
        assert list(second.positions) == list(first.positions)
        assert list(second.algos) == list(first.algos)
        assert sorted(second.clients) == sorted(first.clients)
        assert sorted(second.algo_clients) == sorted(first.algo_clients)
        held = [pool.held for pool in first.account.contract]
        assert [pool.held for pool in second.account.contract] == held
        for position_id, position in first.positions.items():
            loaded_position = second.positions[position_id]
            assert list(loaded_position.orders) == list(position.orders)
            assert list(loaded_position.algos) == list(position.algos)
            assert loaded_position.closing == position.closing


def test_an_engine_with_nothing_but_a_contract_too() -> None:
    Desk().reopened()


CHANGES: list[Command] = [
    commands.PlaceContractOrder(ANN, SYMBOL, BUY, LONG, 0, 0, 5, 900),
    commands.CancelContractOrder(ANN, 0, "safe"),
    commands.CancelContractOrders(ANN),
    commands.ClosePositions(ANN, SYMBOL),
    commands.PlaceAlgo(ANN, SYMBOL, BUY, LONG, STOP_MARKET, 5, 900, 0),
    commands.CancelAlgo(ANN, 0, "stop"),
    commands.CancelAlgos(ANN),
    commands.SetLeverage(ANN, SYMBOL, 7),
    commands.SetLeverage(ANN, OTHER, 0, 7),
    commands.SetLeverage(ANN, OTHER, 0, 0, 7),
    commands.SetMarginMode(ANN, OTHER, ISOLATED),
    commands.SetMarginMode(ANN, OTHER, 0, SEPARATED),
    commands.SetFees(ANN, 1, 2, product=1),
    commands.Deposit(ANN, CONTRACT, "USDT", 1),
    commands.Withdraw(ANN, CONTRACT, "USDT", 1),
    commands.PostIndex(SYMBOL, SOURCE, 1_002, jump=True),
    commands.PostIndex(SYMBOL, SOURCE, 0, jump=True),
    commands.HaltInstrument(SYMBOL, True, product=1),
    commands.ListContract(msgspec.structs.replace(
        contract(), instrument=msgspec.structs.replace(
            contract().instrument, symbol="BTCETH", quote="ETH"
        ),
    )),
    commands.ChangeContract(msgspec.structs.replace(contract(), liquidation_ppm=1)),
]  # fmt: skip


@pytest.mark.parametrize("command", CHANGES, ids=lambda command: type(command).__name__)
def test_every_change_changes_the_hash(command: Command) -> None:
    desk = lived_in()
    desk.bids("cid", 2, 985)
    before = snapshot.state_hash(desk.engine)
    desk.ok(msgspec.structs.replace(command))
    assert snapshot.state_hash(desk.engine) != before


def test_positions_changed_only_in_what_is_chosen_have_another_hash() -> None:
    desk = lived_in()
    position = desk.position("cid")
    seen = {snapshot.state_hash(desk.engine)}
    for command in (
        commands.SetAutoMargin(CID, position.position_id, False),
        commands.MoveMargin(CID, position.position_id, 1),
    ):
        desk.ok(command)
        seen.add(snapshot.state_hash(desk.engine))
    assert len(seen) == 3


# -- equal futures ---------------------------------------------------------------------------------


FUTURES: dict[str, list[Command]] = {
    "rally": [
        commands.PostIndex(SYMBOL, SOURCE, price, jump=True)
        for price in (1_039, 1_041, 1_085, 1_250, 1_190)
    ],
    "crash": [
        commands.PostIndex(SYMBOL, SOURCE, price, jump=True)
        for price in (960, 939, 934, 900, 700, 500)
    ],
    "fills": [
        commands.PlaceContractOrder(BEN, SYMBOL, SELL, SHORT, 1, IOC, 20, 0),
        commands.PlaceContractOrder(CID, SYMBOL, BUY, LONG, 0, 0, 40, 1_070),
        commands.PlaceContractOrder(BEN, SYMBOL, SELL, SHORT, 0, 0, 90, 1_001),
        commands.ClosePositions(ANN),
        commands.ClosePositions(BEN),
    ],
    "known ids": [
        commands.PlaceContractOrder(ANN, SYMBOL, SELL, SHORT, 0, 0, 8, 995, "hit"),
        commands.PlaceContractOrder(CID, SYMBOL, BUY, LONG, 0, FOK, 90, 980, "killed"),
        commands.PlaceContractOrder(CID, SYMBOL, BUY, LONG, 0, 0, 9, 970, "canceled"),
        commands.PlaceContractOrder(CID, SYMBOL, BUY, LONG, 0, 0, 8, 970, "canceled"),
        commands.PlaceAlgo(ANN, SYMBOL, SELL, LONG, STOP_MARKET, 0, 930, 0, 0, "changed"),
        commands.PlaceAlgo(ANN, SYMBOL, SELL, LONG, STOP_MARKET, 4, 930, 0, 0, "gone"),
        commands.PlaceAlgo(ANN, SYMBOL, SELL, LONG, STOP_MARKET, 5, 930, 0, 0, "gone"),
        commands.PlaceAlgo(
            ANN, SYMBOL, SELL, LONG, TRAILING, 4, 1_200, 0, MARK, "later", callback_ppm=30_000
        ),
    ],
    "choices": [
        commands.SetLeverage(ANN, SYMBOL, 5, 6, 7),
        commands.SetLeverage(CID, SYMBOL, 5, 6, 7),
        commands.SetMarginMode(ANN, SYMBOL, ISOLATED),
        commands.HaltInstrument(OTHER, False, product=1),
        commands.CancelContractOrders(ANN),
        commands.CancelAlgos(ANN),
    ],
}


@pytest.mark.parametrize("future", FUTURES)
def test_a_loaded_engine_goes_on_as_the_first_would_have(future: str) -> None:
    desk = lived_in()
    first, second = desk.engine, desk.reopened()
    time = desk.time
    for command in FUTURES[future]:
        same(first, second, msgspec.structs.replace(command, time=time))
        same(first, second, commands.Tick(time=time))
        time += SECOND
    same(first, second, commands.Tick(time=time + CLIENT_ID_MEMORY_US))
    assert snapshot.dump(first) == snapshot.dump(second)
    assert audit.problems(second) == []


@pytest.mark.parametrize("seed", range(4))
def test_random_venues_go_on_equally(seed: int) -> None:
    walk = Walk(seed, 200 * START * UNIT)
    first = Engine()
    for command in walk.opening():
        command.time = walk.time
        first.apply(command)
    for _ in range(700):
        first.apply(walk.step(first))
    second = snapshot.load(snapshot.dump(first))
    for _ in range(700):
        same(first, second, walk.step(first))
    assert snapshot.dump(first) == snapshot.dump(second)


@pytest.mark.parametrize("ended", [False, True])
def test_client_ids_used_again_after_a_day_survive_a_reload(ended: bool) -> None:
    """Rule 3.6: the newer holds the id, ended or not, with the older still listed."""
    desk = Desk("ann")
    ann = desk.uids["ann"]
    for _ in range(2):
        desk.time += CLIENT_ID_MEMORY_US
        order = desk.rest("ann", BUY, LONG, 5, 900, "x")
        algo = desk.algo("ann", BUY, LONG, STOP_MARKET, 5, 1_050, client_id="x")
        first, second = desk.engine, desk.reopened()
        if ended or not desk.engine.contracts.client_ids.ended_orders():
            desk.cancel("ann", order)
            desk.ok(commands.CancelAlgo(ann, algo))
            second = desk.reopened()
    holding = second.holding(ann)
    assert holding.clients["x"].order_id == order
    assert holding.algo_clients["x"].algo_id == algo
    same(first, second, commands.Tick(time=desk.time))
    assert snapshot.dump(first) == snapshot.dump(second)
    assert ("x" in holding.clients, "x" in holding.algo_clients) == (True, True)


def test_a_client_id_used_again_in_another_contract_survives_a_reload() -> None:
    """The newer holds the id, although its contract is loaded first."""
    desk = Desk("ann")
    for symbol in (OTHER, SYMBOL):
        algo = desk.algo("ann", BUY, LONG, STOP_MARKET, 5, 1_050, client_id="x", symbol=symbol)
        desk.ok(commands.CancelAlgo(ANN, algo))
        desk.time += CLIENT_ID_MEMORY_US
    desk.time -= 1
    again = desk.algo_command("ann", BUY, LONG, STOP_MARKET, 5, 1_050, client_id="x")
    again.time = desk.time
    (repeated,) = same(desk.engine, desk.reopened(), again)
    assert isinstance(repeated, OrderRepeated)
    assert repeated.order_id == algo


@pytest.mark.parametrize("gone", [False, True])
def test_the_asked_price_source_of_a_changed_one_survives_a_reload(gone: bool) -> None:
    """Rule 3.6: what a conditional order was asked with is compared, not what it was changed to."""
    desk = Desk("ann")
    asked = desk.algo_command("ann", BUY, LONG, STOP_MARKET, 5, 1_050, source=LAST, client_id="x")
    placed = the(desk.ok(asked), AlgoPlaced)
    desk.ok(commands.ChangeAlgo(ANN, placed.algo_id, 1_060, 0, MARK))
    if gone:
        desk.ok(commands.CancelAlgo(ANN, placed.algo_id))
    engine = desk.reopened()
    assert isinstance(same(desk.engine, engine, asked)[0], OrderRepeated)
    other = msgspec.structs.replace(asked, source=MARK)
    assert same(desk.engine, engine, other) == [Rejected(Reject.CLIENT_ID_USED, placed.algo_id)]


def test_trailing_stops_of_several_owners_keep_their_order() -> None:
    """The older one goes first, whoever's it is (rule 8.2)."""
    desk = Desk("ann", "ben", "cid")
    desk.pair("ann", "cid", 10)
    desk.pair("ben", "cid", 10)
    desk.bids("cid", 30, 990)
    older = desk.algo("ben", SELL, LONG, TRAILING, 4, 0, 0, MARK, callback=10_000)
    newer = desk.algo("ann", SELL, LONG, TRAILING, 4, 0, 0, MARK, callback=10_000)
    desk.tick()
    first, second = desk.engine, desk.reopened()
    said = same(first, second, commands.PostIndex(SYMBOL, SOURCE, 980, time=desk.time, jump=True))
    assert [each.algo_id for each in of(said, AlgoTriggered)] == [older, newer]


@pytest.mark.parametrize("chosen", [0, 20])
def test_a_new_default_leverage_is_the_same_for_loaded_owners(chosen: int) -> None:
    """An owner that chose only the default follows it, however often the engine was loaded."""
    desk = Desk("ann", "ben")
    desk.leverage("ann", chosen, chosen, chosen)
    desk.cancel("ann", desk.bids("ann", 5, 900))
    tens = msgspec.structs.replace(contract(), leverage_max=10, tiers=[Tier(AMOUNT_MAX, 10, 8_000)])
    first, second = desk.engine, desk.reopened()
    for changed, leverage in ((tens, 10), (contract(), 20)):
        same(first, second, commands.ChangeContract(changed, desk.time))
        said = same(first, second, commands.SetLeverage(ANN, SYMBOL, time=desk.time))
        assert the(said, LeverageSet).cross == leverage
        second = snapshot.load(snapshot.dump(second))
        assert snapshot.dump(first) == snapshot.dump(second)


def test_a_settlement_under_way_goes_on_where_it_was() -> None:
    """Rule 6.5: more positions than one command settles."""
    desk = Desk()
    engine = desk.engine
    for number in range(CHUNK // 2 + 5):
        pair = []
        for side in ("long", "short"):
            created = engine.apply(commands.CreateOwner(f"{side} {number}", time=desk.time))
            pair.append(created[0].uid)  # type: ignore[union-attr]
            deposit = commands.Deposit(pair[-1], CONTRACT, "USDT", PLENTY, desk.time)
            engine.apply(deposit)
        long, short = pair
        for command in (
            commands.PlaceContractOrder(short, SYMBOL, SELL, SHORT, 0, 0, 2, PRICE),
            commands.PlaceContractOrder(long, SYMBOL, BUY, LONG, 0, 0, 2, PRICE),
        ):
            command.time = desk.time
            assert not isinstance(engine.apply(command)[0], Rejected)
    hours = 8 * 3600 * SECOND
    desk.tick()
    desk.time += hours - desk.time % hours - SECOND
    desk.tick()
    desk.post(PRICE)
    said = desk.tick(SECOND)
    assert [event.symbol for event in of(said, FundingDue)] == [SYMBOL, OTHER]
    assert [event.symbol for event in of(said, FundingSettled)] == [OTHER]
    settlement = desk.perp().settlement
    assert settlement is not None
    ids = [number for number in desk.perp().positions if number >= settlement.next]
    assert len(ids) == 10
    assert settlement.last == ids[-1]
    second = desk.reopened()
    assert second.schedule.pending
    said = same(engine, second, commands.Tick(time=desk.time))
    assert the(said, FundingSettled).positions == CHUNK + 10
    assert snapshot.dump(engine) == snapshot.dump(second)


def test_a_settlement_that_waits_for_its_index_is_remembered() -> None:
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    hours = 8 * 3600 * SECOND
    desk.tick()
    desk.time += hours - desk.time % hours - SECOND
    desk.tick()
    said = desk.tick(SECOND)
    assert [event.due for event in of(said, FundingDue)] == [desk.time, desk.time]
    assert [event.symbol for event in of(said, FundingSettled)] == [OTHER]  # nobody has to wait
    first, second = desk.engine, desk.reopened()
    same(first, second, commands.PostIndex(SYMBOL, SOURCE, 1_001, desk.time, jump=True))
    said = same(first, second, commands.Tick(time=desk.time))
    assert the(said, FundingSettled).due == desk.time
    assert snapshot.dump(first) == snapshot.dump(second)
