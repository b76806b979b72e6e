"""Faults that can be planted into an engine: an order's need is counted on other trades than it
makes.

A fault is a question about a command: would a check that makes this mistake let it pass? If so the
engine is made to believe, for that one command, that its owner's orders hold less than they do:
then nothing that the order meets is too dear for it. This knows nothing of how the engine checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from properties.judge import Judge
from properties.sums import MILLION, Market, Order, Owner
from venue.core.messages.commands import Command, PlaceContractOrder
from venue.vocabulary import BUY, CROSSED, LONG, MARKET, SelfTrade

LOAN: Final = 10**12  # atoms: more than anybody has

Fault = Callable[[Judge, PlaceContractOrder], bool]


def lent_to(fault: Fault | None, judge: Judge, command: Command) -> int:
    """The owner whom the fault lets overdraw with this command; 0: nobody."""
    if fault is None or type(command) is not PlaceContractOrder:
        return 0
    opens = (command.side == BUY) == (command.position_side == LONG)
    return command.uid if opens and fault(judge, command) else 0


def counts_ruinous(judge: Judge, command: PlaceContractOrder) -> bool:
    """A MARKET order is checked over resting orders that their owners could not bear."""
    mode = judge.owners[command.uid].self_trade
    if command.type != MARKET or mode in (SelfTrade.EXPIRE_TAKER, SelfTrade.EXPIRE_BOTH):
        return False
    spared = mode == SelfTrade.EXPIRE_MAKER
    met = [(o, n) for o, n in _met(judge, command) if not (spared and o.uid == command.uid)]
    ruinous = any(not _bears(judge, maker, lots) for maker, lots in met)
    return ruinous and _affords(judge, command, met)


def counts_own(judge: Judge, command: PlaceContractOrder) -> bool:
    """With EXPIRE_MAKER a MARKET order counts its owner's own resting orders as reachable."""
    owner = judge.owners[command.uid]
    if command.type != MARKET or owner.self_trade != SelfTrade.EXPIRE_MAKER:
        return False
    met = list(_met(judge, command))
    own = any(maker.uid == owner.uid for maker, _ in met)
    return own and _affords(judge, command, met)


def spends_twice(judge: Judge, command: PlaceContractOrder) -> bool:
    """An isolated order that meets its owner's own overtaken one: each is checked alone."""
    owner = judge.owners[command.uid]
    market = judge.markets[command.symbol]
    isolated = owner.modes_in(market).mode != CROSSED
    if not isolated or owner.self_trade != SelfTrade.NONE:
        return False
    met = list(_met(judge, command))
    for maker, lots in met:
        overtaken = maker.way * (maker.price - market.mark) > 0
        if maker.uid == owner.uid and maker.opens and overtaken and _bears(judge, maker, lots):
            return _affords(judge, command, met)
    return False


FAULTS: Final[dict[str, Fault]] = {
    "a MARKET order counts on ruinous orders": counts_ruinous,
    "a MARKET order counts on its owner's own orders": counts_own,
    "an isolated order and its owner's own spend the same money": spends_twice,
}


def _met(judge: Judge, command: PlaceContractOrder) -> Iterator[tuple[Order, int]]:
    """The resting orders within the order's limit and size, best first, with the lots of each."""
    market = judge.markets[command.symbol]
    half = market.half(1 - command.side)
    if not half:
        return
    best = abs(half[0][0])
    band = best * market.contract.instrument.market_band_ppm // MILLION
    limit = command.price
    if command.type == MARKET:
        limit = best + band if command.side == BUY else best - band
    left = command.quantity
    for key, _, number in list(half):
        price = abs(key)
        beyond = price > limit if command.side == BUY else price < limit
        if beyond or left == 0:
            return
        maker = next(o.orders[number] for o in judge.owners.values() if number in o.orders)
        lots = min(left, maker.left)
        left -= lots
        yield maker, lots


def _affords(judge: Judge, command: PlaceContractOrder, met: list[tuple[Order, int]]) -> bool:
    """Whether what is available is enough for an order at its limit, or for a sweep at its worst
    price (rule 5.6)."""
    owner = judge.owners[command.uid]
    market = judge.markets[command.symbol]
    leverage = owner.modes_in(market).leverage(command.position_side)
    lots, price = command.quantity, command.price
    if command.type == MARKET:
        lots, price = sum([lots for _, lots in met]), met[-1][0].price if met else 0
    need = market.need(command.position_side, lots, price, leverage, market.taker)
    return lots > 0 and owner.standing() - owner.held >= need


def _bears(judge: Judge, maker: Order, lots: int) -> bool:
    """Whether a resting order's owner could pay for these lots of it (rule 5.10)."""
    owner, market = judge.owners[maker.uid], maker.market
    if maker.opens:
        leverage = owner.modes_in(market).leverage(maker.way)
        need = market.need(maker.way, lots, maker.price, leverage, market.taker)
        released = maker.holds() * lots // maker.left
        return owner.standing() - owner.held + released >= need
    return _keeps(owner, market, maker, lots)


def _keeps(owner: Owner, market: Market, maker: Order, lots: int) -> bool:
    """Whether closing these lots leaves the pool the maintenance margin of what remains."""
    position = owner.positions[maker.closing]
    size = lots * market.unit
    lost = max(0, position.side * (market.mark - maker.price)) * size
    fee = -(-size * maker.price * market.contract.instrument.maker_ppm // MILLION)
    worth = market.mark * market.unit
    before = market.added(position.base, worth * position.lots)
    after = market.added(position.base, worth * (position.lots - lots))
    left = owner.equity(position.pool) - lost - fee
    return lost == 0 or left >= owner.maintenance(position.pool) - before + after
