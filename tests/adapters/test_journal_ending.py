"""A journal ends where it ended, or is refused: bytes flipped and cut in real write-ahead logs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from random import Random

import apsw
import pytest

from support.disk import Disk
from support.points.disk import BROKEN, FULL, Points, watched
from support.points.known import in_words
from venue.core.messages.commands import Tick
from venue.journal.ending import ENDING, Ending
from venue.journal.journal import JournalCorrupt
from venue.journal.lacking import lacking
from venue.journal.opening import open_journal, open_readonly

HEADER = 32
FRAME = 24 + 4096
BATCHES = 60
WRITER = """
import sys
from venue.core.messages.commands import Tick
from venue.journal.opening import open_journal
journal = open_journal(sys.argv[1])
while True:
    journal.append([Tick(time=journal.last_sequence() + 1)] * 40)
    print(journal.last_sequence(), flush=True)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The folder of a journal whose writer was killed, and the last sequence it acknowledged."""
    folder = tmp_path_factory.mktemp("killed")
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder / "journal")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(BATCHES)]
        process.send_signal(signal.SIGKILL)
        said += process.stdout.read().splitlines(keepends=True)
    whole = [line for line in said if line.endswith("\n")]
    return folder, int(whole[-1])


def copied(folder: Path, target: Path, *, noted: bool) -> Path:
    """A copy of a journal, with or without what stands beside it about its end."""
    target.mkdir(exist_ok=True)
    for end in ("", "-wal", ENDING):
        shutil.copy(folder / f"journal{end}", target)
    if not noted:
        (target / f"journal{ENDING}").unlink()
    return target / "journal"


def last(path: Path) -> int | None:
    """The last sequence of a journal; None when it is refused, in a sentence that says what to do.

    Reading only must say the same, and neither changes what it refuses.
    """
    before = [path.read_bytes(), log_of(path).read_bytes()]
    ends: list[int | None] = []
    for opener in (open_readonly, open_journal):
        with suppress(JournalCorrupt):
            journal = opener(str(path))
            ends.append(journal.last_sequence())
            journal.close()
            continue
        with pytest.raises(JournalCorrupt, match="put back whole copies"):
            opener(str(path))
        assert [path.read_bytes(), log_of(path).read_bytes()] == before
        ends.append(None)
    assert ends[0] == ends[1]
    return ends[0]


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << at % 8
    path.write_bytes(data)


def commit_ends(log: bytes) -> list[int]:
    """The numbers of frames after which a commit ends."""
    frames = (len(log) - HEADER) // FRAME
    starts = [HEADER + number * FRAME for number in range(frames)]
    return [number for number, at in enumerate(starts, 1) if any(log[at + 4 : at + 8])]


def test_a_killed_journal_ends_where_it_was_acknowledged(
    killed: tuple[Path, int], tmp_path: Path
) -> None:
    folder, said = killed
    for noted in (True, False):
        found = last(copied(folder, tmp_path / str(noted), noted=noted))
        assert found is not None
        assert found >= said


@pytest.mark.parametrize("seed", range(60))
def test_a_flipped_byte_in_the_log_loses_nothing_silently(
    killed: tuple[Path, int], tmp_path: Path, seed: int
) -> None:
    folder, said = killed
    path = copied(folder, tmp_path, noted=True)
    flip(log_of(path), Random(seed).randrange(log_of(path).stat().st_size))
    found = last(path)
    assert found is None or found >= said


@pytest.mark.parametrize("place", [*range(HEADER), "first", "last", "last header"])
def test_its_ends_are_seen_to(tmp_path: Path, place: int | str) -> None:
    """A loss of any acknowledged commit is noticed, also of the very last one."""
    journal = open_journal(str(tmp_path / "journal"))
    for number in range(5):
        journal.append([Tick(time=number)])
    path = copied(tmp_path, tmp_path / "copy", noted=True)
    journal.close()
    end = HEADER + commit_ends(log_of(path).read_bytes())[-1] * FRAME
    named = {"first": HEADER + FRAME - 1, "last": end - 1, "last header": end - FRAME + 5}
    flip(log_of(path), place if isinstance(place, int) else named[place])
    assert last(path) is None


@pytest.mark.parametrize("seed", range(60))
def test_without_the_note_all_but_the_last_commits_are_seen_to(
    killed: tuple[Path, int], tmp_path: Path, seed: int
) -> None:
    """Copies of two files alone, or files of a former version: the log's own frames tell."""
    folder, _ = killed
    path = copied(folder, tmp_path, noted=False)
    data = log_of(path).read_bytes()
    before_last = commit_ends(data)[-3]
    flip(log_of(path), Random(seed).randrange(HEADER + before_last * FRAME))
    assert last(path) is None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("damage", ["cut", "zeros", "hole"])
