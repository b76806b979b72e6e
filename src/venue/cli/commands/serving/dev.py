"""`venue dev`: a practice venue."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import die
from venue.cli.serving import dev as practice
from venue.cli.serving.dev import DevOptions
from venue.cli.serving.shared import SharedOptions
from venue.cli.serving.shared import serve as serve_venue

SHARED: Final = SharedOptions()
OF_DEV: Final = DevOptions()


def dev(
    shared: Annotated[SharedOptions, Parameter(name="*")] = SHARED,
    options: Annotated[DevOptions, Parameter(name="*")] = OF_DEV,
) -> None:
    """Run a practice venue with demo accounts, living markets and virtual money."""
    if problem := practice.refused(shared, options):
        die(problem)
    sys.exit(serve_venue(shared, partial(practice.settled, options)))


COMMANDS: Final = {"dev": dev}
