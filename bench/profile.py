"""`python -m bench.profile [TREE...]`: the cost of a signed, durable order, by part of the venue.

Each tree is a checkout of this project; without one it is this. Venues of all trees run in turns,
interpreted, with journal and history, all their processes on one core and the load on another. The
main thread's time is divided as it was sampled; a part's calls into C and the system count as its
own. Samples cost some percent, and the machine's other work far more: compare columns, not days.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from bench import gateway, signed_orders

ROUNDS: Final = 3
OWNERS: Final = 20
SAMPLED: Final = Path(__file__).with_name("sampled_app.py")
PARTS_IN: Final = ("gateway", "history")  # packages whose folders are parts
LEAST_US: Final = 0.5  # smaller costs are told together
WAITING: Final = "main"  # the frame below all others: the event loop's own

Costs = dict[str, float]  # µs an order, by part


class Profiled:
    """A tree's venue that is measured."""

    def __init__(self, folder: Path, tree: Path, running: ExitStack) -> None:
        self.folder = folder
        with _serving(tree, folder) as server:
            self.keys = gateway.furnished(server, OWNERS)
        self.server = running.enter_context(_serving(tree, folder))
        gateway.warm(self.server, self.keys)
        os.kill(self.server.pid, signal.SIGUSR2)
        self.begun = _times(self.server.pid)
        self.orders = 0.0

    def measure(self) -> None:
        """Have as many orders answered as it can in the time."""
        requests = self.folder / "requests"
        signed_orders.write_orders(requests, self.keys)
        figures = gateway._measured(self.server, requests)
        assert not figures.refused, f"{figures.refused} orders were refused"
        self.orders += figures.rate * gateway.SECONDS

    def taken(self) -> Costs:
        """The cost of an order, by process and thread; the venue goes on running."""
        now = _times(self.server.pid)
        return {what: (now[what] - self.begun[what]) / self.orders for what in now}

    def samples(self) -> dict[str, float]:
        """The samples of the main thread's places; once the venue has ended."""
        found: dict[str, float] = json.loads((self.folder / "samples").read_text())
        return found


def profile(trees: list[Path]) -> list[Costs]:
    """The costs of each tree's venue."""
    with tempfile.TemporaryDirectory() as name:
        with ExitStack() as running:
            venues: list[Profiled] = []
            for number, tree in enumerate(trees):
                folder = Path(name) / str(number)
                folder.mkdir()
                venues.append(Profiled(folder, tree, running))
            for _ in range(ROUNDS):
                for venue in venues:
                    venue.measure()
            costs = [venue.taken() for venue in venues]
        return [_divided(cost, venue.samples()) for cost, venue in zip(costs, venues, strict=True)]


def _divided(costs: Costs, samples: dict[str, float]) -> Costs:
    """The main thread's cost by part, after those of the others."""
    main = costs.pop("main thread")
    parts: Costs = defaultdict(float)
    for file, spent in samples.items():
        parts[_part(file)] += spent
    every = sum(parts.values())
    return {"all": main + sum(costs.values()), **costs} | {
        part: main * parts[part] / every for part in sorted(parts, key=lambda one: -parts[one])
    }


def _part(file: str) -> str:
    first, *others = file.split("/")
    if not others:
        return "event loop" if first == f"{WAITING}.py" else first.removesuffix(".py")
    return f"{first}/{others[0].removesuffix('.py')}" if first in PARTS_IN else first


def _times(pid: int) -> Costs:
    """Processor time so far of the main thread, the other threads and the helpers, µs."""
    tick_us = 1e6 / os.sysconf("SC_CLK_TCK")
    found = {"main thread": 0.0, "journal's thread": 0.0, "history's process": 0.0}
    for task in Path(f"/proc/{pid}/task").iterdir():
        what = "main thread" if task.name == str(pid) else "journal's thread"
        found[what] += _ticks(task) * tick_us
    for child in gateway._children(pid):
        found["history's process"] += _ticks(Path(f"/proc/{child}")) * tick_us
    return found


def _ticks(process: Path) -> int:
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@contextmanager
def _serving(tree: Path, folder: Path) -> Iterator[gateway.Server]:
    """A tree's venue on the state in a folder, where its samples will be too."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    command = [str(SAMPLED), str(tree), str(folder / "base"), str(folder / "ready"), "on"]
    with gateway.started(folder, [*command, str(folder / "samples")], environment) as server:
        yield server


def main(trees: list[str]) -> int:
    """Print a table with a column for each tree."""
    for command in ("wrk", "taskset"):
        if shutil.which(command) is None:
            print(gateway.MISSING.format(command, command), file=sys.stderr)
            return 2
    paths = [Path(tree).resolve() for tree in trees] or [gateway.ROOT]
    columns = profile(paths)
    parts = list(dict.fromkeys(part for costs in columns for part in costs))
    small = [part for part in parts if max(costs.get(part, 0) for costs in columns) < LEAST_US]
    for part in [*(part for part in parts if part not in small), *(["others"] if small else [])]:
        summed = small if part == "others" else [part]
        figures = [sum(costs.get(one, 0) for one in summed) for costs in columns]
        print(f"{part:<24}" + "".join(f"{figure:>10.1f}" for figure in figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
