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


class Balance:
    """Atoms of one asset in a spot wallet: `free`, and `locked` for open orders."""

    __slots__ = ("free", "locked")

    def __init__(self) -> None:
        self.free = 0
        self.locked = 0


class Account:
    """An owner: three wallets, its open orders and the client ids it used.

    Fee rates of -1 mean the symbol's own. `clients` holds open orders and those of the last day.
    """

    __slots__ = (
        "clients",
        "contract",
        "frozen",
        "funding",
        "maker_ppm",
        "name",
        "open_count",
        "orders",
        "self_trade",
        "spot",
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
        self.spot = [Balance() for _ in range(assets)]
        self.contract: list[int] = [0] * assets
        self.funding: list[int] = [0] * assets
        self.orders: dict[int, Order] = {}
        self.clients: dict[str, Order] = {}
        self.open_count: list[int] = [0] * markets

    def total(self, wallet: int, asset: int) -> int:
        """Free + locked atoms of one wallet."""
        locked = self.spot[asset].locked if wallet == SPOT else 0
        return self.free(wallet, asset) + locked

    def free(self, wallet: int, asset: int) -> int:
        """The atoms of one wallet that can be moved."""
        if wallet == SPOT:
            return self.spot[asset].free
        return self.contract[asset] if wallet == CONTRACT else self.funding[asset]

    def add(self, wallet: int, asset: int, amount: int) -> None:
        """One posting: a signed amount of atoms to what is free in a wallet."""
        if wallet == SPOT:
            self.spot[asset].free += amount
        elif wallet == CONTRACT:
            self.contract[asset] += amount
        else:
            self.funding[asset] += amount


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
            account.spot.append(Balance())
            account.contract.append(0)
            account.funding.append(0)

    def credit(self, account: Account, wallet: int, asset: int, amount: int) -> None:
        """Entry: external -> wallet; a negative amount is a withdrawal."""
        account.add(wallet, asset, amount)
        self.external[asset] -= amount

    def move(self, account: Account, *, source: int, target: int, asset: int, amount: int) -> None:
        """Entry: one wallet of an owner -> another."""
        account.add(source, asset, -amount)
        account.add(target, asset, amount)

    def hold(self, balance: Balance, amount: int) -> None:
        """Reserve free money for an open order."""
        balance.free -= amount
        balance.locked += amount

    def release(self, balance: Balance, amount: int) -> None:
        """Give a reservation back."""
        balance.locked -= amount
        balance.free += amount

    def settle(
        self,
        buyer_base: Balance,
        buyer_quote: Balance,
        seller_base: Balance,
        seller_quote: Balance,
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
            buyer_quote.free -= notional
            seller_base.locked -= base_amount
        else:
            buyer_quote.locked -= notional
            seller_base.free -= base_amount
        buyer_base.free += base_amount - base_fee
        seller_quote.free += notional - quote_fee
        self.fees[base] += base_fee
        self.fees[quote] += quote_fee

    def imbalance(self) -> dict[str, int]:
        """Per asset, the sum over all accounts where it is not zero: empty, always (rule 2.3)."""
        sums = [fee + outside for fee, outside in zip(self.fees, self.external, strict=True)]
        for account in self.accounts.values():
            for asset in range(len(sums)):
                for wallet in Wallet:
                    sums[asset] += account.total(wallet, asset)
        return {asset.name: total for asset, total in zip(self.assets, sums, strict=True) if total}
