"""Bundles as files: a damaged, cut, foreign or made-up one gets one clear refusal."""

from __future__ import annotations

import os
import tracemalloc
import zlib
from pathlib import Path

import apsw
import msgspec
import pytest

from support.moments import read_whole
from venue.bundle import file as run_file
from venue.bundle.file import MAGIC, RunFile, RunHeader, RunRefused, sealed, unsealed
from venue.bundle.runs import opened_run
from venue.core import rules
from venue.core.messages.commands import Command, RegisterAsset, Tick
from venue.core.state.snapshot import begin, dump_and_hash, state_hash
from venue.journal.journal import JournalCorrupt, Snapshot
from venue.journal.recovery import ENGINE
from venue.journal.snapshot_files import pack

NAME = "run.venue"
COMMANDS: list[Command] = [RegisterAsset("USDT", 6, time=5), Tick(9), Tick(12)]


def ended(commands: list[Command]) -> str:
    engine = begin()
    for command in commands:
        engine.apply(command)
    return state_hash(engine)


def made(**changed: object) -> RunFile:
    pieces = [(1, msgspec.msgpack.encode(COMMANDS))]
    run = RunFile("1", 0, 3, 12, ended(COMMANDS), {"clock": "manual"}, b"", pieces, [])
    return msgspec.structs.replace(run, **changed)


def put(folder: Path, data: bytes) -> str:
    path = folder / NAME
    path.write_bytes(data)
    return str(path)


def replayed(path: str, folder: Path) -> str:
    """The state that a run's whole replay comes to."""
    with opened_run(path) as run, read_whole(run, folder) as moments:
        return moments.state_hash


def test_what_was_sealed_is_had_again(tmp_path: Path) -> None:
    assert unsealed(sealed(made()), NAME) == made()
    path = str(tmp_path / NAME)
    assert run_file.write(path, made()) == Path(path).stat().st_size
    assert Path(path).stat().st_mode & 0o777 == 0o600
    assert replayed(path, tmp_path) == ended(COMMANDS)


def test_a_bundle_cut_at_any_byte_is_refused_as_cut(tmp_path: Path) -> None:
    data = sealed(made())
    for length in range(1, len(data)):
        with pytest.raises(RunRefused, match=r"is cut.*copy it again"):
            unsealed(data[:length], NAME)
    path = put(tmp_path, data[:40])
    with pytest.raises(RunRefused, match="is cut"), opened_run(path):
        pass
    assert Path(path).read_bytes() == data[:40]
    with (
        pytest.raises(RunRefused, match="neither a bundle nor a journal"),
        opened_run(put(tmp_path, b"")),
    ):
        pass


def test_any_changed_byte_is_refused() -> None:
    data = sealed(made())
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        with pytest.raises(RunRefused):
            unsealed(bytes(changed), NAME)
    with pytest.raises(RunRefused, match="damaged"):
        unsealed(data + b"x", NAME)


def test_other_rules_and_formats_name_who_can_open_it() -> None:
    def head(header: RunHeader, body: bytes) -> bytes:
        header.digest = run_file._digest(header, body)
        return MAGIC + msgspec.json.encode(header) + b"\n" + body

    body = zlib.compress(msgspec.msgpack.encode(made()))
    with pytest.raises(RunRefused, match=r"rules 99; .* open it with venue 7\.0"):
        unsealed(head(RunHeader("7.0", 99, len(body), ""), body), NAME)
    with pytest.raises(RunRefused, match=r"another format.*version of venue that made it"):
        unsealed(b"venue run 2\n{}\n", NAME)
    for strange in (b"no zip", zlib.compress(b"\xc1"), zlib.compress(b"\x80")):
        with pytest.raises(RunRefused, match=r"cannot be read .* open it with venue 7\.0"):
            unsealed(head(RunHeader("7.0", rules.RULES, len(strange), ""), strange), NAME)


def test_a_bundle_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = sealed(made(seed="0" * 100_000))
    monkeypatch.setattr(run_file, "UNPACKED_MAX", 10_000)
    with pytest.raises(RunRefused, match="holds more"):
        unsealed(data, NAME)
    with pytest.raises(RunRefused, match="open its --state file"):
        sealed(made(seed="0" * 100_000))


def test_another_state_than_it_says_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, sealed(made(state_hash="0" * 32)))
    with pytest.raises(RunRefused, match="it was changed"):
        replayed(path, tmp_path)


