"""The blocking client."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, TypeVar

from venue.api.operation import Operation, Row
from venue.client import paging
from venue.client.calls import Items
from venue.client.http import RETRIES, TIMEOUT_S, Account, Http, NoAnswer
from venue.client.methods import Methods
from venue.client.transport.blocking import Connections
from venue.client.tries import Tries

R = TypeVar("R")
T = TypeVar("T")


class Client(Methods):
    """A client of the venue at `url`, for one owner or operator. Use it in a `with`; threads may
    share it.

    Calls that change nothing are repeated up to `retries` times, and placements under their client
    id, which is given to each that has none. Without a key `act_as` names an owner of a practice
    venue on this machine.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8787",
        *,
        key: str = "",
        secret: str = "",
        passphrase: str = "",
        operator_token: str = "",
        act_as: str = "",
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
    ) -> None:
        account = Account(
            key=key,
            secret=secret,
            passphrase=passphrase,
            operator_token=operator_token,
            act_as=act_as,
        )
        self._http = Http(url, account, timeout_s, retries)
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
        """The reply to a row of the table, with `values` by their names on the wire. Refused;
        Unreachable when no answer came; Misused for a float or a closed client."""
        tries = Tries(self._http, row, values)
        while True:
            request = tries.request()
            try:
                reply = tries.read(self._connections.ask(request))
            except NoAnswer as problem:
                tries.fail(problem)
            else:
                if reply is not None:
                    return reply
            time.sleep(tries.pause())

    def each(self, row: Row, values: dict[str, Any], items: Items[T]) -> Iterator[T]:
        """The items of all pages of a row; `items` finds the list in a page."""
        return paging.each(self.send, row, values, items)
