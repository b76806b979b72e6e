"""A journal with a changed bit anywhere starts, or is refused with a repair that loses nothing."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from support.trading import trading
from venue.core.engine import Engine
from venue.core.messages.commands import Command
from venue.core.state import snapshot as state
from venue.journal import built
from venue.journal.chain import BLOCK
from venue.journal.journal import JournalCorrupt, JournalFailed, Snapshot
from venue.journal.opening import open_journal, open_readonly
from venue.journal.recovery import ENGINE, recover
from venue.journal.repair import RepairRefused, advice, read_damaged, repair

COUNT: Final = 1_400
EVERY: Final = 7  # commands of a batch
SNAPSHOTS: Final = (700, 1_260)
LOSSES: Final = 21
FLIPS: Final = int(os.environ.get("VENUE_FLIPS", "120"))
NOBODY_LAGS: Final = 1 << 62
COMMANDS: Final = trading(5, COUNT)


class Nobody:
    """Views of nothing."""

    def restore(self, parts: dict[str, bytes], engine: Engine) -> None: ...

    def note(self, applied: object) -> None: ...

    def follow(self, batch: object) -> None: ...


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped venue's journal with two snapshots, neither at its end."""
    path = tmp_path_factory.mktemp("whole") / "venue.db"
    engine = Engine()
    with closing(open_journal(str(path))) as journal:
        for start in range(0, COUNT, EVERY):
            batch = COMMANDS[start : start + EVERY]
            journal.append(batch)
            for command in batch:
                engine.apply(command)
            if start + EVERY in SNAPSHOTS:
                dumped, digest = state.dump_and_hash(engine)
                journal.save_snapshot(
                    Snapshot(engine.sequence, built.name(), digest, {ENGINE: dumped})
                )
    (path.parent / "digest").write_text(state.state_hash(engine))
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return copied(whole, tmp_path)


def copied(whole: Path, folder: Path) -> Path:
    for one in sorted(folder.iterdir()):
        one.unlink()
    for one in whole.parent.iterdir():
        shutil.copy(one, folder)
    return folder / whole.name


def flip(path: Path, place: int, bit: int) -> bytes:
    """Change a bit; the damaged bytes."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(data)
    return bytes(data)


def started(path: Path) -> tuple[str, list[Command]]:
    """The state that a start comes to, and the commands that it has; JournalCorrupt."""
    with closing(open_readonly(str(path))) as journal:
        engine = recover(journal, NOBODY_LAGS, Nobody())
        commands = [one for _, piece in journal.read(journal.begin()) for one in piece]
        return state.state_hash(engine), commands


def outcome(path: Path, digest: str) -> str:
    """How the damaged journal at `path` goes on; a wrong state is none."""
    damaged = path.read_bytes()
    try:
        found, commands = started(path)
    except JournalCorrupt:
        try:
            told = advice(str(path))
            done = repair(str(path))
        except RepairRefused as problem:
            return f"refused: {problem}"
        assert f"`venue repair {path}`" in told, told
        assert done is not None
        assert Path(done.aside).read_bytes() == damaged
        found, commands = started(path)
        assert found == digest
        if done.snapshot:
            assert COUNT - len(commands) <= done.snapshot // BLOCK * BLOCK
            return "from a snapshot"
        assert commands == COMMANDS
        return "repaired"
    assert found == digest
    assert commands == COMMANDS
    return "started"


def places(size: int) -> Iterator[tuple[int, int]]:
    """Bytes of the file, and a bit in each: all kinds of pages, a different part of each."""
    choice = random.Random(1)
    for number in range(FLIPS):
        yield number * size // FLIPS + choice.randrange(size // FLIPS), choice.randrange(8)


def test_a_changed_bit_anywhere_loses_nothing(whole: Path, tmp_path: Path) -> None:
    """In a row, its number, a page's header and pointers, the schema: none needs a snapshot."""
    digest = (whole.parent / "digest").read_text()
    counts: Counter[str] = Counter()
    for place, bit in places(whole.stat().st_size):
        path = copied(whole, tmp_path)
        flip(path, place, bit)
        found = outcome(path, digest)
        assert found in ("started", "repaired"), (place, bit, found)
        counts[found] += 1
    assert counts["repaired"] > FLIPS // 2
    assert counts["started"] > 0


@pytest.mark.parametrize("size", [64, 512, 4_096])
def test_a_lost_part_of_the_file_is_stood_for_by_a_snapshot(
    whole: Path, tmp_path: Path, size: int
) -> None:
    """One that no snapshot stands for is refused, and nothing is changed."""
    digest = (whole.parent / "digest").read_text()
    length = whole.stat().st_size
    counts: Counter[str] = Counter()
    for number in range(LOSSES):
        path = copied(whole, tmp_path)
        data = bytearray(path.read_bytes())
        begin = number * length // LOSSES // size * size
        data[begin : begin + size] = random.Random(number).randbytes(size)
        path.write_bytes(data)
        found = outcome(path, digest)
        if found.startswith("refused"):
            if "under which rules" not in found:  # their table is lost
                assert " could be kept: put back a whole copy" in found
                assert max(last for _, last in read_damaged(str(path)).lost) > SNAPSHOTS[-1]
            assert path.read_bytes() == data
            assert list(path.parent.glob("*.damaged")) == []
        counts[found.partition(":")[0]] += 1
    assert counts["from a snapshot"] > 0
    assert counts["refused"] <= LOSSES // 5


def test_a_log_that_is_damaged_is_put_back(whole: Path, tmp_path: Path) -> None:
    """The whole journal lies in its log: one changed bit would hide all commits after it."""
    digest = (whole.parent / "digest").read_text()
    source = tmp_path / "source"
    source.mkdir()
    journal = open_journal(str(source / "venue.db"))
    for start in range(0, COUNT, EVERY):
        journal.append(COMMANDS[start : start + EVERY])
    for number in range(LOSSES):
        folder = tmp_path / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        path = folder / "venue.db"
        log = folder / "venue.db-wal"
        flip(log, number * log.stat().st_size // LOSSES, number % 8)
        found = outcome(path, digest)
        assert found in ("started", "repaired"), found
    journal.close()


def test_a_whole_journal_is_left_alone(copy: Path) -> None:
    before = copy.read_bytes()
    assert repair(str(copy)) is None
    assert copy.read_bytes() == before


def test_a_repair_that_is_cut_short_goes_on(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is gone and the new file not yet there: what is kept aside has both."""
    flip(copy, 40_000, 3)
    damaged = copy.read_bytes()

    def cut(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", cut)
        with pytest.raises(KeyboardInterrupt):
            repair(str(copy))
    assert copy.read_bytes() == damaged
    done = repair(str(copy))
    assert done is not None
    assert done.aside == f"{copy}.damaged"
    assert Path(done.aside).read_bytes() == damaged
    assert started(copy)[1] == COMMANDS
    flip(copy, 40_000, 3)
    again = repair(str(copy))
    assert again is not None
    assert again.aside == f"{copy}.damaged-2"


def test_a_file_in_use_and_one_that_is_no_journal_are_refused(copy: Path) -> None:
    with closing(open_journal(str(copy))), pytest.raises(JournalFailed, match="in use"):
        repair(str(copy))
    copy.write_bytes(b"nothing of a journal" * 1_000)
    with pytest.raises(
        RepairRefused, match="commands 1 to 1400 are damaged or missing, and no intact"
    ):
        repair(str(copy))
    Path(f"{copy}.acknowledged").unlink()
    with pytest.raises(RepairRefused, match="no command that can be read"):
        repair(str(copy))
    assert advice(str(copy)) == ""
