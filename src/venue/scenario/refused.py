"""The error for a refused scenario file."""

from __future__ import annotations


class ScenarioRefused(Exception):
    """A file is refused: step, field and rule, in words for its author."""
