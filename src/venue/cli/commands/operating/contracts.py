"""`venue index`, `crash`, `preview`, `delist` and `settle`: contracts of a running venue."""

from __future__ import annotations

from typing import Annotated, Any, Final

from cyclopts import Parameter

from venue.cli.commands.owners.raw import Values, parsed
from venue.cli.operator import Output, Url, call, counted, die, moment, show
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL

IDS_MAX: Final = 10  # order ids in a line

Contract = Annotated[str, Parameter(help="Name of the contract, as BTCUSDT.")]


def index(
    symbol: Annotated[str, Parameter(help="Name of the contract. Without it: all contracts.")] = "",
    price: Annotated[str, Parameter(help="Its price; 0 says that a source has none.")] = "",
    *,
    hold: Annotated[bool, Parameter(help="Hold the index there.", negative="")] = False,
    release: Annotated[bool, Parameter(help="Hold it no longer.", negative="")] = False,
    jump: Annotated[bool, Parameter(help="Have the index there at once.", negative="")] = False,
    source: Annotated[str | None, Parameter(help="Which of the posted sources.")] = None,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Post or hold the index of a contract; without a price, print the prices that are held or
    moving.

    The index goes there by at most its step a second, 0.3 % or 0.5 % by default. Agents follow a
    held index.
    """
    if release and (price or hold or jump or source):
        die("--release takes a symbol only")
    if (hold or jump or source or release) and not symbol:
        die("which contract? For instance venue index BTCUSDT 61000 --hold")
    if (hold or jump or source) and not price:
        die(f"at which price? For instance venue index {symbol} 61000 --hold")
    if release:
        told = call(url, "release_index", {"symbol": symbol})
        tell(f"{symbol} index {told['indexPrice']} follows its sources again")
    elif not price:
        _list(symbol, output, url)
    elif hold:
        if source is not None:
            die("--hold has a source of its own: leave --source out")
        told = call(url, "hold_index", {"symbol": symbol, "price": price, "jump": jump})
        tell(f"{symbol} index {told['indexPrice']}, held at {told['target']}{_doubt(told)}")
    else:
        body = {"symbol": symbol, "price": price, "jump": jump}
        told = call(url, "post_index", body | ({"source": source} if source is not None else {}))
        state = "current" if told["indexIsCurrent"] else "not current"
        tell(f"{symbol} index {told['indexPrice']} ({state}), mark {told['markPrice']}")


def crash(
    symbol: Contract,
    change: Annotated[str, Parameter(help="By how much: -8%, or +8%.", allow_leading_hyphen=True)],
    *,
    over: Annotated[str, Parameter(help="In which span of venue time: 1s to 1d.")] = "30s",
    url: Url = DEFAULT_URL,
) -> None:
    """Move the price of a contract and of its spot market down or up, and hold it there."""
    told = call(url, "crash", {"symbol": symbol, "change": change, "over": over})
    tell(f"{symbol} goes from {told['price']} to {told['target']} until {moment(told['until'])}")


def preview(symbol: Contract, *changes: Values, url: Url = DEFAULT_URL) -> None:
    """Print the effects that a change of a contract would have now; nothing is changed.

    The changes are the fields of POST /_venue/contracts/change.
    """
    if not changes:
        die(f"which change? For instance venue preview {symbol} takerFeeRate=0.0008")
    told = call(url, "preview_change", {"symbol": symbol} | parsed(list(changes)))
    if not told["accepted"]:
        die(told["refused"]["msg"])
    ended = counted(told["endedOrders"], "open order")
    tell(f"{symbol}: {ended} of {counted(told['owners'], 'owner')} would end")
    if told["orders"]:
        ids = [str(number) for number in told["orders"][:IDS_MAX]]
        rest = told["endedOrders"] - len(ids)
        tell(f"orders: {', '.join(ids)}" + (f" and {rest} more" if rest else ""))
    taken = counted(told["takenPositions"], "position")
    kept = told["keptPositions"]
    until = f" until {moment(told['formerTiersEnd'])}" if kept else ""
    tell(f"{taken} would take the new tiers, {kept} would keep the former ones{until}")


def delist(symbol: Contract, *, url: Url = DEFAULT_URL) -> None:
    """Announce the end of a contract: its orders only reduce from now on. That cannot be undone."""
    call(url, "delist_contract", {"symbol": symbol})
    tell(f"{symbol} is delisted: its orders only reduce. venue settle {symbol} PRICE ends it")


def settle(
    symbol: Contract,
    price: Annotated[str, Parameter(help="The price, near the last mark.")],
    *,
    url: Url = DEFAULT_URL,
) -> None:
    """Close all positions of a delisted contract at a price. That cannot be undone."""
    told = call(url, "settle_contract", {"symbol": symbol, "price": price})
    tell(f"{symbol} settles at {told['settlePrice']}")


def _list(symbol: str, output: str, url: str) -> None:
    rows = [row for row in call(url, "references") if symbol in ("", row["symbol"])]
    for row in rows if output == "text" else ():
        row["until"] = moment(row["until"]) if row["until"] else "-"
    columns = ("symbol", "held", "price", "target", "until", "indexPrice", "markPrice", "inDoubt")
    show(columns, rows, output, "no price is held or moving")


def _doubt(told: dict[str, Any]) -> str:
    return "; it catches up, until then orders may only reduce" if told["inDoubt"] else ""


COMMANDS: Final = {
    "index": index,
    "crash": crash,
    "preview": preview,
    "delist": delist,
    "settle": settle,
}
