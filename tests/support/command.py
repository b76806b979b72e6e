"""The `venue` command as a user runs it, in an environment that says nothing of a venue."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

Done = subprocess.CompletedProcess[str]
PATIENCE_S = 60
TESTS = Path(__file__).resolve().parents[1]
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("VENUE_") and not name.lower().endswith("_proxy")
}


def run(*arguments: str, **environment: str) -> Done:
    """The output of a command, and its exit code."""
    return run_in(None, *arguments, **environment)


def run_in(folder: Path | None, *arguments: str, **environment: str) -> Done:
    """As `run`, in a working directory. The command is a process of its own, which has imported
    what `python -m venue` imports before it looks at its arguments."""
    named = {**CLEAN, "NO_COLOR": "1", "COLUMNS": "200", **environment}
    asked = json.dumps([arguments, named, str(folder or Path.cwd())]).encode()
    heard, end = os.pipe()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        socket.send_fds(_ready(), [asked], [output.fileno(), errors.fileno(), end])
        os.close(end)
        try:
            code = _code(heard)
        finally:
            os.close(heard)
        said = [(file.seek(0), file.read().decode())[1] for file in (output, errors)]
    return Done(arguments, code, *said)


def _code(told: int) -> int:
    """The exit code, when it is told; a command that does not end in time is killed."""
    heard = b""
    while heard.count(b" ") < 2:
        if not select.select([told], [], [], PATIENCE_S)[0]:
            os.kill(int(heard), signal.SIGKILL)
            raise AssertionError(f"the command has not ended within {PATIENCE_S} s")
        more = os.read(told, 100)
        assert more, "the process that runs commands has ended"
        heard += more
    return int(heard.split()[1])


@cache
def _ready() -> socket.socket:
    """The way to who runs commands; it ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "support.ready_command"],
            stdin=theirs.fileno(),
            env={**CLEAN, "PYTHONPATH": os.pathsep.join([str(TESTS), *_given_path()])},
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait(PATIENCE_S)

    atexit.register(end)
    return ours


def _given_path() -> list[str]:
    given = os.environ.get("PYTHONPATH")
    return [given] if given else []
