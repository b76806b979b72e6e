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
from support.copies import Copy, python_path
from support.waits import WAIT_S

VENUE = ("venue",)
# The profile of all servers that name none: VENUE_TEST_PROFILE=live pytest tests/conformance
PROFILE = os.environ.get("VENUE_TEST_PROFILE", "")
# The imports of `venue dev` until it answers.
OF_DEV = ("uvloop", "venue.cli.serving.dev", "venue.running.serving")


class Server:
    """`venue dev` on a free port of loopback; ready when constructed. Use it in a `with`.

    `program` is the module that is run, with arguments before the `command`; the venue itself is
    copied from a process that has imported it, which is half of a start.
    """

    def __init__(
        self,
        *arguments: str,
        folder: Path,
        port: int = 0,
        program: Sequence[str] = VENUE,
        command: str = "dev",
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._arguments = arguments
        ready_file = folder / "ready.json"
        self.errors = folder / "errors.txt"
        words = (command, "--port", str(port), "--quiet", "--ready-file", str(ready_file))
        said, output = os.pipe()
        with self.errors.open("ab") as errors:
            given = (*words, *arguments)
            if PROFILE and "--profile" not in given:
                given += ("--profile", PROFILE)
            self.process = _begun(program, given, folder, output, errors.fileno())
        os.close(output)
        self._said = os.fdopen(said)
        line = self._said.readline()  # printed when it answers; empty when it ended
        if not line:
            self.process.wait(WAIT_S)
            self._said.close()
            raise RuntimeError(f"the venue did not start: {self.errors.read_text()}")
        self.facts: dict[str, Any] = json.loads(ready_file.read_text())
        self.url: str = self.facts["rest"]
        self.port = int(self.url.rpartition(":")[2])
        self._clients: list[Client] = []

    def account(self, name: str) -> dict[str, Any]:
        """A demo account's entry in the ready file."""
        (found,) = [entry for entry in self.facts["accounts"] if entry["name"] == name]
        return dict(found)

    def token(self) -> str:
        """The operator's, of a real venue; empty where there is none."""
        if "--state" not in self._arguments:
            return ""
        state = self._arguments[self._arguments.index("--state") + 1]
        path = self.folder / f"{state}.operator"
        return path.read_text().strip() if path.exists() else ""

    def client(self, account: str | dict[str, Any] | None = None) -> Client:
        """A client of this server, as a demo account or with given keys; closed with it."""
        found = self.account(account) if isinstance(account, str) else account
        made = Client(self.port, found, token="" if found else self.token())
        self._clients.append(made)
        return made

    def stop(self) -> int:
        """Stop as an operator does; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(WAIT_S)
        self._close()
        return code

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(WAIT_S)
        self._close()

    def _close(self) -> None:
        for client in self._clients:
            client.close()
        self._said.close()

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


def _begun(
    program: Sequence[str], arguments: tuple[str, ...], folder: Path, output: int, errors: int
) -> Copy | subprocess.Popen[bytes]:
    if program == VENUE:
        return Copy(arguments, environment(), folder, output, errors, imported=OF_DEV)
    command = [sys.executable, "-m", *program, *arguments]
    return subprocess.Popen(command, stdout=output, stderr=errors, env=environment(), cwd=folder)


def environment() -> dict[str, str]:
    """Has a program find the tests' modules, and the venue's as the tests do: a compiled core, for
    instance."""
    return {**os.environ, "PYTHONPATH": python_path()}
