"""`venue bundle`: writes a running venue's commands and requests to one file, without secrets."""

from __future__ import annotations

import os
from base64 import b64decode
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from cyclopts import Parameter

from venue.cli.operator import DEFAULT_URL, Url, call, die
from venue.cli.progress import working
from venue.cli.told.printing import tell

if TYPE_CHECKING:
    from venue.bundle.file import RunFile

PATIENCE_S: Final = 60.0
KINDS_EACH: Final = 1_000  # entries of the wire log, of each kind
DEFAULT_FILE: Final = "run.venue"


def bundle(
    *,
    out: Annotated[str, Parameter(name=["--out", "-o"], help="The file to write.")] = DEFAULT_FILE,
    url: Url = DEFAULT_URL,
) -> None:
    """Write a running practice venue's journal and wire log to one file, without any secret."""
    from venue.bundle.file import write
    from venue.cli.runs.words import in_words

    if os.path.isdir(out):
        die(f"{out} is a folder: name a file in it, as {os.path.join(out, DEFAULT_FILE)}")
    run = gathered(url)
    with in_words(), working(f"writing {out}"):
        size = write(out, run)
    tell(
        f"{out}: commands {run.begin + 1} to {run.last}, {len(run.wire)} requests and frames,"
        f" {size} bytes; state {run.state_hash}"
    )


def gathered(url: str) -> RunFile:
    """A running venue's run so far. It ends the command with the venue's words when refused."""
    from venue.bundle.file import RunFile

    head = _asked(url, "bundle", {})
    return RunFile(
        seed=head["seed"],
        begin=head["begin"],
        last=head["last"],
        time=head["time"] * 1_000,
        state_hash=head["stateHash"],
        settings=_asked(url, "settings", {}),
        snapshot=_snapshot(url, head["begin"], head["snapshotBytes"]),
        commands=_commands(url, head),
        wire=_wire(url),
        end=_snapshot(url, head["last"], head.get("endBytes", 0)),
        profile=head.get("profile", "document"),
    )


def _asked(url: str, name: str, values: dict[str, Any]) -> Any:
    return call(url, name, values, timeout_s=PATIENCE_S)


def _snapshot(url: str, sequence: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        asked = {"sequence": sequence, "offset": len(data)}
        piece = b64decode(_asked(url, "bundle_snapshot", asked)["data"])
        if not piece:
            die("the snapshot is not what it was when the bundle was begun: try again")
        data += piece
    return data


def _commands(url: str, head: dict[str, Any]) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    after, last = head["begin"], head["last"]
    decode = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
    while after < last:
        pieces = _asked(url, "bundle_commands", {"after": after, "last": last})
        for piece in pieces:
            data = b64decode(piece["data"])
            found.append((piece["first"], data))
            after = max(after, piece["first"] + len(decode(data)) - 1)
        if not pieces:
            die(f"the journal ends at command {after} now, before {last}: try again")
    return found


def _wire(url: str) -> list[Any]:
    """The last entries of each kind, in order; none where no wire log is kept."""
    from venue.api.operator.wire import KINDS, WireEntry
    from venue.cli.http import ClientFailed, named, send

    found: list[WireEntry] = []
    for kind in KINDS:
        try:
            answer = send(url, named("wire"), {"kind": kind, "limit": KINDS_EACH}).value()
        except ClientFailed:
            return []
        found += msgspec.convert(answer, list[WireEntry])
    return sorted(found, key=lambda entry: entry.number)
