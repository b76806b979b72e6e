"""An owner's spot side beside its balances: its open orders, and the client ids that it used."""

from __future__ import annotations

from venue.core.book.book import Market, Order
from venue.core.ledger.accounts import Account


class SpotAccount:
    """One owner's spot side. `clients` has open orders and those of the last day by client id;
    `open_count` counts its open orders by market ordinal."""

    __slots__ = ("account", "clients", "open_count", "orders")

    def __init__(self, account: Account, markets: int) -> None:
        self.account = account
        self.orders: dict[int, Order[SpotAccount]] = {}
        self.clients: dict[str, Order[SpotAccount]] = {}
        self.open_count: list[int] = [0] * markets


SpotOrder = Order[SpotAccount]
SpotMarket = Market[SpotAccount]


def most_ppm(account: Account, market: SpotMarket) -> int:
    """Return the higher of an owner's two rates: an order that rests now never pays more (rule
    1.7)."""
    maker = account.maker_ppm if account.maker_ppm >= 0 else market.maker_ppm
    taker = account.taker_ppm if account.taker_ppm >= 0 else market.taker_ppm
    return maker if maker > taker else taker
