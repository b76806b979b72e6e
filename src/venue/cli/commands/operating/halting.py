"""`venue halt` and `resume`: an operator stops a market, and lets it go on."""

from __future__ import annotations

from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import Product, Symbol, Url, call
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL

_ROWS: Final = {"SPOT": "", "CONTRACT": "_contract"}


def halt(
    symbol: Symbol,
    *,
    product: Product = "SPOT",
    reason: Annotated[str, Parameter(help="The reason, which the venue tells.")] = "",
    url: Url = DEFAULT_URL,
) -> None:
    """Halt a market of a running venue: it accepts cancels only."""
    call(url, f"halt{_ROWS[product]}", {"symbol": symbol, "reason": reason})
    tell(f"{symbol} ({product.lower()}) is halted")


def resume(symbol: Symbol, *, product: Product = "SPOT", url: Url = DEFAULT_URL) -> None:
    """Resume a halted market of a running venue: it accepts orders again."""
    call(url, f"resume{_ROWS[product]}", {"symbol": symbol})
    tell(f"{symbol} ({product.lower()}) takes orders")


COMMANDS: Final = {"halt": halt, "resume": resume}
