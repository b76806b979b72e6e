"""Files with mode 0600, whatever the umask is: only their owner can read them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from venue.files.archive_names import archives, sync_folder, unfinished

MODE: Final = 0o600
SNAPSHOT: Final = ".snapshot"  # the part of a snapshot's name after FILE
DATABASE: Final = ("", "-wal", "-shm", "-journal")  # and the logs that SQLite keeps beside it
LOCK: Final = ".lock"  # the name's end of the file that says which process uses a history
# A state's journal FILE and the files beside it. SQLite gives its logs the database's mode. Keys
# that others could read are no secret any more: their store refuses them.
BESIDE: Final = ("", ".acknowledged", ".history", f".history{LOCK}")


def create(path: Path) -> bool:
    """Make an empty file unless it exists; return whether it was made. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE)
    except FileExistsError:
        return False
    try:
        os.fchmod(descriptor, MODE)  # the umask may have taken from it
    finally:
        os.close(descriptor)
    return True


def put(path: Path, data: bytes) -> None:
    """Write a whole file and make it durable before it replaces an earlier one.

    Raises OSError, which names this file.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        create(temporary)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as problem:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise OSError(problem.errno, problem.strerror, str(path)) from problem
    sync_folder(str(path))


def write(path: Path, data: bytes) -> None:
    """Write a new file that is only needed while this process runs. Raises OSError."""
    create(path)
    path.write_bytes(data)


def remove(path: str) -> None:
    """Remove a database with its logs and its lock; do nothing when it does not exist. Raises
    OSError."""
    for part in (*DATABASE, LOCK):
        Path(f"{path}{part}").unlink(missing_ok=True)


def own(path: Path) -> None:
    """Raise OSError unless it is a file and ours: the owner of a file, or of a link to it, may open
    or change it. Its mode is not checked. FileNotFoundError when it does not exist."""
    if not path.is_file():
        path.lstat()  # there is something else
        raise OSError(f"{path} is not a file")
    for owner in (path.lstat().st_uid, path.stat().st_uid):
        if owner != os.geteuid():
            raise OSError(
                f"{path} belongs to user {owner}, the venue runs as user {os.geteuid()}: move the"
                " file away, or give it to the user who runs the venue"
            )


def narrow(state: str) -> list[str]:
    """Set the mode of a state's files to 0600; return a line for each that other users could use
    until now. Raises OSError when a file is not ours."""
    told: list[str] = []
    paths = [Path(f"{state}{name}{part}") for name in BESIDE for part in DATABASE]
    base = Path(state)
    if base.parent.is_dir():
        paths += [
            one for one in base.parent.iterdir() if one.name.startswith(f"{base.name}{SNAPSHOT}")
        ]
        for whole in (state, f"{state}.history"):
            names = [*unfinished(whole), *(name for _, _, name in archives(whole))]
            paths += [Path(f"{name}{part}") for name in names for part in DATABASE]
    for path in paths:
        try:
            mode = _narrowed(path)
        except FileNotFoundError:
            continue  # a helper of a venue that was killed hears of it late, and still tidies up
        if mode & 0o077:
            told.append(f"{path} had mode {mode:04o}: others could use it; it is {MODE:04o} now")
    return told


def _narrowed(path: Path) -> int:
    """Set the mode of a file of ours to 0600; return the mode that it had."""
    own(path)
    mode = path.stat().st_mode & 0o777
    if mode != MODE:
        path.chmod(MODE)
    return mode
