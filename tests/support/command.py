"""The `venue` command as a user runs it, in an environment that says nothing of a venue."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

Done = subprocess.CompletedProcess[str]
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("VENUE_") and not name.lower().endswith("_proxy")
}


def run(*arguments: str, **environment: str) -> Done:
    """What a command says, and its exit code."""
    return run_in(None, *arguments, **environment)


def run_in(folder: Path | None, *arguments: str, **environment: str) -> Done:
    """As `run`, in a working directory."""
    return subprocess.run(
        [sys.executable, "-m", "venue", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        env={**CLEAN, "NO_COLOR": "1", "COLUMNS": "200", **environment},
    )
