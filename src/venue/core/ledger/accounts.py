"""Accounts: what an owner has, by wallet, and its contract collateral by pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venue.core.book.orders import Order
from venue.core.ledger.benefits import Benefits
from venue.vocabulary import WALLET_CONTRACT, WALLET_SPOT

if TYPE_CHECKING:
    from venue.core.contract.account import Holding
    from venue.core.contract.position import Position, Sums


class Balance:
    """Atoms of one asset in a spot wallet: `free`, and `locked` for open orders."""

    __slots__ = ("free", "locked")

    def __init__(self) -> None:
        self.free = 0
        self.locked = 0


class Pool:
    """Contract collateral of one owner and settle asset: the cash leg (rules 5.2, 5.5).

    `position_id` is 0 for the cross pool, else the isolated position it belongs to. `positions`
    are those it carries, `gross` their open values without sign; `held` is what open orders hold of
    a cross pool, `promised` the notional of those that open. `dirty`, `guards`, `shortfall` and
    `since` belong to the watch over pools (rule 7.7); `sums` is what the positions add up to, None
    while not known.
    """

    __slots__ = (
        "account",
        "asset",
        "collateral",
        "dirty",
        "gross",
        "guards",
        "held",
        "position_id",
        "positions",
        "promised",
        "shortfall",
        "since",
        "sums",
    )

    def __init__(self, account: Account, asset: int, position_id: int) -> None:
        self.account = account
        self.asset = asset
        self.position_id = position_id
        self.collateral = 0
        self.held = 0
        self.gross = 0
        self.promised = 0
        self.sums: Sums | None = None
        self.positions: list[Position] = []
        self.dirty = False
        self.guards: list[tuple[int, int, int]] = []  # contract ordinal, direction, key
        self.shortfall = -1  # with which it stands in line for its liquidation; -1: it does not
        self.since = 0  # since when nobody can help it, as a running number; 0: it needs no help


class Account:
    """An owner: three wallets, its open orders and the client ids it used.

    Fee rates of -1 mean the symbol's own. `clients` holds open orders and those of the last day.
    `contract` are its cross pools by asset, `isolated` its isolated ones by position id; `holding`
    is the rest of its contract side, once it has used it, `benefits` what the venue grants it, once
    there is anything. `recorded`: private frames are numbered and stored even when no client is
    connected. `copies`: it leads, or has followed, in copy trading.
    """

    __slots__ = (
        "benefits",
        "clients",
        "contract",
        "copies",
        "frozen",
        "funding",
        "holding",
        "isolated",
        "maker_ppm",
        "name",
        "open_count",
        "orders",
        "recorded",
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
        self.recorded = False
        self.copies = False
        self.maker_ppm = -1
        self.taker_ppm = -1
        self.spot = [Balance() for _ in range(assets)]
        self.contract = [Pool(self, asset, 0) for asset in range(assets)]
        self.isolated: dict[int, Pool] = {}
        self.holding: Holding | None = None
        self.benefits: Benefits | None = None
        self.funding: list[int] = [0] * assets
        self.orders: dict[int, Order[None]] = {}
        self.clients: dict[str, Order[None]] = {}
        self.open_count: list[int] = [0] * markets

    def total(self, wallet: int, asset: int) -> int:
        """Free + locked atoms of one wallet; of the contract wallet the cross collateral."""
        locked = self.spot[asset].locked if wallet == WALLET_SPOT else 0
        return self.free(wallet, asset) + locked

    def free(self, wallet: int, asset: int) -> int:
        """The atoms of one wallet that are not locked; for contract the cross collateral."""
        if wallet == WALLET_SPOT:
            return self.spot[asset].free
        return self.contract[asset].collateral if wallet == WALLET_CONTRACT else self.funding[asset]

    def add(self, wallet: int, asset: int, amount: int) -> None:
        """One posting: a signed amount of atoms to what is free in a wallet.

        The collateral alone may be negative: it is the cash leg of what a pool has bought.
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
