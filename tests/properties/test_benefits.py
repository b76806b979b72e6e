"""Random contract venues whose owners get gifts, discounts, commissions and fee tiers, and send
money to others: rule 10 after every command; models that hear events alone know gifts to the atom,
and each owner's rates."""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import pytest

from properties.fee_tiers import TierModel
from properties.length import walked
from support.benefit_walk import benefit
from support.contract_walk import FIRST_UID, FUND_UID, OWNERS, SECOND, START, UNIT, Walk
from venue.core.contract.collateral import FEES_UID, available
from venue.core.contract.records import Pool
from venue.core.engine import Engine
from venue.core.messages import benefit_commands, commands
from venue.core.messages.benefit_events import CommissionPaid, InternallyWithdrawn
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import ContractTrade, Income, Leg, PositionClosed
from venue.core.messages.events import Event, Rejected
from venue.core.state import audit, snapshot

pytestmark = pytest.mark.core

SEEDS = walked(range(int(os.environ.get("VENUE_BENEFIT_WALKS", "3"))))
LENGTH = 1_500
RELOAD_EVERY = 250
DAY = 86_400 * SECOND
TAKES = (FUND_UID, FEES_UID)
MOVES = ("withdraw", "transfer_in", "transfer_out")
Place = tuple[int, int, Command]  # seed, number, command
NEEDED = ("gifts", "refunds", "paid", "rates", "sent")


class Model:
    """Gifts as rule 9.2 says: `gifts` is uid -> (left, most, what bears losses before it); `held`
    the positions of an owner, `pools` the last balance of each of its pools."""

    def __init__(self) -> None:
        self.gifts: dict[int, tuple[int, int, int]] = {}
        self.held: dict[int, set[int]] = {}
        self.pools: dict[int, dict[int, int]] = {}
        self.fees = self.refunds = self.commissions = 0

    def hear(self, engine: Engine, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, ContractTrade):
                legs = (event.taker, event.maker)
                for leg in legs:
                    self._opens(leg)
                for leg in legs:
                    self._change(leg.uid, leg.realized - leg.fee)
                    self.fees += leg.fee
            elif isinstance(event, PositionClosed):
                self.held[event.uid].discard(event.position_id)
            elif isinstance(event, CommissionPaid):
                self.commissions += event.commission
            elif isinstance(event, Income):
                self._item(event)
                if event.uid in self.gifts and not event.symbol and event.kind in MOVES:
                    self._keep(engine, event)

    def _opens(self, leg: Leg) -> None:
        held = self.held.setdefault(leg.uid, set())
        owes = min(self.pools.get(leg.uid, {0: 0}).values()) < 0
        if leg.opens and not held and not owes and leg.uid in self.gifts:
            left, *_ = self.gifts[leg.uid]
            self.gifts[leg.uid] = (left, left, 0)
        if leg.opens:
            held.add(leg.position_id)

    def _item(self, item: Income) -> None:
        left, most, before = self.gifts.get(item.uid, (0, 0, 0))
        if "CASH_GIFT" in item.reason:
            self.gifts[item.uid] = (left + item.amount, most + item.amount, before)
        elif "REFUND" in item.reason and item.amount > 0:
            self.refunds += item.amount
        elif item.kind == "position_funding" or (
            item.kind == "order_fix_margin_amount" and item.uid != FUND_UID
        ):
            self._change(item.uid, item.amount)

    def _change(self, uid: int, amount: int) -> None:
        if not self.gifts.get(uid, (0, 0, 0))[1]:
            return
        left, most, before = self.gifts[uid]
        if amount < 0:
            self.gifts[uid] = (left - min(left, max(0, -amount - before)), most,
                               max(0, before + amount))  # fmt: skip
        else:
            over = max(0, left + amount - most)
            self.gifts[uid] = (left + amount - over, most, before + over)

    def _keep(self, engine: Engine, item: Income) -> None:
        """Gifts do not bear what was lost when they came; money that left bears nothing."""
        left, most, before = self.gifts[item.uid]
        pools = engine.holding(item.uid).pools_in(0)
        held = [position for pool in pools for position in pool.positions]
        own = sum(pool.cash.collateral for pool in pools)
        own += sum(position.side * position.value for position in held) - left
        if "INCREASE" in item.reason:
            worth = sum(
                position.side * position.quantity * position.perp.mark * position.perp.unit
                - position.side * position.value
                for position in held
            )
            before = max(before, -worth)
        left_wallet = item.amount < 0 and "REDUCE" not in item.reason
        if left and ("INCREASE" in item.reason or left_wallet):
            before = max(0, min(before, own))
        self.gifts[item.uid] = (left, most, before if most else 0)

    def look(self, engine: Engine) -> None:
        """Note what each pool holds, for debts."""
        for uid in engine.ledger.accounts:
            holding = engine.holding(uid)
            cross = holding.cross(0)
            pools = {0: cross.cash.collateral if not _carries(cross) else 0}
            for number, pool in holding.isolated.items():
                pools[number] = -1 if not pool.positions else 0
            self.pools[uid] = pools


