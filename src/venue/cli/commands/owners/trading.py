"""`venue buy`, `sell`, `cancel`, `orders`, `fills`, `positions`, `balance`, `account`: trading as
an owner."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import Parameter

from venue.cli.identity import NOBODY, Who, acting
from venue.cli.operator import Output, Symbol, counted, die, moment, show, table
from venue.cli.printing import tell

if TYPE_CHECKING:
    from venue.lab.credentials import Credentials

PAGE: Final = 100
PAGES_MAX: Final = 100

OneMarket = Annotated[
    str | None, Parameter(help="One market; without it all, but for contracts in demo money.")
]
Quantity = Annotated[str, Parameter(help="How much, in base units: 0.01.")]
Price = Annotated[str | None, Parameter(help="Limit price. Without it: an order at market.")]
Contract = Annotated[bool, Parameter(help="Trade the perpetual contract, not spot.", negative="")]
Close = Annotated[
    bool, Parameter(help="With --contract: reduce a position, not open one.", negative="")
]
Force = Annotated[
    Literal["GTC", "IOC", "FOK", "POST_ONLY"],
    Parameter(name="--tif", help="With --price: how long the order is good."),
]
ClientId = Annotated[str | None, Parameter(help="A name of your own for the order.")]
As = Annotated[Who, Parameter(name="*")]

ORDERS: Final = (
    "symbol", "side", "positionSide", "type", "price", "quantity", "filled", "status", "id",
)  # fmt: skip
BALANCES: Final = ("wallet", "asset", "free", "locked", "unrealizedPnl")
POSITIONS: Final = ("symbol", "side", "size", "leverage", "marginType", "unrealizePnl", "asset")


def buy(
    symbol: Symbol, quantity: Quantity, *, price: Price = None, contract: Contract = False,
    close: Close = False, tif: Force = "GTC", client_id: ClientId = None, output: Output = "text",
    who: As = NOBODY,
) -> None:  # fmt: skip
    """Buy in a market of a running venue; with --contract, open a long or close a short."""
    values = _order("BUY", symbol, quantity, price, tif)
    _place(
        values, ("SHORT" if close else "LONG") if contract else "", client_id, output, who,
        close=close,
    )  # fmt: skip


def sell(
    symbol: Symbol, quantity: Quantity, *, price: Price = None, contract: Contract = False,
    close: Close = False, tif: Force = "GTC", client_id: ClientId = None, output: Output = "text",
    who: As = NOBODY,
) -> None:  # fmt: skip
    """Sell in a market of a running venue; with --contract, open a short or close a long."""
    values = _order("SELL", symbol, quantity, price, tif)
    _place(
        values, ("LONG" if close else "SHORT") if contract else "", client_id, output, who,
        close=close,
    )  # fmt: skip


def _order(side: str, symbol: str, quantity: str, price: str | None, tif: str) -> dict[str, str]:
    values = {"symbol": symbol.upper(), "side": side, "quantity": quantity, "type": "MARKET"}
    if price is not None:
        values |= {"type": "LIMIT", "price": price, "timeInForce": tif}
    elif tif != "GTC":
        die("--tif goes with --price: an order at market is done at once")
    return values


def _place(
    values: dict[str, str], leg: str, client_id: str | None, output: str, who: Who, *, close: bool
) -> None:
    from venue.cli.clients import ask
    from venue.cli.outcome import outcome, sentence
    from venue.client.errors import FAILURES, words

    if close and not leg:
        die("--close goes with --contract: only contracts have positions")
    if leg:
        values["positionSide"] = leg
    if client_id is not None:
        values["newClientOrderId"] = client_id
    with acting(who, "CONTRACT_TRADE" if leg else "SPOT_TRADE", "READ") as account:
        ack = ask(account, "place_contract_order" if leg else "place_order", values)
        if ack.get("success") is False:
            die(f"refused: {ack['errorMessage']}")
        if output == "json":
            tell(json.dumps(ack))
            return
        at = f"at {values['price']}" if "price" in values else "at market"
        what = f"{values['side']} {leg}".rstrip()
        taken = f"{what} {values['quantity']} {values['symbol']} {at}: order {ack['orderId']}"
        try:
            number = int(ack["orderId"])
            said = sentence(*outcome(account, values["symbol"], number, contract=bool(leg)))
        except FAILURES as problem:
            said = f"its outcome is not known: {words(problem)}"
    tell(f"{taken}, {said}")


def cancel(
    symbol: Symbol,
    order_id: Annotated[str | None, Parameter(help="Which one, from `venue orders`.")] = None,
    *,
    every: Annotated[
        bool, Parameter(name="--all", help="All open orders of the market.", negative="")
    ] = False,
    contract: Contract = False,
    who: As = NOBODY,
) -> None:
    """Cancel an open order, or all of one market, of a running venue."""
    if (order_id is None) != every:
        die("which order? Say its id, or --all")
    with acting(who, "CONTRACT_TRADE" if contract else "SPOT_TRADE") as account:
        if order_id is not None:
            _cancel_one(account, symbol.upper(), order_id, contract=contract)
        else:
            _cancel_all(account, symbol.upper(), contract=contract)


def _cancel_one(account: Credentials, symbol: str, order_id: str, *, contract: bool) -> None:
    from venue.cli.clients import ask

    if contract:
        done = ask(account, "cancel_contract_order", {"orderId": order_id})
        if not done["success"]:
            die(f"refused: {done['errorMessage']}")
    else:
        ask(account, "cancel_order", {"symbol": symbol, "orderId": order_id})
    tell(f"order {order_id} is canceled")


def _cancel_all(account: Credentials, symbol: str, *, contract: bool) -> None:
    from venue.cli.clients import ask

    names = ("cancel_contract_open_orders", "cancel_algos") if contract else ("cancel_open_orders",)
    done = [one for name in names for one in ask(account, name, {"symbol": symbol})]
    kept = [one for one in done if one.get("success") is False]
    tell(f"canceled {counted(len(done) - len(kept), 'order')}")
    if kept:
        die(f"not canceled: {counted(len(kept), 'order')}, {kept[0]['errorMessage']}")


def orders(
    symbol: OneMarket = None,
    *,
    contract: Contract = False,
    output: Output = "text",
    who: As = NOBODY,
) -> None:
    """Print an owner's open orders on a running venue, conditional ones among them."""
    with acting(who) as account:
        rows = _open(account, symbol.upper() if symbol is not None else None, contract=contract)
    show(ORDERS, rows, output, "no open orders")


