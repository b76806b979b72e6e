"""A small contract venue to test on: one contract, named owners with money, commands in few words.

One tick x lot is one atom of QQQ, so money can be computed in the head: 10 lots at 1,000 are
10,000 atoms; their taker's fee is 5, their maker's 2, their margin at leverage 20 is 500.
"""

from __future__ import annotations

from typing import Final, TypeVar

from msgspec.structs import replace

from venue.core.contract.collateral import FUND_UID
from venue.core.contract.records import Holding, Perpetual, Pool, Position
from venue.core.contract.reference.funding import interval_us
from venue.core.contract.reference.prices import SAMPLE_US
from venue.core.engine import Engine
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.ledger.accounts import Account
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.contract_events import ContractOrderPlaced, ContractTrade, Income, Leg
from venue.core.messages.events import Event, OwnerCreated, Rejected
from venue.core.state import audit, snapshot
from venue.core.units import AMOUNT_MAX
from venue.vocabulary import BUY, GTC, IOC, LIMIT, LONG, MARKET, SELL, SHORT, MarginMode, Wallet

SECOND: Final = 1_000_000
HOUR: Final = 3_600 * SECOND
DAY_START: Final = 1_699_920_000 * SECOND  # a midnight, UTC
START: Final = DAY_START + 15 * HOUR  # an hour before a funding time

SYMBOL: Final = "AAAQQQ"
MONEY: Final = 1_000_000
PRICE: Final = 1_000
CONTRACT_WALLET: Final = int(Wallet.CONTRACT)
ISOLATED: Final = int(MarginMode.ISOLATED)

# Deductions (rule 5.8): 0; 100,000 x 1 % = 1,000; 1,000 + 400,000 x 3 % = 13,000.
TIERS: Final = [
    Tier(100_000, 50, 10_000),
    Tier(400_000, 20, 20_000),
    Tier(AMOUNT_MAX, 10, 50_000),
]
INSTRUMENT: Final = Instrument(
    symbol=SYMBOL,
    base="AAA",
    quote="QQQ",
    tick=1,
    price_scale=0,
    step=1,
    quantity_scale=0,
    quantity_min=1,
    quantity_max=10_000,
    market_quantity_max=10_000,
    maker_ppm=200,
    taker_ppm=500,
)


def wide(leverage: int, rate: int) -> list[Tier]:
    """Two tiers that are alike; the first fits the notionals of `CONTRACT`."""
    return [Tier(10_000_000, leverage, rate), Tier(AMOUNT_MAX, leverage, rate)]


CONTRACT: Final = Contract(
    instrument=INSTRUMENT,
    leverage_max=50,
    position_max=20_000,
    open_interest_max=100_000,
    tiers=TIERS,
    index_sources=("desk", "wire", "post"),
    index_notional=10_000,
    impact_notional=10_000,
)

T = TypeVar("T")


