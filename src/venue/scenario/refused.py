"""How a scenario's file is refused."""

from __future__ import annotations


class ScenarioRefused(Exception):
    """A file is refused: step, field and rule, in words for its author."""
