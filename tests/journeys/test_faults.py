"""Faults over REST: each as a stock client sees it, and its true effect."""

from __future__ import annotations

import ast
import contextlib
import http.client
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ccxt
import pytest

from support.client import Answer
from support.faulty import TIME, TIMER_S, add, hits, refused, resting
from support.moved import Moved
from support.pro import Pro
from support.server import Server, flawless
from support.socket_desk import CONTRACT as DEMO_CONTRACT
from support.socket_desk import SPOT, Product, cancel_all
from support.stock import Stock
from support.waits import WAIT_S
from venue.api.operator.faults import KINDS
from venue.gateway.faults.presets import PRESETS
from venue.gateway.faults.rules import RULES_MAX

CONTRACT = DEMO_CONTRACT._replace(  # stock clients know those that settle in USDT
    open="/capi/v3/openOrders?symbol=BTCUSDT",
    plain={**DEMO_CONTRACT.plain, "symbol": "BTCUSDT"},
)
PRODUCTS = (SPOT, CONTRACT)
FAULTS = Path(__file__).resolve().parents[2] / "docs" / "faults.md"
BY_NAME = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
SYMBOLS = {SPOT.name: "BTC/USDT", CONTRACT.name: "BTC/USDT:USDT"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with flawless("--no-limits", "--seed", "7", folder=tmp_path_factory.mktemp("faults")) as found:
        yield found


@pytest.fixture(autouse=True)
def _nothing_stays(server: Server) -> Iterator[None]:
    yield
    assert server.client().delete("/_venue/faults").status == 200
    cancel_all(server.client("alice"), PRODUCTS)


@pytest.fixture
def alice(server: Server) -> Iterator[Stock]:
    with Stock(server, server.account("alice")) as found:
        yield found


def buy(stock: Stock, product: Product) -> Any:
    """An order that rests, by stock ccxt."""
    side = {"positionSide": "LONG"} if product is CONTRACT else {}
    size = [float(product.plain[name]) for name in ("quantity", "price")]
    return stock("create_order", SYMBOLS[product.name], "limit", "buy", *size, side)


# -- each kind ------------------------------------------------------------------------------------


@BY_NAME
def test_executed_and_the_reply_lost(server: Server, alice: Stock, product: Product) -> None:
    alice("load_markets")
    add(server, "drop_after", match={"operation": "place*", "owner": "alice"}, when={"count": 1})
    with pytest.raises(ccxt.NetworkError):
        buy(alice, product)
    assert resting(server, product) == 1
    assert buy(alice, product)["id"]  # the rule has ended
    assert resting(server, product) == 2


@BY_NAME
def test_lost_before_it_was_executed(server: Server, alice: Stock, product: Product) -> None:
    alice("load_markets")
    add(server, "drop_before", match={"operation": "place*"})
    with pytest.raises(ccxt.NetworkError):
        buy(alice, product)
    assert resting(server, product) == 0


@BY_NAME
@pytest.mark.parametrize(
    ("status", "seen"),
    [
        (418, ccxt.DDoSProtection),
        (429, ccxt.RateLimitExceeded),
        (500, ccxt.ExchangeNotAvailable),
        (503, ccxt.ExchangeNotAvailable),
    ],
)
def test_a_status(
    server: Server, alice: Stock, product: Product, status: int, seen: type[Exception]
) -> None:
    alice("load_markets")
    add(server, "status", status=status, match={"operation": "place*"}, when={"first": 1})
    with pytest.raises(seen):
        buy(alice, product)
    assert resting(server, product) == 0
    add(server, "status", status=status, side="after", match={"operation": "place*"})
    with pytest.raises(seen):
        buy(alice, product)
    assert resting(server, product) == 1


def test_a_status_says_when_to_come_again(server: Server) -> None:
    add(server, "status", status=429, retryAfter=7, id="slow-down")
    answer = server.client().get(TIME)
    assert (answer.status, answer.headers["retry-after"]) == (429, "7")
    assert answer.json == {"code": -1003, "message": "A fault was asked for: HTTP 429."}
    assert answer.headers["x-venue-fault"].endswith(":slow-down")


@BY_NAME
def test_an_error_of_the_interface(server: Server, alice: Stock, product: Product) -> None:
    alice("load_markets")
    words = "FAILED_PRECONDITION: amount not enough"
    add(server, "error", code=-1054, message=words, match={"operation": "place*"})
    with pytest.raises(ccxt.InsufficientFunds):
        buy(alice, product)
    assert resting(server, product) == 0


@BY_NAME
def test_late_behind_the_patience_of_a_client(
    server: Server, alice: Stock, product: Product
) -> None:
    alice("load_markets")
    add(server, "delay", ms=60_000, side="after", match={"operation": "place*"})
    alice.exchange.timeout = 300
    with pytest.raises(ccxt.RequestTimeout):
        buy(alice, product)
    assert resting(server, product) == 1


def test_delays_add_up(server: Server) -> None:
    add(server, "delay", ms=150)
    add(server, "delay", ms=100, side="after", jitterMs=50)
    begun = time.monotonic()
    answer = server.client().get(TIME)
    assert answer.status == 200
    assert time.monotonic() - begun >= 0.25 - TIMER_S  # never sooner
    assert len(answer.headers["x-venue-fault"].split(",")) == 2


@BY_NAME
def test_delivered_twice(server: Server, alice: Stock, product: Product) -> None:
    """The venue knows the same signed request again: it has its effect once."""
    alice("load_markets")
    rule = add(server, "duplicate", match={"operation": "place*"})
    assert buy(alice, product)["id"]
    assert resting(server, product) == 1
    assert hits(server, rule["id"]) == (1, 1)


@BY_NAME
def test_a_book_that_stands_still(server: Server, alice: Stock, product: Product) -> None:
    alice("load_markets")
    symbol = SYMBOLS[product.name]
    add(server, "stale", match={"path": "*", "symbol": product.plain["symbol"], "method": "GET"})
    before = alice("fetch_order_book", symbol)
    buy(alice, product)
    for _ in range(20):
        assert alice("fetch_order_book", symbol)["bids"] == before["bids"]
    server.client().delete("/_venue/faults")
    _moves(alice, symbol, before)


def _moves(alice: Stock, symbol: str, before: Any) -> None:
    """The agents change a book within moments."""
    end = time.monotonic() + WAIT_S
    while alice("fetch_order_book", symbol)["bids"] == before["bids"]:
        assert time.monotonic() < end


def test_ended_orders_lack_their_fills(server: Server, alice: Stock) -> None:
    """A client that takes a missing quantity for 0 thinks that nothing was filled."""
    alice("load_markets")
    symbol = SYMBOLS[CONTRACT.name]
    resting, order = buy(alice, CONTRACT), buy(alice, CONTRACT)
    alice("cancel_order", order["id"], symbol)

    def lacking(info: dict[str, Any]) -> bool:
        return {"executedQty", "cumQuote"}.isdisjoint(info)

    add(server, "sparse", match={"operation": "contract_order*"})
    found = alice("fetch_order", order["id"], symbol)
    (row, *_) = alice("fetch_canceled_and_closed_orders", symbol)
    assert (found["status"], found["filled"]) == ("canceled", None)
    assert [lacking(one["info"]) for one in (found, row)] == [True, True]
    assert not lacking(alice("fetch_order", resting["id"], symbol)["info"])
    server.client().delete("/_venue/faults")
    preset(server, "sparse")
    alice("cancel_order", resting["id"], symbol)
    assert lacking(alice("fetch_order", resting["id"], symbol)["info"])


def test_half_an_answer(server: Server, alice: Stock) -> None:
    add(server, "truncate", match={"operation": "time"})
    whole = server.client().get(TIME)
    assert whole.status == 200
    assert whole.body.startswith(b'{"server')
    with pytest.raises(json.JSONDecodeError):
        assert whole.json
    assert alice("fetch_time") is None  # stock ccxt reads it so


@pytest.mark.parametrize(("side", "left"), [("before", 0), ("after", 1)])
def test_a_reset(server: Server, alice: Stock, side: str, left: int) -> None:
    alice("load_markets")
    add(server, "reset", side=side, match={"operation": "place_order"})
    with pytest.raises((ConnectionResetError, http.client.RemoteDisconnected)):
        server.client("alice").post(SPOT.order, SPOT.plain)
    assert resting(server, SPOT) == left
    with pytest.raises(ccxt.NetworkError):
        buy(alice, SPOT)
    assert resting(server, SPOT) == 2 * left


def test_a_clock_that_is_off(server: Server, alice: Stock) -> None:
    """A client that signs by its own clock is refused; one that follows the venue's is not."""
    alice("load_markets")
    hour_ms = 3_600_000
    add(server, "clock_skew", ms=-hour_ms)
    told = server.client().get(TIME).json["serverTime"]
    assert abs(told - (time.time() * 1000 - hour_ms)) < hour_ms / 2
    with pytest.raises(ccxt.BaseError, match=r"-1046|-1043"):
        buy(alice, SPOT)
    alice.exchange.options["adjustForTimeDifference"] = True
    alice("load_time_difference")
    assert buy(alice, SPOT)["id"]
    server.client().delete("/_venue/faults")
    assert resting(server, SPOT) == 1


def test_a_repetition_by_a_clock_that_is_off_has_no_effect(server: Server) -> None:
    add(server, "clock_skew", ms=-3_600_000)
    alice = server.client("alice")
    raw = b'{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"60000.00"}'
    headers = alice.headers("POST", SPOT.order, raw, ahead_ms=-3_600_000)
    first = alice.post(SPOT.order, raw, headers=headers)
    again = alice.post(SPOT.order, raw, headers=headers)
    assert (first.status, again.body) == (200, first.body)
    server.client().delete("/_venue/faults")
    assert resting(server, SPOT) == 1


@pytest.mark.parametrize("ms", [20_000, -20_000])
@pytest.mark.parametrize("off_first", [True, False])
def test_a_repetition_past_a_clock_that_is_off_has_no_effect(
    server: Server, ms: int, *, off_first: bool
) -> None:
    """A rule hits only one of the two: the signed time is good by either clock."""
    alice = server.client("alice")
    raw = b'{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"60000.00"}'
    headers = alice.headers("POST", SPOT.order, raw, ahead_ms=ms // 2)
    answers = []
    for off in (off_first, not off_first):
        if off:
            add(server, "clock_skew", ms=ms)
        answers.append(alice.post(SPOT.order, raw, headers=headers))
        server.client().delete("/_venue/faults")
    first, again = answers
    assert (first.status, again.body) == (200, first.body)
    assert resting(server, SPOT) == 1


def test_what_was_signed_ahead_for_a_clock_that_is_off_has_its_effect_once(server: Server) -> None:
    """By a clock that is a minute ahead it is in time now, by the venue's own half a minute later:
    until then it is known, by whatever clock it comes."""
    alice = server.client("alice")
    raw = b'{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"60000.00"}'
    headers = alice.headers("POST", SPOT.order, raw, ahead_ms=40_000)
    add(server, "clock_skew", ms=60_000)
    first = alice.post(SPOT.order, raw, headers=headers)
    server.client().delete("/_venue/faults")
    add(server, "clock_skew", ms=25_000)
    again = alice.post(SPOT.order, raw, headers=headers)
    assert (first.status, again.body) == (200, first.body)
    server.client().delete("/_venue/faults")
    assert resting(server, SPOT) == 1


@BY_NAME
def test_orders_are_rejected_and_nothing_else(
    server: Server, alice: Stock, product: Product
) -> None:
    alice("load_markets")
    rule = add(server, "reject_rate", rate="1", code=-1054)
    alice("fetch_order_book", SYMBOLS[product.name])
    with pytest.raises(ccxt.ExchangeError):
        buy(alice, product)
    assert resting(server, product) == 0
    assert hits(server, rule["id"]) == (1, 1)


# -- presets --------------------------------------------------------------------------------------


def preset(server: Server, name: str, **body: Any) -> Answer:
    """Add a preset's rules."""
    return server.client().call("PUT", f"/_venue/faults/presets/{name}", body)


def test_every_preset_can_be_taken(server: Server) -> None:
    known = server.client().get("/_venue/faults/presets").json
    assert len(known) == 12
    for one in known:
        made = preset(server, one["name"])
        assert [rule["id"] for rule in made.json] == one["rules"], made
        assert server.client().delete("/_venue/faults").status == 200


def test_a_preset_is_scaled(server: Server) -> None:
    for rate, shown in (("30%", "0.060000"), ("0.5", "0.100000"), ("100%", "0.200000")):
        (rule,) = preset(server, "lost-replies", rate=rate).json
        assert rule["when"]["probability"] == shown
    assert len(server.client().get("/_venue/faults").json) == 1
    for rate in ("101%", "2", "-1", "much"):
        refused(preset(server, "lost-replies", rate=rate), -1140, "rate")
    refused(preset(server, "sharks"), -1142, "lost-replies")


def test_a_preset_that_has_no_room_adds_no_rule(server: Server) -> None:
    """Rules that stand already are replaced: they need no room."""
    for number in range(RULES_MAX - 2):
        add(server, "delay", ms=1, id=f"other-{number}", match={"path": "/none"})
    refused(preset(server, "stale-book"), -1140, str(RULES_MAX))
    assert len(server.client().get("/_venue/faults").json) == RULES_MAX - 2
    assert server.client().delete("/_venue/faults/other-0").status == 200
    for _ in range(2):
        assert len(preset(server, "stale-book").json) == 3
    assert len(server.client().get("/_venue/faults").json) == RULES_MAX


@BY_NAME
def test_orders_down_and_cancels_down(server: Server, alice: Stock, product: Product) -> None:
    alice("load_markets")
    symbol = SYMBOLS[product.name]
    order = buy(alice, product)
    preset(server, "cancel-only-down")
    with pytest.raises(ccxt.ExchangeNotAvailable):
        alice("cancel_order", order["id"], symbol)
    buy(alice, product)
    server.client().delete("/_venue/faults")
    preset(server, "submit-only-down")
    with pytest.raises(ccxt.ExchangeNotAvailable):
        buy(alice, product)
    alice("cancel_order", order["id"], symbol)
    assert resting(server, product) == 1


def test_maintenance(server: Server, alice: Stock) -> None:
    preset(server, "maintenance")
    with pytest.raises(ccxt.ExchangeNotAvailable):
        alice("fetch_time")
    server.client().delete("/_venue/faults")
    assert alice("fetch_time")


@BY_NAME
def test_lost_replies_execute(server: Server, alice: Stock, product: Product) -> None:
    alice("load_markets")
    preset(server, "lost-replies")
    lost = 0
    for _ in range(40):
        try:
            buy(alice, product)
        except ccxt.NetworkError:
            lost += 1
    assert 0 < lost < 40
    assert resting(server, product) == 40


def test_a_stale_book_and_a_wrong_recovery(server: Server, alice: Stock) -> None:
    alice("load_markets")
    preset(server, "stale-book")
    before = alice("fetch_order_book", "BTC/USDT")
    buy(alice, SPOT)
    assert alice("fetch_order_book", "BTC/USDT")["bids"] == before["bids"]
    preset(server, "wrong-side-recovery")
    with pytest.raises(ccxt.ExchangeNotAvailable):
        buy(alice, SPOT)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("flaky-wifi", ccxt.NetworkError),
        ("exchange-meltdown", ccxt.ExchangeNotAvailable),
    ],
)
def test_wifi_and_meltdown_break_some(
    server: Server, alice: Stock, name: str, seen: type[Exception]
) -> None:
    for rule in preset(server, name).json:  # as it is, but for the time it takes
        if rule["effect"]["kind"] == "delay":
            server.client().delete(f"/_venue/faults/{rule['id']}")
    answered = 0
    for _ in range(60):
        with contextlib.suppress(seen):
            assert alice("fetch_time")
            answered += 1
    assert 0 < answered < 60


