"""Random commands: the engine says exactly what the slow model predicts, and its state holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from properties.auditor import Auditor
from properties.facts import Facts
from properties.length import walked
from support import walk
from support.waits import WAIT_S
from venue.core.book.book import Half, resting
from venue.core.engine import Engine
from venue.core.instruments import Instrument
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.messages.events import Event, OrderRepeated, Rejected
from venue.core.spot.account import SpotAccount
from venue.core.state import snapshot
from venue.vocabulary import Side

pytestmark = pytest.mark.core

EXAMPLES = len(walked(range(int(os.environ.get("VENUE_EXAMPLES", "250")))))
HOUR = 3600 * 10**6
DAY = 24 * HOUR
FIRST_UID = 10_000_001
FIRST_ORDER = 10**15
NOBODY = 7
RELOAD_EVERY = 8  # commands

LISTED = Instrument("AAAQQQ", "AAA", "QQQ", 1, 2, 1, 1, 1, 10, 8, 1_500, 2_500)


def instrument(base: str, tick: int, step: int) -> Instrument:
    return msgspec.structs.replace(LISTED, symbol=base + "QQQ", base=base, tick=tick, step=step)


uids = st.sampled_from([FIRST_UID, FIRST_UID + 1, FIRST_UID + 2])
odd_uids = st.sampled_from([*range(FIRST_UID, FIRST_UID + 3)] * 5 + [FIRST_UID + 3, NOBODY])
symbols = st.sampled_from(["AAAQQQ"] * 3 + ["BBBQQQ"])
odd_symbols = st.sampled_from(["AAAQQQ"] * 3 + ["BBBQQQ", "none"])
sides = st.integers(0, 1)
prices = st.integers(96, 104)
lots = st.integers(1, 8)
client_ids = st.sampled_from([*[""] * 8, *"abcdefgh"])
amounts = st.one_of(st.integers(-1, 3_000), st.sampled_from([10**6, 2**61, 2**62, 2**62 + 1]))
assets = st.sampled_from(["AAA", "BBB", "QQQ"] * 4 + ["none"])
wallets = st.integers(0, 2)
rates = st.sampled_from([-1, 0, 1, 333, 100_000, 999_999, 1_000_000])
switch = st.sampled_from([True, False])
timeouts = st.sampled_from([5 * 10**6, HOUR, DAY] * 2 + [0, 1, DAY + 1])

Place = commands.PlaceOrder
tifs = st.sampled_from([0] * 5 + [1, 2, 3])
limits = st.builds(Place, uids, symbols, sides, st.just(0), tifs, lots, prices, client_ids)
markets = st.builds(
    Place, uids, symbols, sides, st.just(1), st.integers(0, 1), lots, st.just(0), client_ids
)
odd_prices = st.sampled_from([-1, 0, 1, 80, 89, 90, 91, 98, 109, 110, 111, 10**17, 10**17 + 1])
faulty = st.builds(
    Place,
    odd_uids,
    odd_symbols,
    st.sampled_from([0, 1, 0, 1, 0, 1, -1, 2]),
    st.sampled_from([0, 0, 0, 0, 1, 1, -1, 2]),
    st.sampled_from([0, 1, 2, 3, 0, 1, 2, 3, -1, 4]),
    st.one_of(lots, st.integers(-1, 13), st.integers(9, 10)),
    odd_prices,
    client_ids,
)
cancels = st.one_of(
    st.builds(commands.CancelOrder, odd_uids, st.integers(FIRST_ORDER, FIRST_ORDER + 30)),
    st.builds(commands.CancelOrder, odd_uids, st.just(0), client_ids),
    st.builds(commands.CancelOrders, odd_uids, odd_symbols),
    st.builds(commands.SetCancelAfter, odd_uids, st.integers(0, 1), timeouts),
)
moves = st.one_of(
    st.builds(commands.Deposit, odd_uids, wallets, assets, amounts),
    st.builds(commands.Withdraw, odd_uids, wallets, assets, amounts),
    st.builds(commands.Transfer, odd_uids, wallets, wallets, assets, amounts),
)
listings = st.builds(instrument, st.sampled_from(["AAA", "CCC", "DDD"]), st.just(1), st.just(10))
changes = st.builds(
    Instrument,
    *map(st.just, ("AAAQQQ", "AAA", "QQQ", 1, 2, 1, 1)),
    st.integers(1, 2),
    st.integers(10, 12),
    st.just(8),
    st.sampled_from([0, 1_500]),
    st.just(2_500),
    *[st.sampled_from([10_000, 20_000, 100_000, 1_000_000])] * 3,
)
acts = st.one_of(
    st.builds(commands.CreateOwner, st.sampled_from(["owner 0", "owner 3"]), st.integers(0, 3)),
    st.builds(commands.FreezeOwner, odd_uids, switch),
    st.builds(commands.SetFees, odd_uids, rates, rates),
    st.builds(commands.HaltInstrument, odd_symbols, switch, st.just("checks")),
    st.builds(commands.RegisterAsset, st.sampled_from(["AAA", "CCC"]), st.just(2)),
    st.builds(commands.ListInstrument, listings),
    st.builds(commands.ChangeInstrument, st.one_of(changes, listings)),
    st.builds(commands.ChangeSetting, st.just("a setting"), st.sampled_from(["on", "off"])),
)


def crossed(bids: Half[SpotAccount], asks: Half[SpotAccount]) -> bool:
    best = next(bids.walk(), None), next(asks.walk(), None)
    return best[0] is not None and best[1] is not None and best[0].price >= best[1].price


def check_book(engine: Engine) -> None:
    """Not crossed; orders in priority; each level's quantity is that of its orders (rule 10)."""
    for market in engine.spot.markets.values():
        book = market.book
        assert not crossed(book.bids, book.asks)
        for half, sign in ((book.bids, -1), (book.asks, 1)):
            orders = resting(half)
            standing = [(sign * order.price, order.order_id) for order in orders]
            assert standing == sorted(standing)
            for level in half.walk():
                inside = [order for order in orders if order.price == level.price]
                assert inside
                assert level.quantity == sum(order.remaining for order in inside)


