"""A venue with limits that a test can reach.

`python -m support.tuned MODULE.NAME=NUMBER ... dev ...` runs the `venue` command with these values
of constants.
"""

from __future__ import annotations

import sys
from importlib import import_module

from venue.cli.app import main

if __name__ == "__main__":
    while "=" in sys.argv[1]:
        place, _, value = sys.argv.pop(1).partition("=")
        module, _, name = place.rpartition(".")
        found = vars(import_module(f"venue.{module}"))
        assert name in found, place
        found[name] = int(value)
    main()
