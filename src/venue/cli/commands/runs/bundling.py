"""`venue bundle`: writes a running venue's commands and requests to one file, without secrets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import Url, die
from venue.cli.printing import tell
from venue.cli.progress import working
from venue.client.defaults import DEFAULT_URL

if TYPE_CHECKING:
    from venue.bundle.file import RunFile

DEFAULT_FILE: Final = "run.venue"


def bundle(
    *,
    out: Annotated[str, Parameter(name=["--out", "-o"], help="The file to write.")] = DEFAULT_FILE,
    url: Url = DEFAULT_URL,
) -> None:
    """Write a running practice venue's journal and wire log to one file, without any secret."""
    from venue.bundle.file import write
    from venue.cli.run_files import in_words

    if os.path.isdir(out):
        die(f"{out} is a folder: name a file in it, as {os.path.join(out, DEFAULT_FILE)}")
    with in_words(), working("asking for the run"):
        run = run_of(url)
    with in_words(), working(f"writing {out}"):
        size = write(out, run)
    tell(
        f"{out}: commands {run.begin + 1} to {run.last}, {len(run.wire)} requests and frames,"
        f" {size} bytes; state {run.state_hash}"
    )


def run_of(url: str) -> RunFile:
    """A running venue's run so far. It ends the command with the venue's words when refused."""
    from venue.bundle.gathering import PATIENCE_S, gathered
    from venue.client.errors import FAILURES, words
    from venue.scenario.asking import opened

    try:
        with opened(url, None, timeout_s=PATIENCE_S) as client:
            return gathered(client)
    except FAILURES as problem:
        die(words(problem))


COMMANDS: Final = {"bundle": bundle}
