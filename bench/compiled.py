"""The compiled core for the sections that measure it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
FAST: Final = ROOT / "build" / "fast"


class CompiledFailed(Exception):
    """The compiled core cannot be built, or a section failed on it; the message says why."""


def build() -> str:
    """Compile as `make fast` does; the failure in words, empty when there is none."""
    command = [sys.executable, "tools/fast.py"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return f"make fast failed: {built.stderr.strip()[-300:]}" if built.returncode else ""


def environment() -> dict[str, str]:
    """The environment of a process that is to run the compiled core."""
    return {**os.environ, "PYTHONPATH": str(FAST)}


def output(module: str) -> bytes:
    """Build the compiled core, and run a module of the bench on it; what that prints, or
    CompiledFailed."""
    problem = build()
    if problem:
        raise CompiledFailed(problem)
    command = [sys.executable, "-m", module]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, env=environment())
    if done.returncode:
        raise CompiledFailed(f"the compiled run failed: {done.stderr.decode()[-300:]}")
    return done.stdout
