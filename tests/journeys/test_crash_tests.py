"""`venue crashtest`: bots that pass, bots that fail, and commands that are no bots."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.reports import data_of
from support.server import environment
from support.waits import WAIT_S
from venue.crashtest.incidents import ALL

ROOT = Path(__file__).resolve().parents[2]
BOTS = ROOT / "examples" / "bots"
FAST = str(Path(__file__).resolve().parents[1] / "support" / "bot.py")


def crashtest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "venue", "crashtest", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def told(folder: Path) -> dict[str, Any]:
    """The report; the page is there too."""
    assert "<h1>Crash test" in (folder / "crashtest.html").read_text()
    found: dict[str, Any] = json.loads((folder / "crashtest.json").read_text())
    return found


def test_the_bot_that_orders_twice_is_found_and_the_fault_is_one(tmp_path: Path) -> None:
    bot = str(BOTS / "orders_twice.py")
    done = crashtest(tmp_path, "--only", "lost-reply", "--", sys.executable, bot)
    assert (done.returncode, done.stderr) == (1, "")
    (incident,) = told(tmp_path)["incidents"]
    assert [one["rule"] for one in incident["findings"]] == ["an intent was executed twice"]
    assert incident["schedule"] == ["drop_after at placement 1"]
    assert incident["drawn"] == 3
    assert "         venue open crashtest-lost-reply.venue\n" in done.stdout
    assert "         report crashtest-lost-reply.html\n" in done.stdout
    asked = {one.operation for one in data_of(tmp_path / "crashtest-lost-reply.html").wire}
    assert "place_order" in asked
    assert not asked & {"open_orders", "all_orders", "my_trades"}  # its judge has asked for these
    assert "the same as where it was bundled" in replayed(tmp_path / "crashtest-lost-reply.venue")


def replayed(path: Path) -> str:
    command = [sys.executable, "-m", "venue", "replay", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=True)
    return done.stdout


def test_its_mended_version_passes(tmp_path: Path) -> None:
    bot = str(BOTS / "orders_once.py")
    done = crashtest(tmp_path, "--only", "lost-reply", "--", sys.executable, bot)
    assert (done.returncode, done.stderr) == (0, "")
    assert [one["verdict"] for one in told(tmp_path)["incidents"]] == ["passed"]
    assert list(tmp_path.glob("*.venue")) == []


def test_the_bot_that_counts_frames_is_found_and_the_fault_is_one(tmp_path: Path) -> None:
    bot = str(BOTS / "counts_frames.py")
    words = ["--only", "missed-update", "--max-position", "0.05", "--", sys.executable, bot]
    done = crashtest(tmp_path, *words)
    assert (done.returncode, done.stderr) == (1, "")
    (incident,) = told(tmp_path)["incidents"]
    assert incident["findings"] == [
        {"rule": "a limit was not kept", "words": "more than 0.05 of BTCUSDT (spot) was held"}
    ]
    assert incident["schedule"] == ["ws.gap at frame of the account 1"]


def test_its_mended_version_asks_again(tmp_path: Path) -> None:
    bot = str(BOTS / "asks_again.py")
    words = ["--only", "missed-update", "--max-position", "0.05", "--", sys.executable, bot]
    done = crashtest(tmp_path, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert [one["verdict"] for one in told(tmp_path)["incidents"]] == ["passed"]


def test_a_bot_without_a_socket_is_met_by_no_incident_of_streams(tmp_path: Path) -> None:
    names = [one.name for one in ALL if one.on.startswith("ws:")]
    only = [word for name in names for word in ("--only", name)]
    done = crashtest(
        tmp_path, *only, "--only", "slow-socket", "--", sys.executable, FAST, "repeats"
    )
    assert (done.returncode, done.stderr) == (0, "")
    verdicts = {one["name"]: one["verdict"] for one in told(tmp_path)["incidents"]}
    assert verdicts == dict.fromkeys([*names, "slow-socket"], "not met")


def test_the_page_shows_what_the_bots_do() -> None:
    page = (ROOT / "docs" / "crashtest.md").read_text()
    parts = [part.partition("```")[0] for part in page.split("```python\n")[1:]]
    bots = ("orders_twice.py", "orders_once.py", *["counts_frames.py"] * 2, "asks_again.py")
    for part, bot in zip(parts, bots, strict=True):
        assert part in (BOTS / bot).read_text()
    assert sum(len(part.splitlines()) for part in parts) <= 50


def test_the_same_seed_gives_the_same_report_of_a_bot_that_listens_too(tmp_path: Path) -> None:
    pages = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        only = ["--only", "halt", "--only", "stale-stream"]  # an act of the operator, and a rule
        done = crashtest(tmp_path / name, "--seed", "1", *only, "--", sys.executable, FAST, "blind")
        assert (done.returncode, done.stderr) == (1, "")
        incidents = told(tmp_path / name)["incidents"]
        assert [[one["rule"] for one in each["findings"]] for each in incidents] == [
            ["the bot ended by itself"],
            ["an order was placed by a book that had stood still"],
        ]
        assert [len(each["schedule"]) for each in incidents] == [1, 1]
        ends = ("html", "json")
        pages.append([(tmp_path / name / f"crashtest.{end}").read_bytes() for end in ends])
    assert pages[0] == pages[1]


def test_a_venue_that_loses_power_comes_back(tmp_path: Path) -> None:
    done = crashtest(tmp_path, "--only", "restart", "--", sys.executable, FAST, "repeats")
    assert (done.returncode, done.stderr) == (0, "")
    assert [one["verdict"] for one in told(tmp_path)["incidents"]] == ["passed"]


NO_BOTS = [
    (["nonesuch"], [], ["nonesuch cannot be started: there is no such program"]),
    ([sys.executable, FAST, "silent"], [], ["asked the venue at VENUE_URL nothing"]),
    ([sys.executable, FAST, "leaves"], [], ["BUY 0.01000 BTCUSDT is open"]),
    (
        [sys.executable, FAST, "floods"],
        ["--requests", "5", "--stop", "60"],
        ["flooded the venue: it sent more than 100 requests and did not stop"],
    ),
    (
        [sys.executable, FAST, "sockets"],
        [],
        ["flooded the venue: it had more than 100 connections at a time"],
    ),
    (
        [sys.executable, FAST, "unread"],
        [],
        ["the bot did not read its stream: a stream was not read for 3 s"],
    ),
    (
        [sys.executable, FAST, "garbage"],
        [],
        ["the venue closed a stream for what the bot did: 1002 invalid opcode"],
    ),
    (
        [sys.executable, FAST, "nonsense"],
        [],
        ["the venue closed a stream for what the bot did: 1008 more than 100 refused messages"],
    ),
    (
        [sys.executable, FAST, "hangs", "child"],
        ["--seconds", "1", "--stop", "1"],
        ["did not stop: 1 s after SIGTERM it was still there"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("command", "options", "words"), NO_BOTS)
def test_commands_that_are_no_bots_are_told_in_one_line(
    command: list[str], options: list[str], words: list[str], tmp_path: Path
) -> None:
    done = crashtest(tmp_path, *options, "--only", "busy", "--", *command)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("venue: ")
    for word in words:
        assert word in done.stderr
    assert not (tmp_path / "crashtest.json").exists()
    child = tmp_path / "child"
    if child.exists():  # the process that the command had started is gone too
        assert gone(int(child.read_text()))


def test_a_bot_that_dies_of_its_flood_is_told_so_however_late_it_is_seen(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "support.tuned", "crashtest.trial.LOOK_S=30", "crashtest"]
    words = ["--only", "busy", "--", sys.executable, FAST, "sockets"]
    done = subprocess.run(
        [*program, *words], cwd=tmp_path, env=environment(), capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 2
    assert "flooded the venue: it had more than 100 connections at a time" in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "which bot?"),
        (
            ["--only", "lost-replies", "--", "true"],
            "there is no such incident; there are lost-reply",
        ),
        (["--requests", "4", "--", "true"], "--requests 4: must be from 5 to 10000"),
        (["--seed", "-1", "--", "true"], "--seed -1: must be from 0 to 2147483647"),
        (["--stop", "0", "--", "true"], "--stop 0: must be from 1 to 3600"),
        (["--max-position", "NaN", "--", "true"], "--max-position NaN: must be a decimal"),
        (["--max-orders", "-1", "--", "true"], "--max-orders -1: must be 0 or more"),
        (["--report", "no/where", "--", "true"], "--report no/where: no is no folder"),
    ],
)
def test_options_are_refused_in_words(options: list[str], words: str, tmp_path: Path) -> None:
    done = crashtest(tmp_path, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_crash_test_that_is_stopped_leaves_nothing(tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "venue", "crashtest", "--only", "busy", "--"]
    command += [sys.executable, FAST, "hangs", str(tmp_path / "child")]
    os.mkfifo(tmp_path / "child")
    reader = os.open(tmp_path / "child", os.O_RDONLY | os.O_NONBLOCK)
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert select.select([reader], [], [], WAIT_S)[0]
    child = int(os.read(reader, 20))
    os.close(reader)
    running.send_signal(number)
    _, words = running.communicate(timeout=WAIT_S)
    assert (running.returncode, words) == (130, "venue: the crash test was stopped\n")
    assert gone(child)
    assert not [name for name in os.listdir("/proc") if _of(name, str(tmp_path))]


def gone(process: int) -> bool:
    """Whether a process ends, or has ended."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], WAIT_S)[0])
    finally:
        os.close(handle)


def _of(name: str, word: str) -> bool:
    """Whether a process was started with a word."""
    try:
        return name.isdecimal() and word.encode() in Path("/proc", name, "cmdline").read_bytes()
    except OSError:
        return False