def _open(account: Credentials, symbol: str | None, *, contract: bool) -> list[dict[str, Any]]:
    from venue.cli.clients import ask

    values: dict[str, Any] = {"symbol": symbol} if symbol is not None else {}
    if not contract:
        return [_plain(row) for row in ask(account, "open_orders", values)]
    found = [_plain(row) for row in _pages(account, "contract_open_orders", values, first=0)]
    return found + [_conditional(row) for row in _pages(account, "open_algos", values, first=1)]


def _pages(
    account: Credentials, name: str, values: dict[str, Any], *, first: int
) -> list[dict[str, Any]]:
    """All rows; the interface counts pages from 0 here and from 1 there."""
    from venue.cli.clients import ask

    found: list[dict[str, Any]] = []
    for page in range(first, first + PAGES_MAX):
        rows = ask(account, name, values | {"limit": PAGE, "page": page})
        found += rows
        if len(rows) < PAGE:
            break
    return found


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "symbol": row["symbol"],
        "side": row["side"],
        "positionSide": row.get("positionSide", ""),
        "type": row["type"],
        "price": row["price"],
        "quantity": row["origQty"],
        "filled": row["executedQty"],
        "status": row["status"],
        "id": str(row["orderId"]),
    }


def _conditional(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "symbol": row["symbol"],
        "side": row["side"],
        "positionSide": row["positionSide"],
        "type": row["orderType"],
        "price": row["triggerPrice"],
        "quantity": row["quantity"],
        "filled": "",
        "status": row["algoStatus"],
        "id": str(row["algoId"]),
    }


def fills(
    symbol: OneMarket = None,
    *,
    contract: Contract = False,
    output: Output = "text",
    who: As = NOBODY,
) -> None:
    """Print an owner's newest fills on a running venue: price, quantity and fee of each."""
    from venue.cli.outcome import FILLS
    from venue.cli.outcome import fills as newest

    with acting(who) as account:
        rows = newest(account, symbol.upper() if symbol is not None else None, contract=contract)
    for row in rows if output == "text" else ():
        row["time"] = moment(row["time"])
    show(FILLS, rows, output, "no fills")


def balance(*, output: Output = "text", who: As = NOBODY) -> None:
    """Print an owner's money in the spot and contract wallets of a running venue."""
    with acting(who) as account:
        rows = _balances(account)
    show(BALANCES, rows, output, "no money")


def _balances(account: Credentials) -> list[dict[str, Any]]:
    from venue.cli.clients import ask

    spot = [
        {"wallet": "SPOT", **row, "unrealizedPnl": ""}
        for row in ask(account, "account")["balances"]
    ]
    return spot + [
        {
            "wallet": "CONTRACT",
            "asset": row["asset"],
            "free": row["availableBalance"],
            "locked": row["frozen"],
            "unrealizedPnl": row["unrealizePnl"],
        }
        for name in ("contract_balance", "demo_balance")
        for row in ask(account, name)
    ]


def account(*, output: Output = "text", who: As = NOBODY) -> None:
    """Print an owner's balances, positions and open orders on a running venue."""
    from venue.cli.clients import ask

    with acting(who) as owner:
        told = {
            "uid": ask(owner, "account")["uid"],
            "balances": _balances(owner),
            "positions": ask(owner, "positions") + ask(owner, "demo_positions"),
            "orders": _open(owner, None, contract=False),
            "contractOrders": _open(owner, None, contract=True),
        }
    if output == "json":
        tell(json.dumps(told))
        return
    tell(f"uid {told['uid']}")
    columns = {"balances": BALANCES, "positions": POSITIONS}
    for name, title in (
        ("balances", "no money"),
        ("positions", "no open positions"),
        ("orders", "no open spot orders"),
        ("contractOrders", "no open contract orders"),
    ):
        tell()
        tell(table(columns.get(name, ORDERS), told[name]) if told[name] else title)


COMMANDS: Final = {
    "buy": buy,
    "sell": sell,
    "cancel": cancel,
    "orders": orders,
    "fills": fills,
    "balance": balance,
    "account": account,
}
