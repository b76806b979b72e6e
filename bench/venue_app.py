"""A venue for `bench.gateway`: as `venue dev --no-limits --no-agents --state FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

import uvloop

from venue.running.options import Options
from venue.running.serving import Running, run


def main(state: str, ready_file: str, projection: str, capacity: str = "", noted: str = "0") -> int:
    """Serve until told to stop; the ready file gets the port. `noted`: requests in the wire log."""
    options = Options(
        port=0,
        state=state,
        agents=False,
        limits=False,
        batch_place=True,
        projection=projection == "on",
        capacity=int(capacity) if capacity else None,
        wire_log=int(noted),
    )

    def ready(running: Running) -> None:
        Path(ready_file).write_text(str(running.port))

    return uvloop.run(run(options, ready))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
