"""A follower of a recovery that keeps all events."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct, field

from venue.core.contract.collateral import FUND_UID
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.contract_events import LiquidationFinished
from venue.core.messages.events import Event

T = TypeVar("T")


class Told(Struct):
    """All events of a journal, from its first command on."""

    events: list[Event] = field(default_factory=list)

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None:
        assert engine.sequence == 0

    def note(self, applied: Applied) -> None:
        self.events += applied.events

    def follow(self, batch: list[Applied]) -> None: ...

    def of(self, kind: type[T]) -> list[T]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def victims(self) -> list[int]:
        """The owners whose pools were liquidated, in that order, without the fund."""
        return [event.uid for event in self.of(LiquidationFinished) if event.uid != FUND_UID]
