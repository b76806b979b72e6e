"""Faults that can be planted into a venue of a moving world: rules that were mended, taken away.

A plant is asked before and after each command. It changes the engine's state as a venue without
the rule would have it, and knows nothing of how the judge tells.
"""

from __future__ import annotations

from typing import Final

from properties.moving_run import Plant
from properties.moving_world import UIDS
from venue.core.book.book import NO_ASK
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.index import (
    apart,
    depth_cost,
    posted_prices,
    spot_notional,
    value,
)
from venue.core.engine import Engine
from venue.core.messages import commands as c
from venue.core.messages.commands import Command

PRICES: Final = (c.Tick, c.PostIndex)


def median_doubt(engine: Engine, command: Command, after: bool) -> None:
    """Doubt begins with the median of ten seconds, not with the newest evidence (rule 6.1)."""
    if not after:
        return
    for perp in engine.contracts.markets.values():
        price = value(perp, posted_prices(perp, command.time), command.time)
        waits = command.time < perp.wait_until
        if isinstance(command, PRICES):
            perp.doubt = not price or waits or apart(perp, price)
        perp.spot_lowest, perp.spot_highest, perp.spot_alone = 0, NO_ASK, False


def far_levels(engine: Engine, command: Command, after: bool) -> None:
    """All levels of a spot book are depth, and its middle is told however wide it is (rule 6.1)."""
    if not after or not isinstance(command, c.Tick):
        return
    for perp in engine.contracts.markets.values():
        source = perp.sources.get("spot")
        if source is not None and source.samples and source.samples[-1][0] == command.time:
            source.samples[-1] = command.time, _naive_price(perp)


def book_before_feed(engine: Engine, command: Command, after: bool) -> None:
    """A current spot book is the price, whatever is posted (rule 6.1)."""
    if after or not isinstance(command, PRICES):
        return
    for perp in engine.contracts.markets.values():
        source = perp.sources.get("spot")
        if source is not None and source.price:
            for name, other in perp.sources.items():
                other.price = 0 if name != "spot" else other.price


def frozen_closes(engine: Engine, command: Command, after: bool) -> None:
    """A frozen owner closes positions and changes stops (rule 2.7)."""
    if isinstance(command, c.ClosePositions | c.ChangeAlgo) and command.uid == UIDS["zoe"]:
        account = engine.account(command.uid)
        if after:
            account.frozen = THAWED.pop()
        else:
            THAWED.append(account.frozen)
            account.frozen = False


def boundless_copies(engine: Engine, command: Command, after: bool) -> None:
    """A follower's copies lose without bound on a day (rule 9.4)."""
    for trader in engine.copying.books.traders.values():
        for following in trader.followings.values():
            following.today = 0


def endless_pauses(engine: Engine, command: Command, after: bool) -> None:
    """A copy that is due is tried once, and then not for days (rule 9.4)."""
    if not after:
        return
    overdue = engine.copying.books.behind
    for copy in overdue.copies():
        overdue.drop(copy)
        overdue.put(copy, command.time + PAUSE_US)


PAUSE_US: Final = 10**12
THAWED: Final[list[bool]] = []
PLANTS: Final[dict[str, Plant]] = {
    "doubt begins with the median": median_doubt,
    "far levels are depth": far_levels,
    "a book goes before its feed": book_before_feed,
    "a frozen owner closes": frozen_closes,
    "copies lose without bound": boundless_copies,
}


def _naive_price(perp: Perpetual) -> int:
    spot = perp.spot
    if spot is None or spot.halted:
        return 0
    notional = spot_notional(perp, spot)
    bid_cost, bid_lots = depth_cost(spot.book.bids, notional)
    ask_cost, ask_lots = depth_cost(spot.book.asks, notional)
    if not bid_lots or not ask_lots:
        return 0
    return (bid_cost * ask_lots + ask_cost * bid_lots) // (2 * bid_lots * ask_lots)
