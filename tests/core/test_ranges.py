"""A command is checked whole before it is journaled: each number in its own type's range (1.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import Struct, inspect

from support.number_fields import example
from venue.core import ranges
from venue.core.messages.benefit_commands import FeeTier, InternalWithdraw, SetFeeTiers
from venue.core.messages.commands import Command, Exit, PlaceContractOrder, PlaceOrder
from venue.core.messages.copy_commands import CopyConfig, Follow
from venue.core.units import NUMBER_MAX

pytestmark = pytest.mark.core

KINDS: list[type[Struct]] = list(Command.__args__)
BEYOND = [2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 10**30, -(2**63), -(2**63) - 1]


def numbers_in(kind: inspect.Type) -> Iterator[inspect.IntType]:
    """All types of whole numbers in a type."""
    if isinstance(kind, inspect.IntType):
        yield kind
    elif isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield from numbers_in(field.type)
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        yield from numbers_in(kind.item_type)
    elif isinstance(kind, inspect.TupleType):
        for item in kind.item_types:
            yield from numbers_in(item)
    else:
        assert isinstance(kind, inspect.StrType | inspect.BytesType | inspect.BoolType), kind


def places(value: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each whole number in a command, as its field's name and where it stands."""
    for field in msgspec.structs.fields(value):
        held = getattr(value, field.name)
        if type(held) is int:
            yield field.name, value, field.name
        elif isinstance(held, Struct):
            yield from places(held)
        elif isinstance(held, list) and isinstance(held[0], Struct):
            yield from places(held[0])


def with_number(command: Struct, holder: Struct, name: str, number: Any) -> Any:
    """The command with another number in one place."""
    if command is holder:
        return msgspec.structs.replace(command, **{name: number})
    changes: dict[str, Any] = {}
    for field in msgspec.structs.fields(command):
        held = getattr(command, field.name)
        if isinstance(held, Struct):
            changes[field.name] = with_number(held, holder, name, number)
        elif isinstance(held, list) and isinstance(held[0], Struct):
            changes[field.name] = [with_number(held[0], holder, name, number)]
    return msgspec.structs.replace(command, **changes)


@pytest.mark.parametrize("kind", KINDS)
def test_each_number_of_each_command_has_a_range(kind: type[Struct]) -> None:
    for number in numbers_in(inspect.type_info(kind)):
        assert number.ge is not None
        assert number.le is not None
        assert number.ge >= -NUMBER_MAX
        assert number.le <= NUMBER_MAX


@pytest.mark.parametrize("kind", KINDS)
def test_beyond_its_range_a_number_is_refused_by_its_name(kind: type[Struct]) -> None:
    command = example(inspect.type_info(kind))
    assert ranges.fault(command) is None
    for name, holder, field in places(command):
        for number in [*BEYOND, None, 1.5, True, "1"]:
            other = with_number(command, holder, field, number)
            refused = ranges.fault(other)
            assert refused is not None
            assert refused.name == name
            assert refused.rule.startswith("allowed: ")


def test_up_to_its_range_a_command_comes_back_as_it_was() -> None:
    for number in (0, 1, 2**31, 2**32, 2**53, 10**18, NUMBER_MAX):
        order = PlaceOrder(number, "X", 0, 0, 0, number, number)
        assert ranges.fault(order) is None
        packed = msgspec.msgpack.encode([order])
        assert msgspec.msgpack.decode(packed, type=list[Command]) == [order]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (InternalWithdraw(1, 2, 0, 0, "USDT", 184467440738 * 10**8), "amount"),
        (PlaceOrder(1, "\ud800", 0, 0, 0, 1, 1), "symbol"),
        (PlaceOrder(1, "X", 0, 0, 0, 1, 1, "\udfff"), "client_id"),
        (
            PlaceContractOrder(1, "X", 0, 1, 0, 0, 1, 1, take_profit=Exit(2**64)),
            "trigger_price",
        ),
        (SetFeeTiers(0, "X", [FeeTier(0, 0, 0), FeeTier(2**63, 0, 0)]), "volume"),
        (Follow(1, 2, True, [CopyConfig("", True, 10**30, 1)]), "value"),
        (Follow(1, 2, True, [CopyConfig("", True, 1, 1, custom=[("X", 2**64, 1)])]), "custom"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_named(command: Struct, name: str) -> None:
    refused = ranges.fault(command)
    assert refused is not None
    assert refused.name == name
