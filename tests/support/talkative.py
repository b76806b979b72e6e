"""A venue whose every logger says all it has to say: `python -m support.talkative dev ...`.

The event loop is in debug mode. Loggers that exist are set to DEBUG one by one, so that no level of
their own keeps them quiet.
"""

from __future__ import annotations

import logging
import os

import venue.running.serving  # makes the loggers
from venue.cli.app import main

assert venue.running.serving
BEGIN = "all is logged"

if __name__ == "__main__":
    os.environ["PYTHONASYNCIODEBUG"] = "1"
    logging.basicConfig(level=logging.DEBUG)
    for name in list(logging.root.manager.loggerDict):
        logging.getLogger(name).setLevel(logging.DEBUG)
    logging.getLogger("venue").debug(BEGIN)
    main()
