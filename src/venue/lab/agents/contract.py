"""Contract agents: makers that quote ladders around the index, takers that go long and short.

Deterministic given the seed and the engine's state, like the spot agents: they look at the engine
between commands and answer with commands, which go through the ordinary submit path.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

import msgspec

from venue.core.contract.position import find_position
from venue.core.contract.records import Holding, Perpetual
from venue.core.engine import Engine
from venue.core.messages.commands import (
    Command,
    CreateOwner,
    Deposit,
    PlaceContractOrder,
    PostIndex,
    SetLeverage,
)
from venue.core.messages.quote_commands import MakerQuotes, MoveQuotes, Quote
from venue.core.units import PPB, PPM
from venue.lab.agents.chance import Chance
from venue.lab.agents.habits import MakerHabit, TakerHabit
from venue.lab.agents.ladder import Ladder
from venue.node.reverting import random_state
from venue.vocabulary import (
    BUY,
    IOC,
    LONG,
    MARKET,
    PRODUCT_CONTRACT,
    SELL,
    SHORT,
    WALLET_CONTRACT,
    SelfTrade,
)

MAKERS: Final = (
    MakerHabit("tight", edge_ppm=50, gap_ppm=120, levels=5, size_units=12_000),
    MakerHabit("deep", edge_ppm=600, gap_ppm=900, levels=12, size_units=80_000),
)
TAKERS: Final = (
    TakerHabit("noise", chance_ppm=250_000, size_units=1_500, follows=False),
    TakerHabit("trend", chance_ppm=80_000, size_units=4_000, follows=True),
)
MONEY_UNITS: Final = 20_000_000  # units of the settle asset each agent begins with
LEVERAGE: Final = 5  # every tier allows it
MAKER_UNITS: Final = 15_000_000  # notional of one side beyond which a maker only closes
TAKER_UNITS: Final = 250_000  # notional of both sides at which a taker only closes
SKEW_PPM: Final = 150  # how far a full position moves a maker's quotes towards closing it
# The basis (ppb of the index) walks around its target: a tenth of a per mille either way.
BASIS_TARGET_PPB: Final = 50_000
BASIS_STEP_PPB: Final = 11_000
BASIS_PULL_PPM: Final = 2_500
_decode: Final = msgspec.msgpack.Decoder(
    tuple[tuple[Any, ...], dict[str, int], dict[str, int], dict[str, bool]]
).decode
POST_US: Final = 3_000_000  # a posted index that has not changed is posted again, as it gets stale


class ContractAgents:
    """The agents of all contracts of the venue.

    `followed` names, for each contract, the live contract whose index it takes: that index is
    posted under `source`, if the contract has such a source. A contract that follows itself has its
    own random index.
    """

    def __init__(self, engine: Engine, seed: int, followed: dict[str, str], source: str) -> None:
        self._engine = engine
        self._random = Random(f"contract agents {seed}")  # noqa: S311 - a market, not a secret
        self._chance = Chance(self._random)
        self._ladders = {
            (symbol, habit.name): Ladder(_name(habit, symbol), habit.levels)
            for symbol in followed
            for habit in MAKERS
        }
        self._followed = dict(followed)
        self._source = source
        self._basis = dict.fromkeys(followed, BASIS_TARGET_PPB)
        self._references = dict.fromkeys(followed, 0)
        self._rising = dict.fromkeys(followed, True)

    def founding(self) -> list[Command]:
        """Return the commands that create missing owners of the agents."""
        names = self._engine.uids
        return [
            CreateOwner(_name(habit, symbol), int(SelfTrade.EXPIRE_TAKER), agent=True)
            for symbol in self._followed
            for habit in (*MAKERS, *TAKERS)
            if _name(habit, symbol) not in names
        ]

    def funding(self) -> list[Command]:
        """Return the commands that give agents without money their first, and set a low
        leverage."""
        commands: list[Command] = []
        for symbol in self._followed:
            perp = self._engine.perps[symbol]
            asset = self._engine.assets[perp.asset].name
            for habit in (*MAKERS, *TAKERS):
                uid = self._uid(_name(habit, symbol))
                pool = self._engine.holding(uid).cross(perp.asset)
                if pool.cash.collateral or pool.positions:
                    continue
                amount = self._atoms(perp, MONEY_UNITS)
                commands.append(Deposit(uid, WALLET_CONTRACT, asset, amount))
                commands.append(SetLeverage(uid, symbol, cross=LEVERAGE))
        return commands

    def dump(self) -> bytes:
        """Return the agents' state as msgpack: it decides their next actions."""
        state = (self._random.getstate(), self._basis, self._references, self._rising)
        return msgspec.msgpack.encode(state)

    def restore(self, data: bytes) -> None:
        """Restore the state that was dumped."""
        drawn, self._basis, self._references, self._rising = _decode(data)
        self._random.setstate(random_state(drawn))

    def step(self, now: int) -> list[Command]:
        """Return the next commands of all agents: indexes, then makers' quotes, then takers'
        orders."""
        posts: list[Command] = []
        moves: list[Command] = []
        takes: list[Command] = []
        for symbol in self._followed:
            perp = self._engine.perps[symbol]
            index = self._index(perp, posts, now)
            if not index or perp.market.halted:
                continue
            if perp.reopens:
                moves += self._withdrawn(perp)
                continue
            reference = self._reference(symbol, index)
            makers = [
                quotes for habit in MAKERS if (quotes := self._quotes(perp, habit, reference))
            ]
            if makers:
                moves.append(MoveQuotes(PRODUCT_CONTRACT, symbol, makers))
            for taker in TAKERS:
                if self._chance.below(PPM) < taker.chance_ppm:
                    takes += self._take(perp, taker, reference)
        return posts + moves + takes

    def posts(self, now: int) -> list[Command]:
        """Return the posts of indexes that are due at venue time `now` (µs)."""
        posts: list[Command] = []
        for symbol in self._followed:
            self._index(self._engine.perps[symbol], posts, now)
        return posts

    # -- prices ----------------------------------------------------------------------------------

    def _index(self, perp: Perpetual, posts: list[Command], now: int) -> int:
        """Post a contract's index. One that follows another takes the other's while that is
        current."""
        followed = self._followed[perp.symbol]
        if perp.settles():
            return perp.mark
        if followed == perp.symbol or self._source not in perp.contract.index_sources:
            return perp.index_price
        if perp.reopens and perp.index_price:
            return perp.index_price
        live = self._engine.perps[followed]
        if live.current:
            told = perp.sources.get(self._source)
            old = told is None or now - told.time >= POST_US
            if old or (told is not None and told.price != live.index_price):
                posts.append(PostIndex(perp.symbol, self._source, live.index_price))
        return live.index_price

    def _reference(self, symbol: str, index: int) -> int:
        """Return the price around which makers quote a contract: the index and a random basis."""
        basis = self._basis[symbol]
        pull = (BASIS_TARGET_PPB - basis) * BASIS_PULL_PPM // PPM
        basis += self._chance.between(-BASIS_STEP_PPB, BASIS_STEP_PPB) + pull
        self._basis[symbol] = basis
        reference = max(1, index + index * basis // PPB)
        if reference != self._references[symbol]:
            self._rising[symbol] = reference > self._references[symbol]
        self._references[symbol] = reference
        return reference

    # -- makers ----------------------------------------------------------------------------------

    def _quotes(self, perp: Perpetual, habit: MakerHabit, reference: int) -> MakerQuotes | None:
        """Keep the ladder on a grid around the reference: cancel quotes that left it, fill its
        gaps.

        A level closes opposite positions before it opens anything; at a price in doubt it only
        closes.
        """
        ladder = self._ladders[perp.symbol, habit.name]
        uid = self._uid(ladder.owner)
        holding = self._engine.holding(uid)
        held = {side: _held(holding, perp, side) for side in (LONG, SHORT)}
        most = max(1, self._atoms(perp, MAKER_UNITS) // (reference * perp.unit))
        skew = reference * SKEW_PPM * (held[SHORT] - held[LONG]) // (PPM * most)
        _put(ladder, habit, reference + skew)
        if ladder.stands(holding.orders):
            return None
        quotes = MakerQuotes(uid, [], [])
        wanted = ladder.wanted
        left = dict(held)
        have: set[int] = set()
        for order in holding.orders.values():
            key = order.price if order.side == BUY else -order.price
            if key not in wanted:
                quotes.canceled.append(order.order_id)
                continue
            have.add(key)
            if not order.terms.opens:
                left[order.terms.position_side] -= order.remaining
        for key in wanted:
            if key in have:
                continue
            side, price = (BUY, key) if key > 0 else (SELL, -key)
            lots = self._lots(perp, price, habit.size_units)
            position_side = SHORT if side == BUY else LONG
            if left[position_side] >= perp.market.quantity_min:
                lots = min(lots, left[position_side])
                left[position_side] -= lots
            else:
                position_side = -position_side
                if perp.doubt or held[position_side] >= most:
                    continue
            quotes.placed.append(Quote(side, position_side, lots, price))
        ladder.note(holding.orders, whole=len(have) == len(wanted))
        return quotes if quotes.canceled or quotes.placed else None

    def _withdrawn(self, perp: Perpetual) -> list[Command]:
        """Cancel all quotes: nobody quotes outside the market hours."""
        makers = []
        for habit in MAKERS:
            uid = self._uid(self._ladders[perp.symbol, habit.name].owner)
            orders = list(self._engine.holding(uid).orders)
            if orders:
                makers.append(MakerQuotes(uid, orders, []))
        return [MoveQuotes(PRODUCT_CONTRACT, perp.symbol, makers)] if makers else []

    # -- takers ----------------------------------------------------------------------------------

    def _take(self, perp: Perpetual, habit: TakerHabit, reference: int) -> list[Command]:
        """Open a long or a short, or close some: a larger position is closed sooner.

        At a price in doubt nothing is opened.
        """
        uid = self._uid(_name(habit, perp.symbol))
        holding = self._engine.holding(uid)
        held = {side: _held(holding, perp, side) for side in (LONG, SHORT)}
        most = max(1, self._atoms(perp, TAKER_UNITS) // (reference * perp.unit))
        lots = self._lots(perp, reference, habit.size_units)
        if self._chance.below(most) < held[LONG] + held[SHORT]:
            position_side = LONG if held[LONG] >= held[SHORT] else SHORT
            lots = min(lots, held[position_side])
            side = SELL if position_side == LONG else BUY
        elif perp.doubt:
            return []
        else:
            position_side = LONG if self._chance.below(2) else SHORT
            if habit.follows:
                position_side = LONG if self._rising[perp.symbol] else SHORT
            side = BUY if position_side == LONG else SELL
        if lots < perp.market.quantity_min:
            return []
        return [PlaceContractOrder(uid, perp.symbol, side, position_side, MARKET, IOC, lots, 0)]

    def _uid(self, owner: str) -> int:
        return self._engine.uids[owner]

    def _atoms(self, perp: Perpetual, units: int) -> int:
        return units * int(10 ** self._engine.assets[perp.asset].scale)

    def _lots(self, perp: Perpetual, price: int, units: int) -> int:
        """Return a random size around `units` of the settle asset at `price`."""
        amount = self._atoms(perp, units) * self._chance.between(20, 180) // 100
        lots: int = amount // (price * perp.unit)
        return max(
            perp.market.quantity_min, min(lots, perp.contract.instrument.market_quantity_max)
        )


def _name(habit: MakerHabit | TakerHabit, symbol: str) -> str:
    return f"agent-contract-{habit.name}-{symbol}"


def _held(holding: Holding, perp: Perpetual, side: int) -> int:
    position = find_position(holding.modes_in(perp), side)
    return position.quantity if position is not None else 0


def _put(ladder: Ladder, habit: MakerHabit, reference: int) -> None:
    """Move a ladder. Its grid is based on a power of two near the reference, so it stays while the
    reference moves."""
    gap = max(1, (1 << (reference.bit_length() - 1)) * habit.gap_ppm // PPM)
    ladder.put(reference, max(1, reference * habit.edge_ppm // PPM), gap)
