"""A venue in a process of its own, as a user starts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.client import Client

STOP_S = 30
TESTS = Path(__file__).resolve().parents[1]


class Server:
    """`venue dev` on a free port of loopback; ready when constructed. Use it in a `with`.

    `program` is the module that is run, with arguments before `dev`.
    """

    def __init__(
        self,
        *arguments: str,
        folder: Path,
        port: int = 0,
        program: Sequence[str] = ("venue",),
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        ready_file = folder / "ready.json"
        self.errors = folder / "errors.txt"
        command = [sys.executable, "-m", *program, "dev", "--port", str(port), "--quiet"]
        command += ["--ready-file", str(ready_file), *arguments]
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *_given_path()])},
                cwd=folder,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()  # printed when it answers; empty when it ended
        if not line:
            self.process.wait(STOP_S)
            self.process.stdout.close()
            raise RuntimeError(f"the venue did not start: {self.errors.read_text()}")
        self.facts: dict[str, Any] = json.loads(ready_file.read_text())
        self.url: str = self.facts["rest"]
        self.port = int(self.url.rpartition(":")[2])
        self._clients: list[Client] = []

    def account(self, name: str) -> dict[str, Any]:
        """A demo account's entry in the ready file."""
        (found,) = [entry for entry in self.facts["accounts"] if entry["name"] == name]
        return dict(found)

    def client(self, account: str | dict[str, Any] | None = None) -> Client:
        """A client of this server, as a demo account or with given keys; closed with it."""
        found = self.account(account) if isinstance(account, str) else account
        made = Client(self.port, found)
        self._clients.append(made)
        return made

    def stop(self) -> int:
        """Stop as an operator does; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(STOP_S)
        self._close()
        return code

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(STOP_S)
        self._close()

    def _close(self) -> None:
        for client in self._clients:
            client.close()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()
        self._close()


@contextmanager
def flawless(*arguments: str, folder: Path) -> Iterator[Server]:
    """A venue that ends in good order, and has told of no problem until then."""
    with Server(*arguments, folder=folder) as server:
        yield server
        assert server.stop() == 0
        assert server.errors.read_text() == ""


def _given_path() -> list[str]:
    """The import path of the tests, with a compiled core for instance."""
    given = os.environ.get("PYTHONPATH")
    return [given] if given else []
