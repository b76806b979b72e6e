"""Little strategies that hinder honest people: dust before a stop, trailing stops, ruin for all.

Each is asked with three numbers, and looks at the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from properties.moving_operator import WAYS, chosen
from properties.moving_run import Play
from properties.moving_world import CONTRACT, FUNDING, GROUP, QUOTE, UIDS, stop
from venue.core.contract.collateral import available
from venue.core.messages import commands as c
from venue.core.units import PPM
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, SHORT, AlgoType

TRAILS: Final = 40  # trailing stops of each of the group
TRAILING: Final = int(AlgoType.TRAILING_STOP_MARKET)


def fences(play: Play, a: int, b: int, d: int) -> None:
    """Dust stands before the maker's bids where an honest stop is going to sell."""
    uid, asset = UIDS["sue"], chosen(play, a // 4)
    symbol = asset.symbol
    play.apply(c.CancelContractOrders(GROUP[0], symbol))
    play.apply(c.ClosePositions(uid, symbol))
    lots, price = 10 + b % 40, asset.price
    play.apply(c.PlaceContractOrder(uid, symbol, BUY, LONG, LIMIT, IOC, lots, price + 2))
    ticks = 1 + d % 4
    play.apply(stop(uid, symbol, max(1, price - ticks)))
    for number in range(4 + d // 4 % 16):
        friend = GROUP[number % 2]
        at = max(1, price - ticks)
        play.apply(c.PlaceContractOrder(friend, symbol, BUY, LONG, LIMIT, GTC, 1, at))
    play.second({symbol: -ticks})
    for _ in range(6):
        play.second({})


def trails(play: Play, a: int, b: int, d: int) -> None:
    """Trailing stops that follow every trade, and an honest order that trades."""
    asset = chosen(play, a // 4)
    symbol, price = asset.symbol, asset.price
    for uid in GROUP:
        side, way = WAYS[1 - b % 2]
        far = c.PlaceAlgo(uid, symbol, side, way, TRAILING, 1, 0, 0, 0)
        for _ in range(TRAILS):
            play.apply(replace(far, callback_ppm=100_000))
    for uid, lots in ((UIDS["rex"], 1), (UIDS["sue"], 2)):
        order = c.PlaceContractOrder(uid, symbol, BUY, LONG, LIMIT, IOC, lots, price + 2)
        play.apply(order)
        play.apply(c.ClosePositions(uid, symbol))
    for uid in GROUP:
        play.apply(c.CancelAlgos(uid, symbol))


def ruins(play: Play, a: int, b: int, d: int) -> None:
    """Several are short at different prices, one is long with all its money, and the price falls
    beyond that: others are deleveraged."""
    asset = chosen(play, a // 4)
    symbol, price = asset.symbol, asset.price
    top = asset.contract.leverage_max
    uid = UIDS["tim"]
    free = play.engine.account(uid).funding[0]
    play.apply(c.Transfer(uid, FUNDING, CONTRACT, QUOTE, max(1, free)))
    play.apply(c.SetLeverage(uid, symbol, top, top, top))
    part = PPM // top + 2 * asset.contract.instrument.taker_ppm + 1
    need = asset.worth(1) * part // PPM + 2 * asset.unit + 1
    able = max(1, available(play.engine.holding(uid), 0) // need)
    for name, lots in (("hedger", 1 + d % 7), ("rex", 1 + d // 8 % 20), ("sue", 1 + b % 9)):
        order = c.PlaceContractOrder(UIDS[name], symbol, SELL, SHORT, LIMIT, IOC, lots, price - 2)
        play.apply(order)
        play.second({symbol: b // 8 % 3 - 1})
    lots = min(able, 40)
    order = c.PlaceContractOrder(uid, symbol, BUY, LONG, LIMIT, IOC, lots, asset.price + 2)
    play.apply(order)
    free = available(play.engine.holding(uid), 0)
    play.apply(c.Transfer(uid, CONTRACT, FUNDING, QUOTE, max(1, free)))
    asset.bare = True
    play.second({symbol: -min(asset.price * (110 + b % 90) // (100 * top), asset.price // 8) - 1})
    for _ in range(12):
        play.second({})
    asset.bare = False


def strands(play: Play, a: int, b: int, d: int) -> None:
    """The lead closes where nobody is left for its followers."""
    asset, lead, friend = chosen(play, a // 4), play.world.lead, GROUP[a % 2]
    symbol, price = asset.symbol, asset.price
    lots = 1 + d % 20
    play.second({})
    play.apply(c.PlaceContractOrder(lead, symbol, BUY, LONG, LIMIT, IOC, lots, price + 2))
    play.apply(c.CancelContractOrders(UIDS["maker"], symbol))
    at = max(1, price - 1)
    play.apply(c.PlaceContractOrder(friend, symbol, BUY, LONG, LIMIT, GTC, lots, at))
    play.apply(c.ClosePositions(lead, symbol))
    play.apply(c.CancelContractOrders(friend, symbol))


def queues(play: Play, a: int, b: int, d: int) -> None:
    """Copies of one contract cannot be closed, as it is halted; those of another can."""
    strands(play, a, b, d)
    symbol = chosen(play, a // 4).symbol
    play.apply(c.HaltInstrument(symbol, True, "", product=1))
    strands(play, a + 4, b, d)
    for _ in range(24):
        play.second({})
    play.apply(c.HaltInstrument(symbol, False, "", product=1))


HINDRANCES: Final[dict[str, Callable[[Play, int, int, int], None]]] = {
    each.__name__: each for each in (fences, trails, ruins, strands, queues)
}
