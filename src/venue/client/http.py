"""Requests to a running venue: signed, sent over kept connections, repeated where that is safe.

Two kinds are safe: calls that change nothing, and placements and movements of money under a client
id or a reference, for which the venue finds the first try. All others are repeated only after HTTP
429, which says that nothing was done.
Proxies of the environment are not used and redirects not followed: keys go to the given address.
"""

from __future__ import annotations

import re
import selectors
import time
from contextlib import suppress
from decimal import Decimal
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from math import inf
from threading import Lock
from typing import Any, Final, TypeVar
from urllib.parse import SplitResult, quote, urlencode, urlsplit
from uuid import uuid4

import msgspec

from venue.api import errors, signing
from venue.api.errors import BY_CODE
from venue.api.operation import Operation, Row, in_body
from venue.api.repeating import repeated_under
from venue.client import operator_tokens
from venue.client.errors import Misused, Refused, Unreachable, refused
from venue.vocabulary import Access

R = TypeVar("R")
TIMEOUT_S: Final = 10.0
RETRIES: Final = 2
FIRST_WAIT_S: Final = 0.2  # before the first repetition; twice as long before each next one
LONGEST_WAIT_S: Final = 10.0
ANSWER_MAX: Final = 64 * 1024 * 1024
IDLE_MAX: Final = 16  # connections kept open
# A venue closes a connection that is idle for 60 s, a proxy maybe sooner. A request that meets the
# end on its way fails though nothing was done.
IDLE_S: Final = 30.0
TOO_MANY: Final = 429
_HOLE: Final = re.compile(r"\{(\w+)\}")


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """The caller: an API key, or an operator, that may act for an owner of a practice venue."""

    key: str = ""
    secret: str = ""
    passphrase: str = ""
    operator_token: str = ""
    act_as: str = ""


