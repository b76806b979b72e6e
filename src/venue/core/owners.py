"""Owners and their wallets: create, freeze, fees, deposits, withdrawals, transfers (rule 2)."""

from __future__ import annotations

from venue.core.contract.collateral import (
    FEES_NAME,
    FUND_NAME,
    keep_before_gift,
)
from venue.core.contract.orders import Contracts
from venue.core.contract.prices_in_doubt import spare
from venue.core.ledger.accounts import Account
from venue.core.ledger.ledger import Ledger
from venue.core.messages.commands import (
    CreateOwner,
    Deposit,
    FreezeOwner,
    RecordStreams,
    SetFees,
    Transfer,
    Withdraw,
)
from venue.core.messages.events import (
    Event,
    FeesSet,
    OwnerCreated,
    OwnerFrozen,
    Rejected,
    StreamsRecorded,
    Transferred,
    WalletMoved,
)
from venue.core.units import AMOUNT_MAX, FIRST_ID, FIRST_UID, PPM
from venue.vocabulary import (
    REASON_UNKNOWN_TRANSFER_REASON,
    REASON_USER_TRANSFER,
    WALLET_CONTRACT,
    WALLET_FUNDING,
    BillKind,
    Product,
    Reject,
    SelfTrade,
)


class Owners:
    """The book of owners over one ledger."""

    __slots__ = ("collateral", "counters", "ledger", "next_transfer", "next_uid")

    def __init__(self, ledger: Ledger, contracts: Contracts) -> None:
        self.ledger = ledger
        self.collateral = contracts.collateral
        self.counters = contracts.counters
        self.next_uid = FIRST_UID
        self.next_transfer = FIRST_ID

    def create(self, command: CreateOwner) -> list[Event]:
        names = self.ledger.names
        if command.name in names:
            return [Rejected(Reject.OWNER_NAME_USED, names[command.name])]
        if command.name in (FEES_NAME, FUND_NAME):
            return [Rejected(Reject.OWNER_RESERVED)]
        assert SelfTrade(command.self_trade) is not None, command
        uid = self.next_uid
        self.next_uid = uid + 1
        account = self.ledger.open(uid, command.name, command.self_trade)
        account.agent = command.agent
        return [OwnerCreated(uid, command.name, command.agent)]

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
        if command.product == Product.CONTRACT:
            holding = self.collateral.holding_of(account)
            holding.maker_ppm = maker
            holding.taker_ppm = taker
        else:
            account.maker_ppm = maker
            account.taker_ppm = taker
        return [FeesSet(command.uid, maker, taker, command.product)]

    def deposit(self, command: Deposit) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        asset = self.ledger.ordinals.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        assert type(command.amount) is int, command
        assert 0 <= command.wallet <= WALLET_FUNDING, command
        if not 0 < command.amount <= AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        if command.amount - self.ledger.external[asset] > AMOUNT_MAX:
            return [Rejected(Reject.SUPPLY_MAX, AMOUNT_MAX + self.ledger.external[asset])]
        self.ledger.credit(account, command.wallet, asset, command.amount)
        return [
            self.movement_event(
                account,
                command.wallet,
                asset,
                BillKind.DEPOSIT,
                command.amount,
                REASON_UNKNOWN_TRANSFER_REASON,
            )
        ]

    def withdraw(self, command: Withdraw) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if account.frozen:
            return [Rejected(Reject.ACCOUNT_FROZEN)]
        asset = self.ledger.ordinals.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        assert type(command.amount) is int, command
        assert 0 <= command.wallet <= WALLET_FUNDING, command
        if not 0 < command.amount <= AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        if self.movable(account, command.wallet, asset) < command.amount:
            return [Rejected(Reject.FUNDS)]
        self.ledger.credit(account, command.wallet, asset, -command.amount)
        if command.wallet == WALLET_CONTRACT:
            keep_before_gift(self.collateral.holding_of(account), asset, given=False)
        return [
            self.movement_event(
                account,
                command.wallet,
                asset,
                BillKind.WITHDRAW,
                -command.amount,
                REASON_UNKNOWN_TRANSFER_REASON,
            )
        ]

    def transfer(self, command: Transfer) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if account.frozen:
            return [Rejected(Reject.ACCOUNT_FROZEN)]
        asset = self.ledger.ordinals.get(command.asset, -1)
        if asset < 0:
            return [Rejected(Reject.ASSET_UNKNOWN)]
        source, target, amount = command.source, command.target, command.amount
        assert type(amount) is int, command
        assert 0 <= source <= WALLET_FUNDING, command
        assert 0 <= target <= WALLET_FUNDING, command
        if not 0 < amount <= AMOUNT_MAX:
            return [Rejected(Reject.AMOUNT, AMOUNT_MAX)]
        if source == target:
            return [Rejected(Reject.WALLETS_EQUAL)]
        if self.movable(account, source, asset) < amount:
            return [Rejected(Reject.FUNDS)]
        self.ledger.move(account, account, source=source, target=target, asset=asset, amount=amount)
        if source == WALLET_CONTRACT:
            keep_before_gift(self.collateral.holding_of(account), asset, given=False)
        transfer_id = self.next_transfer
        self.next_transfer = transfer_id + 1
        return [
            Transferred(transfer_id, command.uid, command.asset, source, target, amount),
            self.movement_event(
                account, source, asset, BillKind.TRANSFER_OUT, -amount, REASON_USER_TRANSFER
            ),
            self.movement_event(
                account, target, asset, BillKind.TRANSFER_IN, amount, REASON_USER_TRANSFER
            ),
        ]

    def record_streams(self, command: RecordStreams) -> list[Event]:
        account = self.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if account.recorded:
            return []
        account.recorded = True
        return [StreamsRecorded(command.uid)]

    def movable(self, account: Account, wallet: int, asset: int) -> int:
        """Return the money that may leave a wallet; of the contract wallet its available money
        without gifts (rule 9.2)."""
        if wallet == WALLET_CONTRACT:
            gift = account.benefits.gift(asset) if account.benefits is not None else 0
            return spare(self.collateral.holding_of(account).cross(asset)) - gift
        return account.free(wallet, asset)

    def movement_event(
        self, account: Account, wallet: int, asset: int, kind: BillKind, amount: int, reason: str
    ) -> Event:
        """Return the bill of a movement, or the income item when it was the contract wallet's."""
        if wallet == WALLET_CONTRACT:
            pool = self.collateral.holding_of(account).cross(asset)
            self.collateral.touch(pool)
            return self.collateral.item(pool, kind.value, amount, "", 0, reason)
        bill_id = self.counters.bill
        self.counters.bill = bill_id + 1
        name = self.ledger.assets[asset].name
        after = account.total(wallet, asset)
        return WalletMoved(bill_id, account.uid, wallet, name, kind.value, amount, after)
