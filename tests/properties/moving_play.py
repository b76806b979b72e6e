"""Runs of a moving world: genes become commands, each judged; honest people act each second.

A gene is a word and three numbers. `TRICKS` are little recorded strategies of the group.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from properties.hindrances import HINDRANCES
from properties.moving_operator import NUMBERS, OPERATOR
from properties.moving_run import Gene, Play
from properties.moving_world import (
    CONTRACT,
    FUNDING,
    GROUP,
    QUOTE,
    SPOT,
    TIER_LOTS,
    UIDS,
    Asset,
    stop,
)
from venue.core.contract.collateral import available
from venue.core.messages import commands as c
from venue.core.units import PPM
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, MARKET, SELL, SHORT

PAUSE_US: Final = 20_000  # between two genes
AWAY: Final = (0, 0, 1, 2, 5, 10, 25, 50, 100, 200, 400, 900)  # hundredths of a percent


class People:
    """Turns genes into commands, by looking at the venue."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.world = play.world

    def act(self, gene: Gene) -> None:
        if not self.world.calm or gene[0] not in UPSETS:
            ACTS[gene[0]](self, *gene[1:])
            self.play.judge.show(self.play.time)
        self.play.time += PAUSE_US

    def _asset(self, number: int) -> Asset:
        assets = list(self.world.assets.values())
        return assets[number % len(assets)]

    def _price(self, asset: Asset, number: int) -> int:
        """Around the mark or the true price."""
        perp = self.play.engine.contracts.markets[asset.symbol]
        around = asset.price if number % 2 else perp.mark or asset.price
        away = AWAY[number // 4 % len(AWAY)] * around // 10_000
        return max(1, around + (away if number // 2 % 2 else -away))

    def _lots(self, uid: int, asset: Asset, number: int) -> int:
        """Mostly what an owner can afford at the greatest leverage."""
        holding = self.play.engine.holding(uid)
        listed = asset.contract
        part = PPM // listed.leverage_max + 2 * listed.instrument.taker_ppm + 1
        lots = max(0, available(holding, 0)) * PPM // part // max(1, asset.worth(1))
        lots = lots * (95, 80, 50, 97, 10, 200)[number % 6] // 100 if number % 8 else number // 8
        if len(listed.tiers) > 1:
            lots = min(lots, TIER_LOTS - 10)
        return max(1, min(lots, 10_000))

    def _order(self, uid: int, asset: Asset, side: int, way: int, lots: int, price: int,
               tif: int = GTC) -> None:  # fmt: skip
        kind, tif = (LIMIT, tif) if price else (MARKET, IOC)
        self.play.apply(c.PlaceContractOrder(uid, asset.symbol, side, way, kind, tif, lots, price))

    # -- the group -------------------------------------------------------------------------------

    def opens(self, a: int, b: int, d: int) -> None:
        uid, asset, way = GROUP[a % 2], self._asset(a // 4), (LONG, SHORT)[a // 2 % 2]
        price = 0 if b % 7 == 0 else self._price(asset, b)
        side = BUY if way == LONG else SELL
        self._order(uid, asset, side, way, self._lots(uid, asset, d), price, (GTC, IOC)[b % 2])

    def pairs(self, a: int, b: int, d: int) -> None:
        """One of them sells to the other, both at the greatest leverage."""
        asset = self._asset(a // 4)
        one, other = GROUP[a % 2], GROUP[1 - a % 2]
        perp = self.play.engine.contracts.markets[asset.symbol]
        price = self._price(asset, b) if b % 3 == 0 else max(1, perp.mark)
        lots = min(self._lots(one, asset, d), self._lots(other, asset, d))
        self._order(one, asset, SELL, SHORT, lots, price)
        self._order(other, asset, BUY, LONG, lots, price, IOC)
        self.play.apply(c.CancelContractOrders(one, asset.symbol))

    def closes(self, a: int, b: int, d: int) -> None:
        uid, asset = GROUP[a % 2], self._asset(a // 4)
        if b % 3 == 0:
            self.play.apply(c.ClosePositions(uid, asset.symbol))
            return
        held = self.play.engine.holding(uid).positions.values()
        for position in list(held):
            if position.perp.symbol == asset.symbol:
                side = SELL if position.side == LONG else BUY
                price = self._price(asset, d)
                self._order(uid, asset, side, position.side, position.quantity, price, d % 2)
                return

    def bids(self, a: int, b: int, d: int) -> None:
        """A friend's order, far on the wrong side, for whoever closes next."""
        uid, asset = GROUP[a % 2], self._asset(a // 4)
        away = asset.price * (b % 100) // 1000
        if a // 2 % 2:
            self._order(uid, asset, BUY, LONG, 1 + d % 60, max(1, asset.price - away))
        else:
            self._order(uid, asset, SELL, SHORT, 1 + d % 60, asset.price + away)

    def far(self, a: int, b: int, d: int) -> None:
        """Spot orders far away, without risk."""
        uid, asset = GROUP[a % 2], self._asset(a // 4)
        times = (105, 120, 150, 300)[b % 4]
        lots = min(3_000, asset.need * (1 + d % 4))
        price = asset.price * times // 100 if a // 2 % 2 else asset.price * 100 // times
        side = SELL if a // 2 % 2 else BUY
        self.play.apply(c.PlaceOrder(uid, asset.symbol, side, LIMIT, GTC, lots, max(1, price)))

    def sweeps(self, a: int, b: int, d: int) -> None:
        """Empty a side of the spot book, for as long as the maker is away."""
        uid, asset = GROUP[a % 2], self._asset(a // 4)
        side = (BUY, SELL)[a // 2 % 2]
        price = asset.price * (104 if side == BUY else 96) // 100
        lots = min(3_900, asset.need * 5)
        self.play.apply(c.PlaceOrder(uid, asset.symbol, side, LIMIT, IOC, lots, max(1, price)))

    def quotes(self, a: int, b: int, d: int) -> None:
        """The two show another price in the spot book."""
        asset = self._asset(a // 4)
        price = asset.price * (1000 + (b % 61 - 30) * (1 + d % 7)) // 1000
        lots = min(3_000, asset.need * 2)
        for uid, side, off in ((GROUP[0], BUY, -1), (GROUP[1], SELL, 1)):
            self.play.apply(
                c.PlaceOrder(uid, asset.symbol, side, LIMIT, d % 3, lots, max(1, price + off))
            )

    def cancels(self, a: int, b: int, d: int) -> None:
        uid, asset = GROUP[a % 2], self._asset(a // 4)
        if b % 2:
            self.play.apply(c.CancelOrders(uid, asset.symbol))
        else:
            self.play.apply(c.CancelContractOrders(uid, asset.symbol))

    def takes(self, a: int, b: int, d: int) -> None:
        """Money leaves, or comes back."""
        uid = GROUP[a % 2]
        able = max(
            1, available(self.play.engine.holding(uid), 0) * (100, 100, 50, 101)[b % 4] // 100
        )
        if d % 3 == 0:
            free = self.play.engine.account(uid).funding[0]
            self.play.apply(c.Transfer(uid, FUNDING, CONTRACT, QUOTE, max(1, free)))
        else:
            self.play.apply(c.Transfer(uid, CONTRACT, FUNDING, QUOTE, able))

    def sets(self, a: int, b: int, d: int) -> None:
        uid, asset = GROUP[a % 2], self._asset(a // 4)
        if d % 3 == 0:
            self.play.apply(c.SetMarginMode(uid, asset.symbol, b % 2, b // 2 % 2))
        top = asset.contract.leverage_max
        lever = (top, top, max(1, top // 2), 1)[d % 4]
        self.play.apply(c.SetLeverage(uid, asset.symbol, lever, lever, lever))

    def margins(self, a: int, b: int, d: int) -> None:
        uid = GROUP[a % 2]
        for number, pool in list(self.play.engine.holding(uid).isolated.items()):
            amount = max(1, abs(pool.cash.collateral) * (b % 100) // 1000)
            self.play.apply(c.MoveMargin(uid, number, amount if d % 2 else -amount))

    def dust(self, a: int, b: int, d: int) -> None:
        uid, asset = GROUP[a % 2], self._asset(a // 4)
        side, way = ((BUY, LONG), (SELL, SHORT))[a // 2 % 2]
        for number in range(2 + b % 12):
            price = asset.price - way * (1 + number * (d % 3))
            self._order(uid, asset, side, way, 1, max(1, price))

    def stops(self, a: int, b: int, d: int) -> None:
        uid, asset = GROUP[a % 2], self._asset(a // 4)
        price = asset.price - (d % 40) * asset.price // 2000 - 1
        self.play.apply(
            c.PlaceAlgo(uid, asset.symbol, SELL, LONG, b % 2 * 2 + 1, 0, max(1, price), 0, b % 2)
        )

    # -- others ----------------------------------------------------------------------------------

    def passes(self, a: int, b: int, d: int) -> None:
        """Seconds pass, and true prices move by steps."""
        for _ in range(1 + a % 5):
            moves: dict[str, int] = {}
            for place, (symbol, asset) in enumerate(self.world.assets.items()):
                step = asset.contract.index_step_ppm
                ppm = step * ((b >> (2 * place)) % 9 - 4) // 5
                moves[symbol] = asset.price * ppm // PPM
            self.play.second(moves)

    def jumps(self, a: int, b: int, d: int) -> None:
        """A true price jumps, in a second."""
        asset = self._asset(a // 4)
        ppm = min(150_000, PPM * (1 + d // 2 % 24) // (4 * asset.contract.leverage_max))
        self.play.second({asset.symbol: asset.price * ppm // PPM * (1 if d % 2 else -1)})

    def leads(self, a: int, b: int, d: int) -> None:
        """The lead opens or closes; its friend stands there when it robs."""
        asset, uid = self._asset(a // 4), self.world.lead
        perp = self.play.engine.contracts.markets[asset.symbol]
        way = (LONG, SHORT)[a % 2]
        off = perp.mark * (b % 11) // 1000 if self.world.robber else 0
        for at, opens in ((perp.mark + way * off, True), (perp.mark - way * off, False)):
            own = BUY if (way == LONG) == opens else SELL
            if self.world.robber:
                self.play.apply(c.CancelContractOrders(UIDS["maker"], asset.symbol))
                friend = -way if opens else way
                self._order(GROUP[1], asset, 1 - own, friend, TIER_LOTS - 10, at)
            if opens:
                self._order(uid, asset, own, way, 1 + self._lots(uid, asset, d) // 3, at, IOC)
            elif d % 8:
                self.play.apply(c.ClosePositions(uid, asset.symbol))
            self.play.apply(c.CancelContractOrders(GROUP[1], asset.symbol))

    # -- the stolen key, and more of others ------------------------------------------------------

    def steals(self, a: int, b: int, d: int) -> None:
        """A thief with the frozen owner's key tries to get its money out."""
        uid, asset = UIDS["zoe"], self._asset(a // 4)
        engine = self.play.engine
        price = max(1, asset.price * (100 - b % 12) // 100)
        match d % 8:
            case 0 | 1:
                self._order(GROUP[0], asset, BUY, LONG, 60, price)
                self.play.apply(c.ClosePositions(uid, asset.symbol))
            case 2:
                for number in list(engine.holding(uid).algos):
                    self.play.apply(c.ChangeAlgo(uid, number, asset.price - 1, price, 0))
            case 3:
                self._order(uid, asset, SELL, LONG, 20, price)
            case 4:
                self.play.apply(c.Withdraw(uid, CONTRACT, QUOTE, 1))
            case 5:
                self.play.apply(c.Transfer(uid, CONTRACT, SPOT, QUOTE, 1))
            case 6:
                self._order(uid, asset, BUY, LONG, 5, asset.price * 110 // 100, IOC)
            case _:
                self.play.apply(c.SetLeverage(uid, asset.symbol, 1, 1, 1))
        self.play.apply(c.CancelContractOrders(GROUP[0], asset.symbol))

    def trades(self, a: int, b: int, d: int) -> None:
        """Honest owners trade near the true price."""
        uid, asset = UIDS[("rex", "sue", "hedger", "zoe")[a % 4]], self._asset(a // 4)
        side, way = ((BUY, LONG), (SELL, LONG), (SELL, SHORT), (BUY, SHORT))[b % 4]
        off = asset.price * (d % 20) // 2000
        price = asset.price + (off if side == BUY else -off)
        self._order(uid, asset, side, way, 1 + d % 20, max(1, price), (GTC, IOC)[d % 2])

    def leaves(self, a: int, b: int, d: int) -> None:
        """An honest owner of a stop closes at market, or opens with a stop."""
        uid, asset = UIDS["sue"], self._asset(a // 4)
        held = self.play.engine.holding(uid).positions.values()
        if any(position.perp.symbol == asset.symbol for position in held):
            self.play.apply(c.ClosePositions(uid, asset.symbol))
            return
        self._order(uid, asset, BUY, LONG, 1 + d % 50, asset.price + 2, IOC)
        self.play.apply(stop(uid, asset.symbol, max(1, asset.price - b % 8 * asset.price // 500)))

    def hinders(self, a: int, b: int, d: int) -> None:
        """Orders in one contract, of pools with positions in another one that comes into doubt;
        the true price passes them."""
        assets = list(self.world.assets.values())
        if len(assets) < 2:
            return
        one, other = assets[a % 2], assets[1 - a % 2]
        perp = self.play.engine.contracts.markets[other.symbol]
        lots = max(1, min(self._lots(uid, other, 1) for uid in GROUP) // 3)
        for uid, side, way in ((GROUP[0], SELL, SHORT), (GROUP[1], BUY, LONG)):
            self._order(uid, other, side, way, lots, max(1, perp.mark))
            for number in range(1 + b % 6):
                price = max(1, one.price + way * (2 + number))
                self._order(uid, one, BUY if way == SHORT else SELL, -way, 1 + d % 5, price)
        if d % 2:
            self.play.apply(c.HaltInstrument(other.symbol, True, "", product=1))
        jump = other.price * (1 if d % 4 < 2 else -1) // other.contract.leverage_max
        self.play.second({other.symbol: min(jump, other.price // 10)})
        step = one.price * one.contract.index_step_ppm // PPM
        self.play.second({one.symbol: step if b % 2 else -step})


def _acting(name: str) -> Callable[[Any, int, int, int], None]:
    act = OPERATOR.get(name) or HINDRANCES.get(name)
    if act is None:
        found: Callable[[Any, int, int, int], None] = getattr(People, name)
        return found
    return lambda people, a, b, d: act(people.play, a, b, d)


ACTS: Final[dict[str, Callable[[Any, int, int, int], None]]] = {
    name: _acting(name)
    for name in (
        "opens", "pairs", "closes", "bids", "far", "sweeps", "quotes", "cancels", "takes", "sets",
        "margins", "dust", "stops", "passes", "jumps", "leads", "halts", "pulls", "thins",
        "silences", "freezes", "rates", "lists", "steals", "trades", "leaves", "hinders",
        "strands", "terms", "ends", "waits", "catches", "lights", "sinks", "fakes", "pays",
        "fences", "trails", "ruins", "queues",
    )
}  # fmt: skip
UPSETS: Final = (  # not in a calm world
    "hinders", "jumps", "halts", "pulls", "thins", "silences", "catches", "lights", "fences",
    "ruins", "queues", "fakes",
)  # fmt: skip
# Of the service auditor, and of the operator who comes among the others' acts.
HELPERS: Final = (
    "leaves", "hinders", "terms", "ends", "waits", "catches", "lights", "sinks", "fakes",
    "pays", *HINDRANCES,
)  # fmt: skip
OFTEN: Final = (
    *(word for word in ACTS if word not in HELPERS),
    *("passes", "passes", "passes", "passes", "pairs", "opens", "closes", "trades"),
)
TRICKS: Final[tuple[tuple[str, ...], ...]] = (
    ("jumps", "pairs", "passes", "passes", "closes", "takes", "passes"),
    ("passes", "passes", "jumps", "pairs", "passes", "jumps", "pairs", "closes"),
    ("pairs", "jumps", "takes", "passes", "closes", "takes", "passes", "passes"),
    ("thins", "far", "passes", "passes", "passes", "closes"),
    ("opens", "thins", "far", "passes", "thins", "far", "passes"),
    ("pulls", "quotes", "passes", "passes", "passes", "passes", "closes", "takes"),
    ("sweeps", "quotes", "opens", "passes", "passes", "closes"),
    ("freezes", "steals", "steals", "steals"),
    ("leads", "leads", "leads", "passes", "leads", "leads", "leads"),
    ("pairs", "halts", "passes", "takes", "closes", "halts", "passes", "takes"),
)


def genes(random: Random, count: int) -> list[Gene]:
    """Random acts, and among them tricks."""
    found: list[Gene] = []
    while len(found) < count:
        words = random.choice(TRICKS) if random.random() < 0.2 else (random.choice(OFTEN),)
        numbers = [random.randrange(NUMBERS) for _ in range(3)]
        for word in words:
            found.append((word, numbers[0], numbers[1], numbers[2]))
            if random.random() < 0.7:
                numbers[random.randrange(3)] = random.randrange(NUMBERS)
    return found
