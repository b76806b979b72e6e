"""A real venue, as its operator furnishes it: assets, a market, owners with money and keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.client import Client
from support.server import Server

SYMBOL = "BTCEUR"
MARKET = {
    "baseAsset": "BTC", "quoteAsset": "EUR", "tickSize": "0.01", "stepSize": "0.0001",
    "minTradeAmount": "0.0001", "maxTradeAmount": "100", "marketLimitSize": "10",
}  # fmt: skip
RIGHTS = ["READ", "SPOT_TRADE", "CONTRACT_TRADE"]


def real_venue(folder: Path) -> Server:
    """`venue serve` on a file of the folder."""
    return Server("--state", str(folder / "real.db"), folder=folder, command="serve")


def list_market(operator: Client) -> None:
    """One spot market and its two assets."""
    for asset in ("BTC", "EUR"):
        ok(operator, "assets", {"asset": asset, "scale": 8})
    ok(operator, "instruments", MARKET)


def new_owner(operator: Client, name: str, **money: str) -> dict[str, Any]:
    """An owner with money in its spot wallet; the key, as in a ready file."""
    ok(operator, "owners", {"name": name})
    for asset, amount in money.items():
        body = {"owner": name, "wallet": "SPOT", "asset": asset, "amount": amount}
        ok(operator, "deposit", body)
    return ok(operator, "keys", {"owner": name, "permissions": RIGHTS}) | {"name": name}


def ok(operator: Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """An operator's call that the venue takes; its answer."""
    answer = operator.post(f"/_venue/{path}", body)
    assert answer.status == 200, answer
    return dict(answer.json)
