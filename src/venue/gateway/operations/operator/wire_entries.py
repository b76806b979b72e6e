"""Entries of the wire log as they are shown: named, parsed and masked."""

from __future__ import annotations

import codecs
import json
import re
import shlex
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote_plus

import msgspec

from venue.api import signing
from venue.api.documents.table import ROWS
from venue.api.errors import ApiError
from venue.api.operation import Row
from venue.api.operator.wire import KINDS, WireEntry, WireSigned
from venue.gateway.dispatch.decode import body_values
from venue.gateway.dispatch.documents import is_of_pages
from venue.gateway.dispatch.json_body import Number, json_value
from venue.gateway.dispatch.query import query_values
from venue.gateway.dispatch.routes import strip_prefix
from venue.gateway.dispatch.wire_log import KEPT_BYTES, Exchange, LoggedFrame, SocketExchange
from venue.node.node import Node
from venue.times import US_PER_MS
from venue.vocabulary import Access

Values = dict[str, Any]
Noted = Exchange | SocketExchange

REQUEST, OPERATION, HEARD, SENT = KINDS
MASKED: Final = "***"
ORDERS_MAX: Final = 20  # order ids of an entry
ECHO_LEAST: Final = 4  # characters of a secret that is looked for in an answer
VERBS: Final = {"GET": "get", "POST": "post", "DELETE": "delete"}
_SECRET: Final = re.compile("pass|secret|sign|token|key|invitation", re.IGNORECASE)
_FIELD_NAME: Final = re.compile(r'"[^"]*"\s*:')
_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_]*", re.ASCII)  # never an option of the command
_ORDER: Final = re.compile(rb'"(?:orderId|successOrderId|algoId)":"?([1-9][0-9]{0,18})[,"}\]]')
_LENGTH: Final = re.compile(rb"\r\ncontent-length: ([0-9]+)\r\n", re.IGNORECASE)
_IGNORED: Final = re.compile(rb"\r\nx-venue-ignored: ([^\r]*)\r\n", re.IGNORECASE)
_END: Final = b"\r\n\r\n"
_TO_SIGN: Final = "signed payload should be:"  # a refusal repeats the request after it
_ROWS: Final = [
    (row, re.compile(re.sub(r"\\{[a-z]+\\}", "[^/]+", re.escape(row.path.rstrip("/"))) + "/?"))
    for row in ROWS
]
_encode = msgspec.json.Encoder().encode
_utf8 = codecs.getincrementaldecoder("utf-8")


class Refusal(msgspec.Struct):
    """The part of a refusal's body that names it."""

    code: int = 0
    msg: str = ""


class Reply(msgspec.Struct):
    """The kept part of an answer's body, the bytes of the whole body, and ignored parameters."""

    body: bytes
    size: int
    ignored: list[str]


_refusals = msgspec.json.Decoder(Refusal)


def uid_of(noted: Noted | LoggedFrame) -> int:
    """Return the uid of an entry: of the owner that signed, or that an operator acted for; 0:
    nobody."""
    return max(noted.uid, 0)


def kind_of(noted: Noted | LoggedFrame) -> str:
    """Return the kind of an entry."""
    if isinstance(noted, LoggedFrame):
        return HEARD if noted.heard else SENT
    return OPERATION if isinstance(noted, SocketExchange) else REQUEST


def is_tool(noted: Noted | LoggedFrame) -> bool:
    """Return whether an entry is of the venue's page, or of an operator that is let in."""
    if isinstance(noted, LoggedFrame):
        return False
    acted = noted.uid < 0 or (noted.uid > 0 and bool(noted.acts))
    if acted or isinstance(noted, SocketExchange):
        return acted
    return noted.page or is_of_pages(noted.path)


