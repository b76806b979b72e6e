"""Repairs a damaged journal: finds the rows that are still valid, and writes a file that continues
from them.

One changed bit in a row is found by trying: the chain's digest shows when it is right again. A
snapshot replaces rows that are lost, as it does for those that were pruned.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from venue.core.engine import Engine
from venue.core.messages.commands import Command, Tick
from venue.files import private_files
from venue.files.archive_names import sync_folder
from venue.journal import salvage
from venue.journal.behind_snapshot import UNKNOWN_RULES
from venue.journal.chain import BLOCK, START, Chain, commands_in, digest_with
from venue.journal.ending import Ending
from venue.journal.file import FORMAT, SCHEMA, translate_errors
from venue.journal.journal import JournalCorrupt, JournalFailed, Segment
from venue.journal.opening import open_readonly
from venue.journal.recovery import load
from venue.journal.salvage import Row
from venue.journal.snapshot_files import SnapshotFiles

ASIDE: Final = ".damaged"  # the end of the damaged file's new name
NEW: Final = ".repaired"  # and of a file that is being made
DAMAGED: Final = "damaged"  # in place of a version: these commands are not replayed
TRIED_MAX: Final = 1 << 14  # bytes of a row in which a changed bit is looked for
ASIDE_MAX: Final = 100  # damaged files that are kept beside a journal
BITS: Final = 8  # bits of a digest that may have changed for its row to count still
_decode = msgspec.msgpack.Decoder(list[Command]).decode
_encode = msgspec.msgpack.Encoder().encode


class RepairRefused(Exception):
    """A journal cannot be repaired; the text says why, and which data could be saved."""


class DamagedContents(Struct):
    """The contents of a damaged journal: rows that the chain proves, `loose` ones that it cannot
    prove because of damage before them in their block, the commands that are `lost`, and the last
    one.

    `starts` are the chain's digests at block boundaries, as far as they are known.
    """

    begin: int
    last: int = 0
    proven: dict[int, bytes] = {}
    loose: dict[int, bytes] = {}
    lost: list[tuple[int, int]] = []
    starts: dict[int, bytes] = {}
    segments: list[Segment] = []


class RepairOutcome(Struct, frozen=True):
    """The outcome of a repair: the last command, the snapshot from which the journal continues (0:
    none was needed), the lost commands, the unproven rows, and the path of the damaged file."""

    last: int
    snapshot: int
    lost: list[tuple[int, int]]
    loose: int
    aside: str


# -- looking --------------------------------------------------------------------------------------


def read_damaged(path: str) -> DamagedContents:
    """Return the contents of a journal that nobody uses. OSError, JournalFailed."""
    pages = salvage.pages_of(path)
    begin, digest = _where_it_begins(path, pages)
    acknowledged = Ending(path.removesuffix(ASIDE)).read()
    found = DamagedContents(begin)
    found.last = max(acknowledged, _walk(found, _Rows(pages), digest))
    if found.last > (reached := _last_command(found)):
        found.lost.append((reached + 1, found.last))
    found.segments = _segments(path, pages, found.last)
    return found


class _Rows:
    """The rows that were found in a file's pages."""

    def __init__(self, pages: list[bytes]) -> None:
        self._pages = pages
        self.by_first: dict[int, list[Row]] = {}
        for row in salvage.rows(pages):
            self.by_first.setdefault(row.first, []).append(row)

    def all(self) -> Iterator[Row]:
        for rows in self.by_first.values():
            yield from rows

    def next(self, chain: Chain) -> bytes | None:
        """Return the payload of a chain's next row, a changed bit in it put back; None: it is
        lost."""
        first = chain.sequence + 1
        for row in self.by_first.get(first, []):
            if _fits(chain, row):
                return row.payload
        for row in self._candidates(first):
            if _fits(chain, row):
                return row.payload
        return None

    def _candidates(self, first: int) -> Iterator[Row]:
        """Yield the rows that this one may have been before one bit changed."""
        for row in self.by_first.get(first, []):
            if len(row.payload) <= TRIED_MAX:
                for payload in _with_one_bit_changed(row.payload):
                    yield Row(first, payload, row.digest)
        yield from (row for row in self.all() if row.first != first)
        yield from salvage.nearly(self._pages, first)


