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


class Permitted(Struct, frozen=True):
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
    Permitted(PlaceOrder, _REPEATED, _REPEATED),
    Permitted(CancelOrder, _TAKEN, _TAKEN),
    Permitted(CancelOrders, _TAKEN, _TAKEN),
    Permitted(PlaceContractOrder, _REPEATED, _REPEATED, _CLOSING, _REPEATED),
    Permitted(CancelContractOrder, _TAKEN, _TAKEN, _TAKEN, _ENDED),
    Permitted(CancelContractOrders, _TAKEN, _TAKEN, _TAKEN, _TAKEN),
    Permitted(ClosePositions, _REFUSED, _SKIPPED, _TAKEN, _TAKEN),
    Permitted(PlaceAlgo, _REPEATED, _REPEATED, _CLOSING, _REPEATED),
    Permitted(ChangeAlgo, _REFUSED, _REFUSED, _TAKEN, _ENDED),
    Permitted(CancelAlgo, _TAKEN, _TAKEN, _TAKEN, _ENDED),
    Permitted(CancelAlgos, _TAKEN, _TAKEN, _TAKEN, _TAKEN),
    Permitted(SetCancelAfter, _TAKEN, _NOT_ASKED),
    Permitted(GuardOrders, _TAKEN, _NOT_ASKED),
    Permitted(SetLeverage, _REFUSED, _TAKEN, _TAKEN, _TAKEN),
    Permitted(SetMarginMode, _REFUSED, _TAKEN, _TAKEN, _TAKEN),
    Permitted(MoveMargin, _REFUSED, _TAKEN, _TAKEN, _ENDED),
    Permitted(SetAutoMargin, _REFUSED, _TAKEN, _TAKEN, _ENDED),
    Permitted(Follow, _REFUSED, _TAKEN, _TAKEN, _TAKEN),
    Permitted(StopCopying, _TAKEN, _NOT_ASKED),
    Permitted(CloseCopy, _REFUSED, _REFUSED, _TAKEN, _ENDED),
    Permitted(InternalWithdraw, _REPEATED, _NOT_ASKED),
    Permitted(RecordStreams, _TAKEN, _NOT_ASKED),
    # An operator's acts for one owner.
    Permitted(Withdraw, _REPEATED, _NOT_ASKED),
    Permitted(Transfer, _REPEATED, _NOT_ASKED),
    Permitted(Deposit, _TAKEN, _NOT_ASKED),
    Permitted(ChangeGift, _TAKEN, _NOT_ASKED),
    Permitted(FreezeOwner, _TAKEN, _NOT_ASKED),
    Permitted(SetFees, _TAKEN, _NOT_ASKED),
    Permitted(JoinDiscount, _TAKEN, _NOT_ASKED),
    Permitted(SetAffiliate, _TAKEN, _NOT_ASKED),
    Permitted(Invite, _TAKEN, _NOT_ASKED),
    Permitted(SetLead, _TAKEN, _NOT_ASKED),
)
# The engine refuses these of a frozen owner before any rule of their own. A command that knows
# repetitions looks for one first, and its own rule refuses it.
REFUSED_FROZEN: Final = {row.command: None for row in PERMITTED if row.frozen == _REFUSED}
