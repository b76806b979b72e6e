"""Less usual things that a group may try: money lost to a friend, conditional orders that are
changed, countdowns, halts, names that come again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from properties.earning_world import LOT
from venue.core.messages import commands as c
from venue.core.messages.commands import Command
from venue.vocabulary import BUY, LONG, SELL, AlgoType, Product

if TYPE_CHECKING:
    from properties.earning import Gene, Group

TRAILING: Final = int(AlgoType.TRAILING_STOP_MARKET)
SILLY: Final = 950  # hundredths of a percent from the mark: just within the band of prices
LOSES: Final = (100, 100, 99, 98, 95, 90, 75, 50)  # percent of what the pool has


def drains(group: Group, gene: Gene) -> None:
    """A member whose orders hold money closes a position at a price that a friend names, so that
    little is left in the pool; then another one meets its orders."""
    _, who, a, b, x, y = gene
    owner = group.owner(who)
    position = group.held(owner, x)
    if position is None:
        return group.opens(gene)
    market, way = position.market, position.side
    side, opens = (SELL, BUY) if way == LONG else (BUY, SELL)
    worth = market.mark * position.lots * market.unit
    rest = market.maintenance(worth // 2) if b % 2 else 0
    lots = max(1, position.lots // (1 + b % 2))
    able = (owner.equity(position.pool) - rest) * LOSES[a % len(LOSES)] // 100
    able -= worth * market.taker // 1_000_000
    off = min(SILLY * market.mark // 10_000, max(0, able) // (lots * market.unit))
    price = max(1, market.mark - way * off)
    friend = group.owner(who + 1 + y % 3)
    if a // 8 % 2:  # an order of another way, for which money is held
        group.order(
            owner, market, opens if b // 2 % 2 else side, way if b // 2 % 2 else -way,
            group.size(owner, market, way, market.mark, a // 16), market.mark, 0,
        )  # fmt: skip
    group.order(friend, market, opens, way, lots, price, 0)
    group.order(owner, market, side, way, lots, price, 1, position=position)
    resting = [order for order in owner.orders.values() if order.rests and order.opens]
    for order in resting[: 1 + x % 2]:
        taker = group.owner(who + 1 + x // 2 % 3)
        group.order(taker, order.market, 1 - order.side, -order.way, order.left, order.price, 1)
    return None


def rearranges(group: Group, gene: Gene) -> None:
    """Conditional orders are changed, taken back, or follow the price."""
    _, who, a, b, x, y = gene
    owner, market = group.owner(who), group.market(x // 64)
    play = group.play
    waiting = _waiting(group, owner.uid)
    if y % 3 == 0 and waiting:
        trigger = group.price(market, 0, a)
        price = group.price(market, 0, b) if b % 2 else 0
        number = waiting[x % len(waiting)]
        play.apply(c.ChangeAlgo(owner.uid, number, trigger, price, y // 3 % 2))
        return
    if y % 3 == 1 and waiting:
        every = x % 4 == 0
        play.apply(c.CancelAlgos(owner.uid) if every else c.CancelAlgo(owner.uid, waiting[0]))
        return
    way = LONG if a % 2 else -LONG
    lots = group.size(owner, market, way, market.mark, b)
    play.apply(
        c.PlaceAlgo(
            owner.uid, market.name, BUY if way == LONG else SELL, way, TRAILING, lots, 0, 0,
            y // 3 % 2, callback_ppm=(100, 1_000, 5_000)[x % 3],
        )
    )  # fmt: skip


def counts_down(group: Group, gene: Gene) -> None:
    """All open orders are to end in some seconds, or no more."""
    timeout = (0, 5, 6)[gene[2] % 3] * 1_000_000
    group.play.apply(c.SetCancelAfter(group.owner(gene[1]).uid, int(Product.CONTRACT), timeout))


def stands_still(group: Group, gene: Gene) -> None:
    """A contract is halted, for some seconds or until the next halt; its index goes on."""
    _, _, a, b, x, _ = gene
    play = group.play
    name = group.market(x).name
    play.apply(c.HaltInstrument(name, True, "a pause", product=int(Product.CONTRACT)))
    for _ in range(a % 4):
        play.second({name: (1000, -1000, 300)[b % 3]})
    group.takes_out(gene)
    play.apply(c.HaltInstrument(name, False, product=int(Product.CONTRACT)))


def says_again(group: Group, gene: Gene) -> None:
    """An order comes again under its name, as it was or with another price."""
    orders = [each for each in group.play.story[-20:] if isinstance(each, c.PlaceContractOrder)]
    own = [each for each in orders if each.uid == group.owner(gene[1]).uid and each.client_id]
    if not own:
        return group.opens(gene)
    last = own[gene[2] % len(own)]
    group.play.apply(_again(last, last.price + (gene[3] % 2 if last.price else 0)))
    return None


def shuts_one(group: Group, gene: Gene) -> None:
    """One position, or those of one symbol, are closed at market; the rest goes on at once."""
    owner = group.owner(gene[1])
    position = group.held(owner, gene[2])
    number = position.position_id if position is not None and gene[3] % 2 else 0
    name = group.market(gene[4]).name if position is None else position.market.name
    group.play.apply(c.ClosePositions(owner.uid, name, number))
    for _ in range(5):
        if not group.play.engine.pending():
            break
        group.play.apply(c.Proceed())


def pays_in_little(group: Group, gene: Gene) -> None:
    """A deposit of some atoms, which roundings may miss."""
    uid = group.owner(gene[1]).uid
    group.play.apply(c.Deposit(uid, 1, "QQQ", 1 + gene[2] % 50 * (LOT // 10_000)))


def _again(order: c.PlaceContractOrder, price: int) -> Command:
    return c.PlaceContractOrder(
        order.uid, order.symbol, order.side, order.position_side, order.type, order.time_in_force,
        order.quantity, price, order.client_id, position_id=order.position_id,
    )  # fmt: skip


def _waiting(group: Group, uid: int) -> list[int]:
    """An owner's conditional orders: looked up in the engine, as an owner asks for its own."""
    return list(group.play.engine.holding(uid).algos)
