"""The `venue` command: help, ready file, environment formats, faucet, verify, rebuild-history."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from support.command import run, run_in
from support.copies import CLEAN
from support.server import Server
from support.tools import needed
from support.waits import WAIT_S
from venue import compiled
from venue.journal import built
from venue.journal.journal import Snapshot
from venue.journal.opening import open_journal


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", folder=tmp_path_factory.mktemp("command")) as found:
        yield found
        assert found.stop() == 0


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a venue that was stopped."""
    folder = tmp_path_factory.mktemp("stopped")
    with Server("--state", str(folder / "venue.db"), "--no-agents", folder=folder) as found:
        assert found.stop() == 0
    return folder


@pytest.fixture
def state(stopped: Path, tmp_path: Path) -> Path:
    """A copy of its files, to be damaged; of the journal the path."""
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    return tmp_path / "venue.db"


def command(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "venue", *arguments],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("version",),
        ("env", "bob", "--format", "dotenv"),
        ("env", "mallory"),
        ("nonsense",),
        ("dev", "--help"),
        ("status", "--url", "nonsense"),
        ("status",),
    ],
)
def test_a_copy_of_a_ready_command_does_what_a_fresh_one_does(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    """Most tests run such copies: see `support.ready_command`."""
    (tmp_path / "venue.toml").write_text('[status]\noutput = "json"\n')
    given = {"VENUE_URL": "http://127.0.0.1:1", "HOME": str(tmp_path)}
    fresh = subprocess.run(
        [sys.executable, "-m", "venue", *arguments],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        cwd=tmp_path,
        env={**CLEAN, "NO_COLOR": "1", "COLUMNS": "200", **given},
        stdin=subprocess.DEVNULL,
    )
    copied = run_in(tmp_path, *arguments, **given)
    assert copied.returncode == fresh.returncode
    assert copied.stdout == fresh.stdout
    assert copied.stderr == fresh.stderr
    assert fresh.stdout + fresh.stderr


def test_help_imports_neither_server_nor_database() -> None:
    script = (
        "import sys\nfrom venue.cli.app import app\n"
        "app(['dev', '--help'], exit_on_error=False, result_action='return_value')\n"
        "print(sorted({'uvicorn', 'apsw', 'asyncio'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT_S
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
    assert "File to keep everything in" in done.stdout


def test_only_the_helper_imports_the_store_of_history() -> None:
    """The server has the questions, and what they ask by; it writes no row and reads none."""
    script = (
        "import sys\nimport venue.running.serving\nimport venue.gateway.operations.bindings\n"
        "print(sorted(one for one in sys.modules if one.startswith('venue.history')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT_S, check=True
    )
    assert "'venue.history.questions.spot'" in done.stdout
    for of_the_helper in ("store", "settled", "projection.projector", "process.worker"):
        assert f"'venue.history.{of_the_helper}'" not in done.stdout


def test_version() -> None:
    name, engine = command("version").stdout.splitlines()
    assert name == built.name()
    assert engine.startswith(f"engine {compiled.engine()}")


def test_ready_file_tells_where_and_who(tmp_path: Path) -> None:
    with Server(folder=tmp_path) as server:
        facts = server.facts
        assert facts["pid"] == server.process.pid
        assert facts["ws_spot"] == facts["rest"].replace("http", "ws") + "/spot/v3/ws"
        assert facts["ws_contract"] == facts["rest"].replace("http", "ws") + "/contract/v3/ws"
        assert [account["name"] for account in facts["accounts"]] == [
            "alice", "bob", "carol", "dave",
        ]  # fmt: skip
        alice = facts["accounts"][0]
        assert (alice["key"], alice["secret"], alice["passphrase"]) == (
            "demo-alice", "demo-alice-secret", "demo",
        )  # fmt: skip
        assert alice["permissions"] == ["READ", "SPOT_TRADE", "CONTRACT_TRADE"]
        assert facts["accounts"][3]["permissions"] == ["READ"]
        assert server.client(alice).get("/api/v3/account/").json["uid"] == alice["uid"]
        assert server.stop() == 0


def started(folder: Path, *arguments: str) -> str:
    """The text that `venue dev` prints until it answers; it is stopped then."""
    ready = folder / "ready.json"
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "venue",
            "dev",
            "--port",
            "0",
            "--ready-file",
            str(ready),
            *arguments,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Ready in" in line or line.startswith("{"):
            break
    process.terminate()
    assert process.wait(30) == 0
    process.stdout.close()
    return "".join(lines)


def test_the_banner_fits_one_screen_and_says_where_data_is(tmp_path: Path) -> None:
    text = started(tmp_path)
    assert len(text.splitlines()) <= 24
    assert max(map(len, text.splitlines())) <= 110
    assert "in memory, lost on exit" in text
    assert "demo-alice / demo-alice-secret / demo" in text
    state = tmp_path / "venue.db"
    assert str(state) in started(tmp_path, "--state", str(state))


def test_the_banner_tells_what_can_be_called(tmp_path: Path) -> None:
    screen = started(tmp_path, "--host", "0.0.0.0", "--no-demo-keys")
    (port,) = re.findall(r"http://127[.]0[.]0[.]1:([0-9]+) ", screen)
    assert f"from elsewhere: an address of this machine, port {port}" in screen
    assert "0.0.0.0" not in screen
    assert "alice --format" not in screen
    assert "key create alice --permission READ" in screen


def test_output_json_prints_one_object(tmp_path: Path) -> None:
    facts = json.loads(started(tmp_path, "--output", "json"))
    assert facts == json.loads((tmp_path / "ready.json").read_text())


def test_demo_keys_stay_on_loopback() -> None:
    done = command("dev", "--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 2
    assert "demo keys are published" in done.stderr


@pytest.mark.parametrize("capacity", ["0", "-1", "1000001"])
def test_a_capacity_out_of_range_is_refused_in_words(capacity: str) -> None:
    done = command("dev", f"--capacity={capacity}", "--port", "0")
    assert done.returncode == 2
    assert done.stderr == f"venue: --capacity {capacity}: must be from 1 to 1000000\n"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("account", "carol"), "carol"),
        (("clock", "advance", "-5s"), "-5s"),
        (("clock", "advance", "--to-next", "[bogus]"), '"[bogus]"'),
        (("snapshot", "bogus"), '"bogus"'),
        (("crash", "BTCUSDT"), "--change"),
        (("nonsense",), '"nonsense"'),
        (("status", "extra"), "extra: this command takes no more arguments"),
        (("faucet", "alice", "nowhere", "USDT", "5"), "none of spot, contract, funding"),
        (("env", "alice", "--url", "nonsense"), "'nonsense' is no address of a venue"),
        (("tail", "BTCUSDT@trade", "--count", "0"), "--count 0: must be 1 or more"),
        (("dev", "--depth-ms", "-5"), "--depth-ms -5: must be from 0 to 60000"),
        (("dev", "--depth-ms", "60001"), "--depth-ms 60001: must be from 0 to 60000"),
    ],
)
def test_arguments_that_no_command_takes_are_refused_in_one_line(
    arguments: tuple[str, ...], word: str
) -> None:
    done = run(*arguments, COLUMNS="40")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("venue: ")
    assert word in line


def test_a_taken_port_is_named(server: Server) -> None:
    done = command("dev", "--port", str(server.port))
    assert done.returncode == 2
    assert f"port {server.port} on 127.0.0.1 is in use" in done.stderr


def test_faucet_and_transfer_move_money(tmp_path: Path) -> None:
    with Server("--no-agents", folder=tmp_path) as server:
        done = command("faucet", "carol", "SPOT", "USDT", "1000.5", "--url", server.url)
        assert done.stdout == "carol SPOT USDT +1000.50000000 -> 1000.50000000\n", done.stderr
        moved = command("transfer", "carol", "SPOT", "FUNDING", "USDT", "0.5", "--url", server.url)
        assert moved.stdout.splitlines() == [
            "carol SPOT USDT -0.50000000 -> 1000.00000000",
            "carol FUNDING USDT 0.50000000 -> 0.50000000",
        ]
        refused = command(
            "transfer", "carol", "SPOT", "FUNDING", "USDT", "1e9", "--url", server.url
        )
        assert refused.returncode == 2
        assert "amount" in refused.stderr
        balances = server.client("carol").get("/api/v3/account/").json
        assert balances["balances"] == [
            {"asset": "USDT", "free": "1000.00000000", "locked": "0.00000000"}
        ]
        assert server.stop() == 0
    gone = command("faucet", "carol", "SPOT", "USDT", "1", "--url", server.url)
    assert gone.returncode == 2
    assert "no venue answers" in gone.stderr


@pytest.mark.parametrize(
    "form", ["sh", "dotenv", "json", "curl", "ccxt-py", "ccxt-js", "freqtrade", "node", "go"]
)
def test_environment_formats_name_the_key(form: str) -> None:
    done = command("env", "bob", "--format", form, "--url", "http://127.0.0.1:9999/")
    assert done.returncode == 0
    assert "demo-bob-secret" in done.stdout
    assert "http://127.0.0.1:9999" in done.stdout
    assert "9999/'" not in done.stdout
    if form in ("json", "freqtrade"):
        json.loads(done.stdout)


def test_environment_of_a_stranger() -> None:
    done = run("env", "mallory")
    assert done.returncode == 2
    assert "no demo account, and no key is at hand: set VENUE_KEY" in done.stderr
    half = run("env", "mallory", VENUE_KEY="k", VENUE_SECRET="s")
    assert half.returncode == 2
    assert "belong together" in half.stderr


ODD = {"VENUE_KEY": "k'\"$(x)`y`", "VENUE_SECRET": "a b#\\", "VENUE_PASSPHRASE": "p"}


def test_environment_of_an_owner_whose_key_is_at_hand(tmp_path: Path) -> None:
    """Each format spells every character as it is."""
    text = {
        form: run("env", "erin", "--format", form, **ODD).stdout
        for form in ("sh", "json", "dotenv", "ccxt-py", "node")
    }
    assert json.loads(text["json"]) == {"VENUE_URL": "http://127.0.0.1:8787", **ODD}
    assert text["dotenv"].splitlines()[1:] == [
        f"VENUE_KEY={json.dumps(ODD['VENUE_KEY'])}", "VENUE_SECRET='a b#\\'", "VENUE_PASSPHRASE=p",
    ]  # fmt: skip
    shell = f"{text['sh']}\nprintenv VENUE_KEY VENUE_SECRET VENUE_PASSPHRASE"
    node = (
        text["node"].rpartition("v('GET'")[0] + "console.log([key, secret, passphrase].join('\\n'))"
    )
    python = text["ccxt-py"].replace("import ccxt", "").replace("ccxt.weex(", "dict(")
    python += "\nprint(exchange['apiKey'], exchange['secret'], exchange['password'], sep='\\n')"
    for words in (
        ["sh", "-c", shell],
        [needed("node"), "-e", node],
        [sys.executable, "-c", python],
    ):
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=CLEAN)
        assert done.stdout.splitlines() == list(ODD.values()), done.stderr


