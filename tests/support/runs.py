"""Runs as files in tests: bundled by the command, and opened by it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from support.client import Client
from support.command import run_in
from support.waits import WAIT_S

_ADDRESS = re.compile(r"commands (\d+) to (\d+), read-only, at (http://\S+:(\d+))")


class OpenRun:
    """`venue open` on a free port; ready when constructed. Use it in a `with`."""

    def __init__(self, file: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "venue", "open", str(file), "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONWARNINGS": "error"},
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        line = self.process.stdout.readline()
        found = _ADDRESS.search(line)
        assert found is not None, line + self.process.stderr.read()
        self.first, self.last = int(found[1]), int(found[2])
        self.url, self.port = found[3], int(found[4])
        self.client = Client(self.port)

    def act(self, owner: str) -> dict[str, str | None]:
        """The headers with which an operator asks for an owner."""
        return {"X-Venue-Act-As": owner}

    def __enter__(self) -> OpenRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        out, errors = self.process.communicate(timeout=WAIT_S)
        assert (self.process.returncode, out, errors) == (0, "", "")


def venue(*arguments: str, url: str = "", folder: Path | None = None) -> tuple[int, str, str]:
    """A command's exit code, output and errors."""
    done = run_in(folder, *arguments, VENUE_URL=url or "http://127.0.0.1:1")
    return done.returncode, done.stdout, done.stderr
