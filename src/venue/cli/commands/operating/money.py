"""`venue faucet` and `transfer`: an operator moves money of owners."""

from __future__ import annotations

from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import Amount, Asset, Owner, Url, Wallet, WalletName, call, capital
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL


def faucet(
    name: Owner, wallet: Wallet, asset: Asset, amount: Amount, *, url: Url = DEFAULT_URL
) -> None:
    """Give an owner of a running venue virtual money."""
    body = {"owner": name, "wallet": wallet, "asset": asset, "amount": amount}
    moved = call(url, "deposit", body)
    tell(f"{name} {moved['wallet']} {moved['asset']} +{moved['amount']} -> {moved['after']}")


def transfer(
    name: Owner,
    source: Wallet,
    target: Annotated[WalletName, Parameter(converter=capital, help="The wallet it goes to.")],
    asset: Asset,
    amount: Amount,
    *,
    url: Url = DEFAULT_URL,
) -> None:
    """Move money between two wallets of one owner of a running venue."""
    body = {"owner": name, "from": source, "to": target, "asset": asset, "amount": amount}
    for moved in call(url, "transfer", body):
        tell(f"{name} {moved['wallet']} {moved['asset']} {moved['amount']} -> {moved['after']}")


COMMANDS: Final = {"faucet": faucet, "transfer": transfer}
