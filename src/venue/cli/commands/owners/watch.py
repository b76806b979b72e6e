"""`venue watch`: one market on a full screen."""

from __future__ import annotations

from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.identity import demo_key
from venue.cli.operator import Product, Symbol, Url, die
from venue.client.defaults import DEFAULT_URL


def watch(
    symbol: Symbol,
    *,
    product: Product = "SPOT",
    name: Annotated[str, Parameter(name="--as", help="Demo account of the orders.")] = "alice",
    url: Url = DEFAULT_URL,
) -> None:
    """Show a running venue's book, last trades and own open orders on the full screen; q quits."""
    from venue.cli.watch import watch as show
    from venue.client.errors import FAILURES, words

    try:
        show(url, product, symbol, demo_key(name, url), name)
    except FAILURES as problem:
        die(words(problem))


COMMANDS: Final = {"watch": watch}
