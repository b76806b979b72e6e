"""Which engine runs: a compiled build of the sources, or the sources themselves.

A build is a package with its sources and the compiled modules beside them, and a stamp of what it
was made of. `make fast` makes it in `build/fast` of a checkout, whose `src` never holds a compiled
file; an installed package is one itself.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

COMPILED: Final = "compiled"
INTERPRETED: Final = "interpreted"
ENGINE: Final = "VENUE_ENGINE"  # the variable that names the engine which is wanted
PACKAGE: Final = Path(__file__).parent
STAMP: Final = "compiled.json"  # in a package that was built
PYTHON: Final = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
SEARCHED: Final = "PYTHONPATH"
BUILD: Final = Path("build") / "fast"
CHECKOUT: Final = Path("src") / "venue"


class StaleBuild(Exception):
    """The compiled engine does not fit its sources; the text says what to run."""


class EngineRefused(Exception):
    """VENUE_ENGINE names no engine, or one that cannot run here; the text says what can."""


class Stamp(msgspec.Struct, frozen=True):
    """The parts of a build: Python and platform, compiled modules, digests of sources by path. It
    says why a build has no compiled modules."""

    python: str
    platform: str
    modules: list[str]
    sources: dict[str, str]
    failure: str


def compiled() -> bool:
    """Return whether this process runs the compiled engine: all its modules are compiled, or
    none."""
    found = find_spec("venue.core.units")
    return found is not None and not str(found.origin).endswith(".py")


def wanted() -> str:
    """Return the engine that VENUE_ENGINE asks for; empty: either one. EngineRefused: it names
    none."""
    found = os.environ.get(ENGINE, "")
    if found not in ("", COMPILED, INTERPRETED):
        raise EngineRefused(
            f"{ENGINE} is {found!r}: it can be {COMPILED} or {INTERPRETED}, or be left out"
        )
    return found


def engine() -> str:
    """Return the name of the engine that this process runs."""
    return COMPILED if compiled() else INTERPRETED


def digests(package: Path) -> dict[str, str]:
    """Return the digest of each source file of a package, by its path from the package."""
    return {
        path.relative_to(package).as_posix(): blake2b(path.read_bytes(), digest_size=16).hexdigest()
        for path in sorted(package.rglob("*.py"))
    }


def stamp(package: Path, modules: list[str], failure: str) -> None:
    """Note in a package that was built what it was made of."""
    found = Stamp(PYTHON, sysconfig.get_platform(), modules, digests(package), failure)
    (package / STAMP).write_bytes(msgspec.json.format(msgspec.json.encode(found)))


def unfit(package: Path, sources: Path) -> str:
    """Return why a build of these sources cannot be run compiled; empty when it can."""
    try:
        found = _stamped(package)
    except FileNotFoundError:
        return "is missing"
    except (OSError, msgspec.DecodeError):
        return "was not finished"
    if found.failure:
        return f"holds nothing compiled: {found.failure}"
    if (found.python, found.platform) != (PYTHON, sysconfig.get_platform()):
        return f"is one of {found.python} on {found.platform}"
    today = digests(sources)
    for name in sorted({**found.sources, **today}):
        if found.sources.get(name) != today.get(name):
            return f"does not fit src/venue/{name}"
    return ""


def refuse_stale() -> None:
    """StaleBuild when this process runs a checkout's build that does not fit today's sources."""
    checkout = _checkout()
    if checkout and checkout / BUILD == PACKAGE.parent and (problem := _problem(checkout)):
        raise StaleBuild(f"build/fast {problem}: run make fast")


def choose() -> None:
    """Run this program again where a checkout's build fits and its sources run, or the reverse.

    VENUE_ENGINE=interpreted keeps the sources. EngineRefused: what it asks for cannot run.
    """
    asked, checkout = wanted(), _checkout()
    if checkout is None:
        _check_installed(asked)
        return
    problem = _problem(checkout)
    if asked == COMPILED and problem:
        raise EngineRefused(
            f"{ENGINE} is {COMPILED}: build/fast {problem}; `make fast` compiles it"
        )
    interpreted = asked == INTERPRETED or problem
    chosen = checkout / CHECKOUT.parent if interpreted else checkout / BUILD
    searched = [Path(part) for part in os.environ.get(SEARCHED, "").split(os.pathsep) if part]
    if chosen == PACKAGE.parent or chosen in searched:
        return
    searched = [chosen, *(path for path in searched if path != checkout / BUILD)]
    os.environ[SEARCHED] = os.pathsep.join(map(str, searched))
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - the same program


def _check_installed(asked: str) -> None:
    if asked == COMPILED and not compiled():
        raise EngineRefused(
            f"{ENGINE} is {COMPILED}, and the interpreted engine is installed:"
            f" `{ENGINE}={COMPILED} pip install .` installs the other, or says why it cannot"
        )
    if asked == INTERPRETED and compiled():
        raise EngineRefused(
            f"{ENGINE} is {INTERPRETED}, and the compiled engine is installed:"
            f" `{ENGINE}={INTERPRETED} pip install .` installs the other"
        )


def notice() -> str:
    """Return which engine runs, and where it is the interpreted one, why, and how to get the
    other."""
    checkout = _checkout()
    if compiled():
        return COMPILED
    if wanted() == INTERPRETED:
        return f"{INTERPRETED}, as {ENGINE} asks"
    if checkout:
        return f"{INTERPRETED}: build/fast {_problem(checkout)}; `make fast` compiles it"
    if not (PACKAGE / STAMP).is_file():  # as its installation was asked to be
        return INTERPRETED
    return f"{INTERPRETED}: what was installed {unfit(PACKAGE, PACKAGE)}"


def _problem(checkout: Path) -> str:
    return unfit(checkout / BUILD / "venue", checkout / CHECKOUT)


def _stamped(package: Path) -> Stamp:
    return msgspec.json.decode((package / STAMP).read_bytes(), type=Stamp)


def _checkout() -> Path | None:
    """Return the checkout whose sources or build run here, if they are one's."""
    for own in (CHECKOUT, BUILD / "venue"):
        root = PACKAGE.parents[len(own.parts) - 1]
        if root / own == PACKAGE and (root / "pyproject.toml").is_file():
            return root
    return None