def test_a_commit_that_was_torn_is_left_out(tmp_path: Path, seed: int, damage: str) -> None:
    """The last commit was under way: any part of its frames may be there, in any state."""
    path = tmp_path / "journal"
    log = log_of(path)
    journal = open_journal(str(path))
    said = 0
    random = Random(seed)
    for number in range(1, 12):
        journal.append([Tick(time=number)] * random.randint(1, 900))
        if number == 10:
            said = journal.last_sequence()
            whole = log.stat().st_size
            noted = Path(f"{path}{ENDING}").read_bytes()
    end = HEADER + commit_ends(log.read_bytes())[-1] * FRAME
    data = bytearray(log.read_bytes()[:end])
    main = path.read_bytes()
    journal.close()
    place = random.randrange(whole, len(data))
    if damage == "cut":
        del data[place:]
    elif damage == "zeros":
        data[place:] = bytes(len(data) - place)
    else:
        frame = HEADER + (place - HEADER) // FRAME * FRAME
        data[frame : frame + FRAME] = os.urandom(FRAME)
    path.write_bytes(main)
    log.write_bytes(data)
    Path(f"{path}{ENDING}").write_bytes(noted)
    assert last(path) == said
    journal = open_journal(str(path))
    for number in range(3):
        journal.append([Tick(time=20 + number)])
        copy = copied(tmp_path, tmp_path / f"copy{number}", noted=True)
        assert last(copy) == said + number + 1, "a torn write is not taken for damage"
    journal.close()


