"""Facts beside the engine that health tells: warnings, and how long the disk lasts."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from venue.candles import HOUR_US, SECOND_US

LOOK_US: Final = 10 * SECOND_US  # a finding serves so long
SAMPLE_US: Final = 60 * SECOND_US  # between two that are compared
SAMPLES: Final = 60
WARNED_HOURS: Final = 24


class DiskUse(Struct, frozen=True):
    """Bytes of the files and bytes that are free; bytes that the files grow by in an hour, and the
    hours for which the disk lasts then: None while they do not grow, or for the first minute."""

    used: int
    free: int
    hourly: int | None
    hours: int | None


class DiskWatch:
    """Looks at a file and those beside it that belong to it; `steady` is in µs."""

    def __init__(self, file: Path, steady: Callable[[], int]) -> None:
        self.folder = file.absolute().parent
        self._name = file.name
        self._steady = steady
        self._samples: deque[tuple[int, int]] = deque(maxlen=SAMPLES)
        self._looked = 0
        self._found: DiskUse | None = None
        self.look()

    def look(self) -> DiskUse | None:
        """Return the use now; None where the folder cannot be read."""
        now = self._steady()
        if self._found is not None and now < self._looked + LOOK_US:
            return self._found
        self._looked = now
        try:
            used = sum(one.stat().st_size for one in self.folder.iterdir() if self._is_its(one))
            free = shutil.disk_usage(self.folder).free
        except OSError:  # a file may go while it is looked at: the next time tells
            return self._found
        self._found = self._disk_use(now, used, free)
        return self._found

    def warning(self) -> str:
        """Return a sentence when the disk lasts for less than a day; empty otherwise."""
        found = self.look()
        if found is None or found.hours is None or found.hours >= WARNED_HOURS:
            return ""
        return (
            f"the disk of {self.folder} lasts for {found.hours} hours: the venue writes"
            f" {_megabytes(found.hourly or 0)} MB an hour, {_megabytes(found.free)} MB are free"
        )

    def _is_its(self, file: Path) -> bool:
        name, its = file.name, self._name
        return (name == its or name.startswith((f"{its}.", f"{its}-"))) and file.is_file()

    def _disk_use(self, now: int, used: int, free: int) -> DiskUse:
        if not self._samples or now >= self._samples[-1][0] + SAMPLE_US:
            self._samples.append((now, used))
        begin, before = self._samples[0]
        if now < begin + SAMPLE_US or used <= before:
            return DiskUse(used, free, None, None)
        hourly = (used - before) * HOUR_US // (now - begin)
        return DiskUse(used, free, hourly, free // hourly if hourly else None)


def _megabytes(size: int) -> int:
    return -(-size // 1_000_000)


class HealthFacts(Struct):
    """The warnings of the start, and the disk's watch: None in a world, which has no files."""

    warnings: list[str] = field(default_factory=list)
    disk: DiskWatch | None = None