def test_it_gets_slower(server: Server, alice: Stock) -> None:
    first, second, _, _ = preset(server, "slow-degradation").json
    begun = time.monotonic()
    assert alice("fetch_time")
    assert time.monotonic() - begun >= 0.1 - TIMER_S  # never sooner
    assert alice.exchange.last_response_headers["X-Venue-Fault"].endswith(first["id"])
    assert (hits(server, first["id"])[1], hits(server, second["id"])[1]) == (1, 0)


def test_midnight(tmp_path: Path) -> None:
    """Streams end with their first frame of the day, and for a while none is opened."""
    with Moved(tmp_path, "--no-agents", "--depth-ms", "0") as venue, Pro(venue.server) as pro:
        venue.advance(by="12h")
        alice = venue.clients["alice"]
        assert alice.post(SPOT.order, SPOT.plain).status == 200
        assert preset(venue.server, "midnight-disconnect").status == 200
        assert pro("watch_order_book", "BTC/USDT")["bids"]
        venue.advance(by="12h")
        assert alice.post(SPOT.order, SPOT.plain).status == 200
        with pytest.raises(ccxt.NetworkError):
            pro.until(lambda: False, "watch_order_book", "BTC/USDT")
        venue.advance(by="29s")
        with pytest.raises(ccxt.NetworkError):
            pro("watch_order_book", "BTC/USDT")
        venue.advance(by="1s")
        assert pro("watch_order_book", "BTC/USDT")["bids"]


