"""The practice venue's first commands: assets, markets, owners with fixed keys, their money."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, structs

from venue.api.names import API_CLOSED
from venue.core.contract.collateral import FUND_UID
from venue.core.contract.safe_terms import index_step_most
from venue.core.instruments import DAY_MINUTES, Contract, Instrument, Tier
from venue.core.market_hours import TradingSession
from venue.core.messages.commands import (
    ChangeSetting,
    Command,
    CreateOwner,
    Deposit,
    ListContract,
    ListInstrument,
    RegisterAsset,
)
from venue.lab.backfill import Start
from venue.vocabulary import ACCESS_READ, Access, Wallet

TRADE: Final = int(Access.READ | Access.SPOT_TRADE | Access.CONTRACT_TRADE)
SCALE: Final = 8  # decimals of every demo asset
PASSPHRASE: Final = "demo"  # noqa: S105 - the demo keys are printed, on purpose

ASSETS: Final = ("BTC", "USDT", "ETH", "SOL", "SUSDT", "WXB", "ACME")
TOKEN: Final = "WXB"  # noqa: S105 - the venue's asset
SHARE: Final = "ACME"  # a share that nobody can buy: a contract is on it
LIVE: Final = "USDT"  # the settle asset of live contracts
DEMO: Final = "SUSDT"  # and of demo contracts
POSTED: Final = "agents"  # the index source of demo contracts
SEED_MAX: Final = 2**31 - 1  # of the market's past and its liquidity agents; 0 is the least
FUND_UNITS: Final = 1_000_000  # the insurance fund's first money in each settle asset


class DemoAccount(Struct, frozen=True):
    """A demo owner: its key's permissions and its initial money, (wallet, asset, units)."""

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
    (int(Wallet.CONTRACT), LIVE, 1_000_000),
    (int(Wallet.CONTRACT), DEMO, 100_000),
)
_READER: Final = ((int(Wallet.SPOT), "USDT", 1_000), (int(Wallet.CONTRACT), "USDT", 1_000))

ACCOUNTS: Final = (
    DemoAccount("alice", TRADE, _TRADER, "trades"),
    DemoAccount("bob", TRADE, _TRADER, "trades"),
    DemoAccount("carol", TRADE, (), "no funds"),
    DemoAccount("dave", ACCESS_READ, _READER, "read-only"),
)

INSTRUMENTS: Final = (
    Instrument("BTCUSDT", "BTC", "USDT", 1, 2, 1, 5, 10, 100_000_000, 10_000_000, 1000, 1000),
    Instrument("ETHUSDT", "ETH", "USDT", 1, 2, 1, 4, 10, 100_000_000, 10_000_000, 1000, 1000),
    Instrument("SOLUSDT", "SOL", "USDT", 1, 3, 1, 3, 10, 1_000_000_000, 100_000_000, 1000, 1000),
)


def _tiers(scale_units: int, leverage_max: int) -> list[Tier]:
    """Four tiers: notionals are multiples of `scale_units`; a rate is two fifths of 1 /
    leverage."""
    steps = ((1, 1), (5, 2), (25, 5), (100, 10))
    return [
        Tier(
            notional_max=scale_units * reach * 10**SCALE,
            leverage_max=leverage_max // divisor,
            maintenance_ppm=400_000 * divisor // leverage_max,
        )
        for reach, divisor in steps
    ]


def _contract(spot: Instrument, settle: str) -> Contract:
    """Return a perpetual on the grid of a spot market. Fees, tiers and caps are the venue's own
    choice."""
    leverage_max, tier_units, position_max = _SIZES[spot.base]
    made = Contract(
        instrument=structs.replace(
            spot, symbol=spot.base + settle, quote=settle, maker_ppm=200, taker_ppm=600
        ),
        leverage_max=leverage_max,
        position_max=position_max,
        open_interest_max=position_max * 20,
        tiers=_tiers(tier_units, leverage_max),
        index_sources=("spot",) if settle == LIVE else (POSTED,),
        index_notional=10_000 * 10**SCALE,
        impact_notional=200 * leverage_max * 10**SCALE,
    )
    return structs.replace(made, index_step_ppm=min(made.index_step_ppm, index_step_most(made)))


# Greatest leverage, the first tier's notional in units of the settle asset, position_max in lots.
_SIZES: Final = {
    "BTC": (100, 2_000_000, 300_000_000),
    "ETH": (100, 1_000_000, 300_000_000),
    "SOL": (50, 250_000, 150_000_000),
    SHARE: (10, 250_000, 150_000_000),
}
_TRADED: Final = tuple(_contract(spot, settle) for settle in (LIVE, DEMO) for spot in INSTRUMENTS)


def _listed_only(twin: Contract) -> Contract:
    """Return a contract on the token that the interface takes no orders for; agents post its
    index."""
    symbol = TOKEN + LIVE
    instrument = structs.replace(twin.instrument, symbol=symbol, base=TOKEN)
    return structs.replace(twin, instrument=instrument, index_sources=(POSTED,))


def _on_share(followed: Instrument) -> Contract:
    """Return a contract on the share, open Monday to Friday 14:30 to 21:00 UTC; agents post its
    index."""
    made = _contract(structs.replace(followed, base=SHARE), LIVE)
    days = [day * DAY_MINUTES for day in range(5)]
    return structs.replace(
        made,
        index_sources=(POSTED,),
        underlying="Stocks",
        market_hours=tuple(TradingSession(day + 870, day + 1_260) for day in days),
    )


LISTED_ONLY: Final = _listed_only(_TRADED[len(INSTRUMENTS) - 1])
ON_SHARE: Final = _on_share(INSTRUMENTS[-1])
CONTRACTS: Final = (*_TRADED, LISTED_ONLY, ON_SHARE)
# The spot market, or live contract, whose price each contract follows.
FOLLOWED: Final = {
    contract.instrument.symbol: contract.instrument.base + LIVE for contract in _TRADED
} | {contract.instrument.symbol: INSTRUMENTS[-1].symbol for contract in (LISTED_ONLY, ON_SHARE)}

# First prices (ticks), the price of a lot per tick (quote atoms), and how lively a market is.
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
    """Return the first commands of a new practice venue, before its owners have money."""
    commands: list[Command] = [RegisterAsset(asset, SCALE) for asset in ASSETS]
    commands += [ListInstrument(instrument) for instrument in INSTRUMENTS]
    commands += [ListContract(contract) for contract in CONTRACTS]
    commands.append(ChangeSetting(API_CLOSED, LISTED_ONLY.instrument.symbol))
    commands += [CreateOwner(account.name) for account in ACCOUNTS]
    return commands


def funding(uids: dict[str, int]) -> list[Command]:
    """Return the first deposits: the demo owners', and the insurance fund's."""
    commands: list[Command] = [
        Deposit(uids[account.name], wallet, asset, units * 10**SCALE)
        for account in ACCOUNTS
        for wallet, asset, units in account.money
    ]
    commands += [
        Deposit(FUND_UID, int(Wallet.CONTRACT), asset, FUND_UNITS * 10**SCALE)
        for asset in (LIVE, DEMO)
    ]
    return commands


def permission_names(permissions: int) -> list[str]:
    """Return the names of permission bits."""
    bits = (Access.READ, Access.SPOT_TRADE, Access.CONTRACT_TRADE)
    return [bit.name for bit in bits if permissions & bit]


def account(name: str) -> DemoAccount | None:
    """Return a demo owner by name."""
    return next((found for found in ACCOUNTS if found.name == name), None)
