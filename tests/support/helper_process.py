"""The helper process of a history."""

from __future__ import annotations

from asyncio.subprocess import Process

from venue.history.process.client import History
from venue.history.process.link import Link


def process_of(history: History) -> Process:
    """The process that a history of a venue has for itself."""
    assert isinstance(history._link, Link)
    return history._link._process
