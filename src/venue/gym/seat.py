"""The interface through which a policy sees and trades a market, in this process or over REST.

Prices are in grid steps of `GRID_TICKS` ticks, quantities in lots, money in quote units. A policy
that was trained at one seat works at any other.
"""

from __future__ import annotations

from typing import Final, Protocol

from msgspec import Struct

GRID_TICKS: Final = 100  # of BTCUSDT: 1 USDT, about 1.6 hundredths of a percent
LEVELS: Final = 5  # of each side that are seen


class Seen(Struct, gc=False):
    """The public book and the learner's account.

    `bids` and `asks` are (grid step, lots), best first, at most `LEVELS` each. `base` are the lots
    owned, `quote` units of quote. `own_bid` and `own_ask` are grid steps of the learner's quotes, 0
    if there is none.
    """

    bids: list[tuple[int, int]]
    asks: list[tuple[int, int]]
    base: int
    quote: float
    own_bid: int
    own_ask: int

    def mid(self) -> float:
        """Return the middle of the book in grid steps; a side without orders counts as the
        other."""
        bid = self.bids[0][0] if self.bids else 0
        ask = self.asks[0][0] if self.asks else 0
        return (bid + ask) / 2 if bid and ask else float(bid or ask)


class Seat(Protocol):
    """One owner's access to a market. `lot_units` are units of base in a lot, `step_units` quote
    units in a grid step."""

    lot_units: float
    step_units: float

    def see(self) -> Seen:
        """Return the book and the account now."""

    def quote(self, bid: int, ask: int, lots: int) -> None:
        """Place one bid and one ask of `lots` at these grid steps; 0 cancels a quote. A quote that
        is already there keeps its place. A refused quote is not placed."""

    def take(self, side: int, lots: int) -> None:
        """Trade at the market at once, as far as the book goes."""

    def let_pass(self) -> None:
        """Let the other traders act for one step."""
