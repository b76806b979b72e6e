"""Random stories of spot markets, and slow answers about them from all the engine's events."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from venue.candles import (
    DAY_US,
    INTERVALS,
    MINUTE_US,
)
from venue.core.book.book import Half, resting
from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages.applied import Applied
from venue.core.messages.commands import (
    CancelOrder,
    CancelOrders,
    Command,
    CreateOwner,
    Deposit,
    ListInstrument,
    PlaceOrder,
    RegisterAsset,
    Tick,
)
from venue.core.messages.events import OrderClosed, OrderPlaced, Trade
from venue.core.spot.account import SpotAccount
from venue.core.units import PPM
from venue.lab.prehistory import GeneratedHistory
from venue.node.market_data.product import TRADES_MAX
from venue.node.market_data.views import MarketData
from venue.vocabulary import OrderType, SelfTrade, Side, TimeInForce, Wallet

SYMBOLS = ("BTCUSDT", "ETHUSDT")
BEGIN = 1_764_500_123_456_789
MAKER, TAKER = 10_000_001, 10_000_002


class MarketWalk:
    """A real engine whose applied commands go to market data, and are kept for slow answers."""

    def __init__(self, *, batch_max: int = 1, past: GeneratedHistory | None = None) -> None:
        self.engine = Engine()
        self.time = BEGIN
        self.applied: list[Applied] = []
        self.data = MarketData(past)
        self.batch: list[Applied] = []
        self.batch_max = batch_max
        for asset in ("BTC", "ETH", "USDT"):
            self.apply(RegisterAsset(asset, 0))
        for symbol in SYMBOLS:
            self.apply(ListInstrument(_instrument(symbol)))
        for name, self_trade in (("maker", SelfTrade.EXPIRE_MAKER), ("taker", SelfTrade.NONE)):
            self.apply(CreateOwner(name, self_trade))
        for uid in (MAKER, TAKER):
            for asset in ("BTC", "ETH", "USDT"):
                self.apply(Deposit(uid, Wallet.SPOT, asset, 2**60))

    def apply(self, command: Command) -> Applied:
        command.time = self.time
        events = self.engine.apply(command)
        applied = Applied(self.engine.sequence, self.time, command, events)
        self.applied.append(applied)
        self.batch.append(applied)
        if len(self.batch) >= self.batch_max:
            self.hand_over()
        return applied

    def hand_over(self) -> None:
        self.data.follow(self.batch)
        self.batch = []

    def trade(self, price: int, lots: int, *, bought: bool = True, symbol: str = "BTCUSDT") -> None:
        """Two commands: an order that rests and one that takes all of it."""
        sides = (Side.SELL, Side.BUY) if bought else (Side.BUY, Side.SELL)
        self.apply(place(MAKER, symbol, sides[0], price, lots))
        events = self.apply(place(TAKER, symbol, sides[1], price, lots)).events
        assert any(isinstance(event, Trade) for event in events), events

    def trades(self, symbol: str) -> list[tuple[int, Trade]]:
        return [
            (applied.time, event)
            for applied in self.applied
            for event in applied.events
            if isinstance(event, Trade) and event.symbol == symbol
        ]


def place(
    uid: int,
    symbol: str,
    side: Side,
    price: int,
    lots: int,
    time_in_force: TimeInForce = TimeInForce.GTC,
) -> PlaceOrder:
    kind = OrderType.LIMIT if price else OrderType.MARKET
    return PlaceOrder(uid, symbol, side, kind, time_in_force, lots, price)


def _instrument(symbol: str) -> Instrument:
    return Instrument(
        symbol,
        symbol.removesuffix("USDT"),
        "USDT",
        tick=1,
        price_scale=0,
        step=1,
        quantity_scale=0,
        quantity_min=1,
        quantity_max=10**17,
        market_quantity_max=10**17,
        maker_ppm=0,
        taker_ppm=0,
        buy_band_ppm=PPM,
        sell_band_ppm=PPM,
        market_band_ppm=PPM,
    )


def slow_levels(half: Half[SpotAccount]) -> list[tuple[int, int]]:
    levels: dict[int, int] = {}
    for order in resting(half):
        levels[order.price] = levels.get(order.price, 0) + order.remaining
    return list(levels.items())


def slow_update_id(walk: MarketWalk, symbol: str) -> int:
    changed = 0
    for applied in walk.applied:
        changed += any(
            isinstance(event, Trade)
            or (isinstance(event, OrderPlaced | OrderClosed) and event.resting > 0)
            for event in applied.events
            if getattr(event, "symbol", "") == symbol
        )
    return changed


def answers(data: MarketData, now: int) -> list[Any]:
    return [
        (
            data.spot.depth(symbol, 200),
            data.spot.top(symbol),
            data.spot.trades(symbol, TRADES_MAX),
            data.spot.ticker(symbol, now),
            [data.spot.candles(symbol, interval, 1_000, now) for interval in INTERVALS],
        )
        for symbol in SYMBOLS
    ]


SESSIONS = st.builds(
    lambda seed, length: session(Random(seed), length),
    st.integers(0, 2**32),
    st.integers(1, 150),
)
LATE = st.sampled_from([0, 1_000_000, MINUTE_US, DAY_US - 1_000_000, DAY_US, 40 * DAY_US])


def session(random: Random, length: int) -> list[tuple[int, Command]]:
    """Commands, each with the time (µs) that passes before it, dense enough to trade often."""
    pace = random.choice([300_000, 20_000_000, 3_600_000_000, DAY_US])
    steps: list[tuple[int, Command]] = []
    for _ in range(length):
        gap = random.choice([0, 0, pace, random.randrange(4 * pace)])
        if random.random() < 0.02:
            gap = random.choice([DAY_US - 1_000_000, DAY_US, 40 * DAY_US])
        steps.append((gap, _command(random)))
    return steps


def _command(random: Random) -> Command:
    kind = random.random()
    if kind < 0.03:
        return CancelOrders(random.choice([MAKER, TAKER]), random.choice(SYMBOLS))
    if kind < 0.10:
        return CancelOrder(random.choice([MAKER, TAKER]), 10**15 + random.randrange(60))
    if kind < 0.12:
        return Tick()
    price = 0 if kind < 0.2 else random.randint(60, 75)
    return place(
        random.choice([MAKER, TAKER]),
        random.choice([SYMBOLS[0], SYMBOLS[0], SYMBOLS[1]]),
        random.choice(list(Side)),
        price,
        random.randint(1, 20),
        random.choice([TimeInForce.GTC, *TimeInForce]) if price else TimeInForce.IOC,
    )
