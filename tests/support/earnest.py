"""A venue not for practice: `python -m support.earnest dev ...` runs the `venue` command."""

from __future__ import annotations

from asyncio.subprocess import Process
from collections.abc import Callable

from msgspec import structs

import venue.main
from venue.cli.app import main

_run = venue.main.run


async def run(
    options: venue.main.Options,
    ready: Callable[[venue.main.Running], None],
    process: Process | None = None,
) -> int:
    """As `venue.main.run`, with money that is somebody's own."""
    return await _run(structs.replace(options, practice=False), ready, process)


if __name__ == "__main__":
    vars(venue.main).update(run=run)
    main()
