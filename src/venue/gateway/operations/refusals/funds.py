"""What a refusal for want of money says: how much is needed, how much is free, of how much."""

from __future__ import annotations

from venue.api import errors
from venue.api.errors import ApiError
from venue.core.contract.collateral import available
from venue.core.messages.commands import PlaceOrder
from venue.core.spot.preview import needed
from venue.gateway.context import Venue
from venue.vocabulary import BUY
from venue.wire import amount_text


def spot_funds(venue: Venue, command: PlaceOrder) -> ApiError:
    """Of a spot order that its owner could not pay; the state is still that of the refusal."""
    market = venue.market(command.symbol)
    index = market.quote if command.side == BUY else market.base
    asset = venue.engine.ledger.assets[index]
    balance = venue.engine.account(command.uid).spot[index]
    need, free, wallet = (
        amount_text(asset, atoms)
        for atoms in (
            needed(venue.engine.spot, command), balance.free, balance.free + balance.locked,
        )
    )  # fmt: skip
    reason = f"{need} {asset.name} are needed, {free} of {wallet} in the spot wallet are free"
    return errors.failed_precondition(
        f"amount not enough: {reason}", item_code="INSUFFICIENT_BALANCE"
    )


def contract_money(venue: Venue, uid: int, symbol: str) -> str:
    """What is free in the wallet that a contract's orders are paid from, in words."""
    index = venue.perp(symbol).asset
    asset = venue.engine.ledger.assets[index]
    account = venue.engine.account(uid)
    free = amount_text(asset, max(0, available(account, index)))
    wallet = amount_text(asset, account.contract[index].collateral)
    return f", {free} of {wallet} in the contract wallet are free"
