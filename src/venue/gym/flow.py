"""The simulated traders of a market in this process: ten seeded commands a step around a random
walk.

Four orders come to rest, the four oldest are cancelled, and two trade. One maker and one taker with
unlimited money place them, so the market never dries up.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import numpy as np

from venue.core.engine import Engine
from venue.core.messages.commands import (
    CancelContractOrder,
    CancelOrder,
    Command,
    PlaceContractOrder,
    PlaceOrder,
)
from venue.core.messages.contract_events import ContractOrderPlaced
from venue.core.messages.events import OrderPlaced
from venue.gym.seat import GRID_TICKS
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, SELL, SHORT

COMMANDS_A_STEP: Final = 10
MAKERS: Final = 4
TAKERS: Final = 2
RESTING: Final = 48  # orders of the maker before the first step
WIDTH: Final = 24  # grid steps from the walking price within which it quotes
LOTS_LEAST: Final = 10  # the smallest order
LOTS: Final = 40_000  # the largest order of the maker
TAKEN: Final = 8_000  # the largest of the taker
AWAY: Final = 200  # grid steps beyond the price that a taker accepts
CHUNK: Final = 256  # steps whose numbers are drawn at once
STILL: Final = 3  # of so many steps one moves the price
# Compiled, a name of another module is looked up at every use, a constant of this one is not.
PLACED: Final = (OrderPlaced, ContractOrderPlaced)


class SpotOrders:
    """The commands of a spot market; prices in grid steps."""

    def __init__(self, symbol: str) -> None:
        self._symbol = symbol

    def place(self, uid: int, side: int, tif: int, lots: int, price: int, time: int) -> Command:
        """Return a limit order."""
        ticks = price * GRID_TICKS
        return PlaceOrder(uid, self._symbol, side, LIMIT, tif, lots, ticks, "", b"", time)

    def cancel(self, uid: int, order_id: int, time: int) -> Command:
        """Return the command that cancels an order."""
        return CancelOrder(uid, order_id, "", b"", time)


class ContractOrders:
    """The commands of a contract: a buyer opens long, a seller opens short."""

    def __init__(self, symbol: str) -> None:
        self._symbol = symbol

    def place(self, uid: int, side: int, tif: int, lots: int, price: int, time: int) -> Command:
        """Return a limit order that opens."""
        position_side = LONG if side == BUY else SHORT
        ticks = price * GRID_TICKS
        return PlaceContractOrder(
            uid, self._symbol, side, position_side, LIMIT, tif, lots, ticks, time=time
        )

    def cancel(self, uid: int, order_id: int, time: int) -> Command:
        """Return the command that cancels an order."""
        return CancelContractOrder(uid, order_id, time=time)


class Flow:
    """The simulated traders of one symbol: a maker and a taker, by uid. `start` is the price in
    grid steps at which a walk starts, `stir` the size of one move."""

    def __init__(
        self,
        engine: Engine,
        orders: SpotOrders | ContractOrders,
        who: tuple[int, int],
        start: int,
        stir: int = 1,
    ) -> None:
        self._engine = engine
        self._orders = orders
        self._stir = stir
        self._maker, self._taker = who
        self._start = start
        self._resting: deque[int] = deque()
        self._kept: tuple[int, ...] = ()
        self._numbers: list[list[int]] = []
        self._random = np.random.default_rng(0)
        self.price = start

    def settle(self, time: int) -> None:
        """Place the first orders: each episode starts in this state."""
        random = np.random.default_rng(0)
        for number in range(RESTING):
            away = 1 + number // 2 % WIDTH
            lots = int(random.integers(1_000, LOTS))
            side = BUY if number % 2 else SELL
            self._rest(side, self._start - away if side == BUY else self._start + away, lots, time)
        self._kept = tuple(self._resting)

    def begin(self, seed: int) -> None:
        """Start another walk, after the state was reverted to that of `settle`."""
        self._random = np.random.default_rng(seed)
        self._resting = deque(self._kept)
        self._numbers = []
        self.price = self._start

    def step(self, time: int) -> None:
        """The commands of one step, at this time (µs)."""
        if not self._numbers:
            self._draw()
        numbers = self._numbers.pop()
        self.price = max(AWAY + WIDTH + 1, self.price + self._stir * numbers[0])
        engine, orders, resting, price = self._engine, self._orders, self._resting, self.price
        for at in range(1, 1 + 2 * MAKERS, 2):
            away, lots = numbers[at], numbers[at + 1]
            self._rest(BUY if away < 0 else SELL, price + away, lots, time)
            if len(resting) > RESTING:
                engine.apply(orders.cancel(self._maker, resting.popleft(), time))
        for at in range(1 + 2 * MAKERS, 1 + 2 * (MAKERS + TAKERS), 2):
            side = BUY if numbers[at] > 0 else SELL
            limit = price + AWAY if side == BUY else price - AWAY
            engine.apply(orders.place(self._taker, side, IOC, numbers[at + 1], limit, time))

    def _rest(self, side: int, price: int, lots: int, time: int) -> None:
        order = self._orders.place(self._maker, side, GTC, lots, price, time)
        placed = self._engine.apply(order)[0]
        if isinstance(placed, PLACED):  # not beyond the price band
            self._resting.append(placed.order_id)

    def _draw(self) -> None:
        """Draw the numbers of the next steps: a move, then distance and lots of each order."""
        random = self._random
        moves = random.integers(-2, 3, CHUNK) * (random.integers(0, STILL, CHUNK) == 0)
        columns = [moves]
        for _ in range(MAKERS):
            sides = random.integers(0, 2, CHUNK) * 2 - 1
            columns += [
                sides * random.integers(1, WIDTH, CHUNK),
                random.integers(LOTS_LEAST, LOTS, CHUNK),
            ]
        for _ in range(TAKERS):
            columns += [random.integers(0, 2, CHUNK), random.integers(LOTS_LEAST, TAKEN, CHUNK)]
        self._numbers = np.stack(columns, axis=1).tolist()
