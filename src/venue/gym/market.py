"""A spot market in this process, for learners: one engine, simulated traders, and a `MarketSeat`
each.

Every act is a command of the same engine that a venue runs on. A new episode is a revert.
"""

from __future__ import annotations

from typing import Any, Final

from venue.core.book.book import Half
from venue.core.instruments import Instrument
from venue.core.messages.commands import (
    CancelOrder,
    ListInstrument,
    PlaceOrder,
    RegisterAsset,
)
from venue.core.messages.events import Event, OrderPlaced
from venue.core.spot.account import SpotAccount
from venue.gym.episode import Simulation
from venue.gym.flow import Flow, SpotOrders
from venue.gym.seat import GRID_TICKS, LEVELS, Seat, Seen
from venue.vocabulary import BUY, GTC, LIMIT, MARKET, SELL, WALLET_SPOT

SYMBOL: Final = "BTCUSDT"
BASE: Final = "BTC"
QUOTE: Final = "USDT"
SCALE: Final = 8  # decimals of both assets
MAKER_PPM: Final = 0
TAKER_PPM: Final = 400
INSTRUMENT: Final = Instrument(
    SYMBOL, BASE, QUOTE, 1, 2, 1, 5, 10, 100_000_000, 10_000_000, MAKER_PPM, TAKER_PPM
)
LOT_ATOMS: Final = 10 ** (SCALE - INSTRUMENT.quantity_scale)
UNIT: Final = 10**SCALE  # atoms of a unit of either asset
LOT_UNITS: Final = LOT_ATOMS / UNIT  # units of base in a lot
STEP_UNITS: Final = GRID_TICKS / 10**INSTRUMENT.price_scale  # units of quote in a grid step
START: Final = 64_000  # grid steps
STEP_US: Final = 200_000  # venue time of a step
BEGIN_US: Final = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
OTHERS: Final = {BASE: 10**9 * UNIT, QUOTE: 10**9 * UNIT}  # atoms: what each begins with
LEARNERS: Final = {BASE: 5 * UNIT, QUOTE: 500_000 * UNIT}


class SpotMarket:
    """One simulation with `seats` learners and simulated traders."""

    def __init__(self, seats: int = 1, *, audit: bool = False) -> None:
        self._simulation = simulation = Simulation(BEGIN_US, audit=audit)
        self.engine = simulation.engine
        simulation.do(RegisterAsset(BASE, SCALE, BEGIN_US))
        simulation.do(RegisterAsset(QUOTE, SCALE, BEGIN_US))
        simulation.do(ListInstrument(INSTRUMENT, BEGIN_US))
        maker = simulation.owner("maker", WALLET_SPOT, OTHERS)
        taker = simulation.owner("taker", WALLET_SPOT, OTHERS)
        self._uids = [
            simulation.owner(f"learner-{number}", WALLET_SPOT, LEARNERS) for number in range(seats)
        ]
        self._flow = Flow(self.engine, SpotOrders(SYMBOL), (maker, taker), START)
        self._flow.settle(BEGIN_US)
        simulation.keep()
        self.seats = [MarketSeat(self, uid) for uid in self._uids]

    def begin(self, seed: int) -> None:
        """Revert to the start, with another random walk."""
        self._simulation.go_back()
        self._flow.begin(seed)
        for seat, uid in zip(self.seats, self._uids, strict=True):
            seat.sit(self.engine.spot_account(uid))

    def step(self) -> None:
        """Let the simulated traders act, and time pass."""
        self._flow.step(self.engine.time + STEP_US)
        self._simulation.check()


class MarketSeat:
    """A learner's account in a `SpotMarket`; the market itself decides when the simulated traders
    act."""

    def __init__(self, market: SpotMarket, uid: int) -> None:
        self.lot_units = LOT_UNITS
        self.step_units = STEP_UNITS
        self._market = market
        self._engine = market.engine
        self._uid = uid
        self._quotes = [0, 0]  # the ids of the own quotes, by side
        self._prices = [0, 0]
        self.sit(market.engine.spot_account(uid))

    def sit(self, account: SpotAccount) -> None:
        """Read the account at the start of a new episode; there are no quotes."""
        self._account = account
        book = self._engine.spot_markets[SYMBOL].book
        self._bids, self._asks = book.bids, book.asks
        self._quotes = [0, 0]
        self._prices = [0, 0]

    def see(self) -> Seen:
        """Return the book and the account now."""
        base, quote = self._account.account.spot[:2]
        orders = self._account.orders
        bid = self._prices[BUY] if self._quotes[BUY] in orders else 0
        ask = self._prices[SELL] if self._quotes[SELL] in orders else 0
        return Seen(
            top(self._bids),
            top(self._asks),
            (base.free + base.locked) // LOT_ATOMS,
            (quote.free + quote.locked) / UNIT,
            bid,
            ask,
        )

    def quote(self, bid: int, ask: int, lots: int) -> None:
        """Place one bid and one ask at these grid steps; a quote that is already there stays."""
        self._quote(BUY, bid, lots)
        self._quote(SELL, ask, lots)

    def _quote(self, side: int, price: int, lots: int) -> None:
        standing = self._quotes[side]
        time = self._engine.time
        if standing:
            if standing in self._account.orders:
                if self._prices[side] == price:
                    return
                self._engine.apply(CancelOrder(self._uid, standing, "", b"", time))
            self._quotes[side] = 0
        if not price:
            return
        self._prices[side] = price
        placed = self._place(side, LIMIT, GTC, lots, price * GRID_TICKS)
        if type(placed) is OrderPlaced:
            self._quotes[side] = placed.order_id

    def take(self, side: int, lots: int) -> None:
        """Trade at the market at once."""
        self._place(side, MARKET, GTC, lots, 0)

    def let_pass(self) -> None:
        """Let the simulated traders act for one step."""
        self._market.step()

    def _place(self, side: int, kind: int, tif: int, lots: int, ticks: int) -> Event:
        return self._engine.apply(
            PlaceOrder(
                self._uid, SYMBOL, side, kind, tif, lots, ticks, "", b"", self._engine.time
            )
        )[0]  # fmt: skip


def sitting(market: SpotMarket | None, seat: Seat | None) -> Seat:
    """Return the given seat, or the first of a new market."""
    if seat is not None:
        return seat
    assert market is not None, "neither a market nor a seat"
    return market.seats[0]


def top(half: Half[Any]) -> list[tuple[int, int]]:
    """Return the best levels, (grid step, lots)."""
    return [(level.price // GRID_TICKS, level.quantity) for level in half.best_levels(LEVELS)]
