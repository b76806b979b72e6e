"""The blocking client."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, TypeVar, Unpack

from venue.api.operation import Operation, Row
from venue.client import paging
from venue.client.calls import Items
from venue.client.defaults import DEFAULT_URL
from venue.client.http import Answer, ClientOptions, Http, NoAnswer, unreachable, wire_values
from venue.client.methods import Methods
from venue.client.transport.blocking import Connections
from venue.client.tries import Tries, reader

R = TypeVar("R")
T = TypeVar("T")


class Client(Methods):
    """A client of the venue at `url`, for one owner or operator. Use it in a `with`; threads may
    share it.

    Calls that change nothing are repeated up to `retries` times, and placements under their client
    id, which is given to each that has none. Without a key `act_as` names an owner of a practice
    venue on this machine.
    """

    def __init__(self, url: str = DEFAULT_URL, **options: Unpack[ClientOptions]) -> None:
        self._http = Http(url, **options)
        self._connections = Connections(self._http)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()
        self._connections.close()

    def send(self, row: Operation[..., Any, R], values: dict[str, Any]) -> R:
        """Return the reply to a row of the table, with `values` by their names on the wire.
        Refused; Unreachable when no answer came; Misused for a float or a closed client."""
        tries = Tries(self._http, row, wire_values(values), reader(row))
        return tries.reply(self._ask_until_answered(tries))

    def ask(self, row: Row, values: dict[str, Any]) -> Answer:
        """Return the answer as it came, be it a refusal, to values that are JSON; tried as `send`
        does. Unreachable, Misused."""
        return self._ask_until_answered(Tries(self._http, row, values, bytes))

    def ask_once(self, row: Row, values: dict[str, Any], stamp: int | None = None) -> Answer:
        """As `ask`, in one request that has these values alone. It is signed with the time `stamp`
        (ms), or with the machine's."""
        try:
            return self._connections.ask(self._http.request(row, values, stamp))
        except NoAnswer as problem:
            raise unreachable(self._http, row, problem) from None

    def _ask_until_answered(self, tries: Tries[Any]) -> Answer:
        while True:
            request = tries.request()
            try:
                answer = self._connections.ask(request)
                if tries.is_last(answer):
                    return answer
            except NoAnswer as problem:
                tries.fail(problem)
            time.sleep(tries.pause())

    def each(self, row: Row, values: dict[str, Any], items: Items[T]) -> Iterator[T]:
        """Return the items of all pages of a row; `items` finds the list in a page."""
        return paging.each(self.send, row, values, items)
