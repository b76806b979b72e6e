"""`venue report`: a run as one HTML file, with its requests, its orders and the reasons."""

from __future__ import annotations

import os
from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import checked, counted, die
from venue.cli.printing import tell
from venue.cli.progress import working
from venue.client.defaults import DEFAULT_URL

DEFAULT_FILE: Final = "report.html"


def report(
    url: Annotated[
        str, Parameter(env_var="VENUE_URL", help="Address of the running venue.")
    ] = DEFAULT_URL,
    *,
    out: Annotated[str, Parameter(name=["--out", "-o"], help="The file to write.")] = DEFAULT_FILE,
) -> None:
    """Write what happened on a running venue to one HTML file, without any secret.

    A browser opens the file from a disk, and asks nothing of any network.
    """
    from venue.client.errors import FAILURES, words
    from venue.report.making import of_venue, report_of, write_report

    if os.path.isdir(out):
        die(f"{out} is a folder: name a file in it, as {os.path.join(out, DEFAULT_FILE)}")
    url = checked(url)
    try:
        with working("asking for the run and its reasons"):
            data = report_of(url, of_venue(url))
        size = write_report(out, data)
    except FAILURES as problem:
        die(words(problem))
    except OSError as problem:
        die(f"{out}: {problem.strerror}")
    tell(
        f"{out}: {counted(len(data.wire), 'line')} of the wire,"
        f" {counted(len(data.owners), 'account')}, {size} bytes"
    )


COMMANDS: Final = {"report": report}
