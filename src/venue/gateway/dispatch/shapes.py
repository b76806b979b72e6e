"""Derives from a request struct's annotations, once, the shape by which its values are decoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import FieldInfo

from venue.api import errors
from venue.api.fields import COUNTDOWN_ALLOWED, PAGES, SIZES, Kind
from venue.api.names import ALGO_TYPES, SIDES, TIMES_IN_FORCE, TYPES
from venue.gateway.dispatch.decode import (
    TEXT_LENGTH_MAX,
    Field,
    Reader,
    RequestShape,
    bad_algo_type,
    choice_of,
    client_id,
    contract_client_id,
    countdown_of,
    decimal,
    decode,
    flag,
    ignored_names,
    integer_of,
    leverage,
    list_of,
    objects,
    one_of,
    rate,
    symbol,
    symbols_of,
    text_of,
    uids,
)

REPEATED: Final = (Kind.SYMBOLS, Kind.UIDS)  # may be, in a query


def compile_request(struct: type[Struct]) -> RequestShape:
    """Read a request struct's annotations once."""
    found = msgspec.structs.fields(struct)  # slow: it evaluates the annotations
    fields = [_field(field) for field in found]
    items = {
        field.encode_name: _names(_item(field.type)) for field in found if _is_objects(field.type)
    }
    names = [field.name for field in fields]
    lists = frozenset(field.name for field in fields if field.kind in REPEATED)
    return RequestShape(struct, fields, frozenset(names), lists, items, _paging(fields))


def _paging(fields: list[Field]) -> tuple[Field, Field] | None:
    page = [field for field in fields if field.name in PAGES]
    size = [field for field in fields if field.name in SIZES]
    return (page[0], size[0]) if page and size else None


def _field(field: FieldInfo) -> Field:
    kind, read = _kind(field.type)
    required = field.default is NODEFAULT
    return Field(field.encode_name, field.name, read, required, field.default, kind)


def _kind(hint: Any) -> tuple[Kind, Reader]:
    meta = _meta(hint)
    if meta is None:
        if _is_list(hint):
            return Kind.OBJECTS, objects
        return Kind.OBJECT, _nested_reader(_item(hint))
    kind = Kind((meta.extra or {})["kind"])
    return kind, _reader(kind, meta)


def _is_objects(hint: Any) -> bool:
    meta = _meta(hint)
    return _is_list(hint) if meta is None else (meta.extra or {}).get("kind") == Kind.OBJECTS


def _is_list(hint: Any) -> bool:
    return any(get_origin(part) is list for part in (hint, *get_args(hint)))


def _item(hint: Any) -> type[Any]:
    """Return the struct of an object, or of the elements of a list of objects."""
    (item,) = [
        kind
        for kind in _leaves(hint) or [hint]
        if isinstance(kind, type) and issubclass(kind, Struct)
    ]
    return item


def _names(struct: type[Any]) -> frozenset[str]:
    return frozenset(field.encode_name for field in msgspec.structs.fields(struct))


def _leaves(hint: Any) -> list[Any]:
    return [leaf for part in get_args(hint) for leaf in (_leaves(part) or [part])]


def _meta(hint: Any) -> Meta | None:
    """Return the `Meta` that says how to read a field; None for plain objects and lists of them."""
    for part in (hint, *get_args(hint)):
        for extra in getattr(part, "__metadata__", ()):
            if isinstance(extra, Meta):
                return extra
    return None


def _reader(kind: Kind, meta: Meta) -> Reader:
    schema = meta.extra_json_schema or {}
    choices = tuple(schema.get("enum", ()) or schema.get("items", {}).get("enum", ()))
    readers: dict[Kind, Callable[[], Reader]] = {
        Kind.SYMBOL: lambda: symbol,
        Kind.SYMBOL_OR_ALL: lambda: symbol,
        Kind.SYMBOLS: lambda: symbols_of(meta.max_length or 0),
        Kind.SIDE: lambda: one_of(SIDES, errors.bad_side),
        Kind.TYPE: lambda: one_of(TYPES, errors.bad_type),
        Kind.ALGO_TYPE: lambda: one_of(ALGO_TYPES, bad_algo_type),
        Kind.TIME_IN_FORCE: lambda: one_of(TIMES_IN_FORCE, errors.bad_time_in_force),
        Kind.DECIMAL: lambda: decimal,
        Kind.RATE: lambda: rate,
        Kind.CLIENT_ID: lambda: client_id,
        Kind.CLIENT_IDS: lambda: list_of(client_id),
        Kind.CONTRACT_CLIENT_ID: lambda: contract_client_id,
        Kind.CONTRACT_CLIENT_IDS: lambda: list_of(contract_client_id),
        Kind.INTEGER: lambda: integer_of(meta.ge, meta.le),
        Kind.ID_OR_ALL: lambda: integer_of(meta.ge, meta.le),
        Kind.IDS: lambda: list_of(integer_of(1, 2**63 - 1)),
        Kind.UIDS: lambda: uids,
        Kind.CHOICE: lambda: choice_of(choices),
        Kind.CHOICES: lambda: list_of(choice_of(choices)),
        Kind.TEXT: lambda: text_of(meta.max_length or TEXT_LENGTH_MAX, meta.pattern or ""),
        Kind.LINES: lambda: text_of(meta.max_length or TEXT_LENGTH_MAX, "", breaks="\n"),
        Kind.TEXTS: lambda: list_of(text_of(TEXT_LENGTH_MAX, "")),
        Kind.FLAG: lambda: flag,
        Kind.OBJECTS: lambda: objects,
        Kind.LEVERAGE: lambda: leverage,
        Kind.COUNTDOWN: lambda: countdown_of(integer_of(meta.ge, meta.le, COUNTDOWN_ALLOWED)),
    }
    return readers[kind]()


def _nested_reader(struct: type[Any]) -> Reader:
    """Return an object in the body, with no names but its own."""
    request = compile_request(struct)

    def read(name: str, value: Any) -> Any:
        if not isinstance(value, dict):
            raise errors.invalid(name, "must be an object")
        for unknown in ignored_names(request, value):
            raise errors.invalid(f"{name}.{errors.quote_value(unknown)[1:-1]}", "no such parameter")
        return decode(request, value)

    return read
