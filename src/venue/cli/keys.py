"""`venue key`: an owner's keys on a running venue."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from cyclopts import App, Parameter

from venue.cli.operator import DEFAULT_URL, Output, Owner, Url, call, moment, show

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
    show(("key", "uid", "label", "permissions", "ips", "created", "revoked"), rows, output, "none")


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
    output: Output = "text",
    url: Url = DEFAULT_URL,
) -> None:
    """Make a key of an owner; its secret is shown this once."""
    asked = {"owner": name, "permissions": list(permission), "label": label, "ips": list(ip)}
    made = call(url, "create_key", asked)
    if output == "json":
        print(json.dumps(made))
    else:
        print("\n".join(f"VENUE_{name.upper()}={value}" for name, value in made.items()))


@key.command
def revoke(
    text: Annotated[str, Parameter(help="The key, from `venue key list`.")],
    *,
    url: Url = DEFAULT_URL,
) -> None:
    """Have a key stop working at once."""
    print(f"{call(url, 'revoke_key', {'key': text})['key']} is revoked")
