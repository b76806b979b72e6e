"""A running venue over HTTP as a command asks it: operations of the table, plain or signed."""

from __future__ import annotations

import json
import os
import re
import time
from contextlib import closing, suppress
from difflib import get_close_matches
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode, urlsplit
from uuid import uuid4

from venue.api.documents.table import BY_NAME, ROWS
from venue.api.operation import Row
from venue.api.repeating import repeated_under
from venue.cli.credentials import OPERATOR_TOKEN, Credentials
from venue.cli.progress import working
from venue.client.errors import Misused
from venue.client.http import Account, Http, NoAnswer, texts
from venue.client.transport.blocking import Connections
from venue.vocabulary import Access

WAIT_S: Final = 10.0
AGAIN: Final = 2  # times that a lost answer is asked for again
BUSY: Final = 503
BEHIND: Final = b"history is behind"  # the venue has waited for it in vain
BEHIND_S: Final = 30.0
_HOLE: Final = re.compile(r"\{(\w+)\}")


class ClientFailed(Exception):
    """The venue does not answer, refuses, or has ended a stream; carries words for a user. `lost`:
    a request was sent, and its answer did not come. `code` is a refusal's, or 0."""

    def __init__(self, words: str, *, lost: bool = False, code: object = 0) -> None:
        super().__init__(words)
        self.lost = lost
        self.code = code


class Reply(NamedTuple):
    """A reply as it came; `body` is JSON when a venue sent it."""

    status: int
    body: bytes

    def value(self) -> Any:
        """The body's JSON. ClientFailed when it is a refusal, or not a venue's."""
        if self.status >= 300:
            raise refused(self.body)
        try:
            return json.loads(self.body)
        except ValueError:
            raise refused(b"") from None


def named(name: str) -> Row:
    """The row of this name."""
    return BY_NAME[name]


def looked_up(method: str, target: str) -> tuple[Row, dict[str, str]]:
    """The row of a path or a name, with the values in the path; ClientFailed when there is none."""
    rows = [row for row in ROWS if row.method == method]
    for row in rows:
        pattern = "/".join(
            f"(?P<{hole[1]}>[^/]+)" if (hole := _HOLE.fullmatch(part)) else re.escape(part)
            for part in row.path.rstrip("/").split("/")
        )
        found = re.fullmatch(pattern, target.rstrip("/"))
        if found:
            return row, found.groupdict()
        if row.name == target:
            return row, {}
    near = get_close_matches(target, [row.path if "/" in target else row.name for row in rows], 3)
    told = f"; near to it: {', '.join(near)}" if near else ""
    raise ClientFailed(f"no operation {method} {target}{told}; `venue ops` lists them")


def ask(account: Credentials, name: str, values: dict[str, Any] | None = None) -> Any:
    """Ask an operation by name, signed where it wants that; its answer. ClientFailed: none."""
    with working(name.replace("_", " ")):
        return send(account.url, named(name), values or {}, account).value()


def send(
    url: str,
    row: Row,
    values: dict[str, Any],
    account: Credentials | None = None,
    *,
    timeout_s: float = WAIT_S,
    stamp: int | None = None,
) -> Reply:
    """Send one operation with its parameters; ClientFailed when no venue answers.

    It is signed with the time `stamp` (ms), or with the machine's.
    """
    path = _HOLE.sub(lambda hole: quote(_taken(values, hole[1]), safe=""), row.path)
    given = {name: value for name, value in values.items() if f"{{{name}}}" not in row.path}
    query = "" if row.in_body else urlencode(texts(given), doseq=True)
    body = json.dumps(given).encode() if row.in_body else b""
    owned = row.access not in (Access.OPERATOR, Access.PUBLIC)
    if owned and account is None:
        raise ClientFailed(f"{row.name} is for one owner: name the owner with --as NAME")
    http = caller(url, account if owned else None, timeout_s)
    request = http.signed(row, path, query, body, stamp)
    with closing(Connections(http)) as connections:
        try:
            answer = connections.ask(request)
        except NoAnswer as problem:
            raise _unanswered(url, row, problem) from None
    return Reply(answer.status, answer.body)


def caller(url: str, account: Credentials | None, timeout_s: float) -> Http:
    """Makes the requests of an owner, or of the operator, to a venue. ClientFailed."""
    token = "" if account else os.environ.get(OPERATOR_TOKEN, "")
    who = Account(operator_token=token)
    if account is not None:
        who = Account(key=account.key, secret=account.secret, passphrase=account.passphrase)
    try:
        return Http(address(url), who, timeout_s, 0)
    except Misused as problem:
        raise ClientFailed(str(problem)) from None


def _unanswered(url: str, row: Row, problem: NoAnswer) -> ClientFailed:
    if not problem.sent:
        return nobody(url, problem.reason)
    lost = " It may have been done all the same." if row.method != "GET" else ""
    reason = " ".join(problem.reason.split())
    return ClientFailed(f"no answer of a venue came from {url} ({reason}).{lost}", lost=True)


def send_once(url: str, row: Row, values: dict[str, Any], *, timeout_s: float = WAIT_S) -> Reply:
    """As `send`; an operation with a name for it has its effect once, and is sent again under the
    same name when its answer was lost."""
    name = repeated_under(row)
    if not name:
        return send(url, row, values, timeout_s=timeout_s)
    given = {name: f"c-{uuid4().hex}", **values}
    for left in range(AGAIN, -1, -1):
        try:
            return send(url, row, given, timeout_s=timeout_s)
        except ClientFailed as problem:
            if not (problem.lost and left):
                raise
    raise AssertionError("the last try returns or raises")


def send_patiently(
    url: str,
    row: Row,
    values: dict[str, Any],
    account: Credentials | None,
    *,
    timeout_s: float,
    stamp: int | None = None,
) -> Reply:
    """As `send`; while a busy venue's history is behind, ask again, for half a minute."""
    ends = time.monotonic() + BEHIND_S
    while True:
        answer = send(url, row, values, account, timeout_s=timeout_s, stamp=stamp)
        if answer.status != BUSY or BEHIND not in answer.body or time.monotonic() > ends:
            return answer
        stamp = stamp + 1 if stamp is not None else None  # another request


def address(url: str) -> str:
    """A venue's address without a trailing slash; ClientFailed when it is none."""
    with suppress(ValueError):
        parts = urlsplit(url)
        plain = url.isascii() and url.isprintable() and not set(url) & set(" @?#")
        if plain and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return url.rstrip("/")
    raise ClientFailed(f"{url!r} is no address of a venue; one looks like http://127.0.0.1:8787")


def _taken(values: dict[str, Any], name: str) -> str:
    if name not in values:
        raise ClientFailed(f"{name} is missing: the path needs it")
    if values[name] == "":
        raise ClientFailed(f"{name} is empty: the path needs it")
    return str(values[name])


def refused(body: bytes) -> ClientFailed:
    """A refusal in the venue's own words."""
    with suppress(ValueError):
        answer = json.loads(body)
        if isinstance(answer, dict):
            words = answer.get("msg") or answer.get("message") or answer.get("error")
            if words:
                return ClientFailed(f"refused: {words}", code=answer.get("code", 0))
    return ClientFailed("refused by a server that is not a venue")


def nobody(url: str, problem: object) -> ClientFailed:
    """The error when no connection came about."""
    return ClientFailed(f"no venue answers at {url} ({problem}); start one with `venue dev`")
