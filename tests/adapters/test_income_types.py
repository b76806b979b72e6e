"""All 21 income types and 5 reasons of the interface, and which command and event made each."""

from __future__ import annotations

from typing import Final

import pytest

from support.contract_world import HOUR, PRICE, ContractWorld, isolated_world
from support.copying_world import copying_world, lead, midnight, move, quote
from venue.core.messages import benefit_commands, commands
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.history.projection.spot_rows import Catalog, Rows
from venue.history.tables.contract import IncomeRow
from venue.vocabulary import IncomeType, TransferReason, Wallet

SPOT, CONTRACT = int(Wallet.SPOT), int(Wallet.CONTRACT)
UNKNOWN: Final = TransferReason.UNKNOWN_TRANSFER_REASON.value

Made = set[tuple[str, str]]  # command and event


class Told:
    """The interface's items that history writes for each event of a world."""

    def __init__(self) -> None:
        self.types: dict[str, Made] = {}
        self.reasons: dict[str, Made] = {}

    def listen(self, world: ContractWorld) -> None:
        """Hear what a world's commands bring from now on."""
        apply = world.apply
        contracts = [perp.contract for perp in world.engine.contracts.markets.values()]
        catalog = Catalog.listing(world.engine.ledger.assets, [], contracts)

        def heard(command: Command) -> list[Event]:
            events = apply(command)
            self._hear(catalog, command, events)
            return events

        world.apply = heard  # type: ignore[method-assign]

    def _hear(self, catalog: Catalog, command: Command, events: list[Event]) -> None:
        for event in events:
            rows = Rows(catalog)
            rows.fold(Applied(1, 0, command, [event]))
            for row in rows.finish().new[IncomeRow]:
                made = (type(command).__name__, type(event).__name__)
                self.types.setdefault(row.kind, set()).add(made)
                self.reasons.setdefault(row.reason or UNKNOWN, set()).add(made)


def wallets(world: ContractWorld) -> None:
    """Money comes, goes and is given."""
    ann = world.uids["ann"]
    world.deposit("ann", 1_000)
    world.withdraw("ann", 500)
    world.ok(commands.Transfer(ann, CONTRACT, SPOT, "QQQ", 300))
    world.ok(commands.Transfer(ann, SPOT, CONTRACT, "QQQ", 200))
    world.ok(benefit_commands.ChangeGift(ann, "QQQ", 50))
    world.ok(benefit_commands.ChangeGift(ann, "QQQ", -20))


def discounts(world: ContractWorld) -> None:
    """Ann's fees come back in part, and her inviter gets a share."""
    ann, ben = world.uids["ann"], world.uids["ben"]
    world.ok(commands.Deposit(ann, SPOT, "AAA", 10))
    world.ok(benefit_commands.SetDiscount("AAA", 10, 400_000))
    world.ok(benefit_commands.JoinDiscount(ann, True))
    world.ok(benefit_commands.SetAffiliate(ben, "BEN", 0, 100_000))
    world.ok(benefit_commands.Invite(ann, ben))


def trades(world: ContractWorld) -> None:
    """Long and short, opened and closed; one isolated, so that margin moves to and fro."""
    world.isolate("ann")
    world.trade("ann", "ben", 100, PRICE)
    world.short("cat", 50, PRICE)
    world.long("ben", 50, PRICE)
    world.close_long("ann", 30, PRICE)
    world.close_short("ben", 30, PRICE)


def copies(world: ContractWorld) -> None:
    """Fay copies lea: with profit first, then with a loss, settled at midnight."""
    world.owner("uma", 0)
    lead(world, "lea", third="uma", third_ppm=300_000)
    quote(world)
    world.long("lea", 100, 0)
    move(world, 1_100)
    world.close_long("lea", 100, 0)
    world.long("lea", 100, 0)
    move(world, 1_060)
    world.close_long("lea", 100, 0)


def liquidations(world: ContractWorld) -> None:
    """The book takes a part of ann's position, the fund the rest, and pays what her pool lacks."""
    world.long("cat", 3, 951)
    world.long("cat", 50, 950)
    world.post(959)


