"""Liquidity agents: makers quote ladders around a drifting reference, takers trade by parameters.

Deterministic given the seed, the times of the steps and the engine's state. An agent reads the
engine between commands and answers with commands, which are submitted in the ordinary way.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

import msgspec

from venue.core.engine import Engine
from venue.core.ledger.accounts import Account
from venue.core.messages.commands import Command, CreateOwner, Deposit, PlaceOrder
from venue.core.messages.quote_commands import MakerQuotes, MoveQuotes, Quote
from venue.core.spot.account import SpotMarket
from venue.core.units import PPM
from venue.lab.agents.chance import Chance
from venue.lab.agents.habits import MakerHabit, TakerHabit
from venue.lab.agents.ladder import Ladder
from venue.node.references import References
from venue.node.reverting import random_state
from venue.vocabulary import (
    BUY,
    IOC,
    MARKET,
    PRODUCT_SPOT,
    SELL,
    WALLET_SPOT,
    SelfTrade,
)

STEP_US: Final = 1_000_000  # venue time between two steps
REVERSION_PPB: Final = 100_000  # share of its distance that the reference returns per step
PPB: Final = 1_000_000_000
NOISE_PPM: Final = 134  # four draws up to this, either way: 0.12 % in a minute (standard deviation)
TURN_PPM: Final = 150_000  # how often a taker without an opinion turns from buying to selling
_decode: Final = msgspec.msgpack.Decoder(tuple[Any, ...]).decode
IMPACT_PPM: Final = 100_000  # share of the way to the last trade that the reference goes per step


MAKERS: Final = (
    MakerHabit("tight", edge_ppm=20, gap_ppm=100, levels=6, size_units=8_000),
    MakerHabit("steady", edge_ppm=200, gap_ppm=180, levels=20, size_units=12_000),
    MakerHabit("wide", edge_ppm=4_000, gap_ppm=6_000, levels=12, size_units=150_000),
)
TAKERS: Final = (
    TakerHabit("noise", chance_ppm=850_000, size_units=900, follows=False),
    TakerHabit("trend", chance_ppm=300_000, size_units=2_500, follows=True),
    TakerHabit("whale", chance_ppm=10_000, size_units=60_000, follows=False),
)
MONEY_UNITS: Final = 200_000_000  # quote units each agent begins with, in quote and in base


class Agents:
    """The agents of all spot markets of the venue; `references` are the first prices in ticks.

    A price that an operator sets for a market replaces the random walk.
    """

    def __init__(self, engine: Engine, seed: int, references: dict[str, int]) -> None:
        self._engine = engine
        self._told = References(engine)
        self._ladders = {
            (symbol, habit.name): Ladder(f"agent-{habit.name}-{symbol}", habit.levels)
            for symbol in references
            for habit in MAKERS
        }
        self._random = Random(f"agents {seed}")  # noqa: S311 - a market, not a secret
        self._chance = Chance(self._random)
        self._starts = dict(references)
        self._references = dict(references)
        self._moves = dict.fromkeys(references, 0)
        # The side that takers without an opinion are on: large orders are worked off in parts, so
        # the signs of a market's orders have a memory.
        self._sides = dict.fromkeys(references, int(BUY))

    def founding(self) -> list[Command]:
        """Return the commands that create missing owners of the agents."""
        names = self._engine.uids
        return [
            CreateOwner(name, int(SelfTrade.EXPIRE_TAKER), agent=True)
            for name in self._names()
            if name not in names
        ]

    def funding(self) -> list[Command]:
        """Return the commands that give agents without money their first."""
        commands: list[Command] = []
        for name in self._names():
            account = self._account(name)
            if any(balance.free or balance.locked for balance in account.spot):
                continue
            market = self._engine.spot_markets[name.rpartition("-")[2]]
            amount = self._atoms(market, MONEY_UNITS)
            lots = amount // (self._starts[market.symbol] * market.unit_atoms)
            ledger = self._engine.ledger
            commands += [
                Deposit(account.uid, WALLET_SPOT, ledger.assets[market.quote].name, amount),
                Deposit(
                    account.uid,
                    WALLET_SPOT,
                    ledger.assets[market.base].name,
                    lots * market.lot_atoms,
                ),
            ]
        return commands

    def resume(self) -> None:
        """Set the references to the last trades, as after a restart."""
        for symbol in self._references:
            last = self._engine.spot_markets[symbol].last_price
            self._references[symbol] = last or self._references[symbol]

    def dump(self) -> bytes:
        """Return the agents' state as msgpack: it decides their next actions."""
        state = (self._random.getstate(), self._references, self._moves, self._sides)
        return msgspec.msgpack.encode(state)

    def restore(self, data: bytes) -> None:
        """Restore the state that was dumped."""
        state = _decode(data)
        drawn, self._references, self._moves, self._sides = state
        self._random.setstate(random_state(drawn))

    def step(self) -> list[Command]:
        """Return the next commands of all agents: first makers move their quotes, then takers
        trade."""
        moves: list[Command] = []
        takes: list[Command] = []
        for symbol in self._starts:
            market = self._engine.spot_markets[symbol]
            if market.halted:
                continue
            self._drift(symbol)
            makers = [quotes for habit in MAKERS if (quotes := self._quotes(market, habit))]
            if makers:
                moves.append(MoveQuotes(PRODUCT_SPOT, symbol, makers))
            for taker in TAKERS:
                if self._chance.below(PPM) < taker.chance_ppm:
                    takes.append(self._take(market, taker))
        return moves + takes

    def _names(self) -> list[str]:
        habits = [habit.name for habit in MAKERS] + [habit.name for habit in TAKERS]
        return [f"agent-{habit}-{symbol}" for symbol in self._starts for habit in habits]

    def _account(self, name: str) -> Account:
        return self._engine.account(self._engine.uids[name])

    def _atoms(self, market: SpotMarket, units: int) -> int:
        return units * int(10 ** self._engine.assets[market.quote].scale)

    def _drift(self, symbol: str) -> None:
        """Move the reference randomly, and pull it back to where it began.

        Steps are rounded to the nearest tick: rounding down would make the price fall for hours.
        """
        price, start = self._references[symbol], self._starts[symbol]
        if told := self._told.price(symbol):
            self._moves[symbol] = told - price
            self._references[symbol] = told
            return
        noise = sum([self._chance.between(-NOISE_PPM, NOISE_PPM) for _ in range(4)])
        pull = (start - price) * REVERSION_PPB // start
        self._moves[symbol] = noise
        last = self._engine.spot_markets[symbol].last_price or price
        impact = ((last - price) * IMPACT_PPM + PPM // 2) // PPM
        walked = (price * (noise * 1_000 + pull) + PPB // 2) // PPB
        self._references[symbol] = max(1, price + impact + walked)

    def _quotes(self, market: SpotMarket, habit: MakerHabit) -> MakerQuotes | None:
        """Keep the ladder on a grid around the reference: cancel quotes that left it, fill its
        gaps."""
        ladder = self._ladders[market.symbol, habit.name]
        account = self._engine.spot_account(self._engine.uids[ladder.owner])
        uid = account.account.uid
        reference = self._references[market.symbol]
        gap = max(1, self._starts[market.symbol] * habit.gap_ppm // PPM)
        ladder.put(reference, max(1, reference * habit.edge_ppm // PPM), gap)
        if ladder.stands(account.orders):
            return None
        quotes = MakerQuotes(uid, [], [])
        wanted = ladder.wanted
        have: dict[int, int] = {}
        for order in account.orders.values():
            key = order.price if order.side == BUY else -order.price
            if key in wanted:
                have[key] = order.order_id
            else:
                quotes.canceled.append(order.order_id)
        for key in wanted:
            if key not in have:
                side, price = (BUY, key) if key > 0 else (SELL, -key)
                lots = self._lots(market, price, habit.size_units)
                quotes.placed.append(Quote(side, 0, lots, price))
        ladder.note(account.orders, whole=len(have) == len(wanted))
        return quotes if quotes.canceled or quotes.placed else None

    def _take(self, market: SpotMarket, habit: TakerHabit) -> Command:
        account = self._account(f"agent-{habit.name}-{market.symbol}")
        if self._chance.below(PPM) < TURN_PPM:
            self._sides[market.symbol] = SELL if self._sides[market.symbol] == BUY else BUY
        side = self._sides[market.symbol]
        if habit.follows:
            side = BUY if self._moves[market.symbol] > 0 else SELL
        side = self._affordable(account, market, side)
        lots = self._lots(market, self._references[market.symbol], habit.size_units)
        return PlaceOrder(account.uid, market.symbol, side, MARKET, IOC, lots, 0)

    def _affordable(self, account: Account, market: SpotMarket, side: int) -> int:
        """Return the side that a taker can afford: the wanted one, or the other when its money or
        base runs low. So takers never run out of one side."""
        half = self._atoms(market, MONEY_UNITS) // 2
        if account.spot[market.quote].free < half:
            return SELL
        base_lots = account.spot[market.base].free // market.lot_atoms
        if base_lots * self._starts[market.symbol] * market.unit_atoms < half:
            return BUY
        return side

    def _lots(self, market: SpotMarket, price: int, units: int) -> int:
        """Return a random size around `units` of quote at `price`."""
        amount = self._atoms(market, units) * self._chance.between(20, 180) // 100
        lots: int = amount // (price * market.unit_atoms)
        return max(market.quantity_min, min(lots, market.instrument.market_quantity_max))
