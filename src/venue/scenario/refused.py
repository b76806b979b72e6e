"""How a scenario's file is refused."""

from __future__ import annotations


class ScenarioRefused(Exception):
    """What is wrong with a file: step, field and rule, in words for its author."""
