"""The outcome of an order that was just placed, and the fills of an owner."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from venue.lab.credentials import Credentials

FILLS: Final = ("time", "symbol", "side", "price", "quantity", "value", "fee", "asset", "order")
FILLS_MAX: Final = 100  # of one question
OUTCOME_FILLS_MAX: Final = 1_000  # an order meets at most so many others


def outcome(
    account: Credentials, symbol: str, order_id: int, *, contract: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The order as it is now, and its fills. Refused: the key may not read;
    Unreachable."""
    from venue.cli.clients import ask

    name = "contract_order" if contract else "order"
    order: dict[str, Any] = ask(account, name, {"orderId": order_id})
    if Decimal(order["executedQty"]) == 0:
        return order, []
    return order, fills(account, symbol, contract=contract, order_id=order_id)


def sentence(order: dict[str, Any], met: list[dict[str, Any]]) -> str:
    """The outcome in words: how much was filled at which price and fee, and the order's status."""
    status = "open" if order["status"] == "NEW" else order["status"].lower().replace("_", " ")
    filled = sum((Decimal(fill["quantity"]) for fill in met), Decimal(0))
    if not filled:
        return f"{status}, nothing filled"
    value = sum((Decimal(fill["value"]) for fill in met), Decimal(0))
    fee = sum((Decimal(fill["fee"]) for fill in met), Decimal(0))
    # The mean of exact decimals may have no end: the price's digits and four more are enough.
    places = max(-int(Decimal(fill["price"]).as_tuple().exponent) for fill in met) + 4
    mean = _plain(round(value / filled, places))
    whole = Decimal(order["origQty"])
    of = "" if filled == whole else f" of {_plain(whole)}"
    said = "filled" if status == "filled" else f"{status}, filled"
    return f"{said} {_plain(filled)}{of} at {mean}, fee {_plain(fee)} {met[0]['asset']}"


def fills(
    account: Credentials, symbol: str | None, *, contract: bool, order_id: int | None = None
) -> list[dict[str, Any]]:
    """An owner's newest fills, newest first; of one order all of them."""
    from venue.cli.clients import ask

    values: dict[str, Any] = {} if symbol is None else {"symbol": symbol}
    if order_id is not None:
        values["orderId"] = order_id
    if contract:
        rows = ask(account, "user_trades", values | {"limit": FILLS_MAX})
        return [_contract_fill(row) for row in rows]
    limit = FILLS_MAX if order_id is None else OUTCOME_FILLS_MAX
    listed = ask(account, "exchange_info", values and {"symbol": values["symbol"]})["symbols"]
    assets = {row["symbol"]: (row["baseAsset"], row["quoteAsset"]) for row in listed}
    symbols = [symbol] if symbol is not None else list(assets)
    rows = [
        row
        for one in symbols
        for row in ask(account, "my_trades", values | {"symbol": one, "limit": limit})
    ]
    newest = sorted(rows, key=lambda row: int(row["id"]), reverse=True)[:limit]
    return [_spot_fill(row, assets[row["symbol"]]) for row in newest]


def _spot_fill(row: dict[str, Any], assets: tuple[str, str]) -> dict[str, Any]:
    base, quote = assets
    return {
        "time": row["time"],
        "symbol": row["symbol"],
        "side": "BUY" if row["isBuyer"] else "SELL",
        "price": row["price"],
        "quantity": row["qty"],
        "value": row["quoteQty"],
        "fee": row["commission"],
        "asset": base if row["isBuyer"] else quote,
        "order": str(row["orderId"]),
    }


def _contract_fill(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "time": row["time"],
        "symbol": row["symbol"],
        "side": f"{row['side']} {row['positionSide']}",
        "price": row["price"],
        "quantity": row["qty"],
        "value": row["quoteQty"],
        "fee": row["commission"],
        "asset": row["commissionAsset"],
        "order": str(row["orderId"]),
    }


def _plain(number: Decimal) -> str:
    """A number without exponent and without zeros at its end."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
