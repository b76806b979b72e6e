"""`venue positions` and `liquidations`, of all owners or of one."""

from __future__ import annotations

from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.identity import FIRST
from venue.cli.operator import Output, Url, call, moment, show
from venue.client.defaults import DEFAULT_URL


def positions(
    name: Annotated[str, Parameter(name="--as", help="Name of the owner.")] = FIRST,
    *,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Print an owner's open positions on a running venue."""
    rows = call(url, "operator_positions", {"owner": name})
    columns = (
        "symbol", "side", "size", "entryPrice", "markPrice", "liquidatePrice", "unrealizePnl",
        "asset", "leverage", "marginType", "id",
    )  # fmt: skip
    show(columns, rows, output, f"{name} has no open positions")


def liquidations(
    name: Annotated[str, Parameter(help="Name of the owner. Without it: all owners.")] = "", *,
    limit: Annotated[int, Parameter(help="At most so many.")] = 20,
    output: Output = "text", url: Url = DEFAULT_URL,
) -> None:  # fmt: skip
    """Print the newest liquidations on a running venue, of all owners or of one."""
    query = {"limit": str(limit)} | ({"owner": name} if name else {})
    rows = call(url, "liquidations", query)
    for row in rows if output == "text" else ():
        row["time"] = moment(row["time"])
    columns = (
        "id", "time", "owner", "symbol", "equity", "maintenance", "equityAfter", "fundEquity",
        "asset",
    )  # fmt: skip
    show(columns, rows, output, "no liquidations")


COMMANDS: Final = {"positions": positions, "liquidations": liquidations}
