"""The helper process of a history."""

from __future__ import annotations

from venue.helpers.link import Link
from venue.helpers.process import HelperProcess
from venue.history.process.client import History


def process_of(history: History) -> HelperProcess:
    """The process that a history of a venue has for itself."""
    assert isinstance(history._link, Link)
    return history._link._process
