"""Funding that is due and has not moved yet, owner by owner (rules 6.4, 6.5)."""

from __future__ import annotations

from collections.abc import Iterable

from properties.hearing import must
from properties.sums import Owner
from venue.core.messages.contract_events import FundingDue, FundingSettled, Income

BILLION = 10**9  # a rate of 1 in parts per billion


class Unsettled:
    """The atoms that each owner will pay (negative) or get in the settlements that run."""

    def __init__(self) -> None:
        self.amounts: dict[tuple[int, str], int] = {}

    def begin(self, event: FundingDue, owners: Iterable[Owner]) -> None:
        """Longs pay q x M x rate when the rate is positive; payers round up, receivers down."""
        for owner in owners:
            for one in owner.positions.values():
                if one.market.name == event.symbol:
                    pays = one.side * one.lots * one.market.unit * event.mark * event.rate_ppb
                    which = owner.uid, event.symbol
                    self.amounts[which] = self.amounts.get(which, 0) + -pays // BILLION

    def move(self, item: Income) -> None:
        self.amounts[item.uid, item.symbol] -= item.amount

    def end(self, event: FundingSettled) -> None:
        """All of it has moved, to the atom."""
        for uid, symbol in list(self.amounts):
            if symbol == event.symbol:
                left = self.amounts.pop((uid, symbol))
                must(left == 0, "funding of", uid, "in", symbol, "did not move:", left)

    def of(self, uid: int) -> int:
        """The atoms that one owner still gets, in all contracts."""
        return sum([amount for (own, _), amount in self.amounts.items() if own == uid])