@pytest.mark.parametrize(
    "commands",
    [
        [(1, b"\xc1" * 8)],
        [(2, msgspec.msgpack.encode(COMMANDS[1:]))],
        [(1, msgspec.msgpack.encode(COMMANDS[:2]))],
    ],
    ids=["no commands", "the first is missing", "the last is missing"],
)
def test_commands_that_are_not_there_are_named(
    commands: list[tuple[int, bytes]], tmp_path: Path
) -> None:
    with pytest.raises(JournalCorrupt, match="sequence"):
        replayed(put(tmp_path, sealed(made(commands=commands))), tmp_path)


def test_a_run_that_no_venue_wrote_is_refused(tmp_path: Path) -> None:
    for strange in (
        made(begin=2),
        made(last=0),
        made(snapshot=b"nothing"),
        made(begin=3, last=1),
    ):
        with (
            pytest.raises(RunRefused, match="make the bundle again"),
            opened_run(put(tmp_path, sealed(strange))),
        ):
            pass
    dumped, digest = dump_and_hash(begin())
    without_views = Snapshot(0, "1", digest, {ENGINE: dumped})
    row = msgspec.msgpack.encode(pack(without_views))
    assert replayed(put(tmp_path, sealed(made(snapshot=row))), tmp_path) == ended(COMMANDS)


def test_other_files_are_no_runs(tmp_path: Path) -> None:
    with pytest.raises(RunRefused, match="No such file"), opened_run(str(tmp_path / "nothing")):
        pass
    with pytest.raises(RunRefused, match="no regular file"), opened_run(str(tmp_path)):
        pass
    with pytest.raises(RunRefused, match="neither"), opened_run(put(tmp_path, b"hello, world")):
        pass


# -- files of strangers -----------------------------------------------------------------------


def forged(plain: bytes) -> bytes:
    """A bundle of these contents, with a right digest."""
    body = zlib.compress(plain, 9)
    header = RunHeader("1", rules.RULES, len(body), "")
    header.digest = run_file._digest(header, body)
    return MAGIC + msgspec.json.encode(header) + b"\n" + body


@pytest.mark.parametrize("field", ["commands", "wire"])
@pytest.mark.parametrize("item", [b"\x90", b"\x92\x01\xc4\x00", b"\x80"])
def test_a_small_file_takes_little_memory(field: str, item: bytes) -> None:
    """Enemy: 66 kB that unpack to millions of items, which took 1.3 GB."""
    parts = msgspec.structs.asdict(made()) | {field: msgspec.Raw(
        b"\xdd" + (8_000_000).to_bytes(4) + 8_000_000 * item
    )}  # fmt: skip
    data = forged(msgspec.msgpack.encode(parts))
    assert len(data) < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(RunRefused):
            unsealed(data, NAME)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 64 << 20


def test_deep_nesting_is_refused() -> None:
    """Enemy: lists in lists, a hundred thousand deep."""
    parts = msgspec.structs.asdict(made()) | {"wire": msgspec.Raw(b"\x91" * 100_000 + b"\x90")}
    with pytest.raises(RunRefused):
        unsealed(forged(msgspec.msgpack.encode(parts)), NAME)


def test_a_run_that_repeats_itself_can_be_read_again() -> None:
    run = made(seed="0" * 3_000_000)
    assert unsealed(sealed(run), NAME) == run


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    """Enemy: a pipe, which would be waited for without end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/zero")):
        with pytest.raises(RunRefused, match="is no regular file"), opened_run(str(path)):
            pass


ENDLESS = (
    "CREATE VIEW batches AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT i AS first_sequence, 1 AS count, x'90' AS payload, x'00' AS chain FROM n"
)


@pytest.mark.parametrize(
    "statement",
    [
        ENDLESS,
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE batches USING rtree(a, b, c)",
    ],
)
def test_a_database_with_more_than_tables_is_refused(tmp_path: Path, statement: str) -> None:
    """Enemy: a view without end in the place of a table."""
    path = str(tmp_path / "v.db")
    connection = apsw.Connection(path)
    connection.execute("CREATE TABLE meta(format INTEGER NOT NULL) STRICT")
    connection.execute("INSERT INTO meta VALUES(3)")
    connection.execute(statement)
    connection.close()
    with pytest.raises(JournalCorrupt, match="views, triggers or virtual tables"), opened_run(path):
        pass
