"""A venue that has a snapshot taken as soon as a few commands follow the last one.

`python -m support.eager dev ...` runs the `venue` command.
"""

from __future__ import annotations

import venue.node.keeper
from venue.cli.app import main

COMMANDS = 40

if __name__ == "__main__":
    vars(venue.node.keeper).update(EVERY=COMMANDS, ASK_S=0.05)
    main()
