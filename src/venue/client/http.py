"""Requests to a running venue, signed, and the answers to them."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from math import inf
from threading import Lock
from typing import Any, Final, NamedTuple, TypedDict
from urllib.parse import SplitResult, quote, urlencode, urlsplit

import msgspec

from venue.api import errors, signing
from venue.api.errors import BY_CODE
from venue.api.operation import Row
from venue.client import operator_tokens
from venue.client.defaults import RETRIES, TIMEOUT_S
from venue.client.errors import FOREIGN, Misused, Refused, Unreachable, refusal
from venue.vocabulary import Access

ANSWER_MAX: Final = 64 * 1024 * 1024
_stamping: Final = Lock()
_stamps: Final = [0]  # the time of the last signature, in ms
_HOLE: Final = re.compile(r"\{(\w+)\}")
NOT_SENT: Final = "hold invalid text, or too great a number"
_WHOLE: Final = "must be text of whole characters"


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """The caller: an API key, or an operator, that may act for an owner of a practice venue."""

    key: str = ""
    secret: str = ""
    passphrase: str = ""
    operator_token: str = ""
    act_as: str = ""


class ClientOptions(TypedDict, total=False):
    """The caller, as in `Account`; the seconds until an answer is given up, and how many times a
    call is repeated."""

    key: str
    secret: str
    passphrase: str
    operator_token: str
    act_as: str
    timeout_s: float
    retries: int


class Request(NamedTuple):
    """A signed request, ready to be sent."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Answer(NamedTuple):
    """An answer; `after` are the seconds to wait before another try."""

    status: int
    after: float
    body: bytes

    def value(self) -> Any:
        """Return the body's JSON. Refused: it is a refusal, or not a venue's."""
        if self.status < 300:
            with suppress(msgspec.MsgspecError):
                return msgspec.json.decode(self.body)
        raise refusal_of(self.status, self.body)


class NoAnswer(Exception):
    """No whole answer came. `sent`: the request may have reached the venue. `reason` says why."""

    def __init__(self, reason: str, *, kind: str = "", sent: bool = True) -> None:
        super().__init__(f"{kind}: {reason}" if kind else reason)
        self.reason = reason or kind
        self.sent = sent


class Http:
    """Makes the requests of one caller to one venue, and reads its answers. Threads may share it.

    A transport sends them. None uses proxies of the environment or follows redirects: keys go to
    the given address.
    """

    def __init__(
        self, url: str, *, timeout_s: float = TIMEOUT_S, retries: int = RETRIES, **caller: str
    ) -> None:
        account = Account(**caller)
        parts, host, port = address(url)
        if type(retries) is not int or retries < 0:
            raise Misused(f"retries {retries!r}: must be an int, 0 or more")
        check_seconds("timeout_s", timeout_s)
        _check_headers(account)
        self.secure = parts.scheme == "https"
        self.host = host
        self.port = port
        self.url = url.rstrip("/")
        self._prefix = parts.path.rstrip("/")
        self._sockets = f"ws{parts.scheme[4:]}://{parts.netloc}{self._prefix}"
        self._account = account
        self.timeout_s = timeout_s
        self.epoch = ""  # of the last answer: another one when the venue went back
        self.retries = retries
        self._closed = False

    def close(self) -> None:
        """Later requests raise Misused."""
        self._closed = True

    def request(self, row: Row, given: dict[str, Any], stamp: int | None = None) -> Request:
        """Return the request of a row, signed with the time `stamp` (ms), or with the machine's.
        Refused, Misused."""
        self._check_open()
        values = dict(given)
        try:
            path = _HOLE.sub(lambda hole: quote(_path_value(values, hole[1]), safe=""), row.path)
            query = "" if row.in_body else urlencode(texts(values), doseq=True)
            body = msgspec.json.encode(values) if row.in_body else b""
        except (UnicodeEncodeError, OverflowError):
            raise refusal(errors.invalid("parameters", NOT_SENT)) from None
        headers = self._headers(row, path, query, body, stamp)
        target = f"{self._prefix}{path}?{query}" if query else f"{self._prefix}{path}"
        return Request(row.method, target, headers, body)

    def answer(self, status: int, headers: Mapping[str, str], body: bytes) -> Answer:
        """Return the answer, of headers with names in lower case. NoAnswer: it is too long."""
        if len(body) > ANSWER_MAX:
            raise NoAnswer(f"an answer of more than {ANSWER_MAX} bytes")
        self.epoch = headers.get("x-venue-epoch", "")
        after = 0.0
        with suppress(ValueError):
            after = float(headers.get("retry-after", "0"))
        return Answer(status, after, body)

    def _headers(
        self, row: Row, path: str, query: str, body: bytes, stamp: int | None
    ) -> dict[str, str]:
        headers = {"Content-Type": "application/json"} if body else {}
        account = self._account
        if row.access is Access.PUBLIC:
            return headers
        token = account.operator_token
        if row.access is Access.OPERATOR:
            token = token or operator_tokens.find_token(self.host, self.port or 0)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if row.access is Access.OPERATOR:
            return headers
        if account.act_as:
            headers["X-Venue-Act-As"] = account.act_as
            return headers
        if not account.key:
            raise Misused(f"{row.name} is for one owner: give key, secret and passphrase")
        stamped = (_stamp() if stamp is None else str(stamp)).encode()
        text = signing.payload(stamped, row.method.encode(), path.encode(), query.encode(), body)
        return headers | self._signature_headers(stamped, text)

    def socket_url(self, path: str) -> str:
        """Return the address of a socket. Misused: the client is closed."""
        self._check_open()
        return f"{self._sockets}{path}"

    def login(self) -> dict[str, str]:
        """Return the headers that open a private socket, once. Misused: there is no key."""
        if not self._account.key:
            raise Misused("private channels are for one owner: give key, secret and passphrase")
        stamp = _stamp().encode()
        return self._signature_headers(stamp, signing.websocket_payload(stamp))

    def _signature_headers(self, stamp: bytes, text: bytes) -> dict[str, str]:
        return {
            "ACCESS-KEY": self._account.key,
            "ACCESS-PASSPHRASE": self._account.passphrase,
            "ACCESS-TIMESTAMP": stamp.decode(),
            "ACCESS-SIGN": signing.sign(self._account.secret.encode(), text).decode(),
        }

    def _check_open(self) -> None:
        if self._closed:
            raise Misused("the client is closed")


