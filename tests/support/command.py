"""The `venue` command as a user runs it, in an environment that says nothing of a venue."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from support.copies import CLEAN, PATIENCE_S, Copy

Done = subprocess.CompletedProcess[str]


def run(*arguments: str, **environment: str) -> Done:
    """The output of a command, and its exit code."""
    return run_in(None, *arguments, **environment)


def run_in(folder: Path | None, *arguments: str, **environment: str) -> Done:
    """As `run`, in a working directory. The command is a process of its own, which has imported
    what `python -m venue` imports before it looks at its arguments."""
    named = {**CLEAN, "NO_COLOR": "1", "COLUMNS": "200", **environment}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        copy = Copy(arguments, named, folder or Path.cwd(), output.fileno(), errors.fileno())
        try:
            code = copy.wait(PATIENCE_S)
        finally:
            copy.kill()
        said = [(file.seek(0), file.read().decode())[1] for file in (output, errors)]
    return Done(arguments, code, *said)
