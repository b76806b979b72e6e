"""Owners and their wallets: create, freeze, fees, deposits, withdrawals, transfers (rule 2)."""

from __future__ import annotations

from typing import Final

from venue.core.commands import (
    CreateOwner,
    Deposit,
    FreezeOwner,
    SetFees,
    Transfer,
    Withdraw,
)
from venue.core.events import (
    Event,
    FeesSet,
    OwnerCreated,
    OwnerFrozen,
    Rejected,
    Transferred,
    WalletMoved,
)
from venue.core.ledger import Account, Ledger
from venue.core.spot import Spot
from venue.core.units import AMOUNT_MAX, FIRST_ID, PPM
from venue.terms import BillKind, Reject, SelfTrade, Wallet

FIRST_UID: Final = 10_000_001
FUNDING: Final = int(Wallet.FUNDING)


class Owners:
    """The book of owners over one ledger; bill ids come from the spot venue's counter."""

    __slots__ = ("ledger", "names", "next_transfer", "next_uid", "spot")

    def __init__(self, ledger: Ledger, spot: Spot) -> None:
        self.ledger = ledger
        self.spot = spot
        self.names: dict[str, int] = {}
        self.next_uid = FIRST_UID
        self.next_transfer = FIRST_ID

    def create(self, command: CreateOwner) -> list[Event]:
        if command.name in self.names:
            return [Rejected(Reject.OWNER_NAME_USED, self.names[command.name])]
        assert SelfTrade(command.self_trade) is not None, command
        uid = self.next_uid
        self.next_uid = uid + 1
        ledger = self.ledger
        ledger.accounts[uid] = Account(
            uid, command.name, command.self_trade, len(ledger.assets), len(self.spot.markets)
        )
        self.names[command.name] = uid
        return [OwnerCreated(uid, command.name)]

    def freeze(self, command: FreezeOwner) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        account.frozen = command.frozen
        return [OwnerFrozen(command.uid, command.frozen)]

    def set_fees(self, command: SetFees) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        maker, taker = command.maker_ppm, command.taker_ppm
        if (maker, taker) != (-1, -1) and not (0 <= maker < PPM and 0 <= taker < PPM):
            return [Rejected(Reject.FEE_RATE, PPM - 1)]
        account.maker_ppm = maker
        account.taker_ppm = taker
        return [FeesSet(command.uid, maker, taker)]

    def deposit(self, command: Deposit) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        asset = self.ledger.index.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        assert type(command.amount) is int, command
        assert 0 <= command.wallet <= FUNDING, command
        if not 0 < command.amount <= AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        if command.amount - self.ledger.external[asset] > AMOUNT_MAX:
            return [Rejected(Reject.SUPPLY_MAX, AMOUNT_MAX + self.ledger.external[asset])]
        self.ledger.credit(account, command.wallet, asset, command.amount)
        return [self._moved(account, command.wallet, asset, BillKind.DEPOSIT, command.amount)]

    def withdraw(self, command: Withdraw) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if account.frozen:
            return [Rejected(Reject.ACCOUNT_FROZEN)]
        asset = self.ledger.index.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        assert type(command.amount) is int, command
        assert 0 <= command.wallet <= FUNDING, command
        if not 0 < command.amount <= AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        if account.free(command.wallet, asset) < command.amount:
            return [Rejected(Reject.FUNDS)]
        self.ledger.credit(account, command.wallet, asset, -command.amount)
        return [self._moved(account, command.wallet, asset, BillKind.WITHDRAW, -command.amount)]

    def transfer(self, command: Transfer) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if account.frozen:
            return [Rejected(Reject.ACCOUNT_FROZEN)]
        asset = self.ledger.index.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        source, target, amount = command.source, command.target, command.amount
        assert type(amount) is int, command
        assert 0 <= source <= FUNDING, command
        assert 0 <= target <= FUNDING, command
        if not 0 < amount <= AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        if source == target:
            return [Rejected(Reject.WALLETS_EQUAL)]
        if account.free(source, asset) < amount:
            return [Rejected(Reject.FUNDS)]
        self.ledger.move(account, source=source, target=target, asset=asset, amount=amount)
        transfer_id = self.next_transfer
        self.next_transfer = transfer_id + 1
        return [
            Transferred(transfer_id, command.uid, command.asset, source, target, amount),
            self._moved(account, source, asset, BillKind.TRANSFER_OUT, -amount),
            self._moved(account, target, asset, BillKind.TRANSFER_IN, amount),
        ]

    def _moved(
        self, account: Account, wallet: int, asset: int, kind: BillKind, amount: int
    ) -> WalletMoved:
        bill_id = self.spot.next_bill
        self.spot.next_bill = bill_id + 1
        name = self.ledger.assets[asset].name
        after = account.total(wallet, asset)
        return WalletMoved(bill_id, account.uid, wallet, name, kind.value, amount, after)
