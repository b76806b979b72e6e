"""A venue of any tree that says where its main thread spends its time, for `bench.profile`.

Run by its path: `python bench/sampled_app.py TREE STATE READY PROJECTION SAMPLES`. At its end it
writes to SAMPLES the main thread's processor time in each source file of the venue, in seconds, by
a look every millisecond; after SIGUSR2 it counts from zero again.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Final

LOOK_S: Final = 0.001
ROOT: Final = "/venue/"


def main(tree: str, state: str, ready: str, projection: str, samples: str) -> int:
    """Serve until told to stop."""
    sys.path[0] = tree  # in place of this file's folder
    seen: dict[str, float] = defaultdict(float)
    last = 0.0

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal last
        now = time.thread_time()
        spent, last = now - last, now  # the timer counts other threads too
        while frame is not None:
            before, found, name = frame.f_code.co_filename.rpartition(ROOT)
            if found and before.startswith(tree):
                seen[name] += spent
                return
            frame = frame.f_back

    from bench.venue_app import main as serve

    signal.signal(signal.SIGPROF, look)
    signal.signal(signal.SIGUSR2, lambda *_: seen.clear())
    signal.setitimer(signal.ITIMER_PROF, LOOK_S, LOOK_S)
    try:
        return serve(state, ready, projection)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        Path(samples).write_text(json.dumps(seen))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
