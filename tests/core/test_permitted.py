"""Rule 2.7: each command in each state of its owner and its symbol, as the table says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from support.contract_world import INSTRUMENT, SYMBOL, ContractWorld, of
from support.copying_world import SETTINGS, copying_world
from venue.core.messages import benefit_commands, commands, copy_commands
from venue.core.messages.benefit_events import (
    InternallyWithdrawn,
    MovementRepeated,
)
from venue.core.messages.commands import Command, Requested
from venue.core.messages.contract_events import (
    AlgoTriggered,
    ClosedAtMarket,
    ContractOrderClosed,
    ContractTrade,
)
from venue.core.messages.copy_events import CopyOpened
from venue.core.messages.events import (
    Event,
    OrderClosed,
    OrderRepeated,
    OwnerFrozen,
    Rejected,
)
from venue.core.permitted import PERMITTED, REFUSED_FROZEN, Verdict
from venue.vocabulary import (
    ALGO_STOP_MARKET,
    BUY,
    CANCELED,
    GTC,
    LIMIT,
    LONG,
    MARK_PRICE,
    SELL,
    Cause,
    Reject,
    Wallet,
)

pytestmark = pytest.mark.core

Make = Callable[[ContractWorld], Command]
SPOT, FUNDING, CONTRACT = Wallet.SPOT, Wallet.FUNDING, Wallet.CONTRACT
OPERATORS = (commands.Deposit, benefit_commands.ChangeGift, commands.SetFees)


def stage() -> ContractWorld:
    """Ann has a position of each kind of margin, an order and a stop; fay copies lea."""
    world = copying_world("fay")
    for name in ("ann", "ben"):
        uid = world.owner(name)
        world.ok(commands.Deposit(uid, int(SPOT), "QQQ", 1_000_000))
    world.ok(commands.ListInstrument(INSTRUMENT))
    ann = world.uids["ann"]
    world.ok(benefit_commands.SetAffiliate(ann, "ANN", 0, 0))
    world.isolate("ann")
    assert of(world.long("ann", 10, 1_001), ContractTrade)
    for make in (spot_order, contract_order, stop, sent):
        world.ok(make(world, "known"))
    world.ok(withdrawn(world, "known-w"))
    world.ok(moved(world, "known-t"))
    world.long("lea", 100, 0)
    return world


# -- one command of each kind, with an effect where nothing forbids it ----------------------------


def spot_order(world: ContractWorld, client_id: str) -> Command:
    return commands.PlaceOrder(world.uids["ann"], SYMBOL, BUY, LIMIT, GTC, 1, 900, client_id)


def contract_order(world: ContractWorld, client_id: str) -> Command:
    uid = world.uids["ann"]
    return commands.PlaceContractOrder(uid, SYMBOL, BUY, LONG, LIMIT, GTC, 1, 950, client_id)


def stop(world: ContractWorld, client_id: str) -> Command:
    return commands.PlaceAlgo(
        world.uids["ann"], SYMBOL, SELL, LONG, ALGO_STOP_MARKET, 4, 990, 0, MARK_PRICE, client_id
    )


def sent(world: ContractWorld, client_id: str) -> Command:
    ann, ben = world.uids["ann"], world.uids["ben"]
    return benefit_commands.InternalWithdraw(ann, ben, SPOT, SPOT, "QQQ", 7, client_id)


def withdrawn(world: ContractWorld, reference: str) -> Command:
    return commands.Withdraw(world.uids["ann"], SPOT, "QQQ", 5, reference=reference)


def moved(world: ContractWorld, reference: str) -> Command:
    ann = world.uids["ann"]
    return commands.Transfer(ann, CONTRACT, SPOT, "QQQ", 5, reference=reference)


def _ann(make: Callable[[int, ContractWorld], Command]) -> Make:
    return lambda world: make(world.uids["ann"], world)


def _position(world: ContractWorld) -> int:
    return world.position("ann").position_id


def _stop_id(world: ContractWorld) -> int:
    return next(iter(world.holding("ann").algos))


def _copy(world: ContractWorld) -> int:
    (following,) = world.engine.copying.books.traders[world.uids["fay"]].followings.values()
    return next(iter(following.copies))


SAMPLES: dict[type, Make] = {
    commands.PlaceOrder: lambda world: spot_order(world, "new"),
    commands.CancelOrder: _ann(lambda ann, _: commands.CancelOrder(ann, client_id="known")),
    commands.CancelOrders: _ann(lambda ann, _: commands.CancelOrders(ann, SYMBOL)),
    commands.PlaceContractOrder: lambda world: contract_order(world, "new"),
    commands.CancelContractOrder: _ann(
        lambda ann, _: commands.CancelContractOrder(ann, client_id="known")
    ),
    commands.CancelContractOrders: _ann(lambda ann, _: commands.CancelContractOrders(ann)),
    commands.ClosePositions: _ann(lambda ann, _: commands.ClosePositions(ann)),
    commands.PlaceAlgo: lambda world: stop(world, "new"),
    commands.ChangeAlgo: _ann(
        lambda ann, world: commands.ChangeAlgo(ann, _stop_id(world), 980, 0, MARK_PRICE)
    ),
    commands.CancelAlgo: _ann(lambda ann, world: commands.CancelAlgo(ann, _stop_id(world))),
    commands.CancelAlgos: _ann(lambda ann, _: commands.CancelAlgos(ann)),
    commands.SetCancelAfter: _ann(lambda ann, _: commands.SetCancelAfter(ann, 1, 60_000_000)),
    commands.GuardOrders: _ann(lambda ann, _: commands.GuardOrders(ann, 1, 5, True)),
    commands.SetLeverage: _ann(lambda ann, _: commands.SetLeverage(ann, SYMBOL, long=10)),
    commands.SetMarginMode: _ann(lambda ann, _: commands.SetMarginMode(ann, SYMBOL, 1)),
    commands.MoveMargin: _ann(lambda ann, world: commands.MoveMargin(ann, _position(world), 50)),
    commands.SetAutoMargin: _ann(
        lambda ann, world: commands.SetAutoMargin(ann, _position(world), True)
    ),
    copy_commands.Follow: _ann(
        lambda ann, world: copy_commands.Follow(ann, world.uids["lea"], True, [SETTINGS])
    ),
    copy_commands.StopCopying: lambda world: copy_commands.StopCopying(
        world.uids["fay"], world.uids["lea"]
    ),
    copy_commands.CloseCopy: lambda world: copy_commands.CloseCopy(
        world.uids["fay"], SYMBOL, _copy(world)
    ),
    benefit_commands.InternalWithdraw: lambda world: sent(world, "new"),
    commands.RecordStreams: _ann(lambda ann, _: commands.RecordStreams(ann)),
    commands.Withdraw: lambda world: withdrawn(world, "new-w"),
    commands.Transfer: lambda world: moved(world, "new-t"),
    commands.Deposit: _ann(lambda ann, _: commands.Deposit(ann, SPOT, "QQQ", 5)),
    benefit_commands.ChangeGift: _ann(lambda ann, _: benefit_commands.ChangeGift(ann, "QQQ", 5)),
    commands.FreezeOwner: _ann(lambda ann, _: commands.FreezeOwner(ann, False)),
    commands.SetFees: _ann(lambda ann, _: commands.SetFees(ann, 1, 2)),
    benefit_commands.JoinDiscount: _ann(lambda ann, _: benefit_commands.JoinDiscount(ann, True)),
    benefit_commands.SetAffiliate: _ann(
        lambda ann, _: benefit_commands.SetAffiliate(ann, "ANN", 5, 5)
    ),
    benefit_commands.Invite: _ann(
        lambda ann, world: benefit_commands.Invite(world.uids["ben"], ann)
    ),
    copy_commands.SetLead: lambda world: copy_commands.SetLead(world.uids["lea"], "QQQ", True, 5),
}
# The commands that say again what was said before, in the stage.
REPEATED: dict[type, Make] = {
    commands.PlaceOrder: lambda world: spot_order(world, "known"),
    commands.PlaceContractOrder: lambda world: contract_order(world, "known"),
    commands.PlaceAlgo: lambda world: stop(world, "known"),
    benefit_commands.InternalWithdraw: lambda world: sent(world, "known"),
    commands.Withdraw: lambda world: withdrawn(world, "known-w"),
    commands.Transfer: lambda world: moved(world, "known-t"),
}


def freeze(world: ContractWorld) -> None:
    for name in ("ann", "fay"):
        world.ok(commands.FreezeOwner(world.uids[name], True))


def halt(world: ContractWorld) -> None:
    for product in (0, 1):
        world.ok(commands.HaltInstrument(SYMBOL, True, product=product))


def delist(world: ContractWorld) -> None:
    world.ok(commands.DelistContract(SYMBOL))


def settle(world: ContractWorld) -> None:
    delist(world)
    world.ok(commands.SettleContract(SYMBOL, 1_000))
    while world.engine.pending():
        world.ok(commands.Proceed())
    assert world.perp.positions == {}


REASONS = {
    "frozen": Reject.ACCOUNT_FROZEN,
    "halted": Reject.HALTED,
    "reducing": Reject.DELISTED,
    "settled": Reject.HALTED,
}
STATES: dict[str, Callable[[ContractWorld], None]] = {
    "frozen": freeze,
    "halted": halt,
    "reducing": delist,
    "settled": settle,
}


def closing(world: ContractWorld) -> Command:
    uid = world.uids["ann"]
    return commands.PlaceContractOrder(uid, SYMBOL, SELL, LONG, LIMIT, GTC, 1, 1_050, "closing")


def opening_stop(world: ContractWorld) -> Command:
    return commands.PlaceAlgo(
        world.uids["ann"], SYMBOL, BUY, LONG, ALGO_STOP_MARKET, 1, 1_040, 0, MARK_PRICE, "opening"
    )


# Where SAMPLES opens, one that closes, and the other way round.
OTHERS: dict[type, tuple[Make, Make]] = {
    commands.PlaceContractOrder: (SAMPLES[commands.PlaceContractOrder], closing),
    commands.PlaceAlgo: (opening_stop, SAMPLES[commands.PlaceAlgo]),
}


ENDED = (
    Reject.ORDER_UNKNOWN, Reject.ALGO_UNKNOWN, Reject.POSITION_UNKNOWN, Reject.COPY_UNKNOWN,
)  # fmt: skip


def own(world: ContractWorld) -> list[object]:
    """All that ann and fay have: money of each wallet, and positions."""
    found: list[object] = []
    for name in ("ann", "fay"):
        account, holding = world.account(name), world.holding(name)
        found += [balance.free for balance in account.spot]
        found += [balance.locked for balance in account.spot]
        found += account.funding
        found += [cash.collateral for cash in account.contract]
        found += [cash.collateral for cash in account.isolated.values()]
        found += [(one.position_id, one.quantity) for one in holding.positions.values()]
    return found


def reason_of(events: list[Event]) -> int:
    return events[0].reason if events and isinstance(events[0], Rejected) else 0


# -- the table -------------------------------------------------------------------------------------


def test_every_command_about_an_owner_has_a_row() -> None:
    """A new command has to say what a frozen owner's is worth."""
    listed = [row.command for row in PERMITTED]
    assert len(set(listed)) == len(listed)
    about = [kind for kind in get_args(Command) if "uid" in kind.__struct_fields__]
    assert set(about) == set(listed) == set(SAMPLES)
    assert set(get_args(Requested)) <= set(listed)


