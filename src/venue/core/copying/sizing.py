"""The size of a follower's copy, and the worst price at which it may trade (rule 9.4)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.position import wallet, wallets
from venue.core.contract.records import Holding, Modes, Perpetual, Pool
from venue.core.copying.people import Echo, Following
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
LOSS_PART: Final = 10  # a pair that lost this part of the follower's wallet opens no more that day
ORDER_PART: Final = 20  # of the wallet: a pair's positions may lose as much by the slippage
NARROW_PPM: Final = 1_000  # however much it holds, it trades so far from the mark


def share_ppb(holding: Holding, asset: int, margin: int) -> int:
    """Which part of a lead's money an opening takes as margin, at most all of it."""
    own = wallets(holding, asset)
    return min(PPB, margin * PPB // own) if own > 0 else PPB


def lost_enough(following: Following) -> bool:
    """Whether a pair has lost so much since the last settlement that it opens nothing more.

    The loss of its open copies counts, however long they are open: a lead that closes gains alone
    would never be stopped.
    """
    result = following.today + following.open_loss()
    if result >= 0:
        return False
    left = max(0, wallet(following.holding.cross(following.lead.asset)))
    return -result * LOSS_PART >= left - min(0, following.today)


def narrowed(following: Following, pool: Pool, slippage_ppm: int, opened: int = 0) -> int:
    """The slippage, or less, in ppm. If all that the pair holds, with `opened` more atoms, traded
    so far from the mark, the follower would lose a small part of its money, and not the leverage
    times the slippage.

    The money is the cross wallet and that of `pool`, where that is another one.
    """
    chosen = slippage_ppm or SLIPPAGE_PPM
    cross = following.holding.cross(following.lead.asset)
    own = wallet(cross) if pool is cross else wallet(cross) + wallet(pool)
    held = opened + sum([each.value for each in following.held.values()])
    return min(chosen, max(NARROW_PPM, own * PPM // (ORDER_PART * max(1, held))))


def bound(perp: Perpetual, side: int, price: int, slippage: int) -> int:
    """The worst price of a copied order of this side, in ticks.

    It lies within the slippage (ppm) of the mark, and of the lead's own `price` where that is known
    (not 0). So followers trade near the mark even when a lead trades far from it with a friend.
    """
    worst = perp.market.worst_price(side, perp.mark)
    if side == BUY:
        reference = min(perp.mark, price) if price else perp.mark
        return min(worst, reference * (PPM + slippage) // PPM)
    reference = max(perp.mark, price)
    return max(worst, ceil_div(reference * (PPM - slippage), PPM))


def reachable(perp: Perpetual, side: int, price: int) -> bool:
    """Whether anything rests within the bound of an order of this side."""
    return perp.market.book.crosses(side, price)


def wanted_modes(following: Following, config: CopyConfig, echo: Echo) -> SetLeverage | None:
    """The margin mode and leverage that the settings ask for; None when they need no change, or
    cannot have one: a position or an order of the follower's is there and keeps its own."""
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
    """The leverage of longs and of shorts."""
    if config.leverage_type == LEVERAGE_TRADER:
        return lead.leverage(LONG), lead.leverage(-LONG)
    if config.leverage_type != LEVERAGE_FIXED:
        for symbol, long, short in config.custom:
            if symbol == perp.symbol:
                return long, short
    return config.long, config.short


def lots_of(following: Following, config: CopyConfig, echo: Echo, worst: int) -> int:
    """The lots of a copy of an opening: as many as its margin pays for and may be held.

    `worst` is the worst price it may trade at.
    """
    perp, holding = echo.track.perp, following.holding
    if config.by_amount:
        margin = config.value if echo.first else 0
    else:
        own = max(0, wallet(holding.cross(perp.asset)))
        margin = own * echo.share_ppb * config.value // (PPB * PPM)
    leverage = holding.modes_in(perp).leverage(echo.track.side)
    lot = max(perp.mark, worst) * perp.unit
    room = max(0, config.hold_max - following.held_in(perp))
    instrument = perp.market.instrument
    most = min(instrument.quantity_max, instrument.market_quantity_max, room // lot)
    return min(margin * leverage // lot, most)


def exits(config: CopyConfig, side: int, price: int, leverage: int) -> tuple[Exit, Exit]:
    """Take-profit and stop-loss of a copy: where its margin has gained or lost so much at mark."""
    found = []
    for ratio, sign in ((config.take_profit_ppm, side), (config.stop_loss_ppm, -side)):
        trigger = price + sign * (price * ratio // (PPM * leverage))
        found.append(Exit(trigger, MARK_PRICE) if ratio and 0 < trigger <= PRICE_MAX else NO_EXIT)
    return found[0], found[1]
