"""Pools that nobody can help now: their shields, the owners that bear their losses, and the turns
of repair (rules 0.5, 0.9). Two contracts, one settle asset; one tick x lot is one atom."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from support.contract_world import (
    CONTRACT,
    INSTRUMENT,
    MONEY,
    SYMBOL,
    ContractWorld,
    of,
)
from venue.core.contract.position import equity, maintenance
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import (
    Deleveraged,
    Income,
    LiquidationStarted,
    LiquidationStep,
)
from venue.core.messages.events import Event
from venue.core.state import snapshot
from venue.vocabulary import BUY, GTC, LIMIT, LONG, SELL, SHORT, Reject

pytestmark = pytest.mark.core

OTHER = "BBBQQQ"
FIX = "order_fix_margin_amount"


def two_contracts(*names: str, fund: int = MONEY) -> ContractWorld:
    """A world with a second contract, `OTHER`, at 1,000 as well."""
    world = ContractWorld(*names, fund=fund)
    other = replace(INSTRUMENT, symbol=OTHER, base="BBB")
    world.ok(commands.RegisterAsset("BBB", 0))
    world.ok(commands.ListContract(replace(CONTRACT, instrument=other)))
    post_other(world, 1_000)
    return world


def post_other(world: ContractWorld, price: int) -> list[Event]:
    return world.apply(commands.PostIndex(OTHER, "desk", price, jump=True))


def trade_other(world: ContractWorld, long: str, short: str, lots: int) -> None:
    for name, side, position_side in ((short, SELL, SHORT), (long, BUY, LONG)):
        world.ok(
            commands.PlaceContractOrder(
                world.uids[name], OTHER, side, position_side, LIMIT, GTC, lots, 1_000
            )
        )


def halt(world: ContractWorld, symbol: str, halted: bool = True) -> None:
    world.ok(commands.HaltInstrument(symbol, halted, product=1))


def pools(world: ContractWorld, events: list[Event]) -> list[str]:
    names = {uid: name for name, uid in world.uids.items()}
    return [names[event.uid] for event in of(events, LiquidationStarted)]


# -- one symbol never shields another -------------------------------------------------------------


@pytest.mark.parametrize("how", ["stale", "halted"])
def test_a_symbol_that_cannot_be_traded_shields_no_other(how: str) -> None:
    """Long 10 of each with 1,300: at 850 in one of them the equity is 1,290 - 1,500 = -210.

    The position that can be traded goes to the fund at once; the other waits, says nothing at
    any tick, and goes when its symbol can be traded again.
    """
    world = two_contracts("ben")
    world.owner("ann", 1_300)
    world.trade("ann", "ben", 10, 1_000)
    trade_other(world, "ann", "ben", 10)
    assert world.money("ann") == 1_300 - 20_000 - 10
    if how == "halted":
        halt(world, OTHER)
    else:
        post_other(world, 0)
    events = world.post(850)
    (step,) = of(events, LiquidationStep)
    assert (step.symbol, step.taken_over, step.mark) == (SYMBOL, 10, 850)
    assert [position.perp.symbol for position in world.positions("ann")] == [OTHER]
    assert equity(world.cross("fund")) >= 0
    for _ in range(5):
        world.wait(1)
        world.post(850)
        assert of(world.tick(), LiquidationStarted) == []
    owned = world.everything()
    if how == "halted":
        halt(world, OTHER, False)
    events = post_other(world, 1_000) + world.tick()
    assert pools(world, events) == ["ann"]
    assert world.positions("ann") == []
    assert world.money("ann") == 0
    assert world.everything() == owned


def test_a_sound_pool_takes_no_harm_from_a_symbol_in_doubt() -> None:
    """A pool that waits may become safe by itself: nothing is taken from it."""
    world = two_contracts("ben")
    world.owner("ann", 1_100)
    trade_other(world, "ann", "ben", 10)
    halt(world, OTHER)
    post_other(world, 850)
    assert equity(world.cross("ann")) <= maintenance(world.cross("ann"))
    assert of(world.tick(), LiquidationStarted) == []
    post_other(world, 990)
    halt(world, OTHER, False)
    assert of(world.tick(), LiquidationStarted) == []
    assert len(world.positions("ann")) == 1


def test_what_cannot_be_traded_is_not_deleveraged() -> None:
    """Without a fund the traded part is deleveraged against ben; the halted one is left alone."""
    world = two_contracts("ben", fund=0)
    world.owner("ann", 1_500)
    world.trade("ann", "ben", 10, 1_000)
    trade_other(world, "ann", "ben", 10)
    halt(world, OTHER)
    events = world.post(850)
    assert {event.symbol for event in of(events, Deleveraged)} == {SYMBOL}
    (left,) = world.positions("ann")
    assert (left.perp.symbol, left.quantity) == (OTHER, 10)


def test_the_fund_shelters_what_the_last_mark_bears_up_to_a_tenth_of_its_equity() -> None:
    """Both halted: at 900 and 901 ann's equity is 2,090 - 1,000 - 990 = 100, her maintenance
    90 + 91. Without the heavier position's 1 % of 9,010 she would still have 9: it may go to the
    fund, 6 lots of it: a tenth of the fund's 60,000 is 6,000, 6 lots at 901 are 5,406."""
    world = two_contracts("ben", fund=60_000)
    world.owner("ann", 2_100)
    world.trade("ann", "ben", 10, 1_000)
    trade_other(world, "ann", "ben", 10)
    halt(world, SYMBOL)
    halt(world, OTHER)
    world.post(900)
    events = post_other(world, 901)
    taken = {step.symbol: step.taken_over for step in of(events, LiquidationStep)}
    assert taken == {OTHER: 6}
    assert world.position("fund").quantity == 6
    for _ in range(3):
        world.wait(1)
        assert of(world.tick(), LiquidationStarted) == []


