"""A desk to test contract orders at: two contracts, named owners, and commands in few words."""

from __future__ import annotations

from typing import TypeVar

from venue.core.book.book import Order
from venue.core.contract.conditional.waiting import follow
from venue.core.contract.records import Algo, Holding, Perpetual, Position, Terms
from venue.core.engine import Engine
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages import commands
from venue.core.messages.commands import NO_EXIT, Command, Exit
from venue.core.messages.contract_events import (
    AlgoPlaced,
    ContractOrderPlaced,
    ContractTrade,
    LeverageSet,
)
from venue.core.messages.events import Event, OwnerCreated, Rejected
from venue.core.state import audit, snapshot
from venue.core.units import AMOUNT_MAX, FIRST_ID
from venue.vocabulary import (
    AlgoType,
    OrderType,
    PositionSide,
    PriceSource,
    Side,
    TimeInForce,
    Wallet,
)

BUY, SELL = int(Side.BUY), int(Side.SELL)
LIMIT, MARKET = int(OrderType.LIMIT), int(OrderType.MARKET)
GTC, IOC = int(TimeInForce.GTC), int(TimeInForce.IOC)
FOK, POST_ONLY = int(TimeInForce.FOK), int(TimeInForce.POST_ONLY)
LONG, SHORT = int(PositionSide.LONG), int(PositionSide.SHORT)
LAST, MARK = int(PriceSource.CONTRACT_PRICE), int(PriceSource.MARK_PRICE)
STOP, STOP_MARKET = int(AlgoType.STOP), int(AlgoType.STOP_MARKET)
TAKE_PROFIT = int(AlgoType.TAKE_PROFIT)
TAKE_PROFIT_MARKET = int(AlgoType.TAKE_PROFIT_MARKET)
TRAILING = int(AlgoType.TRAILING_STOP_MARKET)
CONTRACT = int(Wallet.CONTRACT)

SECOND = 1_000_000
PRICE = 1_000  # where everything starts, in ticks of 1
UNIT = 100  # atoms of one tick x lot
PLENTY = 10**12
NOBODY = 3  # no owner's uid
ID = FIRST_ID  # the first id of every counter
SYMBOL, OTHER = "BTCUSDT", "ETHUSDT"
SOURCE = "desk"
POSITION_MAX, OPEN_INTEREST_MAX = 4_000, 16_000


def contract(base: str = "BTC") -> Contract:
    """Tick and step of 1, three tiers (up to 2,000 and 3,000 lots at `PRICE`), fees 0.02/0.06 %."""
    instrument = Instrument(f"{base}USDT", base, "USDT", 1, 0, 1, 0, 2, 4_500, 1_000, 200, 600)
    tiers = [
        Tier(2_000 * PRICE * UNIT, 50, 8_000),
        Tier(3_000 * PRICE * UNIT, 25, 16_000),
        Tier(AMOUNT_MAX, 10, 40_000),
    ]
    return Contract(
        instrument, 50, POSITION_MAX, OPEN_INTEREST_MAX, tiers, index_sources=(SOURCE,),
    )  # fmt: skip


