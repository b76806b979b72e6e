"""The table of commands, time and sequence."""

from typing import get_args

import msgspec
import pytest

from support.world import BUY, NOBODY, SPOT, World
from venue.core.engine import Engine
from venue.core.instruments import Contract, Instrument, Tier
from venue.core.messages import benefit_commands, commands
from venue.core.messages.commands import Command
from venue.core.messages.copy_commands import CloseCopy, Follow, SetLead, StopCopying
from venue.core.messages.events import Event, Rejected
from venue.core.messages.quote_commands import MakerQuotes, MoveQuotes, Quote
from venue.core.messages.savepoints import DropState, KeepState, RevertState
from venue.core.state import snapshot
from venue.vocabulary import CLIENT_ID_MEMORY_US, Reject

pytestmark = pytest.mark.core

CONTRACT = Contract(
    Instrument("BTCUSDT", "BTC", "USDT", 1, 0, 1, 0, 1, 10, 10, 0, 0),
    10, 100, 100, [Tier(10**9, 10, 50_000)], index_sources=("desk",),
)  # fmt: skip


def test_all_that_signed_requests_cause_is_known_again_after_a_restart() -> None:
    with_request = [
        command for command in get_args(Command) if "request" in command.__struct_fields__
    ]
    assert list(get_args(commands.Requested)) == with_request


GRANTS: list[Command] = [
    benefit_commands.ChangeGift(NOBODY, "BTC", 1),
    benefit_commands.SetDiscount("BTC", 1, 1),
    benefit_commands.JoinDiscount(NOBODY, True),
    benefit_commands.SetAffiliate(NOBODY, "code", 1, 1),
    benefit_commands.Invite(NOBODY, NOBODY),
    benefit_commands.InternalWithdraw(NOBODY, NOBODY, SPOT, SPOT, "BTC", 1),
    benefit_commands.PostArticle("title", "text", []),
    benefit_commands.PostBanner("title", "https://a", "https://b"),
    benefit_commands.RemoveContent(7),
    benefit_commands.SetFeeTiers(SPOT, "BTC", [benefit_commands.FeeTier(1, 1, 1)]),
]


def test_every_command_has_a_rule() -> None:
    world = World()
    world.engine.codec = snapshot.CODEC
    samples: list[Command] = [
        commands.PlaceOrder(NOBODY, "", 0, 0, 0, 1, 1),
        commands.CancelOrder(NOBODY, 1),
        commands.CancelOrders(NOBODY, ""),
        commands.Tick(),
        commands.Proceed(),
        commands.SetCancelAfter(NOBODY, SPOT, 0),
        commands.GuardOrders(NOBODY, SPOT, 1, True),
        commands.EndConnection(1),
        MoveQuotes(SPOT, "BTCUSDT", [MakerQuotes(NOBODY, [1], [Quote(0, 0, 1, 1)])]),
        commands.CreateOwner("new"),
        commands.FreezeOwner(NOBODY, True),
        commands.SetFees(NOBODY, 0, 0),
        commands.Deposit(NOBODY, SPOT, "USDT", 1),
        commands.Withdraw(NOBODY, SPOT, "USDT", 1),
        commands.Transfer(NOBODY, SPOT, SPOT, "USDT", 1),
        commands.RecordStreams(NOBODY),
        commands.RegisterAsset("SOL", 8),
        commands.ListInstrument(world.engine.spot.markets["BTCUSDT"].instrument),
        commands.ChangeInstrument(world.engine.spot.markets["BTCUSDT"].instrument),
        commands.HaltInstrument("", True),
        commands.ChangeSetting("name", "value"),
        commands.PlaceContractOrder(NOBODY, "", 0, 1, 0, 0, 1, 1),
        commands.CancelContractOrder(NOBODY, 1),
        commands.CancelContractOrders(NOBODY),
        commands.ClosePositions(NOBODY),
        commands.PlaceAlgo(NOBODY, "", 0, 1, 0, 1, 1, 1),
        commands.ChangeAlgo(NOBODY, 1, 1, 1, 0),
        commands.CancelAlgo(NOBODY, 1),
        commands.CancelAlgos(NOBODY),
        commands.SetLeverage(NOBODY, "", 1),
        commands.SetMarginMode(NOBODY, "", 0),
        commands.MoveMargin(NOBODY, 1, 1),
        commands.SetAutoMargin(NOBODY, 1, True),
        commands.ListContract(CONTRACT),
        commands.ChangeContract(CONTRACT),
        commands.DelistContract("BTCUSDT"),
        commands.SettleContract("BTCUSDT", 1_000),
        commands.PostIndex("BTCUSDT", "desk", 1_000, jump=True),
        *GRANTS,
        KeepState("state"),
        RevertState("state"),
        DropState("state"),
        SetLead(NOBODY, "USDT", True, 100_000),
        Follow(NOBODY, 1, True, []),
        StopCopying(NOBODY, 1),
        CloseCopy(NOBODY, "", 1),
    ]
    assert {type(sample) for sample in samples} == set(get_args(Command))
    journaled = msgspec.msgpack.encode(samples)
    decoded = msgspec.msgpack.Decoder(list[Command]).decode(journaled)
    assert decoded == samples
    events = msgspec.msgpack.Decoder(list[Event])
    for command in decoded:
        said = world.apply(command)
        assert events.decode(msgspec.msgpack.encode(said)) == said


def test_the_tags_of_commands_and_events_are_distinct() -> None:
    for union in (Command, Event):
        tags = [member.__struct_config__.tag for member in get_args(union)]
        assert len(tags) == len(set(tags))


def test_the_sequence_counts_refused_commands_too_and_the_hash_leaves_it_out() -> None:
    engine = Engine()
    before = snapshot.state_hash(engine)
    (refused,) = engine.apply(commands.CancelOrder(NOBODY, 1, time=5))
    assert refused == Rejected(Reject.OWNER_UNKNOWN)
    assert engine.apply(commands.Tick(time=5)) == []
    assert (engine.sequence, engine.time) == (2, 5)
    assert snapshot.state_hash(engine) == before


def test_time_never_goes_back() -> None:
    engine = Engine()
    engine.apply(commands.Tick(time=5))
    with pytest.raises(AssertionError):
        engine.apply(commands.Tick(time=4))


def test_questions() -> None:
    world = World("ann")
    assert world.engine.account(world.uids["ann"]).name == "ann"
    with pytest.raises(KeyError):
        world.engine.account(NOBODY)
    market = world.engine.market("ETHUSDT")
    assert market is not None
    assert market.symbol == "ETHUSDT"
    assert world.engine.market("nothing") is None


def test_a_tick_forgets_the_client_ids_of_ended_orders_after_a_day() -> None:
    """Rule 3.6: the memory is bounded."""
    world = World("ann")
    for number in range(3):
        world.rest("ann", BUY, 5, 100 + number, f"id {number}")
    world.cancel("ann", client_id="id 0")
    world.time += 1
    world.cancel("ann", client_id="id 1")
    world.time += CLIENT_ID_MEMORY_US - 1
    world.apply(commands.Tick())
    assert list(world.spot_account("ann").clients) == ["id 1", "id 2"]
    world.time += 1
    world.apply(commands.Tick())
    assert list(world.spot_account("ann").clients) == ["id 2"]
    assert not world.engine.spot.client_ids.ended_orders()
