"""Records owners' equity over time while venue time runs; nothing is journaled.

With the machine's own clock no time is run through: then only the moments of questions are
recorded.
"""

from __future__ import annotations

from collections import deque
from decimal import Decimal
from typing import Final

from venue.api.operation import Empty
from venue.client.errors import Misused
from venue.gateway.door import Call, Door
from venue.gateway.operations.contract.account import contract_balance
from venue.library.results import Equity
from venue.texts import amount_text, price_text
from venue.times import US_PER_MS, span_us

KEPT_MAX: Final = 100_000  # rows of one owner; older ones are dropped
OWNERS_MAX: Final = 100  # owners whose equity is recorded; others have only the present one
UNIT: Final = "USDT"  # the unit of equity
EQUITY_LEAST_US: Final = span_us("1s")


class EquityLog:
    """Records the worth of owners every `step_us` of venue time. It is used on the venue's loop."""

    def __init__(self, door: Door, step_us: int) -> None:
        self._door = door
        self._node = node = door.node
        self._step_us = step_us
        self._rows: dict[str, deque[Equity]] = {}
        self._noted = node.clock.now()

    def watch(self, owner: str) -> None:
        """Start to record an owner's worth."""
        if owner not in self._rows and len(self._rows) < OWNERS_MAX:
            rows = self._rows[owner] = deque(maxlen=KEPT_MAX)
            rows.append(self._worth(owner))

    def rows(self, owner: str) -> list[Equity]:
        """Return an owner's recorded worths, and its equity now."""
        self._go_back()
        now = self._worth(owner)
        noted = list(self._rows.get(owner, ()))
        if noted and noted[-1].ts == now.ts:
            noted.pop()
        return [*noted, now]

    def due(self) -> int | None:
        """Return the next time to record, in µs of venue time."""
        self._go_back()
        return (self._noted // self._step_us + 1) * self._step_us if self._rows else None

    def pass_time(self) -> None:
        """Record the worth of owners when it is due."""
        now = self._node.clock.now()
        due = self.due()
        if due is None or now < due:
            return
        self._noted = now
        for owner, rows in self._rows.items():
            rows.append(self._worth(owner))

    def _go_back(self) -> None:
        """Drop records of later than now, after the venue was reverted."""
        now = self._node.clock.now()
        if now >= self._noted:
            return
        self._noted = now
        for owner, rows in self._rows.items():
            kept = [row for row in rows if row.ts <= now // US_PER_MS]
            self._rows[owner] = deque(kept, maxlen=KEPT_MAX)

    def _worth(self, owner: str) -> Equity:
        node = self._node
        account = node.owner(owner)
        spot = Decimal(0)
        for ordinal, asset in enumerate(node.engine.assets):
            held = account.spot[ordinal].free + account.spot[ordinal].locked
            if held:
                spot += Decimal(amount_text(asset, held)) * self._price(asset.name)
        contract = Decimal(0)
        for money in contract_balance(Call(self._door, account.uid, b""), Empty()):
            contract += Decimal(money.balance) * self._price(money.asset)
        ts = node.clock.now() // US_PER_MS
        return Equity(ts=ts, owner=owner, equity=spot + contract, spot=spot, contract=contract)

    def _price(self, asset: str) -> Decimal:
        """Return the last price of an asset; 0 for one without a market."""
        if asset == UNIT:
            return Decimal(1)
        market = self._node.engine.spot_markets.get(asset + UNIT)
        if market is None:
            return Decimal(0)
        price = market.last_price
        if not price:
            price = self._node.market_data.spot.ticker(market.symbol, self._node.clock.now()).last
        return Decimal(price_text(market.instrument, price))


async def keep_up() -> None:
    """Do nothing: worths are recorded at once."""


def step_of(name: str, span: str) -> int:
    """Return a span of a parameter in µs. Misused."""
    try:
        step = span_us(span)
    except (ValueError, TypeError, AttributeError):
        raise Misused(f"{name} {span!r}: must be a span of time, as 1m") from None
    if step < EQUITY_LEAST_US:
        raise Misused(f"{name} {span!r}: must be 1s or more")
    return step
