"""`python -m support.points [ACT ...]`: every point of the acts, in every way; tells the counts."""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path

from support.points.acts import ACTS
from support.points.disk import BROKEN, FULL
from support.points.run import Found, ended, failed, made_bases


def main(names: list[str]) -> int:
    """The exit code: 1 when anything was wrong."""
    total = Found({}, [])
    with tempfile.TemporaryDirectory(prefix="venue-points-") as place:
        work = Path(place) / "work"
        work.mkdir()
        bases = made_bases(Path(place) / "bases")
        for name in names:
            _tell(name, ended(name, bases, work, lambda *_: True), total)
            for how in (FULL, BROKEN):
                _tell(name, failed(name, how, bases, work, itertools.count(1)), total)
    _tell("all", total, Found({}, []))
    return 1 if total.wrong else 0


def _tell(name: str, found: Found, total: Found) -> None:
    total.add(found)
    counts = ", ".join(f"{count} {what}" for what, count in found.tried.items())
    print(f"{name}: {counts}; {len(found.wrong)} wrong", flush=True)
    for wrong in found.wrong:
        print(f"  {wrong}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(ACTS)))
