"""Instruments: grid, limits and fees of one symbol, as integers."""

from typing import Final

from msgspec import Struct

from venue.core.market_hours import TradingSession, hours_fault
from venue.core.ranges import Signed
from venue.core.units import AMOUNT_MAX, PPB, PPM, QUANTITY_MAX
from venue.vocabulary import COIN, UNDERLYINGS

LEVERAGE_MAX: Final = 500
INDEX_SOURCES_MAX: Final = 8
INDEX_STEP_MAX: Final = 50_000  # ppm a second
SHARE_MAX_PPM: Final = 250_000  # of the open interest, for one owner
DAY_MINUTES: Final = 1_440


class Asset(Struct, frozen=True, array_like=True):
    """An asset. One unit is 10^scale atoms; `coin_id` is its number on the wire."""

    name: str
    coin_id: Signed
    scale: Signed


class Instrument(Struct, frozen=True, array_like=True):
    """A spot market's specification.

    The tick size is `tick` x 10^-price_scale of quote, the step size `step` x 10^-quantity_scale
    of base. Quantities are in lots, rates and bands in parts per million.
    """

    symbol: str
    base: str
    quote: str
    tick: Signed
    price_scale: Signed
    step: Signed
    quantity_scale: Signed
    quantity_min: Signed
    quantity_max: Signed
    market_quantity_max: Signed
    maker_ppm: Signed
    taker_ppm: Signed
    buy_band_ppm: Signed = 100_000
    sell_band_ppm: Signed = 100_000
    market_band_ppm: Signed = 50_000


class Tier(Struct, frozen=True, array_like=True):
    """The leverage and maintenance rate of positions up to `notional_max` atoms (rule 5.8)."""

    notional_max: Signed
    leverage_max: Signed
    maintenance_ppm: Signed


class Contract(Struct, frozen=True, array_like=True):
    """A perpetual contract's specification; `instrument.quote` is the asset it settles in.

    `tiers` ascend, the last one reaches the largest position. `funding_minutes` are minutes of the
    day, UTC. `index_sources` are "spot" (the venue's own spot market of the same symbol) or names
    under which index prices are posted. Rates with `_ppb` are parts per billion.

    The spot book is a source when each side can fill `index_notional`; the premium uses the prices
    that fill `impact_notional` (rule 6.3). Both are atoms of the settle asset; 0 stands for a part
    of the first tier (rule 1.6). The index moves by at most `index_step_ppm` a second. One owner's
    longs, and its shorts, are at most `share_ppm` of `open_interest_max`.

    `underlying` names the kind of the underlying. Its index follows the sources within
    `market_hours`; always, if there are none (rule 6.8).
    """

    instrument: Instrument
    leverage_max: Signed
    position_max: Signed
    open_interest_max: Signed
    tiers: list[Tier]
    liquidation_ppm: Signed = 5_000
    funding_minutes: tuple[Signed, ...] = (0, 480, 960)
    funding_cap_ppb: Signed = 3_000_000
    interest_ppb: Signed = 100_000
    index_sources: tuple[str, ...] = ("spot",)
    adl_policy: Signed = 0
    index_step_ppm: Signed = 5_000
    share_ppm: Signed = SHARE_MAX_PPM
    index_notional: Signed = 0
    impact_notional: Signed = 0
    underlying: str = COIN
    market_hours: tuple[TradingSession, ...] = ()


def lot_atoms(instrument: Instrument, base: Asset) -> int:
    """Base atoms in one lot; 0 when a lot is no whole number of atoms."""
    return _scale(instrument.step, base.scale - instrument.quantity_scale)


def unit_atoms(instrument: Instrument, quote: Asset) -> int:
    """Quote atoms in one tick x lot (rule 1.1); 0 when that is no whole number."""
    shift = quote.scale - instrument.price_scale - instrument.quantity_scale
    return _scale(instrument.tick * instrument.step, shift)


