"""A small venue to test on: BTCUSDT and ETHUSDT, named owners, and commands in few words."""

from __future__ import annotations

from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.ledger.accounts import Account
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.events import Event, OrderPlaced, OwnerCreated, Rejected, Trade
from venue.core.spot.account import SpotAccount, SpotOrder
from venue.core.state import snapshot
from venue.core.units import FIRST_ID
from venue.vocabulary import OrderType, Side, TimeInForce, Wallet

BUY, SELL = int(Side.BUY), int(Side.SELL)
LIMIT, MARKET = int(OrderType.LIMIT), int(OrderType.MARKET)
GTC, IOC = int(TimeInForce.GTC), int(TimeInForce.IOC)
FOK, POST_ONLY = int(TimeInForce.FOK), int(TimeInForce.POST_ONLY)
SPOT, CONTRACT, FUNDING = int(Wallet.SPOT), int(Wallet.CONTRACT), int(Wallet.FUNDING)

LOT = 10**4  # BTC atoms in a lot of 0.0001
UNIT = 100  # USDT atoms in a tick of 0.01 x a lot
PLENTY = 10**15
NOBODY = 1  # no owner's uid
ID = FIRST_ID  # the first id of every counter

BTCUSDT = Instrument(
    symbol="BTCUSDT",
    base="BTC",
    quote="USDT",
    tick=1,
    price_scale=2,
    step=1,
    quantity_scale=4,
    quantity_min=2,
    quantity_max=1_000_000,
    market_quantity_max=100_000,
    maker_ppm=1_000,
    taker_ppm=2_000,
)
ETHUSDT = Instrument(
    symbol="ETHUSDT",
    base="ETH",
    quote="USDT",
    tick=5,
    price_scale=2,
    step=1,
    quantity_scale=3,
    quantity_min=1,
    quantity_max=1_000_000,
    market_quantity_max=1_000_000,
    maker_ppm=0,
    taker_ppm=0,
)


class World:
    """An engine with both markets, and its owners by name."""

    def __init__(self, *names: str, self_trade: int = 0, funded: bool = True) -> None:
        self.engine = Engine()
        self.uids: dict[str, int] = {}
        self.time = 1
        for asset, scale in (("USDT", 8), ("BTC", 8), ("ETH", 8)):
            self.ok(commands.RegisterAsset(asset, scale))
        for instrument in (BTCUSDT, ETHUSDT):
            self.ok(commands.ListInstrument(instrument))
        for name in names:
            self.owner(name, self_trade, funded=funded)

    def apply(self, command: Command) -> list[Event]:
        """Apply at the world's time; refusals and repeats must leave the state hash alone."""
        command.time = self.time
        before = snapshot.state_hash(self.engine)
        events = self.engine.apply(command)
        assert self.engine.ledger.imbalance() == {}
        if events and isinstance(events[0], Rejected):
            assert len(events) == 1
            assert snapshot.state_hash(self.engine) == before
        return events

    def ok(self, command: Command) -> list[Event]:
        events = self.apply(command)
        assert not any(isinstance(event, Rejected) for event in events), events
        return events

    def owner(self, name: str, self_trade: int = 0, *, funded: bool = True) -> int:
        (created,) = self.ok(commands.CreateOwner(name, self_trade))
        assert isinstance(created, OwnerCreated)
        self.uids[name] = created.uid
        for asset in ("USDT", "BTC", "ETH") if funded else ():
            self.deposit(name, asset, PLENTY)
        return created.uid

    def deposit(self, name: str, asset: str, amount: int, wallet: int = SPOT) -> list[Event]:
        return self.ok(commands.Deposit(self.uids[name], wallet, asset, amount))

    def account(self, name: str) -> Account:
        return self.engine.account(self.uids[name])

    def spot_account(self, name: str) -> SpotAccount:
        return self.engine.spot_account(self.uids[name])

    def free(self, name: str, asset: str) -> int:
        return self.account(name).spot[self.engine.ledger.ordinals[asset]].free

    def locked(self, name: str, asset: str) -> int:
        return self.account(name).spot[self.engine.ledger.ordinals[asset]].locked

    def command(
        self,
        name: str,
        side: int,
        quantity: int,
        price: int,
        tif: int = GTC,
        client_id: str = "",
        symbol: str = "BTCUSDT",
    ) -> commands.PlaceOrder:
        """A LIMIT order, or a MARKET order where the price is 0."""
        uid = self.uids.get(name, NOBODY)
        if price == 0:
            return commands.PlaceOrder(uid, symbol, side, MARKET, IOC, quantity, 0, client_id)
        return commands.PlaceOrder(uid, symbol, side, LIMIT, tif, quantity, price, client_id)

    def place(
        self,
        name: str,
        side: int,
        quantity: int,
        price: int,
        tif: int = GTC,
        client_id: str = "",
        symbol: str = "BTCUSDT",
    ) -> list[Event]:
        return self.apply(self.command(name, side, quantity, price, tif, client_id, symbol))

    def rest(self, name: str, side: int, quantity: int, price: int, client_id: str = "") -> int:
        """Place an order that must rest whole; its id."""
        (placed,) = self.place(name, side, quantity, price, client_id=client_id)
        assert isinstance(placed, OrderPlaced)
        assert placed.resting == quantity
        return placed.order_id

    def cancel(self, name: str, order_id: int = 0, client_id: str = "") -> list[Event]:
        return self.apply(commands.CancelOrder(self.uids[name], order_id, client_id))

    def order(self, name: str, order_id: int) -> SpotOrder:
        return self.spot_account(name).orders[order_id]

    def reopened(self) -> Engine:
        """An engine loaded from this one's dump, which must be equal."""
        data = snapshot.dump(self.engine)
        engine = snapshot.load(data)
        assert snapshot.dump(engine) == data
        return engine


def trades(events: list[Event]) -> list[Trade]:
    return [event for event in events if isinstance(event, Trade)]


def refusal(events: list[Event]) -> int:
    """The reason of a refused command."""
    (rejected,) = events
    assert isinstance(rejected, Rejected), events
    return rejected.reason