def test_environment_of_a_demo_account_stays_its_own() -> None:
    assert "demo-bob-secret" in run("env", "bob", **ODD).stdout


def test_state_survives_and_verifies(tmp_path: Path) -> None:
    state = tmp_path / "venue.db"
    # Time that passes is part of the state: here none does.
    arguments = ("--state", str(state), "--no-agents", "--clock", "manual")
    order = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.5", "price": "100"}
    with Server(*arguments, folder=tmp_path) as server:
        alice = server.client("alice")
        placed = alice.post("/api/v3/order", order).json
        made = (
            server.client().post("/_venue/keys", {"owner": "alice", "permissions": ["READ"]}).json
        )
        before = server.client().get("/_venue/health").json
        assert server.stop() == 0
    for file in ("venue.db", "venue.db.history", "venue.db.keys"):
        assert (tmp_path / file).stat().st_mode & 0o077 == 0 or file.endswith(".history")

    verified = command("verify", str(state))
    assert verified.returncode == 0, verified.stderr
    assert before["stateHash"] in verified.stdout
    rebuilt = command("rebuild-history", str(state))
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert command("verify", str(state)).returncode == 0

    with Server(*arguments, folder=tmp_path) as server:
        assert server.client().get("/_venue/health").json["stateHash"] == before["stateHash"]
        reader = server.client(made)
        (found,) = reader.get("/api/v3/openOrders").json
        assert found["orderId"] == placed["orderId"]
        assert reader.post("/api/v3/order", order).status == 403
        server.kill()
    with Server(*arguments, folder=tmp_path) as server:
        alice = server.client("alice")
        assert alice.get("/api/v3/openOrders").json == [found]
        locked = alice.get("/api/v3/account/").json["balances"][1]["locked"]
        assert Decimal(locked) == 50
        assert server.stop() == 0


