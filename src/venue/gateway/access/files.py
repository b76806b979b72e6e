"""Raises the process's limit of open files to what the connections need, or admits fewer
connections."""

from __future__ import annotations

import resource
from typing import Final

from msgspec import Struct, structs

from venue.gateway.access.connections import LINGERING_MAX, RESERVED

OWN: Final = 128  # journal, history, snapshots, helpers: a few dozen at most
FIXED: Final = OWN + RESERVED + LINGERING_MAX  # beside the connections that are let in
LEAST: Final = 16  # connections of each kind, or there is no point in starting
ASKED_MAX: Final = 1_000_000  # files, where connections are not limited


class Room(Struct, frozen=True):
    """How many HTTP connections and streams may be open; `told` says why these are fewer."""

    http: int
    streams: int
    told: str = ""


def room(http: int | None, streams: int | None) -> Room:
    """Room for so many connections, or for fewer; None: for as many as the system allows.

    OSError when there is no room for even a few.
    """
    wanted = ASKED_MAX if http is None or streams is None else FIXED + http + streams
    files = _raise_limit(wanted)
    each = (files - FIXED) // 2
    if each < LEAST:
        raise OSError(
            f"the system lets this process open {files} files; a venue needs {FIXED + 2 * LEAST} or"
            " more: raise the limit (ulimit -n)"
        )
    if http is None or streams is None:
        return Room(_fewer(http, each), _fewer(streams, each))
    if files >= wanted:
        return Room(http, streams)
    fewer = Room(min(http, each), min(streams, each))
    told = (
        f"the system lets this process open {files} files, {wanted} are needed: at most"
        f" {fewer.http} HTTP connections and {fewer.streams} streams are let in, instead of {http}"
        f" and {streams}; raise the hard limit (ulimit -Hn)"
    )
    return structs.replace(fewer, told=told)


def _fewer(connections: int | None, each: int) -> int:
    return each if connections is None else min(connections, each)


def _raise_limit(wanted: int) -> int:
    """Raise the soft limit towards the hard one; how many of the wanted files there are now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _finite(soft) >= wanted:
        return wanted
    raised = min(wanted, _finite(hard))
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    except (OSError, ValueError):  # some systems allow less than they say
        return soft
    return raised


def _finite(files: int) -> int:
    return ASKED_MAX if files == resource.RLIM_INFINITY else files
