"""`venue run`: the scenarios of examples/, and how one that goes otherwise ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.waits import WAIT_S
from venue.cli.commands.runs.scenarios import options
from venue.practice import NotStarted, Practice
from venue.scenario.file import load
from venue.scenario.runner import Runner

FILES = sorted((Path(__file__).resolve().parents[2] / "examples" / "scenarios").glob("*.toml"))
COMMAND = [sys.executable, "-m", "venue", "run"]

WRONG = """
title = "An expectation that fails"
agents = false
[[step]]
id = "open"
as = "alice"
send = "place_order"
with = { symbol = "BTCUSDT", side = "BUY", type = "LIMIT", quantity = "0.1", price = "60000" }
[[step]]
as = "alice"
at = "1s"
send = "order"
with = { orderId = "${open.orderId}" }
expect = { status = "FILLED" }
[[step]]
send = "post_index"
every = "1s"
until = "3s"
with = { symbol = "BTCUSDT", source = "nobody", price = "1" }
[[step]]
as = "alice"
send = "order"
with = { orderId = "${open.nothing}" }
"""


def test_there_are_eight() -> None:
    assert len(FILES) >= 8


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_ready_scenario(path: Path, tmp_path: Path) -> None:
    scenario = load(str(path))
    with Practice(tmp_path, *options(scenario)) as practice:
        found = list(Runner(scenario, practice.url).run())
        assert practice.stop() == 0
    assert [one for one in found if one.problems] == []
    assert len(found) == len(scenario.steps)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=WAIT_S
    )


def test_a_failed_expectation_ends_with_1(tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text(WRONG)
    done = run(tmp_path, "wrong.toml", "--output", "json")
    assert (done.returncode, done.stderr) == (1, "")
    steps: list[dict[str, Any]] = json.loads(done.stdout)["steps"]
    assert [step["problems"] for step in steps[:2]] == [[], ["status: expected FILLED, got NEW"]]
    assert [(step["step"], step["at"]) for step in steps[2:]] == [
        ("step 3", 1_000), ("step 4", 1_000), ("step 3", 2_000), ("step 3", 3_000),
    ]  # fmt: skip
    assert "there is no nothing in an object of" in steps[3]["problems"][0]
    assert "refused: 400" in steps[4]["problems"][0]


def test_a_bad_file_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text('title = "t"\n[[step]]\nsend = "pong"\n')
    done = run(tmp_path, "bad.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "venue: bad.toml: step 1, send: there is no operation pong; did you mean ping?\n"
    )


def test_a_venue_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match="--capacity 0: must be from 1"):
        Practice(tmp_path, "--capacity", "0")


def test_the_working_directory_is_not_believed(tmp_path: Path) -> None:
    """A module or a configuration beside the scenario is not the venue's."""
    (tmp_path / "msgspec.py").write_text("raise SystemExit('not ours')")
    (tmp_path / "venue.toml").write_text('[dev]\nhost = "0.0.0.0"\n')
    (tmp_path / "folder").mkdir()
    with Practice(tmp_path / "folder", "--no-agents") as practice:
        assert practice.url.startswith("http://127.0.0.1:")
