"""Shared by commands: calls to a running venue as its operator, tables, endings."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, Final, Literal, NoReturn, get_args

from cyclopts import Parameter

from venue.cli.printing import clean_line, tell
from venue.times import US_PER_MS, instant_text

REFUSED: Final = 2  # an exit code: an option or a file must be given or put in place in another way

Url = Annotated[str, Parameter(env_var="VENUE_URL", help="Address of the running venue.")]
Owner = Annotated[str, Parameter(help="Name of the owner.")]
Asset = Annotated[str, Parameter(help="The asset that moves, as USDT.")]
Amount = Annotated[str, Parameter(help="How much of it.")]
WalletName = Literal["SPOT", "CONTRACT", "FUNDING"]


def capital(kind: Any, tokens: Any) -> str:
    """A name of the interface in capitals, however it is typed."""
    name = str(tokens[0].value).upper()
    if name not in get_args(kind):
        raise ValueError(f"{tokens[0].value} is none of {', '.join(get_args(kind)).lower()}")
    return name


Wallet = Annotated[WalletName, Parameter(converter=capital, help="Which of the owner's wallets.")]
ProfileName = Literal["document", "live"]
Profiled = Annotated[
    ProfileName,
    Parameter(
        help="Follow the interface's document, or the live exchange, where they contradict each"
        " other."
    ),
]
UNBOUNDED_S: Final = 1e6  # of a call that may take as long as days of venue time
Symbol = Annotated[str, Parameter(help="Name of the market, as BTCUSDT.")]
Product = Annotated[
    Literal["SPOT", "CONTRACT"], Parameter(converter=capital, help="Spot or contract.")
]
Output = Annotated[Literal["text", "json"], Parameter(help="How to print.")]


def call(
    url: str,
    name: str,
    values: dict[str, Any] | None = None,
    *,
    timeout_s: float = 10.0,
) -> Any:
    """Call an operator or public operation by its name in the table.

    Ends the command with the venue's own words when it is refused.
    """
    from venue.api.documents.table import BY_NAME
    from venue.cli.clients import send_once
    from venue.cli.progress import working
    from venue.client.errors import FAILURES, words

    try:
        with working(name.replace("_", " ")):
            return send_once(url, BY_NAME[name], values or {}, timeout_s=timeout_s).value()
    except FAILURES as problem:
        die(words(problem))


def checked(url: str) -> str:
    """The address of a venue without a trailing slash. Ends the command when it is none."""
    from venue.client.errors import Misused
    from venue.client.http import address

    try:
        address(url)
    except Misused as problem:
        die(str(problem))
    return url.rstrip("/")


def show(columns: tuple[str, ...], rows: list[dict[str, Any]], output: str, nothing: str) -> None:
    """Print rows as a table, or as JSON with every field; `nothing` says that there are none."""
    if output == "json":
        tell(json.dumps(rows))
    else:
        tell(table(columns, rows) if rows else nothing)


def table(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    """Rows as aligned text under their names."""
    lines = [columns] + [tuple(clean_line(str(row[column])) for column in columns) for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def counted(count: int, noun: str) -> str:
    """A number of things: 1 order, 2 orders."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def moment(milliseconds: int) -> str:
    """A time in ms as text, in UTC."""
    return instant_text(milliseconds * US_PER_MS)


def die(reason: str, code: int = REFUSED) -> NoReturn:
    """End the command with words for its user."""
    tell(f"venue: {reason}", file=sys.stderr)
    sys.exit(code)
