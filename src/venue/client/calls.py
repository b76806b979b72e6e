"""Rows of the table of operations as typed methods of a client, blocking or for asyncio.

Both type checkers take the parameters of a method from the row's request, and its result from the
row's reply. An attribute of the class serves both clients: what it gives depends on the client.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from inspect import Parameter, Signature
from typing import Any, Generic, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from venue.api.operation import Operation, Row, parameters, request_type

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Items: TypeAlias = Callable[[Any], list[T]]  # finds the list in a page
Method: TypeAlias = Callable[..., Any]


class Blocking(Protocol):
    """A client whose calls wait for the reply."""

    def send(self, row: Operation[..., Any, R], values: dict[str, Any]) -> R: ...
    def each(self, row: Row, values: dict[str, Any], items: Items[T]) -> Iterator[T]: ...


class AwaitedClient(Protocol):
    """A client whose calls are awaited."""

    async def send(self, row: Operation[..., Any, R], values: dict[str, Any]) -> R: ...
    def each(self, row: Row, values: dict[str, Any], items: Items[T]) -> AsyncIterator[T]: ...


class Call(Generic[P, R]):
    """A row as a method, which returns the reply."""

    def __init__(self, row: Operation[P, Any, R]) -> None:
        self._row = row
        self._method: Method | None = None

    @overload
    def __get__(self, client: None, kind: type) -> Method: ...
    @overload
    def __get__(self, client: Blocking, kind: type) -> Callable[P, R]: ...
    @overload
    def __get__(self, client: AwaitedClient, kind: type) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, client: Any, kind: type) -> Any:
        if self._method is None:
            row = self._row
            words = f"{row.method} {row.path}"
            self._method = _method(row, row.name, words, lambda one, given: one.send(row, given))
        return self._method.__get__(client, kind)


class Each(Generic[P, T]):
    """A row as a method that asks for page after page; `items` finds the list in a page."""

    @overload
    def __init__(self, row: Operation[P, Any, list[T]]) -> None: ...
    @overload
    def __init__(self, row: Operation[P, Any, R], items: Callable[[R], list[T]]) -> None: ...
    def __init__(self, row: Row, items: Items[T] = list) -> None:
        self._row = row
        self._items = items
        self._method: Method | None = None

    @overload
    def __get__(self, client: None, kind: type) -> Method: ...
    @overload
    def __get__(self, client: Blocking, kind: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: AwaitedClient, kind: type) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, client: Any, kind: type) -> Any:
        if self._method is None:
            row, items = self._row, self._items
            words = f"The items of all pages of `{row.name}`."
            name = f"each_{row.name}"
            self._method = _method(row, name, words, lambda one, given: one.each(row, given, items))
        return self._method.__get__(client, kind)


def _method(row: Row, name: str, words: str, act: Callable[[Any, dict[str, Any]], Any]) -> Method:
    """Return the function of a row; `help` and `inspect.signature` show its parameters."""
    fields = parameters(row)
    names = {field.name: field.encode_name for field in fields}

    def method(client: Any, /, **given: Any) -> Any:
        row.request(**given)  # TypeError for a name that is wrong, or missing
        return act(client, {names[name]: value for name, value in given.items()})

    method.__name__ = name
    method.__doc__ = words
    method.__signature__ = _signature(row)  # type: ignore[attr-defined]
    return method


def _signature(row: Row) -> Signature:
    """Return the parameters of a row's request, after the client itself."""
    kinds = request_type(row).__annotations__
    found = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    for field in parameters(row):
        default = Parameter.empty if field.required else field.default
        kind = kinds[field.name]
        found.append(
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        )
    return Signature(found)
