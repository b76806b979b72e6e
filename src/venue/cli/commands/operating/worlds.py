"""`venue world`: more venues in the process of a running one, each for itself."""

from __future__ import annotations

from typing import Annotated, Final

from cyclopts import App, Parameter

from venue.cli.operator import Output, Url, call, show
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL

world = App(name="world", help="Make and delete worlds: venues under /w/NAME of a running one.")

Name = Annotated[str, Parameter(help="Name of the world: letters, digits, - and _.")]
_COLUMNS = ("name", "path", "alive", "agents", "from", "sequence", "problem")


@world.command
def create(
    name: Name,
    *,
    agents: Annotated[bool, Parameter(help="Have agents act in it.", negative="")] = False,
    from_: Annotated[
        str | None, Parameter(name="--from", help="Snapshot of the venue that it begins with.")
    ] = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Make a world; prints its address, which any client and command takes."""
    made = call(url, "create_world", {"name": name, "agents": agents, "from": from_})
    tell(f"{url.rstrip('/')}{made['path']}")


@world.command(name="list")
def list_worlds(*, output: Output = "text", url: Url = DEFAULT_URL) -> None:
    """Print the worlds that there are."""
    show(_COLUMNS, call(url, "worlds"), output, "no worlds")


@world.command
def delete(name: Name, *, url: Url = DEFAULT_URL) -> None:
    """End a world and forget it."""
    tell(f"world {call(url, 'delete_world', {'name': name})['name']} is deleted")


COMMANDS: Final = {"world": world}
