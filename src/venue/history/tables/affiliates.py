"""The tables of affiliates: commissions, and money sent to other owners (rule 9); and what can be
asked about invited owners.

Absent conditions are None (texts: empty).
"""

from __future__ import annotations

from msgspec import Struct

from venue.history.tables.table import PAST, TableRow


class CommissionRow(TableRow, frozen=True, gc=False):
    """One commission: `day` since 1970, money in atoms of `asset`, `time` of its payment in µs."""

    table = "commissions"
    key = ("bill_id",)
    indexes = ("commissions_of_affiliate (affiliate, day, uid)",)
    archivable = PAST

    bill_id: int
    affiliate: int
    uid: int  # the owner that paid the fees
    day: int
    product: int
    asset: str
    fee: int
    commission: int
    rate_ppm: int
    maker: int  # traded as maker, in atoms
    taker: int
    time: int


class WithdrawalRow(TableRow, frozen=True, gc=False):
    """Money that one owner sent to another; `amount` in atoms, `time` in µs."""

    table = "internal_withdrawals"
    key = ("withdraw_id",)
    indexes = ("internal_withdrawals_of_owner (uid, time)",)
    archivable = PAST

    withdraw_id: int
    uid: int
    to_uid: int
    asset: str
    source: int
    target: int
    amount: int
    time: int


class Activity(Struct, frozen=True, gc=False):
    """The first and last times (µs) of an owner's deposits and fills; 0: there is none."""

    first_deposit: int
    last_deposit: int
    first_trade: int
    last_trade: int


class CommissionsOf(Struct, frozen=True, gc=False):
    """Which commissions: of these affiliates, by payer of the fees, asset, product and day."""

    affiliates: list[int]
    first_day: int
    last_day: int
    uid: int | None = None
    asset: str = ""
    product: int | None = None


class EarnedSums(Struct, frozen=True, gc=False):
    """The sums of an affiliate's commissions of one owner, product and asset, in atoms."""

    uid: int
    product: int
    asset: str
    traded: int
    commission: int


class MoneyRow(Struct, frozen=True, gc=False):
    """One deposit (or, negative, withdrawal) of an owner, in atoms; `time` in µs."""

    uid: int
    asset: str
    amount: int
    time: int


class WithdrawalsOf(Struct, frozen=True, gc=False):
    """Which internal withdrawals: an owner's own, by id, asset, wallets and time."""

    uid: int
    start: int
    end: int
    withdraw_id: int | None = None
    asset: str = ""
    source: int | None = None
    target: int | None = None
