"""`python -m bench [SECTION...]`: measure, print the table; exit code 1 when something is short."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from bench import (
    clock,
    contracts,
    copying,
    core,
    gateway,
    growth,
    gym,
    library,
    markets,
    opening,
    overload,
    pauses,
    plugin,
    queues,
    replay,
    reverts,
    slices,
    stream_orders,
    streams,
    worlds,
)
from bench.table import header, line

SECTIONS = {
    "core": core.run,
    "replay": replay.run,
    "contracts": contracts.run,
    "slices": slices.run,
    "copying": copying.run,
    "queues": queues.run,
    "growth": growth.run,
    "clock": clock.run,
    "reverts": reverts.run,
    "opening": opening.run,
    "library": library.run,
    "gym": gym.run,
    "worlds": worlds.run,
    "plugin": plugin.run,
    "markets": markets.run,
    "gateway": gateway.run,
    "streams": streams.run,
    "entry": stream_orders.run,
}
BY_HAND = {"overload": overload.run, "pauses": pauses.run}  # each takes minutes


def main(names: list[str]) -> int:
    """Run the named sections, or all; 0 when no figure falls short."""
    known = SECTIONS | BY_HAND
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no section {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    print(f"CPU {_cpu()}, {os.cpu_count()} cores; Python {platform.python_version()}; {_commit()}")
    print(header(), flush=True)
    short: list[str] = []
    for name in names or list(SECTIONS):
        began = time.perf_counter()
        section = known[name]()
        print(f"-- {name}")
        for row in section.rows:
            print(line(row))
        for note in section.notes:
            print(f"   {note}")
        if section.failure:
            print(f"   FAILED: {section.failure}")
        print(f"   ({time.perf_counter() - began:.0f} s)", flush=True)
        if not section.ok:
            short.append(name)
    print(f"FALLS SHORT: {', '.join(short)}" if short else "everything is as fast as needed")
    return 1 if short else 0


def _cpu() -> str:
    path = Path("/proc/cpuinfo")
    for entry in path.read_text().splitlines() if path.is_file() else []:
        if entry.startswith("model name"):
            return entry.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "commit unknown"
    return f"commit {done.stdout.strip()}" if done.returncode == 0 else "commit unknown"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
