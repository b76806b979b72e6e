"""No number of a state or of an event is too large to be written: sums have no bound (1.5)."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import Struct, inspect

from support.number_fields import example, unbounded
from venue.core import wide
from venue.core.messages.events import Event
from venue.core.state.snapshot import EngineState
from venue.history.process.pipe import Entry

pytestmark = pytest.mark.core

SIZES = [2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, -(2**63), -(2**63) - 1, -(10**30)]
EVENTS: list[type[Struct]] = list(Event.__args__)


@pytest.mark.parametrize("number", SIZES)
def test_each_number_of_a_state_is_kept_whole(number: int) -> None:
    """A walk over every record: those of later days are found without being named here."""
    kind = inspect.type_info(EngineState)
    decoder: wide.Decoder[EngineState] = wide.Decoder(EngineState)
    places = 0
    for place, state in unbounded(example(kind), kind, number):
        places += 1
        assert decoder.decode(wide.encode(state)) == state, place
    assert places > 200


@pytest.mark.parametrize("kind", EVENTS)
def test_each_number_of_an_event_is_told_whole(kind: type[Struct]) -> None:
    decoder: wide.Decoder[list[Entry]] = wide.Decoder(list[Entry])
    shape = inspect.type_info(kind)
    for number in SIZES:
        for place, event in unbounded(example(shape), shape, number):
            entries = [Entry(1, 2, [event])]
            assert decoder.decode(wide.encode(entries)) == entries, place


def test_what_fits_is_written_as_everywhere() -> None:
    state = example(inspect.type_info(EngineState))
    assert wide.encode(state) == msgspec.msgpack.encode(state)


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x93\x01", b"\xd4\x02\x00", b"\x92\xd4\x01\x05"])
def test_damage_is_told_as_such(data: bytes) -> None:
    decoder: wide.Decoder[list[int]] = wide.Decoder(list[int])
    with pytest.raises(msgspec.MsgspecError):
        decoder.decode(data)
