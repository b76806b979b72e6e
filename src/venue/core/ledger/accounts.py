"""Accounts: an owner's balances, by wallet."""

from __future__ import annotations

from venue.core.ledger.benefits import Benefits
from venue.vocabulary import WALLET_CONTRACT, WALLET_SPOT


class Balance:
    """Atoms of one asset in a spot wallet: `free`, and `locked` for open orders."""

    __slots__ = ("free", "locked")

    def __init__(self) -> None:
        self.free = 0
        self.locked = 0


class Cash:
    """Atoms of one settle asset in a contract pool: its cash (rules 5.2, 5.5).

    Open orders hold `held` of a cross pool's `collateral`; `promised` is the notional of those that
    open.
    """

    __slots__ = ("asset", "collateral", "held", "promised")

    def __init__(self, asset: int) -> None:
        self.asset = asset
        self.collateral = 0
        self.held = 0
        self.promised = 0


class Account:
    """An owner: three wallets, and its settings.

    Fee rates of -1 stand for the symbol's. `contract` is the cash of its cross pools by asset,
    `isolated` that of its isolated ones by position id; `benefits` are the venue's grants to it, if
    there are any. `recorded`: private frames are numbered and stored even when no client is
    connected. `copies`: it leads, or has followed, in copy trading. `agent`: it is one of the
    venue's own agents; nobody has acted as it while it is not `recorded`.
    """

    __slots__ = (
        "agent",
        "benefits",
        "contract",
        "copies",
        "frozen",
        "funding",
        "isolated",
        "maker_ppm",
        "name",
        "recorded",
        "self_trade",
        "spot",
        "taker_ppm",
        "uid",
    )

    def __init__(self, uid: int, name: str, self_trade: int, assets: int) -> None:
        self.uid = uid
        self.name = name
        self.self_trade = self_trade
        self.agent = False
        self.frozen = False
        self.recorded = False
        self.copies = False
        self.maker_ppm = -1
        self.taker_ppm = -1
        self.spot = [Balance() for _ in range(assets)]
        self.contract = [Cash(asset) for asset in range(assets)]
        self.isolated: dict[int, Cash] = {}
        self.benefits: Benefits | None = None
        self.funding: list[int] = [0] * assets

    def total(self, wallet: int, asset: int) -> int:
        """Free + locked atoms of one wallet; of the contract wallet the cross collateral."""
        locked = self.spot[asset].locked if wallet == WALLET_SPOT else 0
        return self.free(wallet, asset) + locked

    def free(self, wallet: int, asset: int) -> int:
        """Return the atoms of one wallet that are not locked; for contract the cross collateral."""
        if wallet == WALLET_SPOT:
            return self.spot[asset].free
        return self.contract[asset].collateral if wallet == WALLET_CONTRACT else self.funding[asset]

    def add(self, wallet: int, asset: int, amount: int) -> None:
        """One posting: a signed amount of atoms to the free money of a wallet.

        The collateral alone may be negative: it is the cash leg of a pool's positions.
        """
        if wallet == WALLET_CONTRACT:
            self.contract[asset].collateral += amount
            return
        if wallet == WALLET_SPOT:
            self.spot[asset].free += amount
        else:
            self.funding[asset] += amount
        left = self.free(wallet, asset)
        assert left >= 0, f"{left} atoms left in wallet {wallet} of {self.name}"


def benefits_of(account: Account) -> Benefits:
    """Return an account's benefits; create them on first use."""
    benefits = account.benefits
    if benefits is None:
        benefits = account.benefits = Benefits()
    return benefits
