"""`venue get`, `post` and `delete`: any operation of the table, its answer as it came."""

from __future__ import annotations

import json
import re
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter

from venue.cli.identity import NOBODY, Who, acting
from venue.cli.operator import REFUSED, die
from venue.cli.printing import tell

if TYPE_CHECKING:
    from venue.api.operation import Row

_HOLE: Final = re.compile(r"\{(\w+)\}")
Target = Annotated[str, Parameter(help="Path or name of an operation; `venue ops` lists them.")]
Values = Annotated[str, Parameter(help="name=value, or name:=JSON for a list, number or flag.")]


def get(target: Target, *values: Values, who: Annotated[Who, Parameter(name="*")] = NOBODY) -> None:
    """Ask an operation that changes nothing, signed where it needs that; print the JSON as it
    came."""
    _send("GET", target, values, who)


def post(
    target: Target, *values: Values, who: Annotated[Who, Parameter(name="*")] = NOBODY
) -> None:
    """Send an operation that changes something or has a body; print the JSON as it came."""
    _send("POST", target, values, who)


def delete(
    target: Target, *values: Values, who: Annotated[Who, Parameter(name="*")] = NOBODY
) -> None:
    """Send an operation that cancels or removes; print the JSON as it came."""
    _send("DELETE", target, values, who)


def _send(method: str, target: str, values: tuple[str, ...], who: Who) -> None:
    from venue.cli.clients import send
    from venue.client.errors import FAILURES, words
    from venue.vocabulary import Access

    path, _, query = target.partition("?")
    given = parsed([*(part for part in query.split("&") if part), *values])
    try:
        row, held = _found(method, path)
        if row.access in (Access.PUBLIC, Access.OPERATOR):
            answer = send(who.url, row, held | given)
        else:
            with acting(who, str(row.access.name)) as account:
                answer = send(who.url, row, held | given, account)
    except FAILURES as problem:
        die(words(problem))
    tell(answer.body.decode("utf-8", "backslashreplace"))
    if answer.status >= 300:
        sys.exit(REFUSED)


def _found(method: str, target: str) -> tuple[Row, dict[str, str]]:
    """The row of a path or a name, with the values in the path. Misused: there is none."""
    from venue.api.documents.table import ROWS
    from venue.client.errors import Misused

    rows = [row for row in ROWS if row.method == method]
    for row in rows:
        pattern = "/".join(
            f"(?P<{hole[1]}>[^/]+)" if (hole := _HOLE.fullmatch(part)) else re.escape(part)
            for part in row.path.rstrip("/").split("/")
        )
        found = re.fullmatch(pattern, target.rstrip("/"))
        if found:
            return row, found.groupdict()
        if row.name == target:
            return row, {}
    near = get_close_matches(target, [row.path if "/" in target else row.name for row in rows], 3)
    told = f"; near to it: {', '.join(near)}" if near else ""
    raise Misused(f"no operation {method} {target}{told}; `venue ops` lists them")


def parsed(values: list[str]) -> dict[str, Any]:
    """Parameters by name; a name that comes twice, or a value that is no JSON, ends the command."""
    found: dict[str, Any] = {}
    for text in values:
        name, sign, value = text.partition("=")
        exact = name.endswith(":")
        name = name.removesuffix(":")
        if not sign or not name:
            die(f"{text}: say name=value, or name:=JSON")
        if name in found:
            die(f"{name} is given twice")
        try:
            found[name] = json.loads(value) if exact else value
        except ValueError as problem:
            die(f"{name}: {value} is no JSON: {problem}")
    return found


COMMANDS: Final = {"get": get, "post": post, "delete": delete}
