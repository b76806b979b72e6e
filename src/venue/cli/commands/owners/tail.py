"""`venue tail`: frames of channels as lines of JSON."""

from __future__ import annotations

from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.identity import demo_key
from venue.cli.operator import Product, Url, die
from venue.client.defaults import DEFAULT_URL


def tail(
    *channels: Annotated[str, Parameter(help="BTCUSDT@trade, BTCUSDT@depth15, orders, fill ...")],
    product: Product = "SPOT",
    name: Annotated[str, Parameter(name="--as", help="Demo account of private channels.")] = "",
    count: Annotated[int | None, Parameter(help="End after so many frames, 1 at least.")] = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Print a running venue's frames, one JSON line each: BTCUSDT@trade, orders ... ^C ends it."""
    from venue.cli.tail import tail as follow
    from venue.client.errors import FAILURES, words

    if not channels:
        die("which channels? For instance BTCUSDT@trade, or orders --as alice")
    if count is not None and count < 1:
        die(f"--count {count}: must be 1 or more")
    try:
        follow(url, product, list(channels), demo_key(name, url) if name else None, count)
    except FAILURES as problem:
        die(words(problem))


COMMANDS: Final = {"tail": tail}
