"""The workflow for GitHub runs what runs everywhere, and may only read."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RUN = ".ci/run"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"


def part(workflow: str, name: str) -> list[str]:
    """The lines under a name that stands at the left margin, without their comments."""
    found = re.search(rf"^{name}:\n((?:[ #].*\n|\n)*)", workflow, re.MULTILINE)
    lines = found[1].splitlines() if found else []
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def names(lines: list[str], depth: int) -> list[str]:
    """The names that stand `depth` spaces from the left."""
    found = [re.match(rf" {{{depth}}}([\w-]+):", line) for line in lines]
    return [one[1] for one in found if one]


def faults(workflow: str) -> list[str]:
    """The ways in which a workflow is not `.ci/run` on changes, with rights to read alone."""
    found = []
    if names(part(workflow, "on"), 2) != ["push", "pull_request"]:
        found.append("it runs at other times")
    jobs = part(workflow, "jobs")
    own = any("permissions:" in line for line in jobs)
    if own or part(workflow, "permissions") != ["  contents: read"]:
        found.append("it may do more than read")
    if len(names(jobs, 2)) != 1 or jobs[-1] != f"      - run: {RUN}":
        found.append(f"it is not one job that ends with {RUN}")
    return found


def test_the_workflow_calls_the_one_script() -> None:
    assert faults(WORKFLOW.read_text()) == []
    assert os.access(ROOT / RUN, os.X_OK)


@pytest.mark.parametrize(
    ("line", "other"),
    [
        (f"run: {RUN}", "run: make"),
        ("contents: read", "contents: write"),
        ("contents: read", "contents: read\n  packages: write"),
        ("push:", "fork:"),
        ("push:", "schedule:\n  push:"),
        ("timeout-minutes: 60", "permissions: write-all"),
    ],
)
def test_another_workflow_is_seen(line: str, other: str) -> None:
    text = WORKFLOW.read_text()
    assert line in text
    assert faults(text.replace(line, other))
