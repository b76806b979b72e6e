"""The profile of the venues that commands start, and of runs that are read again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from support.command import run, run_in
from support.runs import OpenRun, venue
from support.server import Server
from venue.bundle.file import unsealed, write

HEALTH = "/_venue/health?stateHash=false"
SCENARIO = """
title = "Leverage as the live exchange takes it"
agents = false
[[step]]
as = "alice"
send = "set_leverage"
with = { symbol = "BTCUSDT", marginType = "CROSSED", isolatedLongLeverage = "20" }
expect = { code = -1141 }
"""
BOT = """
import os, sys, urllib.request
with urllib.request.urlopen(os.environ["VENUE_URL"] + "/openapi.json") as answer:
    told = answer.read()
with urllib.request.urlopen(os.environ["VENUE_URL"] + "/api/v3/time"):
    pass
sys.exit(b"Profile live: " not in told)
"""


def profile_of(opened: OpenRun) -> str:
    return str(opened.client.get(HEALTH).json["profile"])


def test_a_scenario_is_run_as_the_live_exchange(tmp_path: Path) -> None:
    (tmp_path / "live.toml").write_text(SCENARIO)
    done = run_in(tmp_path, "run", "live.toml", "--profile", "live")
    assert (done.returncode, done.stderr) == (0, "")
    done = run_in(tmp_path, "run", "live.toml")
    assert done.returncode == 1
    assert "expected" in done.stdout


def test_a_bot_is_tested_as_at_the_live_exchange(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    bot = ("--only", "busy", "--", sys.executable, "bot.py")
    done = run_in(tmp_path, "crashtest", "--profile", "live", *bot)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads((tmp_path / "crashtest.json").read_text())
    assert told["profile"] == "live"
    assert "--profile live" in told["incidents"][0]["again"]
    assert "profile live" in (tmp_path / "crashtest.html").read_text()
    done = run_in(tmp_path, "crashtest", *bot)
    assert done.returncode == 2
    assert "without any incident" in done.stderr


def test_a_new_venue_for_a_command_is_as_the_live_exchange() -> None:
    asks = ("--", sys.executable, "-c", BOT)
    assert run("with", "alice", "--new", "--profile", "live", *asks).returncode == 0
    assert run("with", "alice", "--new", *asks).returncode == 1
    refused = run("with", "alice", "--profile", "live", *asks)
    assert refused.returncode == 2
    assert "--profile is an option of a venue that is started: it needs --new" in refused.stderr


def test_a_run_that_is_opened_has_the_profile_of_its_venue(tmp_path: Path) -> None:
    state, file = tmp_path / "venue.db", tmp_path / "run.venue"
    with Server(
        "--no-agents", "--profile", "live", "--state", str(state), folder=tmp_path
    ) as server:
        assert venue("bundle", "-o", str(file), url=server.url)[0] == 0
        assert server.stop() == 0
    with OpenRun(file) as opened:
        assert profile_of(opened) == "live"
        again = tmp_path / "again.venue"
        assert venue("bundle", "-o", str(again), url=opened.url)[0] == 0
        assert unsealed(again.read_bytes(), "").profile == "live"
    with OpenRun(file, "--profile", "document") as opened:
        assert profile_of(opened) == "document"
    with OpenRun(state) as opened:  # a journal keeps no profile
        assert profile_of(opened) == "document"
    with OpenRun(state, "--profile", "live") as opened:
        assert profile_of(opened) == "live"
    strange = unsealed(file.read_bytes(), "")
    strange.profile = "strict"
    write(str(again), strange)
    code, out, errors = venue("open", str(again), "--port", "0")
    assert (code, out, errors.count("\n")) == (2, "", 1), errors
    assert "make the bundle again" in errors


@pytest.mark.parametrize("command", ["run", "crashtest", "open", "with"])
def test_an_unknown_profile_is_refused(command: str) -> None:
    done = run(command, "x", "--profile", "true")
    assert done.returncode != 0
    assert 'for --profile. Choose from: "document", "live"' in done.stderr
