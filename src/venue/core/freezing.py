"""Freezing: ends an owner's open orders, and blocks all its commands that move money (rule 2.7)."""

from __future__ import annotations

from venue.core.contract.orders import Contracts
from venue.core.messages.commands import CancelOrders, FreezeOwner
from venue.core.messages.events import Event, Rejected
from venue.core.owners import Owners
from venue.core.spot.orders import Spot
from venue.vocabulary import CANCELED, CAUSE_OPERATOR


class Freezing:
    """Freezes owners of both products. It has no state."""

    __slots__ = ("contracts", "owners", "spot")

    def __init__(self, owners: Owners, spot: Spot, contracts: Contracts) -> None:
        self.owners = owners
        self.spot = spot
        self.contracts = contracts

    def freeze(self, command: FreezeOwner) -> list[Event]:
        """Freeze an owner, which ends its open orders, or unblock it."""
        events = self.owners.freeze(command)
        if command.frozen and not isinstance(events[0], Rejected):
            events += end_spot_orders(self.spot, command.uid, command.time)
            holding = self.contracts.collateral.holding(command.uid)
            if holding is not None:
                for order in list(holding.orders.values()):
                    closed = self.contracts.close(order, CANCELED, command.time, CAUSE_OPERATOR)
                    events.append(closed)
        return events


def end_spot_orders(spot: Spot, uid: int, time: int) -> list[Event]:
    """Cancel an owner's open orders of all spot markets, as its own cancel-all does."""
    events: list[Event] = []
    own = spot.account_of(spot.ledger.accounts[uid])
    for symbol, market in spot.markets.items():
        if own.open_count[market.ordinal]:
            events += spot.cancel_all(CancelOrders(uid, symbol, time=time))
    return events
