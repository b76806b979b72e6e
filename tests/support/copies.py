"""Processes that run the `venue` command, copied from one that has imported it."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from venue import compiled

PATIENCE_S = 60
TESTS = Path(__file__).resolve().parents[1]
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("VENUE_") and not name.lower().endswith("_proxy")
} | {compiled.ENGINE: compiled.engine()}  # the engine of these tests, whatever else is built


class Copy:
    """A command in a process of its own, to be used as a `Popen` is; it is nobody's child here.

    `imported` names modules that it has before it begins, beside those of the command. Its output
    and errors go to the given files.
    """

    def __init__(
        self,
        arguments: tuple[str, ...],
        environment: Mapping[str, str],
        folder: Path,
        *files: int,
        imported: tuple[str, ...] = (),
    ) -> None:
        self.returncode: int | None = None
        asked = json.dumps([arguments, dict(environment), str(folder)]).encode()
        self._told, end = os.pipe()
        socket.send_fds(_ready(imported), [asked], [*files, end])
        os.close(end)
        self._heard = b""
        while b" " not in self._heard:
            self._hear(PATIENCE_S)
        self.pid = int(self._heard.split()[0])

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        while self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self._hear(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended. TimeoutExpired."""
        while self.returncode is None:
            self._hear(timeout)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """A signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)

    def _hear(self, timeout: float | None) -> None:
        if not select.select([self._told], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("venue", timeout or 0)
        more = os.read(self._told, 100)
        assert more, "the process behind a copy has ended"
        self._heard += more
        if self._heard.count(b" ") == 2:
            self.returncode = int(self._heard.split()[1])
            os.close(self._told)


@cache
def _ready(imported: tuple[str, ...]) -> socket.socket:
    """The way to the process that is copied; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "support.ready_command", *imported],
            stdin=theirs.fileno(),
            env={**CLEAN, "PYTHONPATH": python_path()},
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait(PATIENCE_S)

    atexit.register(end)
    return ours


def python_path() -> str:
    """Where processes find modules: the tests' own, and what these run with, as a compiled core."""
    given = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(TESTS), *([given] if given else [])])
