"""A venue that tells what only the cyclic garbage collector could free.

`python -m support.garbage dev ...` runs the `venue` command. SIGUSR1 writes the types of what has
become garbage since the last time, with their counts, to the file `garbage.json` here.
"""

from __future__ import annotations

import gc
import json
import signal
from collections import Counter
from pathlib import Path
from types import FrameType

from venue.cli.app import main

REPORT = Path("garbage.json")


def tell(_number: int, _frame: FrameType | None) -> None:
    gc.collect()
    found = Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.garbage)
    gc.garbage.clear()
    made = REPORT.with_suffix(".new")
    made.write_text(json.dumps(found))
    made.replace(REPORT)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, tell)
    gc.set_debug(gc.DEBUG_SAVEALL)
    main()
