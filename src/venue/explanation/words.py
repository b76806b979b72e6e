"""Writes numbers of the core in the form in which readers know them, with their units."""

from __future__ import annotations

from typing import Any

from venue import texts
from venue.api.names import POSITION_SIDE_NAMES
from venue.core.book.book import Market
from venue.core.contract.position import mark_of, profit
from venue.core.contract.records import Perpetual, Position
from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages.commands import Command, PostIndex
from venue.core.messages.quote_commands import MoveQuotes


class ExplanationWords:
    """Speaks of one engine's owners, assets and markets."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def money(self, asset: int, atoms: int) -> str:
        """Return an amount with its asset."""
        found = self._engine.assets[asset]
        return f"{texts.amount_text(found, atoms)} {found.name}"

    def named_money(self, name: str, atoms: int) -> str:
        """Return the same, of an asset by its name."""
        return self.money(self._engine.ordinals[name], atoms)

    def owner(self, uid: int) -> str:
        """Return an owner's name."""
        account = self._engine.accounts.get(uid)
        return account.name if account is not None else f"owner {uid}"

    def instrument(self, symbol: str, *, contract: bool) -> Instrument:
        """Return the specification of a symbol in one product."""
        if contract:
            return self._engine.perps[symbol].market.instrument
        return self._engine.spot_markets[symbol].instrument

    def command(self, command: Command) -> str:
        """Return a command in a few words."""
        if isinstance(command, PostIndex):
            instrument = self.instrument(command.symbol, contract=True)
            price = texts.order_price_text(instrument, command.price)
            return f"PostIndex of {command.symbol} by {command.source} at {price}"
        if isinstance(command, MoveQuotes):
            return f"MoveQuotes of the venue's makers in {command.symbol}"
        uid = getattr(command, "uid", 0)
        return f"{type(command).__name__} of {self.owner(uid)}" if uid else type(command).__name__


def at_best(market: Market[Any], side: int, price: int) -> str:
    """Return where the other side of a book stood, and whether an order at `price` (0: any) reached
    it."""
    instrument = market.instrument
    best = market.book.best(side)
    if not best:
        return "Nobody offered the other side."
    told = f"The best price of the other side was {texts.price_text(instrument, best)}"
    if not price:
        return f"{told}."
    reached = market.book.crosses(side, price)
    return f"{told}: the order's {texts.price_text(instrument, price)} " + (
        "reached it." if reached else "did not reach it."
    )


def prices(perp: Perpetual) -> str:
    """Return a contract's prices."""
    instrument = perp.market.instrument
    mark, index, last = (
        texts.order_price_text(instrument, ticks)
        for ticks in (perp.mark, perp.index_price, perp.market.last_price)
    )
    return f"{perp.symbol}: mark price {mark}, index {index}, last trade {last}."


def held(words: ExplanationWords, position: Position) -> str:
    """Return a position at the present mark."""
    perp = position.perp
    instrument = perp.market.instrument
    return (
        f"{POSITION_SIDE_NAMES[position.side]}"
        f" {texts.quantity_text(instrument, position.quantity)} {perp.symbol}, opened at"
        f" {texts.average_text(perp, position.value, position.quantity)} on average, mark"
        f" {texts.price_text(instrument, mark_of(position))}, unrealized"
        f" {words.money(perp.asset, profit(position))}"
    )
