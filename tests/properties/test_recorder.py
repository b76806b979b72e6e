"""Private frames follow from the commands alone: batches and snapshots do not show in them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random

import msgspec
import pytest

from support.recording import Room, contract_commands, spot_commands
from support.walk import opening
from venue.api.streams.channels import OwnFrame
from venue.api.streams.private import (
    ContractAccountItem,
    ContractFillItem,
    ContractOrderItem,
    PositionItem,
    SpotAccountItem,
    SpotFillItem,
    SpotOrderItem,
)
from venue.core.messages.applied import Applied
from venue.core.messages.commands import Command, PlaceOrder, RecordStreams, Tick
from venue.core.messages.events import OrderPlaced
from venue.core.units import FIRST_UID
from venue.history.frames_kept import FRAMES_KEPT, frames_gone
from venue.recording.numbering import OwnKey
from venue.recording.recorder import RENEWAL, Recorder
from venue.vocabulary import Product

COMMANDS = 2_500
TAPES: dict[str, Callable[[], list[Command]]] = {
    "spot": lambda: spot_commands(COMMANDS),
    "contract": lambda: contract_commands(0, COMMANDS),
    "contract, another": lambda: contract_commands(5, COMMANDS),
}


@pytest.fixture(scope="module", params=list(TAPES))
def tape(request: pytest.FixtureRequest) -> list[Command]:
    return TAPES[request.param]()


def recorded(commands: list[Command], seed: int, *, restarts: float = 0.0) -> Room:
    """The commands in random batches; after some of them the venue starts again."""
    choice, room, at = Random(seed), Room(), 0
    while at < len(commands):
        size = choice.choice((1, 1, 3, 30, 300))
        room.say(commands[at : at + size])
        at += size
        if choice.random() < restarts:
            room.restart()
    return room


def test_the_same_commands_make_the_same_bytes(tape: list[Command]) -> None:
    plain = recorded(tape, 1)
    assert len(plain.frames) > 400
    for other in (recorded(tape, 2), recorded(tape, 3, restarts=0.4)):
        assert other.frames == plain.frames
        assert other.recorder.dump() == plain.recorder.dump()


def test_what_the_engine_does_not_know_is_remembered(tape: list[Command]) -> None:
    """Without the snapshot's part the same numbers would hide other contents."""
    room = recorded(tape[: len(tape) // 2], 1)
    full, empty = Recorder(), Recorder()
    full.restore(room.recorder.dump(), room.engine)
    empty.restore(b"", room.engine)
    assert full.dump() == room.recorder.dump()
    assert len(empty.dump()) < len(full.dump()) < 20_000


def test_numbers_have_no_gap_and_versions_count_all(tape: list[Command]) -> None:
    room = recorded(tape, 4, restarts=0.2)
    numbers: dict[OwnKey, int] = {}
    versions: dict[tuple[int, int], int] = {}
    begin = {
        done.command.uid: done.sequence
        for done in room.applied
        if isinstance(done.command, RecordStreams) and done.events
    }
    times = {done.sequence: done.time for done in room.applied}
    for frame in room.frames:
        told = msgspec.json.decode(frame.payload)
        key, account = (frame.uid, frame.product, frame.channel), (frame.uid, frame.product)
        assert frame.number == told["seq"] == numbers.get(key, 0) + 1
        assert told["v"] == versions.get(account, 0) + 1
        assert told["E"] == times[frame.sequence] // 1000
        assert frame.sequence > begin[frame.uid]
        numbers[key], versions[account] = told["seq"], told["v"]
    assert {uid for uid, _, _ in numbers} == begin.keys()
    assert room.recorder.numbering.ranges() == {key: (0, newest) for key, newest in numbers.items()}


SHAPES = {
    (Product.SPOT, "orders"): list[SpotOrderItem],
    (Product.SPOT, "fill"): list[SpotFillItem],
    (Product.SPOT, "account"): list[SpotAccountItem],
    (Product.CONTRACT, "orders"): list[ContractOrderItem],
    (Product.CONTRACT, "fill"): list[ContractFillItem],
    (Product.CONTRACT, "account"): list[ContractAccountItem],
    (Product.CONTRACT, "positions"): list[PositionItem],
}


def test_frames_are_written_as_their_structs_say(tape: list[Command]) -> None:
    """Names, kinds and order of all fields: frames are written as the documents show."""
    frames = recorded(tape, 5).frames
    for frame in frames:
        told = msgspec.json.decode(frame.payload, type=OwnFrame)
        told.items = msgspec.convert(told.items, SHAPES[Product(frame.product), frame.channel])
        assert msgspec.json.encode(told) == frame.payload
    assert len({(frame.product, frame.channel) for frame in frames}) in (3, 4)


def test_a_client_id_is_quoted() -> None:
    room, client_id = Room(), 'a"b\\c\n\u00e9'
    room.say([*opening(), RecordStreams(FIRST_UID)])
    room.say([PlaceOrder(FIRST_UID, "AAAQQQ", 0, 0, 0, 10, 100, client_id)])
    told = [msgspec.json.decode(frame.payload, type=OwnFrame) for frame in room.frames]
    assert told[0].items[0]["clientOrderId"] == client_id


@pytest.mark.parametrize(("kept", "step"), [(FRAMES_KEPT, 1_000), (200, 2), (7, 1)])
def test_what_is_gone_follows_from_what_came(kept: int, step: int) -> None:
    gone = [frames_gone(newest, kept) for newest in range(kept + 5 * step)]
    assert gone == sorted(gone)
    assert max(gone[: kept + step]) == 0
    assert gone[-1] > 0
    assert all(newest - found in range(kept + step) for newest, found in enumerate(gone))
    assert all(newest - found >= kept for newest, found in enumerate(gone) if found)


# -- defects --------------------------------------------------------------------------------------


def spoil(room: Room) -> None:
    """Have the recorder meet what cannot be: an order of a market that is not listed."""
    impossible = OrderPlaced(1, FIRST_UID, "NOPE", 0, 0, 0, 1, 1, "", 1)
    applied = Applied(room.engine.sequence, room.engine.time, Tick(), [impossible])
    room.recorder.note(applied)


def market() -> list[Command]:
    """Ann and ben trade; only ann is recorded."""
    return [
        *opening(),
        RecordStreams(FIRST_UID),
        PlaceOrder(FIRST_UID, "AAAQQQ", 0, 0, 0, 10, 100),
        PlaceOrder(FIRST_UID + 1, "AAAQQQ", 1, 0, 0, 4, 100),
    ]


@pytest.mark.parametrize("restarts", [False, True])
def test_a_defect_loses_frames_but_never_in_silence(
    caplog: pytest.LogCaptureFixture, restarts: bool
) -> None:
    room = Room()
    room.say(market())
    before = len(room.frames)
    assert before == 5  # placed: order, account; filled: order, fill, account
    numbers = room.recorder.numbering.ranges()
    spoil(room)
    assert (room.recorder.is_trusted(), room.recorder.defects) == (False, 1)
    assert "defect in the private frames" in caplog.text
    filling = PlaceOrder(FIRST_UID + 1, "AAAQQQ", 1, 0, 0, 3, 100)
    room.say([filling, RecordStreams(FIRST_UID + 1)])
    if restarts:
        room.restart()
        assert not room.recorder.is_trusted()
    room.say([Tick() for _ in range(RENEWAL - room.engine.sequence - 1)])
    assert not room.recorder.is_trusted()
    room.say([Tick()])
    assert room.engine.sequence == RENEWAL
    assert room.recorder.is_trusted()
    assert len(room.frames) == before
    # Every channel leaves a number out: nobody can go on over the gap.
    for channel in ("orders", "fill", "account"):
        key = (FIRST_UID, 0, channel)
        newest = numbers[key][1] + 1
        assert (room.recorder.numbering.oldest(key), room.recorder.numbering.newest(key)) == (
            newest,
            newest,
        )
        assert room.recorder.numbering.oldest((FIRST_UID + 1, 0, channel)) == 1
    if restarts:
        room.restart()
    room.say([filling])
    later = room.frames[before:]
    assert {(frame.uid, frame.channel, frame.number) for frame in later} == {
        (FIRST_UID, "orders", numbers[FIRST_UID, 0, "orders"][1] + 2),
        (FIRST_UID, "fill", numbers[FIRST_UID, 0, "fill"][1] + 2),
        (FIRST_UID, "account", numbers[FIRST_UID, 0, "account"][1] + 2),
        (FIRST_UID + 1, "orders", 2),
        (FIRST_UID + 1, "fill", 2),
        (FIRST_UID + 1, "account", 2),
    }
    (order,) = (one for one in later if (one.uid, one.channel) == (FIRST_UID, "orders"))
    assert msgspec.json.decode(order.payload)["d"][0]["cumFillSize"] == "1.0"


def test_former_snapshots_have_no_part() -> None:
    room = Room()
    room.say(market())
    recorder = Recorder()
    recorder.restore(b"", room.engine)
    assert recorder.is_trusted()
    assert recorder.numbering.newest((FIRST_UID, 0, "orders")) == 0


# -- cost -----------------------------------------------------------------------------------------


def calls_of(room: Room, commands: list[Command]) -> int:
    """How many functions the recorder calls for commands that the engine applies one by one."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    for command in commands:
        events = room.engine.apply(command)
        applied = Applied(room.engine.sequence, command.time, command, events)
        sys.setprofile(count)
        try:
            room.recorder.note(applied)
        finally:
            sys.setprofile(None)
    return calls


def test_an_order_of_recorded_owners_costs_few_steps() -> None:
    """Two owners listen: a resting order, then one that takes it, make eight frames."""
    room = Room()
    room.say([*market(), RecordStreams(FIRST_UID + 1)])
    again: list[Command] = [
        PlaceOrder(FIRST_UID, "AAAQQQ", 0, 0, 0, 4, 100),
        PlaceOrder(FIRST_UID + 1, "AAAQQQ", 1, 0, 0, 4, 100),
    ]
    calls_of(room, again)  # texts that come again are made once
    made = len(room.recorder.take())
    steps = calls_of(room, again)
    assert made == len(room.recorder.take()) == 8
    assert steps < 300
