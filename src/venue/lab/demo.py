"""The practice venue's first commands: assets, markets, owners with fixed keys, their money."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from venue.core.commands import Command, CreateOwner, Deposit, ListInstrument, RegisterAsset
from venue.core.instruments import Instrument
from venue.lab.backfill import Start
from venue.terms import Access, Wallet

READ: Final = int(Access.READ)
TRADE: Final = int(Access.READ | Access.SPOT_TRADE | Access.CONTRACT_TRADE)
SCALE: Final = 8  # decimals of every demo asset
PASSPHRASE: Final = "demo"  # noqa: S105 - the demo keys are printed, on purpose

ASSETS: Final = ("USDT", "BTC", "ETH", "SOL")


class Account(Struct, frozen=True):
    """A demo owner: its key's permissions and its first money, (wallet, asset, units)."""

    name: str
    permissions: int
    money: tuple[tuple[int, str, int], ...]
    note: str

    @property
    def key(self) -> str:
        return f"demo-{self.name}"

    @property
    def secret(self) -> str:
        return f"demo-{self.name}-secret"


_TRADER: Final = (
    (int(Wallet.SPOT), "USDT", 1_000_000),
    (int(Wallet.SPOT), "BTC", 10),
    (int(Wallet.SPOT), "ETH", 100),
    (int(Wallet.SPOT), "SOL", 1_000),
    (int(Wallet.CONTRACT), "USDT", 1_000_000),
)
_READER: Final = ((int(Wallet.SPOT), "USDT", 1_000), (int(Wallet.CONTRACT), "USDT", 1_000))

ACCOUNTS: Final = (
    Account("alice", TRADE, _TRADER, "trades"),
    Account("bob", TRADE, _TRADER, "trades"),
    Account("carol", TRADE, (), "no funds"),
    Account("dave", READ, _READER, "read-only"),
)

INSTRUMENTS: Final = (
    Instrument("BTCUSDT", "BTC", "USDT", 1, 2, 1, 5, 10, 100_000_000, 10_000_000, 1000, 1000),
    Instrument("ETHUSDT", "ETH", "USDT", 1, 2, 1, 4, 10, 100_000_000, 10_000_000, 1000, 1000),
    Instrument("SOLUSDT", "SOL", "USDT", 1, 3, 1, 3, 10, 1_000_000_000, 100_000_000, 1000, 1000),
)

# Where prices begin (ticks), what a lot costs per tick (quote atoms), and how lively a market is.
STARTS: Final = {
    "BTCUSDT": Start(
        price=6_400_000, unit_atoms=10, volume_per_minute=150_000, volatility_ppm=25_000
    ),
    "ETHUSDT": Start(
        price=340_000, unit_atoms=100, volume_per_minute=250_000, volatility_ppm=30_000
    ),
    "SOLUSDT": Start(
        price=152_000, unit_atoms=100, volume_per_minute=400_000, volatility_ppm=40_000
    ),
}


def genesis() -> list[Command]:
    """What a new practice venue begins with, before its owners have money."""
    commands: list[Command] = [RegisterAsset(asset, SCALE) for asset in ASSETS]
    commands += [ListInstrument(instrument) for instrument in INSTRUMENTS]
    commands += [CreateOwner(account.name) for account in ACCOUNTS]
    return commands


def funding(uids: dict[str, int]) -> list[Command]:
    """The demo owners' first deposits."""
    return [
        Deposit(uids[account.name], wallet, asset, units * 10**SCALE)
        for account in ACCOUNTS
        for wallet, asset, units in account.money
    ]


def permission_names(permissions: int) -> list[str]:
    """The names of permission bits."""
    bits = (Access.READ, Access.SPOT_TRADE, Access.CONTRACT_TRADE)
    return [bit.name for bit in bits if permissions & bit]


def account(name: str) -> Account | None:
    """A demo owner by name."""
    return next((found for found in ACCOUNTS if found.name == name), None)