@pytest.mark.parametrize("kind", list(SAMPLES), ids=lambda kind: kind.__name__)
def test_each_sample_is_taken_where_nothing_forbids_it(kind: type) -> None:
    world = stage()
    command = SAMPLES[kind](world)
    assert type(command) is kind
    assert reason_of(world.apply(command)) == 0


@pytest.mark.parametrize("state", list(STATES))
@pytest.mark.parametrize("row", PERMITTED, ids=lambda row: row.command.__name__)
def test_each_cell(row: Any, state: str) -> None:
    world = stage()
    answer, reason = getattr(row, state), REASONS[state]
    opens, closes = OTHERS.get(row.command, (SAMPLES[row.command], SAMPLES[row.command]))
    sample = (opens if answer is Verdict.CLOSING else SAMPLES[row.command])(world)
    STATES[state](world)
    before = own(world)
    events = world.apply(sample)
    if answer is Verdict.CLOSING:
        assert reason_of(events) == reason
        assert reason_of(world.apply(closes(world))) == 0
    elif answer is Verdict.ENDED:
        assert reason_of(events) in ENDED
        assert own(world) == before
    elif answer in (Verdict.REFUSED, Verdict.REPEATED):
        assert reason_of(events) == reason
        assert own(world) == before
    else:
        assert reason_of(events) != reason
    if state == "frozen" and row.command in get_args(Requested):
        assert own(world) == before, "nothing of a frozen owner leaves"
    closings = of(events, ClosedAtMarket)
    if answer is Verdict.SKIPPED:
        assert [closed.reason for closed in closings] == [reason]
    if answer in (Verdict.REPEATED, Verdict.CLOSING):
        (said,) = world.apply(REPEATED[row.command](world))
        assert isinstance(said, OrderRepeated | MovementRepeated)


