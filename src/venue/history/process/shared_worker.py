"""The process of several histories: each frame begins with the number of its history.

A history's file is made when the first frame for it comes. The process ends when its input ends.
"""

from __future__ import annotations

import resource
import shutil
import sys
from pathlib import Path
from typing import Any

from venue.helpers.serving import begin_helper, serve
from venue.history.process.pipe import BASE, BASE_BITS, DROP, NUMBER_BYTES, OPEN, base_path
from venue.history.process.worker import Worker
from venue.history.store import Store, open_passing


class Workers:
    """The histories in a folder, by their numbers."""

    def __init__(self, folder: str, frames_kept: int) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(mode=0o700, exist_ok=True)  # a process that ended took its own away
        self._frames_kept = frames_kept
        self._open: dict[int, tuple[Store, Worker]] = {}

    def answer(self, kind: bytes, payload: bytes) -> Any:
        """Return the request in a frame."""
        number = int.from_bytes(payload[:NUMBER_BYTES])
        if kind in (OPEN, DROP, BASE):
            self._close(number)
            if kind == OPEN:
                return self._open_store(number)[0].last_sequence()
            base = number >> BASE_BITS
            if kind == BASE:
                self._path(number).replace(base_path(self._folder, base))
            elif base and number == base << BASE_BITS:  # no other history begins with it any more
                base_path(self._folder, base).unlink(missing_ok=True)
            self._remove(number)
            return None
        return self._open_store(number)[1].answer(kind, payload[NUMBER_BYTES:])

    def close(self) -> None:
        """Close all files."""
        for number in list(self._open):
            self._close(number)

    def _open_store(self, number: int) -> tuple[Store, Worker]:
        found = self._open.get(number)
        if found is None:
            path = self._path(number)
            base = base_path(self._folder, number >> BASE_BITS)
            if not path.exists() and base.exists():
                shutil.copyfile(base, path)
                path.chmod(0o600)
            store = open_passing(str(path))
            found = self._open[number] = store, Worker(store, self._frames_kept)
        return found

    def _close(self, number: int) -> None:
        found = self._open.pop(number, None)
        if found is not None:
            found[0].close()

    def _remove(self, number: int) -> None:
        for path in self._folder.glob(f"{self._path(number).name}*"):
            path.unlink()

    def _path(self, number: int) -> Path:
        return self._folder / f"history.{number}."


def main() -> None:
    """Serve the folder named on the command line; the next argument is the frames to keep."""
    begin_helper()
    folder, kept = sys.argv[1:]
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    workers = Workers(folder, int(kept))
    try:
        serve(0, workers.answer)
    finally:
        workers.close()
        shutil.rmtree(folder, ignore_errors=True)
