"""The small files of each version from 0.2.0 on, which later versions go on with.

`python -m support.kept` makes those of this version: the folder of a venue that stopped in good
order, of one that ended by kill -9 before a snapshot, and of one that ended so after a stop. They
are made once, when a version is released, and stay as they are.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import venue
from support.copies import python_path
from support.former import FILE, KINDS, make, wait_for_history

KEPT = Path(__file__).resolve().parents[1] / "files" / "kept"
ENDING = ".tar.xz"


def archives() -> list[Path]:
    """Return the archives of all versions, the oldest first."""
    return sorted(KEPT.glob(f"*{ENDING}"))


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive; return the state file."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / FILE


def pack(kind: str) -> Path:
    """Make one archive of this version."""
    archive = KEPT / f"{venue.__version__}-{kind}{ENDING}"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "support.kept", str(Path(folder) / FILE), kind]
        environment = {**os.environ, "PYTHONPATH": python_path()}
        subprocess.run(command, check=False, env=environment)
        wait_for_history(Path(folder))
        with tarfile.open(archive, "w:xz") as packed:
            for path in sorted(Path(folder).iterdir()):
                if not path.name.endswith((".lock", "-shm")):
                    packed.add(path, path.name)
    return archive


def main(arguments: list[str]) -> None:
    """Live one life, or pack those of all kinds."""
    if arguments:
        path, kind = arguments
        asyncio.run(make(Path(path), kind))
        return
    KEPT.mkdir(exist_ok=True)
    for kind in KINDS:
        archive = pack(kind)
        print(f"{archive.name}: {archive.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
