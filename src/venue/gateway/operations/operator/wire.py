"""The wire log for operators: entries found, named and masked."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from heapq import merge
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from venue.api import errors
from venue.api.documents.table import ROWS
from venue.api.errors import ApiError
from venue.api.operation import Row
from venue.api.operator.wire import KINDS, WireEntry, WireRequest
from venue.gateway.dispatch.decode import body_values
from venue.gateway.dispatch.json_body import Number, json_value
from venue.gateway.dispatch.query import query_values
from venue.gateway.dispatch.routes import unprefixed
from venue.gateway.dispatch.wire_log import KEPT_BYTES, Exchange, Operated, Said, WireLog
from venue.gateway.door import Call, Door
from venue.node.node import Node
from venue.times import US_PER_MS
from venue.vocabulary import Access

REQUEST, OPERATION, HEARD, SENT = KINDS
MASKED: Final = "***"
VERBS: Final = {"GET": "get", "POST": "post", "DELETE": "delete"}
_SECRET: Final = re.compile("pass|secret|sign|token|key", re.IGNORECASE)
_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_]*", re.ASCII)  # never an option of the command
_ROWS: Final = [
    (row, re.compile(re.sub(r"\\{[a-z]+\\}", "[^/]+", re.escape(row.path)) + "/?")) for row in ROWS
]


class Refusal(msgspec.Struct):
    """The part of a refusal's body that names it."""

    code: int = 0
    msg: str = ""


_refusals = msgspec.json.Decoder(Refusal)


def wire_off(door: Door) -> str:
    """Return the reason that keeps the log closed; empty: it is open."""
    if not door.node.practice:
        return errors.PRACTICE
    return "--wire-log" if door.wire is None and door.past_wire is None else ""


def wire(call: Call, request: WireRequest) -> list[WireEntry]:
    """Return the newest entries that agree, oldest first."""
    node = call.node
    log = call.door.wire
    if log is None:
        return _of_past(call.door, request)
    uid = node.owner(request.owner).uid if request.owner is not None else None
    found: list[WireEntry] = []
    for noted in _newest_first(log, request.kind):
        if noted.number <= request.after:
            break
        if uid is not None and _uid(noted) != uid:
            continue
        if request.faulty and not noted.fault:
            continue
        entry = _entry(node, noted) if _may_agree(noted, request) else None
        if entry is None or request.kind not in (None, entry.kind):
            continue
        if request.operation not in (None, entry.operation):
            continue
        found.append(entry)
        if len(found) == request.limit:
            break
    return found[::-1]


def _of_past(door: Door, request: WireRequest) -> list[WireEntry]:
    """Return the entries of a run that is over, which were masked when they were noted."""
    entries, node = door.past_wire, door.node
    assert entries is not None, "it is closed then"
    name = node.owner(request.owner).name if request.owner is not None else None
    found = [
        entry
        for entry in entries
        if entry.number > request.after
        and name in (None, entry.owner)
        and (entry.fault or not request.faulty)
        and request.kind in (None, entry.kind)
        and request.operation in (None, entry.operation)
        and _has_status(entry.status or 0, request, said=entry.kind in (HEARD, SENT))
    ]
    return [replace(entry, repeat=_repeat_of(entry)) for entry in found[-request.limit :]]


def _repeat_of(entry: WireEntry) -> str | None:
    """Return the `venue` command that repeats an entry of a past run's file; None where none can.
    The entry's own `repeat` is not used: whoever wrote the file can put any command there."""
    row = _row(entry.method, entry.path)
    try:
        values = json_value(entry.text) if entry.text else {}
    except (ValueError, RecursionError):
        return None
    known = row is not None and row.name == entry.operation and isinstance(values, dict)
    return _repeat(row, entry.path, entry.owner, values) if known else None


def _newest_first(log: WireLog, kind: str | None) -> Iterator[Exchange | Operated | Said]:
    both: list[Iterator[Exchange | Operated | Said]] = []
    if kind not in (HEARD, SENT):
        both += [reversed(log.exchanges), reversed(log.strangers)]
    if kind not in (REQUEST, OPERATION):
        both += [reversed(log.frames), reversed(log.public_frames)]
    return merge(*both, key=lambda noted: -noted.number)


