"""The state as bytes and back: equal dumps, equal hashes, equal futures (rule 10)."""

import random

import pytest

from support.walk import INSTRUMENT, OWNERS, step, walk
from support.world import BUY, FOK, FUNDING, IOC, SELL, World
from venue.core.book.book import resting
from venue.core.engine import Engine
from venue.core.messages import commands
from venue.core.messages.commands import Command
from venue.core.state import snapshot
from venue.vocabulary import CLIENT_ID_MEMORY_US

pytestmark = pytest.mark.core

FIRST_UID = 10_000_001


def lived_in() -> World:
    """A venue with something in every corner of its state."""
    world = World("ann", "ben", "cid", self_trade=2)
    for number in range(6):
        world.rest("ann", BUY, 5 + number, 100 - number % 3, f"b{number}")
        world.rest("ben", SELL, 5 + number, 110 + number % 3)
    world.time += 7
    world.place("cid", BUY, 8, 110, client_id="taken")
    world.place("cid", BUY, 90, 109, FOK, "killed")
    world.place("cid", BUY, 90, 110, IOC, "part")
    world.cancel("ann", client_id="b3")
    world.ok(commands.Transfer(world.uids["ben"], 0, FUNDING, "ETH", 5))
    world.ok(commands.SetFees(world.uids["ben"], 3, 4))
    world.ok(commands.FreezeOwner(world.uids["cid"], True))
    world.ok(commands.HaltInstrument("ETHUSDT", True, "later"))
    world.ok(commands.ChangeSetting("batch", "on"))
    world.ok(commands.RecordStreams(world.uids["ben"]))
    world.ok(commands.SetCancelAfter(world.uids["ben"], 0, 60_000_000))
    return world


def test_a_dump_loads_to_an_equal_engine() -> None:
    world = lived_in()
    engine = world.reopened()
    assert (engine.sequence, engine.time) == (world.engine.sequence, world.engine.time)
    assert snapshot.state_hash(engine) == snapshot.state_hash(world.engine)
    assert engine.ledger.imbalance() == {}
    assert engine.ledger.names == world.engine.ledger.names
    for symbol, market in world.engine.spot.markets.items():
        other = engine.spot.markets[symbol]
        for half, loaded in (
            (market.book.bids, other.book.bids),
            (market.book.asks, other.book.asks),
        ):
            assert [order.order_id for order in resting(half)] == [
                order.order_id for order in resting(loaded)
            ]
        assert (market.halted, market.halt_reason) == (other.halted, other.halt_reason)
    for uid in world.engine.ledger.accounts:
        account = world.engine.spot_account(uid)
        assert list(engine.spot_account(uid).orders) == list(account.orders)
        assert sorted(engine.spot_account(uid).clients) == sorted(account.clients)
        assert engine.spot_account(uid).open_count == account.open_count


def test_the_empty_venue_too() -> None:
    engine = snapshot.load(snapshot.dump(Engine()))
    assert snapshot.dump(engine) == snapshot.dump(Engine())


CHANGES: list[Command] = [
    commands.PlaceOrder(FIRST_UID, "BTCUSDT", BUY, 0, 0, 5, 90),
    commands.CancelOrder(FIRST_UID, 0, "b0"),
    commands.CancelOrders(FIRST_UID, "BTCUSDT"),
    commands.SetCancelAfter(FIRST_UID, 1, 5_000_000),
    commands.CreateOwner("dan"),
    commands.FreezeOwner(FIRST_UID, True),
    commands.SetFees(FIRST_UID, 1, 2),
    commands.Deposit(FIRST_UID, 0, "USDT", 1),
    commands.Withdraw(FIRST_UID, 0, "USDT", 1),
    commands.Transfer(FIRST_UID, 0, 1, "USDT", 1),
    commands.RecordStreams(FIRST_UID),
    commands.RegisterAsset("SOL", 8),
    commands.HaltInstrument("BTCUSDT", True),
    commands.HaltInstrument("ETHUSDT", True, "for another reason"),
    commands.ChangeSetting("batch", "off"),
]


@pytest.mark.parametrize("command", CHANGES, ids=lambda command: type(command).__name__)
def test_every_change_changes_the_hash(command: Command) -> None:
    world = lived_in()
    before = snapshot.state_hash(world.engine)
    world.ok(command)
    assert snapshot.state_hash(world.engine) != before


def test_the_hash_sees_the_order_of_a_level() -> None:
    """Rule 3.2: two books with the same lots in another order have another future."""
    hashes = []
    for names in (("ann", "ben"), ("ben", "ann")):
        world = World("ann", "ben")
        for name in names:
            world.rest(name, BUY, 5, 100)
        hashes.append(snapshot.state_hash(world.engine))
    assert hashes[0] != hashes[1]


def test_a_client_id_used_again_after_a_day_survives_a_reload() -> None:
    """Rule 3.6: the newer order holds the id, ended or open, with the older still listed."""
    for ended in (False, True):
        world = World("ann")
        world.rest("ann", BUY, 5, 100, "x")
        world.cancel("ann", client_id="x")
        world.time += CLIENT_ID_MEMORY_US
        newer = world.rest("ann", BUY, 6, 100, "x")
        if ended:
            world.cancel("ann", newer)
        engine = world.reopened()
        holder = engine.spot_account(world.uids["ann"]).clients["x"]
        assert holder.order_id == newer
        tick = commands.Tick(time=world.time)
        for each in (engine, world.engine):
            each.apply(tick)
        assert snapshot.dump(engine) == snapshot.dump(world.engine)
        assert engine.spot_account(world.uids["ann"]).clients["x"] is holder


@pytest.mark.parametrize("seed", range(4))
def test_a_loaded_engine_goes_on_as_the_first_would_have(seed: int) -> None:
    first = Engine()
    walk(first, seed, 1_000)
    second = snapshot.load(snapshot.dump(first))
    choice = random.Random(seed + 100)
    for number in range(1_000):
        command = step(choice)
        command.time = first.time + number % 2
        assert first.apply(command) == second.apply(command)
    assert snapshot.dump(first) == snapshot.dump(second)


def test_the_same_commands_give_the_same_events_and_state() -> None:
    """Rule 10: replay equals live."""
    first, second = Engine(), Engine()
    assert walk(first, 3, 2_000) == walk(second, 3, 2_000)
    assert snapshot.dump(first) == snapshot.dump(second)
    assert first.market(INSTRUMENT.symbol) is not None
    assert len(first.ledger.accounts) == OWNERS
