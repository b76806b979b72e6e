"""Lists for each command how it is answered in each state of its owner or market (rule 2.7)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from msgspec import Struct

from venue.core.messages.benefit_commands import (
    ChangeGift,
    InternalWithdraw,
    Invite,
    JoinDiscount,
    SetAffiliate,
)
from venue.core.messages.commands import (
    CancelAlgo,
    CancelAlgos,
    CancelContractOrder,
    CancelContractOrders,
    CancelOrder,
    CancelOrders,
    ChangeAlgo,
    ClosePositions,
    Deposit,
    FreezeOwner,
    GuardOrders,
    MoveMargin,
    PlaceAlgo,
    PlaceContractOrder,
    PlaceOrder,
    RecordStreams,
    SetAutoMargin,
    SetCancelAfter,
    SetFees,
    SetLeverage,
    SetMarginMode,
    Transfer,
    Withdraw,
)
from venue.core.messages.copy_commands import CloseCopy, Follow, SetLead, StopCopying


class Verdict(IntEnum):
    """The answer of a state to a command."""

    TAKEN = 0  # it has its effect
    REFUSED = 1
    REPEATED = 2  # refused, but a repetition of an earlier one gets its answer
    SKIPPED = 3  # taken, and refused in its events for each position it is about
    NOT_ASKED = 4  # it is about no contract, or no market
    CLOSING = 5  # one that opens is refused, but for a repetition; one that closes is taken
    ENDED = 6  # it finds nothing: all that it could be about has ended


class Permission(Struct, frozen=True):
    """One command: its answer while its owner is frozen, while its symbol is halted, while its
    contract is delisted and its orders only reduce, and after its contract is settled."""

    command: type
    frozen: Verdict
    halted: Verdict
    reducing: Verdict = Verdict.NOT_ASKED
    settled: Verdict = Verdict.NOT_ASKED


_TAKEN, _REFUSED, _REPEATED = Verdict.TAKEN, Verdict.REFUSED, Verdict.REPEATED
_SKIPPED, _NOT_ASKED = Verdict.SKIPPED, Verdict.NOT_ASKED
_CLOSING, _ENDED = Verdict.CLOSING, Verdict.ENDED
PERMITTED: Final = (
    # An owner's requests.
    Permission(PlaceOrder, _REPEATED, _REPEATED),
    Permission(CancelOrder, _TAKEN, _TAKEN),
    Permission(CancelOrders, _TAKEN, _TAKEN),
    Permission(PlaceContractOrder, _REPEATED, _REPEATED, _CLOSING, _REPEATED),
    Permission(CancelContractOrder, _TAKEN, _TAKEN, _TAKEN, _ENDED),
    Permission(CancelContractOrders, _TAKEN, _TAKEN, _TAKEN, _TAKEN),
    Permission(ClosePositions, _REFUSED, _SKIPPED, _TAKEN, _TAKEN),
    Permission(PlaceAlgo, _REPEATED, _REPEATED, _CLOSING, _REPEATED),
    Permission(ChangeAlgo, _REFUSED, _REFUSED, _TAKEN, _ENDED),
    Permission(CancelAlgo, _TAKEN, _TAKEN, _TAKEN, _ENDED),
    Permission(CancelAlgos, _TAKEN, _TAKEN, _TAKEN, _TAKEN),
    Permission(SetCancelAfter, _TAKEN, _NOT_ASKED),
    Permission(GuardOrders, _TAKEN, _NOT_ASKED),
    Permission(SetLeverage, _REFUSED, _TAKEN, _TAKEN, _TAKEN),
    Permission(SetMarginMode, _REFUSED, _TAKEN, _TAKEN, _TAKEN),
    Permission(MoveMargin, _REFUSED, _TAKEN, _TAKEN, _ENDED),
    Permission(SetAutoMargin, _REFUSED, _TAKEN, _TAKEN, _ENDED),
    Permission(Follow, _REFUSED, _TAKEN, _TAKEN, _TAKEN),
    Permission(StopCopying, _TAKEN, _NOT_ASKED),
    Permission(CloseCopy, _REFUSED, _REFUSED, _TAKEN, _ENDED),
    Permission(InternalWithdraw, _REPEATED, _NOT_ASKED),
    Permission(RecordStreams, _TAKEN, _NOT_ASKED),
    # An operator's acts for one owner.
    Permission(Withdraw, _REPEATED, _NOT_ASKED),
    Permission(Transfer, _REPEATED, _NOT_ASKED),
    Permission(Deposit, _TAKEN, _NOT_ASKED),
    Permission(ChangeGift, _TAKEN, _NOT_ASKED),
    Permission(FreezeOwner, _TAKEN, _NOT_ASKED),
    Permission(SetFees, _TAKEN, _NOT_ASKED),
    Permission(JoinDiscount, _TAKEN, _NOT_ASKED),
    Permission(SetAffiliate, _TAKEN, _NOT_ASKED),
    Permission(Invite, _TAKEN, _NOT_ASKED),
    Permission(SetLead, _TAKEN, _NOT_ASKED),
)
# The engine refuses these of a frozen owner before any rule of their own. A command that knows
# repetitions looks for one first, and its own rule refuses it.
REFUSED_FROZEN: Final = {row.command: None for row in PERMITTED if row.frozen == _REFUSED}
