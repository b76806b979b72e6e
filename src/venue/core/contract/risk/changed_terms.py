"""Applies a contract's new terms to its open orders and positions (rule 1.7).

A position keeps former tiers until it fits the new ones, at most seven days; meanwhile its owner
cannot open more in the contract. Open orders that do not fit end. Owners are visited in slices.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from venue.core.contract.conditional.waiting import end
from venue.core.contract.margin import Tiers
from venue.core.contract.orders import Contracts
from venue.core.contract.records import Modes, Perpetual
from venue.core.contract.safe_terms import position_most
from venue.core.contract.terms_change import TermsChange
from venue.core.contract.terms_fit import judge, judge_positions, take_tiers
from venue.core.instruments import Contract
from venue.core.messages.contract_events import ContractTermsTaken, FormerTiersKept
from venue.core.messages.events import Event
from venue.core.units import DAY_US, FIRST_UID
from venue.vocabulary import ALGO_EXPIRED, CAUSE_OPERATOR, EXPIRED

CHANGE_UNITS: Final = 250  # units of one slice or retry: an owner, one of its orders or positions
FORMER_US: Final = 7 * DAY_US  # former tiers end so long after the last change of tiers
LOOKED: Final = 16  # orders of an owner, of whatever contract, that cost as much as one unit
RESERVED_LAST: Final = 9  # uids up to here are the venue's own accounts, if any


class ChangeOutlook:
    """The effects that new terms would have: the ids of the orders that would `end`, and how many
    `owners` have them; the positions that would take new tiers, and those that would keep former
    ones."""

    __slots__ = ("end", "keep", "owners", "take")

    def __init__(self) -> None:
        self.end: list[int] = []
        self.owners = 0
        self.take = 0
        self.keep = 0


class ChangedTerms:
    """Applies changes of terms in slices over the contract side."""

    __slots__ = ("contracts",)

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts

    def begin(self, perp: Perpetual, contract: Contract, time: int) -> list[Event]:
        """Apply terms that were found allowed, and the first slice of their effects."""
        if perp.change is not None:  # only the sources of the index differ
            perp.configure(contract)
            return []
        tiers, most, default = perp.tiers, perp.position_max, perp.default_leverage()
        perp.former_end = former_end(perp, contract, time)
        perp.configure(contract)
        if perp.tiers is tiers and perp.position_max >= most:
            return []
        perp.change = TermsChange(default)
        return self.proceed(perp, perp.change, time)

    def delist(self, perp: Perpetual, time: int) -> list[Event]:
        """End the orders that a delisted contract no longer accepts: the first slice (rule 1.8)."""
        assert perp.change is None, f"a second change of {perp.symbol}"
        perp.change = TermsChange(perp.default_leverage())
        return self.proceed(perp, perp.change, time)

    def proceed(self, perp: Perpetual, change: TermsChange, time: int) -> list[Event]:
        """Check the next owners against a running change."""
        events: list[Event] = []
        accounts = self.contracts.ledger.accounts
        holdings = self.contracts.collateral.holdings
        units = CHANGE_UNITS
        while units > 0:
            uid = change.next
            if uid not in accounts and uid >= FIRST_UID:
                perp.change = None
                if not perp.former:
                    _forget_former(perp)
                done = ContractTermsTaken(perp.symbol, change.ended, change.owners, change.kept)
                return [*events, done]
            change.next = FIRST_UID if uid == RESERVED_LAST else uid + 1
            holding = holdings.get(uid)
            modes = None if holding is None else holding.modes.get(perp.ordinal)
            units -= 1
            if modes is not None:
                units -= self._visit(perp, change, modes, time, events)
        return events

    def retry(self, perp: Perpetual, time: int) -> None:
        """Try the new tiers again for positions on former tiers: some owners at a time, each with
        all its positions. Once former tiers have ended, the positions take the present ones,
        whether they fit or not."""
        ended = time >= perp.former_end and not perp.settles()
        units = CHANGE_UNITS
        tried: dict[Modes, None] = {}
        for number in list(islice(perp.former, CHANGE_UNITS)):
            position = perp.former.get(number)
            if position is None:  # it went with another one of its owner
                continue
            holding = position.pool.holding
            modes = holding.modes_in(perp)
            if modes in tried:
                continue
            if units <= 0:
                break
            tried[modes] = None
            units -= 1 + len(holding.positions)
            positions = modes.longs + modes.shorts
            found = positions if ended else judge_positions(modes, perp.tiers).take
            take_tiers(found, self.contracts.collateral)
            for position in positions:
                if perp.former.pop(position.position_id, None) is not None:
                    perp.former[position.position_id] = position
        if not perp.former and perp.change is None:
            if ended and perp.positions:  # leverages stay that are no longer allowed
                perp.limit_by_rate(perp.tiers.rates[0])
            else:
                _forget_former(perp)

    def _visit(
        self, perp: Perpetual, change: TermsChange, modes: Modes, time: int, events: list[Event]
    ) -> int:
        """Check one owner against the new terms; return the units of work."""
        if perp.delisted is not None:
            return self._end(perp, change, modes, time, events)
        in_use = modes.longs or modes.shorts or modes.open_orders
        if modes.standard(change.default) and not in_use:
            modes.cross = modes.long = modes.short = perp.default_leverage()
        uid = modes.pool.account.uid
        looked = len(modes.pool.holding.orders) // LOOKED if modes.open_orders else 0
        found = judge(modes, perp.tiers, perp.position_max)
        take_tiers(found.take, self.contracts.collateral)
        for position in found.keep:
            perp.former[position.position_id] = position
            events.append(FormerTiersKept(uid, perp.symbol, position.position_id, perp.former_end))
        for order in found.end:
            events.append(self.contracts.close(order, EXPIRED, time, CAUSE_OPERATOR))
        change.ended += len(found.end)
        change.owners += len(found.end) > 0
        change.kept += len(found.keep)
        held = len(modes.longs) + len(modes.shorts)
        return looked + modes.open_orders + len(found.end) + held

    def _end(
        self, perp: Perpetual, change: TermsChange, modes: Modes, time: int, events: list[Event]
    ) -> int:
        """End one owner's orders that open something in a delisted contract. When the contract
        settles, end all its orders. Return the units of work."""
        holding = modes.pool.holding
        settles = perp.settles()
        looked = (len(holding.orders) + (len(holding.algos) if settles else 0)) // LOOKED
        known = len(events)
        for order in list(holding.orders.values()):
            if order.market is perp.market and (settles or order.terms.opens):
                events.append(self.contracts.close(order, EXPIRED, time, CAUSE_OPERATOR))
        change.ended += len(events) - known
        change.owners += len(events) > known
        if settles:
            for algo in list(holding.algos.values()):
                if algo.perp is perp:
                    events.append(end(algo, ALGO_EXPIRED, time))
        return len(events) - known + looked


def keeps_former(perp: Perpetual) -> bool:
    """Return whether former terms still count in a contract; ticks check until when they do."""
    held = perp.least_ppm < perp.tiers.rates[0] or perp.leverage_most > perp.contract.leverage_max
    return held or len(perp.former) > 0


def _forget_former(perp: Perpetual) -> None:
    """Use the present terms alone: no position keeps former ones any more."""
    perp.limit_by_rate(perp.tiers.rates[0])
    perp.leverage_most = perp.contract.leverage_max


def former_end(perp: Perpetual, contract: Contract, time: int) -> int:
    """Return the time at which positions that do not fit a contract's terms must take them, in µs.
    A change of the tiers starts the full period again for all of them."""
    return perp.former_end if contract.tiers == perp.tiers.listed else time + FORMER_US


def foreseen(contracts: Contracts, contract: Contract) -> ChangeOutlook:
    """Return the effects that allowed terms of a listed contract would have now. Changes nothing:
    this is a question of the operator and no command. All owners are visited in one go, some 10 µs
    for one with two orders in the contract; commands wait meanwhile."""
    outlook = ChangeOutlook()
    perp = contracts.markets[contract.instrument.symbol]
    same = contract.tiers == perp.tiers.listed
    most = position_most(contract)
    if same and most >= perp.position_max:
        return outlook
    tiers = perp.tiers if same else Tiers(contract.tiers)
    holdings = contracts.collateral.holdings
    for uid in sorted(holdings):
        modes = holdings[uid].modes.get(perp.ordinal)
        if modes is None:
            continue
        found = judge(modes, tiers, most)
        outlook.end += [order.order_id for order in found.end]
        outlook.owners += len(found.end) > 0
        outlook.keep += len(found.keep)
        outlook.take += len(found.take)
    return outlook
