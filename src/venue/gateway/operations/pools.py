"""The money in an owner's contract pools, per asset: operations of both products tell it."""

from __future__ import annotations

from venue.core.contract.collateral import available
from venue.core.contract.position import wallet
from venue.core.ledger.accounts import Account, Pool


def pools_of(account: Account, ordinal: int) -> list[Pool]:
    """An owner's pools of one asset, the cross pool first."""
    isolated = [pool for pool in account.isolated.values() if pool.asset == ordinal]
    return [account.contract[ordinal], *isolated]


def wallet_of(account: Account, ordinal: int) -> int:
    """The wallets of all these pools together, in atoms."""
    return sum(wallet(pool) for pool in pools_of(account, ordinal))


def available_of(account: Account, ordinal: int) -> int:
    """The atoms that the owner may use for orders or move away; 0 when losses are greater."""
    return max(0, available(account, ordinal))
