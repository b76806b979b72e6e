"""The premium indexes of the current minute's start, which the live exchange returns for the whole
minute."""

from __future__ import annotations

from msgspec import Struct

from venue.candles import MINUTE_US
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.funding import funding_rate
from venue.core.engine import Engine
from venue.core.messages.applied import Applied
from venue.core.messages.savepoints import StateReverted
from venue.node.market_data.reference import ContractData


class Premium(Struct, frozen=True):
    """Prices in ticks, and the coming funding rate in ppb."""

    mark: int
    index: int
    forecast: int


class MinutePremiums:
    """Follows applied commands: the first batch of a minute of venue time moves all premiums."""

    def __init__(self, engine: Engine, data: ContractData) -> None:
        self._engine = engine
        self._data = data
        self._minute = -1
        self._premiums: dict[str, Premium] = {}

    def of(self, perp: Perpetual) -> Premium:
        """Return the premium of a contract; that of now, for one that had no mark yet."""
        found = self._premiums.get(perp.symbol)
        if found is None or not found.mark:
            found = self._premiums[perp.symbol] = premium_now(perp, self._data, self._engine.time)
        return found

    def follow(self, batch: list[Applied]) -> None:
        """Look whether a batch starts another minute."""
        now = batch[-1].time
        if now // MINUTE_US != self._minute:
            self._begin(now)

    def go_back(self, event: StateReverted) -> None:
        """Set the minute to that of a restored state."""
        self._begin(event.time)

    def _begin(self, now: int) -> None:
        self._minute = now // MINUTE_US
        self._premiums = {
            perp.symbol: premium_now(perp, self._data, now) for perp in self._engine.perps.values()
        }


def premium_now(perp: Perpetual, data: ContractData, now: int) -> Premium:
    """Return the premium of a contract at a time of the venue, in µs."""
    prices = data.prices(perp.symbol)
    return Premium(prices.mark, prices.index, funding_rate(perp, now))