def _may_agree(noted: Exchange | Operated | Said, request: WireRequest) -> bool:
    """Return whether an entry has one of the requested statuses; frames have none."""
    if isinstance(noted, Said):
        return _has_status(0, request, said=True)
    return _has_status(noted.status, request, said=False)


def _has_status(status: int, request: WireRequest, *, said: bool) -> bool:
    wanted = request.status
    if said:
        return wanted is None and request.operation is None
    if wanted is None:
        return True
    if wanted == "lost":
        return status == 0
    return wanted == (f"{status // 100}xx" if wanted.endswith("xx") else str(status))


def _uid(noted: Exchange | Operated | Said) -> int:
    """Return the uid of an entry: of the owner that signed, or that an operator acted for; 0:
    nobody."""
    return max(noted.uid, 0)


def _entry(node: Node, noted: Exchange | Operated | Said) -> WireEntry:
    account = node.engine.accounts.get(_uid(noted))
    owner = account.name if account is not None else ""
    if isinstance(noted, Said):
        kind = HEARD if noted.heard else SENT
        return WireEntry(
            noted.number, noted.time // US_PER_MS, kind, owner, "", "", "", None, 0, "", 0.0,
            noted.fault, _frame_text(noted), None,
        )  # fmt: skip
    method = noted.method.decode("latin-1")
    path = unprefixed(noted.path).decode("ascii", "backslashreplace")
    row = _row(method, path)
    values = _values(noted, row)
    refused = _refusal(noted)
    return WireEntry(
        noted.number, noted.time // US_PER_MS,
        OPERATION if isinstance(noted, Operated) else REQUEST, owner, method, path,
        row.name if row is not None else "", noted.status or None, refused.code, refused.msg,
        round((noted.ended - noted.began) * 1_000, 3), noted.fault, _text(noted, values),
        _repeat(row, path, owner, values),
    )  # fmt: skip


def _row(method: str, path: str) -> Row | None:
    return next(
        (row for row, pattern in _ROWS if row.method == method and pattern.fullmatch(path)), None
    )


def _values(noted: Exchange | Operated, row: Row | None) -> dict[str, Any] | None:
    """Return the parameters, masked; None where they are cut, or cannot be read."""
    if max(len(noted.query), len(noted.body)) >= KEPT_BYTES:
        return None
    try:
        if noted.body:
            found = body_values(noted.body)
        elif noted.query:
            found = query_values(noted.query, _lists(row))
        else:
            found = {}
    except ApiError:
        return None
    return {name: _masked(name, value) for name, value in found.items()}


def _lists(row: Row | None) -> frozenset[str]:
    return frozenset() if row is None or row.in_body else frozenset(("symbols",))


def _masked(name: str, value: Any) -> Any:
    """Return a value, masked when its name is one of secrets."""
    if _SECRET.search(name):
        return MASKED
    if isinstance(value, dict):
        return {inner: _masked(inner, found) for inner, found in value.items()}
    return [_masked("", found) for found in value] if isinstance(value, list) else value


def _text(noted: Exchange | Operated, values: dict[str, Any] | None) -> str:
    if values is None:
        return f"{noted.size} bytes that are too long to keep, or cannot be read"
    return _plain(values) if values else ""


def _frame_text(said: Said) -> str:
    if said.size > KEPT_BYTES:
        if said.heard:
            return f"{said.size} bytes"
        return said.text.decode("utf-8", "replace") + f"... of {said.size} bytes"
    text = said.text.decode("utf-8", "replace")
    if not said.heard:
        return text
    try:
        return _plain(_masked("", json_value(text)))
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


def _repeat(row: Row | None, path: str, owner: str, values: dict[str, Any] | None) -> str | None:
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


def found_number(door: Door, number: int) -> tuple[WireEntry, int, int]:
    """Return the request or operation with a number, the venue's sequence when it was refused, and
    its uid. ApiError -1142 when the log does not hold it.
    """
    log = door.wire
    if log is not None:
        for noted in (*log.exchanges, *log.strangers):
            if noted.number == number:
                return _entry(door.node, noted), noted.sequence, _uid(noted)
    raise errors.invalid("id", "the wire log does not hold it: an older one, or of another run")


def _refusal(noted: Exchange | Operated) -> Refusal:
    """Return the code and words of a refusal; empty where the answer is a success, or cut."""
    try:
        return _refusals.decode(noted.refusal)
    except msgspec.DecodeError:
        return Refusal()
