"""The judge's notes of one command: how its owners stood before, and how they may stand after.

`Wrong` says in words what must not be.
"""

from __future__ import annotations

from collections.abc import Container

from properties.sums import MILLION, SELVES, Market, Order, Owner
from venue.core.messages.commands import Command, Tick
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.events import Event
from venue.vocabulary import Cause

FUND = 2
OUTSIDE = (Cause.TAKEOVER, Cause.DELEVERAGE)  # trades outside the book
Stood = tuple[int, int, dict[int, tuple[int, int]]]
# available, available with the needs of today's marks, equity and maintenance margin by pool


class Wrong(Exception):
    """A rule that an event breaks, or the lack of one."""


def must(true: object, *what: object) -> None:
    if not true:
        raise Wrong(" ".join(str(each) for each in what))


class Hearing:
    """One command and its events, while they are judged."""

    __slots__ = ("before", "closers", "command", "ended", "ending", "excused", "first_price",
                 "fixed", "flight", "freed", "fund_gain", "in_liquidation", "items", "openers",
                 "placed", "pool", "sure", "taking", "total", "traded")  # fmt: skip

    def __init__(self, command: Command, ending: list[int]) -> None:
        self.command = command
        self.ending = ending  # the orders that end in it
        self.before: dict[int, Stood] = {}
        self.flight: dict[int, Order] = {}  # the orders that came in it
        self.freed: dict[int, int] = {}  # the holds of orders that ended in it
        self.placed: list[Order] = []
        self.sure: list[Order] = []  # FOK orders that have to be filled
        self.taking: Order | None = None
        self.first_price = 0
        self.ended: list[tuple[Order, int]] = []  # their end has to be justified, with lots
        self.excused: dict[int, bool] = {}  # liquidated, deleveraged, or funding has come
        self.closers: dict[int, bool] = {}
        self.openers: dict[int, bool] = {}
        self.fixed: dict[tuple[int, int], int] = {}  # the fund's payments into pools
        self.traded = self.items = False
        self.total = 0
        self.fund_gain = 0
        self.pool = (0, 0)
        self.in_liquidation: list[tuple[int, int, int, Market]] = []

    def stand(self, owner: Owner) -> Stood:
        """How an owner stands before the command, at the marks that it sets."""
        standing = owner.standing()
        pools: dict[int, tuple[int, int]] = {}
        if owner.positions:
            for pool in owner.pools:
                pools[pool] = owner.equity(pool), owner.maintenance(pool)
        else:
            pools[0] = owner.pools[0], 0
        return standing - owner.held, standing - owner.needed(), pools

    def can_bear(self, owner: Owner, order: Order, lots: int) -> bool:
        """Whether an owner could have paid for `lots` of an order that opens, before the command
        and now, all else of its orders still held, also what ended beside it; the order itself is
        no longer among them."""
        market = order.market
        leverage = owner.modes_in(market).leverage(order.way)
        need = market.need(order.way, lots, order.price, leverage, market.taker)
        rest = order.held * max(0, order.left - lots) // order.held_lots
        need += SELVES * (lots + 1)
        held = owner.holds() + rest + self.freed.get(order.uid, 0)
        before = self.before[order.uid][0] + order.holds() - rest
        return owner.standing() - held >= need and before >= need

    def nobody_below_zero(self, owners: dict[int, Owner]) -> None:
        """Rule 5.13: no available and no equity is below zero by what an owner did.

        An order that closes a position may use up its initial margin, not its maintenance margin.
        An amount below zero at today's mark before the command may stay, and may not grow.
        """
        for uid, (available, fair, pools) in self.before.items():
            if uid <= FUND or uid in self.excused:
                continue
            owner = owners[uid]
            if uid not in self.closers:
                self._available_stands(owner, available, fair)
            for pool in owner.pools:
                before, needed = pools.get(pool, (0, 0))
                equity = owner.equity(pool) - self.fixed.get((uid, pool), 0)
                must(
                    equity >= 0 or before < 0,
                    "equity of", uid, "in pool", pool, "went from", before, "to", equity,
                )  # fmt: skip
                # An opening order must find the money that was held for it, even if some was lost.
                short = (available < 0 or fair < 0) and (uid not in self.openers or pool > 0)
                unsafe = short or before < needed
                must(
                    unsafe or equity >= owner.maintenance(pool),
                    "equity of", uid, "in pool", pool, "is", equity, "below its maintenance margin",
                )  # fmt: skip
            for pool in [number for number, left in owner.pools.items() if number and not left]:
                if pool not in owner.positions:
                    del owner.pools[pool]

    def available_stands(self, owners: dict[int, Owner]) -> None:
        """The part of it that is left when nothing was traded or moved."""
        for uid, (available, fair, _) in self.before.items():
            if uid > FUND:
                self._available_stands(owners[uid], available, fair)

    def _available_stands(self, owner: Owner, available: int, fair: int) -> None:
        standing = owner.standing()
        now = standing - owner.held
        if now < min(0, available) and not isinstance(self.command, Tick):
            must(
                standing - owner.needed() >= min(0, fair),
                "available of", owner.uid, "went from", available, "to", now,
            )  # fmt: skip


def touched(events: list[Event], kinds: Container[type]) -> dict[int, bool]:
    """The owners that events of these kinds speak of."""
    found: dict[int, bool] = {}
    for event in events:
        if type(event) is ContractTrade:
            found[event.maker.uid] = found[event.taker.uid] = True
        elif type(event) in kinds:
            uid = getattr(event, "uid", 0)
            if uid:
                found[uid] = True
    return found


NOTHING = Hearing(Tick(), [])


def check_fee(market: Market, trade: ContractTrade, fee: int, *, taker: bool) -> None:
    """The fee of one side is its rate of the notional, rounded up; in a liquidation with the
    liquidation's at most."""
    listed = market.contract.instrument
    rate = listed.taker_ppm if taker else listed.maker_ppm
    least = 0 if trade.cause in OUTSIDE else -(-trade.notional * rate // MILLION)
    most = least
    if taker and trade.cause in (Cause.LIQUIDATION, *OUTSIDE):
        most += -(-trade.notional * market.contract.liquidation_ppm // MILLION)
    must(least <= fee <= most, "a fee of", fee, "is not", least)
