"""`venue serve`: a real venue."""

from __future__ import annotations

import sys
from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import die
from venue.cli.serving import real
from venue.cli.serving.shared import SharedOptions
from venue.cli.serving.shared import serve as serve_venue

SHARED: Final = SharedOptions()


def serve(shared: Annotated[SharedOptions, Parameter(name="*")] = SHARED) -> None:
    """Run a real venue: it begins empty, and nobody moves its time or takes its state back."""
    if problem := real.refused(shared):
        die(problem)
    sys.exit(serve_venue(shared, real.settled))


COMMANDS: Final = {"serve": serve}
