"""Hand-made applied commands of contracts: events as the core states them, in few words."""

from __future__ import annotations

from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Tick
from venue.core.messages.contract_events import (
    ContractListed,
    ContractOrderClosed,
    ContractOrderPlaced,
    ContractOrderReduced,
    ContractTrade,
    Leg,
    MarkSet,
)
from venue.core.messages.events import Event
from venue.node.market_data.views import MarketData
from venue.vocabulary import LONG, SHORT, Cause, OrderStatus, OrderType, TimeInForce

BTC, ETH = "BTCUSDT", "ETHUSDT"
SYMBOLS = (BTC, ETH)
BEGIN = 1_764_500_100_000_000  # a full minute
UNIT = 7  # atoms of one tick x lot


class Feed:
    """Hand-made applied commands of two listed contracts; everything said is kept."""

    def __init__(self) -> None:
        self.time = BEGIN
        self.applied: list[Applied] = []
        self.data = MarketData()
        self.say(*[ContractListed(contract(symbol)) for symbol in SYMBOLS])

    def say(self, *events: Event) -> None:
        """One command that caused these events."""
        applied = Applied(len(self.applied) + 1, self.time, Tick(self.time), list(events))
        self.applied.append(applied)
        self.data.follow([applied])

    def all(self, symbol: str) -> list[tuple[int, Event]]:
        """Every event of a symbol with its command's time."""
        return [
            (applied.time, event)
            for applied in self.applied
            for event in applied.events
            if getattr(event, "symbol", "") == symbol
        ]


def instrument(symbol: str) -> Instrument:
    base = symbol.removesuffix("USDT")
    return Instrument(symbol, base, "USDT", 1, 1, 1, 3, 1, 10**9, 10**9, 200, 600)


def contract(symbol: str) -> Contract:
    return Contract(instrument(symbol), 100, 10**9, 10**9, [Tier(10**15, 100, 5_000)])


def placed(
    side: int, price: int, resting: int, *, symbol: str = BTC, order_id: int = 1
) -> ContractOrderPlaced:
    return ContractOrderPlaced(
        order_id=order_id,
        uid=10,
        symbol=symbol,
        side=side,
        position_side=LONG,
        type=OrderType.LIMIT,
        time_in_force=TimeInForce.GTC,
        quantity=resting,
        price=price,
        client_id="",
        resting=resting,
        cause=Cause.USER,
        algo_id=0,
        position_id=0,
    )


def closed(
    side: int, price: int, resting: int, *, symbol: str = BTC, order_id: int = 1
) -> ContractOrderClosed:
    return ContractOrderClosed(
        order_id, 10, symbol, side, price, OrderStatus.CANCELED, resting, Cause.USER
    )


def reduced(
    side: int, price: int, lots: int, *, symbol: str = BTC, order_id: int = 1
) -> ContractOrderReduced:
    return ContractOrderReduced(order_id, 10, symbol, side, price, lots)


def leg(position_side: int, *, opens: bool) -> Leg:
    return Leg(10, 1, 2, position_side, opens, 0, 0, 0, 0, 0, 3)


OPENS_LONG, CLOSES_LONG = leg(LONG, opens=True), leg(LONG, opens=False)
OPENS_SHORT, CLOSES_SHORT = leg(SHORT, opens=True), leg(SHORT, opens=False)


def traded(
    taker_side: int,
    price: int,
    lots: int,
    *,
    taker: Leg,
    maker: Leg,
    symbol: str = BTC,
    cause: Cause = Cause.USER,
    trade_id: int = 5,
) -> ContractTrade:
    return ContractTrade(
        trade_id, symbol, price, lots, price * lots * UNIT, taker_side, 0, 0, cause, maker, taker
    )


def mark(index: int, price: int, *, symbol: str = BTC, current: bool = True) -> MarkSet:
    return MarkSet(symbol, index, price, current, index - price, 0)
