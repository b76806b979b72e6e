"""Whole numbers as the interface's texts: prices, quantities, amounts, rates; ids."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from venue.core.contract.records import Perpetual
from venue.core.instruments import Asset, Instrument

RATE_SCALE: Final = 6  # rates are parts per million inside
PERCENT_SCALE: Final = 6  # priceChangePercent is a fraction with six decimals
FUNDING_SCALE: Final = 9  # those of funding and premium parts per billion
SPELLED_MAX: Final = 16_384  # texts of some 60 bytes, and the table that finds them
SECOND_SIDE: Final = 4 * 10**15  # added to a trade's id, it stays exact in every JSON client


def fill_id(trade_id: int, *, second: bool) -> int:
    """Return the id of one side of a trade: the trade's, but for the `second` one of an owner's
    trade with itself: that side's maker has an id of its own, beyond those of all trades."""
    return trade_id + SECOND_SIDE if second else trade_id


def from_fill(identity: int) -> tuple[int, bool]:
    """Return the trade at which fills from an id on begin, and whether with its taker's side alone.

    Of an owner's trade with itself the maker's side comes first. So the id after that side's still
    begins with the taker's.
    """
    if identity <= SECOND_SIDE:
        return identity, False
    return identity - SECOND_SIDE - 1, True


def decimal_text(number: int, scale: int) -> str:
    """`number` x 10^-scale, with exactly `scale` decimals."""
    digits = str(number)
    whole = len(digits) - scale
    if whole > 0 and scale and number >= 0:  # nearly all: the quickest way
        return digits[:whole] + "." + digits[whole:]
    if scale == 0:
        return digits
    if number < 0 or len(digits) <= scale:
        sign = "-" if number < 0 else ""
        digits = sign + str(abs(number)).rjust(scale + 1, "0")
    return f"{digits[:-scale]}.{digits[-scale:]}"


# Prices and quantities come again and again: books, trades, frames and answers tell the same ones.
spelled: Final = lru_cache(maxsize=SPELLED_MAX)(decimal_text)


def fraction_text(change: int, begin: int) -> str:
    """Return a change as a fraction of where it began, towards zero; of 0 it is 0."""
    fraction = abs(change) * 10**PERCENT_SCALE // begin if begin else 0
    return decimal_text(-fraction if change < 0 else fraction, PERCENT_SCALE)


def short_text(number: int, scale: int) -> str:
    """As `decimal_text`, without trailing zeros."""
    text = decimal_text(number, scale)
    return text.rstrip("0").rstrip(".") if "." in text else text


def price_text(instrument: Instrument, ticks: int) -> str:
    """Return a price with the symbol's decimals."""
    return spelled(ticks * instrument.tick, instrument.price_scale)


def order_price_text(instrument: Instrument, ticks: int) -> str:
    """Return the price of an order: `0` for a market order."""
    return price_text(instrument, ticks) if ticks else "0"


def quantity_text(instrument: Instrument, lots: int) -> str:
    """Return a quantity with the symbol's decimals."""
    return spelled(lots * instrument.step, instrument.quantity_scale)


def amount_text(asset: Asset, atoms: int) -> str:
    """Return an amount with the asset's decimals."""
    return decimal_text(atoms, asset.scale)


@lru_cache(maxsize=1_000)  # two on every order of a stream, and few are different
def rate_text(ppm: int) -> str:
    """Return a rate as a fraction."""
    return short_text(ppm, RATE_SCALE)


def funding_text(ppb: int) -> str:
    """Return a funding rate as a fraction."""
    return short_text(ppb, FUNDING_SCALE)


def average_text(perp: Perpetual, quote: int, executed: int) -> str:
    """Return the average price of `executed` lots that cost `quote` atoms, to the nearest; 0 for
    none."""
    if not executed:
        return "0"
    instrument = perp.market.instrument
    lots = 2 * executed * perp.unit
    return decimal_text((2 * quote * instrument.tick + lots // 2) // lots, instrument.price_scale)
