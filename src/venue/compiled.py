"""Tells whether the core is compiled, and whether a compiled one fits its sources."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from venue.core.book import book

PACKAGE: Final = Path(__file__).parent
STAMP: Final = PACKAGE.parent / "stamp.json"  # beside the package, in a compiled build only
SOURCES: Final = PACKAGE.parents[2] / "src" / "venue"  # seen from build/fast/venue


class StaleBuild(Exception):
    """The compiled core does not fit its sources; the text says what to run."""


def compiled() -> bool:
    """Whether this process runs the compiled core."""
    return not book.__file__.endswith(".py")


def digests(package: Path) -> dict[str, str]:
    """The digest of each source file of a package, by its path from the package."""
    return {
        path.relative_to(package).as_posix(): blake2b(path.read_bytes(), digest_size=16).hexdigest()
        for path in sorted(package.rglob("*.py"))
    }


def refuse_stale() -> None:
    """StaleBuild when this process runs a compiled build of other sources than today's."""
    if not STAMP.is_file():
        if compiled():
            raise StaleBuild("the compiled core was not finished: run make fast")
        return
    built = msgspec.json.decode(STAMP.read_bytes(), type=dict[str, str])
    sources = digests(SOURCES)
    for name in sorted({**built, **sources}):
        if built.get(name) != sources.get(name):
            raise StaleBuild(f"the compiled core is older than src/venue/{name}: run make fast")
