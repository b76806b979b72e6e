"""A judge of service: whether honest makers, owners of stops, and followers are hindered."""

from __future__ import annotations

from typing import Final

from properties.hearing import must
from properties.moving_judge import MovingJudge
from properties.moving_world import FUND_UID, UIDS, World
from venue.core.contract.position import equity, maintenance
from venue.core.contract.records import Perpetual, Position
from venue.core.engine import Engine
from venue.core.messages import commands as c
from venue.core.messages import contract_events as t
from venue.core.messages.commands import Command
from venue.core.messages.events import Event
from venue.core.units import PPB, PPM
from venue.vocabulary import CANCELED, EXPIRED, IOC, LONG, MARKET, SELL, Cause

LINES_MAX: Final = 500  # of the engine for an order and for each of its events
LOOKED_MAX: Final = 40  # resting orders that one command asks in vain: those a tick has not seen
DUE_MAX: Final = 20  # seconds with a maker at the mark in which a due copy is closed
QUOTED: Final = 60  # lots of the maker on each side
HONEST: Final = tuple(UIDS[name] for name in ("sue", "hedger", "rex"))


class ServiceJudge:
    """Asks after each command whether honest people got what they are promised."""

    def __init__(self, world: World, engine: Engine) -> None:
        self.world = world
        self.engine = engine
        self.moving = MovingJudge(world, engine)
        self.trades = self.liquidations = 0
        self.looked = 0
        self.due: dict[str, int] = {}  # seconds in which a follower's copy could have been closed
        self.asked = 0  # honest orders that were judged
        self.ready: set[str] = set()
        self.quoted: set[str] = set()
        self.taken: dict[str, int] = {}  # of the maker's lots, by a command and what it leaves
        self.fired: dict[tuple[int, str], None] = {}  # stops that it triggered
        self.sides: dict[int, int] = {}  # of positions by id
        self.lines = 0  # of the engine that the last command ran through, where they are counted

    def show(self, time: int) -> None:
        """True prices have moved."""
        self.moving.show(time)

    def unsure(self) -> None:
        """True prices are not shown yet."""
        self.moving.unsure()

    def judge(self, command: Command, events: list[Event]) -> None:
        trades = [event for event in events if isinstance(event, t.ContractTrade)]
        self.trades += len(trades)
        self.liquidations += sum([isinstance(e, t.LiquidationStarted) for e in events])
        if self.moving.true:
            self._rests(command, events)
            self._fills(command, events, trades)
            self._works(command, events, trades)
            self._stops(command, events, trades)
            self._deleveraged(events, trades)
            if isinstance(command, c.Tick):
                self._premiums()
                self._copies()
        self.looked = self.engine.contracts.looked
        self.sides = {
            number: position.side
            for perp in self.moving.perps()
            for number, position in perp.positions.items()
        }
        stand = [perp for perp in self.moving.perps() if self._quoted(perp)]
        self.quoted = {perp.symbol for perp in stand}
        self.ready = {perp.symbol for perp in stand if self._ready(perp)}

    def _ready(self, perp: Perpetual) -> bool:
        """Whether the maker stands on both sides of a contract without doubt, at its index."""
        asset = self.world.assets.get(perp.symbol)
        return asset is not None and perp.index_price == asset.price and self._quoted(perp)

    def _quoted(self, perp: Perpetual) -> bool:
        """Whether it stands there at the true price, wherever the index is on its way."""
        asset = self.world.assets.get(perp.symbol)
        if asset is None or perp.in_doubt() or perp.market.halted:
            return False
        holding = self.engine.contracts.collateral.holdings.get(UIDS["maker"])
        if holding is None:
            return False
        listed = perp.market.instrument
        band = min(listed.buy_band_ppm, listed.sell_band_ppm, listed.market_band_ppm)
        sides = [
            order.side
            for order in holding.orders.values()
            if order.market is perp.market
            and abs(order.price - asset.price) == 1
            and order.remaining == order.quantity
            and abs(order.price - perp.mark) * PPM <= perp.mark * band // 2
            and order.order_id not in perp.market.book.parked
        ]
        return len(sides) >= 2 and len(set(sides)) == 2

    def _rests(self, command: Command, events: list[Event]) -> None:
        """An honest limit order that may be placed is filled or rests."""
        if not isinstance(command, c.PlaceContractOrder) or command.uid not in (
            UIDS["maker"], *HONEST,
        ):  # fmt: skip
            return
        if command.type == MARKET or command.time_in_force == IOC or not events:
            return
        placed = events[0]
        if not isinstance(placed, t.ContractOrderPlaced) or placed.position_id:
            return
        self.asked += 1
        for event in events:
            if isinstance(event, t.ContractOrderClosed) and event.order_id == placed.order_id:
                must(
                    event.status not in (CANCELED, EXPIRED),
                    "an honest order of", command.uid, "at", command.price, "may not rest",
                )  # fmt: skip

    def _fills(self, command: Command, events: list[Event], trades: list[t.ContractTrade]) -> None:
        """A close at market of an honest owner is filled while the maker stands there, and at the
        maker's price or better."""
        for trade in trades:
            if trade.taker.uid not in HONEST or trade.taker.opens:
                continue
            if trade.cause not in (Cause.CLOSE, Cause.TRIGGER) or trade.symbol not in self.ready:
                continue
            if taken_from_maker(trades, trade.symbol) >= QUOTED:
                continue
            price = self.world.assets[trade.symbol].price
            sells = trade.taker_side == SELL
            worse = price - 1 - trade.price if sells else trade.price - price - 1
            must(worse <= 0, "a close was filled at", trade.price, "and the maker stood at", price)
        if not isinstance(command, c.ClosePositions) or command.uid not in HONEST:
            return
        for event in events:
            if not isinstance(event, t.ClosedAtMarket) or command.symbol not in self.ready:
                continue
            left = self.engine.holding(command.uid).positions.get(event.position_id)
            self.asked += 1
            gone = taken_from_maker(trades, command.symbol) >= QUOTED
            must(
                left is None or gone or self.engine.pending(),
                "position", event.position_id, "is not closed, and the maker stands there",
            )  # fmt: skip

    def _works(self, command: Command, events: list[Event], trades: list[t.ContractTrade]) -> None:
        """A command asks few orders that it neither fills nor ends."""
        if not isinstance(command, c.PlaceContractOrder):
            return
        ended = sum([isinstance(event, t.ContractOrderClosed) for event in events])
        known = len(trades) + ended
        must(
            self.lines <= LINES_MAX * (1 + len(events)),
            "an order runs through", self.lines, "lines and says", len(events), "events",
        )  # fmt: skip
        vain = self.engine.contracts.looked - self.looked - known
        must(vain <= LOOKED_MAX, "an order asked", vain, "orders in vain")

    def _stops(self, command: Command, events: list[Event], trades: list[t.ContractTrade]) -> None:
        """A stop of an honest owner leaves nothing open while the maker stands at the mark."""
        if not isinstance(command, c.Proceed):
            self.taken, self.fired = {}, {}
        for symbol in self.world.assets:
            taken = taken_from_maker(trades, symbol)
            self.taken[symbol] = self.taken.get(symbol, 0) + taken
        for event in events:
            if not isinstance(event, t.AlgoTriggered) or event.reason:
                continue
            if event.uid in HONEST and event.symbol in self.quoted:
                self.fired[event.uid, event.symbol] = None
        if self.engine.pending():
            return
        for uid, symbol in self.fired:
            perp = self.engine.contracts.markets[symbol]
            if self.taken.get(symbol, 0) >= QUOTED or perp.refuses_opening() or perp.market.halted:
                continue
            left = [
                position.quantity
                for position in self.engine.holding(uid).positions.values()
                if position.perp is perp and position.side == LONG
            ]
            must(not left, "a stop of", uid, "leaves", left, "lots and the maker stands there")
        self.fired = {}

    def _deleveraged(self, events: list[Event], trades: list[t.ContractTrade]) -> None:
        """Nobody is deleveraged before one with a higher score who could bear it (rule 7.5)."""
        touched = {leg.position_id for x in trades for leg in (x.maker, x.taker)}
        for event in events:
            if not isinstance(event, t.Deleveraged) or event.uid == FUND_UID:
                continue
            side = self.sides.get(event.position_id)
            perp = self.engine.contracts.markets[event.symbol]
            for position in perp.positions.values():
                account = position.pool.account
                if position.side != side or account.uid == FUND_UID:
                    continue
                if position.position_id in touched or not bears(position, event.price):
                    continue
                must(
                    rank(position) <= event.score + abs(event.score) // 50 + 2,
                    "a position of", event.uid, "with score", event.score,
                    "is deleveraged before one of", account.uid, "with", rank(position),
                )  # fmt: skip

    def _premiums(self) -> None:
        """A premium is of orders that can be hit: beyond the maker's there are none after it has
        taken what is offered."""
        for perp in self.moving.perps():
            if perp.symbol in self.ready and self._ready(perp):
                most = 3 * PPB // perp.index_price + 1
                must(
                    abs(perp.premium_ppb) <= most or perp.premium_time < self.engine.time,
                    "the premium of", perp.symbol, "is", perp.premium_ppb, "and not", most,
                )  # fmt: skip

    def _copies(self) -> None:
        """A due copy is closed once the maker stands at the mark."""
        trader = self.engine.copying.books.traders.get(UIDS["fay"])
        if trader is None or self.engine.account(UIDS["fay"]).frozen:
            return
        for following in trader.followings.values():
            for copy in following.copies.values():
                symbol = copy.track.perp.symbol
                due = copy.due > 0 and symbol in self.ready
                self.due[symbol] = self.due.get(symbol, 0) + 1 if due else 0
                must(self.due[symbol] <= DUE_MAX, "a copy is due for", self.due[symbol], "s")


def taken_from_maker(trades: list[t.ContractTrade], symbol: str) -> int:
    """The maker's lots that were taken."""
    own = [x for x in trades if x.symbol == symbol and x.maker.uid == UIDS["maker"]]
    return sum([trade.quantity for trade in own])


def rank(position: Position) -> int:
    """Profit rate x effective leverage in millionths; of those who lose, the profit rate over that
    leverage."""
    size = position.quantity * position.perp.unit
    at_mark = size * position.perp.mark
    gain = position.side * (at_mark - position.value)
    own = max(1, equity(position.pool))
    if gain > 0:
        return gain * at_mark * PPM // (max(1, position.value) * own)
    return -(-gain * own * PPM // max(1, position.value * at_mark))


def bears(position: Position, price: int) -> bool:
    """Whether it could close all its lots at a price and keep what its pool needs."""
    size = position.quantity * position.perp.unit
    lost = position.side * (position.perp.mark - price) * size
    return equity(position.pool) - max(0, lost) > maintenance(position.pool)
