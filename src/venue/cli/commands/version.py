"""`venue version`: what runs here."""

from __future__ import annotations

from typing import Final

from venue.cli.printing import tell
from venue.compiled import notice
from venue.journal import built


def version() -> None:
    """Print the version, with its commit and the digest of its core, as files name it, and the
    engine that runs."""
    tell(built.name())
    tell(f"engine {notice()}")


COMMANDS: Final = {"version": version}