def test_the_engine_refuses_by_the_table() -> None:
    """The commands that it leaves to their own rules are those that know repetitions."""
    refused = [row.command for row in PERMITTED if row.frozen is not Verdict.TAKEN]
    left = [kind for kind in refused if kind not in REFUSED_FROZEN]
    assert left == list(REPEATED)


# -- what goes on by itself ------------------------------------------------------------------------


def test_a_freeze_ends_the_open_orders_and_names_them() -> None:
    """Rule 2.7. Enemy: a friend who meets an order of before the freeze."""
    world = stage()
    ann = world.uids["ann"]
    (spot_id,) = world.engine.spot_account(ann).orders
    (contract_id,) = world.holding("ann").orders
    assert world.ok(commands.FreezeOwner(ann, True)) == [
        OwnerFrozen(ann, True),
        OrderClosed(spot_id, ann, SYMBOL, BUY, 900, CANCELED, 1),
        ContractOrderClosed(contract_id, ann, SYMBOL, BUY, 950, CANCELED, 1, Cause.OPERATOR),
    ]
    assert world.account("ann").spot[0].locked == 0
    assert len(world.holding("ann").algos) == 1, "its stop waits"


def test_a_stop_of_a_frozen_owner_expires_when_its_price_comes() -> None:
    world = stage()
    freeze(world)
    (triggered,) = of(world.post(990), AlgoTriggered)
    assert (triggered.order_id, triggered.reason) == (0, Reject.ACCOUNT_FROZEN)
    assert world.position("ann").quantity == 10


