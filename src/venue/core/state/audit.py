"""The invariants of rule 10 over a whole engine; for verification and tests, not for service."""

from __future__ import annotations

from venue.core.book.book import resting
from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.core.state import contract_audit, copying_audit
from venue.core.state.contract_audit import book_problems
from venue.vocabulary import BUY


def problems(engine: Engine) -> list[str]:
    """Return the broken invariants, in words; empty when every one holds."""
    found = [
        f"{asset}: the sum over all accounts is {amount}, not zero"
        for asset, amount in engine.ledger.imbalance().items()
    ]
    for account in engine.ledger.accounts.values():
        found += _account_problems(engine, account)
    found += contract_audit.problems(engine)
    found += copying_audit.problems(engine)
    found += _countdown_problems(engine)
    found += _benefit_problems(engine)
    for market in engine.spot.markets.values():
        found += book_problems(market)
        for half in (market.book.bids, market.book.asks):
            for order in resting(half):
                if order.terms.orders.get(order.order_id) is not order:
                    found.append(f"order {order.order_id} rests but is not its owner's")
    return found


def _countdown_problems(engine: Engine) -> list[str]:
    queue, running = engine.countdowns.queue, engine.countdowns.running
    found: list[str] = []
    if queue != sorted(queue):
        found.append("countdowns do not stand in their order")
    if {(uid, product): time for time, uid, product in queue} != running:
        found.append(f"countdowns {queue} are noted as {running}")
    for _, uid, _ in queue:
        if uid not in engine.ledger.accounts:
            found.append(f"a countdown is of uid {uid}, which is no owner's")
    return found


def _benefit_problems(engine: Engine) -> list[str]:
    found: list[str] = []
    for account in engine.ledger.accounts.values():
        benefits = account.benefits
        if benefits is None:
            continue
        for asset, gift in benefits.gifts.items():
            if not 0 <= gift.left <= gift.most or not gift.most or gift.before < 0:
                found.append(f"{account.name}: {gift.left} of {gift.most} are left of gift {asset}")
        promised = [accrual for _, _, accrual in benefits.owed] + list(benefits.today.values())
        for accrual in promised:
            if min(accrual.refund, accrual.commission, accrual.fee - accrual.commission) < 0:
                found.append(f"{account.name}: its fees promise more than they are, or less than 0")
        if (promised or benefits.inviter) and account.uid not in engine.rewards.members:
            found.append(f"{account.name}: nobody will pay what its fees promise")
    return found


def _account_problems(engine: Engine, account: Account) -> list[str]:
    found: list[str] = []
    required = [0] * len(engine.ledger.assets)
    for order in engine.spot_account(account.uid).orders.values():
        market = order.market
        if order.side == BUY:
            required[market.quote] += order.price * order.remaining * market.unit_atoms
        else:
            required[market.base] += order.remaining * market.lot_atoms
        if not 0 < order.remaining <= order.quantity:
            found.append(f"order {order.order_id}: {order.remaining} of {order.quantity} remain")
    for ordinal, asset in enumerate(engine.ledger.assets):
        spot = account.spot[ordinal]
        if spot.locked != required[ordinal]:
            found.append(
                f"{account.name} {asset.name}: locked {spot.locked},"
                f" its open orders require {required[ordinal]}"
            )
        balances = (spot.free, spot.locked, account.funding[ordinal])
        if min(balances) < 0:
            found.append(f"{account.name} {asset.name}: a balance is negative: {balances}")
    return found
