"""Funding settlements: due, in chunks, each position once (rules 6.4 to 6.6)."""

from __future__ import annotations

from typing import Final

from venue.core.collateral import Collateral
from venue.core.contract_events import FundingDue, FundingSettled, FundingSkipped
from venue.core.events import Event
from venue.core.perpetual import Perpetual, Settlement
from venue.core.positions import Position
from venue.core.prices import funding_rate, next_due
from venue.core.units import PPB, ceil_div
from venue.terms import IncomeType

CHUNK: Final = 250  # positions settled by one slice
DOWN_US: Final = 30_000_000  # without a tick for so long the venue was down
FUNDING: Final = IncomeType.POSITION_FUNDING.value


class Funding:
    """Settles funding over the contract side of the ledger."""

    __slots__ = ("collateral",)

    def __init__(self, collateral: Collateral) -> None:
        self.collateral = collateral

    def pass_time(self, perp: Perpetual, before: int, time: int, room: int) -> list[Event]:
        """What falls due between two ticks, and the next positions of what is under way.

        `room` bounds the positions. Due times that passed while the venue was down are skipped;
        one that finds the index stale waits until it is current (rules 6.5, 6.6).
        """
        events: list[Event] = []
        due = next_due(perp, perp.last_due)
        while due <= time:
            if perp.funding_due:
                events.append(FundingSkipped(perp.symbol, perp.funding_due))
                perp.funding_due = 0
            perp.last_due = due
            if time - before >= DOWN_US and due < time - DOWN_US:
                events.append(FundingSkipped(perp.symbol, due))
                perp.premium_sum = perp.premium_count = 0
            else:
                perp.funding_due = due
            due = next_due(perp, due)
        if perp.funding_due and perp.current and perp.settlement is None:
            events.append(self._begin(perp))
        if perp.settlement is not None:
            events += self.proceed(perp, perp.settlement, room)
        return events

    def _begin(self, perp: Perpetual) -> Event:
        rate = funding_rate(perp)
        left = list(perp.positions)
        left.reverse()
        perp.settlement = Settlement(perp.funding_due, rate, perp.mark, left)
        perp.last_rate_ppb = rate
        perp.funding_due = 0
        perp.premium_sum = perp.premium_count = 0
        settlement = perp.settlement
        return FundingDue(perp.symbol, settlement.due, rate, perp.mark, perp.index_price)

    def proceed(self, perp: Perpetual, settlement: Settlement, room: int) -> list[Event]:
        """Settle the next `room` positions of a settlement under way."""
        events: list[Event] = []
        left = settlement.left
        while left and room > 0:
            position = perp.positions.get(left.pop())
            if position is not None:
                events += settle_position(self.collateral, position)
                room -= 1
        if not left:
            perp.settlement = None
            events.append(
                FundingSettled(
                    perp.symbol, settlement.due, settlement.count, settlement.paid,
                    settlement.received,
                )
            )  # fmt: skip
        return events


def settle_position(collateral: Collateral, position: Position) -> list[Event]:
    """Settle one position in its contract's running settlement, unless that has been done.

    Longs pay q x M x rate when the rate is positive; payers round up, receivers down (rule 6.4).
    """
    settlement = position.perp.settlement
    if settlement is None or position.funded >= settlement.due or not position.quantity:
        return []
    position.funded = settlement.due
    perp = position.perp
    number = position.quantity * settlement.mark * perp.unit * settlement.rate_ppb * position.side
    if number > 0:
        amount = -ceil_div(number, PPB)
        settlement.paid -= amount
    else:
        amount = -number // PPB
        settlement.received += amount
    settlement.count += 1
    if amount == 0:
        return []
    collateral.ledger.fund(position.pool, amount)
    collateral.touch(position.pool)
    position.funding_fee += amount
    return [collateral.item(position.pool, FUNDING, amount, perp.symbol)]
