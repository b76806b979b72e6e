"""All items of a list that comes in pages, asked for page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeVar

from venue.api.fields import PAGES, SIZES
from venue.api.operation import Row, parameters

T = TypeVar("T")
Values = dict[str, Any]


def each(
    send: Callable[[Row, Values], Any], row: Row, values: Values, items: Callable[[Any], list[T]]
) -> Iterator[T]:
    """Yield the items of all pages."""
    asked: Values | None = first_page(row, values)
    while asked is not None:
        reply = send(row, asked)
        found = items(reply)
        yield from found
        asked = following(row, asked, reply, found)


async def each_async(
    send: Callable[[Row, Values], Awaitable[Any]],
    row: Row,
    values: Values,
    items: Callable[[Any], list[T]],
) -> AsyncIterator[T]:
    """As `each`."""
    asked: Values | None = first_page(row, values)
    while asked is not None:
        reply = await send(row, asked)
        found = items(reply)
        for item in found:
            yield item
        asked = following(row, asked, reply, found)


def first_page(row: Row, values: Values) -> Values:
    """Return the parameters of the first page, with its number and size."""
    defaults = {field.encode_name: field.default for field in parameters(row)}
    asked = {name: value for name, value in values.items() if value is not None}
    for name in (*PAGES, *SIZES):
        if name in defaults:
            asked.setdefault(name, defaults[name])
    return asked


def following(row: Row, asked: Values, reply: Any, found: list[Any]) -> Values | None:
    """Return the parameters of the next page; None after the last. `found` are the items of
    `reply`."""
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
