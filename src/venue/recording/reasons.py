"""The reasons in private frames why orders ended without being filled."""

from __future__ import annotations

from typing import Final

from venue.core.messages.commands import (
    CancelAlgo,
    CancelAlgos,
    CancelContractOrder,
    CancelContractOrders,
    Command,
    EndConnection,
    FreezeOwner,
)
from venue.core.messages.contract_events import AlgoTriggered, ContractOrderClosed
from venue.core.messages.events import OrderClosed
from venue.core.messages.quote_commands import MoveQuotes
from venue.vocabulary import CAUSE_LIQUIDATION, CAUSE_OPERATOR, EXPIRED, Reject

OWNERS_CANCEL: Final = (CancelContractOrder, CancelContractOrders, EndConnection, MoveQuotes)
OWNERS_CONDITIONAL_CANCEL: Final = (CancelAlgo, CancelAlgos)

BY_USER: Final = "USER_CANCELED"
NOT_FILLED: Final = "COULD_NOT_FILL"
SELF_TRADE: Final = "EXPIRE_CANCELED"
NOTHING_TO_REDUCE: Final = "REDUCE_ONLY_CANCELED"
LIQUIDATED: Final = "LIQUIDATE_CANCELED"
NO_MARGIN: Final = "MARGIN_NOT_ENOUGH"
BY_OPERATOR: Final = "ADMIN_CANCELED"


def of_spot_order(event: OrderClosed, command: Command) -> str:
    """Return why a spot order ended."""
    if not event.resting:
        return NOT_FILLED
    if isinstance(command, FreezeOwner):
        return BY_OPERATOR
    return SELF_TRADE if event.status == EXPIRED else BY_USER


def of_contract_order(
    event: ContractOrderClosed, command: Command, *, counted_down: bool, opens: bool
) -> str:
    """Return why a contract order ended; `counted_down`: a countdown ended it."""
    if not event.resting:
        return NOT_FILLED
    if event.cause == CAUSE_LIQUIDATION:
        return LIQUIDATED
    if event.cause == CAUSE_OPERATOR:
        return BY_OPERATOR
    if event.status == EXPIRED:
        return SELF_TRADE
    if isinstance(command, OWNERS_CANCEL) or counted_down:
        return BY_USER
    return NO_MARGIN if opens else NOTHING_TO_REDUCE


def of_refused(event: AlgoTriggered) -> str:
    """Return why a conditional order became none when it was triggered."""
    return NO_MARGIN if event.reason == Reject.FUNDS else NOT_FILLED


def of_conditional(command: Command) -> str:
    """Return why a waiting conditional order ended."""
    return BY_USER if isinstance(command, OWNERS_CONDITIONAL_CANCEL) else NOTHING_TO_REDUCE
