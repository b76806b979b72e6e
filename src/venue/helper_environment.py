"""The environment of the venue's helper processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

# What a helper needs to find its modules, its language and its place for temporary files. Nothing
# else is handed down: the operator's token and secrets stand in the environment.
KEPT: Final = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
KEPT_PREFIXES: Final = ("LC_", "PYTHON")
SEARCHED: Final = "PYTHONPATH"


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The part of the venue's environment that a helper gets."""
    kept = {
        name: value
        for name, value in given.items()
        if name in KEPT or name.startswith(KEPT_PREFIXES)
    }
    if SEARCHED in kept:  # an empty part would be the working directory
        kept[SEARCHED] = os.pathsep.join(part for part in kept[SEARCHED].split(os.pathsep) if part)
    return kept