class Http:
    """Sends rows to one venue. Threads may share it."""

    def __init__(self, url: str, account: Account, timeout_s: float, retries: int) -> None:
        parts, host, port = _address(url)
        if type(retries) is not int or retries < 0:
            raise Misused(f"retries {retries!r}: must be an int, 0 or more")
        check_seconds("timeout_s", timeout_s)
        _check_headers(account)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._dial = partial(kind, host, port, timeout=timeout_s)
        self._place = host, port
        self._prefix = parts.path.rstrip("/")
        self._sockets = f"ws{parts.scheme[4:]}://{parts.netloc}{self._prefix}"
        self._account = account
        self.timeout_s = timeout_s
        self.epoch = ""  # of the last answer: another one when the venue went back
        self._retries = retries
        self._lock = Lock()
        self._idle: list[tuple[HTTPConnection, float]] = []  # and since when, monotonic
        self._stamped = 0  # ms: two requests with the same stamp would be one
        self._closed = False

    def close(self) -> None:
        """Close the connections. Later calls raise Misused."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def send(self, row: Operation[..., Any, R], values: dict[str, Any]) -> R:
        """The reply. Refused; Unreachable when no answer came; Misused for a float or a closed
        client."""
        given = {name: _plain(name, value) for name, value in values.items() if value is not None}
        if under := repeated_under(row):
            given.setdefault(under, f"c-{uuid4().hex}")
        repeatable = row.method == "GET" or row.access in (Access.PUBLIC, Access.READ)
        repeatable = repeatable or bool(under)
        wait_s = FIRST_WAIT_S
        for left in range(self._retries, -1, -1):
            try:
                status, after, body = self._once(row, dict(given))
                if status < 300:
                    return _reply(row, body)
            except (OSError, HTTPException) as problem:
                if not (left and repeatable):
                    told = f"{row.name}: {type(problem).__name__}: {problem}"
                    unknown = row.access is not Access.PUBLIC and row.method != "GET"
                    raise Unreachable(told, unknown=unknown) from None
            else:
                busy = status == TOO_MANY or (status >= 500 and repeatable)
                if not (left and busy):
                    raise refusal_of(status, body)
                wait_s = max(wait_s, after)
            time.sleep(min(wait_s, LONGEST_WAIT_S))
            wait_s *= 2
        raise AssertionError("the last try returns or raises")

    def _once(self, row: Row, values: dict[str, Any]) -> tuple[int, float, bytes]:
        """One try: status, seconds to wait, body."""
        path = _HOLE.sub(lambda hole: quote(str(values.pop(hole[1])), safe=""), row.path)
        query = "" if in_body(row) else urlencode(texts(values), doseq=True)
        body = msgspec.json.encode(values) if in_body(row) else b""
        headers = self._headers(row, path, query, body)
        target = f"{self._prefix}{path}?{query}" if query else f"{self._prefix}{path}"
        connection = self._taken()
        try:
            connection.request(row.method, target, body or None, headers)
            answer = connection.getresponse()
            data = answer.read(ANSWER_MAX + 1)
            self.epoch = answer.headers.get("X-Venue-Epoch", "")
        except BaseException:
            connection.close()
            raise
        if answer.will_close or len(data) > ANSWER_MAX:
            connection.close()
        else:
            self._give_back(connection)
        if len(data) > ANSWER_MAX:
            raise HTTPException(f"an answer of more than {ANSWER_MAX} bytes")
        after = 0.0
        with suppress(ValueError):
            after = float(answer.headers.get("Retry-After", "0"))
        return answer.status, after, data

    def _headers(self, row: Row, path: str, query: str, body: bytes) -> dict[str, str]:
        headers = {"Content-Type": "application/json"} if body else {}
        account = self._account
        if row.access is Access.PUBLIC:
            return headers
        token = account.operator_token
        if row.access is Access.OPERATOR:
            token = token or operator_tokens.found(self._place[0], self._place[1] or 0)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if row.access is Access.OPERATOR:
            return headers
        if account.act_as:
            headers["X-Venue-Act-As"] = account.act_as
            return headers
        if not account.key:
            raise Misused(f"{row.name} is for one owner: give key, secret and passphrase")
        stamp = self._stamp().encode()
        text = signing.payload(stamp, row.method.encode(), path.encode(), query.encode(), body)
        return headers | self._signed(stamp, text)

    def socket_url(self, path: str) -> str:
        """The address of a socket. Misused: the client is closed."""
        with self._lock:
            self._check_open()
        return f"{self._sockets}{path}"

    def login(self) -> dict[str, str]:
        """The headers that open a private socket, once. Misused: there is no key."""
        if not self._account.key:
            raise Misused("private channels are for one owner: give key, secret and passphrase")
        stamp = self._stamp().encode()
        return self._signed(stamp, signing.websocket_payload(stamp))

    def _signed(self, stamp: bytes, text: bytes) -> dict[str, str]:
        return {
            "ACCESS-KEY": self._account.key,
            "ACCESS-PASSPHRASE": self._account.passphrase,
            "ACCESS-TIMESTAMP": stamp.decode(),
            "ACCESS-SIGN": signing.sign(self._account.secret.encode(), text).decode(),
        }

    def _stamp(self) -> str:
        with self._lock:
            self._stamped = max(self._stamped + 1, time.time_ns() // 1_000_000)
            return str(self._stamped)

    def _taken(self) -> HTTPConnection:
        with self._lock:
            self._check_open()
            while self._idle:
                connection, since = self._idle.pop()
                if time.monotonic() - since <= IDLE_S and not _has_ended(connection):
                    return connection
                connection.close()
        return self._dial()

    def _check_open(self) -> None:
        if self._closed:
            raise Misused("the client is closed")

    def _give_back(self, connection: HTTPConnection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < IDLE_MAX:
                self._idle.append((connection, time.monotonic()))
                return
        connection.close()


def _has_ended(connection: HTTPConnection) -> bool:
    """Whether an idle connection is of no use: there is something to read, which is its end."""
    with selectors.DefaultSelector() as selector:  # `select` takes no more than 1,024 files
        selector.register(connection.sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _address(url: str) -> tuple[SplitResult, str, int | None]:
    """An address in its parts, its host and its port. Misused."""
    with suppress(ValueError):
        parts = urlsplit(url if isinstance(url, str) else "")
        if parts.scheme in ("http", "https") and parts.hostname:
            return parts, parts.hostname, parts.port
    raise Misused(f"url {url!r}: must be as http://127.0.0.1:8787")


def check_seconds(name: str, value: float, *, or_none: bool = False) -> None:
    """Misused when a time to wait is no number of seconds; `or_none`: 0 is allowed."""
    if isinstance(value, int | float) and (0 < value < inf or (or_none and value == 0)):
        return
    rule = "0 or more" if or_none else "more than 0"
    raise Misused(f"{name} {value!r}: must be a number of seconds, {rule}")


def _check_headers(account: Account) -> None:
    """Misused when a value cannot go into a header; it is not told, as it may be secret."""
    for name, value in msgspec.structs.asdict(account).items():
        if not isinstance(value, str):
            raise Misused(f"{name} must be text")
        if name != "secret" and not (value.isascii() and value.isprintable()):
            raise Misused(f"{name} must be printable ASCII text")


def _plain(name: str, value: Any) -> Any:
    """A value as it goes over the wire; a float is refused before any request is sent."""
    if isinstance(value, float):
        rule = "is a float, which is not exact: give text or a Decimal"
        raise refused(errors.invalid(name, rule))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise refused(errors.invalid(name, "must be a finite number"))
        return format(value, "f")
    if isinstance(value, list | tuple):
        return [_plain(name, item) for item in value]
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.fields(type(value))
        given = {field.encode_name: getattr(value, field.name) for field in fields}
        return _plain(name, given)
    if isinstance(value, dict):
        said = {inner: item for inner, item in value.items() if item is not None}
        return {inner: _plain(f"{name}.{inner}", item) for inner, item in said.items()}
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise refused(errors.invalid(name, "must be text of whole characters")) from None
    return value


def texts(values: dict[str, Any]) -> dict[str, Any]:
    """Values of a query, as `urlencode` takes them: true and false as the interface writes them."""
    flags = {True: "true", False: "false"}
    return {
        name: flags[value] if isinstance(value, bool) else value for name, value in values.items()
    }


def _reply(row: Operation[..., Any, R], body: bytes) -> R:
    """HTTPException for an answer that was cut short, or is not this interface's."""
    try:
        return msgspec.json.decode(body, type=row.reply)
    except msgspec.MsgspecError as problem:
        raise HTTPException(f"the answer is not this interface's: {problem}") from None


def refusal_of(status: int, body: bytes) -> Refused:
    """The exception for an error's answer, be it a venue's or not."""
    said: Any = None
    with suppress(msgspec.MsgspecError):
        said = msgspec.json.decode(body)
    if not isinstance(said, dict) or not isinstance(said.get("code"), int):
        return Refused(0, "HTTP", f"status {status}", status)
    code = int(said["code"])
    row = BY_CODE.get(code)
    text = str(said.get("msg", said.get("message", "")))
    return Refused(code, row.name if row is not None else "UNKNOWN", text, status)
