"""An index held at a price, a crash, and a position that they end, as a user has them done."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command import run
from support.moved import Moved
from support.raw import order
from support.server import Server

BTC, DEMO = "BTCUSDT", "BTCSUSDT"
STEP = 0.003  # of the index, a second


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    with Moved(tmp_path_factory.mktemp("held")) as moved:
        yield moved


def said(venue: Moved, *arguments: str) -> str:
    done = run(*arguments, VENUE_URL=venue.server.url)
    assert done.returncode == 0, done.stderr
    return done.stdout


def contract(venue: Moved, symbol: str) -> dict[str, Any]:
    """A contract as the operator sees it."""
    rows = venue.ok(venue.anyone.get("/_venue/contracts"))
    return next(dict(row) for row in rows if row["symbol"] == symbol)


def index_of(venue: Moved, symbol: str) -> float:
    return float(contract(venue, symbol)["indexPrice"])


def spot_price(venue: Moved, symbol: str) -> float:
    told = venue.ok(venue.anyone.get(f"/api/v3/market/ticker/price?symbol={symbol}"))
    return float(told["price"] if isinstance(told, dict) else told[0]["price"])


def test_a_held_index_is_caught_up_with_step_by_step_and_stays(venue: Moved) -> None:
    before = index_of(venue, BTC)
    assert "it catches up" in said(venue, "index", BTC, "61000", "--hold")
    seen = [before]
    for _ in range(18):
        venue.advance(by="1s")
        seen.append(index_of(venue, BTC))
    # Never faster than its step; agents do not overwrite it.
    assert all(abs(new - old) <= old * STEP + 0.01 for old, new in itertools.pairwise(seen))
    assert seen[-1] == 61000.0
    venue.advance(by="1m")
    assert contract(venue, BTC)["indexPrice"] == "61000.00"
    assert not contract(venue, BTC)["inDoubt"]
    assert abs(spot_price(venue, BTC) / 61000 - 1) < 0.002  # its spot market goes along,
    assert abs(index_of(venue, DEMO) / 61000 - 1) < 0.002  # and the contract that follows it
    (row,) = json.loads(said(venue, "index", "--output", "json"))
    assert (row["symbol"], row["held"], row["price"]) == (BTC, True, "61000.00")
    assert f"{BTC}  True" in said(venue, "index")


def test_a_jump_is_there_at_once_and_marked(venue: Moved) -> None:
    assert f"{BTC} index 62000.00, held at 62000.00\n" == said(
        venue, "index", BTC, "62000", "--hold", "--jump"
    )
    assert contract(venue, BTC)["markPrice"] == "62000.00"
    venue.advance(by="10s")
    assert contract(venue, BTC)["indexPrice"] == "62000.00"


def test_a_held_index_takes_no_price_that_is_posted_once(venue: Moved) -> None:
    """It would move the mark to where nobody holds it, and liquidate."""
    before = venue.clock()["sequence"]
    for jump in ((), ("--jump",), ("--source", "held")):
        done = run("index", BTC, "50000", *jump, VENUE_URL=venue.server.url)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done
        assert "is held at 62000.00" in done.stderr
    assert venue.clock()["sequence"] == before
    assert contract(venue, BTC)["markPrice"] == "62000.00"


def test_a_position_is_liquidated_by_a_crash(venue: Moved) -> None:
    said(venue, "faucet", "carol", "CONTRACT", "USDT", "200")
    said(venue, "buy", BTC, "0.05", "--contract", "--as", "carol")
    assert BTC in said(venue, "positions", "carol")
    line = said(venue, "crash", BTC, "-8%", "--over", "30s")
    assert line.startswith(f"{BTC} goes from 62000.00 to 57040.00 until 2026-01-01T")
    venue.advance(by="15s")
    assert index_of(venue, BTC) == pytest.approx(59520, abs=100)
    done = venue.advance(by="30s")
    assert index_of(venue, BTC) == 57040.0
    assert "liquidation" in {row["kind"] for row in done["settled"]}
    assert said(venue, "positions", "carol") == "carol has no open positions\n"
    (row,) = json.loads(said(venue, "liquidations", "carol", "--output", "json"))
    assert "carol" in said(venue, "explain", "liquidation", str(row["id"]))


def test_a_released_index_follows_its_spot_market_again(venue: Moved) -> None:
    assert "follows its sources again" in said(venue, "index", BTC, "--release")
    assert contract(venue, BTC)["indexSources"] == ["spot"]
    venue.advance(by="20s")
    told = contract(venue, BTC)
    assert (told["indexIsCurrent"], told["inDoubt"]) == (True, False)
    assert index_of(venue, BTC) == pytest.approx(spot_price(venue, BTC), rel=0.003)
    assert said(venue, "index") == "no price is held or moving\n"


def test_a_crash_moves_the_agents_and_so_the_index(venue: Moved) -> None:
    before = spot_price(venue, "SOLUSDT")
    said(venue, "crash", "SOLUSDT", "-10%", "--over", "30s")
    venue.advance(by="45s")
    assert spot_price(venue, "SOLUSDT") == pytest.approx(before * 0.9, rel=0.005)
    assert index_of(venue, "SOLUSDT") == pytest.approx(before * 0.9, rel=0.005)
    said(venue, "crash", "SOLUSDT", "+5%", "--over", "1s")
    venue.advance(by="30s")
    assert index_of(venue, "SOLUSDT") == pytest.approx(before * 0.945, rel=0.01)


def test_a_contract_without_agents_of_its_own_is_held_too(venue: Moved) -> None:
    """Its posted source keeps still meanwhile."""
    said(venue, "index", DEMO, "50000", "--hold", "--jump")
    venue.advance(by="30s")
    assert index_of(venue, DEMO) == 50000.0
    assert index_of(venue, BTC) > 55000
    said(venue, "index", DEMO, "--release")
    assert contract(venue, DEMO)["indexSources"] == ["agents"]
    venue.advance(by="1m")
    assert index_of(venue, DEMO) == pytest.approx(index_of(venue, BTC), rel=0.001)


REFUSED = (
    ("index/hold", {"symbol": "NOPE", "price": "1"}, -1121, "'symbol'"),
    ("index/hold", {"symbol": BTC}, -1141, "'price'"),
    ("index/hold", {"symbol": BTC, "price": "0"}, -1142, "'price'"),
    ("index/hold", {"symbol": BTC, "price": "61000.001"}, -1160, "'price'"),
    ("index/hold", {"symbol": BTC, "price": "99999999999"}, -1140, "'price'"),
    ("index/hold", {"symbol": BTC, "price": "61000", "jump": 7}, -1142, "'jump'"),
    ("index/release", {"symbol": BTC}, -1054, "not held"),
    ("crash", {"symbol": BTC, "change": "8%"}, -1142, "its sign"),
    ("crash", {"symbol": BTC, "change": "-0%"}, -1142, "not 0"),
    ("crash", {"symbol": BTC, "change": "-99.5%"}, -1142, "-99%"),
    ("crash", {"symbol": BTC, "change": "+1001%"}, -1142, "+1000%"),
    ("crash", {"symbol": BTC, "change": "down"}, -1142, "'change'"),
    ("crash", {"symbol": BTC, "change": "-8%", "over": "soon"}, -1142, "'over'"),
    ("crash", {"symbol": BTC, "change": "-8%", "over": "2d"}, -1140, "1s to 1d"),
    ("crash", {"symbol": DEMO, "change": "-8%"}, -1054, "hold its index first"),
)


@pytest.mark.parametrize(("row", "body", "code", "words"), REFUSED)
def test_what_is_refused_changes_nothing(
    venue: Moved, row: str, body: dict[str, Any], code: int, words: str
) -> None:
    before = venue.clock()["sequence"]
    answer = venue.anyone.post(f"/_venue/{row}", body)
    told = json.loads(answer.body)
    assert (answer.status // 100, int(told["code"])) == (4, code), answer
    assert words in told["msg"]
    assert venue.clock()["sequence"] == before


def test_the_command_says_what_does_not_go_together(venue: Moved) -> None:
    for arguments, words in (
        (("index", BTC, "--release", "--hold"), "--release takes"),
        (("index", "--hold"), "which contract"),
        (("index", BTC, "--hold"), "at which price"),
        (("index", BTC, "--jump"), "at which price"),
        (("index", BTC, "--source", "x"), "at which price"),
        (("index", BTC, "1", "--hold", "--source", "x"), "--source"),
        (("index", BTC, "1"), "follows the spot"),
    ):
        done = run(*arguments, VENUE_URL=venue.server.url)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done
        assert words in done.stderr


def test_a_hold_outlives_a_restart_and_needs_no_agents(tmp_path: Path) -> None:
    """No other source gives the index a price here; a posted one gets stale in ten seconds."""
    options = ("--no-agents", "--state", str(tmp_path / "held.db"))
    with Moved(tmp_path, *options) as before:
        said(before, "index", "ETHUSDT", "3000", "--hold")
        before.advance(by="5m")
        assert contract(before, "ETHUSDT")["indexIsCurrent"]
        done = run("crash", "BTCUSDT", "-8%", VENUE_URL=before.server.url)
        assert done.returncode == 2
        assert "hold its index first" in done.stderr
        said(before, "crash", "ETHUSDT", "-20%", "--over", "1m")
        before.advance(by="30s")
        assert index_of(before, "ETHUSDT") == pytest.approx(2700, abs=50)
        assert before.server.stop() == 0
    with Server(*options, folder=tmp_path) as server:
        again = server.client()
        again.post("/_venue/clock/advance", {"by": "2m"})
        rows = json.loads(again.get("/_venue/contracts").body)
        (row,) = [row for row in rows if row["symbol"] == "ETHUSDT"]
        assert (row["indexPrice"], row["indexIsCurrent"]) == ("2400.00", True)
        maker = server.client("alice")
        maker.at_ms = json.loads(again.get("/_venue/clock").body)["time"]
        placed = maker.post("/api/v3/order", order("ETHUSDT", "BUY", "0.1", "2300"))
        assert placed.status == 200, placed
