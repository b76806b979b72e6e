"""The tables of affiliates: commissions, and money sent to other owners (rule 9)."""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, SmallInteger, Table, Text

from venue.history.schema.spot import METADATA, ROW_ID

# One row for each affiliate, invited owner, day, product and asset: the bill of its payment.
COMMISSIONS: Final = Table(
    "commissions",
    METADATA,
    Column("bill_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("affiliate", BigInteger, nullable=False),
    Column("uid", BigInteger, nullable=False),  # the owner that paid the fees
    Column("day", BigInteger, nullable=False),  # of the fees, since 1970
    Column("product", SmallInteger, nullable=False),
    Column("asset", Text, nullable=False),
    Column("fee", BigInteger, nullable=False),
    Column("commission", BigInteger, nullable=False),
    Column("rate_ppm", BigInteger, nullable=False),
    Column("maker", BigInteger, nullable=False),  # traded as maker, in atoms
    Column("taker", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
)
Index("commissions_of_affiliate", COMMISSIONS.c.affiliate, COMMISSIONS.c.day, COMMISSIONS.c.uid)

INTERNAL_WITHDRAWALS: Final = Table(
    "internal_withdrawals",
    METADATA,
    Column("withdraw_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("uid", BigInteger, nullable=False),
    Column("to_uid", BigInteger, nullable=False),
    Column("asset", Text, nullable=False),
    Column("source", SmallInteger, nullable=False),
    Column("target", SmallInteger, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
)
Index(
    "internal_withdrawals_of_owner", INTERNAL_WITHDRAWALS.c.uid, INTERNAL_WITHDRAWALS.c.time
)  # fmt: skip
