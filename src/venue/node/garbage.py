"""Collects only young objects in a serving venue, so that no order waits for a full garbage
collection.

An engine that is no longer used stays in memory meanwhile: its parts refer to each other, so only a
full collection frees it.
"""

from __future__ import annotations

import gc
from typing import Final

YOUNG_MAX: Final = 1_000  # new objects that are looked at for garbage at once: half a millisecond
NEVER: Final = 1 << 30
MUCH: Final = 100  # collections of new objects since the last of all: about so many thousand stayed


def collect_young_only() -> None:
    """Limit each later collection to a few objects, so that no order waits for a long one.

    Long-lived objects of the venue must not become garbage that needs more; `test_garbage.py`
    checks it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_MAX, NEVER, NEVER)


def free_what_is_left() -> None:
    """Run a full collection if much may be unused; everything waits until it has looked at all
    objects."""
    if gc.get_count()[1] >= MUCH:
        gc.collect()