@pytest.fixture(scope="module")
def told() -> Told:
    told, world = Told(), copying_world("fay")
    told.listen(world)
    for name in ("ann", "ben", "cat"):
        world.owner(name)
    wallets(world)
    discounts(world)
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    trades(world)
    copies(world)
    world.time += HOUR  # over a funding time
    world.tick()
    midnight(world)
    other = isolated_world("cat")
    told.listen(other)
    liquidations(other)
    return told


ORDER: Final = ("PlaceContractOrder", "Income")
TRADE: Final = ("PlaceContractOrder", "ContractTrade")
TICK: Final = ("Tick", "Income")  # funding, and payments at midnight
SLICE: Final = ("Proceed", "Income")  # copies are settled in slices after the tick
PRICE_MOVE: Final = ("PostIndex", "Income")  # a liquidation
SOLD: Final = ("PostIndex", "ContractTrade")
GIFT: Final = ("ChangeGift", "Income")
MOVED: Final = ("Transfer", "Income")
TYPES: Final[dict[IncomeType, Made]] = {
    IncomeType.DEPOSIT: {("Deposit", "Income")},
    IncomeType.WITHDRAW: {("Withdraw", "Income")},
    IncomeType.TRANSFER_IN: {MOVED, GIFT, TICK, PRICE_MOVE},
    IncomeType.TRANSFER_OUT: {MOVED, GIFT, TICK, PRICE_MOVE},
    IncomeType.MARGIN_MOVE_IN: {ORDER},
    IncomeType.MARGIN_MOVE_OUT: {ORDER},
    IncomeType.POSITION_OPEN_LONG: {TRADE, SOLD},
    IncomeType.POSITION_OPEN_SHORT: {TRADE},
    IncomeType.POSITION_CLOSE_LONG: {TRADE, SOLD},
    IncomeType.POSITION_CLOSE_SHORT: {TRADE},
    IncomeType.POSITION_FUNDING: {TICK},
    IncomeType.ORDER_FILL_FEE_INCOME: {ORDER, PRICE_MOVE},
    IncomeType.ORDER_LIQUIDATE_FEE_INCOME: {PRICE_MOVE},
    IncomeType.START_LIQUIDATE: {PRICE_MOVE},
    IncomeType.FINISH_LIQUIDATE: {PRICE_MOVE},
    IncomeType.ORDER_FIX_MARGIN_AMOUNT: {PRICE_MOVE},
    IncomeType.TRACKING_FOLLOW_PAY: {ORDER},
    IncomeType.TRACKING_SYSTEM_PRE_RECEIVE: {ORDER, SLICE},
    IncomeType.TRACKING_FOLLOW_BACK: {SLICE},
    IncomeType.TRACKING_TRADER_INCOME: {SLICE},
    IncomeType.TRACKING_THIRD_PARTY_SHARE: {SLICE},
}
REASONS: Final[dict[TransferReason, Made]] = {
    TransferReason.USER_TRANSFER: {MOVED},
    TransferReason.INCREASE_CONTRACT_CASH_GIFT: {GIFT},
    TransferReason.REDUCE_CONTRACT_CASH_GIFT: {GIFT},
    TransferReason.REFUND_X_DISCOUNT_FEE: {TICK},
}


def test_every_type_is_made_by_what_is_listed(told: Told) -> None:
    assert len(TYPES) == len(IncomeType) == 21
    assert told.types == {kind.value: made for kind, made in TYPES.items()}


def test_every_reason_is_given_by_what_is_listed(told: Told) -> None:
    """All other items have the reason that says nothing."""
    assert len(REASONS) + 1 == len(TransferReason) == 5
    other = told.reasons.pop(TransferReason.UNKNOWN_TRANSFER_REASON.value)
    assert {ORDER, TRADE, TICK, SLICE, PRICE_MOVE, ("Deposit", "Income")} <= other
    assert told.reasons == {reason.value: made for reason, made in REASONS.items()}
