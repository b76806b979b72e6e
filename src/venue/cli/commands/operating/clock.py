"""`venue clock`: how venue time passes, and moving it."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, Final, Literal

from cyclopts import App, Parameter

from venue.cli.operator import UNBOUNDED_S, Output, Url, call, die, moment, table
from venue.cli.printing import tell
from venue.cli.progress import working
from venue.client.defaults import DEFAULT_URL

clock = App(name="clock", help="Show or move the time of a running venue.")


@clock.default
def show(*, output: Output = "text", url: Url = DEFAULT_URL) -> None:
    """Print how venue time passes, and the next events that fall due."""
    _print(call(url, "clock"), output)


@clock.command(name="set")
def set_mode(
    mode: Annotated[
        Literal["real", "offset", "rate", "manual", "skip"], Parameter(help="How time passes.")
    ],
    *,
    rate: Annotated[str | None, Parameter(help="Seconds that pass in one, with rate.")] = None,
    offset: Annotated[str | None, Parameter(help="Ahead of the machine: 8h, with offset.")] = None,
    at: Annotated[str | None, Parameter(help="Time to begin at, 2026-01-01T00:00:00Z.")] = None,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Change how time passes: as the machine's, ahead of it, faster, by hand, or by itself."""
    given = {"mode": mode, "rate": rate, "offset": offset, "at": at}
    body = {name: value for name, value in given.items() if value is not None}
    _print(call(url, "change_clock", body, timeout_s=UNBOUNDED_S), output)


@clock.command
def advance(
    by: Annotated[str | None, Parameter(help="How far: 8h, 90s, 1d12h.")] = None,
    *,
    to: Annotated[str | None, Parameter(help="The time to come to, 2026-01-01T08:00:00Z.")] = None,
    to_next: Annotated[
        Literal["funding", "countdown", "any"] | None, Parameter(help="The next event to come to.")
    ] = None,
    dry_run: Annotated[bool, Parameter(help="Only print the due events.", negative="")] = False,
    sparse: Annotated[
        bool, Parameter(help="Agents act once a minute of venue time.", negative="")
    ] = False,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Move time, settle the events that fall due on the way, and print them."""
    if by is None and to is None and to_next is None:
        die("how far? For instance venue clock advance 8h, or --to-next funding")
    given = {"by": by, "to": to, "to_next": to_next, "dry_run": dry_run, "sparse": sparse}
    body = {name: value for name, value in given.items() if value is not None}
    if dry_run or not sys.stderr.isatty():
        told = call(url, "advance_clock", body, timeout_s=UNBOUNDED_S)
    else:
        foreseen = call(url, "advance_clock", body | {"dry_run": True})
        with working("advancing", lambda: _come(url, foreseen["from"], foreseen["to"])):
            told = call(url, "advance_clock", body, timeout_s=UNBOUNDED_S)
    if output == "json":
        tell(json.dumps(told))
        return
    if told["settled"]:
        tell(_dues(told["settled"]))
    if told["leftOut"]:
        tell(f"... and {told['leftOut']} more")
    verb = (
        "would come"
        if dry_run
        else "came, stopped by another change,"
        if told["stopped"]
        else "came"
    )
    tell(f"{moment(told['from'])} {verb} to {moment(told['to'])}, sequence {told['sequence']}")


def _come(url: str, begin: int, end: int) -> str:
    """How far venue time has come on its way; empty when the venue does not tell."""
    from venue.api.documents.table import BY_NAME
    from venue.cli.clients import send
    from venue.client.errors import FAILURES

    try:
        now = int(send(url, BY_NAME["clock"], {}).value()["time"])
    except FAILURES:
        return ""
    part = min(max(now - begin, 0), end - begin) * 100 // max(end - begin, 1)
    return f"{part} % of the way to {moment(end)}"


def _print(told: dict[str, Any], output: str) -> None:
    if output == "json":
        tell(json.dumps(told))
        return
    mode = f"{told['mode']} {told['rate']}" if told["mode"] == "rate" else told["mode"]
    tell(f"{moment(told['time'])}  {mode}, {told['offset'] / 1000:+.3f} s from the machine's time")
    if told["next"]:
        tell(_dues(told["next"]))


def _dues(rows: list[dict[str, Any]]) -> str:
    shown = [{**row, "at": moment(row["at"])} for row in rows]
    return table(("at", "kind", "symbol", "count"), shown)


COMMANDS: Final = {"clock": clock}
