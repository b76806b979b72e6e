"""Funding: its rate within its cap, when it is due, and its settlements (rules 6.4 to 6.6)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.collateral import Collateral
from venue.core.contract.records import Perpetual, Position
from venue.core.contract.reference.prices import DAMPER_PPB, SAMPLE_US
from venue.core.contract.reference.records import Settlement
from venue.core.messages.contract_events import FundingDue, FundingSettled, FundingSkipped
from venue.core.messages.events import Event
from venue.core.units import DAY_US, PPB, SECOND_US, ceil_div
from venue.vocabulary import INCOME_POSITION_FUNDING

CHUNK: Final = 250  # positions settled by one slice
DOWN_US: Final = 30_000_000  # without a tick for so long the venue was down
NEVER: Final = DAY_US * 1_000_000  # after all times of commands


class Funding:
    """Settles funding over the contract side of the ledger."""

    __slots__ = ("collateral",)

    def __init__(self, collateral: Collateral) -> None:
        self.collateral = collateral

    def pass_time(self, perp: Perpetual, before: int, time: int, room: int) -> list[Event]:
        """Start settlements that fall due between two ticks; settle the next positions.

        `room` is the greatest number of positions. Due times that passed while the venue was down
        are skipped; a settlement that finds the index stale waits until it is current (rules 6.5,
        6.6).
        """
        events: list[Event] = []
        while perp.due <= time:
            missed = time - before >= DOWN_US and perp.due < time - DOWN_US
            events.append(_fall_due(perp, missed=missed))
        settlement = perp.settlement
        if settlement is not None and (settles(perp) or not _next_ids(perp, settlement, 1)):
            events += self.proceed(perp, settlement, room)
        return events

    def proceed(self, perp: Perpetual, settlement: Settlement, room: int) -> list[Event]:
        """Settle the next `room` positions of a running settlement."""
        events: list[Event] = []
        for number in _next_ids(perp, settlement, room):
            events += settle_position(self.collateral, perp.positions[number])
            settlement.next = number + 1
        if not _next_ids(perp, settlement, 1):
            perp.settlement = None
            events.append(
                FundingSettled(
                    perp.symbol, settlement.due, settlement.count, settlement.paid,
                    settlement.received,
                )
            )  # fmt: skip
        return events


def settles(perp: Perpetual) -> bool:
    """Return whether a running settlement can continue: the index is current, or it is outside the
    market hours, when nobody expects a current index (rules 6.6, 6.8)."""
    return perp.current or perp.reopens > 0


def _next_ids(perp: Perpetual, settlement: Settlement, most: int) -> list[int]:
    """Return the ids of up to `most` positions still to be settled, oldest first."""
    rows = perp.ids.after((settlement.next,), most)
    return [row[0] for row in rows if row[0] <= settlement.last]


def plan(perp: Perpetual) -> None:
    """Set the next funding time, after the last one that came; a contract that settles has none."""
    perp.due = NEVER if perp.settles() else next_due(perp, perp.last_due)


def before_change(perp: Perpetual, time: int) -> list[Event]:
    """Start a settlement that fell due since the last tick, before a position changes (rule 6.5).

    So all positions take part with the size that they had at the due time. A tick skips a
    settlement that fell due longer ago.
    """
    if perp.due > time or time - perp.due >= DOWN_US:
        return []
    return [_fall_due(perp, missed=False)]


def _fall_due(perp: Perpetual, *, missed: bool) -> Event:
    """Fix rate, mark and positions of the next settlement, or skip it.

    It is skipped while an earlier one waits for the index, and without a mark: then nobody has a
    position. The premiums of its interval do not count in the next one.
    """
    due = perp.due
    rate = funding_rate(perp, due)
    perp.last_due = due
    plan(perp)
    perp.premium_sum = perp.premium_count = 0
    if missed or perp.settlement is not None or not perp.mark:
        return FundingSkipped(perp.symbol, due)
    newest = perp.ids.last()
    perp.settlement = Settlement(due, rate, perp.mark, newest[0] if newest else 0)
    perp.last_rate_ppb = rate
    return FundingDue(perp.symbol, due, rate, perp.mark, perp.index_price)


def settle_position(collateral: Collateral, position: Position) -> list[Event]:
    """Settle one position in its contract's running settlement, unless it was settled before."""
    perp = position.perp
    settlement = perp.settlement
    if settlement is None or position.funded >= settlement.due or not position.quantity:
        return []
    amount = due_funding(position, 0)
    position.funded = settlement.due
    if amount < 0:
        settlement.paid -= amount
    else:
        settlement.received += amount
    settlement.count += 1
    if amount == 0:
        return []
    collateral.ledger.pay_funding(position.pool.cash, amount)
    benefits = position.pool.account.benefits
    if benefits is not None:
        benefits.bear(perp.asset, amount)
    collateral.touch(position.pool)
    position.funding_fee += amount
    return [collateral.item(position.pool, INCOME_POSITION_FUNDING, amount, perp.symbol)]


def due_funding(position: Position, time: int) -> int:
    """Return the money that a position gets, or (negative) pays, in the running settlement or in
    the one that its next change at `time` would start; 0 if it is settled. Longs pay q x M x rate
    when the rate is positive; payers round up, receivers down (rule 6.4)."""
    perp = position.perp
    settlement = perp.settlement
    if settlement is not None:
        if position.funded >= settlement.due:
            return 0
        rate, mark = settlement.rate_ppb, settlement.mark
    elif perp.due <= time < perp.due + DOWN_US:
        rate, mark = funding_rate(perp, perp.due), perp.mark
    else:
        return 0
    number = position.quantity * perp.unit * mark * rate * position.side
    return -ceil_div(number, PPB) if number > 0 else -number // PPB


def funding_rate(perp: Perpetual, time: int) -> int:
    """Return the rate of the running interval in ppb at `time` (rule 6.4): the average premium,
    drawn towards the interest by at most 0.05 %, within the contract's cap.

    The average is over the whole interval up to `time`. A sample that was not taken counts 0: the
    few samples of a contract that was just listed, or of an index that was stale, must not stand
    for hours.
    """
    passed = min(time, perp.due) - (perp.due - interval_us(perp))
    average = perp.premium_sum // max(1, perp.premium_count, passed // SAMPLE_US)
    interest = perp.contract.interest_ppb * interval_us(perp) // (8 * 3600 * SECOND_US)
    pull = max(-DAMPER_PPB, min(interest - average, DAMPER_PPB))
    cap = perp.funding_cap_ppb
    return max(-cap, min(average + pull, cap))


def interval_us(perp: Perpetual) -> int:
    """Return the time between two funding settlements."""
    return DAY_US // len(perp.contract.funding_minutes)


def next_due(perp: Perpetual, time: int) -> int:
    """Return the first funding time after `time`."""
    day = time - time % DAY_US
    for minute in perp.contract.funding_minutes:
        due = day + minute * 60 * SECOND_US
        if due > time:
            return due
    return day + DAY_US + perp.contract.funding_minutes[0] * 60 * SECOND_US
