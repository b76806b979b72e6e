"""Starts history's process; whoever only starts one need not import the client of it."""

from __future__ import annotations

from typing import Final

from venue.helpers.process import HelperProcess, spawn

WORKER: Final = "venue.history.process.worker"


async def start_worker() -> HelperProcess:
    """Start a process that makes itself ready until it is told its history file. OSError."""
    return await spawn(WORKER)
