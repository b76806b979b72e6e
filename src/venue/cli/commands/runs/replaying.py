"""`venue replay`, `log` and `fork`: show a run's commands, and make a state that continues it."""

from __future__ import annotations

import json
import re
import sys
from typing import Annotated, Any, Final

import msgspec
from cyclopts import Parameter

from venue.cli.commands.runs.opening import RunName
from venue.cli.operator import Output, die, moment, show
from venue.cli.printing import tell
from venue.cli.progress import working
from venue.cli.run_files import in_words
from venue.times import US_PER_MS

DIFFERENT: Final = 1  # an exit code, as `diff` has it
_AT: Final = re.compile(r"(.+)@([0-9]{1,18})")


def replay(
    file: RunName,
    *,
    diff: Annotated[
        str | None, Parameter(help="Another run: the first command in which they differ.")
    ] = None,
    output: Output = "text",
) -> None:
    """Replay a run and print the state it ends in, or where it begins to differ from another."""
    from venue.bundle.replaying import compared, ending
    from venue.bundle.runs import opened_run

    with in_words(), opened_run(file) as run:
        if diff is None:
            with working(f"replaying {file}"):
                end = ending(run)
            if output == "json":
                tell(json.dumps(msgspec.to_builtins(end)))
                return
            tell(f"commands {end.first} to {end.last}, until {moment(end.time // US_PER_MS)}")
            same = ", the same as where it was bundled" if run.state_hash else ""
            tell(f"state {end.state_hash}{same}")
            return
        with opened_run(diff) as other, working(f"replaying {file} and {diff}"):
            found = compared(run, other)
    if output == "json":
        tell(json.dumps(msgspec.to_builtins(found)))
    else:
        tell("\n".join(_difference_lines(found, file, diff)))
    sys.exit(DIFFERENT if found.difference is not None else 0)


def _difference_lines(found: Any, first: str, second: str) -> list[str]:
    """Two runs' first difference, in words."""
    lines = []
    if found.time is not None:
        lines.append(f"times differ from command {found.time} on")
    difference = found.difference
    if difference is None:
        return [*lines, f"commands {found.begin} to {found.last} are the same, so the states are"]
    heads = {
        "COMMAND": f"the first command that differs is {difference.sequence}:",
        "END": f"one ends before command {difference.sequence}:",
        "STATE": f"the states after command {difference.sequence} differ, the first in both:",
    }
    lines.append(heads[difference.what])
    lines += [f"  {first}: {difference.first}", f"  {second}: {difference.second}"]
    for field in difference.fields:
        lines.append(f"  {field.name}: {field.first!r} in the first, {field.second!r} in the other")
    return lines


def log(
    file: RunName,
    *,
    branches: Annotated[
        bool, Parameter(help="The branches that reverts left, and the one that goes on.")
    ] = False,
    after: Annotated[int, Parameter(help="Only commands after this one.")] = 0,
    limit: Annotated[int, Parameter(help="At most so many.")] = 20,
    output: Output = "text",
) -> None:
    """Print a run's commands in its own units (ticks, lots, atoms, µs), or its branches."""
    from venue.bundle.runs import opened_run

    if after < 0:
        die(f"--after {after}: must be at least 0")
    if limit < 1:
        die(f"--limit {limit}: must be at least 1")
    with in_words(), opened_run(file) as run:
        if branches:
            _show_branches(run, output)
        else:
            _show_commands(run, after, limit, output)


def _show_branches(run: Any, output: str) -> None:
    from venue.bundle.replaying import branches

    rows = [msgspec.to_builtins(one) for one in branches(run)]
    for row in rows if output == "text" else ():
        row["left"] = row["left"] or "goes on"
        row["kept"] = row["kept"] or "-"
        for name in ("timeFrom", "timeTo"):
            row[name] = moment(row[name] // US_PER_MS)
    columns = ("number", "begins", "ends", "follows", "kept", "left", "timeFrom", "timeTo")
    show(columns, rows, output, "no commands")


def _show_commands(run: Any, after: int, limit: int, output: str) -> None:
    from venue.bundle.replaying import told

    rows = []
    begin = max(after, run.begin() if run.first is not None else 0)
    for first, commands in run.journal.read(min(begin, run.last())):
        for sequence, command in enumerate(commands, first):
            row = {"sequence": sequence, "time": command.time // US_PER_MS}
            rows.append(row | {"command": told(command)})
            if len(rows) == limit:
                break
        if len(rows) == limit:
            break
    for row in rows if output == "text" else ():
        row["time"] = moment(row["time"])
    show(("sequence", "time", "command"), rows, output, "no commands")


def fork(
    file: Annotated[str, Parameter(help="FILE@SEQ: a run, and the command to continue after.")],
    *,
    out: Annotated[str, Parameter(name=["--out", "-o"], help="The new state file.")],
) -> None:
    """Write a new state file that continues after a command of a run: venue dev --state NEW."""
    from venue.bundle.forking import fork as write
    from venue.bundle.runs import opened_run

    named = _AT.fullmatch(file)
    if named is None:
        die(
            f"{file}: name the command to continue after, as in run.venue@1200; `venue log FILE`"
            " lists them"
        )
    with in_words(), opened_run(named[1]) as run, working(f"writing {out}"):
        made = write(run, int(named[2]), out)
    tell(
        f"{out}: continues after command {made.last}, {moment(made.time // US_PER_MS)};"
        f" state {made.state_hash}"
    )


COMMANDS: Final = {"replay": replay, "log": log, "fork": fork}
