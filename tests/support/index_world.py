"""A contract world whose index comes from a spot book, and quotes in that book.

The index notional of 10,000 is 10 lots at 1,000. One step is 5 ticks of 1,000 a second.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from support.contract_world import CONTRACT, INSTRUMENT, PRICE, SYMBOL, ContractWorld
from venue.core.instruments import Contract
from venue.core.messages import commands
from venue.core.messages.events import Event
from venue.vocabulary import BUY, GTC, LIMIT, SELL, Wallet

SPOT_WALLET: Final = int(Wallet.SPOT)
SPOT_MONEY: Final = 10**9


def index_world(
    *names: str, sources: tuple[str, ...] = ("spot",), contract: Contract = CONTRACT
) -> ContractWorld:
    """Owners with money in both products; `maker` quotes 100 lots at 999 and at 1,001.

    The spot book is the only source unless others are named; the first tick has been.
    """
    world = ContractWorld("maker", *names, contract=replace(contract, index_sources=sources))
    world.ok(commands.ListInstrument(INSTRUMENT))
    for name in ("maker", *names):
        endow(world, name)
    quote(world, "maker", BUY, 100, PRICE - 1)
    quote(world, "maker", SELL, 100, PRICE + 1)
    world.tick()
    assert (world.perp.index_price, world.perp.mark, world.perp.doubt) == (PRICE, PRICE, False)
    return world


def endow(world: ContractWorld, name: str) -> None:
    """Spot money in both assets."""
    for asset in ("QQQ", "AAA"):
        world.ok(commands.Deposit(world.uids[name], SPOT_WALLET, asset, SPOT_MONEY))


def quote(
    world: ContractWorld, name: str, side: int, lots: int, price: int, tif: int = GTC
) -> list[Event]:
    """A LIMIT order in the spot book."""
    uid = world.uids[name]
    return world.ok(commands.PlaceOrder(uid, SYMBOL, side, LIMIT, tif, lots, price))


def pull(world: ContractWorld, name: str) -> None:
    """Cancel all of an owner's spot quotes."""
    world.ok(commands.CancelOrders(world.uids[name], SYMBOL))


def spread(world: ContractWorld, name: str, price: int, lots: int = 100) -> None:
    """Put an owner's two quotes around another price."""
    pull(world, name)
    quote(world, name, BUY, lots, price - 1)
    quote(world, name, SELL, lots, price + 1)


def seconds(world: ContractWorld, number: int) -> list[int]:
    """Ticks of a second each: the index after each."""
    found = []
    for _ in range(number):
        world.wait(1)
        world.tick()
        found.append(world.perp.index_price)
    return found
