"""One listed instrument at work: its book, its last trade, its grid in atoms."""

from __future__ import annotations

from typing import Generic

from venue.core.book.book import Book
from venue.core.book.orders import T
from venue.core.instruments import Instrument
from venue.core.units import PPM, ceil_div
from venue.vocabulary import BUY


class Market(Generic[T]):
    """A market; amounts of base come in lots, `unit_atoms` is one tick x lot in quote atoms."""

    __slots__ = (
        "base",
        "book",
        "buy_band_ppm",
        "halt_reason",
        "halted",
        "instrument",
        "last_price",
        "lot_atoms",
        "maker_ppm",
        "ordinal",
        "quantity_max",
        "quantity_min",
        "quote",
        "sell_band_ppm",
        "symbol",
        "taker_ppm",
        "unit_atoms",
    )

    def __init__(
        self, instrument: Instrument, ordinal: int, base: int, quote: int, lot: int, unit: int
    ) -> None:
        self.symbol = instrument.symbol
        self.ordinal = ordinal
        self.base = base
        self.quote = quote
        self.lot_atoms = lot
        self.unit_atoms = unit
        self.book: Book[T] = Book()
        self.last_price = 0
        self.halted = False
        self.halt_reason = ""
        self.configure(instrument)

    def configure(self, instrument: Instrument) -> None:
        """Take over the instrument's limits and fees."""
        self.instrument = instrument
        self.quantity_min = instrument.quantity_min
        self.quantity_max = instrument.quantity_max
        self.maker_ppm = instrument.maker_ppm
        self.taker_ppm = instrument.taker_ppm
        self.buy_band_ppm = instrument.buy_band_ppm
        self.sell_band_ppm = instrument.sell_band_ppm


def worst_price(market: Market[T], side: int) -> int:
    """The worst price the aggressive side may name (rule 3.9); 0 when there is no reference."""
    twice = 2 * market.last_price or market.book.twice_mid()
    if twice == 0:
        return 0
    if side == BUY:
        return twice * (PPM + market.buy_band_ppm) // (2 * PPM)
    return ceil_div(twice * (PPM - market.sell_band_ppm), 2 * PPM)


def within_band(side: int, price: int, band_ppm: int) -> int:
    """The worst price within the band from `price`, in ticks (rule 3.4)."""
    if side == BUY:
        return price * (PPM + band_ppm) // PPM
    return ceil_div(price * (PPM - band_ppm), PPM)
