"""Ends commands on runs in words when a file cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from venue.cli.operator import die


@contextmanager
def in_words() -> Iterator[None]:
    """End the command with one line for a problem that its user can mend."""
    from venue.bundle.file import RunRefused
    from venue.helpers.link import HelperFailed
    from venue.journal.journal import JournalCorrupt, JournalFailed, OtherRules

    told = (RunRefused, JournalCorrupt, JournalFailed, OtherRules, HelperFailed)
    try:
        yield
    except OSError as problem:
        die(f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem))
    except told as problem:
        die(str(problem))
