"""The fee account and the insurance fund trade as other owners do (rules 2.3, 2.4)."""

from __future__ import annotations

import pytest

from support.order_desk import BUY, CONTRACT, LONG, PLENTY, PRICE, SELL, SHORT, UNIT, Desk
from venue.core.contract.collateral import FEES_UID, FUND_UID
from venue.core.messages import commands
from venue.core.messages.contract_events import ContractTrade, Income

LOTS = 5
AMOUNT = LOTS * PRICE * UNIT
FEES = AMOUNT * 200 // 10**6 + AMOUNT * 600 // 10**6  # of the maker and of the taker


def desk_of(uid: int) -> Desk:
    """A desk at which a reserved owner has money and goes by the name `reserved`."""
    desk = Desk("ann")
    desk.uids["reserved"] = uid
    desk.ok(commands.Deposit(uid, CONTRACT, "USDT", PLENTY))
    return desk


@pytest.mark.parametrize("uid", [FEES_UID, FUND_UID])
@pytest.mark.parametrize(
    ("seller", "buyer"), [("ann", "reserved"), ("reserved", "ann"), ("reserved", "reserved")]
)
def test_its_trades_balance_and_its_items_chain(uid: int, seller: str, buyer: str) -> None:
    desk = desk_of(uid)
    before = {owner: desk.engine.account(owner).contract[0].collateral for owner in (uid, FEES_UID)}
    desk.rest(seller, SELL, SHORT, LOTS, PRICE)
    events = desk.place(buyer, BUY, LONG, LOTS, PRICE)
    (trade,) = [event for event in events if isinstance(event, ContractTrade)]
    (income,) = [event for event in events if isinstance(event, Income)]
    assert income.amount == FEES
    items = [(leg.bill_id, leg.uid, leg.amount, leg.balance) for leg in (trade.taker, trade.maker)]
    items.append((income.bill_id, income.uid, income.amount, income.balance))
    for bill_id, owner, amount, balance in sorted(items):
        if owner in before:
            before[owner] += amount
            assert balance == before[owner], bill_id
    for owner, balance in before.items():
        assert desk.engine.account(owner).contract[0].collateral == balance
    assert desk.engine.ledger.imbalance() == {}
