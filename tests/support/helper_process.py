"""The helper process of a history."""

from __future__ import annotations

from asyncio.subprocess import Process

from venue.helpers.link import Link
from venue.history.process.client import History


def process_of(history: History) -> Process:
    """The process that a history of a venue has for itself."""
    assert isinstance(history._link, Link)
    return history._link._process
