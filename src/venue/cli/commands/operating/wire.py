"""`venue wire`: the last requests and frames of a running venue."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Annotated, Any, Final

from cyclopts import App, Parameter

from venue.cli.operator import Output, Url, call, die
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL
from venue.client.wire_lines import line

wire = App(name="wire", help="Show the last requests and frames of a running venue.")

BETWEEN_S: Final = 0.5
AT_ONCE: Final = 1_000


@dataclass(frozen=True, kw_only=True)
class Filter:
    """The filter of entries: those are shown that match every given option."""

    name: Annotated[str | None, Parameter(name="--as", help="Only of this owner.")] = None
    status: Annotated[str | None, Parameter(help="Only with this status: 400, 4xx, or lost.")] = (
        None
    )
    operation: Annotated[str | None, Parameter(help="Only this operation, as place_order.")] = None
    kind: Annotated[
        str | None, Parameter(help="Only REQUEST, OPERATION (over a socket), HEARD or SENT.")
    ] = None
    faulty: Annotated[bool, Parameter(help="Only entries hit by a fault.", negative="")] = False
    refused: Annotated[bool, Parameter(help="Only refused or lost requests.", negative="")] = False
    tools: Annotated[bool, Parameter(help="Also of the venue's own tools.", negative="")] = False

    def values(self) -> dict[str, Any]:
        """As parameters of the operation."""
        given = {
            "owner": self.name, "status": self.status, "operation": self.operation,
            "kind": self.kind, "faulty": "true" if self.faulty else None,
            "refused": "true" if self.refused else None, "tools": "true" if self.tools else None,
        }  # fmt: skip
        return {name: value for name, value in given.items() if value is not None}


ALL: Final = Filter()


@wire.command(name="list")
def list_entries(
    which: Annotated[Filter, Parameter(name="*")] = ALL,
    *,
    limit: Annotated[int, Parameter(help="At most so many, the newest.")] = 20,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Print the last requests and frames, and how to repeat each."""
    entries = call(url, "wire", {**which.values(), "limit": limit})
    if output == "json":
        tell(json.dumps(entries))
    elif not entries:
        tell("nothing")
    for entry in entries if output == "text" else ():
        tell(line(entry, url))


@wire.command
def tail(
    which: Annotated[Filter, Parameter(name="*")] = ALL,
    *,
    count: Annotated[int | None, Parameter(help="End after so many.")] = None,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Print requests and frames from the last ten on, as they come. ^C ends it."""
    if count is not None and count < 1:
        die(f"--count {count}: must be at least 1")
    after, limit, shown = 0, 10, 0
    try:
        while True:
            asked = {**which.values(), "after": after, "limit": limit}
            for entry in call(url, "wire", asked):
                tell(json.dumps(entry) if output == "json" else line(entry, url), flush=True)
                after, shown = entry["number"], shown + 1
                if shown == count:
                    return
            limit = AT_ONCE
            time.sleep(BETWEEN_S)
    except KeyboardInterrupt:
        pass


COMMANDS: Final = {"wire": wire}