def entry_of(node: Node, noted: Noted | LoggedFrame) -> WireEntry:
    """Return an entry as it is shown."""
    account = node.engine.accounts.get(uid_of(noted))
    owner = account.name if account is not None else ""
    kind = kind_of(noted)
    if isinstance(noted, LoggedFrame):
        return WireEntry(
            noted.number, noted.time // US_PER_MS, kind, owner, "", "", "", None, 0, "", 0.0,
            noted.fault, _frame_text(noted), None,
        )  # fmt: skip
    method = noted.method.decode("latin-1")
    path = strip_prefix(noted.path).decode("ascii", "backslashreplace")
    row = row_of(method, path)
    plain = _values(noted, row)
    values = None if plain is None else {name: _mask(name, plain[name]) for name in plain}
    reply = _reply(noted)
    refused = _refusal(noted, reply)
    answer = _answer_text(reply, plain)
    return WireEntry(
        noted.number, noted.time // US_PER_MS, kind, owner, method, path,
        row.name if row is not None else "", noted.status or None, refused.code,
        _without_echoes(refused.msg, plain), round((noted.ended - noted.began) * 1_000, 3),
        noted.fault, _text(noted, values),
        None if _is_split(noted) else repeat_line(row, path, owner, values), answer,
        reply.size, len(reply.body) < reply.size or bool(reply.body and not answer),
        reply.ignored, _orders(reply.body), noted.sequence, _signed(noted, plain), is_tool(noted),
    )  # fmt: skip


def operation_of(noted: Noted | LoggedFrame) -> str:
    """Return the name of an entry's operation; empty where there is none."""
    if isinstance(noted, LoggedFrame):
        return ""
    path = strip_prefix(noted.path).decode("ascii", "backslashreplace")
    row = row_of(noted.method.decode("latin-1"), path)
    return row.name if row is not None else ""


@lru_cache(maxsize=1_024)
def row_of(method: str, path: str) -> Row | None:
    """Return the operation of a method and a path; None where there is none."""
    return next(
        (row for row, pattern in _ROWS if row.method == method and pattern.fullmatch(path)), None
    )


# -- what was asked -------------------------------------------------------------------------------


def _values(noted: Noted, row: Row | None) -> Values | None:
    """Return the parameters of query and body; None where they are cut, or cannot be read."""
    if max(len(noted.query), len(noted.body)) >= KEPT_BYTES:
        return None
    try:
        found = query_values(noted.query, _lists(row)) if noted.query else {}
        return {**found, **body_values(noted.body)} if noted.body else found
    except ApiError:
        return None


def _is_split(noted: Noted) -> bool:
    """Return whether both query and body have parameters, which no command sends."""
    return bool(noted.query) and noted.body.strip() not in (b"", b"{}")


def _lists(row: Row | None) -> frozenset[str]:
    return frozenset() if row is None or row.in_body else frozenset(("symbols",))


def _mask(name: str, value: Any) -> Any:
    """Return a value, masked when its name is one of secrets."""
    if _SECRET.search(name):
        return MASKED
    if isinstance(value, dict):
        return {inner: _mask(inner, found) for inner, found in value.items()}
    return [_mask("", found) for found in value] if isinstance(value, list) else value


def _text(noted: Noted, values: Values | None) -> str:
    if values is None:
        return f"{noted.size} bytes that are too long to keep, or cannot be read"
    return _plain(values) if values else ""


def _frame_text(said: LoggedFrame) -> str:
    if said.size > KEPT_BYTES:
        if said.heard:
            return f"{said.size} bytes"
        return said.text.decode("utf-8", "replace") + f"... of {said.size} bytes"
    text = said.text.decode("utf-8", "replace")
    if not said.heard:
        return text
    try:
        return _plain(_mask("", json_value(text)))
    except (ValueError, RecursionError):
        return f"{said.size} bytes that are no JSON"


