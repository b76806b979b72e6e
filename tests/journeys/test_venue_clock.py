"""Time in the owner's hand: modes, moves, refusals, and the clock after a restart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.clocked import Movable
from support.moved import BEGIN_MS, Moved
from support.raw import order
from support.server import Server
from venue.gateway.access.replay import WINDOW_MS, ReplayGuard
from venue.node.clock import SystemClock
from venue.node.clock_modes import ClockMode, Mode
from venue.node.venue_clock import VenueClock

HOUR_MS = 3_600_000
YEAR_MS = 366 * 24 * HOUR_MS


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    with Moved(tmp_path_factory.mktemp("moved"), "--no-agents") as moved:
        yield moved


def test_time_stands_and_is_the_venues(venue: Moved) -> None:
    told = venue.clock()
    assert told["mode"] == "manual"
    assert told["time"] >= BEGIN_MS
    again = venue.clock()
    assert again["time"] == told["time"]
    assert venue.ok(venue.anyone.get("/api/v3/time")) == {"serverTime": told["time"]}
    assert venue.ok(venue.anyone.get("/capi/v3/market/time"))["serverTime"] == told["time"]


def test_an_advance_tells_what_it_settled(venue: Moved) -> None:
    begin = venue.clock()["time"]
    seen = venue.advance(to_next="funding", dry_run=True)
    assert venue.clock()["time"] == begin
    done = venue.advance(to_next="funding")
    assert (done["from"], done["to"]) == (begin, seen["to"])
    assert done["to"] % (8 * HOUR_MS) == 0
    assert {row["kind"] for row in seen["settled"]} == {"funding"}
    assert venue.clock()["time"] == done["to"]
    assert [row["at"] for row in venue.clock()["next"]] == sorted(
        row["at"] for row in venue.clock()["next"]
    )
    assert len(venue.clock()["next"]) == 10


def test_a_countdown_ends_orders_at_its_second(venue: Moved) -> None:
    alice = venue.clients["alice"]
    alice.at_ms = venue.clock()["time"]
    placed = venue.ok(alice.post("/api/v3/order", order("BTCUSDT", "BUY", "0.1", "60000")))
    venue.ok(alice.post("/api/v3/cancelAllAfter", {"timeout": 10}))
    begin = venue.clock()["time"]
    assert venue.advance(by="9s")["settled"] == []
    done = venue.advance(to_next="countdown")
    assert done["to"] == begin + 10_000
    later = venue.advance(by="1s")["settled"]
    rows = done["settled"] + later
    assert [(row["kind"], row["count"]) for row in rows] == [("countdown", 1)]
    found = venue.ok(alice.get(f"/api/v3/order?orderId={placed['orderId']}"))
    assert found["status"] == "CANCELED"
    assert begin + 10_000 <= found["updateTime"] <= begin + 11_000


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("/advance", {}, "by"),
    ("/advance", {"by": "8h", "to": "2027-01-01T00:00:00Z"}, "exclude"),
    ("/advance", {"by": "-8h"}, "span"),
    ("/advance", {"by": "soon"}, "span"),
    ("/advance", {"by": ""}, "by"),
    ("/advance", {"by": "0s"}, "more than 0"),
    ("/advance", {"by": "367d"}, "366d"),
    ("/advance", {"by": "999999999d"}, "366d"),
    ("/advance", {"by": "1" * 100 + "s"}, "span"),
    ("/advance", {"to": "2025-12-31T23:59:59Z"}, "never goes back"),
    ("/advance", {"to": "2028-01-01T00:00:00Z"}, "366 days"),
    ("/advance", {"to": "2026-13-01T00:00:00Z"}, "must be a time"),
    ("/advance", {"to": "2026-01-02"}, "must be a time"),
    ("/advance", {"to": "1e12"}, "must be a time"),
    ("/advance", {"to_next": "doom"}, "to_next"),
    ("/advance", {"to_next": "countdown"}, "no countdown is due"),
    ("/advance", {"by": "1h", "dryRun": True}, "no such parameter"),
    ("", {}, "mode"),
    ("", {"mode": "fast"}, "mode"),
    ("", {"mode": "rate"}, "rate"),
    ("", {"mode": "rate", "rate": 0}, "rate"),
    ("", {"mode": "rate", "rate": "10000.001"}, "0.001 to 10000"),
    ("", {"mode": "rate", "rate": "0.0001"}, "rate"),
    ("", {"mode": "rate", "rate": -1}, "rate"),
    ("", {"mode": "rate", "rate": "1e3"}, "rate"),
    ("", {"mode": "manual", "rate": 2}, "exclude"),
    ("", {"mode": "manual", "offset": "1h"}, "exclude"),
    ("", {"mode": "offset", "offset": "-1h"}, "span"),
    ("", {"mode": "offset", "offset": "9999999d"}, "366 days"),
    ("", {"mode": "manual", "at": "2025-01-01T00:00:00Z"}, "never goes back"),
    ("", {"mode": "real", "at": "2026-05-01T00:00:00Z"}, "exclude"),
]


@pytest.mark.parametrize(("path", "body", "words"), REFUSED)
def test_bad_input_changes_nothing(
    venue: Moved, path: str, body: dict[str, Any], words: str
) -> None:
    before = venue.clock()
    answer = venue.anyone.post(f"/_venue/clock{path}", body)
    assert answer.status == 400, answer
    assert words in answer.json["msg"], answer
    after = venue.clock()
    assert {**before, "offset": 0} == {**after, "offset": 0}


def test_real_time_is_not_lived_through_from_years_behind(tmp_path: Path) -> None:
    """One request settles at most 366 days, whichever mode it asks for."""
    with Server("--clock", "manual", "--at", "2020-01-01T00:00:00Z", folder=tmp_path) as server:
        client = server.client()
        before = client.get("/_venue/clock").json
        answer = client.post("/_venue/clock", {"mode": "real"})
        assert answer.status == 400, answer
        assert "366 days" in answer.json["msg"]
        assert "take the mode offset" in answer.json["msg"]
        assert client.get("/_venue/clock").json["time"] == before["time"]
        assert client.post("/_venue/clock", {"mode": "offset"}).status == 200


def test_time_ends_where_the_interface_cannot_write_it(tmp_path: Path) -> None:
    """In 2286: a time in ms has 13 digits."""
    last_ms = 9_999_999_999_999
    begin = ("--clock", "manual", "--at", str(last_ms - 10 * 24 * HOUR_MS))
    with Server(*begin, "--no-agents", folder=tmp_path) as server:
        client = server.client()
        now = client.get("/_venue/clock").json["time"]
        for how in ({"by": "11d"}, {"by": f"{last_ms - now + 1}ms"}, {"by": "366d"}):
            answer = client.post("/_venue/clock/advance", {**how, "dry_run": True})
            assert answer.status == 400, answer
            assert str(last_ms) in answer.json["msg"]
        answer = client.post("/_venue/clock/advance", {"by": "1m"})
        assert answer.json["to"] == now + 60_000


def test_time_that_moved_away_from_the_machines_does_not_go_back(tmp_path: Path) -> None:
    with Server("--no-agents", folder=tmp_path) as server:
        client = server.client()
        before = client.get("/_venue/clock").json["time"]
        told = client.post("/_venue/clock/advance", {"by": "8h"}).json
        # Time went on between the question and the advance.
        assert before + 8 * HOUR_MS <= told["to"] <= told["from"] + 8 * HOUR_MS
        clock = client.get("/_venue/clock").json
        assert clock["mode"] == "offset"
        assert 8 * HOUR_MS - 60_000 <= clock["offset"] <= 8 * HOUR_MS
        answer = client.post("/_venue/clock", {"mode": "real"})
        assert answer.status == 400
        assert "never goes back" in answer.json["msg"]
        # Stock clients go on: the machine's time is good, and so is the venue's.
        alice = server.client("alice")
        assert alice.get("/api/v3/account/").status == 200
        ahead = alice.headers("GET", "/api/v3/account/", b"", ahead_ms=clock["offset"])
        assert alice.call("GET", "/api/v3/account/", None, headers=ahead).status == 200
        between = alice.headers("GET", "/api/v3/account/", b"", ahead_ms=4 * HOUR_MS)
        refused = alice.call("GET", "/api/v3/account/", None, headers=between)
        assert refused.json["code"] == -1046


def test_mode_and_time_survive_a_restart(tmp_path: Path) -> None:
    state = ("--state", "venue.db", "--no-agents")
    with Moved(tmp_path, *state) as venue:
        venue.advance(by="90s500ms")
        assert venue.server.stop() == 0
    with Server(*state, folder=tmp_path) as server:
        clock = server.client().get("/_venue/clock").json
        assert (clock["mode"], clock["time"]) == ("manual", BEGIN_MS + 90_500)
        server.kill()
    with Server(*state, folder=tmp_path) as server:
        clock = server.client().get("/_venue/clock").json
        assert (clock["mode"], clock["time"]) == ("manual", BEGIN_MS + 90_500)
        assert server.client().post("/_venue/clock", {"mode": "rate", "rate": "0.5"}).status == 200
    with pytest.raises(RuntimeError, match="time never goes back"):
        Server(*state, "--clock", "manual", "--at", "2025-01-01T00:00:00Z", folder=tmp_path)


@pytest.mark.parametrize("signed_by", ["machine", "venue"])
def test_a_repeated_order_has_one_effect_over_moves_and_restarts(
    tmp_path: Path, signed_by: str
) -> None:
    state = ("--state", "venue.db", "--no-agents")
    with Moved(tmp_path, *state) as venue:
        client = venue.clients["alice"]
        if signed_by == "machine":
            client = venue.server.client("alice")
        body = order("BTCUSDT", "BUY", "0.1", "60000")
        sent = client.headers("POST", "/api/v3/order", _raw(body))
        first = client.post("/api/v3/order", body, headers=sent)
        assert first.status == 200
        assert client.post("/api/v3/order", body, headers=sent).body == first.body
        venue.advance(by="10s")
        assert client.post("/api/v3/order", body, headers=sent).body == first.body
        venue.server.kill()
    with Server(*state, folder=tmp_path) as server:
        again = server.client("alice").post("/api/v3/order", body, headers=sent)
        assert again.json["code"] == -1048, again
        open_orders = server.client("alice").get("/api/v3/openOrders").json
        assert len(open_orders) == 1


@pytest.mark.parametrize("mode", [Mode.OFFSET, Mode.RATE, Mode.MANUAL, Mode.SKIP])
def test_venue_time_ahead_of_the_machines_is_a_doubt_in_the_mode_real_alone(
    mode: Mode, caplog: pytest.LogCaptureFixture
) -> None:
    source = Movable()
    clock = VenueClock(SystemClock(source))
    last = clock.wall() + HOUR_MS * 1000
    setting = ClockMode(mode, offset=HOUR_MS * 1000) if mode is Mode.OFFSET else ClockMode(mode)
    clock.begin(last, setting, None, None)
    assert clock.now() >= last
    assert caplog.text == ""
    clock.put(ClockMode(Mode.MANUAL))
    now = clock.now()
    source.let_pass(HOUR_MS * 1000 + 60_000_000)
    assert now <= clock.wall()
    clock.check_real(now)
    clock.put(ClockMode())
    assert (clock.now() - clock.wall()) // 1_000_000 in (-1, 0)
    assert (clock.problem(), caplog.text) == ("", "")
    real = VenueClock(SystemClock(source))
    real.begin(clock.now() + HOUR_MS * 1000, ClockMode(), None, None)
    assert "ahead of the machine's clock" in caplog.text


def test_what_was_signed_by_one_clock_is_not_repeated_by_the_other() -> None:
    """Venue time comes to where the machine's was when an order was signed."""
    source = Movable()
    clock = VenueClock(SystemClock(source))
    begin = clock.wall() - HOUR_MS * 1000
    clock.begin(0, ClockMode(), ClockMode(Mode.MANUAL), begin)
    guard = ReplayGuard()
    sent = clock.wall() // 1000
    assert guard.enter(sent, b"order", clock.oldest()) is None
    guard.record(sent, b"order", (200, b"done"))
    assert not clock.signs(sent, WINDOW_MS)
    source.let_pass(10 * HOUR_MS * 1000)
    assert guard.enter(sent + 10 * HOUR_MS, b"another", clock.oldest()) is None
    clock.move(begin + HOUR_MS * 1000)
    assert clock.signs(sent, WINDOW_MS)
    assert guard.enter(sent, b"order", clock.oldest()) == (200, b"done")


def _raw(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()
