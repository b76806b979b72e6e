"""What time and prices do to contracts: marks, funding, triggers, liquidations (rules 6, 7)."""

from __future__ import annotations

from typing import Final

from venue.core.algos import forget_ended
from venue.core.commands import PostIndex
from venue.core.contract import Contracts
from venue.core.contract_events import MarkSet
from venue.core.events import Event, Rejected
from venue.core.funding import CHUNK, Funding
from venue.core.index import SPOT_SOURCE, follow_spot, post, price_most
from venue.core.liquidation import Liquidation
from venue.core.perpetual import Perpetual
from venue.core.positions import equity, maintenance
from venue.core.prices import refresh, sample
from venue.core.triggers import Triggers
from venue.core.watch import Watch
from venue.terms import Reject

LIQUIDATIONS_MAX: Final = 20  # pools per command; the rest on the next one (rule 7.6)


class Schedule:
    """Works off what is due. `ticked` is the time of the last tick (µs), 0 before the first.

    `pending` says that more is due than one command may do: a tick at once goes on with it.
    """

    __slots__ = ("contracts", "funding", "liquidation", "pending", "ticked", "triggers", "watch")

    def __init__(self, contracts: Contracts, triggers: Triggers) -> None:
        self.contracts = contracts
        self.triggers = triggers
        self.funding = Funding(contracts.collateral)
        self.liquidation = Liquidation(contracts)
        self.watch = Watch(contracts.collateral)
        self.ticked = 0
        self.pending = False

    def tick(self, time: int) -> list[Event]:
        """What is due by now, in bounded steps."""
        events: list[Event] = []
        contracts = self.contracts
        contracts.client_ids.expire(time)
        before = self.ticked or time
        self.ticked = time
        perps = list(contracts.markets.values())
        room = CHUNK
        for perp in perps:
            forget_ended(perp, time)
            if SPOT_SOURCE in perp.contract.index_sources:
                spot = contracts.spot.markets.get(perp.symbol)
                if spot is not None:
                    follow_spot(perp, spot, time)
            sample(perp, time)
            events += self._refresh(perp, time)
            due = self.funding.pass_time(perp, before, time, room)
            room = max(0, room - len(due))
            events += due
        events += self._consequences(perps, time)
        for perp in perps:
            events += self.liquidation.unwind(perp, time)
        self.liquidation.ranking.clear()
        self.pending = self.pending or self._settling()
        return events

    def post_index(self, command: PostIndex) -> list[Event]:
        """One source's price, and what the new mark brings about."""
        perp = self.contracts.markets.get(command.symbol)
        if perp is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        if command.source not in perp.contract.index_sources or command.source == SPOT_SOURCE:
            return [Rejected(Reject.INSTRUMENT_INVALID, 0, "not a posted source of this contract")]
        assert type(command.price) is int, command
        # Not positive: the source says that it has no price; the index becomes stale (rule 6.1).
        most = price_most(perp)
        if command.price > most:
            return [Rejected(Reject.PRICE, most)]
        post(perp, command.source, max(0, command.price), command.time)
        events = self._refresh(perp, command.time, jump=command.jump)
        events += self._consequences([perp], command.time)
        self.pending = self.pending or self._settling()
        self.liquidation.ranking.clear()
        return events

    def traded(self, events: list[Event], symbol: str, time: int) -> list[Event]:
        """Let conditional orders follow what was traded in a contract."""
        perp = self.contracts.markets[symbol]
        if perp.waiting[0] or perp.waiting[1] or perp.trailing:
            events += self.triggers.fire(perp, time)
        return events

    def _settling(self) -> bool:
        """Whether a settlement goes on at once; one without a current index waits for it."""
        markets = self.contracts.markets.values()
        return any(perp.settlement is not None and perp.current for perp in markets)

    def _refresh(self, perp: Perpetual, time: int, *, jump: bool = False) -> list[Event]:
        if not refresh(perp, time, jump=jump):
            return []
        return [
            MarkSet(
                perp.symbol, perp.index_price, perp.mark, perp.current, perp.premium_ppb,
                perp.open_interest, jump,
            )
        ]  # fmt: skip

    def _consequences(self, perps: list[Perpetual], time: int) -> list[Event]:
        """Conditional orders of the new marks, then liquidations, then those they triggered."""
        events: list[Event] = []
        for perp in perps:
            events += self.triggers.fire(perp, time)
        markets = list(self.contracts.markets.values())
        pools = self.watch.endangered(markets, LIQUIDATIONS_MAX + 1)
        for pool in pools[:LIQUIDATIONS_MAX]:
            # An earlier one may have emptied or restored it.
            if pool.positions and equity(pool) <= maintenance(pool):
                events += self.liquidation.run(pool, time)
        self.pending = len(pools) > LIQUIDATIONS_MAX
        for pool in pools[LIQUIDATIONS_MAX:]:
            self.contracts.collateral.touch(pool)
        if pools:
            for perp in markets:
                events += self.triggers.fire(perp, time)
        return events
