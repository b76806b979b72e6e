"""Gifts, the fee discount and invitations: sets them, and makes the payments of each day (rule
9)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.collateral import (
    FEES_UID,
    FUND_UID,
    keep_before_gift,
)
from venue.core.contract.orders import Contracts
from venue.core.contract.prices_in_doubt import spare
from venue.core.copying.shares import COMMISSION_UID
from venue.core.ledger.accounts import Account, benefits_of
from venue.core.ledger.benefits import Accrual, Affiliate, Which
from venue.core.ledger.ledger import Ledger
from venue.core.messages.benefit_commands import (
    ChangeGift,
    Invite,
    JoinDiscount,
    SetAffiliate,
    SetDiscount,
)
from venue.core.messages.benefit_events import (
    AffiliateSet,
    CommissionPaid,
    DiscountJoined,
    DiscountSet,
    GiftChanged,
    Invited,
)
from venue.core.messages.events import Event, Rejected, WalletMoved
from venue.core.units import AMOUNT_MAX, DAY_US
from venue.vocabulary import (
    BILL_ORDER_FILL_FEE_INCOME,
    INCOME_TRANSFER_IN,
    INCOME_TRANSFER_OUT,
    PRODUCT_CONTRACT,
    REASON_INCREASE_CONTRACT_CASH_GIFT,
    REASON_REDUCE_CONTRACT_CASH_GIFT,
    REASON_REFUND_X_DISCOUNT_FEE,
    REASON_UNKNOWN_TRANSFER_REASON,
    WALLET_CONTRACT,
    WALLET_SPOT,
    Reject,
)

CHUNK: Final = 250  # owners paid by one slice
SHARE_MAX_PPM: Final = 500_000  # the most of a fee that a discount gives back, or a commission is
RESERVED: Final = (FEES_UID, FUND_UID, COMMISSION_UID)


class Rewards:
    """The payments that owners get for fees. `day` is the last one whose payments have started, in
    days since 1970 (0: none); `queue` are the owners that may still be owed payments for earlier
    days.

    `members` are the owners whose fees lead to payments, `codes` the affiliates by their codes.
    """

    __slots__ = ("codes", "collateral", "counters", "day", "ledger", "members", "queue")

    def __init__(self, ledger: Ledger, contracts: Contracts) -> None:
        self.ledger = ledger
        self.collateral = contracts.collateral
        self.counters = contracts.counters
        self.day = 0
        self.queue: list[int] = []
        self.members: dict[int, None] = {}
        self.codes: dict[str, int] = {}

    # -- gifts -----------------------------------------------------------------------------------

    def change_gift(self, command: ChangeGift) -> list[Event]:
        """Give a gift, or take back the part of its rest that is not needed as margin (rule
        9.2)."""
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.uid in RESERVED:
            return [Rejected(Reject.OWNER_RESERVED)]
        asset = self.ledger.ordinals.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        amount = command.amount
        assert type(amount) is int, command
        if not 0 < abs(amount) <= AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        if amount - self.ledger.external[asset] > AMOUNT_MAX:
            return [Rejected(Reject.SUPPLY_MAX, AMOUNT_MAX + self.ledger.external[asset])]
        if amount < 0:
            amount = -min(-amount, self._returnable(account, asset))
            if amount == 0:
                return [Rejected(Reject.FUNDS)]
        benefits = benefits_of(account)
        self.ledger.credit(account, WALLET_CONTRACT, asset, amount)
        benefits.give(asset, amount)
        holding = self.collateral.holding_of(account)
        if amount > 0:
            keep_before_gift(holding, asset, given=True)
        pool = holding.cross(asset)
        self.collateral.touch(pool)
        kind, reason = (
            (INCOME_TRANSFER_IN, REASON_INCREASE_CONTRACT_CASH_GIFT)
            if amount > 0
            else (INCOME_TRANSFER_OUT, REASON_REDUCE_CONTRACT_CASH_GIFT)
        )
        return [
            GiftChanged(account.uid, command.asset, amount, benefits.gift(asset)),
            self.collateral.item(pool, kind, amount, "", 0, reason),
        ]

    def _returnable(self, account: Account, asset: int) -> int:
        """Return the part of a gift that may leave the cross pool: orders and positions do not need
        it."""
        pool = self.collateral.holding_of(account).cross(asset)
        if account.benefits is None:
            return 0
        return max(0, min(account.benefits.gift(asset), spare(pool)))

    # -- taking part -----------------------------------------------------------------------------

    def set_discount(self, command: SetDiscount) -> list[Event]:
        """Set the terms from now on; payments for earlier fees stay owed."""
        terms = self.ledger.terms
        if not command.asset:
            terms.asset = -1
            terms.holding = terms.rate_ppm = 0
            return [DiscountSet("", 0, 0)]
        asset = self.ledger.ordinals.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        if not 0 < command.holding <= AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        if not 0 < command.rate_ppm <= SHARE_MAX_PPM:
            return [Rejected(Reject.FEE_RATE, SHARE_MAX_PPM)]
        terms.asset, terms.holding, terms.rate_ppm = asset, command.holding, command.rate_ppm
        return [DiscountSet(command.asset, command.holding, command.rate_ppm)]

    def join_discount(self, command: JoinDiscount) -> list[Event]:
        """Opt in or out; only fees paid from now on count."""
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.uid in RESERVED:
            return [Rejected(Reject.OWNER_RESERVED)]
        benefits_of(account).discount = command.on
        self._enrol(command.uid, command.time)
        return [DiscountJoined(command.uid, command.on)]

    def set_affiliate(self, command: SetAffiliate) -> list[Event]:
        """Make an owner an affiliate, or change its code and its shares of fees from now on."""
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.uid in RESERVED:
            return [Rejected(Reject.OWNER_RESERVED)]
        if self.codes.get(command.code, command.uid) != command.uid:
            return [Rejected(Reject.CODE_USED)]
        for ppm in (command.spot_ppm, command.contract_ppm):
            if not 0 <= ppm <= SHARE_MAX_PPM:
                return [Rejected(Reject.FEE_RATE, SHARE_MAX_PPM)]
        benefits = benefits_of(account)
        if benefits.affiliate is not None:
            del self.codes[benefits.affiliate.code]
        self.codes[command.code] = command.uid
        benefits.affiliate = Affiliate(command.code, command.spot_ppm, command.contract_ppm)
        return [
            AffiliateSet(command.uid, command.code, command.spot_ppm, command.contract_ppm)
        ]  # fmt: skip

    def invite(self, command: Invite) -> list[Event]:
        """Note who invited an owner; it cannot change later, and nobody invites itself."""
        account = self.ledger.accounts.get(command.uid)
        inviter = self.ledger.accounts.get(command.inviter)
        if account is None or inviter is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.uid in RESERVED or account.agent:
            return [Rejected(Reject.OWNER_RESERVED)]
        if inviter.benefits is None or inviter.benefits.affiliate is None:
            return [Rejected(Reject.NO_AFFILIATE)]
        benefits = benefits_of(account)
        if inviter is account or benefits.inviter:
            return [Rejected(Reject.INVITED_ALREADY)]
        benefits.inviter = command.inviter
        benefits.invited = command.time
        self._enrol(command.uid, command.time)
        return [Invited(command.uid, command.inviter)]

    def _enrol(self, uid: int, time: int) -> None:
        if not self.members:
            self.day = time // DAY_US
        self.members[uid] = None

    # -- the payments of a day -------------------------------------------------------------------

    def pass_time(self, time: int) -> list[Event]:
        """After 00:00 UTC, make the payments for earlier days, in bounded steps."""
        if not self.members:
            return []
        day = time // DAY_US
        if day != self.day:
            self.day = day
            self.queue = list(self.members)
            self.queue.reverse()
        events: list[Event] = []
        for _ in range(min(CHUNK, len(self.queue))):
            self._pay(self.ledger.accounts[self.queue.pop()], day, events)
        return events

    def _pay(self, account: Account, day: int, events: list[Event]) -> None:
        benefits = account.benefits
        if benefits is None:
            return
        benefits.close_days(day)
        owed = benefits.owed
        benefits.owed = []
        for since, which, accrual in owed:
            self._refund(account, which, accrual, events)
            self._commission(account, since, which, accrual, events)
            if accrual.refund or accrual.commission:  # the fee account was short of it
                benefits.owed.append((since, which, accrual))

    def _refund(
        self, account: Account, which: Which, accrual: Accrual, events: list[Event]
    ) -> None:
        asset = which[1]
        if not accrual.refund:
            return
        fees = self.collateral.fees[asset]
        amount = min(accrual.refund, max(0, fees.cash.collateral))
        if not amount:
            return
        accrual.refund -= amount
        pool = self.collateral.holding_of(account).cross(asset)
        self.ledger.exchange(fees.cash, pool.cash, amount)
        self.collateral.touch(pool)
        events.append(
            self.collateral.item(
                fees, INCOME_TRANSFER_OUT, -amount, "", 0, REASON_REFUND_X_DISCOUNT_FEE
            )
        )
        events.append(
            self.collateral.item(
                pool, INCOME_TRANSFER_IN, amount, "", 0, REASON_REFUND_X_DISCOUNT_FEE
            )
        )

    def _commission(
        self, account: Account, day: int, which: Which, accrual: Accrual, events: list[Event]
    ) -> None:
        product, asset = which
        benefits = account.benefits
        if not accrual.commission or benefits is None:
            return
        inviter = self.ledger.accounts[benefits.inviter]
        fees = self.collateral.fees[asset] if product == PRODUCT_CONTRACT else None
        there = fees.cash.collateral if fees is not None else self.ledger.fees[asset]
        if there < accrual.commission:
            return
        amount = accrual.commission
        rate = self.ledger.share_of(inviter.uid, product)
        name = self.ledger.assets[asset].name
        events.append(
            CommissionPaid(
                inviter.uid, account.uid, day, product, name, accrual.fee, amount, rate,
                accrual.maker, accrual.taker,
            )
        )  # fmt: skip
        self.ledger.pay_commission(inviter, asset, amount, None if fees is None else fees.cash)
        if fees is not None:
            events.append(
                self.collateral.item(
                    fees, INCOME_TRANSFER_OUT, -amount, "", 0, REASON_UNKNOWN_TRANSFER_REASON
                )
            )
        bill_id = self.counters.bill
        self.counters.bill = bill_id + 1
        after = inviter.total(WALLET_SPOT, asset)
        events.append(
            WalletMoved(
                bill_id, inviter.uid, WALLET_SPOT, name, BILL_ORDER_FILL_FEE_INCOME, amount, after
            )
        )
        accrual.commission = 0