def _walk(found: DamagedContents, rows: _Rows, digest: bytes) -> int:
    """Follow the chain through all rows, block by block; the last command."""
    chain: Chain | None = Chain(found.begin, digest)
    at = found.begin
    while True:
        if chain is not None:
            at = _take_proven(found, rows, chain)
        end = (at // BLOCK + 1) * BLOCK
        taken = set(found.proven.values())
        rest = {
            row.first: row
            for row in rows.all()
            if row.first > at and row.payload not in taken and _commands(row.payload)
        }
        beyond = _goes_on(rest, end)
        reached, ends = _loose(found, rest, at, end, damaged=chain is not None)
        if not beyond:
            return reached
        if reached < end:
            found.lost.append((reached + 1, end))
        at, chain = end, None
        if ends is not None:
            found.starts[end] = ends
            chain = Chain(end, ends)


def _goes_on(rest: dict[int, Row], end: int) -> bool:
    """Return whether rows of later blocks are there: a changed number alone is no such row."""
    later = sorted(first for first in rest if first > end)
    return len(later) > 1 or any(first <= end + BLOCK for first in later)


def _last_command(found: DamagedContents) -> int:
    """Return the last command of all rows."""
    rows = {**found.proven, **found.loose}
    last = max(rows, default=0)
    damaged = max((last for _, last in found.lost), default=found.begin)
    return max(last + commands_in(rows[last]) - 1, damaged) if rows else damaged


def _take_proven(found: DamagedContents, rows: _Rows, chain: Chain) -> int:
    """Take the rows that a chain proves, as far as they go; the last command of them."""
    while True:
        if chain.sequence % BLOCK == 0:
            found.starts[chain.sequence] = chain.digest
        payload = rows.next(chain)
        if payload is None:
            return chain.sequence
        found.proven[chain.sequence + 1] = payload
        chain.add(payload, commands_in(payload))


def _fits(chain: Chain, row: Row) -> bool:
    """Return whether a row's commands are the next of a chain; some bits of its digest may
    differ."""
    try:
        if not 0 < commands_in(row.payload) <= chain.room():
            return False
        digest = digest_with(chain, row.payload)
    except ValueError:
        return False
    apart = int.from_bytes(digest, "big") ^ int.from_bytes(row.digest, "big")
    return apart.bit_count() <= BITS


def _with_one_bit_changed(payload: bytes) -> Iterator[bytes]:
    tried = bytearray(payload)
    for place in range(len(tried)):
        for bit in range(8):
            tried[place] ^= 1 << bit
            yield bytes(tried)
            tried[place] ^= 1 << bit


def _loose(
    found: DamagedContents, rest: dict[int, Row], at: int, end: int, *, damaged: bool
) -> tuple[int, bytes | None]:
    """Collect the rows of the rest of a block, which nothing proves. The one after the proven ones
    is lost, when it is `damaged`. Return the last command of them, and the digest at the block's
    end if a row has it."""
    reached, digest = at, None
    for first in sorted(first for first in rest if at < first <= end):
        count = commands_in(rest[first].payload)
        if first <= reached or first + count - 1 > end:
            continue
        if first > reached + 1:
            found.lost.append((reached + 1, first - 1))
        if first == at + 1 and damaged:
            found.lost.append((first, first + count - 1))
        else:
            found.loose[first] = rest[first].payload
        reached = first + count - 1
        digest = rest[first].digest if reached == end else None
    return reached, digest


def _commands(payload: bytes) -> list[Command] | None:
    try:
        return _decode(payload) or None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _where_it_begins(path: str, pages: list[bytes]) -> tuple[int, bytes]:
    """Return the command after which a journal begins, and the digest there."""
    with suppress(apsw.Error, JournalCorrupt), closing(_reading(path)) as connection:
        rows = connection.execute("SELECT sequence, chain FROM archived").fetchall()
        if rows:
            return int(str(rows[0][0])), bytes(rows[0][1])  # type: ignore[arg-type]
        return 0, START
    blocks = [one for one in salvage.archived_rows(pages) if one[0] > 0 and one[0] % BLOCK == 0]
    return max(blocks, default=(0, START))


def _segments(path: str, pages: list[bytes], last: int) -> list[Segment]:
    rows: list[tuple[int, str, int]] = []
    unread = (apsw.Error, JournalCorrupt, msgspec.ValidationError)
    with suppress(*unread), closing(_reading(path)) as connection:
        sql = "SELECT first_sequence, engine_version, rules FROM segments"
        told = connection.execute(sql).fetchall()
        rows = msgspec.convert(told, list[tuple[int, str, int]])
    known = {row[0]: row for row in rows or salvage.segments(pages) if 1 <= row[0] <= last}
    return [Segment(*known[first]) for first in sorted(known)]


def _reading(path: str) -> apsw.Connection:
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute("PRAGMA query_only = ON")
    return connection


# -- deciding -------------------------------------------------------------------------------------


def standing(path: str, found: DamagedContents) -> tuple[int, Engine | None]:
    """Return the oldest snapshot that replaces all lost commands, and its engine; 0, None: none is
    needed. Refused: there is none."""
    if not found.lost:
        return 0, None
    lost = max(last for _, last in found.lost)
    files = SnapshotFiles(path)
    for sequence in sorted(files.sequences()):
        if lost <= sequence <= found.last:
            snapshot = files.read(sequence)
            engine = load(snapshot, sequence) if snapshot is not None else None
            if engine is not None:
                return sequence, engine
    kept = min(first for first, _ in found.lost) - 1
    raise RepairRefused(
        f"{path}: {words(found.lost)} damaged or missing, and no intact snapshot of a later state"
        f" stands for them. The commands up to {kept} of {found.last} could be kept: put"
        f" back a whole copy of {path} and of all files named after it"
    )


def advice(path: str) -> str:
    """Return the way on from a journal that is refused as damaged; empty: its rows are whole."""
    try:
        if _whole(path):
            return ""
        found = read_damaged(path)
        sequence, _ = standing(path, found)
    except RepairRefused as problem:
        return str(problem)
    except (OSError, JournalFailed, apsw.Error):
        return ""
    if not found.proven and not sequence:
        return ""
    if not found.lost:
        return (
            f"all {found.last} commands can be read in {path}: `venue repair {path}` writes them to"
            " a new file, and keeps the damaged one"
        )
    return (
        f"{path}: {words(found.lost)} damaged; {path}.snapshot-{sequence} stands for them:"
        f" `venue repair {path}` goes on from it with all later commands, and keeps the damaged"
        " file"
    )


def words(lost: list[tuple[int, int]]) -> str:
    """Return which commands are lost, with the verb."""
    told = [str(first) if first == last else f"{first} to {last}" for first, last in lost]
    one = len(lost) == 1 and lost[0][0] == lost[0][1]
    return f"command {told[0]} is" if one else f"commands {', '.join(told)} are"


def describe_repair(path: str, done: RepairOutcome | None) -> list[str]:
    """Return the outcome of a repair, a sentence a line."""
    if done is None:
        return [f"{path} is whole: nothing was changed"]
    lines = [f"{path} has all commands up to {done.last} that can be kept"]
    if done.snapshot:
        lines.append(
            f"it goes on from the snapshot at command {done.snapshot}: {words(done.lost)} lost"
        )
    if done.loose:
        lines.append(
            f"{done.loose} rows beside lost ones could be read, but not compared with the chain"
        )
    return [*lines, f"the damaged file is {done.aside}; `venue verify {path}` checks the new one"]


# -- writing --------------------------------------------------------------------------------------


def repair(path: str) -> RepairOutcome | None:
    """Replace a damaged journal by a repaired one, and keep the damaged file; None: it is not
    damaged.

    Refused: nothing was changed. JournalFailed, OSError.
    """
    source = _source(path)
    if source == path and _whole(path):
        return None
    found = read_damaged(source)
    sequence, engine = standing(path, found)
    if not found.proven and not sequence:
        raise RepairRefused(f"{path} holds no command that can be read: put back a copy of it")
    if not found.segments and found.last > sequence:
        raise RepairRefused(
            f"{path} does not say any more under which rules its commands were answered"
        )
    new = f"{path}{NEW}"
    private_files.remove(new)
    try:
        _write(new, found, sequence, engine)
        _check(new, found.last)
        aside = _put_in_place(path, source, new)
    finally:
        private_files.remove(new)
    return RepairOutcome(found.last, sequence, found.lost, len(found.loose), aside)


def _whole(path: str) -> bool:
    """Return whether every row of a journal can be read without repair."""
    try:
        with closing(open_readonly(path)) as journal:
            for _ in journal.read(journal.begin()):
                pass
            list(journal.snapshots())  # asks a table too
            return True
    except JournalCorrupt:
        return False


def _source(path: str) -> str:
    """Return the damaged file: under its new name when a repair was cut short."""
    for number in range(1, ASIDE_MAX):
        aside = Path(_aside(path, number))
        if aside.exists() and Path(path).exists() and aside.samefile(path):
            return str(aside)
    return path


def _write(new: str, found: DamagedContents, sequence: int, engine: Engine | None) -> None:
    """Write the new file: the rows that are proven, or those after a snapshot."""
    begin = sequence // BLOCK * BLOCK if sequence else found.begin
    unproven = [*found.loose, *(last for _, last in found.lost)]
    digest = found.starts.get(begin, START)
    rows = {first: payload for first, payload in found.proven.items() if first > begin}
    segments = found.segments
    if engine is not None and any(number > begin for number in unproven):
        rows = {**rows, **{f: p for f, p in found.loose.items() if f > begin}}
        rows = _fill_gaps(rows, begin, sequence, engine.time)
        segments = _after(found.segments, begin, sequence)
    private_files.create(Path(new))
    with (
        translate_errors(new),
        closing(apsw.Connection(new, flags=apsw.SQLITE_OPEN_READWRITE)) as file,
    ):
        file.execute("BEGIN")
        file.execute(SCHEMA)
        file.execute("INSERT INTO meta VALUES(?)", (FORMAT,))
        if begin:
            file.execute("INSERT INTO archived VALUES(?, ?)", (begin, digest))
        told = [(one.first_sequence, one.engine_version, one.rules) for one in segments]
        file.executemany("INSERT INTO segments VALUES(?, ?, ?)", told)
        file.executemany("INSERT INTO batches VALUES(?, ?, ?, ?)", _chain_rows(rows, begin, digest))
        file.execute("COMMIT")


def _fill_gaps(rows: dict[int, bytes], begin: int, sequence: int, time: int) -> dict[int, bytes]:
    """Return rows in which commands of passing time replace the missing commands, up to a
    snapshot's."""
    known: dict[int, Command] = {}
    for first, payload in rows.items():
        known |= dict(enumerate(_decode(payload), first))
    for number in range(begin + 1, sequence + 1):
        known.setdefault(number, Tick(time))
    filled = {}
    last = max(known, default=begin)
    for start in range(begin, last, BLOCK):
        for first, end in ((start + 1, sequence), (max(start, sequence) + 1, last)):
            numbers = range(first, min(end, start + BLOCK) + 1)
            if numbers:
                filled[first] = _encode([known[number] for number in numbers])
    return filled


def _after(segments: list[Segment], begin: int, sequence: int) -> list[Segment]:
    """Return the segments of a journal whose commands up to a snapshot's are not replayed."""
    at = [one for one in segments if one.first_sequence <= sequence + 1][-1:]
    later = [one for one in segments if one.first_sequence > sequence + 1]
    found = [*(Segment(sequence + 1, one.engine_version, one.rules) for one in at), *later]
    return [Segment(begin + 1, DAMAGED, UNKNOWN_RULES), *found] if sequence > begin else found


def _chain_rows(
    rows: dict[int, bytes], begin: int, digest: bytes
) -> Iterator[tuple[int, int, bytes, bytes]]:
    chain = Chain(begin, digest)
    for first in sorted(rows):
        count = commands_in(rows[first])
        assert first == chain.sequence + 1, (first, chain.sequence)
        yield first, count, rows[first], chain.add(rows[first], count)


def _check(new: str, last: int) -> None:
    with closing(open_readonly(new)) as journal:
        assert journal.last_sequence() == last, (journal.last_sequence(), last)
        for _ in journal.read(journal.begin()):
            pass


def _put_in_place(path: str, source: str, new: str) -> str:
    """Rename the damaged file and give the new one its name; return the damaged one's new name.

    The log is moved before the new file is put in place, which it would corrupt. When this is
    interrupted, the next repair continues with the renamed file.
    """
    aside = source
    if source == path:
        aside = _free(path)
        for part in ("-wal", ""):
            if Path(f"{path}{part}").exists():
                os.link(f"{path}{part}", f"{aside}{part}")
        sync_folder(path)
    with Path(new).open("rb") as file:
        os.fsync(file.fileno())
    for part in ("-wal", "-shm"):
        Path(f"{path}{part}").unlink(missing_ok=True)
    sync_folder(path)
    Path(new).replace(path)
    sync_folder(path)
    return aside


def _free(path: str) -> str:
    """Return a name under which no earlier damaged file is. JournalFailed: there are too many."""
    for number in range(1, ASIDE_MAX):
        aside = _aside(path, number)
        if not Path(aside).exists() and not Path(f"{aside}-wal").exists():
            return aside
    raise JournalFailed(f"{path} was repaired {ASIDE_MAX - 1} times: move files away")


def _aside(path: str, number: int) -> str:
    return f"{path}{ASIDE}" + (f"-{number}" if number > 1 else "")