def test_a_closing_under_way_leaves_off_when_its_owner_is_frozen() -> None:
    """Rule 7.12: a closing of many positions takes several commands."""
    world = ContractWorld("ann", "ben", checked=False)
    uid = world.uids["ann"]
    world.ok(commands.SetMarginMode(uid, SYMBOL, 0, 1))
    for _ in range(40):
        world.trade("ann", "ben", 10, 1_000)
    world.long("ben", 1_000, 990)
    begun = of(world.ok(commands.ClosePositions(uid)), ClosedAtMarket)
    assert begun[-1].left > 0
    world.ok(commands.FreezeOwner(uid, True))
    rest: list[ClosedAtMarket] = []
    while world.engine.pending():
        rest += of(world.ok(commands.Proceed()), ClosedAtMarket)
    assert len(begun) + len(rest) == 40
    assert {closed.reason for closed in rest} == {Reject.ACCOUNT_FROZEN}


def test_liquidation_goes_on() -> None:
    """A frozen owner's position that its money does not carry is closed like any other."""
    world = stage()
    freeze(world)
    trades = of(world.post(940), ContractTrade)
    assert any(trade.cause == Cause.LIQUIDATION for trade in trades)
    assert world.positions("ann") == []


def test_a_frozen_lead_leads_no_further() -> None:
    world = copying_world("fay")
    world.ok(commands.FreezeOwner(world.uids["lea"], True))
    assert reason_of(world.long("lea", 10, 0)) == Reject.ACCOUNT_FROZEN
    world.ok(commands.FreezeOwner(world.uids["lea"], False))
    assert of(world.long("lea", 10, 0), CopyOpened)


def test_money_reaches_a_frozen_owner_and_stays() -> None:
    world = stage()
    world.ok(commands.FreezeOwner(world.uids["ben"], True))
    had = world.account("ben").spot[0].free
    assert of(world.ok(sent(world, "new")), InternallyWithdrawn)
    assert world.account("ben").spot[0].free == had + 7
