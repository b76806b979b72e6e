"""The `Seat` interface over REST, at a running venue: a trained policy trades there unchanged."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from venue.client.blocking import Client
from venue.client.errors import Refused
from venue.gym.market import BASE, LOT_ATOMS, LOT_UNITS, QUOTE, STEP_UNITS, SYMBOL, UNIT
from venue.gym.seat import LEVELS, Seen
from venue.vocabulary import Side

DEPTH: Final = "200"  # levels that are asked for: some share a grid step
LOT: Final = Decimal(LOT_ATOMS) / UNIT


class RestSeat:
    """The account of a client at `BTCUSDT`. `wait` lets time pass: it advances the venue's clock,
    or waits.

    Levels are summed by grid step, rounded away from the middle. A refused quote is not placed.
    Other errors of the client are raised.
    """

    lot_units = LOT_UNITS
    step_units = STEP_UNITS

    def __init__(self, client: Client, wait: Callable[[], object]) -> None:
        self._client = client
        self._wait = wait
        self._quotes = [0, 0]  # the ids of the own quotes, by side
        self._prices = [0, 0]

    def see(self) -> Seen:
        """Return the book and the account now."""
        depth = self._client.depth(symbol=SYMBOL, limit=DEPTH)
        held = {
            balance.asset: Decimal(balance.free) + Decimal(balance.locked)
            for balance in self._client.account().balances
        }
        standing = {order.order_id for order in self._client.open_orders(symbol=SYMBOL)}
        bid, ask = (
            price if order in standing else 0
            for order, price in zip(self._quotes, self._prices, strict=True)
        )
        return Seen(
            _gathered(depth.bids, ROUND_FLOOR),
            _gathered(depth.asks, ROUND_CEILING),
            int(held.get(BASE, Decimal(0)) / LOT),
            float(held.get(QUOTE, Decimal(0))),
            bid,
            ask,
        )

    def quote(self, bid: int, ask: int, lots: int) -> None:
        """Place one bid and one ask at these grid steps; a quote that is already there stays."""
        standing = {order.order_id for order in self._client.open_orders(symbol=SYMBOL)}
        for side, price in enumerate((bid, ask)):
            own = self._quotes[side]
            if own in standing:
                if self._prices[side] == price:
                    continue
                self._cancel(own)
            self._prices[side] = price
            self._quotes[side] = self._place(side, lots, price) if price else 0

    def take(self, side: int, lots: int) -> None:
        """Trade at the market at once."""
        self._place(side, lots, 0)

    def let_pass(self) -> None:
        """Let time pass."""
        self._wait()

    def _cancel(self, order_id: int) -> None:
        try:
            self._client.cancel_order(order_id=order_id)
        except Refused:
            return  # it was filled meanwhile

    def _place(self, side: int, lots: int, price: int) -> int:
        """Place an order and return its id; 0 when the venue refused it."""
        try:
            placed = self._client.place_order(
                symbol=SYMBOL,
                side=Side(side).name,
                type="LIMIT" if price else "MARKET",
                quantity=LOT * lots,
                price=Decimal(price) if price else None,
                time_in_force="GTC" if price else None,
            )
        except Refused:
            return 0
        return placed.order_id


def _gathered(levels: list[tuple[str, str]], rounding: str) -> list[tuple[int, int]]:
    """Levels (price, quantity) summed to the best `LEVELS` (grid step, lots)."""
    steps: dict[int, Decimal] = {}
    for price, quantity in levels:
        step = int(Decimal(price).to_integral_value(rounding))
        steps[step] = steps.get(step, Decimal(0)) + Decimal(quantity)
    return [(step, int(quantity / LOT)) for step, quantity in list(steps.items())[:LEVELS]]
