"""`venue snapshot` and `venue reset`: the state of a running venue is kept, and gone back to."""

from __future__ import annotations

from typing import Annotated, Any, Final

from cyclopts import App, Parameter

from venue.cli.operator import Output, Url, call, moment, show
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL

snapshot = App(name="snapshot", help="Keep the state of a running venue, and go back to it.")

Name = Annotated[str, Parameter(help="1 to 64 letters, digits, dots, dashes and underscores.")]
_COLUMNS = ("name", "sequence", "time", "bytes")


@snapshot.command
def save(name: Name, /, *, url: Url = DEFAULT_URL) -> None:
    """Keep the state as it is now; it replaces a kept state of that name."""
    kept = call(url, "keep_snapshot", {"name": name})
    tell(f"{name}: {moment(kept['time'])}, sequence {kept['sequence']}")


@snapshot.command(name="list")
def listed(*, output: Output = "text", url: Url = DEFAULT_URL) -> None:
    """Print the states that are kept."""
    rows = [row | {"time": moment(row["time"])} for row in call(url, "snapshots")]
    show(_COLUMNS, rows, output, "no snapshots")


@snapshot.command
def revert(name: Name, /, *, url: Url = DEFAULT_URL) -> None:
    """Go back to a kept state: orders, balances, history and time are as they were."""
    _print_revert(call(url, "revert", {"name": name}))


@snapshot.command
def delete(name: Name, /, *, url: Url = DEFAULT_URL) -> None:
    """Delete a kept state."""
    call(url, "delete_snapshot", {"name": name})


def reset(*, url: Url = DEFAULT_URL) -> None:
    """Go back to the state in which a practice venue began to answer."""
    _print_revert(call(url, "reset"))


def _print_revert(back: dict[str, Any]) -> None:
    tell(f"{back['name']}: {moment(back['time'])}, epoch {back['epoch']}, {back['state_hash']}")


COMMANDS: Final = {"snapshot": snapshot, "reset": reset}
