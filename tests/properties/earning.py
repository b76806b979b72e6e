"""The tricks a group of owners may try: genes, which become commands by looking at the venue.

A gene is (what, who, four numbers). Prices lie around the mark or at the best of the book, sizes
near what an owner can afford, so that a small change of a number is a small change of the story.
"""

from __future__ import annotations

from random import Random
from typing import Final

from properties import earning_favours as favours
from properties import earning_tricks as tricks
from properties.earning_world import CONTRACT_WALLET, LOT, Play
from properties.sums import Market, Owner, Position
from venue.core.messages import commands as c
from venue.core.messages.commands import NO_EXIT, Command, Exit
from venue.vocabulary import BUY, LONG, SELL

Gene = tuple[int, int, int, int, int, int]

NUMBERS: Final = 1 << 12  # a gene's numbers lie below
LENGTHS: Final = (5, 40)
AWAY: Final = (0, 0, 1, 5, 10, 20, 30, 50, 80, 100, 150, 180, 200, 210, 250, 300, 400, 480, 600,
               900)  # fmt: skip
# prices' distances from the mark, in hundredths of a percent
LEVERAGES: Final = (1, 5, 20, 50, 50, 50)
SECONDS: Final = (1, 1, 1, 2, 3, 6)
LOTS_MAX: Final = 10_000


