"""Internal withdrawals: sending money to another owner, and the list of such withdrawals."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.spot.withdrawals import (
    InternalWithdrawal,
    InternalWithdrawalRequest,
    InternalWithdrawals,
    InternalWithdrawalsRequest,
)
from venue.candles import DAY_US
from venue.core.messages.benefit_commands import InternalWithdraw
from venue.core.messages.benefit_events import InternallyWithdrawn, MovementRepeated
from venue.core.messages.events import Rejected
from venue.gateway.dispatch import decode
from venue.gateway.door import Call
from venue.gateway.operations.refusals.funds import wallet_funds
from venue.gateway.operations.refusals.spot import refusal
from venue.gateway.operations.spot.commissions import coin_of
from venue.gateway.operations.spot.people import affiliate_of, span
from venue.history.questions import affiliates as questions
from venue.history.tables.affiliates import WithdrawalsOf
from venue.node.node import Node
from venue.texts import amount_text
from venue.times import US_PER_MS
from venue.vocabulary import Reject, Wallet

DECIMALS_MAX: Final = 6
PAST_DAYS: Final = 31
ACCOUNTS: Final = {"SPOT": int(Wallet.SPOT), "FUND": int(Wallet.FUNDING)}
SUCCESS: Final = "SUCCESS"


async def internal_withdrawal(call: Call, request: InternalWithdrawalRequest) -> str:
    """Send money; the id of the withdrawal."""
    node = call.node
    affiliate_of(call, -1051)
    asset = node.asset(coin_of(node, request.coin))
    decode.scale_amount(
        request.amount, min(DECIMALS_MAX, asset.scale), "amount"
    )  # no more decimals
    amount = decode.scale_amount(request.amount, asset.scale, "amount")
    command = InternalWithdraw(
        call.uid, request.to_user_id, ACCOUNTS[request.from_account_type],
        ACCOUNTS[request.to_account_type], asset.name, amount, request.client_tran_id or "",
        call.request_id,
    )  # fmt: skip
    (applied,) = await call.submit([command])
    event = applied.events[0]
    if isinstance(event, Rejected):
        raise _refusal(node, event, command)
    if isinstance(event, MovementRepeated):
        return str(event.number)
    assert isinstance(event, InternallyWithdrawn), event
    return str(event.withdraw_id)


def _refusal(node: Node, rejected: Rejected, command: InternalWithdraw) -> ApiError:
    reason = Reject(rejected.reason)
    if reason == Reject.FUNDS:
        return wallet_funds(node, command)
    if reason == Reject.NO_AFFILIATE:
        return errors.error(-1051)
    if reason == Reject.CLIENT_ID_USED:
        rule = f"used before with other content, by withdrawal {rejected.limit}"
        return errors.bad_client_id("clientTranId", rule)
    return refusal(rejected)


async def internal_withdrawals(
    call: Call, request: InternalWithdrawalsRequest
) -> InternalWithdrawals:
    """Return the withdrawals that the caller sent to other owners."""
    node = call.node
    affiliate_of(call, -1051)
    now = node.clock.now()
    begin, until = span(request.start_time, request.end_time, now, longest=PAST_DAYS)
    if begin < now - (PAST_DAYS + 1) * DAY_US:
        raise errors.error(-1170, name="startTime", rule=f"at most {PAST_DAYS} days ago")
    which = WithdrawalsOf(
        call.uid, begin, until, request.withdraw_id, coin_of(node, request.coin),
        ACCOUNTS[request.from_account_type] if request.from_account_type is not None else None,
        ACCOUNTS[request.to_account_type] if request.to_account_type is not None else None,
    )  # fmt: skip
    page, size = request.page, request.page_size
    total, rows = await node.ask(questions.withdrawals, which, page, size)
    pages = -(-total // size)
    items = [
        InternalWithdrawal(
            row.uid, row.to_uid, str(row.withdraw_id), row.asset, SUCCESS,
            amount_text(node.asset(row.asset), row.amount), row.time // US_PER_MS,
            row.time // US_PER_MS,
        )
        for row in rows
    ]  # fmt: skip
    return InternalWithdrawals(items, total, size, page, pages, page < pages)
