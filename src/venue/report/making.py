"""Makes the report of a running venue, with the commands that play its run again."""

from __future__ import annotations

from pathlib import Path

from venue.client.defaults import DEFAULT_URL
from venue.report import file
from venue.report.data import ReportAbout, ReportBounds, ReportCommand, ReportData
from venue.report.gather import asking, gather


def report_of(url: str, about: ReportAbout, bounds: ReportBounds | None = None) -> ReportData:
    """Return the data of a report on the venue at an address. Any of FAILURES."""
    with asking(url) as ask:
        return gather(ask, about, bounds)


def of_venue(url: str) -> ReportAbout:
    """Return what is known of a running venue's run by its address."""
    option = "" if url == DEFAULT_URL else f" --url {url}"
    return ReportAbout(
        url,
        commands=[
            ReportCommand(
                "Keep this run, while its venue runs", f"venue bundle{option} -o run.venue"
            ),
            ReportCommand("Then ask it anything, at any of its commands", "venue open run.venue"),
        ],
    )


def write_report(path: str | Path, data: ReportData) -> int:
    """Write a report's file; return its bytes. OSError."""
    return file.write(path, data)