def fault(instrument: Instrument) -> str:
    """Return why this specification cannot be listed; empty when it can."""
    if instrument.symbol != instrument.base + instrument.quote:
        return "symbol must be base + quote"
    if instrument.base == instrument.quote:
        return "base and quote must differ"
    if instrument.tick <= 0 or instrument.step <= 0:
        return "tick and step must be positive"
    if not (0 <= instrument.price_scale <= 18 and 0 <= instrument.quantity_scale <= 18):
        return "price_scale and quantity_scale must be 0 to 18"
    if not 1 <= instrument.quantity_min <= instrument.quantity_max <= QUANTITY_MAX:
        return f"quantities must satisfy 1 <= min <= max <= {QUANTITY_MAX} lots"
    if not 1 <= instrument.market_quantity_max <= QUANTITY_MAX:
        return f"market_quantity_max must be 1 to {QUANTITY_MAX} lots"
    if not (0 <= instrument.maker_ppm < PPM and 0 <= instrument.taker_ppm < PPM):
        return f"fee rates must be 0 to {PPM - 1} ppm"
    bands = (instrument.buy_band_ppm, instrument.sell_band_ppm, instrument.market_band_ppm)
    if not all(0 < band <= PPM for band in bands):
        return f"bands must be 1 to {PPM} ppm"
    return ""


def contract_fault(contract: Contract) -> str:
    """Return why this contract cannot be listed; empty when it can."""
    reason = fault(contract.instrument)
    if reason:
        return reason
    tiers = contract.tiers
    if not 1 <= contract.leverage_max <= LEVERAGE_MAX:
        return f"leverage_max must be 1 to {LEVERAGE_MAX}"
    if not 1 <= contract.position_max <= contract.open_interest_max <= QUANTITY_MAX:
        return f"need 1 <= position_max <= open_interest_max <= {QUANTITY_MAX} lots"
    if not tiers or tiers[0].leverage_max != contract.leverage_max:
        return "the first tier must allow leverage_max"
    for number in range(1, len(tiers)):
        lower, upper = tiers[number - 1], tiers[number]
        if upper.notional_max <= lower.notional_max or upper.leverage_max > lower.leverage_max:
            return "tiers must ascend in notional and descend in leverage"
        if upper.maintenance_ppm < lower.maintenance_ppm:
            return "maintenance rates must not fall from tier to tier"
    for tier in tiers:
        # A position at its full leverage must stand above its maintenance margin.
        if tier.leverage_max < 1 or not 0 < tier.maintenance_ppm * tier.leverage_max < PPM:
            return "a tier's maintenance rate must lie below 1 / its leverage"
    if not 0 <= contract.liquidation_ppm < PPM:
        return f"liquidation_ppm must be 0 to {PPM - 1}"
    return _schedule_fault(contract)


def _schedule_fault(contract: Contract) -> str:
    minutes = contract.funding_minutes
    if not minutes or not minutes[0] >= 0 or minutes[-1] >= DAY_MINUTES:
        return "funding_minutes must be minutes of the day, 0 to 1439"
    every = DAY_MINUTES // len(minutes)
    if minutes != tuple(minutes[0] + every * number for number in range(len(minutes))):
        return "funding_minutes must ascend and be evenly spaced over the day"
    if DAY_MINUTES % len(minutes):
        return "funding_minutes must divide the day evenly"
    if not 0 < contract.funding_cap_ppb < PPB or not 0 <= contract.interest_ppb < PPB:
        return f"funding rates must be below {PPB} ppb"
    if not contract.index_sources or len(contract.index_sources) > INDEX_SOURCES_MAX:
        return f"1 to {INDEX_SOURCES_MAX} index_sources are needed"
    if contract.adl_policy not in (0, 1):
        return "adl_policy must be 0 (queue) or 1 (pro-rata)"
    for name, atoms in (
        ("index_notional", contract.index_notional),
        ("impact_notional", contract.impact_notional),
    ):
        if not 0 <= atoms <= AMOUNT_MAX:
            return f"{name} must be 0 to {AMOUNT_MAX} atoms of the settle asset"
    if not 0 < contract.index_step_ppm <= INDEX_STEP_MAX:
        return f"index_step_ppm must be 1 to {INDEX_STEP_MAX}"
    if contract.underlying not in UNDERLYINGS:
        return f"underlying must be one of {', '.join(UNDERLYINGS)}"
    if not 0 < contract.share_ppm <= PPM:
        return f"share_ppm must be 1 to {PPM}"
    return hours_fault(contract.market_hours)


def _scale(number: int, shift: int) -> int:
    if shift >= 0:
        return int(number * 10**shift)
    quotient, rest = divmod(number, 10**-shift)
    return 0 if rest else quotient


def grid(instrument: Instrument) -> tuple[object, ...]:
    """Return the fields of an instrument that cannot change after its listing."""
    return (
        instrument.base,
        instrument.quote,
        instrument.tick,
        instrument.price_scale,
        instrument.step,
        instrument.quantity_scale,
    )
