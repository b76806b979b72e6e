"""Writes the report of a venue in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from venue.library.calls import row_of
from venue.report.data import ReportAbout, ReportCommand
from venue.report.gather import gather
from venue.report.making import write_report
from venue.running.options import Options


def write_run(path: str | Path, options: Options, serve: Callable[..., Any]) -> None:
    """Write the report of a venue; `serve` answers a row for an owner. OSError."""

    def ask(operation: str, owner: str, values: dict[str, Any]) -> Any:
        return msgspec.to_builtins(serve(row_of(operation), owner, **values))

    line = f"Venue(seed={options.seed})"
    about = ReportAbout(
        f"venue in a program, seed {options.seed}",
        commands=[ReportCommand("The same venue at its beginning", line)],
        seed=str(options.seed),
    )
    write_report(path, gather(ask, about))
