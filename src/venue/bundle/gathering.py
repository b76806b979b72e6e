"""Gathers the run of a running venue, from which a bundle is made."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any, Final

import msgspec

from venue.api.documents.table import BY_NAME
from venue.api.operator.wire import KINDS, WireEntry
from venue.bundle.file import RunFile, RunRefused
from venue.client.blocking import Client
from venue.client.errors import FAILURES

PATIENCE_S: Final = 60.0  # of the client that asks
KINDS_EACH: Final = 1_000  # entries of the wire log, of each kind


def gathered(client: Client) -> RunFile:
    """Return a venue's run so far. Refused, Unreachable, Misused; RunRefused: it changed
    meanwhile."""
    head = _ask(client, "bundle")
    return RunFile(
        seed=head["seed"],
        begin=head["begin"],
        last=head["last"],
        time=head["time"] * 1_000,
        state_hash=head["stateHash"],
        settings=_ask(client, "settings"),
        snapshot=_snapshot(client, head["begin"], head["snapshotBytes"]),
        commands=_commands(client, head),
        wire=_wire(client),
        end=_snapshot(client, head["last"], head.get("endBytes", 0)),
        profile=head.get("profile", "document"),
    )


def _ask(client: Client, name: str, **values: Any) -> Any:
    return client.ask_once(BY_NAME[name], values).value()


def _snapshot(client: Client, sequence: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        found = _ask(client, "bundle_snapshot", sequence=sequence, offset=len(data))
        piece = b64decode(found["data"])
        if not piece:
            words = "the snapshot is not what it was when the bundle was begun: try again"
            raise RunRefused(words)
        data += piece
    return data


def _commands(client: Client, head: dict[str, Any]) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    after, last = head["begin"], head["last"]
    decode = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
    while after < last:
        pieces = _ask(client, "bundle_commands", after=after, last=last)
        for piece in pieces:
            data = b64decode(piece["data"])
            found.append((piece["first"], data))
            after = max(after, piece["first"] + len(decode(data)) - 1)
        if not pieces:
            raise RunRefused(f"the journal ends at command {after} now, before {last}: try again")
    return found


def _wire(client: Client) -> list[WireEntry]:
    """Return the entries of the wire log; none where none is kept."""
    try:
        return wire_entries(lambda values: _ask(client, "wire", **values))
    except FAILURES:
        return []


def wire_entries(ask: Callable[[dict[str, Any]], Any], after: int = 0) -> list[WireEntry]:
    """Return the last entries of each kind after a number, in order, those of tools too; `ask` asks
    for the wire log."""
    found: list[WireEntry] = []
    for kind in KINDS:
        answer = ask({"kind": kind, "limit": KINDS_EACH, "tools": True, "after": after})
        found += msgspec.convert(answer, list[WireEntry])
    return sorted(found, key=lambda entry: entry.number)
