"""A disk under SQLite and under Python's own files that counts what changes it.

Each write, sync, truncation, renaming, removal and new file in the watched folder is a point. At
each one a hook may look at the folder, also amid a write; from one on, or at one only, the disk may
refuse.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeVar

import apsw

from venue.history import pages
from venue.journal.ending import ENDING

if TYPE_CHECKING:
    from typing_extensions import Buffer

FULL: Final = "full"  # no room from a point on
BROKEN: Final = "broken"  # an I/O error at a point, once
NAME: Final = "points"  # under which SQLite knows it
PASSED_OVER: Final = ("-shm",)  # the first process that opens a database empties it
NEED_ROOM: Final = ("write", "create")

T = TypeVar("T")
Look = Callable[[str, str], None]
Chosen = Callable[[int, str, str], bool]
"""Whether a point is looked at: its number, what is done there and the file's name."""


class Points:
    """The points that were passed, and what is to happen at them."""

    def __init__(self, folder: Path, look: Look | None = None, at: int = 0, how: str = "") -> None:
        """`look` is called with what was done and the file's name, "torn" amid a write. At point
        `at` the disk fails as `how` says."""
        self.folder = str(folder.resolve())
        self.passed = 0
        self.kinds: dict[str, int] = {}
        self.failed = ""  # the first point that failed, in words
        self.unsynced: list[str] = []  # files that got their name before they were on the disk
        self._dirty: set[str] = set()
        self._look = look
        self._at, self._how = at, how
        self._turn = RLock()
        self._within = False

    def watches(self, path: str) -> bool:
        """Whether a path is in the folder and counts."""
        if not path or self._within or path.endswith(PASSED_OVER):
            return False
        return os.path.abspath(path).startswith(self.folder)

    def reached(self) -> bool:
        """Whether there was the point at which the disk is to fail."""
        return self.passed >= self._at

    def do(
        self, what: str, path: str, act: Callable[[], T], half: Callable[[], object] | None = None
    ) -> T:
        """Do it, unless the disk refuses; `half` does the first half of a write."""
        with self._turn:
            if not self.watches(path):
                return act()
            self.passed += 1
            self.kinds[what] = self.kinds.get(what, 0) + 1
            self._within = True
            try:
                name = os.path.basename(path)
                self._refuse(what, name, half)
                if half is not None and self._look is not None:
                    half()
                    self._look("torn", name)
                done = act()
                self._note(what, os.path.abspath(path))
                if self._look is not None:
                    self._look(what, name)
                return done
            finally:
                self._within = False

    def _note(self, what: str, path: str) -> None:
        """Know which files are written and not synced; a note of the last command never is."""
        if what == "write":
            self._dirty.add(path)
            return
        if what == "rename" and path in self._dirty and not path.endswith(ENDING):
            self.unsynced.append(f"{os.path.basename(path)} is renamed before it is synced")
        if what in ("sync", "rename", "unlink"):
            self._dirty.discard(path)

    def _refuse(self, what: str, name: str, half: Callable[[], object] | None) -> None:
        if self._how == FULL and self.passed >= self._at > 0 and what in NEED_ROOM:
            number = errno.ENOSPC
        elif self._how == BROKEN and self.passed == self._at:
            number = errno.EIO
        else:
            return
        self.failed = self.failed or f"{what} {name}"
        if half is not None:
            half()
        raise OSError(number, os.strerror(number), name)


