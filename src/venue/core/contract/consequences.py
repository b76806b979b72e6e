"""Effects of time and prices on contracts: marks, funding, triggers, liquidations (rules 6, 7)."""

from __future__ import annotations

from typing import Final

from venue.core.book.client_ids import FORGOTTEN_MAX
from venue.core.contract.conditional.triggers import Triggers
from venue.core.contract.conditional.waiting import forget_ended, waits
from venue.core.contract.orders import Contracts
from venue.core.contract.records import Perpetual
from venue.core.contract.reference.funding import CHUNK, Funding, settles
from venue.core.contract.reference.index import SPOT_SOURCE, follow_spot, post, price_most
from venue.core.contract.reference.prices import refresh, sample
from venue.core.contract.risk.changed_terms import ChangedTerms, keeps_former
from venue.core.contract.risk.delisting import SETTLED, Delisting
from venue.core.contract.risk.liquidation import Liquidation, must_liquidate
from venue.core.contract.risk.liquidation_run import Run
from venue.core.contract.risk.parking import Parking
from venue.core.contract.risk.pool_watch import Watch
from venue.core.messages.commands import PostIndex
from venue.core.messages.contract_events import MarkSet
from venue.core.messages.events import Event, Rejected
from venue.vocabulary import Reject

# A unit stands for an event or for looking at a pool: some 2 µs of the compiled core (rule 7.11).
LOOKS_MAX: Final = 250  # units of looking at pools per slice
LIQUIDATING_UNITS: Final = 400  # units of liquidating per slice
POOL_UNITS: Final = 200  # of these for one pool in its turn
POOL_COST: Final = 4  # units of beginning with a pool
LIQUIDATIONS_MAX: Final = 20  # pools per slice; the rest on the next one (rule 7.6)


class Schedule:
    """Processes due work in bounded slices. `ticked` is the time of the last tick (µs), 0 before
    the first.

    `pending`: more work is due than one command may do; `Proceed` continues it.
    """

    __slots__ = (
        "contracts",
        "delisting",
        "funding",
        "liquidation",
        "parking",
        "pending",
        "terms",
        "ticked",
        "triggers",
        "watch",
    )

    def __init__(self, contracts: Contracts, triggers: Triggers) -> None:
        self.contracts = contracts
        self.triggers = triggers
        self.funding = Funding(contracts.collateral)
        self.liquidation = Liquidation(contracts)
        self.watch = Watch(contracts.collateral)
        self.parking = Parking(contracts)
        self.terms = ChangedTerms(contracts)
        self.delisting = Delisting(contracts, self.terms)
        self.ticked = 0
        self.pending = False

    def tick(self, time: int) -> list[Event]:
        """Process the passing of time: marks, funding that falls due, another attempt for pools
        that need help; then one slice of the due work."""
        events: list[Event] = []
        contracts = self.contracts
        contracts.client_ids.expire(time)
        contracts.collateral.ranking.tick()
        before = self.ticked or time
        self.ticked = time
        perps = list(contracts.markets.values())
        room = CHUNK
        forgotten = 0
        for perp in perps:
            forgotten += forget_ended(perp, time, FORGOTTEN_MAX - forgotten)
            if keeps_former(perp):
                self.terms.retry(perp, time)
            if perp.spot is not None:
                follow_spot(perp, perp.spot, time)
            events += self.parking.tick(perp)
            sample(perp, time)
            events += self._refresh(perp, time)
            due = self.funding.pass_time(perp, before, time, room)
            room = max(0, room - len(due))
            events += due
        for pool in self.watch.retry():
            if pool.positions:
                self.watch.recall(pool)
            else:
                events += self.liquidation.repair(pool)
        events += self._consequences(perps, time)
        for perp in perps:
            events += self.liquidation.unwind(perp, time)
        return events

    def proceed(self, time: int) -> list[Event]:
        """Run the next slice of the work that earlier commands left. Time does not pass."""
        events: list[Event] = []
        room = CHUNK
        perps = list(self.contracts.markets.values())
        for perp in perps:
            if perp.change is not None:
                events += self.terms.proceed(perp, perp.change, time)
            if perp.settlement is not None and settles(perp) and room > 0:
                due = self.funding.proceed(perp, perp.settlement, room)
                room -= len(due)
                events += due
        events += self._consequences(perps, time)
        if not self.pending:  # pools that cannot bear its price were liquidated before
            for perp in perps:
                if perp.delisted is not None and perp.delisted.under_way():
                    events += self.delisting.proceed(perp, perp.delisted, time)
        return events

    def post_index(self, command: PostIndex) -> list[Event]:
        """Store one source's price, and apply the consequences of the new mark."""
        perp = self.contracts.markets.get(command.symbol)
        if perp is None:
            return [Rejected(Reject.SYMBOL_UNKNOWN)]
        if perp.settles():
            return [Rejected(Reject.INSTRUMENT_INVALID, 0, SETTLED)]
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
        return events

    def fire_triggers(self, events: list[Event], symbol: str, time: int) -> list[Event]:
        """Add to `events` the conditional orders that trades in a contract triggered."""
        events += self.triggers.fire(self.contracts.markets[symbol], time)
        return events

    def goes_on(self) -> bool:
        """Return whether more is due than a slice does: the next `Proceed` continues it at once."""
        if self.pending or self.parking.pending():
            return True
        for perp in self.contracts.markets.values():
            if perp.change is not None:
                return True
            if perp.delisted is not None and perp.delisted.under_way():
                return True
            if waits(perp) and self.triggers.pending(perp):
                return True
        return False

    def _settling(self) -> bool:
        """Return whether a settlement can continue at once; one without a current index waits for
        it."""
        markets = self.contracts.markets.values()
        return any(perp.settlement is not None and settles(perp) for perp in markets)

    def _refresh(self, perp: Perpetual, time: int, *, jump: bool = False) -> list[Event]:
        changed = refresh(perp, time, jump=jump)
        self.parking.notice(perp)
        if not changed:
            return []
        self.contracts.collateral.ranking.drop_exact_scores()
        return [
            MarkSet(
                perp.symbol, perp.index_price, perp.mark, perp.current, perp.premium_ppb,
                perp.open_interest, jump,
            )
        ]  # fmt: skip

    def _consequences(self, perps: list[Perpetual], time: int) -> list[Event]:
        """Enter conditional orders due at the new marks, then liquidate, then enter the conditional
        orders that the liquidations triggered."""
        events = self.parking.proceed(time)
        for perp in perps:
            events += self.triggers.fire(perp, time)
        markets = list(self.contracts.markets.values())
        looked = self.watch.look(markets, LOOKS_MAX)
        said = self._liquidate(time)
        if said:
            events += said
            for perp in markets:
                events += self.triggers.fire(perp, time)
        self.pending = not looked or self.watch.line.turns.count > 0 or self._settling()
        return events

    def _liquidate(self, time: int) -> list[Event]:
        """Liquidate as many pools as a slice allows, in queue order."""
        events: list[Event] = []
        units = LIQUIDATING_UNITS
        count = 0
        while units > 0 and count < LIQUIDATIONS_MAX:
            pool = self.watch.next()
            if pool is None:
                break
            run = Run(self.contracts.collateral, pool, time, min(units, POOL_UNITS))
            more = self.liquidation.run(run)
            events += run.events
            units -= POOL_COST + run.units - run.units_left()
            count += 1
            if more:
                self.watch.again(pool)
            elif must_liquidate(pool):
                self.watch.wait(pool)
        return events
