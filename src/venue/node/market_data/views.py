"""Market data folded from events: boards of both products, and the contracts' prices."""

from __future__ import annotations

from typing import Final

from venue.core import wide
from venue.core.messages.applied import Applied
from venue.core.messages.contract_events import (
    ContractListed,
    ContractOrderClosed,
    ContractOrderParked,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractOrderReturned,
    ContractTrade,
    FundingDue,
    MarkSet,
)
from venue.core.messages.events import Event, InstrumentListed, OrderClosed, OrderPlaced, Trade
from venue.core.messages.savepoints import StateDropped, StateKept, StateReverted
from venue.node.market_data.past import Past
from venue.node.market_data.product import Board
from venue.node.market_data.records import ViewRecord
from venue.node.market_data.reference import ContractData
from venue.vocabulary import CAUSES_OUTSIDE

PENDING_MAX: Final = 256  # applied commands that may wait for the next fold
EVENTS_MAX: Final = 1_000  # of theirs: folding more at once would keep orders waiting

_decoder: wide.Decoder[ViewRecord] = wide.Decoder(ViewRecord)


class MarketData:
    """A view computed from applied commands; every question first adds the commands that still
    wait.

    A symbol may be listed as both products: `spot` and `contract` answer for one each.
    `contract_data` has the data that only contracts have. The pasts provide the data from before
    the first trade of either product.
    """

    def __init__(self, past: Past | None = None, contract_past: Past | None = None) -> None:
        self._pending: list[Applied] = []
        self._events = 0  # of the commands that wait
        self._sequence = 0
        self._parked: dict[int, bool] = {}  # contract orders that are open, and in no book
        self._kept: dict[str, bytes] = {}  # by the name of a kept state: the view then
        self.spot = Board(self._fold, past)
        self.contract = Board(self._fold, contract_past)
        self.contract_data = ContractData(self._fold, contract_past)

    def follow(self, batch: list[Applied]) -> None:
        """Add a batch, in order of sequence; skip commands that the view already has."""
        self._pending.extend(batch)
        for applied in batch:
            self._events += len(applied.events)
        if len(self._pending) > PENDING_MAX or self._events > EVENTS_MAX:
            self._fold()

    def dump(self) -> bytes:
        """Return all data as msgpack, without the pasts."""
        self._fold()
        record = self._record()
        record.kept = list(self._kept.items())
        return wide.encode(record)

    def restore(self, data: bytes) -> None:
        """Replace everything by a dump; msgspec.ValidationError when `data` is no dump."""
        record = _decoder.decode(data)
        self._pending = []
        self._events = 0
        self._sequence = record.sequence
        self._kept = dict(record.kept)
        self._become(record)

    def _record(self) -> ViewRecord:
        record = ViewRecord(
            self._sequence, self.spot.dump(), self.contract.dump(), self.contract_data.dump()
        )
        record.parked = list(self._parked)
        return record

    def _become(self, record: ViewRecord) -> None:
        self._parked = dict.fromkeys(record.parked, True)
        self.spot.restore(record.spot)
        self.contract.restore(record.contract)
        self.contract_data.restore(record.contract_data)

    def _fold(self) -> None:
        if not self._pending:
            return
        for applied in self._pending:
            if applied.sequence > self._sequence:
                self._sequence = applied.sequence
                self._fold_one(applied)
        self._pending.clear()
        self._events = 0

    def _fold_one(self, applied: Applied) -> None:
        sequence = applied.sequence
        spot = self.spot
        for event in applied.events:
            if type(event) is Trade:
                spot.trade(sequence, applied.time, event)
            elif type(event) is OrderPlaced:
                if event.resting:
                    spot.change(sequence, event.symbol, event.side, event.price, event.resting)
            elif type(event) is OrderClosed:
                if event.resting:
                    spot.change(sequence, event.symbol, event.side, event.price, -event.resting)
            else:
                self._fold_other(sequence, applied.time, event)

    def _fold_other(self, sequence: int, time: int, event: Event) -> None:
        contract = self.contract
        if type(event) is ContractTrade:
            self.contract_data.trade(event)
            # The others happened outside the book.
            if event.cause not in CAUSES_OUTSIDE:
                contract.trade(sequence, time, event)
        elif type(event) is ContractOrderPlaced:
            if event.resting:
                contract.change(sequence, event.symbol, event.side, event.price, event.resting)
        elif type(event) is MarkSet:
            self.contract_data.mark(time, event)
        elif type(event) is ContractOrderClosed:
            if event.resting and not self._parked.pop(event.order_id, False):
                contract.change(sequence, event.symbol, event.side, event.price, -event.resting)
        elif type(event) is ContractOrderReduced:
            if event.order_id not in self._parked:
                contract.change(sequence, event.symbol, event.side, event.price, -event.quantity)
        elif type(event) is ContractOrderParked:
            self._parked[event.order_id] = True
            contract.change(sequence, event.symbol, event.side, event.price, -event.quantity)
        elif type(event) is ContractOrderReturned:
            del self._parked[event.order_id]
            contract.change(sequence, event.symbol, event.side, event.price, event.quantity)
        elif type(event) is FundingDue:
            self.contract_data.fund(event)
        elif type(event) is InstrumentListed:
            self.spot.open(event.instrument.symbol)
        elif type(event) is ContractListed:
            self.contract.open(event.contract.instrument.symbol)
            self.contract_data.open(event.contract.instrument.symbol)
        elif type(event) is StateKept:
            self._kept[event.name] = wide.encode(self._record())
        elif type(event) is StateReverted:
            self._become(_decoder.decode(self._kept[event.name]))
        elif type(event) is StateDropped:
            del self._kept[event.name]