def _plain(value: Any) -> str:
    """Return a value as JSON; numbers stay the texts that they were."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        inner = [f"{json.dumps(name)}:{_plain(found)}" for name, found in value.items()]
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_plain, value)) + "]"
    return json.dumps(value)


def _signed(noted: Noted, plain: Values | None) -> WireSigned | None:
    """Return what was signed; None of a request without a signature."""
    if isinstance(noted, SocketExchange) or noted.signed is None:
        return None
    timestamp, key, signature = noted.signed
    path = strip_prefix(noted.path)
    if plain is None or any(True for _ in _secrets(plain)):
        payload = signing.payload(timestamp, noted.method, path, b"", b"") + b"..."
    else:
        payload = signing.payload(timestamp, noted.method, path, noted.query, noted.body)
    parts = [b"..." + key, timestamp, signature + b"...", payload]
    return WireSigned(*(part.decode("utf-8", "backslashreplace") for part in parts))


def repeat_line(row: Row | None, path: str, owner: str, values: Values | None) -> str | None:
    """Return the command that repeats the request, safe to paste; None when none sends exactly
    this."""
    if row is None or values is None or row.method not in VERBS:
        return None
    given = [
        f"{name}={value}" if type(value) is str else f"{name}:={_plain(value)}"
        for name, value in values.items()
    ]
    words = ["venue", VERBS[row.method], path, *given]
    if row.access not in (Access.PUBLIC, Access.OPERATOR):
        if not owner or owner.startswith("-"):
            return None
        words[3:3] = ["--as", owner]
    if not all(map(_NAME.fullmatch, values)) or not all(map(str.isprintable, words)):
        return None
    return shlex.join(words)


# -- what was answered ----------------------------------------------------------------------------


def _reply(noted: Noted) -> Reply:
    """Return the answer to a request, as far as it is kept."""
    if isinstance(noted, SocketExchange):
        whole = noted.reply
        if type(whole) is not bytes:
            whole = _encode(whole) if whole is not None else b""
        return Reply(whole[:KEPT_BYTES], noted.reply_size or len(whole), noted.ignored)
    head, _, body = noted.answered.partition(_END)
    head += b"\r\n"
    length, ignored = _LENGTH.search(head), _IGNORED.search(head)
    size = int(length[1]) if length is not None and noted.method != b"HEAD" else len(body)
    names = ignored[1].decode("latin-1").split(",") if ignored is not None else []
    return Reply(body[:KEPT_BYTES], size, names)


def _refusal(noted: Noted, reply: Reply) -> Refusal:
    """Return the code and words of a refusal; empty where the answer is a success, or cut."""
    if noted.status == 200:
        return Refusal()
    try:
        return _refusals.decode(reply.body)
    except msgspec.MsgspecError:
        return Refusal()


def _answer_text(reply: Reply, plain: Values | None) -> str:
    """Return the kept part of an answer's body without secrets. It ends before the first name of
    one where the rest cannot be parsed, and is empty of bytes that are no text."""
    try:
        text = _utf8().decode(reply.body, final=len(reply.body) == reply.size)
    except UnicodeDecodeError:
        return ""
    names = _FIELD_NAME.finditer(text)
    named = next((name for name in names if _SECRET.search(name[0])), None)
    if named is not None:
        try:
            text = _plain(_mask("", json_value(text)))
        except (ValueError, RecursionError):
            text = text[: named.start()] + MASKED
    return _without_echoes(text, plain)


def _without_echoes(text: str, plain: Values | None) -> str:
    """Return a text of an answer without the secrets that the request named."""
    secrets = list(_secrets(plain)) if plain is not None else []
    if plain is None or secrets:
        head, found, _ = text.partition(_TO_SIGN)
        text = f"{head}{found} {MASKED}" if found else text
    for secret in secrets:
        for form in (secret, json.dumps(secret)[1:-1], quote_plus(secret)):
            if len(form) >= ECHO_LEAST:
                text = text.replace(form, MASKED)
    return text


def _secrets(value: Any, *, named: bool = False) -> Iterator[str]:
    """Yield the texts under names of secrets, in parameters as they came."""
    if isinstance(value, dict):
        for name, found in value.items():
            yield from _secrets(found, named=named or _SECRET.search(name) is not None)
    elif isinstance(value, list):
        for found in value:
            yield from _secrets(found, named=named)
    elif named:
        yield str(value)


def _orders(body: bytes) -> list[int]:
    """Return the ids of the first orders that an answer names, each once."""
    found: dict[int, None] = {}
    for one in _ORDER.finditer(body):
        found[int(one[1])] = None
        if len(found) == ORDERS_MAX:
            break
    return list(found)