def unreachable(http: Http, row: Row, problem: NoAnswer) -> Unreachable:
    """Return the exception for an answer that did not come."""
    if not problem.sent:
        words = nobody(http.url, problem.reason)
        return Unreachable(words, unknown=False, operation=row.name)
    words = f"no answer of a venue came from {http.url} ({' '.join(problem.reason.split())})."
    unknown = row.method != "GET" and row.access is not Access.PUBLIC
    if unknown:
        words += " It may have been done all the same."
    return Unreachable(words, unknown=unknown, operation=row.name)


def nobody(url: str, problem: object) -> str:
    """Return the words when no connection came about."""
    return f"no venue answers at {url} ({problem}); start one with `venue dev`"


def _path_value(values: dict[str, Any], name: str) -> str:
    """Return the value that a path needs. Misused."""
    value = values.pop(name, None)
    if value in (None, ""):
        raise Misused(f"{name} is {'missing' if value is None else 'empty'}: the path needs it")
    return str(value)


def _stamp() -> str:
    """Return the machine's time in ms, later than any before in this process: a venue takes two
    requests with equal signatures for one."""
    with _stamping:
        _stamps[0] = max(_stamps[0] + 1, time.time_ns() // 1_000_000)
        return str(_stamps[0])


def address(url: str) -> tuple[SplitResult, str, int | None]:
    """Return an address in its parts, its host and its port. Misused."""
    with suppress(ValueError):
        url = url if isinstance(url, str) else str(url)
        parts = urlsplit(url)
        plain = url.isascii() and url.isprintable() and not set(url) & set(" @?#")
        if plain and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts, parts.hostname, parts.port
    raise Misused(f"{url!r} is no address of a venue; one looks like http://127.0.0.1:8787")


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


def plain(name: str, value: Any, *, floats: bool = False) -> Any:
    """Return a value as it goes over the wire; a float is refused before any request is sent,
    unless `floats` may go as they are. Refused."""
    if isinstance(value, float) and not floats:
        rule = "is a float, which is not exact: give text or a Decimal"
        raise refusal(errors.invalid(name, rule))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise refusal(errors.invalid(name, "must be a finite number"))
        return format(value, "f")
    if isinstance(value, list | tuple):
        return [plain(name, item, floats=floats) for item in value]
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.fields(type(value))
        given = {field.encode_name: getattr(value, field.name) for field in fields}
        return plain(name, given, floats=floats)
    if isinstance(value, dict):
        said = {inner: item for inner, item in value.items() if item is not None}
        return {
            inner: plain(f"{name}.{inner}", item, floats=floats) for inner, item in said.items()
        }
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise refusal(errors.invalid(name, _WHOLE)) from None
    elif not isinstance(value, int | float | None):
        rule = f"is a {type(value).__name__}: give text, an int or a Decimal"
        raise refusal(errors.invalid(name, rule))
    return value


def wire_values(values: dict[str, Any], *, floats: bool = False) -> dict[str, Any]:
    """Return the values that are given, as they go over the wire. Refused."""
    return {
        name: plain(name, value, floats=floats)
        for name, value in values.items()
        if value is not None
    }


def texts(values: dict[str, Any]) -> dict[str, Any]:
    """Values of a query, as `urlencode` takes them: true and false as the interface writes them."""
    flags = {True: "true", False: "false"}
    return {
        name: flags[value] if isinstance(value, bool) else value for name, value in values.items()
    }


def refusal_of(status: int, body: bytes) -> Refused:
    """Return the exception for an error's answer, be it a venue's or not."""
    said: Any = None
    with suppress(msgspec.MsgspecError):
        said = msgspec.json.decode(body)
    words = _words(said) if isinstance(said, dict) else ""
    if not words:
        return Refused(0, FOREIGN, f"status {status}", status)
    code = said.get("code")
    code = code if isinstance(code, int) else 0
    row = BY_CODE.get(code)
    return Refused(code, row.name if row is not None else "UNKNOWN", words, status)


def _words(said: dict[str, Any]) -> str:
    return str(said.get("msg") or said.get("message") or said.get("error") or "")
