"""Close whole positions at market (rule 5.1)."""

from __future__ import annotations

from typing import Final

from venue.core.commands import ClosePositions
from venue.core.contract import Contracts
from venue.core.contract_events import ClosedAtMarket
from venue.core.events import Event, Rejected
from venue.core.positions import Position
from venue.terms import MARKET, Cause, Reject

CLOSE: Final = int(Cause.CLOSE)


class Closing:
    """Closes what an owner names: one position, those of a symbol, or all."""

    __slots__ = ("contracts",)

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts

    def close(self, command: ClosePositions) -> list[Event]:
        """One `ClosedAtMarket` per position, behind what happened to it."""
        account = self.contracts.ledger.accounts.get(command.uid)
        if account is None:
            return [Rejected(Reject.OWNER_UNKNOWN)]
        if command.symbol and command.symbol not in self.contracts.markets:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        positions = [] if account.holding is None else list(account.holding.positions.values())
        if command.symbol:
            positions = [found for found in positions if found.perp.symbol == command.symbol]
        if command.position_id:
            positions = [found for found in positions if found.position_id == command.position_id]
            if not positions:
                return [Rejected(Reject.POSITION_UNKNOWN)]
        events: list[Event] = []
        for position in positions:
            events += self._close(position, command.time)
        return events

    def _close(self, position: Position, time: int) -> list[Event]:
        """Sweep, with other closing orders out of the way; without liquidity nothing is done."""
        contracts = self.contracts
        perp = position.perp
        position_id = position.position_id
        if not position.quantity:  # an earlier one of the same call was its counterparty
            return [ClosedAtMarket(position_id, 0, int(Reject.NOTHING_TO_CLOSE))]
        if perp.market.halted:
            return [ClosedAtMarket(position_id, 0, int(Reject.HALTED))]
        lots = min(position.quantity, perp.market.instrument.market_quantity_max)
        order = contracts.closing_order(position, MARKET, lots, 0, CLOSE, time)
        said = contracts.enter(order)
        first = said[0]
        if isinstance(first, Rejected):
            return [ClosedAtMarket(position_id, 0, first.reason)]
        return [*said, ClosedAtMarket(position_id, order.order_id, 0)]