class Group:
    """Plays genes for the group of one play."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.names = 0
        self.last = 1  # the size of the last order
        self.named = 0  # the price of the last order

    # -- looking ---------------------------------------------------------------------------------

    def owner(self, who: int) -> Owner:
        group = self.play.world.group
        return self.play.judge.owners[group[who % len(group)]]

    def market(self, number: int) -> Market:
        symbols = self.play.world.symbols
        return self.play.judge.markets[symbols[number % len(symbols)]]

    def price(self, market: Market, side: int, number: int) -> int:
        """A price around the mark mostly; otherwise at the best of one side, or as before."""
        way = number % 6
        number //= 6
        if way == 5 and self.named:
            return self.named
        if way == 0 and (market.bids if number % 2 else market.asks):
            best = market.bids[0][0] if number % 2 else market.asks[0][0]
            return max(1, abs(best) + (number // 2 % 3 - 1))
        away = AWAY[number % len(AWAY)] * market.mark // 10_000
        return max(1, market.mark + (away if way % 2 else -away))

    def size(self, owner: Owner, market: Market, way: int, price: int, number: int) -> int:
        """Mostly what the owner can afford at a price, or the size of the order before."""
        leverage = owner.modes_in(market).leverage(way)
        one = market.need(way, 1, price, leverage, market.taker)
        able = max(0, owner.standing() - owner.held) // max(1, one)
        kind = number % 12
        if kind < 5:
            lots = able - kind // 4
        elif kind <= 6:
            lots = able // 2
        elif kind == 7:
            lots = able * (1 + number // 12 % 10) // 10
        elif kind == 8:
            lots = 1 + number // 12 % 20
        elif kind == 9:
            lots = able * 2
        else:
            lots = self.last
        return max(1, min(lots, LOTS_MAX))

    def held(self, owner: Owner, number: int) -> Position | None:
        own = list(owner.positions.values())
        return own[number % len(own)] if own else None

    # -- acting ----------------------------------------------------------------------------------

    def act(self, gene: Gene) -> None:
        """Turn one gene into commands and apply them."""
        ACTS[gene[0] % len(ACTS)](self, gene)

    def order(
        self, owner: Owner, market: Market, side: int, way: int, lots: int, price: int, tif: int,
        *, position: Position | None = None, exits: tuple[Exit, Exit] = (NO_EXIT, NO_EXIT),
    ) -> None:  # fmt: skip
        self.names += 1
        named = 0
        if position is not None and owner.modes_in(market).separated:
            named = position.position_id
        self.last = lots
        self.named = price
        self.play.apply(
            c.PlaceContractOrder(
                owner.uid, market.name, side, way, 0 if price else 1, tif if price else 1, lots,
                price, f"n{self.names}", position_id=named, take_profit=exits[0],
                stop_loss=exits[1],
            )
        )  # fmt: skip

    def opens(self, gene: Gene) -> None:
        """An order that opens, of any kind."""
        _, who, a, b, x, y = gene
        owner, market = self.owner(who), self.market(x // 64)
        way = LONG if a % 2 else -LONG
        side = BUY if way == LONG else SELL
        price = self.price(market, side, a // 2)
        lots = self.size(owner, market, way, price, b)
        exits = (NO_EXIT, NO_EXIT)
        if y % 16 == 0:
            off = way * market.mark // (20 + y // 16 % 100)
            exits = Exit(price + off, y % 2), Exit(max(1, price - off), y % 2)
        tif = (0, 0, 0, 1, 1, 2, 3, 0)[x % 8]
        self.order(owner, market, side, way, lots, price, tif, exits=exits)

    def sweeps(self, gene: Gene) -> None:
        """A MARKET order that opens."""
        _, who, a, b, x, _ = gene
        owner, market = self.owner(who), self.market(x // 64)
        way = LONG if a % 2 else -LONG
        price = self.price(market, 0, a // 2) if x % 2 else market.mark
        lots = self.size(owner, market, way, price, b)
        self.order(owner, market, BUY if way == LONG else SELL, way, lots, 0, 1)

    def closes(self, gene: Gene) -> None:
        """An order that closes a position, whole or in part, at a price or at market."""
        _, who, a, b, x, _ = gene
        owner = self.owner(who)
        position = self.held(owner, x)
        if position is None:
            return self.opens(gene)
        market = position.market
        side = SELL if position.side == LONG else BUY
        price = 0 if a % 4 == 0 else self.price(market, side, a // 4)
        share = (1, 1, 1, 2, 3, 10)[b % 6]
        lots = max(1, position.lots // share)
        tif = (0, 0, 0, 1, 2, 3)[x // 8 % 6]
        return self.order(owner, market, side, position.side, lots, price, tif, position=position)

    def meets(self, gene: Gene) -> None:
        """Two of the group, or one with itself, open: one rests, perhaps overtaken, the other
        takes."""
        _, who, a, b, x, y = gene
        maker, market = self.owner(who), self.market(x // 64)
        taker = self.owner(who + y % 3)
        way = LONG if a % 2 else -LONG
        price = self.price(market, 0, a // 2)
        lots = self.size(maker, market, way, price, b)
        lots = min(lots, self.size(taker, market, -way, price, b))
        self.order(maker, market, BUY if way == LONG else SELL, way, lots, price, 0)
        if x // 4 % 4 == 0 and not self.play.world.still:
            for _ in range(1 + b // 12 % 6):
                self.play.second({market.name: -1000 * way})
        self.order(taker, market, SELL if way == LONG else BUY, -way, lots, price, 1)

    def ladders(self, gene: Gene) -> None:
        """Members rest orders at different prices of one side, the index may overtake the first
        of them, and one member sweeps what rests."""
        _, who, a, b, x, y = gene
        market = self.market(x // 64)
        way = LONG if a % 2 else -LONG
        side = SELL if way == LONG else BUY
        resting = 0
        for step in range(1 + x % 3):
            owner = self.owner(who + (y // 4**step) % 4)
            price = self.price(market, side, a // 2 + step * (1 + y))
            resting += self._rests(owner, market, -way, price, b + step * x)
            if step == 0 and x // 3 % 3 == 0 and not self.play.world.still:
                for _ in range(1 + y % 8):
                    self.play.second({market.name: 1000 * way})
        sweeper = self.owner(who)
        lots = min(resting, LOTS_MAX)
        if b // 8 % 4:
            lots = self.size(sweeper, market, way, market.mark, b // 8)
        price = 0 if x // 9 % 4 else self.named
        self.order(sweeper, market, 1 - side, way, lots, price, 1)

    def _rests(self, owner: Owner, market: Market, way: int, price: int, number: int) -> int:
        """A resting order of one side, opening, or closing what the owner holds; its lots."""
        side = BUY if way == LONG else SELL
        own = [p for p in owner.positions.values() if p.market is market and p.side == -way]
        position = own[0] if own and number % 2 else None
        lots = self.size(owner, market, way, price, number)
        if position is not None:
            lots, way = position.lots, -way
        self.order(owner, market, side, way, lots, price, 0, position=position)
        return lots

    def cancels(self, gene: Gene) -> None:
        _, who, a, b, _, _ = gene
        owner = self.owner(who)
        if a % 3 == 0 or self.names == 0:
            self.play.apply(c.CancelContractOrders(owner.uid, ""))
        else:
            self.play.apply(
                c.CancelContractOrder(owner.uid, 0, f"n{max(1, self.names - b % 8)}")
            )  # fmt: skip

    def levers(self, gene: Gene) -> None:
        """Leverage, margin mode and separated mode."""
        _, who, a, b, x, y = gene
        owner, market = self.owner(who), self.market(x // 64)
        if y % 2:
            separated = (-1, -1, 0, 1)[b % 4]
            self.play.apply(c.SetMarginMode(owner.uid, market.name, a % 2, separated))
            return
        cross, long, short = (LEVERAGES[n % len(LEVERAGES)] for n in (a, b, x))
        self.play.apply(c.SetLeverage(owner.uid, market.name, cross, long, short))

    def moves(self, gene: Gene) -> None:
        """Margin of an isolated position, in or out, and its automatic top-up."""
        _, who, a, b, x, y = gene
        owner = self.owner(who)
        own = [p for p in owner.positions.values() if p.pool]
        if not own:
            return self.levers(gene)
        position = own[x % len(own)]
        if y % 4 == 0:
            self.play.apply(c.SetAutoMargin(owner.uid, position.position_id, a % 2 == 1))
            return None
        able = max(0, owner.standing() - owner.held)
        wallet = owner.pools[position.pool] + position.side * position.value
        most = able if a % 2 else wallet
        amount = max(1, most // (1, 1, 2, 10)[b % 4])
        way = 1 if a % 2 else -1
        self.play.apply(c.MoveMargin(owner.uid, position.position_id, way * amount))
        return None

    def takes_out(self, gene: Gene) -> None:
        """Withdraw, or transfer between wallets, what is available."""
        _, who, a, b, _, _ = gene
        owner = self.owner(who)
        able = max(1, owner.standing() - owner.held)
        amount = max(1, able // (1, 1, 2, 3)[b % 4])
        wallet = CONTRACT_WALLET
        if a % 3 == 0:
            self.play.apply(c.Withdraw(owner.uid, wallet, "QQQ", amount))
        elif a % 3 == 1:
            self.play.apply(c.Transfer(owner.uid, wallet, 2, "QQQ", amount))
        else:
            back = max(1, owner.elsewhere // (1 + b % 2))
            self.play.apply(c.Transfer(owner.uid, 2, wallet, "QQQ", back))

    def shuts(self, gene: Gene) -> None:
        self.play.apply(c.ClosePositions(self.owner(gene[1]).uid, ""))

    def waits_for(self, gene: Gene) -> None:
        """A conditional order, opening or closing."""
        _, who, a, b, x, y = gene
        owner, market = self.owner(who), self.market(x // 64)
        position = self.held(owner, b) if y % 2 else None
        way = position.side if position is not None else (LONG if b % 2 else -LONG)
        market = position.market if position is not None else market
        opens = position is None
        side = BUY if (way == LONG) == opens else SELL
        trigger = self.price(market, side, a)
        kind = x % 4
        price = self.price(market, side, b) if kind % 2 == 0 else 0
        lots = self.size(owner, market, way, trigger, b) if opens else 0
        self.play.apply(
            c.PlaceAlgo(owner.uid, market.name, side, way, kind, lots, trigger, price, y // 2 % 2)
        )

    def lets_pass(self, gene: Gene) -> None:
        """Some seconds; in a moving world the index goes one way, or there and back."""
        _, _, a, b, x, _ = gene
        seconds = SECONDS[a % len(SECONDS)]
        pace = (1000, 1000, -1000, -1000, 300, -300, 0)[b % 7]
        names = self.play.world.symbols
        for second in range(seconds):
            turn = -1 if x % 4 == 0 and second * 2 >= seconds else 1
            self.play.second({names[x // 4 % len(names)]: pace * turn})
        self.play.apply(c.Tick())

    def quotes_again(self, gene: Gene) -> None:
        """The honest maker takes its quotes back and makes new ones around the mark."""
        market = self.market(gene[2])
        world = self.play.world
        self.play.apply(c.CancelContractOrders(world.honest, market.name))
        for command in world.quotes(market.name, market.mark):
            self.play.apply(command)

    def pays_in(self, gene: Gene) -> None:
        uid = self.owner(gene[1]).uid
        self.play.apply(c.Deposit(uid, CONTRACT_WALLET, "QQQ", 1 + gene[2] * LOT // 100))


ACTS: Final = (
    Group.opens, Group.opens, Group.opens, Group.opens,
    Group.sweeps, Group.sweeps, Group.sweeps,
    Group.closes, Group.closes, Group.closes,
    Group.ladders, Group.ladders, Group.ladders,
    Group.meets, Group.meets, Group.meets,
    Group.lets_pass, Group.lets_pass,
    Group.levers, Group.levers,
    Group.cancels, Group.moves, Group.takes_out, Group.shuts, Group.waits_for,
    Group.quotes_again, Group.pays_in,
    tricks.drains, tricks.drains, tricks.rearranges, tricks.counts_down, tricks.stands_still,
    tricks.says_again, tricks.shuts_one, tricks.pays_in_little,
    favours.sends, favours.shares_fees, favours.sees_midnight, favours.copies, favours.comes_back,
    favours.hedges, favours.hedges,
)  # fmt: skip


def gene(random: Random) -> Gene:
    """Any gene."""
    numbers = [random.randrange(NUMBERS) for _ in range(6)]
    return numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]


def sequence(random: Random) -> list[Gene]:
    """A new story."""
    return [gene(random) for _ in range(random.randint(LENGTHS[0], LENGTHS[1] // 2))]


def changed(random: Random, genes: list[Gene], other: list[Gene]) -> list[Gene]:
    """A neighbour of a story: a number, a gene, their order, or a part of another story."""
    made = list(genes)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(made))
        how = random.randrange(6)
        if how <= 1:
            numbers = list(made[at])
            numbers[random.randrange(6)] = random.randrange(NUMBERS)
            made[at] = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
        elif how == 2 and len(made) < LENGTHS[1]:
            made.insert(at, gene(random))
        elif how == 3 and len(made) > LENGTHS[0]:
            del made[at]
        elif how == 4:
            made.append(made.pop(at))
        else:
            start = random.randrange(len(other))
            made[at : at + 1] = other[start : start + random.randint(1, 4)]
            del made[LENGTHS[1] :]
    return made


def spoken(story: list[Command]) -> str:
    """A story as commands, one a line."""
    return "\n".join(f"    {command!r}" for command in story)
