"""All that one command touched: orders, fills, money and positions."""

from __future__ import annotations

from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import ContractTrade, Leg, PositionClosed
from venue.core.messages.events import Event, Trade
from venue.recording.notes import ConditionalNote, OrderNote


class TouchedState:
    """All that a command touched, each once, in the order of its events. An asset is its
    ordinal."""

    __slots__ = (
        "cancels_end", "closed", "command", "contract_accounts", "contract_fills", "events",
        "orders", "positions", "spot_accounts", "spot_fills", "time",
    )  # fmt: skip

    def __init__(self, applied: Applied) -> None:
        self.command: Command = applied.command
        self.events: list[Event] = applied.events
        self.time = applied.time
        self.orders: dict[int, OrderNote | ConditionalNote] = {}
        self.spot_fills: list[tuple[int, Trade, bool]] = []
        self.contract_fills: list[tuple[ContractTrade, Leg, int]] = []
        self.spot_accounts: dict[tuple[int, int, str], None] = {}
        self.contract_accounts: dict[tuple[int, int, str], None] = {}
        self.positions: dict[tuple[int, int, str], None] = {}
        self.closed: dict[int, PositionClosed] = {}
        self.cancels_end = -1  # up to this place among the events, a countdown ends orders
