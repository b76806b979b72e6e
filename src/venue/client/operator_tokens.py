"""The token of a real venue's operator: made for its file, and found by commands of its user.

A venue that has one says so in a note, a file named after its address that it keeps locked. So a
token goes to the venue that it belongs to: the lock ends with that venue's process.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from venue.files import private_files

OPERATOR_TOKEN: Final = "VENUE_OPERATOR_TOKEN"  # noqa: S105 - the variable's name
SUFFIX: Final = ".operator"  # the part of the file's name after FILE
FOLDER_MODE: Final = 0o700
# A host that stands for all addresses of the machine, and the one of them that works there.
ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
HTTP_PORT: Final = 80  # of an address that names none
_BYTES: Final = 32
_TOKEN: Final = re.compile(r"[!-~]{16,256}", re.ASCII)
_NOTE_MAX: Final = 4096

log = logging.getLogger("venue")


def of_file(state: str) -> str:
    """Return the token of the venue that keeps its state in this file; made when there is none.
    OSError: it is not ours, others could read it, or it holds none."""
    path = Path(f"{state}{SUFFIX}")
    if not path.exists():
        private_files.put(path, f"{secrets.token_urlsafe(_BYTES)}\n".encode())
    return _read(path)


@contextmanager
def publish_token(ip: str, port: int, state: str) -> Iterator[None]:
    """Say, while this lasts, that the venue at this address has the token of this file."""
    descriptor = -1
    try:
        path = _folders()[0] / _name(ANYWHERE.get(ip, ip), port)
        path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        _check_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, private_files.MODE)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, os.fsencode(Path(f"{state}{SUFFIX}").absolute()))
    except OSError as problem:
        log.warning("commands must be given the operator's token: no note was made (%s)", problem)
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def find_token(host: str, port: int) -> str:
    """Return the token of the venue of this user that runs at an address of this machine (port 0:
    HTTP's); empty when none is known. The address is that which the venue listens on: names are not
    looked up."""
    for folder in _folders():
        with suppress(OSError, ValueError):
            _check_folder(folder)
            descriptor = os.open(
                folder / _name(host, port or HTTP_PORT), os.O_RDONLY | os.O_NOFOLLOW
            )
            try:
                if _is_held(descriptor):
                    return _read(Path(os.fsdecode(os.read(descriptor, _NOTE_MAX))))
            finally:
                os.close(descriptor)
    return ""


def _is_held(descriptor: int) -> bool:
    """Return whether the venue that made a note still runs."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _read(path: Path) -> str:
    private_files.own(path)
    if path.stat().st_mode & 0o077:
        raise OSError(
            f"{path}: other users could read this token: delete the file, and the next start makes"
            " another"
        )
    token = path.read_text("ascii", "replace").strip()
    if not _TOKEN.fullmatch(token):
        raise OSError(
            f"{path} holds no token of 16 to 256 characters: delete it: the next start makes one"
        )
    return token


def _folders() -> list[Path]:
    """Return the folders of this user's notes: venues write to the first, commands look in each."""
    usual = Path(tempfile.gettempdir()) / f"venue-{os.getuid()}"
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    return [Path(given) / "venue", usual] if given and Path(given).is_dir() else [usual]


def _check_folder(folder: Path) -> None:
    """OSError unless the folder is ours alone."""
    facts = folder.lstat()
    if not folder.is_dir() or folder.is_symlink() or facts.st_uid != os.getuid():
        raise OSError(f"{folder} is not a folder of this user")
    if facts.st_mode & 0o077:
        raise OSError(f"{folder} is open to other users")


def _name(host: str, port: int) -> str:
    """Return a note's name; ValueError for a host that is no address."""
    if not re.fullmatch("[0-9a-f.:]{2,45}", host, re.ASCII):
        raise ValueError(host)
    return f"{host.replace(':', '_')}-{port}{SUFFIX}"
