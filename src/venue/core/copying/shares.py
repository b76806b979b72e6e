"""Moves a lead's shares of its followers' profit: pre-deducted, settled daily (rule 9.4)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.collateral import (
    Collateral,
    keep_before_gift,
)
from venue.core.contract.position import equity
from venue.core.contract.prices_in_doubt import spare
from venue.core.contract.records import Pool
from venue.core.copying.people import Following
from venue.core.ledger.accounts import Account
from venue.core.messages.copy_events import CopySettled
from venue.core.messages.events import Event, OwnerCreated, OwnerFrozen
from venue.core.units import PPM, ceil_div, part_down
from venue.vocabulary import (
    INCOME_TRACKING_FOLLOW_BACK,
    INCOME_TRACKING_FOLLOW_PAY,
    INCOME_TRACKING_SYSTEM_PRE_RECEIVE,
    INCOME_TRACKING_THIRD_PARTY_SHARE,
    INCOME_TRACKING_TRADER_INCOME,
)

COMMISSION_UID: Final = 3
COMMISSION_NAME: Final = "copy-commission"


class Shares:
    """Moves shares between followers, the commission account and leads.

    The commission account exists from the first lead on, and is frozen: its money is not the
    venue's.
    """

    __slots__ = ("collateral",)

    def __init__(self, collateral: Collateral) -> None:
        self.collateral = collateral

    def open_account(self) -> list[Event]:
        """Create the commission account if it does not exist; its name is free."""
        ledger = self.collateral.ledger
        if COMMISSION_UID in ledger.accounts:
            return []
        ledger.open(COMMISSION_UID, COMMISSION_NAME).frozen = True
        return [
            OwnerCreated(COMMISSION_UID, COMMISSION_NAME), OwnerFrozen(COMMISSION_UID, frozen=True),
        ]  # fmt: skip

    def pre_deduct(self, following: Following, profit: int, symbol: str) -> tuple[int, list[Event]]:
        """Take the share of one close's profit, as far as the follower has it; return how much."""
        return self._take(following, part_down(profit, following.share_ppm, PPM), symbol)

    def settle(self, following: Following) -> list[Event]:
        """Settle one pair's day. The lead gets its share of the net result above the high-water
        mark, less the loss of open copies. The share that this loss hides stays pre-deducted until
        the loss is final; the rest of the pre-deductions returns. A gain whose share the follower
        could not pay stays above the mark, so it falls due again."""
        certain = following.net + following.open_loss()
        due = _share(following, certain)
        most = _share(following, following.net)
        events: list[Event] = []
        if most > following.prepaid:
            events += self._take(following, most - following.prepaid, "")[1]
        paid = min(due, following.prepaid)
        back = max(0, following.prepaid - most)
        if due and paid == due:
            following.high = certain
        elif due:
            reached = following.high + ceil_div(paid * PPM, following.share_ppm)
            following.high = min(certain, reached)
        following.prepaid -= paid + back
        following.today = 0
        if not paid and not back:
            return events
        lead = following.lead
        account = self._accounts()[lead.third_uid] if lead.third_uid else None
        third = part_down(paid, lead.third_ppm, PPM) if account is not None else 0
        commission = self._pool(self._accounts()[COMMISSION_UID], lead.asset)
        if paid:
            pool = lead.holding.cross(lead.asset)
            events += self._move(
                commission,
                pool,
                paid,
                (INCOME_TRACKING_SYSTEM_PRE_RECEIVE, INCOME_TRACKING_TRADER_INCOME),
                "",
            )
            third = min(third, max(0, equity(pool)))  # a pool in debt only receives
            if account is not None and third:
                other = self._pool(account, lead.asset)
                events += self._move(
                    pool,
                    other,
                    third,
                    (INCOME_TRACKING_THIRD_PARTY_SHARE, INCOME_TRACKING_THIRD_PARTY_SHARE),
                    "",
                )
        if back:
            own = following.holding.cross(lead.asset)
            events += self._move(
                commission,
                own,
                back,
                (INCOME_TRACKING_SYSTEM_PRE_RECEIVE, INCOME_TRACKING_FOLLOW_BACK),
                "",
            )
        uid = following.account.uid
        net, high = following.net, following.high
        events.append(CopySettled(uid, lead.account.uid, net, high, paid, third, back))
        return events

    def _take(self, following: Following, wanted: int, symbol: str) -> tuple[int, list[Event]]:
        """Move a follower's spare money to the commission account, at most `wanted`; nothing if it
        is frozen."""
        if following.account.frozen:
            return 0, []
        pool = following.holding.cross(following.lead.asset)
        benefits = following.account.benefits
        gift = 0 if benefits is None else benefits.gift(pool.asset)
        amount = min(wanted, spare(pool) - gift)
        if amount <= 0:
            return 0, []
        commission = self._pool(self._accounts()[COMMISSION_UID], following.lead.asset)
        following.prepaid += amount
        return amount, self._move(
            pool,
            commission,
            amount,
            (INCOME_TRACKING_FOLLOW_PAY, INCOME_TRACKING_SYSTEM_PRE_RECEIVE),
            symbol,
        )

    def _move(
        self, source: Pool, target: Pool, amount: int, kinds: tuple[str, str], symbol: str
    ) -> list[Event]:
        collateral = self.collateral
        collateral.ledger.exchange(source.cash, target.cash, amount)
        keep_before_gift(source.holding, source.asset, given=False)
        collateral.touch(source)
        collateral.touch(target)
        return [
            collateral.item(source, kinds[0], -amount, symbol),
            collateral.item(target, kinds[1], amount, symbol),
        ]

    def _accounts(self) -> dict[int, Account]:
        return self.collateral.ledger.accounts

    def _pool(self, account: Account, asset: int) -> Pool:
        return self.collateral.holding_of(account).cross(asset)


def _share(following: Following, result: int) -> int:
    """Return the lead's share of a result above the high-water mark, in atoms."""
    gain = result - following.high
    return part_down(gain, following.share_ppm, PPM) if gain > 0 else 0
