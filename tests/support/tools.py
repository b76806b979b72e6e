"""Programs of the system that a test drives: without one it says so, and in CI it fails."""

from __future__ import annotations

import os
import shutil

import pytest


def needed(command: str) -> str:
    """The program's path. Where it is missing the test is skipped aloud; CI installs them all."""
    path = shutil.which(command)
    if path is None:
        reason = f"{command} is not installed: this test was not run here"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path
