"""A disk with too little room: `python -m support.full BYTES dev ...` runs the `venue` command.

No file can grow beyond so many bytes, in this process and its helpers; a longer one is refused as
by a full disk.
"""

from __future__ import annotations

import os
import resource
import sys

from venue.cli.app import main

if __name__ == "__main__":
    most = int(sys.argv.pop(1))
    # Python does not notice that bytecode was cut short: the next import of it would fail.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    main()
