"""Contract money: income items, moves between pools, available money (rules 2.4, 5.2 to 5.6)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.margin import initial
from venue.core.contract.position import (
    available_in,
    equity,
    free_above,
    notional,
    profit,
    wallet,
)
from venue.core.contract.records import Holding, Pool, Position
from venue.core.contract.risk.ranking import Ranking
from venue.core.counters import Counters
from venue.core.ledger.accounts import Account
from venue.core.ledger.ledger import Ledger
from venue.core.messages.contract_events import Income
from venue.core.messages.events import Event
from venue.vocabulary import (
    INCOME_MARGIN_MOVE_IN,
    INCOME_MARGIN_MOVE_OUT,
    INCOME_ORDER_LIQUIDATE_FEE_INCOME,
    INCOME_TRANSFER_IN,
    INCOME_TRANSFER_OUT,
)

FEES_UID: Final = 1
FUND_UID: Final = 2
FEES_NAME: Final = "fees"
FUND_NAME: Final = "insurance-fund"
ITEM: Final = Income  # compiled, a name of another module is looked up at every use


class Collateral:
    """The contract side of one ledger. `holdings` are the owners' contract sides, by uid; `dirty`
    are the pools whose risk must be checked again.

    `fees` and `fund` are the pools by asset of the fee account and of the insurance fund; both are
    empty before the first contract. `ranking` keeps the positions in deleveraging order. `copied`:
    the command has traded for a lead or a follower; it is no state between commands.
    """

    __slots__ = ("copied", "counters", "dirty", "fees", "fund", "holdings", "ledger",
                 "ranking")  # fmt: skip

    def __init__(self, ledger: Ledger, counters: Counters) -> None:
        self.ledger = ledger
        self.counters = counters
        self.dirty: list[Pool] = []
        self.holdings: dict[int, Holding] = {}
        self.fees: list[Pool] = []
        self.fund: list[Pool] = []
        self.ranking = Ranking(FUND_UID)
        self.copied = False

    def holding(self, uid: int) -> Holding | None:
        """Return an owner's contract side; create it on first use. None: there is no such owner."""
        holding = self.holdings.get(uid)
        if holding is not None:
            return holding
        account = self.ledger.accounts.get(uid)
        return None if account is None else self.holding_of(account)

    def holding_of(self, account: Account) -> Holding:
        """Return an account's contract side; create it on first use."""
        holding = self.holdings.get(account.uid)
        if holding is None:
            holding = self.holdings[account.uid] = Holding(account)
        return holding

    def add_asset(self) -> None:
        """Add the newest asset to every owner's contract side."""
        for holding in self.holdings.values():
            holding.add_asset()

    def touch(self, pool: Pool) -> None:
        """Mark a pool's risk as changed."""
        if not pool.dirty:
            pool.dirty = True
            self.dirty.append(pool)

    def item(
        self, pool: Pool, kind: str, amount: int, symbol: str, fee: int = 0, reason: str = ""
    ) -> Income:
        """Return the income item of a movement that has just been made."""
        counters = self.counters
        bill_id = counters.bill
        counters.bill = bill_id + 1
        return ITEM(
            bill_id, pool.account.uid, pool.position_id,
            self.ledger.assets[pool.asset].name, symbol, kind, amount, pool.cash.collateral, fee,
            reason,
        )  # fmt: skip

    def move(self, source: Pool, target: Pool, amount: int, symbol: str) -> list[Event]:
        """Move collateral between two pools of one owner: two items (rule 5.5)."""
        assert source.holding is target.holding, f"{amount} atoms to somebody else's pool"
        assert amount >= 0, f"a move of {amount} atoms"
        self.ledger.exchange(source.cash, target.cash, amount)
        self.touch(source)
        self.touch(target)
        return [
            self.item(source, INCOME_MARGIN_MOVE_OUT, -amount, symbol),
            self.item(target, INCOME_MARGIN_MOVE_IN, amount, symbol),
        ]

    def fee_items(self, fees: Pool, fund: Pool, amount: int, symbol: str) -> list[Event]:
        """Return the items of a liquidation fee that the fee account passed on to the fund: the fee
        account's income, and its payment to the fund (rule 7.3)."""
        arrived = self.item(fees, INCOME_ORDER_LIQUIDATE_FEE_INCOME, amount, symbol)
        arrived.balance += amount  # it has left the fee account since
        return [
            arrived,
            self.item(fees, INCOME_TRANSFER_OUT, -amount, ""),
            self.item(fund, INCOME_TRANSFER_IN, amount, ""),
        ]

    def fund_holding(self, asset: int) -> Holding:
        """Return the contract side of the insurance fund, which any of its pools leads to."""
        return self.fund[asset].holding


def available(holding: Holding, asset: int) -> int:
    """Return the available money of an owner's cross pool (rule 5.6), in atoms."""
    return available_in(holding.cross(asset))


def keep_before_gift(holding: Holding, asset: int, *, given: bool) -> None:
    """Record how much of an owner's own money bears losses before its gift does (rule 9.2).

    Call it after a gift was `given`, or after money has left the contract wallet.
    """
    benefits = holding.account.benefits
    if benefits is None or not benefits.gift(asset):
        return
    pools = holding.pools_in(asset)
    own = sum([wallet(pool) for pool in pools])
    lost = own - sum([equity(pool) for pool in pools]) if given else 0
    benefits.keep_before(asset, lost, own - benefits.gift(asset))


def removable(position: Position) -> int:
    """Margin that can be taken out of an isolated position."""
    return free_above(position.pool, above_initial(position))


def above_initial(position: Position) -> int:
    """Return the part of an isolated position's wallet, less an unrealized loss, above its initial
    margin."""
    pool = position.pool
    own = pool.cash.collateral + position.side * position.value
    own += min(0, profit(position))
    return own - initial(notional(position), position.leverage)
