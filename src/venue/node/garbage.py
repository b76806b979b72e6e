"""A venue that serves collects new objects only, so that no order waits for a full collection.

An engine that was left then waits to be freed: its parts point at each other, so only a collection
of all objects frees it.
"""

from __future__ import annotations

import gc
from typing import Final

YOUNG_MAX: Final = 1_000  # new objects that are looked at for garbage at once: half a millisecond
NEVER: Final = 1 << 30
MUCH: Final = 100  # collections of new objects since the last of all: about so many thousand stayed


def collect_young_only() -> None:
    """From now on no collection looks at more than a few objects: orders would wait for it.

    Objects that live longer leave no garbage that needs one: `test_garbage.py` holds us to that.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_MAX, NEVER, NEVER)


def free_what_is_left() -> None:
    """Collect, once much may have been left: everything waits as long as looking at all takes."""
    if gc.get_count()[1] >= MUCH:
        gc.collect()
