"""A disk for the journal that is watched, and that can refuse to sync.

`python -m support.disk SYNCS dev ...` runs the `venue` command on a disk whose sync of that number
fails.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from venue.cli.app import main

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Disk(apsw.VFS):
    """Logs what is done to files: (what, file, offset or size, data); can refuse one sync."""

    def __init__(self, refuse: int = 0) -> None:
        super().__init__("watched", "", makedefault=True)
        self.log: list[tuple[str, str, int, bytes]] = []
        self.refuse = refuse  # the number of the sync that fails; 0: none
        self.syncs = 0

    def note(self, what: str, file: str = "", at: int = 0, data: bytes = b"") -> None:
        self.log.append((what, file, at, data))

    def xOpen(  # noqa: N802
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        return DiskFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.note("delete", Path(filename).name)


class DiskFile(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        assert name is not None
        self.disk = disk
        self.name = Path(name if isinstance(name, str) else name.filename()).name

    def xWrite(self, data: Buffer, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self.disk.note("write", self.name, offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self.disk.note("truncate", self.name, newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.disk.syncs += 1
        if self.disk.syncs == self.disk.refuse:
            raise apsw.IOError("this sync is refused")
        super().xSync(flags)
        self.disk.note("sync", self.name)


if __name__ == "__main__":
    disk = Disk(int(sys.argv.pop(1)))
    main()
