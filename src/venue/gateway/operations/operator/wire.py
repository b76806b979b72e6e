"""The wire log for operators: the entries that agree with a request."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import Final

from msgspec.structs import replace

from venue.api import errors
from venue.api.operator.wire import KINDS, WireEntry, WireRequest
from venue.api.own import OwnWireRequest
from venue.gateway.dispatch.json_body import json_value
from venue.gateway.dispatch.wire_log import Exchange, LoggedFrame, SocketExchange, WireLog
from venue.gateway.door import Call, Door
from venue.gateway.operations.operator.wire_entries import (
    entry_of,
    is_tool,
    kind_of,
    operation_of,
    repeat_line,
    row_of,
    uid_of,
)

Asked = WireRequest | OwnWireRequest
REQUEST, OPERATION, HEARD, SENT = KINDS
FIRST_REFUSED: Final = 400


def wire_off(door: Door) -> str:
    """Return the reason that keeps the log closed; empty: it is open."""
    if not door.node.practice:
        return errors.PRACTICE
    return "--wire-log" if door.wire is None and door.past_wire is None else ""


def wire(call: Call, request: WireRequest) -> list[WireEntry]:
    """Return the newest entries that agree, oldest first."""
    owner = request.owner
    return entries(call.door, request, call.node.owner(owner).uid if owner is not None else None)


def entries(door: Door, request: Asked, uid: int | None) -> list[WireEntry]:
    """Return the newest entries of an owner, or without a uid of everybody, that agree with the
    other fields of a request."""
    node, log = door.node, door.wire
    if log is None:
        return _of_past(door, request, uid)
    found: list[WireEntry] = []
    for noted in _newest_first(log, request.kind):
        if noted.number <= request.after:
            break
        if uid is not None and uid_of(noted) != uid:
            continue
        if request.faulty and not noted.fault:
            continue
        if not _may_agree(noted, request):
            continue
        found.append(entry_of(node, noted))
        if len(found) == request.limit:
            break
    return found[::-1]


def _of_past(door: Door, request: Asked, uid: int | None) -> list[WireEntry]:
    """Return the entries of a run that is over, which were masked when they were noted."""
    assert door.past_wire is not None, "it is closed then"
    name = door.node.engine.accounts[uid].name if uid is not None else None
    found = [
        entry
        for entry in door.past_wire
        if entry.number > request.after
        and name in (None, entry.owner)
        and (entry.fault or not request.faulty)
        and request.kind in (None, entry.kind)
        and request.operation in (None, entry.operation)
        and (request.tools or not entry.tool)
        and _has_status(entry.status or 0, request, said=entry.kind in (HEARD, SENT))
    ]
    return [replace(entry, repeat=_repeat_of(entry)) for entry in found[-request.limit :]]


def _repeat_of(entry: WireEntry) -> str | None:
    """Return the `venue` command that repeats an entry of a past run's file; None where none can.
    The entry's own `repeat` is not used: whoever wrote the file can put any command there."""
    row = row_of(entry.method, entry.path)
    try:
        values = json_value(entry.text) if entry.text else {}
    except (ValueError, RecursionError):
        return None
    known = row is not None and row.name == entry.operation and isinstance(values, dict)
    return repeat_line(row, entry.path, entry.owner, values) if known else None


def _newest_first(
    log: WireLog, kind: str | None
) -> Iterator[Exchange | SocketExchange | LoggedFrame]:
    both: list[Iterator[Exchange | SocketExchange | LoggedFrame]] = []
    if kind not in (HEARD, SENT):
        both += [reversed(log.exchanges), reversed(log.strangers)]
    if kind not in (REQUEST, OPERATION):
        both += [reversed(log.frames), reversed(log.public_frames)]
    return merge(*both, key=lambda noted: -noted.number)


def _may_agree(noted: Exchange | SocketExchange | LoggedFrame, request: Asked) -> bool:
    """Return whether an entry has the requested kind, operation and status, and is of a client, or
    of the venue's tools where those are wanted."""
    if request.kind not in (None, kind_of(noted)):
        return False
    if isinstance(noted, LoggedFrame):
        return _has_status(0, request, said=True)
    if not request.tools and is_tool(noted):
        return False
    if request.operation not in (None, operation_of(noted)):
        return False
    return _has_status(noted.status, request, said=False)


def _has_status(status: int, request: Asked, *, said: bool) -> bool:
    wanted = request.status
    if said:
        return wanted is None and request.operation is None and not request.refused
    if request.refused and 0 < status < FIRST_REFUSED:
        return False
    if wanted is None:
        return True
    if wanted == "lost":
        return status == 0
    return wanted == (f"{status // 100}xx" if wanted.endswith("xx") else str(status))


def found_number(door: Door, number: int) -> tuple[WireEntry, int, int]:
    """Return the request or operation with a number, the venue's sequence when it was answered, and
    its uid. ApiError -1142 when the log does not hold it.
    """
    log = door.wire
    if log is not None:
        for noted in (*log.exchanges, *log.strangers):
            if noted.number == number:
                return entry_of(door.node, noted), noted.sequence, uid_of(noted)
    raise errors.invalid("id", "the wire log does not hold it: an older one, or of another run")
