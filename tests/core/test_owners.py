"""Owners and their wallets: rights, amounts and bills (rules 2.1 to 2.4)."""

import pytest

from support.world import (
    BUY,
    CONTRACT,
    FUNDING,
    ID,
    LOT,
    NOBODY,
    PLENTY,
    SELL,
    SPOT,
    UNIT,
    World,
    refusal,
    trades,
)
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import Income
from venue.core.messages.events import (
    FeesSet,
    OrderClosed,
    OwnerCreated,
    OwnerFrozen,
    Rejected,
    StreamsRecorded,
    Transferred,
    WalletMoved,
)
from venue.core.units import AMOUNT_MAX, PPM
from venue.vocabulary import CANCELED, Reject

pytestmark = pytest.mark.core


def poor() -> tuple[World, int]:
    world = World("ann", funded=False)
    return world, world.uids["ann"]


def test_uids_count_up_and_names_are_unique() -> None:
    world, ann = poor()
    assert world.apply(commands.CreateOwner("ben")) == [OwnerCreated(ann + 1, "ben")]
    assert world.apply(commands.CreateOwner("ann")) == [Rejected(Reject.OWNER_NAME_USED, ann)]
    assert world.apply(commands.CreateOwner("cid")) == [OwnerCreated(ann + 2, "cid")]


def test_streams_are_recorded_from_the_first_time_on() -> None:
    world, ann = poor()
    assert not world.engine.account(ann).recorded
    assert world.apply(commands.RecordStreams(ann)) == [StreamsRecorded(ann)]
    assert world.engine.account(ann).recorded
    assert world.apply(commands.RecordStreams(ann)) == []
    assert world.apply(commands.RecordStreams(NOBODY)) == [Rejected(Reject.OWNER_UNKNOWN)]
    assert world.reopened().account(ann).recorded


def test_money_in_and_out_is_a_chain_of_bills() -> None:
    """Rule 2.4: after = before + amount, per wallet and asset."""
    world, ann = poor()
    assert world.apply(commands.Deposit(ann, SPOT, "USDT", 100)) == [
        WalletMoved(ID, ann, SPOT, "USDT", "deposit", 100, 100)
    ]
    assert world.apply(commands.Transfer(ann, SPOT, CONTRACT, "USDT", 30)) == [
        Transferred(ID, ann, "USDT", SPOT, CONTRACT, 30),
        WalletMoved(ID + 1, ann, SPOT, "USDT", "transfer_out", -30, 70),
        Income(ID + 2, ann, 0, "USDT", "", "transfer_in", 30, 30, 0, "USER_TRANSFER"),
    ]
    assert world.apply(commands.Withdraw(ann, SPOT, "USDT", 70)) == [
        WalletMoved(ID + 3, ann, SPOT, "USDT", "withdraw", -70, 0)
    ]
    assert world.apply(commands.Transfer(ann, CONTRACT, FUNDING, "USDT", 30)) == [
        Transferred(ID + 1, ann, "USDT", CONTRACT, FUNDING, 30),
        Income(ID + 4, ann, 0, "USDT", "", "transfer_out", -30, 0, 0, "USER_TRANSFER"),
        WalletMoved(ID + 5, ann, FUNDING, "USDT", "transfer_in", 30, 30),
    ]
    assert world.engine.ledger.external[world.engine.ledger.ordinals["USDT"]] == -30


def test_the_balance_after_counts_what_is_locked_but_only_free_money_leaves() -> None:
    """Rules 2.2 and 2.4: spot `after` = free + locked."""
    world, ann = poor()
    world.deposit("ann", "USDT", 1_000 * UNIT)
    world.rest("ann", BUY, 2, 300)
    need = 400 * UNIT
    assert refusal(world.apply(commands.Withdraw(ann, SPOT, "USDT", need + 1))) == Reject.FUNDS
    assert (
        refusal(world.apply(commands.Transfer(ann, SPOT, FUNDING, "USDT", need + 1)))
        == Reject.FUNDS
    )
    (moved,) = world.apply(commands.Withdraw(ann, SPOT, "USDT", need))
    assert isinstance(moved, WalletMoved)
    assert moved.after == 600 * UNIT
    assert (world.free("ann", "USDT"), world.locked("ann", "USDT")) == (0, 600 * UNIT)


@pytest.mark.parametrize("amount", [0, -1, AMOUNT_MAX + 1])
def test_amounts_have_bounds(amount: int) -> None:
    world, ann = poor()
    for command in (
        commands.Deposit(ann, SPOT, "USDT", amount),
        commands.Withdraw(ann, SPOT, "USDT", amount),
        commands.Transfer(ann, SPOT, CONTRACT, "USDT", amount),
    ):
        assert world.apply(command) == [Rejected(Reject.AMOUNT, AMOUNT_MAX)]


