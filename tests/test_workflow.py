"""The workflow for GitHub runs what runs everywhere, and may only read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[1]
RUN = ".ci/run"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"


def faults(workflow: dict[Any, Any]) -> list[str]:
    """The ways in which a workflow is not `.ci/run` on changes, with rights to read alone."""
    # YAML reads the name `on` as true.
    found = [] if set(workflow[True]) == {"push", "pull_request"} else ["it runs at other times"]
    if workflow["permissions"] != {"contents": "read"}:
        found.append("it may do more than read")
    for job in workflow["jobs"].values():
        steps = [step.get("run") for step in job["steps"]]
        if steps[-1] != RUN:
            found.append(f"it does not end with {RUN}")
    return found


def test_the_workflow_calls_the_one_script() -> None:
    assert faults(yaml.safe_load(WORKFLOW.read_bytes())) == []
    assert os.access(ROOT / RUN, os.X_OK)


@pytest.mark.parametrize(
    ("line", "other"),
    [(f"run: {RUN}", "run: make"), ("contents: read", "contents: write"), ("push:", "fork:")],
)
def test_another_workflow_is_seen(line: str, other: str) -> None:
    text = WORKFLOW.read_text()
    assert line in text
    assert faults(yaml.safe_load(text.replace(line, other)))
