"""The client for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, TypeVar, Unpack

from venue.api.operation import Operation, Row
from venue.client import paging
from venue.client.books import Books, channel
from venue.client.calls import Items
from venue.client.defaults import DEFAULT_URL
from venue.client.http import ClientOptions, Http, NoAnswer, wire_values
from venue.client.methods import Methods
from venue.client.streams import PATIENCE_S, QUIET_S, Stream
from venue.client.transport.asynchronous import Connections
from venue.client.tries import Tries, reader

R = TypeVar("R")
T = TypeVar("T")


class AsyncClient(Methods):
    """A client of the venue at `url`, for one owner or operator. Use it in an `async with`. A call
    whose task is cancelled may have its effect all the same.

    Calls that change nothing are repeated up to `retries` times, and placements under their client
    id, which is given to each that has none. Without a key `act_as` names an owner of a practice
    venue on this machine.
    """

    def __init__(self, url: str = DEFAULT_URL, **options: Unpack[ClientOptions]) -> None:
        self._http = Http(url, **options)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connections: Connections | None = None

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()
        if self._connections is not None:
            self._connections.close()

    async def send(self, row: Operation[..., Any, R], values: dict[str, Any]) -> R:
        """Return the reply to a row of the table, with `values` by their names on the wire.
        Refused; Unreachable when no answer came; Misused for a float or a closed client."""
        tries = Tries(self._http, row, wire_values(values), reader(row))
        while True:
            request = tries.request()
            try:
                answer = await self._of_this_loop().ask(request)
                if tries.is_last(answer):
                    return tries.reply(answer)
            except NoAnswer as problem:
                tries.fail(problem)
            await asyncio.sleep(tries.pause())

    def _of_this_loop(self) -> Connections:
        loop = asyncio.get_running_loop()
        if self._connections is None or self._loop is not loop:
            self._loop, self._connections = loop, Connections(self._http)
        return self._connections

    def each(self, row: Row, values: dict[str, Any], items: Items[T]) -> AsyncIterator[T]:
        """Return the items of all pages of a row; `items` finds the list in a page."""
        return paging.each_async(self.send, row, values, items)

    def listen(
        self,
        *channels: str,
        product: str = "spot",
        quiet_s: float = QUIET_S,
        patience_s: float = PATIENCE_S,
    ) -> Stream:
        """Return the frames of channels, as BTCUSDT@trade, or of private ones, as orders or
        orders?from=17. Misused."""
        return Stream(
            self._http, self.ping, product, channels, quiet_s=quiet_s, patience_s=patience_s
        )

    def books(
        self,
        symbol: str,
        *,
        product: str = "spot",
        levels: int = 15,
        quiet_s: float = QUIET_S,
        patience_s: float = PATIENCE_S,
    ) -> Books:
        """Return a market's book after each change, checked: 15 or 200 levels a side. Misused."""
        name = channel(symbol, levels)
        return Books(self.listen(name, product=product, quiet_s=quiet_s, patience_s=patience_s))
