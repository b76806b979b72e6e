"""The compiled core for the sections that measure it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
FAST: Final = ROOT / "build" / "fast"


def build() -> str:
    """Compile as `make fast` does; the failure in words, empty when there is none."""
    command = [sys.executable, "tools/fast.py"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return f"make fast failed: {built.stderr.strip()[-300:]}" if built.returncode else ""


def environment() -> dict[str, str]:
    """The environment of a process that is to run the compiled core."""
    return {**os.environ, "PYTHONPATH": str(FAST)}
