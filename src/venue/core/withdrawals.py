"""Internal withdrawals: an affiliate sends its own money to another owner (rule 9.6)."""

from __future__ import annotations

from typing import Final

from venue.core.ledger.accounts import Account
from venue.core.messages.benefit_commands import InternalWithdraw
from venue.core.messages.benefit_events import InternallyWithdrawn, MovementRepeated
from venue.core.messages.events import Event, Rejected
from venue.core.owners import Owners
from venue.core.rewards import RESERVED
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import CLIENT_ID_MEMORY_US, REASON_USER_TRANSFER, BillKind, Reject, Wallet

SENT_PER_OWNER_MAX: Final = 1_000  # client ids that are remembered; an owner's oldest go first
WALLETS: Final = (int(Wallet.SPOT), int(Wallet.FUNDING))

Content = tuple[int, int, int, str, int]  # receiver, wallets, asset, amount


class SentWithdrawal:
    """A withdrawal whose client id is remembered."""

    __slots__ = ("content", "time", "withdraw_id")

    def __init__(self, withdraw_id: int, time: int, content: Content) -> None:
        self.withdraw_id = withdraw_id
        self.time = time
        self.content = content


class Withdrawals:
    """`sent` are the withdrawals of the last day that had a client id, by owner, oldest first."""

    __slots__ = ("owners", "sent")

    def __init__(self, owners: Owners) -> None:
        self.owners = owners
        self.sent: dict[int, dict[str, SentWithdrawal]] = {}

    def withdraw(self, command: InternalWithdraw) -> list[Event]:
        """Send the money, or return why not; a repetition has no second effect."""
        ledger = self.owners.ledger
        account = ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        content = (
            command.to_uid, command.source, command.target, command.asset, command.amount,
        )  # fmt: skip
        known = self.sent.get(command.uid, {}).get(command.client_id)
        if known is not None and known.time > command.time - CLIENT_ID_MEMORY_US:
            if known.content == content:
                return [MovementRepeated(known.withdraw_id)]
            return [Rejected(Reject.CLIENT_ID_USED, known.withdraw_id)]
        receiver = ledger.accounts.get(command.to_uid)
        asset = ledger.ordinals.get(command.asset, -1)
        reason = self._refusal(account, receiver, asset, command)
        if reason or receiver is None:
            return [Rejected(reason, AMOUNT_MAX if reason == Reject.AMOUNT else 0)]
        ledger.move(
            account, receiver, source=command.source, target=command.target, asset=asset,
            amount=command.amount,
        )  # fmt: skip
        withdraw_id = self.owners.next_transfer
        self.owners.next_transfer = withdraw_id + 1
        if command.client_id:
            self._remember(command, SentWithdrawal(withdraw_id, command.time, content))
        moved, amount = self.owners.movement_event, command.amount
        return [
            InternallyWithdrawn(
                withdraw_id, command.uid, command.to_uid, command.asset, command.source,
                command.target, amount,
            ),
            moved(account, command.source, asset, BillKind.TRANSFER_OUT, -amount,
                  REASON_USER_TRANSFER),
            moved(receiver, command.target, asset, BillKind.TRANSFER_IN, amount,
                  REASON_USER_TRANSFER),
        ]  # fmt: skip

    def _refusal(
        self, account: Account, receiver: Account | None, asset: int, command: InternalWithdraw
    ) -> int:
        """Return the reason of a refusal; 0 when there is none."""
        assert type(command.amount) is int, command
        assert command.source in WALLETS, command
        assert command.target in WALLETS, command
        if account.frozen:
            return Reject.ACCOUNT_FROZEN
        if account.benefits is None or account.benefits.affiliate is None:
            return Reject.NO_AFFILIATE
        if receiver is None or receiver.uid in RESERVED:
            return Reject.RECEIVER_UNKNOWN
        if receiver is account:
            return Reject.RECEIVER_SELF
        if asset < 0:
            return Reject.ASSET_UNKNOWN
        if not 0 < command.amount <= AMOUNT_MAX:
            return Reject.AMOUNT
        if account.free(command.source, asset) < command.amount:
            return Reject.FUNDS
        return 0

    def _remember(self, command: InternalWithdraw, sent: SentWithdrawal) -> None:
        own = self.sent.setdefault(command.uid, {})
        own.pop(command.client_id, None)  # of more than a day ago
        own[command.client_id] = sent
        gone = command.time - CLIENT_ID_MEMORY_US
        while len(own) > SENT_PER_OWNER_MAX or own[next(iter(own))].time <= gone:
            del own[next(iter(own))]
