"""Converts the venue's grants to owners to records and back; see `snapshot`."""

from __future__ import annotations

import msgspec

from venue.core.engine import Engine
from venue.core.ledger.accounts import Account, benefits_of
from venue.core.ledger.benefits import Accrual, Affiliate, Benefits, Gift, Which


class AccrualRecord(msgspec.Struct, array_like=True, gc=False):
    """The payments owed for an owner's fees of a day in one product and asset."""

    day: int
    product: int
    asset: int
    fee: int
    refund: int
    commission: int
    maker: int
    taker: int


class BenefitsRecord(msgspec.Struct, array_like=True):
    """One owner's grants. `gifts` are asset, the rest, the amount to which profit restores it, and
    (if there is any) the money that bears losses before. An empty `code`: no affiliate."""

    uid: int
    gifts: list[tuple[int, ...]]
    discount: bool
    inviter: int
    invited: int
    code: str
    spot_ppm: int
    contract_ppm: int
    day: int
    today: list[AccrualRecord]
    owed: list[AccrualRecord]


class BenefitsState(msgspec.Struct, array_like=True):
    """All owners' grants, and the terms of the discount: asset ordinal, holding, rate."""

    terms: tuple[int, int, int]
    day: int
    queue: list[int]
    members: list[int]
    owners: list[BenefitsRecord]


def dump(engine: Engine) -> BenefitsState | None:
    """Return all grants; None while there are none."""
    rewards, terms = engine.rewards, engine.ledger.terms
    owners = [
        _record(account.uid, account.benefits)
        for account in engine.ledger.accounts.values()
        if account.benefits is not None and _any(account.benefits)
    ]
    if not owners and terms.asset < 0 and not rewards.members:
        return None
    return BenefitsState(
        (terms.asset, terms.holding, terms.rate_ppm), rewards.day, rewards.queue,
        list(rewards.members), owners,
    )  # fmt: skip


def load(engine: Engine, state: BenefitsState) -> None:
    """Load the grants into an engine."""
    terms, rewards = engine.ledger.terms, engine.rewards
    terms.asset, terms.holding, terms.rate_ppm = state.terms
    rewards.day = state.day
    rewards.queue = list(state.queue)
    rewards.members = dict.fromkeys(state.members)
    for record in state.owners:
        account = engine.ledger.accounts[record.uid]
        _load(account, record)
        if record.code:
            rewards.codes[record.code] = record.uid


def _any(benefits: Benefits) -> bool:
    return bool(
        benefits.gifts or benefits.discount or benefits.inviter or benefits.affiliate
        or benefits.today or benefits.owed
    )  # fmt: skip


def _record(uid: int, benefits: Benefits) -> BenefitsRecord:
    affiliate = benefits.affiliate or Affiliate("", 0, 0)
    return BenefitsRecord(
        uid,
        [_gift(asset, gift) for asset, gift in sorted(benefits.gifts.items())],
        benefits.discount,
        benefits.inviter,
        benefits.invited,
        affiliate.code,
        affiliate.spot_ppm,
        affiliate.contract_ppm,
        benefits.day if benefits.today else 0,
        [_accrual(benefits.day, which, one) for which, one in benefits.today.items()],
        [_accrual(day, which, one) for day, which, one in benefits.owed],
    )


def _gift(asset: int, gift: Gift) -> tuple[int, ...]:
    found = (asset, gift.left, gift.most)
    return (*found, gift.before) if gift.before else found


def _accrual(day: int, which: Which, accrual: Accrual) -> AccrualRecord:
    return AccrualRecord(
        day, *which, accrual.fee, accrual.refund, accrual.commission, accrual.maker, accrual.taker
    )


def _load(account: Account, record: BenefitsRecord) -> None:
    benefits = benefits_of(account)
    for asset, left, most, *before in record.gifts:
        gift = benefits.gifts[asset] = Gift()
        gift.left, gift.most = left, most
        gift.before = sum(before)
    benefits.discount = record.discount
    benefits.inviter = record.inviter
    benefits.invited = record.invited
    if record.code:
        benefits.affiliate = Affiliate(record.code, record.spot_ppm, record.contract_ppm)
    benefits.day = record.day
    for each in record.today:
        benefits.today[each.product, each.asset] = _restore_accrual(each)
    for each in record.owed:
        benefits.owed.append((each.day, (each.product, each.asset), _restore_accrual(each)))


def _restore_accrual(record: AccrualRecord) -> Accrual:
    accrual = Accrual()
    accrual.fee = record.fee
    accrual.refund = record.refund
    accrual.commission = record.commission
    accrual.maker = record.maker
    accrual.taker = record.taker
    return accrual
