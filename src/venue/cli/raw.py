"""`venue get`, `post` and `delete`: any operation of the table, its answer as it came."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

from cyclopts import Parameter

from venue.cli.identity import NOBODY, Who, acting
from venue.cli.operator import REFUSED, die
from venue.cli.told.printing import tell

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
    from venue.cli.http import ClientFailed, looked_up, send
    from venue.vocabulary import Access

    path, _, query = target.partition("?")
    given = parsed([*(part for part in query.split("&") if part), *values])
    try:
        row, held = looked_up(method, path)
        if row.access in (Access.PUBLIC, Access.OPERATOR):
            answer = send(who.url, row, held | given)
        else:
            with acting(who, str(row.access.name)) as account:
                answer = send(who.url, row, held | given, account)
    except ClientFailed as problem:
        die(str(problem))
    tell(answer.body.decode("utf-8", "backslashreplace"))
    if answer.status >= 300:
        sys.exit(REFUSED)


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
