"""Folders of venues in memory: each is its venue's as long as that lives, and goes with it.

A venue holds a lock in its folder, which the system takes away when the process ends, however it
ends. So the next venue can tell folders of killed venues from those of living ones: a process id
may be another process's by then.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

LOCK: Final = "lock"  # the file in a folder that its venue holds
BEGIN: Final = "venue-memory-"  # the begin of each folder's name
OTHERS: Final = 0o022  # folders that others may write to are left alone


class Folder:
    """A new folder, held by this process until it is `let_go`; folders of killed venues are gone.
    OSError."""

    def __init__(self, kind: str) -> None:
        clear(tempfile.gettempdir())
        self.path = tempfile.mkdtemp(prefix=f"{BEGIN}{kind}-")
        begun = f"{self.path}/{LOCK}.new"
        self._held = os.open(begun, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_EX)
        Path(begun).rename(f"{self.path}/{LOCK}")  # nobody sees it while it is not held

    def let_go(self) -> None:
        """Take the folder away with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._held >= 0:
            os.close(self._held)
            self._held = -1


def clear(place: str) -> None:
    """Remove the folders of killed venues of this user; nothing else is opened or changed."""
    with suppress(OSError):
        for name in os.listdir(place):
            if name.startswith(BEGIN):
                with suppress(OSError):
                    _clear(f"{place}/{name}")


def _clear(path: str) -> None:
    """Remove one folder, unless it is another user's, a link, or held. OSError."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    folder = os.open(path, flags)
    try:
        if not _is_ours(os.fstat(folder), stat.S_IFDIR):
            return
        lock = os.open(LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            found = os.fstat(lock)
            if not _is_ours(found, stat.S_IFREG) or found.st_nlink != 1:
                return
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.lstat(path), os.fstat(folder)):
                shutil.rmtree(path)
        finally:
            os.close(lock)
    finally:
        os.close(folder)


def _is_ours(found: os.stat_result, kind: int) -> bool:
    mode = found.st_mode
    return stat.S_IFMT(mode) == kind and found.st_uid == os.geteuid() and not mode & OTHERS
