"""A small venue with a lead, followers and a deep book around the mark: copy trading in few words.

The maker `deep` rests 2,000 lots to buy and to sell within a tick of the mark; see `contract_world`
for what a lot costs.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from support.contract_world import CONTRACT, MONEY, SYMBOL, ContractWorld, of
from venue.core.copying.people import Copy, Following, Lead
from venue.core.instruments import Contract
from venue.core.messages import commands
from venue.core.messages.contract_events import Income
from venue.core.messages.copy_commands import (
    CloseCopy,
    CopyConfig,
    Follow,
    SetLead,
    StopCopying,
)
from venue.core.messages.events import Event
from venue.vocabulary import BUY, GTC, LIMIT, LONG, SELL, SHORT

TENTH: Final = 100_000  # ppm
DEEP: Final = 2_000
SETTINGS: Final = CopyConfig("", False, 1_000_000, 10**9, margin_mode=0, long=20, short=20)
TRACKING: Final = "tracking_"
COMMISSION: Final = 3


def copying_world(
    *followers: str,
    how: CopyConfig = SETTINGS,
    share: int = TENTH,
    checked: bool = True,
    contract: Contract = CONTRACT,
) -> ContractWorld:
    """A lead `lea` (share 10 %), who has MONEY, and these followers in the order of following."""
    names = ("lea", "deep", "deeper", *followers)
    world = ContractWorld(*names, contract=contract, checked=checked)
    for name in ("deep", "deeper"):
        world.deposit(name, 1_000 * MONEY)
        world.ok(commands.SetLeverage(world.uids[name], SYMBOL, 10))
    lead(world, "lea", share)
    for name in followers:
        follow(world, name, how=how)
    quote(world)
    return world


def quote(world: ContractWorld, lots: int = DEEP, away: int = 0) -> None:
    """Have `deep` buy and `deeper` sell at the mark, or so many ticks from it; nothing else."""
    mark = world.perp.mark
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    for name, side, price in (
        ("deep", BUY, mark - away), ("deeper", SELL, mark + 1 + away),
    ):  # fmt: skip
        position_side = LONG if side == BUY else SHORT
        world.ok(
            commands.PlaceContractOrder(
                world.uids[name], SYMBOL, side, position_side, LIMIT, GTC, lots, price
            )
        )


def lead(
    world: ContractWorld, name: str, share: int = TENTH, third: str = "", third_ppm: int = 0
) -> list[Event]:
    uid = world.uids[third] if third else 0
    return world.apply(SetLead(world.uids[name], "QQQ", True, share, uid, third_ppm))


def follow(
    world: ContractWorld, name: str, lead: str = "lea", how: CopyConfig = SETTINGS
) -> list[Event]:
    unified = not how.symbol
    return world.apply(Follow(world.uids[name], world.uids[lead], unified, [how]))


def stop(world: ContractWorld, name: str, lead: str = "lea") -> list[Event]:
    return world.apply(StopCopying(world.uids[name], world.uids[lead]))


def close_copy(world: ContractWorld, name: str, number: int, symbol: str = SYMBOL) -> list[Event]:
    return world.apply(CloseCopy(world.uids[name], symbol, number))


def proceed(world: ContractWorld) -> list[Event]:
    """All slices that are due, one after another."""
    events: list[Event] = []
    while world.engine.pending():
        events += world.apply(commands.Proceed())
    return events


def midnight(world: ContractWorld) -> list[Event]:
    """Wait for the next UTC day; return the events of the tick there, with all its slices."""
    day = 86_400_000_000
    world.time += day - world.time % day
    world.post(world.perp.index_price)
    events = world.tick()
    return events + proceed(world)


def following(world: ContractWorld, name: str, lead: str = "lea") -> Following:
    return world.engine.copying.books.traders[world.uids[name]].followings[world.uids[lead]]


def copies(world: ContractWorld, name: str, lead: str = "lea") -> list[Copy]:
    return list(following(world, name, lead).copies.values())


def copy(world: ContractWorld, name: str, lead: str = "lea") -> Copy:
    (found,) = copies(world, name, lead)
    return found


def the_lead(world: ContractWorld, name: str = "lea") -> Lead:
    lead = world.engine.copying.books.traders[world.uids[name]].lead
    assert lead is not None
    return lead


def commission(world: ContractWorld) -> int:
    return world.engine.account(COMMISSION).contract[0].collateral


def move(world: ContractWorld, price: int) -> None:
    """A new mark, with the book around it."""
    for name in ("deep", "deeper"):
        world.ok(commands.CancelContractOrders(world.uids[name]))
    world.post(price)
    quote(world)


def tracking(events: list[Event]) -> list[tuple[int, str, int]]:
    """The items of the five types: uid, type without its prefix, amount."""
    return [
        (event.uid, event.kind.removeprefix(TRACKING), event.amount)
        for event in of(events, Income)
        if event.kind.startswith(TRACKING)
    ]


def settings(**fields: object) -> CopyConfig:
    """The settings of this world with some of them different."""
    return replace(SETTINGS, **fields)