class Desk:
    """An engine with both contracts, and its owners by name; marks stand at `PRICE`."""

    def __init__(self, *names: str, self_trade: int = 0, money: int = PLENTY) -> None:
        self.engine = Engine()
        self.uids: dict[str, int] = {}
        self.time = 1_700_000_000 * SECOND
        for asset in ("USDT", "BTC", "ETH"):
            self.ok(commands.RegisterAsset(asset, 2))
        for base in ("BTC", "ETH"):
            self.ok(commands.ListContract(contract(base)))
        for symbol in (SYMBOL, OTHER):
            self.post(PRICE, symbol)
        for name in names:
            self.owner(name, self_trade, money)

    def apply(self, command: Command) -> list[Event]:
        """Apply at the desk's time; refusals must leave the state hash alone, nothing may break."""
        command.time = self.time
        before = snapshot.state_hash(self.engine)
        events = self.engine.apply(command)
        if any(isinstance(event, Rejected) for event in events):
            assert len(events) == 1
            assert snapshot.state_hash(self.engine) == before
        assert audit.problems(self.engine) == []
        return events

    def ok(self, command: Command) -> list[Event]:
        events = self.apply(command)
        assert not any(isinstance(event, Rejected) for event in events), events
        return events

    # -- owners ----------------------------------------------------------------------------------

    def owner(self, name: str, self_trade: int = 0, money: int = PLENTY) -> int:
        (created,) = self.ok(commands.CreateOwner(name, self_trade))
        assert isinstance(created, OwnerCreated)
        self.uids[name] = created.uid
        if money:
            self.deposit(name, money)
        return created.uid

    def deposit(self, name: str, amount: int) -> list[Event]:
        return self.ok(commands.Deposit(self.uids[name], CONTRACT, "USDT", amount))

    def freeze(self, name: str, frozen: bool = True) -> None:
        self.ok(commands.FreezeOwner(self.uids[name], frozen))

    def halt(self, halted: bool = True, symbol: str = SYMBOL) -> None:
        self.ok(commands.HaltInstrument(symbol, halted, "a pause", product=1))

    def modes(self, name: str, margin: int, separated: int = -1) -> list[Event]:
        return self.apply(commands.SetMarginMode(self.uids[name], SYMBOL, margin, separated))

    def leverage(
        self, name: str, cross: int = 0, long: int = 0, short: int = 0, margin_mode: int = -1
    ) -> list[Event]:
        uid = self.uids[name]
        return self.apply(
            commands.SetLeverage(uid, SYMBOL, cross, long, short, margin_mode=margin_mode)
        )

    def chosen(self, name: str) -> LeverageSet:
        """The owner's modes, as a leverage command that changes nothing states them."""
        (event, *_) = self.leverage(name)
        assert isinstance(event, LeverageSet)
        return event

    # -- prices ----------------------------------------------------------------------------------

    def perp(self, symbol: str = SYMBOL) -> Perpetual:
        return self.engine.contracts.markets[symbol]

    def post(self, price: int, symbol: str = SYMBOL) -> list[Event]:
        """A new index price, taken at once, which is the mark too."""
        events = self.ok(commands.PostIndex(symbol, SOURCE, price, jump=True))
        if price:
            assert self.perp(symbol).mark == price
        return events

    def tick(self, microseconds: int = 0) -> list[Event]:
        self.time += microseconds
        return self.ok(commands.Tick())

    def move(self, source: int, price: int) -> list[Event]:
        """The price of one source comes to `price`."""
        return self.last(price) if source == LAST else self.post(price)

    def last(self, price: int, symbol: str = SYMBOL) -> list[Event]:
        """Have two others trade at `price`; return the events of the taker's command."""
        for name in ("mia", "tom"):
            if name not in self.uids:
                self.owner(name)
        (resting,) = self.place("mia", SELL, SHORT, 2, price, symbol=symbol)
        assert isinstance(resting, ContractOrderPlaced), resting
        events = self.place("tom", BUY, LONG, 2, price, symbol=symbol)
        traded = of(events, ContractTrade)
        assert traded
        assert traded[0].price == price
        return events

    # -- orders ----------------------------------------------------------------------------------

    def command(
        self, name: str, side: int, position_side: int, quantity: int, price: int = 0,
        tif: int = GTC, client_id: str = "", *, symbol: str = SYMBOL, position_id: int = 0,
        take_profit: Exit = NO_EXIT, stop_loss: Exit = NO_EXIT,
    ) -> commands.PlaceContractOrder:  # fmt: skip
        """A LIMIT order, or a MARKET order where the price is 0."""
        type_, tif = (LIMIT, tif) if price else (MARKET, IOC)
        return commands.PlaceContractOrder(
            self.uids.get(name, NOBODY), symbol, side, position_side, type_, tif, quantity, price,
            client_id, position_id=position_id, take_profit=take_profit, stop_loss=stop_loss,
        )  # fmt: skip

    def place(
        self, name: str, side: int, position_side: int, quantity: int, price: int = 0,
        tif: int = GTC, client_id: str = "", *, symbol: str = SYMBOL, position_id: int = 0,
        take_profit: Exit = NO_EXIT, stop_loss: Exit = NO_EXIT,
    ) -> list[Event]:  # fmt: skip
        command = self.command(
            name, side, position_side, quantity, price, tif, client_id, symbol=symbol,
            position_id=position_id, take_profit=take_profit, stop_loss=stop_loss,
        )  # fmt: skip
        return self.apply(command)

    def rest(
        self, name: str, side: int, position_side: int, quantity: int, price: int,
        client_id: str = "", position_id: int = 0,
    ) -> int:  # fmt: skip
        """Place an order that must rest whole; its id."""
        (placed,) = self.place(
            name, side, position_side, quantity, price, client_id=client_id, position_id=position_id
        )
        assert isinstance(placed, ContractOrderPlaced), placed
        assert placed.resting == quantity
        return placed.order_id

    def bids(self, name: str, quantity: int, price: int) -> int:
        """Somebody to sell to: a resting order that opens long."""
        return self.rest(name, BUY, LONG, quantity, price)

    def asks(self, name: str, quantity: int, price: int) -> int:
        """Somebody to buy from: a resting order that opens short."""
        return self.rest(name, SELL, SHORT, quantity, price)

    def pair(self, long: str, short: str, quantity: int, price: int = PRICE) -> None:
        """Open (or add to) both sides' positions with one trade; the long is the taker."""
        self.asks(short, quantity, price)
        assert len(of(self.place(long, BUY, LONG, quantity, price, IOC), ContractTrade)) == 1

    def cancel(self, name: str, order_id: int = 0, client_id: str = "") -> list[Event]:
        return self.apply(commands.CancelContractOrder(self.uids[name], order_id, client_id))

    def close(self, name: str, symbol: str = "", position_id: int = 0) -> list[Event]:
        return self.apply(commands.ClosePositions(self.uids[name], symbol, position_id))

    def algo_command(
        self, name: str, side: int, position_side: int, type_: int, quantity: int, trigger: int,
        price: int = 0, source: int = LAST, client_id: str = "", *, symbol: str = SYMBOL,
        take_profit: Exit = NO_EXIT, stop_loss: Exit = NO_EXIT, callback: int = 0,
    ) -> commands.PlaceAlgo:  # fmt: skip
        return commands.PlaceAlgo(
            self.uids.get(name, NOBODY), symbol, side, position_side, type_, quantity, trigger,
            price, source, client_id, take_profit=take_profit, stop_loss=stop_loss,
            callback_ppm=callback,
        )  # fmt: skip

    def algo(
        self, name: str, side: int, position_side: int, type_: int, quantity: int, trigger: int,
        price: int = 0, source: int = LAST, client_id: str = "", *, symbol: str = SYMBOL,
        take_profit: Exit = NO_EXIT, stop_loss: Exit = NO_EXIT, callback: int = 0,
    ) -> int:  # fmt: skip
        """Place a conditional order that must wait; its id."""
        command = self.algo_command(
            name, side, position_side, type_, quantity, trigger, price, source, client_id,
            symbol=symbol, take_profit=take_profit, stop_loss=stop_loss, callback=callback,
        )  # fmt: skip
        (placed,) = self.ok(command)
        assert isinstance(placed, AlgoPlaced), placed
        return placed.algo_id

    # -- what is there ---------------------------------------------------------------------------

    def holding(self, name: str) -> Holding:
        return self.engine.holding(self.uids[name])

    def held(self, name: str, asset: int = 0) -> int:
        """The atoms that an owner's open orders hold of a settle asset."""
        return self.engine.account(self.uids[name]).contract[asset].held

    def order(self, name: str, order_id: int) -> Order[Terms]:
        return self.holding(name).orders[order_id]

    def waiting(self, name: str, algo_id: int) -> Algo:
        algo = self.holding(name).algos[algo_id]
        follow(algo)
        return algo

    def position(self, name: str, side: int = LONG, symbol: str = SYMBOL) -> Position:
        """The owner's only position of a side."""
        (found,) = self.positions(name, side, symbol)
        return found

    def positions(self, name: str, side: int = LONG, symbol: str = SYMBOL) -> list[Position]:
        held = self.holding(name).positions.values()
        return [each for each in held if each.side == side and each.perp.symbol == symbol]

    def reopened(self) -> Engine:
        """An engine loaded from this one's dump, which must be equal."""
        data = snapshot.dump(self.engine)
        engine = snapshot.load(data)
        assert snapshot.dump(engine) == data
        return engine


def floor() -> Desk:
    """ann is long and short 10, last and mark are 1000, ben buys at 985 and sells at 1015."""
    desk = Desk("ann", "ben")
    desk.pair("ann", "ben", 10)
    desk.pair("ben", "ann", 10)
    desk.bids("ben", 100, 985)
    desk.asks("ben", 100, 1_015)
    return desk


Kind = TypeVar("Kind", bound=Event)


def of(events: list[Event], kind: type[Kind]) -> list[Kind]:
    """Those events that are of one kind."""
    return [event for event in events if isinstance(event, kind)]


def the(events: list[Event], kind: type[Kind]) -> Kind:
    """The only event of one kind."""
    (found,) = of(events, kind)
    return found


def refusal(events: list[Event]) -> int:
    """The reason of a refused command."""
    (rejected,) = events
    assert isinstance(rejected, Rejected), events
    return rejected.reason
