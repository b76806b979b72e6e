"""`venue serve`: a real venue begins empty, stays one, and has nothing of practice."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import pytest

import venue
from support.client import Client
from support.real_venue import RIGHTS, SYMBOL, list_market, new_owner, ok, real_venue
from support.server import Server
from support.waits import WAIT_S
from venue.running.founding import OtherKind

PRACTICE_ONLY = [
    ("GET", "/_venue/faults"), ("POST", "/_venue/faults"), ("GET", "/_venue/clock"),
    ("POST", "/_venue/clock/advance"), ("POST", "/_venue/stop"), ("POST", "/_venue/crash"),
    ("POST", "/_venue/index/hold"), ("PUT", "/_venue/snapshots/a"), ("POST", "/_venue/reset"),
    ("POST", "/_venue/snapshots/a/revert"), ("POST", "/_venue/worlds"), ("GET", "/_venue/wire"),
    ("GET", "/_venue/bundle"), ("GET", "/_venue/explain/order/1"),
]  # fmt: skip


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "venue", *arguments],
        capture_output=True, text=True, timeout=WAIT_S, cwd=folder,
    )  # fmt: skip


def order(side: str) -> dict[str, str]:
    return {
        "symbol": SYMBOL, "side": side, "type": "LIMIT", "price": "50000.00", "quantity": "0.5",
    }  # fmt: skip


def free(owner: Client) -> dict[str, Decimal]:
    balances = owner.get("/api/v3/account").json["balances"]
    return {row["asset"]: Decimal(row["free"]) for row in balances}


def test_it_begins_empty_and_its_operator_furnishes_it(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        operator = server.client()
        assert server.facts["accounts"] == []
        assert operator.get("/_venue/owners").json == []
        assert operator.get("/_venue/assets").json == []
        assert operator.get("/api/v3/exchangeInfo").json["symbols"] == []
        assert operator.get("/capi/v3/market/exchangeInfo").json["symbols"] == []
        list_market(operator)
        seller = server.client(new_owner(operator, "erin", BTC="1"))
        buyer = server.client(new_owner(operator, "frank", EUR="50000"))
        assert seller.post("/api/v3/order", order("SELL")).status == 200
        assert buyer.post("/api/v3/order", order("BUY")).status == 200
        assert free(buyer) == {"BTC": Decimal("0.4995"), "EUR": Decimal(25_000)}
        assert free(seller) == {"BTC": Decimal("0.5"), "EUR": Decimal(24_975)}
        assert server.stop() == 0
    with real_venue(tmp_path) as server:  # a restart adds nothing
        owners = server.client().get("/_venue/owners").json
        assert [owner["name"] for owner in owners] == ["erin", "frank"]
        assert server.stop() == 0
    done = run(tmp_path, "verify", "real.db")
    assert done.returncode == 0, done.stderr


def test_nothing_of_practice_is_open(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        operator = server.client()
        for method, path in PRACTICE_ONLY:
            answer = operator.call(method, path, {} if method != "GET" else None)
            assert (answer.status, answer.json["code"]) == (400, -1150), (method, path, answer)
        assert operator.post("/_venue/settings", {"practice": True}).json["code"] == -1142
        assert server.stop() == 0


def test_limits_are_those_of_the_interface(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        (limit,) = server.client().get("/api/v3/exchangeInfo").json["rateLimits"]
        assert limit["limit"] == 500
        assert server.stop() == 0


@pytest.mark.parametrize(
    ("begun", "other", "words"),
    [
        ("serve", "dev", "holds a real venue, which `venue serve` runs"),
        ("dev", "serve", "holds a practice venue, which `venue dev` runs"),
    ],
)
def test_a_file_stays_of_its_kind(tmp_path: Path, begun: str, other: str, words: str) -> None:
    state = tmp_path / "venue.db"
    with Server("--state", str(state), folder=tmp_path, command=begun) as server:
        assert server.stop() == 0
    before = sha256(state.read_bytes()).digest()
    done = run(tmp_path, other, "--state", "venue.db", "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"venue: venue.db {words}"), done.stderr
    assert sha256(state.read_bytes()).digest() == before
    with Server("--state", str(state), folder=tmp_path, command=begun) as server:
        assert server.stop() == 0


def test_the_library_and_a_kill_right_after_the_start_do_not_make_it_practice(
    tmp_path: Path,
) -> None:
    with real_venue(tmp_path) as server:
        server.kill()
    with pytest.raises(OtherKind, match="holds a real venue"):
        venue.Venue(state=tmp_path / "real.db")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--state FILE is missing: a real venue keeps everything in that file"),
        (("--state", ""), "--state FILE is missing"),
        (("--state", "v.db", "--port", "70000"), "--port 70000: must be from 0 to 65535"),
        (("--state", "v.db", "--keep", "1s"), "--keep 1s: must be a span of time from 1h to"),
        (("--state", "v.db", "--trusted-proxy", "x"), "--trusted-proxy x: "),
        (("--state", "v.db", "--agents"), "--agents"),
        (("--state", "v.db", "--clock", "manual"), "--clock"),
    ],
)
def test_options_that_cannot_be_are_refused_and_no_file_is_made(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = run(tmp_path, "serve", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_screen_says_what_is_there(tmp_path: Path) -> None:
    screen = tmp_path / "screen"
    with screen.open("wb") as output:
        process = subprocess.Popen(
            [
                sys.executable, "-m", "venue", "serve", "--state", "v.db", "--port", "0",
                "--ready-file", "ready.json",
            ],
            stdout=output, cwd=tmp_path,
        )  # fmt: skip
        while process.poll() is None and b"^C to stop" not in screen.read_bytes():
            continue
        process.terminate()
        assert process.wait(30) == 0
    text = screen.read_text()
    assert "real venue" in text
    assert "none yet; the operator lists them" in text
    assert "practice" not in text
    assert "alice" not in text
    assert max(map(len, text.splitlines())) <= 110


def test_rights_of_a_key_hold(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        operator = server.client()
        list_market(operator)
        new_owner(operator, "erin", BTC="1")
        made = ok(operator, "keys", {"owner": "erin", "permissions": RIGHTS[:1]})
        assert server.client(made).post("/api/v3/order", order("SELL")).status != 200
        assert server.stop() == 0
