"""Accounts and balanced entries; the only place where money moves (rule 2.3).

Balances are lists of atoms by asset index. Every entry's postings sum to zero per asset: what an
owner gains, another account (owner, fees, external) loses.
"""

from __future__ import annotations

from typing import Final

from venue.core.instruments import Asset
from venue.core.orders import Order
from venue.terms import BUY, Wallet

SPOT: Final = int(Wallet.SPOT)
CONTRACT: Final = int(Wallet.CONTRACT)


class Account:
    """An owner: three wallets, its open orders and the client ids it used.

    Fee rates of -1 mean the symbol's own. `clients` holds open orders and those of the last day.
    """

    __slots__ = (
        "clients",
        "contract",
        "free",
        "frozen",
        "funding",
        "locked",
        "maker_ppm",
        "name",
        "open_count",
        "orders",
        "self_trade",
        "taker_ppm",
        "uid",
    )

    def __init__(self, uid: int, name: str, self_trade: int, assets: int, markets: int) -> None:
        self.uid = uid
        self.name = name
        self.self_trade = self_trade
        self.frozen = False
        self.maker_ppm = -1
        self.taker_ppm = -1
        self.free: list[int] = [0] * assets
        self.locked: list[int] = [0] * assets
        self.contract: list[int] = [0] * assets
        self.funding: list[int] = [0] * assets
        self.orders: dict[int, Order] = {}
        self.clients: dict[str, Order] = {}
        self.open_count: list[int] = [0] * markets

    def total(self, wallet: int, asset: int) -> int:
        """Free + locked atoms of one wallet."""
        if wallet == SPOT:
            return self.free[asset] + self.locked[asset]
        return self.wallet(wallet)[asset]

    def wallet(self, wallet: int) -> list[int]:
        """The free atoms of one wallet, by asset index."""
        if wallet == SPOT:
            return self.free
        return self.contract if wallet == CONTRACT else self.funding


class Ledger:
    """All balances. `external` is where deposits come from; its balances are negative."""

    __slots__ = ("accounts", "assets", "external", "fees", "index")

    def __init__(self) -> None:
        self.accounts: dict[int, Account] = {}
        self.assets: list[Asset] = []
        self.index: dict[str, int] = {}
        self.fees: list[int] = []
        self.external: list[int] = []

    def register(self, asset: Asset) -> None:
        """Make room for an asset in every account."""
        self.index[asset.name] = len(self.assets)
        self.assets.append(asset)
        self.fees.append(0)
        self.external.append(0)
        for account in self.accounts.values():
            account.free.append(0)
            account.locked.append(0)
            account.contract.append(0)
            account.funding.append(0)

    def credit(self, account: Account, wallet: int, asset: int, amount: int) -> None:
        """Entry: external -> wallet; a negative amount is a withdrawal."""
        account.wallet(wallet)[asset] += amount
        self.external[asset] -= amount

    def move(self, account: Account, *, source: int, target: int, asset: int, amount: int) -> None:
        """Entry: one wallet of an owner -> another."""
        account.wallet(source)[asset] -= amount
        account.wallet(target)[asset] += amount

    def hold(self, account: Account, asset: int, amount: int) -> None:
        """Reserve free money for an open order."""
        account.free[asset] -= amount
        account.locked[asset] += amount

    def release(self, account: Account, asset: int, amount: int) -> None:
        """Give a reservation back."""
        account.locked[asset] -= amount
        account.free[asset] += amount

    def settle(
        self,
        taker: Account,
        maker: Account,
        taker_side: int,
        base: int,
        quote: int,
        base_amount: int,
        notional: int,
        base_fee: int,
        quote_fee: int,
    ) -> None:
        """Entry of one fill: base and quote change hands, each receiver pays its fee (rule 4.2).

        The maker pays from what it locked, the taker from what is free.
        """
        if taker_side == BUY:
            taker.free[quote] -= notional
            taker.free[base] += base_amount - base_fee
            maker.locked[base] -= base_amount
            maker.free[quote] += notional - quote_fee
        else:
            taker.free[base] -= base_amount
            taker.free[quote] += notional - quote_fee
            maker.locked[quote] -= notional
            maker.free[base] += base_amount - base_fee
        self.fees[base] += base_fee
        self.fees[quote] += quote_fee

    def imbalance(self) -> dict[str, int]:
        """Per asset, the sum over all accounts where it is not zero: empty, always (rule 2.3)."""
        sums = [fee + outside for fee, outside in zip(self.fees, self.external, strict=True)]
        for account in self.accounts.values():
            for balances in (account.free, account.locked, account.contract, account.funding):
                for asset, amount in enumerate(balances):
                    sums[asset] += amount
        return {asset.name: total for asset, total in zip(self.assets, sums, strict=True) if total}
