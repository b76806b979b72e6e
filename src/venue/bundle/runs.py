"""A run to read: a bundle, or a stopped venue's journal with its archives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Struct

from venue.api.operator.wire import WireEntry
from venue.api.profile import Profile
from venue.bundle.file import MAGIC, MAGIC_BEGIN, PACKED_MAX, RunFile, RunRefused, unsealed
from venue.core import rules
from venue.core.messages.commands import Command
from venue.journal import built
from venue.journal.archive import join_archives
from venue.journal.journal import JournalCorrupt, Readable, Segment, Snapshot
from venue.journal.opening import open_readonly
from venue.journal.recovery import beginning
from venue.journal.snapshot_files import SnapshotFiles, SnapshotRow, unpack

DATABASE: Final = b"SQLite format 3\0"  # how a journal's file begins
PIECE_MAX: Final = 100_000  # commands in a piece; a venue packs 1,000
_commands = msgspec.msgpack.Decoder(Annotated[list[Command], msgspec.Meta(max_length=PIECE_MAX)])
_rows = msgspec.msgpack.Decoder(SnapshotRow)


class PastRun(Struct):
    """The commands that a venue took in. `state_hash` is the last state's by the bundle; "": not
    known.

    `first` is the snapshot that all known commands follow; None: they begin with command 1.
    `damaged` are files of snapshots that cannot be read. `profile` is that of the venue, which a
    bundle keeps.
    """

    name: str
    journal: Readable
    first: Snapshot | None
    wire: list[WireEntry]
    state_hash: str = ""
    damaged: list[str] = []
    profile: str = Profile.DOCUMENT.value

    def begin(self) -> int:
        """Return the first command whose state can be had."""
        return self.first.sequence if self.first is not None else 1

    def last(self) -> int:
        """Return the last command."""
        return self.journal.last_sequence()

    def check_end(self, state_hash: str) -> None:
        """RunRefused unless the state after the last command is the one of the venue that made the
        run."""
        if self.state_hash not in ("", state_hash):
            raise RunRefused(
                f"{self.name} ends in the state {state_hash}, and ended in {self.state_hash} where"
                " it was made: it is not the same venue, or it was changed"
            )


class Bundled:
    """A bundle's commands as a journal's."""

    def __init__(self, run: RunFile, name: str) -> None:
        self._run = run
        self._name = name
        self._first = _snapshot(run.snapshot, name) if run.snapshot else None
        self._end = _snapshot(run.end, name) if run.end else None
        begin = self._first.sequence if self._first is not None else 0
        end = self._end.sequence if self._end is not None else run.last
        if begin != run.begin or not begin <= run.last == end or run.last < 1:
            raise RunRefused(f"{name} is not as a venue writes it: make the bundle again")

    def begin(self) -> int:
        return self._run.begin

    def last_sequence(self) -> int:
        return self._run.last

    def read(self, after: int) -> Iterator[tuple[int, list[Command]]]:
        reached = self._run.begin
        for first, packed in self._run.commands:
            try:
                commands = _commands.decode(packed)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
                raise JournalCorrupt(f"{self._name}: sequence {first}: {problem}") from problem
            skipped = max(reached, after) + 1 - first
            if first > reached + 1:
                raise JournalCorrupt(f"{self._name}: sequence {reached + 1}: missing")
            own = commands[max(0, skipped) : self._run.last + 1 - first]
            reached = max(reached, first + len(commands) - 1)
            if own:
                yield first + max(0, skipped), own

    def segments(self) -> list[Segment]:
        return [Segment(self._run.begin + 1, built.name(), rules.RULES)]

    def snapshots(self) -> Iterator[Snapshot]:
        return (one for one in (self._end, self._first) if one is not None)


@contextmanager
def opened_run(path: str) -> Iterator[PastRun]:
    """Yield a run to read, with nothing changed in it; a journal is this process's until the end.

    RunRefused, JournalCorrupt, JournalFailed and OtherRules: it cannot be read.
    """
    try:
        if Path(path).exists() and not Path(path).is_file():  # a pipe would never end
            raise RunRefused(f"{path} is no regular file: a run is one")
        with Path(path).open("rb") as file:
            start = file.read(len(DATABASE))
            bundled = start.startswith(MAGIC_BEGIN) or MAGIC.startswith(start)
            data = start + file.read(PACKED_MAX) if bundled and start else b""
            if data and file.read(1):
                raise RunRefused(f"{path} is larger than {PACKED_MAX} bytes: it is no bundle")
    except OSError as problem:
        raise RunRefused(f"{path}: {problem.strerror or problem}") from problem
    with ExitStack() as closing:
        if data:
            run = _bundled(data, path)
        elif start == DATABASE:
            journal = open_readonly(path)
            closing.callback(journal.close)
            whole = join_archives(journal, path, closing)
            run = PastRun(
                path, whole, beginning(whole), [], damaged=SnapshotFiles(path).damaged_files()
            )
        else:
            raise RunRefused(
                f"{path} is neither a bundle nor a journal: give a file of `venue bundle`, or the"
                " file that was given to `venue dev --state`"
            )
        if not run.last():
            raise RunRefused(f"{path} holds no command: there is nothing to read")
        yield run


def _bundled(data: bytes, path: str) -> PastRun:
    found = unsealed(data, path)
    journal = Bundled(found, path)
    first = beginning(journal)
    return PastRun(path, journal, first, found.wire, found.state_hash, profile=found.profile)


def _snapshot(data: bytes, name: str) -> Snapshot:
    try:
        found = unpack(_rows.decode(data))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        found = None
    if found is None:
        raise RunRefused(f"{name}: its snapshot cannot be read: make the bundle again")
    return found