def test_verify_finds_damage(state: Path, tmp_path: Path) -> None:
    assert command("verify", str(state)).returncode == 0
    raw = bytearray(state.read_bytes())
    at = raw.index(b"alice")
    raw[at] ^= 1
    state.write_bytes(raw)
    done = command("verify", str(state))
    assert done.returncode == 1
    assert "PROBLEM" in done.stderr
    missing = command("verify", str(tmp_path / "nothing.db"))
    assert missing.returncode == 1
    assert "no such journal" in missing.stderr


def test_verify_finds_a_snapshot_of_another_state(state: Path) -> None:
    journal = open_journal(str(state))
    (true,) = journal.snapshots()
    false = Snapshot(true.sequence, true.engine_version, "0" * 32, true.parts)
    journal.save_snapshot(false)
    journal.close()
    done = command("verify", str(state))
    assert done.returncode == 1
    assert f"the snapshot at {true.sequence} is not the replayed state" in done.stderr


def test_a_key_file_others_can_read_is_refused_in_words(state: Path, tmp_path: Path) -> None:
    (tmp_path / "venue.db.keys.master").chmod(0o644)
    done = command("dev", "--state", str(state), "--port", "0")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "venue.db.keys.master" in done.stderr


def test_an_operators_misspelt_parameter_is_refused(server: Server) -> None:
    operator = server.client()
    body = {"owner": "alice", "permissions": ["READ"], "addresses": ["10.1.1.1"]}
    answer = operator.post("/_venue/keys", body)
    assert answer.status == 400
    assert answer.json["code"] == -1142
    assert "addresses" in answer.json["msg"]
    assert len(operator.get("/_venue/keys?owner=alice").json) == 1