# -- nobody is deleveraged into debt --------------------------------------------------------------


def thin_counterparty() -> ContractWorld:
    """No fund. Ann's isolated long of 10 (bankrupt at 950) waits in a halted contract at 900; dan,
    the only short, has lost 1,100 elsewhere: equity 413 + 1,000 - 1,100 = 313."""
    world = two_contracts("ann", "eve", fund=0)
    world.owner("dan", 420)
    world.ok(commands.SetLeverage(world.uids["dan"], SYMBOL, 50))
    world.ok(commands.SetLeverage(world.uids["dan"], OTHER, 50))
    world.isolate("ann")
    world.trade("ann", "dan", 10, 1_000)
    trade_other(world, "dan", "eve", 10)
    assert equity(world.cross("dan")) == 413
    halt(world, SYMBOL)
    assert of(world.post(900), LiquidationStarted) == []
    post_other(world, 890)
    assert equity(world.cross("dan")) == 313
    return world


def test_a_deleveraged_owner_keeps_its_maintenance_margin() -> None:
    """Closing x lots at 950 costs 50 each: 313 - 50 x >= 89 + 9 (10 - x) up to x = 3. The other 7
    stay with ann, whose pool is in debt and waits; she cannot touch it, and dan is no poorer."""
    world = thin_counterparty()
    owned = world.everything()
    halt(world, SYMBOL, False)
    events = world.tick()
    (taken,) = of(events, Deleveraged)
    assert (taken.quantity, taken.price) == (3, 950)
    dan = world.cross("dan")
    assert (equity(dan), maintenance(dan)) == (313 - 3 * 50, 63 + 89)
    (step,) = of(events, LiquidationStep)
    assert (step.wanted, step.filled, step.taken_over, step.deleveraged) == (10, 0, 0, 3)
    ann = world.position("ann")
    assert ann.quantity == 7
    assert equity(ann.pool) < 0
    assert world.everything() == owned
    move = commands.MoveMargin(world.uids["ann"], ann.position_id, -1)
    (refused,) = world.apply(move)
    assert getattr(refused, "reason", 0) == Reject.FUNDS
    for _ in range(5):  # nothing is said while nobody can help
        world.wait(1)
        world.post(900)
        assert of(world.tick(), LiquidationStarted) == []


def test_what_waits_is_taken_over_when_the_fund_has_money() -> None:
    world = thin_counterparty()
    halt(world, SYMBOL, False)
    world.tick()
    owned = world.everything()
    world.deposit("fund", 5_000)
    events = world.tick()
    (step,) = of(events, LiquidationStep)
    assert step.taken_over == 7
    assert world.positions("ann") == []
    assert world.account("ann").isolated == {}
    assert equity(world.cross("fund")) == 5_000 + step.fund_change
    assert world.everything() == owned + 5_000


# -- debts ----------------------------------------------------------------------------------------


def owe(world: ContractWorld, name: str, amount: int) -> None:
    """Put an owner without positions into debt, as files of former rules may hold one."""
    pool = world.cross(name)
    lost = pool.cash.collateral + amount
    world.engine.ledger.exchange(pool.cash, world.cross("ben").cash, lost)
    world.engine.contracts.collateral.touch(pool)


def debtors() -> ContractWorld:
    """No fund: ann and cid owe 505 each."""
    world = ContractWorld("ann", "cid", "ben", fund=0)
    owe(world, "ann", 505)
    owe(world, "cid", 505)
    return world


def debts(world: ContractWorld) -> list[int]:
    return [world.money(name) for name in ("ann", "cid")]


def test_debts_are_repaired_oldest_first_as_soon_as_the_fund_has_money() -> None:
    """300 go to ann, 400 more pay the rest of hers and begin with cid's; fees count as well."""
    world = debtors()
    assert debts(world) == [-505, -505]
    assert of(world.tick(), Income) == []
    owned = world.everything()
    world.deposit("fund", 300)
    second = snapshot.load(snapshot.dump(world.engine))
    events = world.tick()
    assert second.apply(commands.Tick(time=world.time)) == events
    assert [(item.uid, item.kind, item.amount) for item in of(events, Income)] == [
        (2, FIX, -300),
        (world.uids["ann"], FIX, 300),
    ]
    assert debts(world) == [-205, -505]
    world.deposit("fund", 400)
    world.tick()
    assert debts(world) == [0, -310]
    world.deposit("fund", 1_000)
    world.tick()
    assert debts(world) == [0, 0]
    assert world.money("fund") == 690
    assert world.everything() == owned + 1_700


def test_a_pool_in_debt_can_only_receive() -> None:
    """Cross, without a fund: nothing leaves, nothing opens; a deposit ends the debt."""
    world = ContractWorld("ben", fund=0)
    uid = world.owner("ann", 1_000)
    owe(world, "ann", 510)
    refusals: list[Command] = [
        commands.Withdraw(uid, 1, "QQQ", 1),
        commands.Transfer(uid, 1, 2, "QQQ", 1),
        commands.PlaceContractOrder(uid, SYMBOL, BUY, LONG, LIMIT, GTC, 1, 1_000),
        commands.PlaceContractOrder(uid, SYMBOL, SELL, SHORT, LIMIT, GTC, 1, 1_000),
    ]
    for command in refusals:
        (refused,) = world.apply(command)
        assert getattr(refused, "reason", 0) == Reject.FUNDS, command
    world.tick()
    world.deposit("ann", 600)
    world.deposit("fund", 1_000)
    assert of(world.tick(), Income) == []
    assert world.money("ann") == 90
