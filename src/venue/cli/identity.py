"""The owner that a command acts as: by a key of its own, a demo account, or any owner by name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from venue.cli.operator import call, checked, die
from venue.client.defaults import DEFAULT_URL

if TYPE_CHECKING:
    from venue.lab.credentials import Credentials

FIRST: Final = "alice"  # the owner when the command names none
UNKNOWN_KEY: Final = -1044  # a code
LABEL: Final = "command line"
TRADER: Final = ("READ", "SPOT_TRADE", "CONTRACT_TRADE")  # all that a program of an owner needs


@dataclass(frozen=True, kw_only=True)
class Who:
    """The owner a command acts as, and where."""

    name: Annotated[
        str, Parameter(name="--as", help="Owner to act as; alice without a key of one's own.")
    ] = ""
    key: Annotated[str, Parameter(help="An owner's key, instead of --as; or VENUE_KEY.")] = ""
    secret: Annotated[str, Parameter(help="Its secret; fewer can see VENUE_SECRET.")] = ""
    passphrase: Annotated[str, Parameter(help="Its passphrase; or VENUE_PASSPHRASE.")] = ""
    url: Annotated[str, Parameter(env_var="VENUE_URL", help="Address of the running venue.")] = (
        DEFAULT_URL
    )


NOBODY: Final = Who()


@contextmanager
def acting(who: Who, *permissions: str) -> Iterator[Credentials]:
    """The credentials to act with; one line ends the command when the venue refuses.

    For a name that is no demo account's the operator makes a key for this one command, with the
    permissions that it needs (READ when none is named); it is revoked when the command ends.
    """
    from venue.client.errors import FAILURES, words
    from venue.lab.credentials import credentials

    name, demo = who.name or FIRST, None
    try:
        given = _own_key(who)
        if given is not None:
            yield given
            return
        demo = credentials(name, who.url)
        if demo is not None:
            yield demo
            return
        with lent(name, who.url, *permissions) as made:
            yield made
    except FAILURES as problem:
        unknown = demo is not None and getattr(problem, "code", 0) == UNKNOWN_KEY
        die(f"{words(problem)}{_advice(name) if unknown else ''}")


def _advice(name: str) -> str:
    """The way on at a venue that does not know a demo account's key."""
    return (
        f" Only practice venues know the key of the demo account {name}: `venue key create {name}`"
        " makes one, for VENUE_KEY, VENUE_SECRET and VENUE_PASSPHRASE"
    )


@contextmanager
def lent(name: str, url: str, *permissions: str) -> Iterator[Credentials]:
    """A key that the operator makes for an owner, and revokes at the end."""
    from venue.lab.credentials import Credentials

    asked = {"owner": name, "permissions": list(permissions) or ["READ"], "label": LABEL}
    made = call(url, "create_key", asked)
    try:
        yield Credentials(url.rstrip("/"), made["key"], made["secret"], made["passphrase"])
    finally:
        call(url, "revoke_key", {"key": made["key"]})


def at_hand(name: str, url: str) -> Credentials | None:
    """The key in the environment, for an owner that is no demo account. Ends the command when
    there is none, or when the address is none."""
    from venue.lab.credentials import credentials

    place = checked(url)
    if credentials(name, place) is not None:
        return None
    found = _own_key(Who(url=place))
    if found is None:
        die(f"{name} is no demo account, and no key is at hand: set VENUE_KEY, VENUE_SECRET and"
            f" VENUE_PASSPHRASE; `venue key create {name}` makes one")  # fmt: skip
    return found


def _own_key(who: Who) -> Credentials | None:
    """The caller's own key: of the options, or of the environment when the options name no
    owner."""
    from venue.lab.credentials import Credentials

    options = (who.key, who.secret, who.passphrase)
    if any(options):
        if who.name:
            die("--as and --key exclude each other")
        found = options
    elif who.name:
        return None
    else:
        found = _of_environment()
    if not any(found):
        return None
    if not all(found):
        die("a key, its secret and its passphrase belong together; one of them is missing")
    if not all(text.isascii() and text.isprintable() for text in found):
        die("a key, its secret and its passphrase are plain characters of ASCII")
    return Credentials(who.url.rstrip("/"), *found)


def _of_environment() -> tuple[str, str, str]:
    key, secret, passphrase = (
        os.environ.get(f"VENUE_{name}", "") for name in ("KEY", "SECRET", "PASSPHRASE")
    )
    return key, secret, passphrase


def demo_key(name: str, url: str) -> Credentials:
    """The key of a demo account. Ends the command when there is none of this name."""
    from venue.lab.credentials import credentials

    found = credentials(name, checked(url))
    if found is None:
        die(f"{name} is no demo account; there are alice, bob, carol and dave")
    return found
