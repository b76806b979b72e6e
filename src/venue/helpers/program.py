"""Starts a program of the venue: its imports, and the environment of a helper process.

The command of a helper is `python -P -m venue.helpers.program MODULE ...`, which runs `main` of
that module. Imported modules are never garbage: looking for garbage among them took a sixth of a
start, and freeing them at the end about as long.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Final

# A helper needs these to find its modules, its language and its place for temporary files. It gets
# no other variable: the operator's token and secrets stand in the environment.
KEPT: Final = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
KEPT_PREFIXES: Final = ("LC_", "PYTHON")
SEARCHED: Final = "PYTHONPATH"
SESSION: Final = Path("/proc/self/autogroup")  # the priority of this process's session
ASKED_MAX: Final = 10  # times that this is asked for
ASK_AGAIN_S: Final = 0.11  # the system listens to one process each tenth of a second


@contextmanager
def importing() -> Iterator[None]:
    """Disable garbage collection meanwhile, and exclude the objects that exist at the end from
    later ones."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the part of the venue's environment that a helper gets."""
    kept = {
        name: value
        for name, value in given.items()
        if name in KEPT or name.startswith(KEPT_PREFIXES)
    }
    if SEARCHED in kept:  # an empty part would be the working directory
        kept[SEARCHED] = os.pathsep.join(part for part in kept[SEARCHED].split(os.pathsep) if part)
    return kept


def give_way(niceness: int) -> None:
    """Lower this helper's priority below the venue's.

    Where Linux schedules by session (sched(7), autogroup), `nice` has no effect across sessions, so
    the session's priority is lowered too. A session that this process does not lead is left alone:
    it is the venue's or a terminal's.
    """
    os.nice(niceness)
    if os.getsid(0) != os.getpid():
        return
    for _ in range(ASKED_MAX):
        try:
            SESSION.write_text(str(niceness))
        except BlockingIOError:  # another process of the machine has just asked
            time.sleep(ASK_AGAIN_S)
        except OSError:
            return  # the system knows none
        else:
            return


def main() -> None:
    """Run the module that the command line names; the arguments after the name are the module's."""
    with importing():
        module = import_module(sys.argv.pop(1))
    os._exit(module.main() or 0)  # all is closed


if __name__ == "__main__":
    main()