def _carries(pool: Pool) -> bool:
    return bool(pool.positions)


def check(
    engine: Engine, model: Model, command: Command, events: list[Event], walked_to: Place
) -> None:
    """Rule 10, and gifts as the model knows them."""
    assert audit.problems(engine) == [], walked_to
    for account in engine.ledger.accounts.values():
        held = account.benefits.gift(0) if account.benefits is not None else 0
        assert held == model.gifts.get(account.uid, (0, 0, 0))[0], (walked_to, account.uid)
    if isinstance(command, commands.Withdraw) and not isinstance(events[0], Rejected):
        account = engine.account(command.uid)
        held = account.benefits.gift(0) if account.benefits is not None else 0
        if command.wallet == 1 and command.uid not in TAKES:
            assert available(engine.holding(command.uid), 0) >= held, walked_to
    assert engine.account(FEES_UID).contract[0].collateral >= 0
    assert model.refunds + model.commissions <= model.fees


def run(seed: int, found: Counter[str]) -> None:
    """Do one walk, and count its events in `found`."""
    walk, engine, model = Walk(seed, 50 * START * UNIT), Engine(), Model()
    rates = TierModel()
    random = Random(seed)
    opening = walk.opening()
    opening.append(
        benefit_commands.SetDiscount("AAA", 5, random.choice([50_000, 200_000, 500_000]))
    )
    for uid in (FIRST_UID, FIRST_UID + 1):
        opening.append(benefit_commands.SetAffiliate(uid, f"code{uid}", 100_000, 500_000))
    for command in opening:
        command.time = walk.time
        events = engine.apply(command)
        model.hear(engine, events)
        rates.hear(engine, command, events)
    for number in range(LENGTH):
        if random.random() < 0.2:
            command = benefit(random, FIRST_UID + random.randrange(OWNERS))
            command.time = walk.time
        else:
            if number % 150 == 149:
                walk.time += DAY
            command = walk.step(engine)
        if number % RELOAD_EVERY == 0:
            engine = snapshot.load(snapshot.dump(engine))
        model.look(engine)
        events = engine.apply(command)
        model.hear(engine, events)
        check(engine, model, command, events, (seed, number, command))
        rates.hear(engine, command, events)
        rates.check(engine)
        for event in events:
            found["sent"] += isinstance(event, InternallyWithdrawn)
            found["paid"] += isinstance(event, CommissionPaid)
    found["gifts"] += len(model.gifts)
    found["refunds"] += model.refunds
    found["rates"] += rates.changes


def test_random_gifts_discounts_commissions_and_tiers() -> None:
    found: Counter[str] = Counter()
    for seed in SEEDS:
        run(seed, found)
    assert {what for what in NEEDED if found[what] == 0} == set(), found
