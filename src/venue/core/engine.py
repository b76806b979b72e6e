"""apply(command) -> events: the one table from command type to rule, and read-only questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from venue.core.commands import (
    CancelOrder,
    CancelOrders,
    ChangeInstrument,
    ChangeSetting,
    Command,
    CreateOwner,
    Deposit,
    FreezeOwner,
    HaltInstrument,
    ListInstrument,
    PlaceOrder,
    RegisterAsset,
    SetFees,
    Tick,
    Transfer,
    Withdraw,
)
from venue.core.events import Event
from venue.core.ledger import Account, Ledger
from venue.core.listing import Listing
from venue.core.market import Market
from venue.core.owners import Owners
from venue.core.spot import Spot


class Engine:
    """The whole state of the venue. Deterministic: the same commands give the same events.

    `sequence` counts applied commands, `time` is the last command's (µs).
    """

    __slots__ = ("_handlers", "ledger", "listing", "owners", "sequence", "spot", "time")

    def __init__(self) -> None:
        self.sequence = 0
        self.time = 0
        self.ledger = Ledger()
        self.spot = Spot(self.ledger)
        self.owners = Owners(self.ledger, self.spot)
        self.listing = Listing(self.ledger, self.spot)
        self._handlers: dict[type, Callable[[Any], list[Event]]] = {
            CancelOrders: self.spot.cancel_all,
            Tick: self._tick,
            CreateOwner: self.owners.create,
            FreezeOwner: self.owners.freeze,
            SetFees: self.owners.set_fees,
            Deposit: self.owners.deposit,
            Withdraw: self.owners.withdraw,
            Transfer: self.owners.transfer,
            RegisterAsset: self.listing.register,
            ListInstrument: self.listing.list_instrument,
            ChangeInstrument: self.listing.change_instrument,
            HaltInstrument: self.listing.halt,
            ChangeSetting: self.listing.change_setting,
        }

    def apply(self, command: Command) -> list[Event]:
        """Apply one command; its time must not lie before the last one's."""
        time: int = command.time
        assert time >= self.time, (time, self.time)
        self.time = time
        self.sequence += 1
        # The two commands that matter for speed are called directly: mypyc then needs no wrapper.
        if type(command) is PlaceOrder:
            return self.spot.place(command)
        if type(command) is CancelOrder:
            return self.spot.cancel(command)
        return self._handlers[type(command)](command)

    def _tick(self, command: Tick) -> list[Event]:
        self.spot.expire_client_ids(command.time)
        return []

    # -- read-only questions ---------------------------------------------------------------------

    def account(self, uid: int) -> Account:
        """The owner with this uid; KeyError when there is none."""
        return self.ledger.accounts[uid]

    def market(self, symbol: str) -> Market | None:
        """The market of a symbol, or None."""
        return self.spot.markets.get(symbol)
