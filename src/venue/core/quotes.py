"""Moves the quotes of the venue's own makers in one market, in one command (rule 2.9)."""

from __future__ import annotations

from typing import Final

from venue.core.contract.orders import Contracts
from venue.core.messages.commands import (
    CancelContractOrder,
    CancelOrder,
    PlaceContractOrder,
    PlaceOrder,
)
from venue.core.messages.events import Event, Rejected
from venue.core.messages.quote_commands import MakerQuotes, MoveQuotes, Quote
from venue.core.spot.orders import Spot
from venue.vocabulary import LIMIT, POST_ONLY, PRODUCT_SPOT, Reject

REJECTED: Final = Rejected


class Quotes:
    """Moves makers' orders in both products; it has no state."""

    __slots__ = ("_contracts", "_spot")

    def __init__(self, spot: Spot, contracts: Contracts) -> None:
        self._spot = spot
        self._contracts = contracts

    def move(self, command: MoveQuotes) -> list[Event]:
        """Cancel, then place, with the same effect as the makers' own requests. A refused order has
        no event."""
        accounts = self._spot.ledger.accounts
        for maker in command.makers:
            account = accounts.get(maker.uid)
            if account is None or not account.agent:
                return [Rejected(Reject.OWNER_UNKNOWN)]
        events: list[Event] = []
        for maker in command.makers:
            for order_id in maker.canceled:
                events += self._cancel(command, maker, order_id)
        for maker in command.makers:
            for quote in maker.placed:
                events += self._place(command, maker, quote)
        return [event for event in events if type(event) is not REJECTED]

    def _cancel(self, command: MoveQuotes, maker: MakerQuotes, order_id: int) -> list[Event]:
        if command.product == PRODUCT_SPOT:
            return self._spot.cancel(CancelOrder(maker.uid, order_id, "", b"", command.time))
        return self._contracts.cancel(
            CancelContractOrder(maker.uid, order_id, "", b"", command.time)
        )

    def _place(self, command: MoveQuotes, maker: MakerQuotes, quote: Quote) -> list[Event]:
        if command.product == PRODUCT_SPOT:
            return self._spot.place(
                PlaceOrder(
                    maker.uid, command.symbol, quote.side, LIMIT, POST_ONLY,
                    quote.quantity, quote.price, "", b"", command.time,
                )
            )  # fmt: skip
        return self._contracts.place(
            PlaceContractOrder(
                maker.uid, command.symbol, quote.side, quote.position_side, LIMIT, POST_ONLY,
                quote.quantity, quote.price, "", b"", command.time,
            )
        )  # fmt: skip