class _Files(apsw.VFS):
    """SQLite's files."""

    def __init__(self, points: Points) -> None:
        self.points = points
        super().__init__(NAME, "unix", makedefault=True)

    def xOpen(  # noqa: N802 - SQLite's names
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        if not path or os.path.exists(path) or not flags[0] & apsw.SQLITE_OPEN_CREATE:
            return _File(self.points, path, name, flags)
        with _as_sqlite():
            return self.points.do("create", path, lambda: _File(self.points, path, name, flags))

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        with _as_sqlite():
            delete = super().xDelete
            self.points.do("unlink", filename, lambda: delete(filename, syncdir))


class _File(apsw.VFSFile):
    def __init__(
        self, points: Points, path: str, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        super().__init__("unix", name, flags)
        self._points, self._path = points, path

    def xWrite(self, data: Buffer, offset: int) -> None:  # noqa: N802
        write, whole = super().xWrite, bytes(data)
        with _as_sqlite():
            self._points.do(
                "write",
                self._path,
                lambda: write(whole, offset),
                lambda: write(whole[: len(whole) // 2], offset),
            )

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        truncate = super().xTruncate
        with _as_sqlite():
            self._points.do("truncate", self._path, lambda: truncate(newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        sync = super().xSync
        with _as_sqlite():
            self._points.do("sync", self._path, lambda: sync(flags))


@contextmanager
def _as_sqlite() -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        kind = apsw.FullError if problem.errno == errno.ENOSPC else apsw.IOError
        raise kind(problem.strerror) from problem


class _Raw:
    """A file that Python opened for writing; what it does not say itself the file says."""

    def __init__(self, points: Points, path: str, mode: str) -> None:
        self._points, self._path = points, path
        self._file = io.FileIO(path, mode)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, data: Any) -> int:
        file, whole = self._file, bytes(data)

        def torn() -> None:
            file.write(whole[: len(whole) // 2])
            file.seek(-(len(whole) // 2), os.SEEK_CUR)

        return self._points.do("write", self._path, lambda: file.write(whole) or 0, torn)


@contextmanager
def watched(points: Points) -> Iterator[None]:
    """The disk, under everything that this process does meanwhile."""
    kept = {name: getattr(os, name) for name in _OF_OS}
    opened = io.open
    files = _Files(points)
    _begin_checks_again()
    try:
        for name, made in _of_os(points, kept).items():
            setattr(os, name, made)
        builtins.open = io.open = _opener(points, opened)
        yield
    finally:
        builtins.open = io.open = opened
        for name, own in kept.items():
            setattr(os, name, own)
        files.unregister()
        _begin_checks_again()


def _begin_checks_again() -> None:
    """History's checks stand on the default files of the moment at which they began."""
    pages._FILES.unregister()
    pages._FILES = pages.CheckedFiles()  # type: ignore[misc]


_OF_OS: Final = (
    "open", "write", "pwrite", "sendfile", "fsync", "fdatasync", "ftruncate", "truncate", "replace",
    "rename", "link", "unlink", "remove", "mkdir", "rmdir",
)  # fmt: skip
_OF_PATHS: Final = {
    "replace": "rename", "rename": "rename", "link": "rename", "unlink": "unlink",
    "remove": "unlink", "mkdir": "create", "rmdir": "unlink", "truncate": "truncate",
}  # fmt: skip
_OF_OPEN: Final = {"fsync": "sync", "fdatasync": "sync", "ftruncate": "truncate"}


def _of_os(points: Points, kept: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The system's calls, counted."""
    made: dict[str, Callable[..., Any]] = {}
    for name, what in _OF_PATHS.items():
        made[name] = _of_path(points, what, kept[name])
    for name, what in _OF_OPEN.items():
        made[name] = _of_open(points, what, kept[name])

    def write(file: int, data: Any) -> int:
        do, half = kept["write"], bytes(data)[: len(data) // 2]

        def torn() -> None:
            do(file, half)
            os.lseek(file, -len(half), os.SEEK_CUR)

        return int(points.do("write", _path_of(file), lambda: do(file, data), torn))

    def pwrite(file: int, data: Any, offset: int) -> int:
        do, half = kept["pwrite"], bytes(data)[: len(data) // 2]
        path = _path_of(file)
        return int(
            points.do("write", path, lambda: do(file, data, offset), lambda: do(file, half, offset))
        )

    def sendfile(target: int, source: int, offset: Any, count: int) -> int:
        do = kept["sendfile"]
        return int(points.do("write", _path_of(target), lambda: do(target, source, offset, count)))

    def opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        def act() -> int:
            return int(kept["open"](path, flags, mode, dir_fd=dir_fd))

        name = os.fspath(path) if not isinstance(path, int) else ""
        if not flags & (os.O_CREAT | os.O_TRUNC) or not isinstance(name, str):
            return act()
        there = os.path.exists(name)
        if there and not flags & os.O_TRUNC:
            return act()
        return points.do("truncate" if there else "create", name, act)

    return {**made, "write": write, "pwrite": pwrite, "sendfile": sendfile, "open": opened}


def _of_path(points: Points, what: str, do: Callable[..., Any]) -> Callable[..., Any]:
    def called(path: Any, *rest: Any, **more: Any) -> Any:
        if isinstance(path, int) or more.get("dir_fd") is not None:
            return do(path, *rest, **more)  # `shutil.rmtree`, within a folder that goes
        return points.do(what, os.fspath(path), lambda: do(path, *rest, **more))

    return called


def _of_open(points: Points, what: str, do: Callable[..., Any]) -> Callable[..., Any]:
    def called(file: int, *rest: Any) -> Any:
        return points.do(what, _path_of(file), lambda: do(file, *rest))

    return called


def _path_of(file: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{file}")
    except OSError:
        return "/nowhere"


def _opener(points: Points, opened: Callable[..., Any]) -> Callable[..., Any]:
    """`open`, whose writes are counted."""

    def opening(file: Any, mode: str = "r", *rest: Any, **more: Any) -> Any:
        writes = any(letter in mode for letter in "wax+")
        path = "" if isinstance(file, int) else os.fspath(file)
        if not writes or isinstance(path, bytes) or not points.watches(path):
            return opened(file, mode, *rest, **more)
        plain = mode.replace("b", "").replace("t", "")
        there = os.path.exists(path)

        def make() -> _Raw:
            return _Raw(points, path, plain)

        if plain[0] == "w" or not there:
            raw = points.do("truncate" if there else "create", path, make)
        else:
            raw = make()
        made: Any = raw
        buffered: Any = io.BufferedRandom(made) if "+" in plain else io.BufferedWriter(made)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding="utf-8")

    return opening
