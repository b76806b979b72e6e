"""Random small venues in which true prices move: terms, owners, and what honest people do.

Each contract has a true price. An honest maker quotes it on both sides of the spot book and of the
contract's, takes whatever is offered beyond it, and the operator posts it, each second; unless one
of them is away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from msgspec.structs import replace

from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages import commands as c
from venue.core.messages.commands import Command
from venue.core.messages.copy_commands import CopyConfig, Follow, SetLead
from venue.core.units import AMOUNT_MAX, PPM
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, SHORT

SECOND: Final = 1_000_000
BEGIN: Final = 1_700_000_000 * SECOND // (3600 * SECOND) * 3600 * SECOND + 3_560 * SECOND
SPOT, CONTRACT, FUNDING = 0, 1, 2
QUOTE: Final = "QQQ"
SYMBOLS: Final = ("AAAQQQ", "BBBQQQ")
FUND_UID: Final = 2
NAMES: Final = ("ann", "bob", "maker", "hedger", "lead", "fay", "zoe", "sue", "rex", "tim")
UIDS: Final = {name: 10_000_001 + number for number, name in enumerate(NAMES)}
GROUP: Final = (UIDS["ann"], UIDS["bob"])
WARM_UP: Final = 12  # seconds until nothing is in doubt
LEVERAGES: Final = (5, 20, 50, 100, 125, 250, 500)
SOURCES: Final = (("spot",), ("spot",), ("spot", "desk"), ("desk",), ("desk", "wire", "post"))
DEPTH: Final = 4  # the maker shows so many index notionals on each side
TIER_LOTS: Final = 200  # in the first tier, where there are two
LOT_SCALE: Final = 12  # a lot is at most ten times 10^12 atoms of its base
STOCK: Final = 100_000  # lots that the maker can pay for


@dataclass
class Asset:
    """One contract of a world: its terms, its true price in ticks, and who is away."""

    contract: Contract
    unit: int  # one tick x lot in atoms
    lot: int  # one lot in atoms of its base
    price: int
    need: int  # lots that fill the index notional
    pulled: bool = False  # the maker shows nothing
    thin: int = 0  # a side on which it shows too little: 1 asks, -1 bids
    silent: bool = False  # nobody posts
    delisted: bool = False
    bare: bool = False  # the maker shows nothing in the contract's book
    quoted: tuple[object, ...] = ()  # the quotes as they were placed
    listed: Contract = field(init=False)  # its terms before any change

    def __post_init__(self) -> None:
        self.listed = self.contract

    @property
    def symbol(self) -> str:
        return self.contract.instrument.symbol

    @property
    def spot(self) -> bool:
        return "spot" in self.contract.index_sources

    @property
    def posts(self) -> list[str]:
        return [name for name in self.contract.index_sources if name != "spot"]

    @property
    def shown(self) -> bool:
        """Whether honest people show the true price."""
        quotes = self.spot and not self.pulled and not self.thin
        return quotes or (bool(self.posts) and not self.silent)

    def worth(self, lots: int) -> int:
        """So many lots at the true price, in atoms."""
        return lots * self.unit * self.price


@dataclass
class World:
    """A drawn venue. `calm`: true prices move by safe steps, and nobody is ever away."""

    calm: bool
    scales: tuple[int, int]  # of the settle asset and of the bases
    assets: dict[str, Asset]
    brought: int  # atoms of each member of the group
    robber: bool  # a member of the group is the lead
    modes: tuple[int, int]  # self-trade prevention of the group
    later: Asset | None = None  # listed in mid-flight
    poor: bool = False  # the fund has next to nothing

    @property
    def lead(self) -> int:
        return GROUP[0] if self.robber else UIDS["lead"]


def drawn(random: Random) -> World:
    """A world from a seed; listing may refuse its terms, then another is drawn."""
    scales = random.choice(((2, 3), (6, 8), (8, 3), (8, 18), (12, 8), (12, 18)))
    assets: dict[str, Asset] = {}
    for symbol in SYMBOLS[: random.choice((1, 1, 2))]:
        assets[symbol] = _asset(random, symbol[:3], *scales)
    later = None if len(assets) > 1 else _asset(random, SYMBOLS[1][:3], *scales)
    first = assets[SYMBOLS[0]]
    least = random.choice((20, 200)) * first.worth(1)
    brought = least // random.choice((1, first.contract.leverage_max))
    return World(
        calm=random.random() < 0.3,
        scales=scales,
        assets=assets,
        brought=max(1_000, brought),
        robber=random.random() < 0.3,
        modes=(random.choice((0, 0, 1, 2, 3)), random.choice((0, 0, 2))),
        later=later,
    )


def _asset(random: Random, base: str, quote_scale: int, base_scale: int) -> Asset:
    """A contract that is well formed and counts within 2^62 atoms; it may be unsafe."""
    while True:
        leverage = random.choice(LEVERAGES)
        rate = PPM * random.randint(30, 99) // (100 * leverage)
        least = max(0, base_scale - LOT_SCALE)
        price_scale = random.randint(0, min(3, quote_scale - least))
        quantity_scale = random.randint(least, min(6, quote_scale - price_scale, base_scale))
        tick, step = random.choice((1, 1, 5, 25)), random.choice((1, 1, 10))
        unit = tick * step * 10 ** (quote_scale - price_scale - quantity_scale)
        price = 5 * PPM // rate * random.choice((11, 20, 1_000, 20_000)) // 10
        if not 1 <= price * unit * STOCK * 8 <= AMOUNT_MAX:
            continue
        worth = 10 ** (price_scale + quantity_scale)  # units of quote, over this
        units = max(1, max(4, random.choice((1, 10, 50))) * price * tick * step // worth)
        need = units * worth // (tick * step * price) + 1
        if need > 1_000:
            continue
        notional = units * 10**quote_scale
        instrument = Instrument(
            base + QUOTE, base, QUOTE, tick, price_scale, step, quantity_scale, 1, 10_000, 10_000,
            random.randint(0, rate * 6 // 10), random.randint(0, rate * 6 // 10),
            random.choice((20_000, 100_000)), random.choice((20_000, 100_000)),
            random.choice((10_000, 50_000)),
        )  # fmt: skip
        tiers = [Tier(TIER_LOTS * price * unit, leverage, rate), Tier(AMOUNT_MAX, leverage, rate)]
        if random.random() < 0.5 and leverage > 5:
            slower = PPM * 9 // (10 * (leverage // 2))
            tiers = [
                Tier(TIER_LOTS * price * unit, leverage, rate),
                Tier(AMOUNT_MAX, leverage // 2, max(rate, random.randint(rate, slower))),
            ]
        contract = Contract(
            instrument, leverage, 20_000, STOCK, tiers,
            liquidation_ppm=random.randint(0, rate),
            funding_minutes=tuple(range(0, 1440, 60)),
            funding_cap_ppb=random.randint(1, rate * 8 // 10) * 1000,
            index_sources=random.choice(SOURCES),
            index_notional=notional,
            impact_notional=notional,
            index_step_ppm=min(50_000, random.randint(1 + rate // 4, rate * 9 // 10)),
        )  # fmt: skip
        lot = step * 10 ** (base_scale - quantity_scale)
        if lot * STOCK * 8 <= AMOUNT_MAX:
            return Asset(contract, unit, lot, price, need)


def opening(world: World) -> list[Command]:
    """Assets, markets, owners, and their money."""
    bases = [symbol[:3] for symbol in SYMBOLS]
    found: list[Command] = [c.RegisterAsset(QUOTE, world.scales[0])]
    found += [c.RegisterAsset(base, world.scales[1]) for base in bases]
    for asset in world.assets.values():
        found += listing(asset)
    for name, mode in zip(NAMES, (*world.modes, *(0 for _ in NAMES)), strict=False):
        found.append(c.CreateOwner(name, mode))
    most = max(asset.worth(1) for asset in world.assets.values())
    found.append(c.Deposit(FUND_UID, CONTRACT, QUOTE, most * (1 if world.poor else 10_000)))
    for uid in GROUP:
        rich = world.robber and uid == GROUP[1]
        found.append(c.Deposit(uid, CONTRACT, QUOTE, most * 1_000 if rich else world.brought))
        found.append(c.Deposit(uid, SPOT, QUOTE, most * 4_000))
    for name in ("maker", "hedger", "zoe", "sue", "rex", "lead"):
        found.append(
            c.Deposit(UIDS[name], CONTRACT, QUOTE, most * (STOCK if name == "maker" else 200))
        )
    found.append(c.Deposit(UIDS["fay"], CONTRACT, QUOTE, max(1_000, most * 5)))
    found.append(c.Deposit(UIDS["tim"], CONTRACT, QUOTE, max(1_000, most)))
    found.append(c.Deposit(UIDS["maker"], SPOT, QUOTE, most * STOCK))
    for asset in world.assets.values():
        found += endowment(asset)
    return found


def listing(asset: Asset) -> list[Command]:
    """A contract, and a spot market of its name whose orders may lie anywhere."""
    wide = replace(
        asset.contract.instrument, maker_ppm=0, taker_ppm=100, buy_band_ppm=PPM,
        sell_band_ppm=PPM, quantity_max=STOCK, market_quantity_max=STOCK,
    )  # fmt: skip
    return [c.ListInstrument(wide), c.ListContract(asset.contract)]


def endowment(asset: Asset) -> list[Command]:
    """Deposits of its base."""
    lots = {"maker": STOCK, "hedger": 40, "ann": 4_000, "bob": 4_000}
    base = asset.symbol[:3]
    return [c.Deposit(UIDS[name], SPOT, base, asset.lot * most) for name, most in lots.items()]


def beginning(world: World) -> list[Command]:
    """Once there are prices: leverages, a hedge, a copied lead, stops, and a resting order."""
    found: list[Command] = []
    config = CopyConfig(
        "", False, 1_000_000, AMOUNT_MAX, margin_mode=0,
        long=max(a.contract.leverage_max for a in world.assets.values()),
        short=max(a.contract.leverage_max for a in world.assets.values()),
    )  # fmt: skip
    found.append(SetLead(world.lead, QUOTE, True, 100_000))
    found.append(Follow(UIDS["fay"], world.lead, True, [config]))
    for symbol, asset in world.assets.items():
        top = asset.contract.leverage_max
        for uid in GROUP:
            lever = max(1, top // 2) if world.robber and uid == GROUP[1] else top
            found.append(c.SetLeverage(uid, symbol, lever, lever, lever))
        for name in ("maker", "hedger", "rex"):
            found.append(c.SetLeverage(UIDS[name], symbol, 1, 1, 1))
        price = asset.price
        for name, side, way, lots in (
            ("hedger", SELL, SHORT, 40), ("zoe", BUY, LONG, 20), ("sue", BUY, LONG, 30),
        ):  # fmt: skip
            limit = price + 3 * way
            found.append(
                c.PlaceContractOrder(UIDS[name], symbol, side, way, LIMIT, IOC, lots, limit)
            )
        found.append(stop(UIDS["sue"], symbol, price - price // 20 - 2))
        found.append(stop(UIDS["zoe"], symbol, price - price // 10 - 2))
        found.append(
            c.PlaceContractOrder(
                UIDS["rex"], symbol, BUY, LONG, LIMIT, GTC, 10, price - price // 100 - 2
            )
        )
    return found


def stop(uid: int, symbol: str, price: int) -> Command:
    """A stop that closes a whole long."""
    return c.PlaceAlgo(uid, symbol, SELL, LONG, 1, 0, price, 0, 1)


def quotes(
    asset: Asset, beyond: Callable[[int, int], bool], beside: Callable[[int, int], bool]
) -> list[Command]:
    """The maker's orders: first what takes all that others offer beyond the true price, in the spot
    book (`beyond`) and in the contract's (`beside`)."""
    uid, symbol, price = UIDS["maker"], asset.symbol, asset.price
    found: list[Command] = [c.CancelOrders(uid, symbol), c.CancelContractOrders(uid, symbol)]
    if asset.pulled:
        return found
    for side, way, limit in ((BUY, LONG, price - 1), (SELL, SHORT, price + 1)):
        thin = asset.thin and (asset.thin > 0) == (side == SELL)
        lots = max(1, asset.need // 2) if thin else asset.need * DEPTH
        if beyond(side, limit):
            found.append(c.PlaceOrder(uid, symbol, side, LIMIT, IOC, STOCK // 20, limit))
        found.append(c.PlaceOrder(uid, symbol, side, LIMIT, GTC, lots, limit))
        if asset.bare:
            continue
        if beside(side, limit):
            taking = c.PlaceContractOrder(uid, symbol, side, way, LIMIT, IOC, 3_000, limit)
            found.append(taking)
        found.append(c.PlaceContractOrder(uid, symbol, side, way, LIMIT, GTC, 60, limit))
    return found
