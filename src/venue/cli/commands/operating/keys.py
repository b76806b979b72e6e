"""`venue key`: an owner's keys on a running venue."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

from cyclopts import App, Parameter

from venue.cli.operator import Output, Owner, Url, call, die, moment, show
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL
from venue.times import US_PER_MS, moment_us, span_us

key = App(name="key", help="Print, make or revoke keys of a running venue.")


@key.command(name="list")
def list_keys(
    name: Annotated[
        str | None, Parameter(help="Name of the owner. Without it: all owners.")
    ] = None,
    *,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Print keys, without their secrets."""
    rows = call(url, "keys", {"owner": name} if name is not None else {})
    for row in rows if output == "text" else ():
        row["created"] = moment(row["created"])
        row["permissions"] = " ".join(row["permissions"])
        row["ips"] = " ".join(row["ips"]) or "any"
        row["expires"] = moment(row["expires"]) if row["expires"] is not None else "never"
    columns = ("key", "uid", "label", "permissions", "ips", "created", "expires", "revoked")
    show(columns, rows, output, "none")


@key.command
def create(
    name: Owner,
    *,
    permission: Annotated[
        tuple[Literal["READ", "SPOT_TRADE", "CONTRACT_TRADE"], ...],
        Parameter(
            help="A permission of the key; may be repeated. Without it the key has all"
            " permissions.",
            negative="",
        ),
    ] = ("READ", "SPOT_TRADE", "CONTRACT_TRADE"),
    label: Annotated[str, Parameter(help="A text to know it by.")] = "",
    ip: Annotated[
        tuple[str, ...],
        Parameter(help="Address or network it may be used from; may be repeated.", negative=""),
    ] = (),
    expires: Annotated[
        str | None,
        Parameter(help="How long it works, as 30d or 12h, or until when, as 2027-01-01T00:00:00Z."),
    ] = None,
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Make a key of an owner; its secret is shown this once."""
    asked: dict[str, Any] = {
        "owner": name, "permissions": list(permission), "label": label, "ips": list(ip),
    }  # fmt: skip
    if expires is not None:
        asked["expires"] = _until_ms(expires)
    made = call(url, "create_key", asked)
    if output == "json":
        tell(json.dumps(made))
    else:
        tell("\n".join(f"VENUE_{name.upper()}={value}" for name, value in made.items()))


def _until_ms(text: str) -> int:
    """The end of a key's life, in ms: after a span of time, or at a moment."""
    with suppress(ValueError):
        return (time.time_ns() // 1_000 + span_us(text)) // US_PER_MS
    try:
        return moment_us(text) // US_PER_MS
    except ValueError as problem:
        die(f"--expires {text}: {problem}; or a span of time, as 30d")


@key.command
def revoke(
    text: Annotated[str, Parameter(help="The key, from `venue key list`.")],
    *,
    url: Url = DEFAULT_URL,
) -> None:
    """Have a key stop working at once."""
    tell(f"{call(url, 'revoke_key', {'key': text})['key']} is revoked")


COMMANDS: Final = {"key": key}
