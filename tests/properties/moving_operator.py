"""The operator of a moving world, and who comes and goes: acts that change its markets.

Each is asked with three numbers, and looks at the run.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from msgspec.structs import replace

from properties.moving_run import Gene, Play
from properties.moving_world import (
    CONTRACT,
    FUNDING,
    GROUP,
    QUOTE,
    SYMBOLS,
    UIDS,
    Asset,
    endowment,
    listing,
)
from venue.core.contract.collateral import available
from venue.core.contract.risk.delisting import settle_range
from venue.core.instruments import Contract, Tier
from venue.core.messages import commands as c
from venue.core.messages.contract_events import ContractChanged, ContractDelisted
from venue.core.units import PPM
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, SHORT

Act = Callable[[Play, int, int, int], None]
NUMBERS: Final = 1 << 12
WAYS: Final = ((BUY, LONG), (SELL, SHORT))


def chosen(play: Play, number: int) -> Asset:
    assets = list(play.world.assets.values())
    return assets[number % len(assets)]


def halts(play: Play, a: int, b: int, d: int) -> None:
    symbol = chosen(play, a // 4).symbol
    play.apply(c.HaltInstrument(symbol, d % 3 == 0, "", product=b % 3 > 0))


def pulls(play: Play, a: int, b: int, d: int) -> None:
    chosen(play, a // 4).pulled = d % 2 == 0


def thins(play: Play, a: int, b: int, d: int) -> None:
    chosen(play, a // 4).thin = d % 3 - 1


def silences(play: Play, a: int, b: int, d: int) -> None:
    chosen(play, a // 4).silent = d % 3 == 0


def freezes(play: Play, a: int, b: int, d: int) -> None:
    play.apply(c.FreezeOwner(UIDS["zoe"], d % 4 > 0))


def rates(play: Play, a: int, b: int, d: int) -> None:
    """New fees of a contract, or of an owner."""
    asset = chosen(play, a // 4)
    if b % 2:
        uid = (*GROUP, UIDS["rex"], UIDS["sue"])[d % 4]
        play.apply(c.SetFees(uid, d // 4 % 1000, d // 4 % 1000, product=1))
        return
    listed = asset.contract
    most = listed.tiers[0].maintenance_ppm // 2 + 1
    fees = replace(listed.instrument, taker_ppm=d % most, maker_ppm=d % most)
    change(play, asset, replace(listed, instrument=fees))


def lists(play: Play, a: int, b: int, d: int) -> None:
    """A second contract, when its terms are taken and all its money can be counted."""
    world = play.world
    asset, world.later = world.later, None
    first = world.assets.get(SYMBOLS[0])
    if asset is None or first is None or asset.worth(1) > first.worth(1):
        return
    for command in listing(asset):
        play.apply(command)
    if asset.symbol in play.engine.contracts.markets:
        world.assets[asset.symbol] = asset
        for command in endowment(asset):
            play.apply(command)


# -- terms, and the end of a contract ---------------------------------------------------------


def change(play: Play, asset: Asset, contract: Contract) -> None:
    said = play.apply(c.ChangeContract(contract))
    if isinstance(said[0], ContractChanged):
        asset.contract = said[0].contract


def terms(play: Play, a: int, b: int, d: int) -> None:
    """New tiers, bounds, or rules of prices; those of the listing come back too."""
    asset = chosen(play, a // 4)
    listed = asset.contract
    first = listed.tiers[0]
    match b % 8:
        case 0 | 1:  # margins are raised, and leverages with them lowered
            change(play, asset, raised(asset.listed, (125, 150, 200, 400, 1_000)[d % 5]))
        case 2 | 3:
            change(play, asset, asset.listed)
        case 4:  # below the leverage that owners begin with
            change(play, asset, lowered(asset.listed, (2, 5, 10, 15)[d % 4]))
        case 5:
            lots = listed.open_interest_max // (1, 8, 100, 1_000)[d % 4]
            most = max(1, min(lots, listed.open_interest_max))
            change(play, asset, replace(listed, position_max=most))
        case 6:
            step = first.maintenance_ppm * (1 + d % 75) // 100 or 1
            change(play, asset, replace(listed, index_step_ppm=min(50_000, step)))
        case _:
            cap = first.maintenance_ppm * (1 + d % 75) * 10
            notional = listed.impact_notional * (1 + d % 3)
            change(play, asset, replace(listed, funding_cap_ppb=cap, impact_notional=notional))


def raised(listed: Contract, percent: int) -> Contract:
    """The contract with maintenance rates so much higher, and the leverages that these allow."""
    found: list[Tier] = []
    for tier in listed.tiers:
        rate = min(PPM // 3, tier.maintenance_ppm * percent // 100)
        leverage = min(tier.leverage_max, max(1, PPM * 9 // (10 * rate)))
        found.append(Tier(tier.notional_max, leverage, rate))
    return replace(listed, tiers=found, leverage_max=found[0].leverage_max)


def lowered(listed: Contract, most: int) -> Contract:
    """The contract with leverages of so much at most."""
    found = [replace(tier, leverage_max=min(most, tier.leverage_max)) for tier in listed.tiers]
    return replace(listed, tiers=found, leverage_max=found[0].leverage_max)


def ends(play: Play, a: int, b: int, d: int) -> None:
    """One of two contracts is delisted, and then settled: at its true price, as far as the venue
    takes that."""
    world = play.world
    if len(world.assets) < 2:
        return
    asset = next((one for one in world.assets.values() if one.delisted), None)
    if asset is None:
        asset = chosen(play, a // 4)
        said = play.apply(c.DelistContract(asset.symbol))
        asset.delisted = isinstance(said[0], ContractDelisted)
        return
    perp = play.engine.contracts.markets[asset.symbol]
    lowest, highest = settle_range(perp)
    price = max(lowest, min(highest, asset.price))
    said = play.apply(c.SettleContract(asset.symbol, price))
    if any(isinstance(event, ContractDelisted) for event in said):
        del world.assets[asset.symbol]


# -- who has everything in one order ----------------------------------------------------------


def bets(play: Play, a: int, b: int, d: int, off: int, tif: int) -> Asset:
    """One puts all its money into one order, `off` ticks behind the price, at the greatest leverage
    or at the one that owners begin with."""
    uid, asset = UIDS["tim"], chosen(play, a // 4)
    symbol, listed = asset.symbol, asset.contract
    play.apply(c.CancelContractOrders(uid, symbol))
    top = listed.leverage_max
    if d % 4:
        play.apply(c.SetLeverage(uid, symbol, top, top, top))
    holding = play.engine.holding(uid)
    leverage = holding.modes_or_default(play.engine.contracts.markets[symbol]).cross
    part = PPM // leverage + 2 * listed.instrument.taker_ppm + 1
    need = asset.worth(1) * part // PPM + max(0, -off) * asset.unit + 1
    lots = max(1, available(holding, 0) // need)
    side, way = WAYS[b % 2]
    price = max(1, asset.price - way * off)
    play.apply(c.PlaceContractOrder(uid, symbol, side, way, LIMIT, tif, min(lots, 10_000), price))
    return asset


def behind(asset: Asset, b: int) -> int:
    return 2 + asset.price * (b // 8 % 4) // 2_000


def waits(play: Play, a: int, b: int, d: int) -> None:
    """Its order rests."""
    bets(play, a, b, d, behind(chosen(play, a // 4), b), GTC)


def catches(play: Play, a: int, b: int, d: int) -> None:
    """Terms change while that order rests; then the true price passes it."""
    asset = chosen(play, a // 4)
    off = behind(asset, b)
    bets(play, a, b, d, off, GTC)
    listed = asset.contract
    if d // 4 % 2:
        most = listed.tiers[0].maintenance_ppm // 2
        fees = replace(listed.instrument, taker_ppm=most, maker_ppm=most)
        change(play, asset, replace(listed, instrument=fees))
    else:
        terms(play, a, d // 8, b // 32)
    play.second({asset.symbol: -WAYS[b % 2][1] * (1 + off)})


def lights(play: Play, a: int, b: int, d: int) -> None:
    """The maker is away, and a small order beyond the price stays alone."""
    asset = chosen(play, a // 4)
    asset.bare = True
    play.second({})
    side, way = WAYS[b % 2]
    price = max(1, asset.price + way * (1 + asset.price * (d % 8) // 1_000))
    uid = GROUP[a % 2]
    lots = 1 + b // 2 % 60
    play.apply(c.PlaceContractOrder(uid, asset.symbol, side, way, LIMIT, GTC, lots, price))
    for _ in range(5):
        play.second({})
    play.apply(c.CancelContractOrders(uid, asset.symbol))
    asset.bare = False


def fakes(play: Play, a: int, b: int, d: int) -> None:
    """The maker is away, and two show another price in its spot book."""
    asset = chosen(play, a // 4)
    asset.pulled = True
    play.second({})
    price = asset.price * (1_000 + (1 - b % 2 * 2) * (10 + d % 40)) // 1_000
    for uid, side, off in ((GROUP[0], BUY, -1), (GROUP[1], SELL, 1)):
        lots, at = min(3_000, asset.need * 2), max(1, price + off)
        play.apply(c.PlaceOrder(uid, asset.symbol, side, LIMIT, GTC, lots, at))
    for _ in range(15):
        play.second({})
    for uid in GROUP:
        play.apply(c.CancelOrders(uid, asset.symbol))
    asset.pulled = False


def sinks(play: Play, a: int, b: int, d: int) -> None:
    """Its order is filled, all other money goes elsewhere, and the true price goes against it by
    safe steps, a tick at least."""
    uid, asset = UIDS["tim"], chosen(play, a // 4)
    play.apply(c.ClosePositions(uid))
    pays(play, a, b, d)
    bets(play, a, b, d, -2, IOC)
    free = available(play.engine.holding(uid), 0)
    play.apply(c.Transfer(uid, CONTRACT, FUNDING, QUOTE, max(1, free)))
    for _ in range(4 + d // 4 % 12):
        step = max(1, asset.price * asset.contract.index_step_ppm * 4 // (5 * PPM))
        play.second({asset.symbol: -WAYS[b % 2][1] * step})


def pays(play: Play, a: int, b: int, d: int) -> None:
    """Its money comes back, and new money where there is none."""
    uid, asset = UIDS["tim"], chosen(play, a // 4)
    free = play.engine.account(uid).funding[0]
    play.apply(c.Transfer(uid, FUNDING, CONTRACT, QUOTE, max(1, free)))
    if available(play.engine.holding(uid), 0) <= 0:
        play.apply(c.Deposit(uid, CONTRACT, QUOTE, max(1, asset.worth(1))))


OPERATOR: Final[dict[str, Act]] = {
    each.__name__: each
    for each in (
        halts,
        pulls,
        thins,
        silences,
        freezes,
        rates,
        lists,
        terms,
        ends,
        waits,
        catches,
        lights,
        sinks,
        fakes,
        pays,
    )
}
TRICKS: Final[tuple[tuple[str, ...], ...]] = (
    ("pays", "catches", "passes"),
    ("pays", "catches", "pays", "catches"),
    ("lights",),
    ("sinks",),
    ("pairs", "sinks", "passes"),
    ("waits", "passes", "terms", "rates", "terms", "passes"),
    ("lists", "passes", "ends", "passes", "ends", "passes"),
    ("terms", "opens", "terms", "closes"),
)
SOME: Final = 0.6  # of the worlds have such an operator
MOST: Final = 6  # tricks of it


def operated(random: Random, acts: list[Gene]) -> list[Gene]:
    """Acts, and among them an operator's who changes terms and ends contracts, in some worlds."""
    if random.random() >= SOME:
        return acts
    acts = list(acts)
    for _ in range(random.randint(1, MOST)):
        at = random.randrange(len(acts) + 1)
        acts[at:at] = trick(random)
    return acts


def tricks(random: Random, count: int) -> list[Gene]:
    """Acts of an operator alone."""
    found: list[Gene] = []
    while len(found) < count:
        found += trick(random)
    return found


def trick(random: Random) -> list[Gene]:
    numbers = [random.randrange(NUMBERS) for _ in range(3)]
    found: list[Gene] = []
    for word in random.choice(TRICKS):
        found.append((word, numbers[0], numbers[1], numbers[2]))
        numbers[1 + random.randrange(2)] = random.randrange(NUMBERS)
    return found