# -- all of them ----------------------------------------------------------------------------------

# Of each kind and preset: the test in which a stock client meets it.
STOCK = {
    "test_faults": {
        "delay": "test_late_behind_the_patience_of_a_client",
        "status": "test_a_status",
        "error": "test_an_error_of_the_interface",
        "drop_before": "test_lost_before_it_was_executed",
        "drop_after": "test_executed_and_the_reply_lost",
        "duplicate": "test_delivered_twice",
        "stale": "test_a_book_that_stands_still",
        "sparse": "test_ended_orders_lack_their_fills",
        "truncate": "test_half_an_answer",
        "reset": "test_a_reset",
        "clock_skew": "test_a_clock_that_is_off",
        "reject_rate": "test_orders_are_rejected_and_nothing_else",
        "flaky-wifi": "test_wifi_and_meltdown_break_some",
        "lost-replies": "test_lost_replies_execute",
        "exchange-meltdown": "test_wifi_and_meltdown_break_some",
        "maintenance": "test_maintenance",
        "midnight-disconnect": "test_midnight",
        "submit-only-down": "test_orders_down_and_cancels_down",
        "cancel-only-down": "test_orders_down_and_cancels_down",
        "slow-degradation": "test_it_gets_slower",
        "stale-book": "test_a_stale_book_and_a_wrong_recovery",
        "wrong-side-recovery": "test_a_stale_book_and_a_wrong_recovery",
    },
    "test_stock_streams": {
        "ws.empty": "test_an_empty_frame",
        "heartbeat": "test_an_empty_frame",
        "ws.disconnect": "test_a_disconnect",
        "ws.silence": "test_silence",
        "ws.gap": "test_a_gap",
        "ws.late": "test_a_late_frame",
        "ws.duplicate": "test_a_duplicate",
        "ws.no_ping": "test_no_ping",
        "ws.no_pong": "test_no_pong",
        "ws.refuse": "test_a_refused_opening",
    },
}


def test_a_stock_client_meets_every_kind_and_preset() -> None:
    assert {name for rows in STOCK.values() for name in rows} == {*KINDS, *PRESETS}
    assert {*re.findall(r"^\| `([a-z_.]+)` \|", FAULTS.read_text(), re.MULTILINE)} == set(KINDS)
    for file, rows in STOCK.items():
        tree = ast.parse((Path(__file__).parent / f"{file}.py").read_text())
        tests = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
        for name, test in rows.items():
            text = ast.unparse(tests[test])
            assert f"'{name}'" in text, test
            assert "alice: Stock" in text or "Pro" in text, test
