"""Folders of killed venues in memory are removed by the next one; nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from venue.history.temporary import BEGIN, LOCK, Folder, clear

KILLED = (
    "import os, signal; from venue.history.temporary import Folder;"
    "folder = Folder('history'); open(folder.path + '/history', 'w').write('rows');"
    "print(folder.path, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, here and in other processes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(place: Path) -> Path:
    """A folder that a killed venue left; its process id may be another's by now."""
    done = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True)
    found = Path(done.stdout.strip())
    assert found.parent == place
    assert sorted(one.name for one in found.iterdir()) == ["history", LOCK]
    return found


def test_the_next_venue_removes_what_a_killed_one_left(place: Path) -> None:
    first, second = left(place), left(place)
    assert not first.exists()  # the second venue did so
    with open(second / "history", "rb"):  # a helper that has not heard of it yet
        folder = Folder("history")
    assert not second.exists()
    assert [one.name for one in place.iterdir()] == [Path(folder.path).name]
    folder.let_go()
    assert list(place.iterdir()) == []


def test_a_living_venue_keeps_its_folder(place: Path) -> None:
    folder = Folder("worlds")
    (Path(folder.path) / "rows").write_text("rows")
    left(place)
    clear(str(place))
    assert (Path(folder.path) / "rows").read_text() == "rows"
    folder.let_go()


def _link(folder: Path, outside: Path) -> None:
    folder.symlink_to(outside, target_is_directory=True)


def _file(folder: Path, outside: Path) -> None:
    folder.write_text("a file")


def _no_lock(folder: Path, outside: Path) -> None:
    folder.mkdir(mode=0o700)
    (folder / "rows").write_text("rows")


def _linked_lock(folder: Path, outside: Path) -> None:
    _no_lock(folder, outside)
    (folder / LOCK).symlink_to(outside / LOCK)


def _second_name(folder: Path, outside: Path) -> None:
    _no_lock(folder, outside)
    os.link(outside / LOCK, folder / LOCK)


def _pipe(folder: Path, outside: Path) -> None:
    _no_lock(folder, outside)
    os.mkfifo(folder / LOCK, 0o600)


def _open_to_others(folder: Path, outside: Path) -> None:
    _no_lock(folder, outside)
    (folder / LOCK).touch(0o600)
    folder.chmod(0o777)


def _another_users(folder: Path, outside: Path) -> None:
    _no_lock(folder, outside)
    (folder / LOCK).touch(0o600)
    if os.geteuid() == 0:
        os.chown(folder, 65_534, 65_534)
    else:
        folder.chmod(0o500)  # its files are not ours to remove


ENEMIES = [
    _link, _file, _no_lock, _linked_lock, _second_name, _pipe, _open_to_others, _another_users,
]  # fmt: skip


@pytest.mark.parametrize("enemy", ENEMIES)
def test_what_is_not_ours_stays(place: Path, enemy: Callable[[Path, Path], None]) -> None:
    outside = place / "outside"
    outside.mkdir(mode=0o700)
    (outside / LOCK).touch(0o600)
    (outside / "rows").write_text("rows")
    folder = place / f"{BEGIN}history-x"
    enemy(folder, outside)
    before = sorted(str(one) for one in place.rglob("*"))
    clear(str(place))
    assert sorted(str(one) for one in place.rglob("*")) == before
    if folder.is_dir() and not folder.is_symlink():
        folder.chmod(0o700)
