"""The commands and keys that a venue acknowledged, and whether its files still have them."""

from __future__ import annotations

import asyncio
import logging
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from support.former import BEGIN_US, Stepping
from support.points.near import helpers_near
from venue.bundle.runs import opened_run
from venue.cli.serving import shared
from venue.cli.verify import verify
from venue.gateway.door import Door
from venue.journal import archive
from venue.journal.journal import JournalCorrupt
from venue.journal.opening import open_readonly
from venue.node.clock import SystemClock
from venue.running.opening import open_venue
from venue.running.options import Options

FILE: Final = "venue.db"
FORKED: Final = "forked.db"
BUNDLED: Final = "run.venue"
READY: Final = "ready.json"
LATER_US: Final = BEGIN_US + 90 * 86_400_000_000  # after all that the acts do

encode = msgspec.msgpack.Encoder().encode


class Known(Struct):
    """The commands by their number, packed; each key, and whether it was revoked; whole files."""

    commands: dict[int, bytes] = field(default_factory=dict)
    keys: dict[str, bool] = field(default_factory=dict)
    files: dict[str, bool] = field(default_factory=dict)

    def copy(self) -> Known:
        return Known(dict(self.commands), dict(self.keys), dict(self.files))


async def lost(folder: Path, known: Known) -> list[str]:
    """The faults of a venue's files: it does not start, lacks something, or does not verify.

    The folder is used up.
    """
    found: list[str] = []
    with helpers_near():
        for name in (FILE, FORKED):
            if (folder / name).exists() or known.files.get(name):
                found += [f"{name}: {one}" for one in await _lost(folder / name, known, name)]
    if (folder / BUNDLED).exists() or known.files.get(BUNDLED):
        try:
            with opened_run(str(folder / BUNDLED)) as run:
                run.last()
        except Exception as problem:  # noqa: BLE001 - told
            found.append(f"{BUNDLED}: {problem!r}")
    if (folder / READY).exists() or known.files.get(READY):
        try:
            msgspec.json.decode((folder / READY).read_bytes())
        except Exception as problem:  # noqa: BLE001 - told
            found.append(f"{READY}: {problem!r}")
    return found


async def _lost(path: Path, known: Known, name: str) -> list[str]:
    failed: list[BaseException] = []
    options = Options(state=str(path), agents=False)
    found: list[str] = []
    try:
        async with open_venue(options, SystemClock(Stepping(LATER_US)), failed.append) as door:
            if name == FILE:
                found += _keys_lost(door, known)
    except Exception as problem:  # noqa: BLE001 - told
        return [f"does not start: {problem!r}"]
    found += [f"fails: {problem!r}" for problem in failed]
    if name == FILE:
        try:
            there = everything(str(path))
        except JournalCorrupt as problem:
            return [*found, f"a command is lost: {problem}"]
        found += [
            f"command {number} is lost"
            for number, command in known.commands.items()
            if number > len(there) or there[number - 1] != command
        ]
    found += [f"verify: {problem}" for problem in verify(str(path)).problems]
    return found


def _keys_lost(door: Door, known: Known) -> list[str]:
    there = {key.key: key.revoked for key in door.keys.list()}
    found = [f"key {key} is lost" for key, revoked in known.keys.items() if key not in there]
    return found + [
        f"key {key} works again"
        for key, revoked in known.keys.items()
        if revoked and not there.get(key, True)
    ]


def everything(path: str) -> list[bytes]:
    """Every command of a journal and its archives, packed."""
    with ExitStack() as closing:
        journal = open_readonly(path)
        closing.callback(journal.close)
        whole = archive.join_archives(journal, path, closing)
        return [encode(one) for _, part in whole.read(0) for one in part]


def in_words(problem: BaseException) -> bool:
    """Whether the venue's commands end with a sentence and an exit code when this is raised. A
    running venue logs a snapshot that failed, and goes on."""
    from venue.api.errors import ApiError
    from venue.helpers.link import HelperFailed
    from venue.node.sequencer import Stopped

    told = (*shared._failures(), *shared._refusals(), OSError, Stopped, ApiError, HelperFailed)
    return isinstance(problem, told)


def checked(folder: Path, known: Known) -> list[str]:
    """As `lost`, of a folder that goes then."""
    logging.disable()
    try:
        return asyncio.run(lost(folder, known))
    finally:
        logging.disable(logging.NOTSET)
        shutil.rmtree(folder)


def keep(known: Known, applied: list[Any]) -> None:
    """Know commands that were acknowledged."""
    for one in applied:
        known.commands[one.sequence] = encode(one.command)
