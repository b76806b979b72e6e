"""`venue open`: a run served for reading, at any of its commands."""

from __future__ import annotations

import errno
import os
import sys
import time
from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import ProfileName, die
from venue.cli.printing import paint, tell
from venue.client.operator_tokens import OPERATOR_TOKEN

WIDTH: Final = 70  # of the line that says how far it is

RunName = Annotated[
    str, Parameter(help="A file of `venue bundle`, or a stopped venue's --state file.")
]


class _Progress:
    """Shows on a terminal how far a run is read, and how long the rest will take about."""

    def __init__(self) -> None:
        self._first = self._newest = 0
        self._begun_s = 0.0

    def show(self, reached: int, last: int) -> None:
        """The replay has come to a command."""
        if not sys.stderr.isatty():
            return
        now_s = time.monotonic()
        if not self._newest or reached < self._newest:  # another replay begins
            self._first, self._begun_s = reached, now_s
        self._newest = reached
        read, passed_s = reached - self._first, now_s - self._begun_s
        left = f", about {passed_s * (last - reached) / read:.0f} s are left" if read else ""
        text = f"read {reached} of {last} commands{left if reached < last else ''}"
        paint("\r" + text.ljust(WIDTH), sys.stderr, "\n" if reached == last else "")


def open_run(
    file: RunName,
    *,
    port: Annotated[int, Parameter(help="Port to listen on; 0 for any free one.")] = 8787,
    profile: Annotated[
        ProfileName | None,
        Parameter(
            help="Answer as the interface's document says, or as the live exchange does. A bundle"
            " keeps its venue's profile; a --state file keeps none, which is document."
        ),
    ] = None,
) -> None:
    """Serve a run over REST for reading, at any of its commands: ?at=SEQ. ^C ends it.

    The last state is served at once where the run has a snapshot of it; the run is read meanwhile.
    """
    import asyncio

    from venue.bundle.reading import ReadingOptions, read
    from venue.bundle.runs import opened_run
    from venue.cli.run_files import in_words

    if not 0 <= port <= 65_535:
        die(f"--port {port}: must be 0 to 65535")
    options = ReadingOptions(port=port, operator_token=os.environ.get(OPERATOR_TOKEN, ""))

    with in_words(), opened_run(file) as run:
        run.profile = profile or run.profile
        of_profile = f", profile {run.profile}" if run.profile == "live" else ""

        def ready(served: int) -> None:
            tell(
                f"{file}: commands {run.begin()} to {run.last()}, read-only, at"
                f" http://127.0.0.1:{served}" + of_profile,
                flush=True,
            )

        try:
            asyncio.run(read(run, options, _Progress().show, ready))
        except OSError as problem:
            if problem.errno != errno.EADDRINUSE:
                raise
            die(f"port {port} is in use. Use --port 0 for any free one.")


COMMANDS: Final = {"open": open_run}
