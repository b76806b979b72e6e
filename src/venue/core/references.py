"""Money movements with a reference: the same reference moves money once (rule 2.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from venue.core.contract.position import wallet
from venue.core.messages.benefit_commands import ChangeGift
from venue.core.messages.benefit_events import GiftChanged, MovementRepeated
from venue.core.messages.commands import Deposit, Transfer, Withdraw
from venue.core.messages.contract_events import Income
from venue.core.messages.events import Event, Rejected, WalletMoved
from venue.core.owners import Owners
from venue.core.rewards import Rewards
from venue.core.units import DAY_US
from venue.vocabulary import Reject

REFERENCES_MAX: Final = 100_000  # that are remembered; the oldest go first
FORGOTTEN_MAX: Final = 10  # by one command, of those that are too old
MEMORY_US: Final = 30 * DAY_US

Movement = Deposit | Withdraw | Transfer | ChangeGift


class KnownMovement:
    """A movement whose reference is remembered.

    `answer` has the bill and the balance after it of each wallet; for a gift, its amount and what
    is left.
    """

    __slots__ = ("answer", "content", "time")

    def __init__(self, time: int, content: str, answer: list[int]) -> None:
        self.time = time
        self.content = content
        self.answer = answer


class MoneyReferences:
    """`known` are the venue's remembered references, oldest first."""

    __slots__ = ("known", "owners", "rewards")

    def __init__(self, owners: Owners, rewards: Rewards) -> None:
        self.owners = owners
        self.rewards = rewards
        self.known: dict[str, KnownMovement] = {}

    def deposit(self, command: Deposit) -> list[Event]:
        """Credit a wallet, once."""
        content = f"deposit {command.uid} {command.wallet} {command.asset} {command.amount}"
        return self._once(command, content, lambda: self.owners.deposit(command))

    def withdraw(self, command: Withdraw) -> list[Event]:
        """Debit a wallet, once."""
        content = f"withdraw {command.uid} {command.wallet} {command.asset} {command.amount}"
        return self._once(command, content, lambda: self.owners.withdraw(command))

    def transfer(self, command: Transfer) -> list[Event]:
        """Move money between wallets, once."""
        content = (
            f"transfer {command.uid} {command.source} {command.target} {command.asset}"
            f" {command.amount}"
        )
        return self._once(command, content, lambda: self.owners.transfer(command))

    def change_gift(self, command: ChangeGift) -> list[Event]:
        """Give a gift or take it back, once."""
        content = f"gift {command.uid} {command.asset} {command.amount}"
        return self._once(command, content, lambda: self.rewards.change_gift(command))

    def _once(
        self, command: Movement, content: str, move: Callable[[], list[Event]]
    ) -> list[Event]:
        """Move the money, unless the reference is known: then it was moved before, or the reference
        belongs to another movement."""
        reference = command.reference
        if not reference:
            return move()
        known = self.known.get(reference)
        if known is not None and known.time > command.time - MEMORY_US:
            if known.content != content:
                return [Rejected(Reject.REFERENCE_USED)]
            return [MovementRepeated(known.answer[0])]
        events = move()
        if not isinstance(events[0], Rejected):
            self._remember(reference, KnownMovement(command.time, content, self._answer(events)))
        return events

    def _answer(self, events: list[Event]) -> list[int]:
        answer: list[int] = []
        for event in events:
            if isinstance(event, GiftChanged):
                return [event.amount, event.left]
            if isinstance(event, WalletMoved):
                answer += [event.bill_id, event.after]
            elif isinstance(event, Income):
                account = self.owners.ledger.accounts[event.uid]
                asset = self.owners.ledger.ordinals[event.asset]
                pool = self.owners.collateral.holding_of(account).cross(asset)
                answer += [event.bill_id, wallet(pool)]
        return answer

    def _remember(self, reference: str, moved: KnownMovement) -> None:
        known = self.known
        known.pop(reference, None)  # of more than 30 days ago
        known[reference] = moved
        gone = moved.time - MEMORY_US
        for _ in range(FORGOTTEN_MAX):
            oldest = next(iter(known))
            if len(known) <= REFERENCES_MAX and known[oldest].time > gone:
                break
            del known[oldest]
