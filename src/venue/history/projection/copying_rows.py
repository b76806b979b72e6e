"""The rows of copy trading and of affiliates."""

from __future__ import annotations

from venue.core.messages.benefit_events import CommissionPaid, InternallyWithdrawn
from venue.core.messages.copy_events import CopyClosed, TrackClosed
from venue.core.messages.events import WalletMoved
from venue.history.projection.batch import AppliedCommand, Batch, Folds
from venue.history.tables.affiliates import CommissionRow, WithdrawalRow
from venue.history.tables.copying import EndedCopy, EndedTrack


class CopyingRows:
    """Adds the rows of ended copies, commissions and internal withdrawals to a batch."""

    __slots__ = ("_new", "_paid")

    def __init__(self, batch: Batch) -> None:
        self._new = batch.new
        self._paid: CommissionPaid | None = None

    def folds(self) -> Folds:
        """Return the functions that add the rows of each kind of event."""
        return {
            CopyClosed: self._copy,
            TrackClosed: self._track,
            CommissionPaid: self._commission,
            InternallyWithdrawn: self._add_withdrawal,
        }

    def add_bill(self, event: WalletMoved, time: int) -> None:
        """Add the row of a commission with its bill: the affiliate's next after the payment."""
        paid = self._paid
        if paid is None or event.uid != paid.affiliate:
            return
        self._paid = None
        row = CommissionRow(
            event.bill_id, paid.affiliate, paid.uid, paid.day, paid.product, paid.asset, paid.fee,
            paid.commission, paid.rate_ppm, paid.maker, paid.taker, time,
        )  # fmt: skip
        self._new[CommissionRow].append(row)

    def _copy(self, event: CopyClosed, applied: AppliedCommand, _: int) -> None:
        self._new[EndedCopy].append(EndedCopy(event, applied.time))

    def _track(self, event: TrackClosed, applied: AppliedCommand, _: int) -> None:
        self._new[EndedTrack].append(EndedTrack(event, applied.time))

    def _commission(self, event: CommissionPaid, _: AppliedCommand, __: int) -> None:
        self._paid = event

    def _add_withdrawal(self, event: InternallyWithdrawn, applied: AppliedCommand, _: int) -> None:
        row = WithdrawalRow(
            event.withdraw_id, event.uid, event.to_uid, event.asset, event.source, event.target,
            event.amount, applied.time,
        )  # fmt: skip
        self._new[WithdrawalRow].append(row)
