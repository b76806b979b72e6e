"""The affiliates' part of a batch: commissions, and money sent to other owners."""

from __future__ import annotations

from venue.core.messages.benefit_events import CommissionPaid, InternallyWithdrawn
from venue.core.messages.events import Event, WalletMoved


class AffiliateRows:
    """The rows of one batch, value after value as the columns stand."""

    __slots__ = ("_paid", "commissions", "withdrawals")

    def __init__(self) -> None:
        self._paid: CommissionPaid | None = None
        self.commissions: list[object] = []
        self.withdrawals: list[object] = []

    def fold(self, event: Event, time: int) -> None:
        """Add the row of one event, if it makes one."""
        if type(event) is CommissionPaid:
            self._paid = event
        elif type(event) is InternallyWithdrawn:
            self.withdrawals += (
                event.withdraw_id, event.uid, event.to_uid, event.asset, event.source,
                event.target, event.amount, time,
            )  # fmt: skip

    def billed(self, event: WalletMoved, time: int) -> None:
        """Note the bill of a commission: the affiliate's next bill after the payment."""
        paid = self._paid
        if paid is None or event.uid != paid.affiliate:
            return
        self._paid = None
        self.commissions += (
            event.bill_id, paid.affiliate, paid.uid, paid.day, paid.product, paid.asset, paid.fee,
            paid.commission, paid.rate_ppm, paid.maker, paid.taker, time,
        )  # fmt: skip
