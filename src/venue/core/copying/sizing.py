"""Computes the size of a follower's copy, and the worst price at which it may trade (rule 9.4)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.position import wallet, wallets
from venue.core.contract.records import Holding, Modes, Perpetual
from venue.core.copying.people import Echo, Following, Trader
from venue.core.messages.commands import NO_EXIT, Exit, SetLeverage
from venue.core.messages.copy_commands import CopyConfig
from venue.core.units import PPB, PPM, PRICE_MAX, ceil_div
from venue.vocabulary import (
    BUY,
    CROSSED,
    LEVERAGE_FIXED,
    LEVERAGE_TRADER,
    LONG,
    MARK_PRICE,
)

SLIPPAGE_PPM: Final = 10_000  # from the mark, where the follower has chosen none
LOSS_PART: Final = 10  # a follower's copies may lose this part of its money in a day
CLOSE_PART: Final = 200  # of its money: closing them may lose this part more by the slippage
NARROW_PPM: Final = 1_000  # however much it holds, it trades so far from the mark


def share_ppb(holding: Holding, asset: int, margin: int) -> int:
    """Return the part of a lead's money that an opening takes as margin, at most all of it."""
    own = wallets(holding, asset)
    return min(PPB, margin * PPB // own) if own > 0 else PPB


class DailyLoss:
    """The loss that a follower's copies in one settle asset may have in a day, in atoms.

    `left` is the rest of it, negative when more is lost. The limit is a part of `own`, the money at
    the start of the day. `held` is the open value of all copies.
    """

    __slots__ = ("held", "left", "own")

    def __init__(self, own: int, left: int, held: int) -> None:
        self.own = own
        self.left = left
        self.held = held

    def has_losses(self) -> bool:
        """Return whether a part of the limit is lost, or at risk; otherwise there was too little
        money."""
        return self.held > 0 or self.left < self.own // LOSS_PART


def daily_loss(trader: Trader, holding: Holding, asset: int) -> DailyLoss:
    """Return the loss that a follower's copies of all leads together may still have this day.

    It counts the results of closes since the last settlement, after fees, and the loss that a
    pair's open copies have at mark, however long they are open: otherwise a lead that closes only
    gains would never be stopped. A gain of one pair does not offset a loss of another.
    """
    own, lost, held = wallets(holding, asset), 0, 0
    for following in trader.followings.values():
        if following.lead.asset == asset:
            own -= following.today
            lost -= min(0, following.today + following.open_loss())
            held += sum([each.value for each in following.held.values()])
    own = max(0, own)
    return DailyLoss(own, own // LOSS_PART - lost, held)


def most_value(means: DailyLoss, taker_ppm: int) -> int:
    """Return the greatest value of an opening that cannot lose more than is left: by the smallest
    slippage, its own fees, and the fees of closing it and all that is held."""
    one = NARROW_PPM + taker_ppm
    return max(0, (means.left * PPM - means.held * one) // (2 * one))


def opening_slippage(means: DailyLoss, value: int, slippage_ppm: int, taker_ppm: int) -> int:
    """Return the slippage of an opening of this value, in ppm: the chosen one, or less. The rest of
    the day's limit must pay for opening it and closing everything held that far from the mark."""
    chosen = slippage_ppm or SLIPPAGE_PPM
    held = means.held + value
    left = means.left - (held + value) * taker_ppm // PPM
    return min(chosen, max(NARROW_PPM, left * PPM // (2 * max(1, held))))


def closing_slippage(means: DailyLoss, slippage_ppm: int, taker_ppm: int) -> int:
    """Return the slippage of a close, computed as for an opening, but at least 0.1 %: it may lose a
    little more than the day allows, because a copy must be closed with its lead's position."""
    chosen = slippage_ppm or SLIPPAGE_PPM
    left = max(means.left - means.held * taker_ppm // PPM, means.own // CLOSE_PART)
    return min(chosen, max(NARROW_PPM, left * PPM // max(1, means.held)))


def worst_price(perp: Perpetual, side: int, price: int, slippage: int) -> int:
    """Return the worst price of a copied order of this side, in ticks.

    It lies within the slippage (ppm) of the mark, and of the lead's own `price` if that is known
    (not 0). So followers trade near the mark even when a lead trades far from it with a friend.
    """
    worst = perp.market.worst_price(side, perp.mark)
    if side == BUY:
        reference = min(perp.mark, price) if price else perp.mark
        return min(worst, reference * (PPM + slippage) // PPM)
    reference = max(perp.mark, price)
    return max(worst, ceil_div(reference * (PPM - slippage), PPM))


def reachable(perp: Perpetual, side: int, price: int) -> bool:
    """Return whether an order rests within the bound of an order of this side."""
    return perp.market.book.crosses(side, price)


def wanted_modes(following: Following, config: CopyConfig, echo: Echo) -> SetLeverage | None:
    """Return the margin mode and leverage that the settings ask for. None when they need no change,
    or allow none: a position or an order of the follower exists and keeps its own."""
    perp = echo.track.perp
    modes = following.holding.modes_in(perp)
    if modes.longs or modes.shorts or modes.open_orders:
        return None
    lead = echo.lead.holding.modes_in(perp)
    mode = config.margin_mode
    if mode < 0:
        mode = lead.margin_mode
    long, short = leverages(config, perp, lead)
    most = perp.contract.leverage_max
    long, short = min(long, most), min(short, most)
    cross = long if echo.track.side == LONG else short
    if mode == CROSSED:
        if modes.margin_mode == mode and modes.cross == cross:
            return None
    elif modes.margin_mode == mode and (modes.long, modes.short) == (long, short):
        return None
    uid, symbol = following.account.uid, perp.symbol
    return SetLeverage(uid, symbol, cross, long, short, margin_mode=mode)


def leverages(config: CopyConfig, perp: Perpetual, lead: Modes) -> tuple[int, int]:
    """Return the leverage of longs and of shorts."""
    if config.leverage_type == LEVERAGE_TRADER:
        return lead.leverage(LONG), lead.leverage(-LONG)
    if config.leverage_type != LEVERAGE_FIXED:
        for symbol, long, short in config.custom:
            if symbol == perp.symbol:
                return long, short
    return config.long, config.short


def lots_of(
    following: Following, config: CopyConfig, echo: Echo, worst: int, most_value: int
) -> int:
    """Return the lots of a copy of an opening: limited by its margin, by the largest holding and by
    the day's loss.

    `worst` is the worst price it may trade at, `most_value` limits the value at that price.
    """
    perp, holding = echo.track.perp, following.holding
    if config.by_amount:
        margin = config.value if echo.first else 0
    else:
        own = max(0, wallet(holding.cross(perp.asset)))
        margin = own * echo.share_ppb * config.value // (PPB * PPM)
    leverage = holding.modes_in(perp).leverage(echo.track.side)
    lot = max(perp.mark, worst) * perp.unit
    room = min(max(0, config.hold_max - following.held_in(perp)), most_value)
    instrument = perp.market.instrument
    most = min(instrument.quantity_max, instrument.market_quantity_max, room // lot)
    return min(margin * leverage // lot, most)


def exits(config: CopyConfig, side: int, price: int, leverage: int) -> tuple[Exit, Exit]:
    """Return the prices of a copy's take-profit and stop-loss: where its margin has gained or lost
    the chosen part at mark."""
    found = []
    for ratio, sign in ((config.take_profit_ppm, side), (config.stop_loss_ppm, -side)):
        trigger = price + sign * (price * ratio // (PPM * leverage))
        found.append(Exit(trigger, MARK_PRICE) if ratio and 0 < trigger <= PRICE_MAX else NO_EXIT)
    return found[0], found[1]