class ContractWorld:
    """An engine with one contract at mark 1,000, its fund, and its owners by name.

    `checked` has all invariants checked after every command.
    """

    def __init__(
        self,
        *names: str,
        money: int = MONEY,
        fund: int = MONEY,
        contract: Contract = CONTRACT,
        checked: bool = True,
        start: int = START,
    ) -> None:
        self.engine = Engine()
        self.uids: dict[str, int] = {"fund": FUND_UID}
        self.time = start
        self.checked = checked
        self.ok(commands.RegisterAsset("QQQ", 0))
        self.ok(commands.RegisterAsset("AAA", 0))
        self.ok(commands.ListContract(contract))
        if fund:
            self.deposit("fund", fund)
        for name in names:
            self.owner(name, money)
        self.post(PRICE)

    # -- commands --------------------------------------------------------------------------------

    def apply(self, command: Command) -> list[Event]:
        """Apply at the world's time; every invariant holds, a refusal leaves no trace."""
        command.time = self.time
        before = snapshot.state_hash(self.engine) if self.checked else b""
        events = self.engine.apply(command)
        if self.checked:
            assert audit.problems(self.engine) == [], command
            if events and isinstance(events[0], Rejected):
                assert len(events) == 1
                assert snapshot.state_hash(self.engine) == before
        return events

    def ok(self, command: Command) -> list[Event]:
        events = self.apply(command)
        assert not any(isinstance(event, Rejected) for event in events), events
        return events

    def owner(self, name: str, money: int = MONEY, self_trade: int = 0) -> int:
        (created,) = self.ok(commands.CreateOwner(name, self_trade))
        assert isinstance(created, OwnerCreated)
        self.uids[name] = created.uid
        if money:
            self.deposit(name, money)
        return created.uid

    def deposit(self, name: str, amount: int) -> list[Event]:
        return self.ok(commands.Deposit(self.uids[name], CONTRACT_WALLET, "QQQ", amount))

    def withdraw(self, name: str, amount: int) -> list[Event]:
        return self.apply(commands.Withdraw(self.uids[name], CONTRACT_WALLET, "QQQ", amount))

    def wait(self, seconds: int) -> None:
        self.time += seconds * SECOND

    def tick(self) -> list[Event]:
        return self.apply(commands.Tick())

    def post(self, price: int, source: str = "desk") -> list[Event]:
        """An index price of one source, taken at once; with no ticks between, mark = index."""
        return self.apply(commands.PostIndex(SYMBOL, source, price, jump=True))

    def tell(self, price: int, source: str = "desk") -> list[Event]:
        """An index price of one source, which the index follows by steps."""
        return self.apply(commands.PostIndex(SYMBOL, source, price))

    def order(
        self,
        name: str,
        side: int,
        position_side: int,
        quantity: int,
        price: int,
        tif: int = GTC,
        position_id: int = 0,
    ) -> list[Event]:
        """A LIMIT order, or a MARKET order where the price is 0."""
        kind, tif = (LIMIT, tif) if price else (MARKET, IOC)
        uid = self.uids[name]
        return self.apply(
            commands.PlaceContractOrder(
                uid,
                SYMBOL,
                side,
                position_side,
                kind,
                tif,
                quantity,
                price,
                position_id=position_id,
            )
        )

    def long(self, name: str, quantity: int, price: int, tif: int = GTC) -> list[Event]:
        """Open a long, or add to it."""
        return self.order(name, BUY, LONG, quantity, price, tif)

    def short(self, name: str, quantity: int, price: int, tif: int = GTC) -> list[Event]:
        """Open a short, or add to it."""
        return self.order(name, SELL, SHORT, quantity, price, tif)

    def close_long(self, name: str, quantity: int, price: int, tif: int = GTC) -> list[Event]:
        return self.order(name, SELL, LONG, quantity, price, tif)

    def close_short(self, name: str, quantity: int, price: int, tif: int = GTC) -> list[Event]:
        return self.order(name, BUY, SHORT, quantity, price, tif)

    def trade(self, long: str, short: str, quantity: int, price: int) -> ContractTrade:
        """`long` opens as the taker, `short` as the maker: one trade, the book empty there."""
        (placed,) = self.short(short, quantity, price)
        assert isinstance(placed, ContractOrderPlaced)
        (trade,) = of(self.long(long, quantity, price, IOC), ContractTrade)
        assert trade.quantity == quantity
        return trade

    def isolate(self, name: str, leverage: int = 20) -> None:
        uid = self.uids[name]
        self.ok(commands.SetMarginMode(uid, SYMBOL, ISOLATED))
        self.ok(commands.SetLeverage(uid, SYMBOL, long=leverage, short=leverage))

    def change(self, **fields: object) -> list[Event]:
        """Another specification of the contract, as it stands."""
        return self.ok(commands.ChangeContract(replace(self.perp.contract, **fields)))

    def premium(self, ppb: int) -> None:
        """Have the premiums of the running funding interval average so much."""
        perp = self.perp
        perp.premium_count = interval_us(perp) // SAMPLE_US
        perp.premium_sum = ppb * perp.premium_count

    # -- questions -------------------------------------------------------------------------------

    @property
    def perp(self) -> Perpetual:
        return self.engine.contracts.markets[SYMBOL]

    def account(self, name: str) -> Account:
        return self.engine.account(self.uids[name])

    def holding(self, name: str) -> Holding:
        return self.engine.holding(self.uids[name])

    def cross(self, name: str) -> Pool:
        return self.holding(name).cross(0)

    def money(self, name: str) -> int:
        """The cross collateral: the sum of all cross items of the owner (rule 5.2)."""
        return self.cross(name).cash.collateral

    def fees(self) -> int:
        return self.engine.account(1).contract[0].collateral

    def dust(self) -> int:
        return self.engine.ledger.dust[0]

    def position(self, name: str, side: int = LONG) -> Position:
        """The owner's one position of a side."""
        (found,) = self.positions(name, side)
        return found

    def positions(self, name: str, side: int = LONG) -> list[Position]:
        held = self.holding(name).positions.values()
        return [position for position in held if position.side == side]

    def everything(self) -> int:
        """Every atom that owners, fees, fund and dust have between them."""
        total = self.dust()
        for account in self.engine.ledger.accounts.values():
            total += sum(cash.collateral for cash in account.contract)
            total += sum(cash.collateral for cash in account.isolated.values())
        return total

    def pending(self) -> bool:
        """Whether more is due than the last command may have done."""
        return self.engine.schedule.pending

    def next_order(self) -> int:
        return self.engine.counters.order

    def next_bill(self) -> int:
        return self.engine.counters.bill

    def next_trade(self) -> int:
        return self.engine.counters.trade


def isolated_world(*names: str, fund: int = MONEY) -> ContractWorld:
    """`ann` is long 10 lots at 1,000, isolated at leverage 20; `ben`, cross, is short.

    Her pool got 500 of margin and 5 for the fee, and paid 10,000 + 5: its collateral is -9,500.
    """
    world = ContractWorld("ann", "ben", *names, fund=fund)
    world.isolate("ann")
    world.trade("ann", "ben", 10, PRICE)
    assert world.position("ann").pool.cash.collateral == -9_500
    assert world.money("ann") == MONEY - 505
    return world


def of(events: list[Event], kind: type[T]) -> list[T]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def items(events: list[Event]) -> list[tuple[int, int, str, int, int]]:
    """Every item in order: (uid, pool, kind, amount, balance); a trade's kind is `trade`.

    A leg's pool is given as its position: whether that is isolated the event does not say.
    """
    found: list[tuple[int, int, int, str, int, int]] = []
    for event in events:
        if isinstance(event, Income):
            found.append(
                (event.bill_id, event.uid, event.position_id, event.kind, event.amount,
                 event.balance)
            )  # fmt: skip
        elif isinstance(event, ContractTrade):
            found += [_leg(event.taker), _leg(event.maker)]
    return [entry[1:] for entry in sorted(found)]


def _leg(leg: Leg) -> tuple[int, int, int, str, int, int]:
    return leg.bill_id, leg.uid, leg.position_id, "trade", leg.amount, leg.balance


def refusal(events: list[Event]) -> int:
    """The reason of a refused command."""
    (rejected,) = events
    assert isinstance(rejected, Rejected), events
    return rejected.reason