def test_a_log_cut_anywhere_gives_a_prefix_of_the_batches(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = open_journal(str(path))
    for _ in range(3):
        journal.append([Tick(time=1)] * 3)
    file, wal = path.read_bytes(), log_of(path).read_bytes()
    journal.close()
    Path(f"{path}{ENDING}").unlink()  # it knows of all three
    lengths = []
    # Within a frame a cut anywhere is the same to SQLite, so most are taken at a stride; around
    # the ends of the frames, which carry the commit, every byte is.
    ends = (0, 1, FRAME - 1)
    cuts = [n for n in range(len(wal) + 1) if n % 61 == 0 or (n - HEADER) % FRAME in ends]
    for cut in cuts:
        path.write_bytes(file)
        log_of(path).write_bytes(wal[:cut])
        journal = open_journal(str(path))
        lengths.append(journal.last_sequence())
        assert sum(len(piece) for _, piece in journal.read(0)) == lengths[-1]
        journal.close()
    assert lengths == sorted(lengths)
    assert set(lengths) == {0, 3, 6, 9}


def test_a_former_round_of_the_log_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = open_journal(str(path))
    for number in range(40):
        journal.append([Tick(time=number)] * 500)
        if number == 30:
            journal._connection.wal_checkpoint()
    copies = {name: (tmp_path / name).read_bytes() for name in ("journal", "journal-wal")}
    journal.close()
    for name, data in copies.items():
        (tmp_path / name).write_bytes(data)
    taken = len(commit_ends(copies["journal-wal"]))
    assert taken > 9, "frames of the former round are still there"
    assert last(path) == 20_000


def test_an_older_copy_is_refused_until_the_note_is_moved_away(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = open_journal(str(path))
    journal.append([Tick(time=1)])
    journal.close()
    older = path.read_bytes()
    journal = open_journal(str(path))
    journal.append([Tick(time=2)])
    journal.close()
    path.write_bytes(older)
    for opener in (open_journal, open_readonly):
        with pytest.raises(JournalCorrupt, match=r"ends at command 1, but command 2 was ack.*move"):
            opener(str(path))
    Path(f"{path}{ENDING}").unlink()
    open_journal(str(path)).close()


@pytest.mark.parametrize("data", [b"", b"short", bytes(16), b"x" * 16, b"x" * 17])
def test_a_note_that_cannot_be_read_says_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "journal"
    journal = open_journal(str(path))
    journal.append([Tick(time=1)])
    journal.close()
    Path(f"{path}{ENDING}").write_bytes(data)
    journal = open_journal(str(path))
    journal.append([Tick(time=2)])
    journal.close()
    assert Ending(str(path)).read() == 2


def test_the_note_is_written_behind_the_sync_and_never_synced(tmp_path: Path) -> None:
    disk = Disk()
    try:
        journal = open_journal(str(tmp_path / "journal"))
        note = Ending(str(tmp_path / "journal"))
        for number in range(1, 6):
            before = disk.syncs
            journal.append([Tick(time=number)])
            assert disk.syncs > before
            assert note.read() == number
        journal.close()
    finally:
        disk.unregister()
    assert (os.stat(note.path).st_mode & 0o777) == 0o600


def test_an_end_at_any_write_of_the_first_commit_lacks_no_note(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    ends: list[Path] = []

    def look(what: str, file: str) -> None:
        ends.append(tmp_path / f"{len(ends)} {what} {file}")
        shutil.copytree(folder, ends[-1], ignore=shutil.ignore_patterns("*-shm"))

    with watched(Points(folder, look)):
        journal = open_journal(str(folder / "journal"))
        journal.append([Tick(time=1)])
        journal.close()
    has = set()
    for end in ends:
        path = end / "journal"
        found = open_journal(str(path))
        has.add(found.last_sequence())
        assert lacking(str(path), found) == [], end.name
        found.close()
    assert has == {0, 1}


@pytest.mark.parametrize("how", [BROKEN, FULL])
def test_a_disk_that_fails_at_any_point_is_told_in_words(tmp_path: Path, how: str) -> None:
    """Also where it fails last: the log is removed once the journal is closed."""
    failures = set()
    for at in count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        points = Points(folder, at=at, how=how)
        acknowledged = 0
        problem: BaseException | None = None
        try:
            with watched(points), closing(open_journal(str(folder / "journal"))) as journal:
                journal.append([Tick(time=1)])
                acknowledged = 1
        except Exception as raised:  # noqa: BLE001 - looked at
            problem = raised
        if not points.reached():
            break
        failures.add(points.failed)
        assert problem is None or in_words(problem), points.failed
        journal = open_journal(str(folder / "journal"))
        assert journal.last_sequence() >= acknowledged, points.failed
        journal.close()
    assert "create journal" in failures
    assert how == FULL or "unlink journal-wal" in failures


@pytest.mark.parametrize("left", [None, b""], ids=["missing", "empty"])
def test_a_log_without_its_journal_is_left_alone(
    killed: tuple[Path, int], tmp_path: Path, left: bytes | None
) -> None:
    """SQLite deletes it; with the journal put back again it must be there."""
    path = copied(killed[0], tmp_path, noted=True)
    kept, log = path.read_bytes(), log_of(path).read_bytes()
    path.unlink()
    if left is not None:
        path.write_bytes(left)
    for opener in (open_journal, open_readonly):
        with pytest.raises(JournalCorrupt, match="put back the journal that it belongs to"):
            opener(str(path))
    assert log_of(path).read_bytes() == log
    path.write_bytes(kept)
    assert (last(path) or 0) >= killed[1]


def test_a_file_of_another_program_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE notes(text)")
    connection.close()
    before = path.read_bytes()
    for opener in (open_journal, open_readonly):
        with pytest.raises(JournalCorrupt, match="is not a journal"):
            opener(str(path))
    assert path.read_bytes() == before
