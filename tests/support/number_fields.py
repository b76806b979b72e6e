"""Values of any type of the core, and their whole numbers replaced one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, inspect


def example(kind: inspect.Type) -> Any:
    """A value of a type, with one element in each list."""
    if isinstance(kind, inspect.StructType):
        return kind.cls(*[example(field.type) for field in kind.fields])
    if isinstance(kind, inspect.ListType | inspect.VarTupleType):
        found = [example(kind.item_type)]
        return found if isinstance(kind, inspect.ListType) else tuple(found)
    if isinstance(kind, inspect.TupleType):
        return tuple(example(item) for item in kind.item_types)
    if isinstance(kind, inspect.UnionType):
        return example(next(one for one in kind.types if not isinstance(one, inspect.NoneType)))
    if isinstance(kind, inspect.EnumType):
        return next(iter(kind.cls))
    plain: dict[type[inspect.Type], Any] = {
        inspect.IntType: 1, inspect.StrType: "é", inspect.BytesType: b"x", inspect.BoolType: True,
    }  # fmt: skip
    return plain[type(kind)]


def unbounded(value: Any, kind: inspect.Type, number: int, path: str = "") -> Iterator[
    tuple[str, Any]
]:  # fmt: skip
    """The value with `number` in place of one whole number without a range, for each of them."""
    if isinstance(kind, inspect.IntType):
        if kind.le is None:
            yield path, number
    elif isinstance(kind, inspect.StructType):
        for field in kind.fields:
            held = getattr(value, field.name)
            for place, other in unbounded(held, field.type, number, f"{path}.{field.name}"):
                yield place, msgspec.structs.replace(value, **{field.name: other})
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        for place, other in unbounded(value[0], kind.item_type, number, f"{path}[]"):
            yield place, type(value)([other])
    elif isinstance(kind, inspect.TupleType):
        for at, item in enumerate(kind.item_types):
            for place, other in unbounded(value[at], item, number, f"{path}[{at}]"):
                yield place, (*value[:at], other, *value[at + 1 :])
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            if not isinstance(one, inspect.StructType) or isinstance(value, one.cls):
                yield from unbounded(value, one, number, path)


def type_of(struct: type[Struct]) -> inspect.Type:
    """A struct's type."""
    return inspect.type_info(struct)
