"""How long the practice venue's contracts are in doubt, and what orders that may not trade cost.

`python -m bench.doubt HOURS [SEED]` runs its agents in one process, in venue time. It prints, for
each contract, the share of its ticks in doubt, and how far its index ran from the middle of the
spot book. Without contract agents: they follow it.

`python -m bench.doubt orders` prints the time of an offer before 10,000 bids of fifty accounts that
may not trade, and without them.
"""

from __future__ import annotations

import sys
import time
from typing import Final

from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages.commands import (
    CancelContractOrders,
    Command,
    CreateOwner,
    Deposit,
    PlaceContractOrder,
    PostIndex,
    Proceed,
    Tick,
)
from venue.core.messages.events import Rejected
from venue.core.units import FIRST_UID, PPM
from venue.lab import demo
from venue.lab.agents.spot import STEP_US, Agents
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, POST_ONLY, SELL, SHORT, Wallet

SECOND_US: Final = 1_000_000
CONTRACT_WALLET: Final = int(Wallet.CONTRACT)
PRICE: Final = 1_000_000  # ticks
START_US: Final = 1_700_000_000 * SECOND_US
STEPS: Final = SECOND_US // STEP_US


class Hours:
    """The demo markets with their spot agents, a tick each second; `doubtful` ticks by contract."""

    def __init__(self, seed: int) -> None:
        self.engine = Engine()
        self.time = START_US
        uids = {account.name: FIRST_UID + number for number, account in enumerate(demo.ACCOUNTS)}
        self._apply(demo.genesis() + demo.funding(uids))
        starts = {symbol: start.price for symbol, start in demo.STARTS.items()}
        self.agents = Agents(self.engine, seed, starts)
        self._apply(self.agents.founding())
        self._apply(self.agents.funding())
        self.ticks = 0
        self.doubtful = dict.fromkeys(self.engine.contracts.markets, 0)
        self.stale = dict.fromkeys(self.engine.contracts.markets, 0)
        self.farthest = dict.fromkeys(self.engine.contracts.markets, 0)

    def second(self) -> None:
        """The agents' steps of a second, the tick, and the demo contracts' prices."""
        for _ in range(STEPS):
            self._apply(self.agents.step())
            self.time += STEP_US
        self._apply([Tick()])
        markets = self.engine.contracts.markets
        for symbol, followed in demo.FOLLOWED.items():
            if symbol != followed and markets[followed].current:
                index = markets[followed].index_price
                self._apply([PostIndex(symbol, demo.POSTED, index)])
        self.ticks += 1
        for symbol, perp in markets.items():
            self.doubtful[symbol] += perp.doubt
            self.stale[symbol] += not perp.current
            twice = self.engine.spot.markets[demo.FOLLOWED[symbol]].book.twice_mid()
            if perp.index_price and twice:
                away = abs(twice - 2 * perp.index_price) * PPM // (2 * perp.index_price)
                self.farthest[symbol] = max(self.farthest[symbol], away)

    def _apply(self, commands: list[Command]) -> None:
        for command in commands:
            command.time = self.time
            self.engine.apply(command)


class Crowd:
    """Fifty accounts of dust, each with 200 bids in one demo contract and a position in another,
    both at a posted price. `desk` has the other sides."""

    def __init__(self) -> None:
        self.engine = Engine()
        posted = [found for found in demo.CONTRACTS if found.index_sources != ("spot",)]
        self.here, self.there = posted[0].instrument, posted[1].instrument
        self.apply(*demo.genesis(), CreateOwner("desk"))
        self.desk = self.engine.ledger.names["desk"]
        self.apply(Deposit(self.desk, CONTRACT_WALLET, demo.DEMO, 10**18))
        self.tell(self.here, PRICE)
        self.tell(self.there, PRICE)
        for number in range(50):
            self._dust(f"dust {number}")

    def _dust(self, name: str) -> None:
        least = self.here.quantity_min
        unit = self.engine.contracts.markets[self.there.symbol].unit
        self.apply(CreateOwner(name))
        uid = self.engine.ledger.names[name]
        lots = 100 * self.there.quantity_min
        self.apply(
            Deposit(uid, CONTRACT_WALLET, demo.DEMO, PRICE * lots * unit // 2),
            order(self.there, self.desk, SELL, SHORT, lots, GTC),
            order(self.there, uid, BUY, LONG, lots, IOC),
            *(order(self.here, uid, BUY, LONG, least, GTC) for _ in range(200)),
        )

    def tell(self, listed: Instrument, price: int) -> None:
        """Post a contract's price, and do what is due after it."""
        self.apply(PostIndex(listed.symbol, demo.POSTED, price, jump=True))
        while self.engine.pending():
            self.apply(Proceed())

    def apply(self, *commands: Command) -> None:
        """Apply commands; none may be refused."""
        for command in commands:
            command.time = START_US
            for event in self.engine.apply(command):
                assert not isinstance(event, Rejected), (command, event)

    def spent(self) -> float:
        """Microseconds of an offer of the desk, and of its end."""
        least = self.here.quantity_min
        began = time.perf_counter()
        for _ in range(1_000):
            self.apply(
                order(self.here, self.desk, SELL, SHORT, least, POST_ONLY),
                CancelContractOrders(self.desk),
            )
        return (time.perf_counter() - began) * 1_000


def order(
    listed: Instrument, uid: int, side: int, way: int, lots: int, tif: int
) -> PlaceContractOrder:
    """A LIMIT order at the posted price."""
    return PlaceContractOrder(uid, listed.symbol, side, way, LIMIT, tif, lots, PRICE)


def orders() -> None:
    """Print what an offer costs before bids that may not trade, and without them."""
    crowd = Crowd()
    crowd.tell(crowd.there, 0)
    parked = len(crowd.engine.contracts.markets[crowd.here.symbol].market.book.parked)
    print(f"{parked} bids that may not trade: {crowd.spent():.1f} us for an offer and its end")
    for number in range(50):
        crowd.apply(CancelContractOrders(crowd.engine.ledger.names[f"dust {number}"]))
    print(f"none: {crowd.spent():.1f} us")


def main() -> None:
    """Simulate and print."""
    if sys.argv[1] == "orders":
        orders()
        return
    hours = float(sys.argv[1])
    began = time.perf_counter()
    found = Hours(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for _ in range(int(hours * 3_600)):
        found.second()
    spent = time.perf_counter() - began
    print(f"{found.ticks} ticks, {found.engine.sequence} commands, {spent:.0f} s")
    for symbol, doubtful in found.doubtful.items():
        print(
            f"{symbol:9} in doubt {100 * doubtful / found.ticks:.4f} %, stale {found.stale[symbol]}"
            f" ticks, at most {found.farthest[symbol]} ppm from the middle of the book"
        )


if __name__ == "__main__":
    main()
