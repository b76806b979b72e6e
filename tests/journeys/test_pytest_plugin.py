"""The pytest plugin: the example's tests, and its words to a user when something is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.reports import data_of
from support.server import Server

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "files" / "plugin_tests.txt"


def run(
    folder: Path, *words: str, cached: bool = False, **variables: str
) -> subprocess.CompletedProcess[str]:
    """pytest as a user runs it, with no configuration of ours, and without plugins that users of
    the venue do not have and that take seconds to load."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", "--tb=short", *words]
    for name in ("schemathesis", "hypothesispytest") + ("cacheprovider",) * (not cached):
        command += ["-p", f"no:{name}"]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_example(tmp_path: Path) -> None:
    done = run(tmp_path, str(ROOT / "examples" / "test_my_bot.py"))
    assert "20 passed" in done.stdout, done.stdout
    assert done.returncode == 0


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    (tmp_path / "test_wrong.py").write_text(TESTS.read_text())
    done = run(tmp_path, "test_wrong.py")
    for words in (
        "the marker venue has no argument speed; it has seed, clock, at, agents, profile, scenario",
        "the marker venue: seed must be of type int",
        "the marker venue takes its arguments by name",
        "scenario: none.toml: No such file or directory",
        "no venue for this test: PARAM_ERROR (-1142): Parameter 'mode' is invalid:",
        "seed 1\n",
        "venue time 2026-01-01T00:00:00.000Z",
        "fault slow {'kind': 'delay', 'side': 'before', 'ms': 1}: 0 of 0",
        "alice: 1 open order; spot ",
        "bob: 0 open orders; spot 10.00000000 BTC, 1000000.00000000 USDT, ",
        "alice  place_order  200",
        "    venue post /api/v3/order --as alice",
        "(5 before)",
        "PARAM_ERROR (-1142): Parameter 'id' is invalid: lies before command",
        "2 failed, 7 passed, 5 errors",
    ):
        assert words in done.stdout, (words, done.stdout)
    assert "During handling" not in done.stdout


def test_the_run_of_a_failed_test_is_kept(tmp_path: Path) -> None:
    (tmp_path / "test_lost.py").write_text(
        "def test_a_bot(venue):\n"
        "    venue.operator('create_owner', name='erin')\n"
        "    assert False\n"
    )
    done = run(tmp_path, "test_lost.py", cached=True)
    kept = tmp_path / ".pytest_cache" / "d" / "venue" / "test_a_bot.venue"
    assert f"venue open {kept}" in done.stdout, done.stdout
    command = [sys.executable, "-m", "venue", "replay", str(kept)]
    replayed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "state" in replayed.stdout


def test_the_report_of_a_failed_test_tells_of_its_venue(tmp_path: Path) -> None:
    """Faults of the test do not meet its questions, which do not count as hits either."""
    (tmp_path / "test_lost.py").write_text(
        "import pytest, venue as client\n"
        "def test_a_bot(venue, venue_world):\n"
        "    venue.faults.add('drop_after', operation='*', id='mute')\n"
        "    with pytest.raises(client.Unreachable):\n"
        "        venue.ask('alice', 'place_order', symbol='BTCUSDT', side='BUY', type='LIMIT',\n"
        "                  quantity='0.01', price='60000', timeInForce='GTC')\n"
        "    assert 'this' == 'that'\n"
    )
    done = run(tmp_path, "test_lost.py", cached=True)
    folder = tmp_path / ".pytest_cache" / "d" / "venue"
    assert "1 failed" in done.stdout, done.stdout
    assert "fault mute {'kind': 'drop_after', 'side': 'after'}: 1 of 1\n" in done.stdout
    for name in ("test_a_bot", "test_a_bot-2"):
        assert f"report {folder / name}.html" in done.stdout, done.stdout
    data = data_of(folder / "test_a_bot.html")
    assert data.verdict is not None
    assert data.verdict.title == "test_a_bot: AssertionError: assert 'this' == 'that'"
    assert [(one.operation, one.status) for one in data.wire] == [("place_order", None)]
    replies = {(one.name, one.owner): one.reply for one in data.replies}
    assert [one["hits"] for one in replies["faults", ""]] == [1]
    assert [one["price"] for one in replies["open_orders", "alice"]] == ["60000.00"]
    assert data.lacking == []


def test_a_report_that_cannot_be_written_hides_no_failure(tmp_path: Path) -> None:
    (tmp_path / "test_lost.py").write_text(
        "def test_a_bot(venue, request):\n"
        "    folder = request.config.cache.mkdir('venue')\n"
        "    (folder / 'test_a_bot.html').mkdir()\n"
        "    assert 'this' == 'that'\n"
    )
    done = run(tmp_path, "test_lost.py", cached=True)
    assert "assert 'this' == 'that'" in done.stdout, done.stdout
    assert "no report: " in done.stdout
    assert "1 failed" in done.stdout


def test_a_program_is_tested_unchanged(tmp_path: Path) -> None:
    bot = ROOT / "examples" / "bots" / "unchanged.py"
    (tmp_path / "test_unchanged.py").write_text(
        "import sys\n"
        "def test_a_bot(venue, wire):\n"
        f"    done = venue.run(sys.executable, {str(bot)!r}, name='bob')\n"
        "    assert (done.returncode, done.stdout) == (0, 'open\\n'), done.stderr\n"
        "    assert [one['owner'] for one in wire.entries(operation='place_order')] == ['bob']\n"
        "def test_one_that_goes_astray(venue):\n"
        "    done = venue.run('curl', '-s', 'https://other.example/')\n"
        "    assert done.returncode != 0\n"
        "    assert 'refused, as --only-venue says: other.example' in done.stderr\n"
    )
    done = run(tmp_path, "test_unchanged.py")
    assert "2 passed" in done.stdout, done.stdout


def test_a_venue_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "test_there.py").write_text(
        "import pytest\n"
        "def test_here(venue, wire):\n"
        "    venue.ask('alice', 'open_orders')\n"
        "    assert [one['operation'] for one in wire.entries()] == ['open_orders']\n"
        "@pytest.mark.venue(seed=3)\n"
        "def test_another(venue):\n"
        "    pass\n"
    )
    with Server("--no-agents", folder=tmp_path / "server") as server:
        done = run(tmp_path, "test_there.py", VENUE_URL=server.url)
        worlds = server.client().get("/_venue/worlds").json
        assert server.stop() == 0
    assert worlds == []
    assert "1 passed, 1 error" in done.stdout
    assert "the venue at VENUE_URL has its own seed, at, agents, profile and scen" in done.stdout
    done = run(tmp_path, "test_there.py::test_here", VENUE_URL=server.url)
    assert (
        "no venue for this test: create_world: no venue answers at http://127.0.0.1:" in done.stdout
    )
