"""The ids that both products draw from the same numbers (rule 1.4)."""

from __future__ import annotations

from venue.core.units import FIRST_ID


class Counters:
    """The next ids; `order` also numbers conditional orders, positions and liquidations."""

    __slots__ = ("bill", "order", "trade")

    def __init__(self) -> None:
        self.bill = FIRST_ID
        self.order = FIRST_ID
        self.trade = FIRST_ID
