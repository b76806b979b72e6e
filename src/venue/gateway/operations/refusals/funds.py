"""Refusals for want of money: the needed amount, the free amount, and the whole wallet."""

from __future__ import annotations

from typing import Final

from venue.api import errors
from venue.api.errors import ApiError
from venue.api.names import WALLET_NAMES
from venue.core.contract.position import wallet as pool_wallet
from venue.core.contract.prices_in_doubt import doubtful
from venue.core.instruments import Asset
from venue.core.messages.benefit_commands import InternalWithdraw
from venue.core.messages.commands import PlaceOrder, Transfer, Withdraw
from venue.core.spot.preview import needed_atoms
from venue.gateway.operations.pools import available_of
from venue.node.node import Node
from venue.texts import amount_text
from venue.vocabulary import BUY, WALLET_CONTRACT

DOUBT: Final = (
    "amount not enough: the price of an open position is in doubt (its index is old, or jumped); "
    "nothing leaves the contract wallet until it is known again"
)


def spot_funds(node: Node, command: PlaceOrder) -> ApiError:
    """Return the error of an order that its owner could not pay; the state is still the
    refusal's."""
    market = node.market(command.symbol)
    ordinal = market.quote if command.side == BUY else market.base
    asset = node.engine.assets[ordinal]
    balance = node.engine.account(command.uid).spot[ordinal]
    return _short(
        asset, needed_atoms(node.engine.spot, command), balance.free, balance.free + balance.locked,
        "spot",
    )  # fmt: skip


def wallet_funds(node: Node, command: Withdraw | Transfer | InternalWithdraw) -> ApiError:
    """Return the error of money that could not leave a wallet; the state is still the refusal's."""
    ledger = node.engine.ledger
    ordinal = ledger.ordinals[command.asset]
    wallet = command.wallet if isinstance(command, Withdraw) else command.source
    account = node.engine.account(command.uid)
    if wallet != WALLET_CONTRACT:
        total = account.total(wallet, ordinal)
    else:
        cross = node.engine.holding(command.uid).cross(ordinal)
        if doubtful(cross):
            return errors.failed_precondition(DOUBT, item_code="INSUFFICIENT_BALANCE")
        total = pool_wallet(cross)  # the cash leg alone lacks the cost of positions
    free = max(0, node.engine.owners.movable(account, wallet, ordinal))
    return _short(ledger.assets[ordinal], command.amount, free, total, WALLET_NAMES[wallet].lower())


def _short(asset: Asset, need: int, free: int, total: int, wallet: str) -> ApiError:
    texts = [amount_text(asset, atoms) for atoms in (need, free, total)]
    reason = f"{texts[0]} {asset.name} are needed, {texts[1]} of {texts[2]} in the {wallet} wallet"
    return errors.failed_precondition(
        f"amount not enough: {reason} are free", item_code="INSUFFICIENT_BALANCE"
    )


def contract_money(node: Node, uid: int, symbol: str) -> str:
    """Return the free amount in the wallet that pays for a contract's orders, in words."""
    ordinal = node.perp(symbol).asset
    asset = node.engine.assets[ordinal]
    holding = node.engine.holding(uid)
    free = amount_text(asset, available_of(holding, ordinal))
    wallet = amount_text(asset, pool_wallet(holding.cross(ordinal)))
    return f", {free} of {wallet} in the contract wallet are free"
