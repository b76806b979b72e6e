"""A client that signs as the interface says and shows raw answers."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any, NamedTuple

from support.stamps import stamp_ms
from support.waits import WAIT_S
from venue.api import signing

IDLE_S = 20


class Answer(NamedTuple):
    """Status, headers (lower case) and the raw body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Calls one server; with credentials its requests are signed."""

    def __init__(
        self, port: int, account: dict[str, Any] | None = None, *, token: str = ""
    ) -> None:
        self.port = port
        self.account = account
        self.token = token  # an operator's
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
        self._used = time.monotonic()
        # The time of the last signature (ms); the next is one later. None: the machine's time.
        self.at_ms: int | None = None

    def get(self, target: str, **changes: Any) -> Answer:
        """GET a path with its query."""
        return self.call("GET", target, None, **changes)

    def post(self, target: str, body: Any, **changes: Any) -> Answer:
        """POST a JSON body (bytes are sent as they are)."""
        return self.call("POST", target, body, **changes)

    def put(self, target: str, body: Any = None, **changes: Any) -> Answer:
        """PUT, with or without a body."""
        return self.call("PUT", target, body, **changes)

    def delete(self, target: str, body: Any = None, **changes: Any) -> Answer:
        """DELETE, with or without a body."""
        return self.call("DELETE", target, body, **changes)

    def call(
        self, method: str, target: str, body: Any, headers: dict[str, str | None] | None = None
    ) -> Answer:
        """One request; `headers` replace the usual ones, None leaves one out."""
        raw = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        sent = self.headers(method, target, raw) | (headers or {})
        named = {name: value for name, value in sent.items() if value is not None}
        connection = self.awake()
        connection.request(method, target, raw or None, named)
        reply = connection.getresponse()
        found = {name.lower(): value for name, value in reply.getheaders()}
        return Answer(reply.status, found, reply.read())

    def awake(self) -> http.client.HTTPConnection:
        """The connection; a new one after a pause in which the server may have closed it."""
        if time.monotonic() - self._used > IDLE_S:
            self.connection.close()  # the next request opens it again
        self._used = time.monotonic()
        return self.connection

    def headers(
        self, method: str, target: str, raw: bytes, ahead_ms: int = 0
    ) -> dict[str, str | None]:
        """The headers of a request, signed when there are credentials, with a time so far ahead."""
        sent: dict[str, str | None] = {"Content-Type": "application/json"} if raw else {}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if self.account is None:
            return sent
        now_ms = stamp_ms()
        if self.at_ms is not None:
            now_ms = self.at_ms = self.at_ms + 1
        timestamp = str(now_ms + ahead_ms)
        path, _, query = target.partition("?")
        text = signing.payload(
            timestamp.encode(), method.encode(), path.encode(), query.encode(), raw
        )
        sent["ACCESS-KEY"] = self.account["key"]
        sent["ACCESS-PASSPHRASE"] = self.account["passphrase"]
        sent["ACCESS-TIMESTAMP"] = timestamp
        sent["ACCESS-SIGN"] = signing.sign(self.account["secret"].encode(), text).decode()
        return sent

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
