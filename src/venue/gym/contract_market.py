"""A contract market in this process, for one learner, with the venue's marks, funding and
liquidations.

The index has one source: the price around which the simulated traders quote. A new episode is a
revert.
"""

from __future__ import annotations

from typing import Final

from venue.core.contract.collateral import FUND_UID
from venue.core.contract.position import equity
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages.commands import (
    Deposit,
    ListContract,
    PlaceContractOrder,
    PostIndex,
    Proceed,
    RegisterAsset,
    SetLeverage,
    Tick,
)
from venue.core.messages.contract_events import LiquidationStarted
from venue.gym.episode import Simulation
from venue.gym.flow import ContractOrders, Flow
from venue.gym.market import BASE, QUOTE, SCALE, START, SYMBOL, UNIT, top
from venue.gym.seat import GRID_TICKS, Seen
from venue.vocabulary import BUY, GTC, LONG, MARKET, SELL, SHORT, WALLET_CONTRACT

LEVERAGE: Final = 20
STEP_US: Final = 1_000_000  # venue time of a step: marks and funding go by seconds
BEGIN_US: Final = 1_767_225_600_000_000 + 28_200_000_000  # 07:50 UTC: the next funding is at 08:00
SOURCE: Final = "walk"
STIR: Final = 20  # grid steps: an episode moves the price by about a percent
OTHERS: Final = {QUOTE: 10**9 * UNIT}
UNITS: Final = 2_000  # USDT that the learner begins with
NOTIONAL_MAX: Final = 10**18
IMPACT: Final = 20_000 * UNIT
CONTRACT: Final = Contract(
    Instrument(SYMBOL, "BTC", QUOTE, 1, 2, 1, 5, 10, 10**9, 10**9, 200, 600),
    leverage_max=100,
    position_max=10**9,
    open_interest_max=10**10,
    tiers=[Tier(100 * IMPACT, 100, 4_000), Tier(NOTIONAL_MAX, 100, 4_000)],
    index_sources=(SOURCE,),
    index_step_ppm=3_000,
    impact_notional=IMPACT,
)


class ContractMarket:
    """One simulation with a learner and simulated traders."""

    def __init__(self, *, audit: bool = False) -> None:
        self._simulation = simulation = Simulation(BEGIN_US, audit=audit)
        self.engine = simulation.engine
        self.liquidated = False  # the learner, in this episode
        simulation.do(RegisterAsset(QUOTE, SCALE, BEGIN_US))
        simulation.do(RegisterAsset(BASE, SCALE, BEGIN_US))
        simulation.do(ListContract(CONTRACT, BEGIN_US))
        simulation.do(Deposit(FUND_UID, WALLET_CONTRACT, QUOTE, OTHERS[QUOTE], BEGIN_US))
        maker = simulation.owner("maker", WALLET_CONTRACT, OTHERS)
        taker = simulation.owner("taker", WALLET_CONTRACT, OTHERS)
        self._uid = simulation.owner("learner", WALLET_CONTRACT, {QUOTE: UNITS * UNIT})
        self._flow = Flow(self.engine, ContractOrders(SYMBOL), (maker, taker), START, STIR)
        simulation.do(PostIndex(SYMBOL, SOURCE, START * GRID_TICKS, BEGIN_US, jump=True))
        simulation.do(SetLeverage(self._uid, SYMBOL, LEVERAGE, LEVERAGE, LEVERAGE, time=BEGIN_US))
        self._flow.settle(BEGIN_US)
        simulation.keep()

    def begin(self, seed: int) -> None:
        """Revert to the start, with another random walk."""
        self._simulation.go_back()
        self._flow.begin(seed)
        self.liquidated = False

    def step(self) -> None:
        """Advance one second: post the index, let the simulated traders act, and process what is
        due."""
        engine = self.engine
        time = engine.time + STEP_US
        simulation = self._simulation
        events = simulation.do(PostIndex(SYMBOL, SOURCE, self._flow.price * GRID_TICKS, time))
        self._flow.step(time)
        events += simulation.do(Tick(time))
        while engine.pending():
            events += simulation.do(Proceed(time))
        for event in events:
            if type(event) is LiquidationStarted and event.uid == self._uid:
                self.liquidated = True
        self._simulation.check()

    def trade(self, side: int, position_side: int, lots: int) -> None:
        """Place a market order of the learner. A refused order has no effect."""
        time = self.engine.time
        self.engine.apply(
            PlaceContractOrder(
                self._uid, SYMBOL, side, position_side, MARKET, GTC, lots, 0, time=time
            )
        )

    def held(self) -> tuple[int, int]:
        """Return the learner's long lots, and its short lots."""
        lots = {LONG: 0, SHORT: 0}
        for position in self.engine.holding(self._uid).positions.values():
            lots[LONG if position.side > 0 else SHORT] += position.quantity
        return lots[LONG], lots[SHORT]

    def equity(self) -> float:
        """Collateral and unrealized profit at the mark, in USDT."""
        return equity(self.engine.holding(self._uid).cross(0)) / UNIT

    def see(self) -> Seen:
        """Return the book. Other observations have their own methods."""
        book = self.engine.perps[SYMBOL].market.book
        return Seen(top(book.bids), top(book.asks), 0, 0.0, 0, 0)

    def premium(self) -> float:
        """Return the mark less the index, in grid steps."""
        perp = self.engine.perps[SYMBOL]
        return (perp.mark - perp.index_price) / GRID_TICKS


def moves(long: int, short: int, target: int) -> list[tuple[int, int, int]]:
    """Return the orders (side, position side, lots) that lead from one position to another; lots
    are negative for short. Closing orders come first."""
    orders: list[tuple[int, int, int]] = []
    wanted_long, wanted_short = max(0, target), max(0, -target)
    if long > wanted_long:
        orders.append((SELL, LONG, long - wanted_long))
    if short > wanted_short:
        orders.append((BUY, SHORT, short - wanted_short))
    if long < wanted_long:
        orders.append((BUY, LONG, wanted_long - long))
    if short < wanted_short:
        orders.append((SELL, SHORT, wanted_short - short))
    return orders
