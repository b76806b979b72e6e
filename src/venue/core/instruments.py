"""What can be traded: grid, limits and fees of one symbol, as integers."""

from msgspec import Struct

from venue.core.units import PPM, QUANTITY_MAX


class Asset(Struct, frozen=True, array_like=True):
    """Something held. One unit is 10^scale atoms; `coin_id` is its number on the wire."""

    name: str
    coin_id: int
    scale: int


class Instrument(Struct, frozen=True, array_like=True):
    """A spot market's specification.

    The tick size is `tick` x 10^-price_scale of quote, the step size `step` x 10^-quantity_scale
    of base. Quantities are in lots, rates and bands in parts per million.
    """

    symbol: str
    base: str
    quote: str
    tick: int
    price_scale: int
    step: int
    quantity_scale: int
    quantity_min: int
    quantity_max: int
    market_quantity_max: int
    maker_ppm: int
    taker_ppm: int
    buy_band_ppm: int = 100_000
    sell_band_ppm: int = 100_000
    market_band_ppm: int = 50_000


def lot_atoms(instrument: Instrument, base: Asset) -> int:
    """Base atoms in one lot; 0 when a lot is no whole number of atoms."""
    return _scaled(instrument.step, base.scale - instrument.quantity_scale)


def unit_atoms(instrument: Instrument, quote: Asset) -> int:
    """Quote atoms in one tick x lot (rule 1.1); 0 when that is no whole number."""
    shift = quote.scale - instrument.price_scale - instrument.quantity_scale
    return _scaled(instrument.tick * instrument.step, shift)


def fault(instrument: Instrument) -> str:
    """Why this specification cannot be listed; empty when it can."""
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


def _scaled(number: int, shift: int) -> int:
    if shift >= 0:
        return int(number * 10**shift)
    quotient, rest = divmod(number, 10**-shift)
    return 0 if rest else quotient
