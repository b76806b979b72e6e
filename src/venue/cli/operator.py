"""What commands have in common: calls to a running venue as its operator, tables, endings."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Annotated, Any, Final, NoReturn

from cyclopts import Parameter

DEFAULT_URL: Final = "http://127.0.0.1:8787"
OPERATOR_TOKEN: Final = "VENUE_OPERATOR_TOKEN"  # noqa: S105 - the variable's name
REFUSED: Final = 2  # an exit code: something must be given or put in place in another way

Url = Annotated[str, Parameter(env_var="VENUE_URL", help="Address of the running venue.")]


def call(
    url: str,
    path: str,
    body: dict[str, Any] | None = None,
    query: dict[str, str] | None = None,
    *,
    timeout_s: float | None = 10.0,
) -> Any:
    """Call an operator operation: POST with a body, else GET with a query.

    Ends the command with the venue's own words when it is refused.
    """
    import urllib.error
    import urllib.parse
    import urllib.request

    headers = {"Content-Type": "application/json"} if body is not None else {}
    token = os.environ.get(OPERATOR_TOKEN)
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = json.dumps(body).encode() if body is not None else None
    target = url.rstrip("/") + path + (f"?{urllib.parse.urlencode(query)}" if query else "")
    request = urllib.request.Request(target, data, headers)  # noqa: S310 - the user's own address
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as reply:  # noqa: S310
            return json.load(reply)
    except urllib.error.HTTPError as problem:
        answer = json.loads(problem.read() or b"{}")
        die(f"refused: {answer.get('msg') or answer.get('message') or problem}")
    except urllib.error.URLError as problem:
        die(f"no venue answers at {url} ({problem.reason}); start one with `venue dev`")


def table(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    """Rows as aligned text under their names."""
    lines = [columns] + [tuple(str(row[column]) for column in columns) for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def moment(milliseconds: int) -> str:
    """A time in ms as text, in UTC."""
    seconds, rest = divmod(milliseconds, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03}Z"


def die(reason: str, code: int = REFUSED) -> NoReturn:
    """End the command with words for its user."""
    print(f"venue: {reason}", file=sys.stderr)
    sys.exit(code)
