"""All items of a list that comes in pages, asked for page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Final

from msgspec import Struct, structs

from venue.api.operation import Operation

Values = dict[str, Any]
PAGES: Final = ("page", "pageIndex", "pageNum")
SIZES: Final = ("limit", "pageSize")


def each(
    send: Callable[[Operation[Any, Any], Values], Any], row: Operation[Any, Any], values: Values
) -> Iterator[Any]:
    """The items of all pages."""
    asked: Values | None = begun(row, values)
    while asked is not None:
        reply = send(row, asked)
        yield from items(reply)
        asked = following(row, asked, reply)


async def each_async(
    send: Callable[[Operation[Any, Any], Values], Awaitable[Any]],
    row: Operation[Any, Any],
    values: Values,
) -> AsyncIterator[Any]:
    """As `each`."""
    asked: Values | None = begun(row, values)
    while asked is not None:
        reply = await send(row, asked)
        for item in items(reply):
            yield item
        asked = following(row, asked, reply)


def begun(row: Operation[Any, Any], values: Values) -> Values:
    """The parameters of the first page, with its number and size."""
    defaults = {field.encode_name: field.default for field in structs.fields(row.request)}
    asked = {name: value for name, value in values.items() if value is not None}
    for name in (*PAGES, *SIZES):
        if name in defaults:
            asked.setdefault(name, defaults[name])
    return asked


def items(reply: Any) -> list[Any]:
    """The items of a page."""
    if isinstance(reply, list):
        return reply
    assert isinstance(reply, Struct), reply
    (found,) = [value for value in structs.astuple(reply) if isinstance(value, list)]
    return found


def following(row: Operation[Any, Any], asked: Values, reply: Any) -> Values | None:
    """The parameters of the next page; None after the last."""
    found = items(reply)
    key = getattr(reply, "next_key", None)
    if key is not None:
        return {**asked, "nextKeyId": key.next_key_id, "nextKeyTime": key.next_key_time}
    size = next(int(asked[name]) for name in SIZES if name in asked)
    if len(found) < size:
        return None
    page = next((name for name in PAGES if name in asked), None)
    if page is not None:
        return {**asked, page: int(asked[page]) + 1}
    if row.name == "bills":
        return {**asked, "before": found[-1].bill_id}
    return None
