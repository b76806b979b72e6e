"""Terms near the bounds of what listing accepts, and beyond (rule 1.6).

A world whose terms are refused is not played; a venue that took them would be.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from msgspec.structs import replace

from properties.moving_world import Asset, World
from venue.core.instruments import INDEX_STEP_MAX
from venue.core.units import PPB, PPM

DARING: Final = 0.7  # of the worlds
PERCENTS: Final = (50, 75, 75, 76, 100, 150, 200, 300, 300)  # of the maintenance rate
PARTS: Final = (1_000, 1_000, 1_001, 3_000, 10_000)  # of the first tier's greatest notional
NOTIONAL_PARTS: Final = 1_000
FIRST_LOTS: Final = (10_000, 20_000, 50_000)  # in the first tier
ORDERS: Final = 20  # at four times the lowest price the smallest order is within a notional
NEED_MAX: Final = 1_000  # lots that fill the index notional

Push = Callable[[Random, Asset], None]


def dare(random: Random, world: World, push: Push | None = None) -> None:
    """Push terms of some worlds to the bounds, or past them; with a `push` of all worlds."""
    if push is None:
        if random.random() >= DARING:
            return
        push = random.choice(PUSHES)
    for asset in world.assets.values():
        push(random, asset)
        asset.listed = asset.contract
    world.poor = random.random() < 0.5


def coarse(random: Random, asset: Asset) -> None:
    """A price of few ticks: one tick is a fifth of the margin, or all of it."""
    rate = asset.contract.tiers[0].maintenance_ppm
    parts = random.choice((random.randint(30, 150), random.randint(150, 600)))
    price = max(3, PPM * parts // (100 * rate))
    notional = asset.unit * max(price * asset.need, ORDERS * PPM // rate + 1)
    need = notional // (asset.unit * price) + 1
    if need <= NEED_MAX:
        asset.price, asset.need = price, need
        asset.contract = replace(
            asset.contract, index_notional=notional, impact_notional=notional
        )  # fmt: skip


def steps(random: Random, asset: Asset) -> None:
    """An index that steps by as much as keeps a position, or more."""
    step = asset.contract.tiers[0].maintenance_ppm * random.choice(PERCENTS) // 100
    asset.contract = replace(asset.contract, index_step_ppm=max(1, min(INDEX_STEP_MAX, step)))


def fees(random: Random, asset: Asset) -> None:
    """A fee that takes as much as keeps a position, or more."""
    rate = asset.contract.tiers[0].maintenance_ppm * random.choice(PERCENTS) // 100
    taker = replace(asset.contract.instrument, taker_ppm=min(rate, PPM // 2))
    asset.contract = replace(asset.contract, instrument=taker)


def caps(random: Random, asset: Asset) -> None:
    """A funding settlement that takes as much, or more."""
    rate = asset.contract.tiers[0].maintenance_ppm * random.choice(PERCENTS) * (PPB // PPM) // 100
    asset.contract = replace(asset.contract, funding_cap_ppb=rate)


def impacts(random: Random, asset: Asset) -> None:
    """A premium that orders make which are worth next to nothing beside the positions."""
    first, *others = asset.contract.tiers
    most = random.choice(FIRST_LOTS) * asset.worth(1)
    if len(others) and most < others[0].notional_max:
        index = max(asset.contract.index_notional, -(-most // NOTIONAL_PARTS))
        asset.need = index // asset.worth(1) + 1
        asset.contract = replace(
            asset.contract, tiers=[replace(first, notional_max=most), *others],
            index_notional=index, impact_notional=max(1, most // random.choice(PARTS)),
        )  # fmt: skip


def feeds(random: Random, asset: Asset) -> None:
    """A posted price beside the spot book's."""
    asset.contract = replace(asset.contract, index_sources=("spot", "desk"))


PUSHES: Final[tuple[Push, ...]] = (coarse, coarse, steps, steps, fees, caps, impacts, feeds)
