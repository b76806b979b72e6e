"""`venue open`: a run served for reading, at any of its commands."""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated

from cyclopts import Parameter

from venue.cli.credentials import OPERATOR_TOKEN
from venue.cli.operator import die
from venue.cli.told.printing import paint, tell

RunName = Annotated[
    str, Parameter(help="A file of `venue bundle`, or a stopped venue's --state file.")
]


def open_run(
    file: RunName,
    *,
    port: Annotated[int, Parameter(help="Port to listen on; 0 for any free one.")] = 8787,
) -> None:
    """Serve a run over REST for reading, at any of its commands: ?at=SEQ. ^C ends it."""
    import asyncio

    from venue.bundle.reading import ReadingOptions, read
    from venue.bundle.runs import opened_run
    from venue.cli.runs.words import in_words

    if not 0 <= port <= 65_535:
        die(f"--port {port}: must be 0 to 65535")
    options = ReadingOptions(port=port, operator_token=os.environ.get(OPERATOR_TOKEN, ""))

    def told(reached: int, last: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if reached == last else ""
            paint(f"\rreplayed {reached} of {last}", sys.stderr, end)

    with in_words(), opened_run(file) as run:

        def ready(served: int) -> None:
            tell(
                f"{file}: commands {run.begin()} to {run.last()}, read-only, at"
                f" http://127.0.0.1:{served}",
                flush=True,
            )

        try:
            asyncio.run(read(run, options, told, ready))
        except OSError as problem:
            if problem.errno != errno.EADDRINUSE:
                raise
            die(f"port {port} is in use. Use --port 0 for any free one.")
