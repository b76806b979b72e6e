"""The bounds of a market's fields, named as the operator's requests name them (rule 1.5)."""

from __future__ import annotations

from collections.abc import Container
from typing import Final, NamedTuple

from venue.api import errors
from venue.core.contract.safe_terms import breach_of_terms
from venue.core.instruments import (
    INDEX_SOURCES_MAX,
    INDEX_STEP_MAX,
    Asset,
    Contract,
    Instrument,
    unit_atoms,
)
from venue.core.units import PPM, QUANTITY_MAX
from venue.texts import quantity_text, rate_text


class SizeNames(NamedTuple):
    """The names that a product's requests have for the sizes of orders."""

    least: str
    most: str
    market: str


SPOT_SIZES: Final = SizeNames("minTradeAmount", "maxTradeAmount", "marketLimitSize")
CONTRACT_SIZES: Final = SizeNames("minOrderSize", "maxOrderSize", "marketOpenLimitSize")
# The requests' names of the settings that may fail the test of a safe contract.
_SAFE_NAMES: Final = {
    "maker_ppm": "makerFeeRate",
    "taker_ppm": "takerFeeRate",
    "funding_cap_ppb": "fundingCapRate",
    "index_step_ppm": "indexStepRate",
    "position_max": "maxPositionSize",
    "share_ppm": "maxOwnerShare",
    "index_notional": "indexNotional",
    "impact_notional": "impactNotional",
    "market_hours": "tradingHours",
}


def check_instrument(instrument: Instrument, names: SizeNames, sent: Container[str]) -> None:
    """ApiError -1140 for a size, rate or band out of its range. Of two sizes that do not fit
    together it names one of those that were `sent`."""
    _check_sizes(
        instrument, (names.least, instrument.quantity_min), (names.most, instrument.quantity_max),
        sent,
    )  # fmt: skip
    _check_sizes(instrument, (names.market, 1), (names.market, instrument.market_quantity_max), ())
    for name, ppm in (
        ("makerFeeRate", instrument.maker_ppm),
        ("takerFeeRate", instrument.taker_ppm),
    ):
        _check_rate(name, ppm, 0, PPM - 1)
    for name, ppm in (
        ("buyLimitPriceRatio", instrument.buy_band_ppm),
        ("sellLimitPriceRatio", instrument.sell_band_ppm),
        ("marketPriceRatio", instrument.market_band_ppm),
    ):
        _check_rate(name, ppm, 1, PPM)


def check_contract(contract: Contract, settle: Asset, sent: Container[str]) -> None:
    """As `check_instrument`, of all that a contract has, and the test of a safe contract (rule
    1.6). ApiError -1142 for a leverage that is not the first tier's."""
    instrument = contract.instrument
    check_instrument(instrument, CONTRACT_SIZES, sent)
    _check_sizes(
        instrument, ("maxPositionSize", contract.position_max),
        ("maxOpenInterest", contract.open_interest_max), sent,
    )  # fmt: skip
    first = contract.tiers[0].leverage_max if contract.tiers else contract.leverage_max
    if contract.leverage_max != first:
        raise errors.invalid("maxLeverage", f"must be the leverage of the first tier, {first}")
    _check_rate("liquidationFeeRate", contract.liquidation_ppm, 0, PPM - 1)
    _check_rate("indexStepRate", contract.index_step_ppm, 1, INDEX_STEP_MAX)
    _check_rate("maxOwnerShare", contract.share_ppm, 1, PPM)
    if not 1 <= len(contract.index_sources) <= INDEX_SOURCES_MAX:
        raise errors.out_of_range("indexSources", f"allowed: 1 to {INDEX_SOURCES_MAX} names")
    if not contract.funding_cap_ppb > 0:
        raise errors.out_of_range("fundingCapRate", "must be above 0")
    breach = breach_of_terms(contract, unit_atoms(instrument, settle), settle.scale)
    if breach is not None:
        raise errors.out_of_range(_SAFE_NAMES[breach.field], breach.inequality())


def _check_sizes(
    grid: Instrument, low: tuple[str, int], high: tuple[str, int], sent: Container[str]
) -> None:
    """Two sizes in lots, of which the second is not below the first; each by its name."""
    (low_name, least), (high_name, most) = low, high
    bounds = [quantity_text(grid, lots) for lots in (1, QUANTITY_MAX)]
    if not 1 <= most <= QUANTITY_MAX:
        raise errors.out_of_range(high_name, f"allowed: {bounds[0]} to {bounds[1]}")
    if 1 <= least <= most:
        return
    if least >= 1 and low_name not in sent:
        rule = f"allowed: {quantity_text(grid, least)} ({low_name}) to {bounds[1]}"
        raise errors.out_of_range(high_name, rule)
    rule = f"allowed: {bounds[0]} to {quantity_text(grid, most)} ({high_name})"
    raise errors.out_of_range(low_name, rule)


def _check_rate(name: str, ppm: int, least: int, most: int) -> None:
    if not least <= ppm <= most:
        raise errors.out_of_range(name, f"allowed: {rate_text(least)} to {rate_text(most)}")
