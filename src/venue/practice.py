"""A practice venue in a process of its own, on loopback, for as long as its caller needs one."""

from __future__ import annotations

import ctypes
import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

STOP_S: Final = 20.0
WORDS_MAX: Final = 4_000  # characters of the output of a venue that did not start
_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG: the signal for when the parent has gone


class NotStarted(Exception):
    """The venue did not come about; carries its own words."""


class Practice:
    """`venue dev` on a port of loopback, with its files in `folder`; it answers when constructed.

    `options` are those of `venue dev`; NotStarted when it refuses them. It ends with the process
    that started it, however that ends. Use it in a `with`.
    """

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        ready = folder / "ready.json"
        ready.unlink(missing_ok=True)
        self._errors = folder / "errors.txt"
        # -P: a module of the working directory is nobody's
        command = [sys.executable, "-P", "-m", "venue", "dev", "--port", str(port), "--quiet"]
        command += ["--ready-file", str(ready), *options]
        with self._errors.open("ab") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=folder,
                preexec_fn=end_with_parent,  # noqa: PLW1509 - one system call
            )
        assert self._process.stdout is not None
        # printed when it answers; empty when it has ended
        try:
            line = self._process.stdout.readline()
        except BaseException:
            self.kill()
            raise
        if not line:
            self.kill()
            words = self._errors.read_text("utf-8", "replace")[-WORDS_MAX:].strip()
            raise NotStarted(words or "the venue did not start")
        facts: dict[str, Any] = json.loads(ready.read_text())
        self.url: str = facts["rest"]
        self.sockets: dict[str, str] = {"spot": facts["ws_spot"], "contract": facts["ws_contract"]}
        self.accounts: dict[str, dict[str, Any]] = {
            account["name"]: account for account in facts["accounts"]
        }

    @property
    def port(self) -> int:
        """The port that it answers on."""
        return int(self.url.rpartition(":")[2])

    def alive(self) -> bool:
        """Return whether its process runs."""
        return self._process.poll() is None

    def begin_to_stop(self) -> None:
        """Ask it to stop as an operator does; `stop` waits for that."""
        if self.alive():
            self._process.send_signal(signal.SIGTERM)

    def stop(self) -> int:
        """Stop it as an operator does; return its exit code."""
        self.begin_to_stop()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        return self._ended()

    def kill(self) -> None:
        """Kill it: to its files it is as if the machine lost power."""
        if self.alive():
            self._process.kill()
        self._ended()

    def _ended(self) -> int:
        code = self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        return code

    def __enter__(self) -> Practice:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def end_with_parent() -> None:
    """End this process when its parent has ended; only Linux offers that."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM)