def check_money(engine: Engine) -> None:
    """Zero in total; nothing negative; locked is what open orders require (rules 2.2, 2.3)."""
    assert engine.ledger.imbalance() == {}
    for account in engine.ledger.accounts.values():
        required = [0] * len(account.spot)
        own = engine.spot_account(account.uid)
        counts = [0] * len(own.open_count)
        for order in own.orders.values():
            market = order.market
            counts[market.ordinal] += 1
            if order.side == Side.BUY:
                required[market.quote] += order.price * order.remaining * market.unit_atoms
            else:
                required[market.base] += order.remaining * market.lot_atoms
        assert [held.locked for held in account.spot] == required
        assert own.open_count == counts
        for balances in ([held.free for held in account.spot], account.funding):
            assert min(balances, default=0) >= 0


class Machine(RuleBasedStateMachine):
    """The engine, a twin now and then reloaded from its dump, the auditor, and the facts."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = Engine()
        self.twin = Engine()
        self.auditor = Auditor()
        self.facts = Facts()
        self.time = 0
        self.placed: list[commands.PlaceOrder] = []

    def apply(self, command: Command) -> list[Event]:
        command.time = self.time
        before = snapshot.state_hash(self.engine)
        said = self.engine.apply(command)
        predicted = self.auditor.apply(command)
        assert said == predicted
        assert self.twin.apply(command) == said
        if said and isinstance(said[0], Rejected | OrderRepeated):
            assert snapshot.state_hash(self.engine) == before
        self.facts.fold(self.engine, command, said)
        self.facts.agree(self.engine)
        check_money(self.engine)
        check_book(self.engine)
        self.agree()
        if self.engine.sequence % RELOAD_EVERY == 0:
            self.reload()
        return said

    def agree(self) -> None:
        """The engine's money and the auditor's are the same, wallet by wallet."""
        office, ledger = self.auditor.office, self.engine.ledger
        for asset, index in ledger.ordinals.items():
            assert ledger.fees[index] == office.fees[asset]
            assert ledger.external[index] == -office.outside[asset]
            for uid, account in ledger.accounts.items():
                assert account.spot[index].locked == office.held.get((uid, asset), 0)
                for wallet in range(3):
                    free = office.free.get((uid, wallet, asset), 0)
                    assert account.free(wallet, index) == free

    @initialize(modes=st.tuples(*[st.integers(0, 3)] * 2), tiers=st.tuples(*[rates] * 2))
    def open(self, modes: tuple[int, int], tiers: tuple[int, int]) -> None:
        for asset, scale in (("AAA", 1), ("QQQ", 3), ("BBB", 2)):
            self.apply(commands.RegisterAsset(asset, scale))
        self.apply(commands.ListInstrument(instrument("AAA", 1, 1)))
        self.apply(commands.ListInstrument(instrument("BBB", 5, 4)))
        for number, mode in enumerate((0, *modes)):
            self.apply(commands.CreateOwner(f"owner {number}", mode))
            for asset in ("AAA", "BBB", "QQQ"):
                self.apply(commands.Deposit(FIRST_UID + number, 0, asset, 40_000))
        self.apply(commands.SetFees(FIRST_UID, *tiers))

    # Placing comes in bursts because that is what a venue mostly does.

    @rule(orders=st.lists(limits, min_size=3, max_size=12))
    def trade(self, orders: list[Place]) -> None:
        for order in orders:
            self.place(order)

    @rule(uid=uids, symbol=symbols, tops=st.tuples(*[st.integers(1, 3)] * 3))
    def quote(self, uid: int, symbol: str, tops: tuple[int, int, int]) -> None:
        """Three levels around 100, both sides, so that there is something to take."""
        for distance, quantity in enumerate(tops, 1):
            for side, price in ((Side.BUY, 100 - distance), (Side.SELL, 100 + distance)):
                self.place(Place(uid, symbol, int(side), 0, 0, quantity, price))

    @rule(orders=st.lists(st.one_of(markets, markets, limits, faulty), min_size=1, max_size=6))
    def take(self, orders: list[Place]) -> None:
        for order in orders:
            self.place(order)

    def place(self, drawn: Place) -> None:
        command = msgspec.structs.replace(drawn)
        self.apply(command)
        if command.client_id:
            self.placed.append(command)

    @precondition(lambda self: self.placed)
    @rule(back=st.integers(0, 5), uid=st.none() | uids, more=st.integers(0, 1))
    def again(self, back: int, uid: int | None, more: int) -> None:
        """An order once more under its client id: the same, another owner's, a larger one."""
        earlier = self.placed[-1 - back % len(self.placed)]
        repeat = msgspec.structs.replace(earlier)
        repeat.uid = uid or earlier.uid
        repeat.quantity += more
        self.apply(repeat)

    @precondition(lambda self: any(order.remaining for order in self.facts.orders.values()))
    @rule(pick=st.integers(0, 20), by_client_id=st.booleans())
    def cancel_open(self, pick: int, by_client_id: bool) -> None:
        live = [order.placed for order in self.facts.orders.values() if order.remaining]
        placed = live[pick % len(live)]
        if by_client_id:
            self.apply(commands.CancelOrder(placed.uid, 0, placed.client_id))
        else:
            self.apply(commands.CancelOrder(placed.uid, placed.order_id))

    @rule(step=st.sampled_from([1, HOUR, DAY - 1, DAY, DAY + 1]), tick=st.booleans())
    def wait(self, step: int, tick: bool) -> None:
        self.time += step
        if tick:
            self.apply(commands.Tick())

    @rule(command=cancels)
    def cancel(self, command: Command) -> None:
        self.apply(command)

    @rule(command=moves)
    def move(self, command: Command) -> None:
        self.apply(command)

    @rule(command=acts)
    def operate(self, command: Command) -> None:
        self.apply(command)

    def reload(self) -> None:
        """The twin starts again from the engine's dump; the next events must be the same."""
        data = snapshot.dump(self.engine)
        assert snapshot.dump(self.twin) == data
        self.twin = snapshot.load(data)
        assert snapshot.dump(self.twin) == data
        assert snapshot.state_hash(self.twin) == snapshot.state_hash(self.engine)


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=80,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def test_the_state_hash_does_not_depend_on_the_hash_seed() -> None:
    script = Path(walk.__file__)
    printed = []
    for seed in ("1", "2"):
        path = os.pathsep.join(place for place in sys.path if place)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, str(script)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=True,
        )
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert len(printed[0].split()) == 3