def test_the_supply_of_an_asset_is_bounded_over_all_owners() -> None:
    world = World("ann", "ben", funded=False)
    ann, ben = world.uids.values()
    world.ok(commands.Deposit(ann, SPOT, "USDT", AMOUNT_MAX - 10))
    refused = world.apply(commands.Deposit(ben, FUNDING, "USDT", 11))
    assert refused == [Rejected(Reject.SUPPLY_MAX, 10)]
    world.ok(commands.Deposit(ben, FUNDING, "USDT", 10))
    world.ok(commands.Withdraw(ann, SPOT, "USDT", 7))
    assert world.apply(commands.Deposit(ben, SPOT, "USDT", 8)) == [Rejected(Reject.SUPPLY_MAX, 7)]
    world.ok(commands.Deposit(ben, SPOT, "BTC", AMOUNT_MAX))


def test_a_frozen_owner_neither_trades_nor_withdraws_but_receives() -> None:
    world = World("ann", "ben")
    ann = world.uids["ann"]
    order_id = world.rest("ann", SELL, 10, 100)
    assert world.apply(commands.FreezeOwner(ann, True)) == [
        OwnerFrozen(ann, True),
        OrderClosed(order_id, ann, "BTCUSDT", SELL, 100, CANCELED, 10),
    ]
    assert refusal(world.place("ann", BUY, 10, 90)) == Reject.ACCOUNT_FROZEN
    for command in (
        commands.Withdraw(ann, SPOT, "BTC", 1),
        commands.Transfer(ann, SPOT, FUNDING, "BTC", 1),
    ):
        assert refusal(world.apply(command)) == Reject.ACCOUNT_FROZEN
    world.ok(commands.Deposit(ann, SPOT, "BTC", 1))
    assert trades(world.place("ben", BUY, 4, 100)) == []  # its orders have left the book
    assert world.apply(commands.FreezeOwner(ann, False)) == [OwnerFrozen(ann, False)]
    world.rest("ann", SELL, 10, 101)


@pytest.mark.parametrize("rates", [(-1, 0), (0, -1), (-2, -2), (PPM, 0), (0, PPM)])
def test_fee_rates_have_bounds(rates: tuple[int, int]) -> None:
    world, ann = poor()
    assert world.apply(commands.SetFees(ann, *rates)) == [Rejected(Reject.FEE_RATE, PPM - 1)]


def test_a_tier_replaces_the_symbols_rates_until_it_is_taken_back() -> None:
    """Rule 4.2; BTCUSDT charges makers 1000 and takers 2000 ppm."""
    world = World("ann", "ben")
    base = 1_000 * LOT
    notional = 1_000 * 50_000 * UNIT
    for maker_tier, taker_tier, maker_ppm, taker_ppm in (
        ((-1, -1), (-1, -1), 1_000, 2_000),
        ((0, 9), (9, 0), 0, 0),
        ((7, 9), (9, 5), 7, 5),
        ((-1, -1), (-1, -1), 1_000, 2_000),
    ):
        for name, tier in (("ann", maker_tier), ("ben", taker_tier)):
            uid = world.uids[name]
            assert world.apply(commands.SetFees(uid, *tier)) == [FeesSet(uid, *tier)]
        world.rest("ann", SELL, 1_000, 50_000)
        (trade,) = trades(world.place("ben", BUY, 1_000, 50_000))
        assert trade.base_fee * PPM == base * taker_ppm
        assert trade.quote_fee * PPM == notional * maker_ppm


UNKNOWN_OWNER = [
    commands.FreezeOwner(NOBODY, True),
    commands.SetFees(NOBODY, PPM, PPM),
    commands.Deposit(NOBODY, SPOT, "none", 0),
    commands.Withdraw(NOBODY, SPOT, "none", 0),
    commands.Transfer(NOBODY, SPOT, SPOT, "none", 0),
]


@pytest.mark.parametrize("command", UNKNOWN_OWNER, ids=lambda command: type(command).__name__)
def test_an_unknown_owner_is_the_first_fault(command: Command) -> None:
    world, _ = poor()
    assert refusal(world.apply(command)) == Reject.OWNER_UNKNOWN


@pytest.mark.parametrize(
    ("frozen", "asset", "amount", "target", "reason"),
    [
        (True, "none", 0, SPOT, Reject.ACCOUNT_FROZEN),
        (False, "none", 0, SPOT, Reject.ASSET_UNKNOWN),
        (False, "USDT", 0, SPOT, Reject.AMOUNT),
        (False, "USDT", PLENTY, SPOT, Reject.WALLETS_EQUAL),
        (False, "USDT", PLENTY, FUNDING, Reject.FUNDS),
    ],
)
def test_the_first_fault_of_a_transfer_wins(
    frozen: bool, asset: str, amount: int, target: int, reason: Reject
) -> None:
    world, ann = poor()
    world.ok(commands.FreezeOwner(ann, frozen))
    transfer = commands.Transfer(ann, SPOT, target, asset, amount)
    assert refusal(world.apply(transfer)) == reason
    if reason != Reject.WALLETS_EQUAL:
        assert refusal(world.apply(commands.Withdraw(ann, SPOT, asset, amount))) == reason


def test_a_bad_wallet_is_a_defect() -> None:
    world, ann = poor()
    with pytest.raises(AssertionError):
        world.engine.apply(commands.Deposit(ann, 3, "USDT", 1, time=world.time))
