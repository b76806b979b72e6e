"""The former floor of `bench.gateway`: the door that stood on uvicorn, as it was committed.

A yardstick must not change with what it measures. So its sources come from the repository's own
history, and run with the packages that are installed.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
COMMIT: Final = "bb33117"  # the last one before the venue had a door of its own
PARTS: Final = ("bench", "src")
MISSING: Final = f"commit {COMMIT} is not in this copy's history: clone the whole repository"


def tree(folder: Path) -> Path | None:
    """The former sources, put into a folder; None in a copy without that commit."""
    command = ["git", "-C", str(ROOT), "archive", COMMIT, *PARTS]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        return None
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder
