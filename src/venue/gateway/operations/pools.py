"""The money in an owner's contract pools, per asset: operations of both products tell it."""

from __future__ import annotations

from venue.core.contract.collateral import available
from venue.core.contract.position import wallet
from venue.core.contract.records import Holding


def wallet_of(holding: Holding, ordinal: int) -> int:
    """Return the wallets of all these pools together, in atoms."""
    return sum(wallet(pool) for pool in holding.pools_in(ordinal))


def available_of(holding: Holding, ordinal: int) -> int:
    """Return the atoms that the owner may use for orders or move away; 0 when losses are
    greater."""
    return max(0, available(holding, ordinal))
