"""While a price is in doubt orders only reduce, and no money leaves its pool (rule 5.14)."""

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    ISOLATED,
    MONEY,
    SYMBOL,
    ContractWorld,
    of,
    refusal,
)
from venue.core.contract.position import equity
from venue.core.instruments import Contract
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractOrderClosed, ContractTrade, Income
from venue.core.messages.events import Event, Rejected
from venue.vocabulary import BUY, IOC, LIMIT, LONG, SELL, SHORT, IncomeType, Reject

pytestmark = pytest.mark.core

OTHER = "BBBQQQ"
DUE = 1_699_977_600 * 1_000_000  # 16:00 UTC of the worlds' day


def doubted(*names: str) -> ContractWorld:
    """ann is long 10 against ben, cid long 4 against dan; then the source falls silent."""
    world = ContractWorld("ann", "ben", "cid", "dan", *names)
    world.trade("ann", "ben", 10, 1_000)
    world.trade("cid", "dan", 4, 1_000)
    return world


def silence(world: ContractWorld) -> None:
    world.post(0)
    assert (world.perp.current, world.perp.doubt) == (False, True)


def second_contract() -> Contract:
    """A contract of the same money on another base."""
    instrument = replace(CONTRACT.instrument, symbol=OTHER, base="BBB")
    return replace(CONTRACT, instrument=instrument, index_sources=("desk",))


# -- orders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("price", [1_000, 900, 1_100])
def test_nothing_opens(price: int) -> None:
    world = doubted()
    world.long("dan", 5, 999)
    silence(world)
    for side, way in ((BUY, LONG), (SELL, SHORT)):
        assert refusal(world.order("ann", side, way, 1, price)) == Reject.PRICE_DOUBT


def test_who_saw_the_jump_cannot_open_at_the_old_mark() -> None:
    """The true price is 1,300; its source is silent. eve would buy what ben still offers."""
    world = doubted("eve")
    world.short("ben", 50, 1_001)
    silence(world)
    assert refusal(world.long("eve", 50, 1_001, IOC)) == Reject.PRICE_DOUBT
    assert refusal(world.order("eve", BUY, LONG, 50, 0)) == Reject.PRICE_DOUBT
    world.post(1_300)
    assert world.money("eve") == MONEY
    assert world.positions("eve") == []


def test_those_who_reduce_meet_while_openings_are_parked() -> None:
    """An opening bid stands at 1,001, a closing one at 1,000: ann's close meets the second, and its
    rest waits in the book. The first would cross it when the doubt ends, and stays parked."""
    world = doubted("eve")
    world.long("eve", 7, 1_001)
    world.close_short("ben", 6, 1_000)
    silence(world)
    said = world.close_long("ann", 10, 1_000)
    assert [(each.price, each.quantity) for each in of(said, ContractTrade)] == [(1_000, 6)]
    assert of(said, ContractOrderClosed) == []
    assert world.position("ann").quantity == 4
    assert [level.price for level in world.perp.market.book.asks.walk()] == [1_000]
    said = world.post(1_000)
    assert not world.perp.doubt
    assert of(said, ContractTrade) == []  # nothing trades until the next order
    assert of(said, ContractOrderClosed) == []
    assert [order.uid for order in world.perp.market.book.parked.values()] == [world.uids["eve"]]
    (trade,) = of(world.close_short("ben", 4, 1_000, IOC), ContractTrade)
    assert (trade.price, trade.quantity, trade.maker.uid) == (1_000, 4, world.uids["ann"])


# -- money -----------------------------------------------------------------------------------------


def outward(world: ContractWorld, name: str) -> list[commands.Command]:
    uid = world.uids[name]
    return [
        commands.Withdraw(uid, 1, "QQQ", 1),
        commands.Transfer(uid, 1, 2, "QQQ", 1),
    ]


def test_nothing_leaves_a_pool_with_a_position_in_doubt() -> None:
    world = doubted("eve")
    silence(world)
    for command in outward(world, "ann"):
        assert refusal(world.apply(command)) == Reject.FUNDS
    for command in outward(world, "eve"):
        world.ok(command)
    world.post(1_000)
    for command in outward(world, "ann"):
        world.ok(command)


def test_no_margin_moves_in_or_out_of_what_is_in_doubt() -> None:
    world = ContractWorld("ann", "ben")
    world.isolate("ann")
    world.trade("ann", "ben", 10, 1_000)
    position = world.position("ann").position_id
    world.ok(commands.MoveMargin(world.uids["ann"], position, 500))
    silence(world)
    out = commands.MoveMargin(world.uids["ann"], position, -100)
    assert refusal(world.apply(out)) == Reject.PRICE_DOUBT
    world.ok(commands.MoveMargin(world.uids["ann"], position, 100))  # in is no danger


def test_a_cross_pool_in_doubt_opens_no_isolated_position() -> None:
    """Neither as a taker nor by an order that rests: that one stays, and is not met."""
    world = doubted()
    world.ok(commands.RegisterAsset("BBB", 0))
    world.ok(commands.ListContract(second_contract()))
    world.ok(commands.PostIndex(OTHER, "desk", 1_000, jump=True))
    ann = world.uids["ann"]
    world.ok(commands.SetMarginMode(ann, OTHER, ISOLATED))

    def order(uid: int, side: int, way: int, tif: int = 0) -> list[Event]:
        command = commands.PlaceContractOrder(uid, OTHER, side, way, LIMIT, tif, 5, 1_000)
        return world.apply(command)

    order(ann, BUY, LONG)
    silence(world)
    assert refusal(order(ann, BUY, LONG)) == Reject.PRICE_DOUBT
    world.ok(commands.CreateOwner("eve"))
    eve = world.engine.ledger.names["eve"]
    world.ok(commands.Deposit(eve, 1, "QQQ", MONEY))
    assert of(order(eve, SELL, SHORT, IOC), ContractTrade) == []
    world.post(1_000)
    assert [each.quantity for each in of(order(eve, SELL, SHORT, IOC), ContractTrade)] == [5]


# -- funding that is owed --------------------------------------------------------------------------


@pytest.mark.parametrize("price", range(950, 1_001, 5))
def test_who_closes_at_the_due_time_pays_its_funding_first(price: int) -> None:
    """ann's long owes funding from the due time on; before the tick she would sell to cid, her
    accomplice, at the price that leaves her nothing: the funding would be the fund's to pay."""
    world = ContractWorld("ben", "cid", contract=CONTRACT)
    world.owner("ann", 2_500)
    world.ok(commands.SetLeverage(world.uids["ann"], SYMBOL, 50, 50, 50))
    world.trade("ann", "ben", 90, 1_000)
    world.premium(3_000_000)  # longs pay 0.25 %
    for before in (8, 4):
        world.time = DUE - before * 1_000_000
        world.post(1_000)
    world.time = DUE + 100_000
    world.long("cid", 90, price)
    kept = equity(world.holding("fund").cross(0))
    said = world.close_long("ann", 90, price, IOC)
    paid = [each for each in of(said, Income) if each.kind == IncomeType.POSITION_FUNDING]
    assert world.money("ann") + 90_000 * bool(world.positions("ann")) >= 0
    assert equity(world.holding("fund").cross(0)) >= kept
    if of(said, ContractTrade):
        assert [each.amount for each in paid if each.uid == world.uids["ann"]] != []
    else:
        assert not any(isinstance(event, Rejected) for event in said)
