"""Ends a contract: announced first, then settled at a fixed price (rule 1.8).

From the announcement on its orders only reduce. When the price is set, all its orders end, pools
that cannot afford the price are liquidated, and longs close against shorts outside the book, the
oldest first. All of this runs in slices.
"""

from __future__ import annotations

from typing import Final

from venue.core.contract.orders import Contracts
from venue.core.contract.records import Perpetual, Position
from venue.core.contract.reference.funding import before_change, plan
from venue.core.contract.reference.index import price_most
from venue.core.contract.risk.changed_terms import ChangedTerms
from venue.core.contract.terms_change import DelistingTerms
from venue.core.messages.commands import DelistContract, SettleContract
from venue.core.messages.contract_events import ContractDelisted, ContractSettled, MarkSet
from venue.core.messages.events import Event, Rejected
from venue.core.units import PPM, ceil_div
from venue.vocabulary import CAUSE_DELISTING, LONG, Reject

SETTLED_EVENTS: Final = 250  # events of one slice of closing
LOOKED_MAX: Final = 100  # positions of each side's turn that a slice looks at

SETTLED: Final = "the contract is settled already"
UNDER_WAY: Final = "the change before is still under way: try again"


class Delisting:
    """Ends contracts."""

    __slots__ = ("contracts", "terms")

    def __init__(self, contracts: Contracts, terms: ChangedTerms) -> None:
        self.contracts = contracts
        self.terms = terms

    def delist(self, command: DelistContract) -> list[Event]:
        """Announce the end of a contract, and start to end the orders that open something."""
        perp = self.contracts.markets.get(command.symbol)
        if perp is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        if perp.delisted is not None:
            return [_reject("the contract is delisted already")]
        if perp.change is not None:
            return [_reject(UNDER_WAY)]
        perp.delisted = DelistingTerms()
        events: list[Event] = [ContractDelisted(perp.symbol, 0)]
        return events + self.terms.delist(perp, command.time)

    def settle(self, command: SettleContract) -> list[Event]:
        """Settle a delisted contract: its price becomes its final mark."""
        perp = self.contracts.markets.get(command.symbol)
        if perp is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        delisted = perp.delisted
        if delisted is None:
            return [_reject("the contract is not delisted yet: announce its end first")]
        if delisted.price:
            return [_reject(SETTLED)]
        if perp.change is not None:
            return [_reject(UNDER_WAY)]
        lowest, highest = settle_range(perp)
        if not lowest <= command.price <= highest:
            return [Rejected(Reject.SETTLE_PRICE, highest if command.price > highest else lowest)]
        events = before_change(perp, command.time)  # funding that fell due is paid
        delisted.price = command.price
        perp.market.halted = True
        perp.market.halt_reason = "the contract is delisted"
        _fix_price(perp, command.price)
        self.contracts.collateral.ranking.drop_exact_scores()
        events.append(ContractDelisted(perp.symbol, command.price))
        index, interest = perp.index_price, perp.open_interest
        events.append(MarkSet(perp.symbol, index, perp.mark, perp.current, 0, interest))
        return events + self.terms.delist(perp, command.time)

    def proceed(self, perp: Perpetual, delisted: DelistingTerms, time: int) -> list[Event]:
        """Close the next positions of a contract that settles, after its orders have ended."""
        if perp.change is not None:
            return []
        longs, delisted.long = _next(perp, LONG, delisted.long)
        shorts, delisted.short = _next(perp, -LONG, delisted.short)
        longs.reverse()
        shorts.reverse()
        counters = self.contracts.counters
        events: list[Event] = []
        while longs and shorts and len(events) < SETTLED_EVENTS:
            long, short = longs[-1], shorts[-1]
            lots = min(long.quantity, short.quantity)
            number = counters.order  # it stands for an order's
            counters.order = number + 1
            self.contracts.fills.outside(
                perp, long, short, lots=lots, price=delisted.price, cause=CAUSE_DELISTING,
                liquidation_id=number, fee=0, time=time, events=events,
            )  # fmt: skip
            delisted.lots += lots
            if not long.quantity:
                longs.pop()
            if not short.quantity:
                shorts.pop()
        if not perp.positions:
            delisted.done = True
            events.append(ContractSettled(perp.symbol, delisted.price, delisted.lots))
        return events


def settle_range(perp: Perpetual) -> tuple[int, int]:
    """Return the lowest and the highest price, in ticks, at which a contract may settle: its last
    mark minus or plus the lowest maintenance rate of a position. A pool above its maintenance
    margin can pay there."""
    if not perp.mark:  # nobody has a position
        return 1, price_most(perp)
    lowest = ceil_div(perp.mark * (PPM - perp.least_ppm), PPM)
    return max(1, lowest), perp.mark * (PPM + perp.least_ppm) // PPM


def _fix_price(perp: Perpetual, price: int) -> None:
    """Fix a contract's price so that nothing moves it: no index, no funding, no doubt."""
    perp.mark = price
    perp.current, perp.reopens = True, 0
    perp.doubt = perp.spot_alone = False
    perp.wait_until = 0
    perp.spot = None
    perp.sources.clear()
    perp.premiums.clear()
    perp.premium_ppb = perp.premium_sum = perp.premium_count = 0
    plan(perp)


def _next(perp: Perpetual, side: int, start: int) -> tuple[list[Position], int]:
    """Return the next positions of a side from an id on, oldest first, and the id to continue
    from."""
    rows = perp.ids.after((start,), LOOKED_MAX)
    positions = [perp.positions[row[0]] for row in rows]
    found = [position for position in positions if position.side == side]
    if found:
        return found, found[0].position_id
    return found, rows[-1][0] + 1 if rows else start


def _reject(reason: str) -> Rejected:
    return Rejected(Reject.INSTRUMENT_INVALID, 0, reason)
