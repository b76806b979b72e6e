"""Few open files: `python -m support.descriptors SOFT HARD dev ...` runs the `venue` command."""

from __future__ import annotations

import resource
import sys

from venue.cli.app import main

if __name__ == "__main__":
    soft, hard = int(sys.argv.pop(1)), int(sys.argv.pop(1))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    main()
