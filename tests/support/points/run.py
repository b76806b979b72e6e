"""The enumeration: an act ends at each of its points, or its disk fails there."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import pickle
import shutil
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from support.points.acts import ACTS, Failed, old, venue
from support.points.disk import PASSED_OVER, Chosen, Points, watched
from support.points.known import FILE, Known, checked, everything, in_words

NOT_REACHED: Final = 9  # the exit code of an act that had no such point


class Found(Struct):
    """The counts of points that were tried, and the faults, each with its point."""

    tried: dict[str, int]
    wrong: list[str]

    def count(self, what: str) -> None:
        self.tried[what] = self.tried.get(what, 0) + 1

    def add(self, other: Found) -> None:
        for what, count in other.tried.items():
            self.tried[what] = self.tried.get(what, 0) + count
        self.wrong += other.wrong


class Base(Struct):
    """The files that acts begin with, and what was acknowledged of them."""

    folder: Path
    known: Known


def made_bases(folder: Path) -> dict[str, Base]:
    """By name."""
    logging.disable()
    made = {name: folder / name for name in ("nothing", "stopped", "killed", "old", "damaged")}
    for one in ("nothing", "stopped", "old"):
        made[one].mkdir(parents=True)
    known = {name: Known() for name in made}
    for name in ("begin", "keys"):
        asyncio.run(ACTS[name][1](made["stopped"], known["stopped"]))
    asyncio.run(_killed(made["stopped"], made["killed"]))
    asyncio.run(old(made["old"], Known()))
    shutil.copytree(made["stopped"], made["damaged"])
    history = made["damaged"] / f"{FILE}.history"
    spoiled = bytearray(history.read_bytes())
    spoiled[-100] ^= 1
    history.write_bytes(spoiled)
    logging.disable(logging.NOTSET)
    for name in ("killed", "old", "damaged"):
        known[name].keys = dict(known["stopped"].keys) if name != "old" else {}
        there = everything(str(made[name] / FILE))
        known[name].commands = dict(enumerate(there, 1))
    return {name: Base(made[name], known[name]) for name in made}


async def _killed(begin: Path, target: Path) -> None:
    """The files of a venue that runs."""
    folder = target.with_name("alive")
    shutil.copytree(begin, folder)
    async with venue(folder, Known(), 2) as life:
        await life.trade(50, 3)
        await life.node.history.drain()
        await life.trade(60, 3)
        _copied(folder, target)
    shutil.rmtree(folder)


def _copied(folder: Path, target: Path) -> None:
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(*map("*{}".format, PASSED_OVER)))


def ended(name: str, bases: dict[str, Base], work: Path, chosen: Chosen) -> Found:
    """An act's files after each point, and amid each write, are those of a process that ended
    there: the chosen ones are checked."""
    base, act = ACTS[name]
    folder = work / "at work"
    _copied(bases[base].folder, folder)
    known = bases[base].known.copy()
    taken: list[tuple[str, Path, Known]] = []
    seen: set[bytes] = set()
    found = Found({}, [])

    def look(what: str, file: str) -> None:
        found.count("torn" if what == "torn" else "ends")
        if not chosen(points.passed, what, file):
            return
        state = _digest(folder)
        if state in seen:
            return  # nothing was changed, as by a sync
        seen.add(state)
        target = work / f"point-{len(seen)}"
        _copied(folder, target)
        taken.append((f"{name}: point {points.passed}, {what} {file}", target, known.copy()))

    points = Points(folder, look)
    _quietly(lambda: asyncio.run(_watched(points, act(folder, known))))
    shutil.rmtree(folder)
    found.wrong += [f"{name}: {one}" for one in points.unsynced]
    for point, target, then in taken:
        found.count("states checked")
        found.wrong += [f"{point}: {one}" for one in checked(target, then)]
    return found


def failed(name: str, how: str, bases: dict[str, Base], work: Path, points: Iterable[int]) -> Found:
    """An act whose disk fails at a point, each in a process of its own: it ends in words, and when
    the disk is sound again nothing is lost."""
    found = Found({}, [])
    for at in points:
        folder = work / "at work"
        base = bases[ACTS[name][0]]
        _copied(base.folder, folder)
        told = work / "told"
        child = os.fork()
        if child == 0:
            _act_and_end(name, folder, base.known.copy(), Points(folder, at=at, how=how), told)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == NOT_REACHED:
            shutil.rmtree(folder)
            break
        found.count(how)
        if code:
            found.wrong.append(f"{name}: {how} at point {at}: ended with {code}")
            shutil.rmtree(folder)
            continue
        point, end, known = pickle.loads(told.read_bytes())
        where = f"{name}: {how} at point {at}, {point}"
        if end:
            found.wrong.append(f"{where}: {end}")
        found.wrong += [f"{where}: {one}" for one in checked(folder, known)]
    return found


def _act_and_end(name: str, folder: Path, known: Known, points: Points, told: Path) -> None:
    """Never returns: the process ends."""
    code = 1
    with suppress(BaseException):
        end = ""
        try:
            _quietly(lambda: asyncio.run(_watched(points, ACTS[name][1](folder, known))))
        except Exception as problem:  # noqa: BLE001 - told
            cause = problem.problem if isinstance(problem, Failed) else problem
            end = "" if in_words(cause) else f"ended in no words: {cause!r}"
        told.write_bytes(pickle.dumps((points.failed, end, known)))
        code = 0 if points.reached() else NOT_REACHED
    os._exit(code)


async def _watched(points: Points, act: Coroutine[Any, Any, None]) -> None:
    with watched(points):
        await act


def _quietly(do: Callable[[], None]) -> None:
    logging.disable()
    try:
        do()
    finally:
        logging.disable(logging.NOTSET)


def _digest(folder: Path) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for one in sorted(folder.rglob("*")):
        if one.is_file() and not one.name.endswith(PASSED_OVER):
            digest.update(str(one).encode())
            digest.update(hashlib.blake2b(one.read_bytes()).digest())
    return digest.digest()
