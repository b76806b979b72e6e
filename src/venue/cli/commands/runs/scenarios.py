"""`venue run`: a scenario's file against a practice venue of its own."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter

from venue.cli.operator import Output, Profiled, die
from venue.cli.printing import tell
from venue.times import instant_text

if TYPE_CHECKING:
    from venue.practice import Practice
    from venue.scenario.file import Scenario
    from venue.scenario.runner import Outcome


def run(
    file: Annotated[str, Parameter(help="The scenario, a TOML file.")],
    *,
    profile: Profiled = "document",
    output: Output = "text",
) -> None:
    """Run a scenario's steps against a venue of its own; ends with 1 when one does not go as
    expected."""
    from venue.practice import NotStarted, Practice
    from venue.scenario.file import load
    from venue.scenario.refused import ScenarioRefused
    from venue.scenario.runner import ScenarioFailed

    try:
        scenario = load(file)
        with (
            tempfile.TemporaryDirectory(prefix="venue-") as folder,
            Practice(Path(folder), "--profile", profile, *options(scenario)) as practice,
        ):
            held = _run_steps(scenario, practice, output)
    except (ScenarioRefused, NotStarted) as problem:
        die(str(problem))
    except ScenarioFailed as problem:
        die(str(problem), 1)
    sys.exit(0 if held else 1)


def options(scenario: Scenario) -> list[str]:
    """How the scenario's venue is started."""
    given = [
        "--seed",
        str(scenario.seed),
        "--clock",
        "manual",
        "--at",
        instant_text(scenario.clock),
    ]
    return given if scenario.agents else [*given, "--no-agents"]


def _run_steps(scenario: Scenario, practice: Practice, output: str) -> bool:
    """Print how each step goes; whether all went as expected."""
    from venue.scenario.runner import Runner

    done: list[Any] = []
    held = True
    if output == "text":
        tell(f"{scenario.title} (seed {scenario.seed})")
    for outcome in Runner(scenario, practice.url).run():
        held = held and not outcome.problems
        if output == "json":
            done.append(
                {"step": outcome.step, "at": outcome.at // 1_000, "sent": outcome.said,
                 "status": outcome.status, "problems": outcome.problems}
            )  # fmt: skip
        else:
            tell(_line(outcome), flush=True)
    if output == "json":
        tell(json.dumps({"title": scenario.title, "seed": scenario.seed, "steps": done}))
    elif held:
        tell("as expected")
    return held


def _line(outcome: Outcome) -> str:
    minutes, ms = divmod(outcome.at // 1_000, 60_000)
    seconds, ms = divmod(ms, 1_000)
    hours, minutes = divmod(minutes, 60)
    mark = "FAIL" if outcome.problems else "ok  "
    line = f"{mark} +{hours:02}:{minutes:02}:{seconds:02}.{ms:03} {outcome.step}: {outcome.said}"
    line += f" {outcome.status or ''}".rstrip()
    return "\n".join([line, *(f"       {words}" for words in outcome.problems)])


COMMANDS: Final = {"run": run}
