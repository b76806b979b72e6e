"""Memory of what has ended: the parts of an engine point at each other, so only a collection of
all objects frees one that was left, and a venue that serves collects new objects only."""

from __future__ import annotations

import gc
from typing import Final

MUCH: Final = 100  # collections of new objects since the last of all: about so many thousand stayed


def free_what_is_left() -> None:
    """Collect, once much may have been left: everything waits as long as looking at all takes."""
    if gc.get_count()[1] >= MUCH:
        gc.collect()
