"""A kill in the middle: `python -m support.killed WRITES dev ...` runs the `venue` command.

The process is killed at the write of that number to a file of history.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from venue.cli.app import main
from venue.history import pages

if TYPE_CHECKING:
    from typing_extensions import Buffer

write = pages.PageFile.xWrite
left = [0]


def mortal(file: pages.PageFile, data: Buffer, offset: int) -> None:
    """Write a page of a history, or be killed."""
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    write(file, data, offset)


if __name__ == "__main__":
    left[0] = int(sys.argv.pop(1))
    pages.PageFile.xWrite = mortal  # type: ignore[method-assign, assignment]
    main()
