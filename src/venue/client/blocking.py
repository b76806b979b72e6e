"""The blocking client."""

from __future__ import annotations

from types import TracebackType

from venue.client.calls.whole import Calls
from venue.client.http import RETRIES, TIMEOUT_S, Account, Http


class Client(Calls):
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
        self._send = self._http.send

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
