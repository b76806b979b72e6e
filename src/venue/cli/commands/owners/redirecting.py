"""`venue with`: a command whose exchange is the venue, whatever addresses it has."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NoReturn

from cyclopts import Parameter

from venue.cli.identity import TRADER, UNKNOWN_KEY, lent
from venue.cli.operator import Owner, ProfileName, Url, call, die
from venue.cli.printing import tell
from venue.client.defaults import DEFAULT_URL
from venue.core.units import FIRST_UID

if TYPE_CHECKING:
    from venue.lab.credentials import Credentials

STOP_S: Final = (0.0, 3_600.0)
NEAR_MAX: Final = 3  # names that a refusal tells
NAME_SHOWN: Final = 64  # characters of a name in it


def with_venue(
    name: Owner,
    *command: Annotated[str, Parameter(help="The command, after --: its program and arguments.")],
    only_venue: Annotated[
        bool, Parameter(help="Cut off all other hosts, and tell which were asked for.", negative="")
    ] = False,
    new: Annotated[
        bool,
        Parameter(help="Start a practice venue for the command, and end it after.", negative=""),
    ] = False,
    clock: Annotated[
        Literal["real", "offset", "rate", "manual", "skip"] | None,
        Parameter(help="With --new: how time passes there."),
    ] = None,
    rate: Annotated[
        str | None, Parameter(help="With --clock rate: seconds that pass in one.")
    ] = None,
    at: Annotated[str | None, Parameter(help="With --clock: the time to begin at.")] = None,
    profile: Annotated[
        ProfileName | None, Parameter(help="With --new: whether it is as the live exchange.")
    ] = None,
    stop: Annotated[
        float, Parameter(help="Seconds that the command has to end after SIGTERM.")
    ] = 10.0,
    url: Url = DEFAULT_URL,
) -> None:
    """Run a command that takes the venue for the exchange, with an owner's keys; its exit code.

    Connections to the exchange's own addresses lead to the venue. The command finds VENUE_URL,
    VENUE_KEY, VENUE_SECRET and VENUE_PASSPHRASE in its environment, and the keys also as
    WEEX_API_KEY, WEEX_API_SECRET and WEEX_PASSPHRASE.
    """
    if not command:
        die("which command? For instance: venue with alice -- python bot.py")
    if not STOP_S[0] <= stop <= STOP_S[1]:
        die(f"--stop {stop:g}: must be from {STOP_S[0]:g} to {STOP_S[1]:g}")
    of_new = {"clock": clock, "rate": rate, "at": at, "profile": profile}
    given = [f"--{option}={value}" for option, value in of_new.items() if value is not None]
    if given and not new:
        die(f"{given[0].partition('=')[0]} is an option of a venue that is started: it needs --new")
    try:
        _end_in_order()
        with _venue(url, given, new=new) as place, _account(name, place) as account:
            code = _run(account, command, only=only_venue, stop_s=stop)
    except KeyboardInterrupt:
        die("stopped before the command", 130)
    sys.exit(code)


def _end_in_order() -> None:
    """A signal to end revokes the key and stops the venue first, while there is no command that it
    is passed on to."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


@contextmanager
def _venue(url: str, options: list[str], *, new: bool) -> Iterator[str]:
    """The address of the venue that the command gets: a running one, or a new one."""
    from venue.practice import NotStarted, Practice

    if not new:
        yield url
        return
    try:
        with (
            tempfile.TemporaryDirectory(prefix="venue-") as folder,
            Practice(Path(folder), *options) as practice,
        ):
            yield practice.url
    except NotStarted as problem:
        die(str(problem).removeprefix("venue: "))


@contextmanager
def _account(name: str, url: str) -> Iterator[Credentials]:
    """The keys of an owner, of which the venue says that they work."""
    from venue.lab.credentials import credentials

    account = credentials(name, url)
    if account is not None and _works(account):
        yield account
        return
    owners = {str(one["name"]): int(one["uid"]) for one in call(url, "owners")}
    if name not in owners:
        _unknown(name, [one for one, uid in owners.items() if uid >= FIRST_UID])
    with lent(name, url, *TRADER) as account:
        _works(account)
        yield account


def _works(account: Credentials) -> bool:
    """Whether the venue knows a key; any other refusal ends the command. One that practice venues
    share is unknown to others."""
    from venue.cli.clients import ask
    from venue.client.errors import FAILURES, words

    try:
        ask(account, "account")
    except FAILURES as problem:
        if getattr(problem, "code", 0) == UNKNOWN_KEY:
            return False
        die(words(problem))
    return True


def _unknown(name: str, owners: list[str]) -> NoReturn:
    shown = name[:NAME_SHOWN]
    told = f"owners are {', '.join(owners[:NEAR_MAX])}" if owners else "it has none yet"
    if near := get_close_matches(shown, owners, NEAR_MAX):
        told = f"near to it: {', '.join(near)}"
    die(f"{shown or 'an empty name'} is no owner of this venue; {told}")


def _run(account: Credentials, command: tuple[str, ...], *, only: bool, stop_s: float) -> int:
    """The command's exit code."""
    from venue.redirect.command import NotRun
    from venue.redirect.environment import RedirectPlan
    from venue.redirect.outside import OtherProxy
    from venue.redirect.running import run

    try:
        with tempfile.TemporaryDirectory(prefix="venue-with-") as folder:
            plan = RedirectPlan(
                account.url, account.key, account.secret, account.passphrase, Path(folder), only
            )
            return run(command, plan, stop_s, _say)
    except OtherProxy as problem:
        die(str(problem))
    except NotRun as problem:
        die(str(problem), problem.code)
    except OSError as problem:
        where = problem.filename or tempfile.tempdir  # None: there is no folder to write in
        die(f"{where}: {problem.strerror}" if where else str(problem))
    finally:
        _end_in_order()


def _say(words: str) -> None:
    tell(f"venue with: {words}", file=sys.stderr, flush=True)


COMMANDS: Final = {"with": with_venue}
