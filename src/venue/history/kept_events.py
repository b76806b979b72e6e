"""Leaves out of applied commands what history keeps no rows of: the trading of the venue's agents.

No owner can ask for the orders and fills of an agent, nor for the bills and income of its trades.
All else that happens to an agent is kept: deposits, withdrawals, transfers, funding, liquidations,
positions, copies. From the command on that records an agent, its rows are kept as those of every
owner (rule 2.8).
"""

from __future__ import annotations

from typing import Any, Final

from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.core.messages.applied import Applied
from venue.core.messages.commands import CreateOwner, RecordStreams
from venue.core.messages.contract_events import (
    ContractOrderClosed,
    ContractOrderParked,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractOrderReturned,
    ContractTrade,
)
from venue.core.messages.events import (
    Event,
    OrderClosed,
    OrderPlaced,
    OwnerCreated,
    StreamsRecorded,
    Trade,
)
from venue.core.messages.savepoints import RevertState, StateReverted
from venue.vocabulary import CAUSES_LIQUIDATING

# Commands after which there may be other agents.
SPECIAL: Final = frozenset({CreateOwner, RecordStreams, RevertState})
TRADES: Final = frozenset({Trade, ContractTrade})
ORDER_EVENTS: Final = frozenset(
    {
        OrderPlaced,
        OrderClosed,
        ContractOrderPlaced,
        ContractOrderClosed,
        ContractOrderParked,
        ContractOrderReduced,
        ContractOrderReturned,
    }
)


class KeptEvents:
    """Leaves agents' trading out of commands, which must be given in order. A `RevertState` must be
    given before the next command is applied."""

    __slots__ = ("_agents", "_engine")

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._agents = _unrecorded_owners(engine)

    def batch(self, batch: list[Applied]) -> list[Applied]:
        """Return the batch as history keeps it. A revert is alone in its batch."""
        return [self.of(done) for done in batch]

    def of(self, done: Applied) -> Applied:
        """Return a command as history keeps it."""
        kept = done
        agents = self._agents
        if agents:
            event: Any
            for event in done.events:
                kind = type(event)
                if kind in TRADES or (kind in ORDER_EVENTS and event.uid in agents):
                    kept = self._without(done)
                    break
        if type(done.command) in SPECIAL:
            self._follow(done.events)
        return kept

    def _without(self, done: Applied) -> Applied:
        """Return a command without what only agents did; it names those in its other trades."""
        agents = self._agents
        events: list[Any] = done.events
        if len(events) == 1 and type(events[0]) in ORDER_EVENTS:  # nearly always
            return Applied(done.sequence, done.time, done.command, [])
        kept: list[Event] = []
        among: dict[int, None] = {}
        for event in events:
            kind = type(event)
            if kind in TRADES:
                if kind is Trade:
                    taker, maker = event.taker_uid, event.maker_uid
                else:
                    taker, maker = event.taker.uid, event.maker.uid
                    if event.cause in CAUSES_LIQUIDATING:
                        taker = 0  # the story of a liquidation is told whoever it met
                if taker in agents:
                    if maker in agents:
                        continue
                    among[taker] = None
                elif maker in agents:
                    among[maker] = None
            elif kind in ORDER_EVENTS and event.uid in agents:
                continue
            kept.append(event)
        if not among and len(kept) == len(events):
            return done
        return Applied(done.sequence, done.time, done.command, kept, tuple(among))

    def _follow(self, events: list[Event]) -> None:
        """Note who is an agent from the next command on."""
        for event in events:
            if type(event) is OwnerCreated and event.agent:
                self._agents[event.uid] = None
            elif type(event) is StreamsRecorded:
                self._agents.pop(event.uid, None)
            elif type(event) is StateReverted:
                self._agents = _unrecorded_owners(self._engine)


def leaves_rows(account: Account) -> bool:
    """Return whether history keeps rows of an owner's trading from the next command on."""
    return account.recorded or not account.agent


def _unrecorded_owners(engine: Engine) -> dict[int, None]:
    accounts = engine.accounts.values()
    return {one.uid: None for one in accounts if not leaves_rows(one)}
