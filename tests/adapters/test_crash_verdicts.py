"""How a crash test draws, judges, shortens and reports, without a venue."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from typing import Any

import pytest
from msgspec import structs

from venue.crashtest import judge
from venue.crashtest.campaign import CampaignReport, Result
from venue.crashtest.incidents import ALL, draw
from venue.crashtest.judge import BotLimits, Finding, JudgedLedger, judged
from venue.crashtest.record import Record
from venue.crashtest.report import again, as_html, as_json
from venue.crashtest.schedule import Event, is_like, rule
from venue.crashtest.shrink import TRIES_MAX, shortest

COUNTS = {
    "place*": 5, "cancel*": 2, "GET": 7, "*": 14, "ws:*": 9, "ws:own": 3, "ws:depth*": 6,
    "ws:open": 2, "ws:ping": 2,
}  # fmt: skip
ORDER = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.01", "price": "1"}
LOST = Event("place*", 1, {"kind": "drop_after"})


def order(number: int, client: str, executed: str = "0", **more: Any) -> dict[str, Any]:
    """An order of the ledger, which came with the request of its number."""
    return {
        "orderId": 10**15 + number, "clientOrderId": client, "symbol": "BTCUSDT", "side": "BUY",
        "origQty": "0.01", "executedQty": executed, "time": number, "updateTime": number + 5,
        **more,
    }  # fmt: skip


def sent(record: Record, client: str, answer: str = "", **more: Any) -> None:
    """A placement; without an answer the bot got none."""
    body = json.dumps({**ORDER, "newClientOrderId": client, **more}).encode()
    one = record.begin("POST", "/api/v3/order", body, 0.0)
    one.time = one.number
    if answer:
        one.status, one.answer = 200, answer.encode()


def asked(record: Record, target: str, answer: str) -> None:
    one = record.begin("GET", target, b"", 0.0)
    one.status, one.answer = 200, answer.encode()


def rules(record: Record, orders: list[dict[str, Any]]) -> list[str]:
    found = judged(record, JudgedLedger(orders, [], [], []), BotLimits())
    return [one.rule for one in found]


def test_there_are_thirty_incidents_of_different_names() -> None:
    assert len(ALL) >= 30
    assert len({one.name for one in ALL}) == len(ALL)


def test_a_schedule_follows_from_the_seed_and_from_what_the_bot_does() -> None:
    for incident in ALL:
        events = draw(incident, 7, COUNTS)
        assert events == draw(incident, 7, COUNTS)
        assert all(1 <= event.nth <= max(COUNTS[event.on], 6) for event in events)
        assert draw(incident, 7, {**COUNTS, incident.on: 0}) == []
    drawn = {tuple(event.nth for event in draw(ALL[0], seed, COUNTS)) for seed in range(20)}
    assert len(drawn) > 3


def test_events_become_rules_of_faults() -> None:
    made = rule(3, Event("cancel*", 2, {"kind": "error", "code": -1054}, times=2), "alice")
    assert made == {
        "id": "event-3",
        "match": {"operation": "cancel*", "owner": "alice"},
        "when": {"nth": [2, 3]},
        "effect": {"kind": "error", "code": -1054},
    }
    assert rule(0, Event("GET", 1, {}), "alice")["match"] == {"method": "GET"}
    assert rule(0, Event("ws:*", 1, {}), "alice")["match"] == {"channel": "*"}
    assert rule(0, Event("ws:depth*", 1, {}), "alice")["match"] == {"channel": "depth*"}
    assert rule(0, Event("ws:own", 1, {}), "alice")["match"] == {"owner": "alice", "channel": "*"}
    assert rule(0, Event("ws:open", 1, {}), "alice")["match"] == {}
    assert is_like("place*", "place_order", "POST")
    assert is_like("GET", "depth", "GET")
    assert not is_like("cancel*", "place_order", "POST")


def test_a_lost_order_that_is_sent_anew_was_executed_twice() -> None:
    record = Record()
    sent(record, "a")
    sent(record, "b", "1000000000000002")
    both = [order(1, "a"), order(2, "b")]
    (found,) = judged(record, JudgedLedger(both, [], [], []), BotLimits())
    assert found.rule == judge.TWICE
    assert "BUY 0.01 BTCUSDT (spot) was executed" in found.words
    assert "(placement 1)" in found.words
    assert "(placement 2)" in found.words
    # The second was refused, or is another intent, or the first never came about.
    assert rules(record, [order(1, "a")]) == []
    assert rules(record, [order(2, "b")]) == []


def test_equal_orders_that_a_bot_plans_are_not_one_intent() -> None:
    record = Record()
    sent(record, "a")
    sent(record, "b", "1000000000000002")
    ledger = JudgedLedger([order(1, "a"), order(2, "b")], [], [], [])
    assert judged(record, ledger, BotLimits(), {"BUY 0.01 BTCUSDT (spot)": 2}) == []
    (found,) = judged(record, ledger, BotLimits(), {"BUY 0.01 BTCUSDT (spot)": 1})
    assert found.rule == judge.TWICE


def test_a_repetition_under_the_same_client_id_is_one_order() -> None:
    record = Record()
    sent(record, "a")
    sent(record, "a", "1000000000000001")
    assert rules(record, [order(1, "a")]) == []


def test_a_client_id_that_is_used_again_may_be_an_order_again() -> None:
    record = Record()
    sent(record, "a")
    sent(record, "a", "1000000000000002")
    assert rules(record, [order(1, "a", "0.01"), order(2, "a")]) == [judge.TWICE]


def test_another_quantity_is_another_intent() -> None:
    record = Record()
    sent(record, "a")
    sent(record, "b", "1000000000000002", quantity="0.02")
    assert rules(record, [order(1, "a"), order(2, "b")]) == []


def test_a_bot_that_found_the_lost_order_may_order_again() -> None:
    record = Record()
    sent(record, "a")
    asked(record, "/api/v3/openOrders", '[{"orderId":1000000000000001}]')
    sent(record, "b", "1000000000000003")
    assert rules(record, [order(1, "a"), order(3, "b")]) == []


def test_a_stream_that_names_the_lost_order_is_heard() -> None:
    record = Record()
    sent(record, "a")
    record.add_frame(b'{"e":"orders","orderId":1000000000000001}')
    sent(record, "b", "1000000000000002")
    assert rules(record, [order(1, "a"), order(2, "b")]) == []


@pytest.mark.parametrize(("executed", "found"), [("0.01", []), ("0", [judge.TWICE])])
def test_a_wallet_shows_an_order_that_was_filled(executed: str, found: list[str]) -> None:
    record = Record()
    sent(record, "a")
    asked(record, "/api/v3/account/", "{}")
    sent(record, "b", "1000000000000003")
    assert rules(record, [order(1, "a", executed), order(3, "b")]) == found


@pytest.mark.parametrize(("age", "found"), [(5_000, []), (5_001, [judge.STALE])])
def test_an_order_by_a_book_that_stands_still(age: int, found: list[str]) -> None:
    assert found == [one.rule for one in stale_after(age)]


def test_a_market_that_no_stream_shows_is_not_stale() -> None:
    assert stale_after(60_000, stream=False) == []


def test_a_market_that_was_asked_for_is_not_stale() -> None:
    assert stale_after(60_000, "/api/v3/market/depth?symbol=BTCUSDT") == []
    assert stale_after(60_000, "/api/v3/market/ticker/24hr") == []
    (found,) = stale_after(60_000, "/api/v3/market/depth?symbol=ETHUSDT")
    assert found.words == (
        "BUY 0.01 BTCUSDT (spot) was placed, and for more than 5 s of the venue the bot had not"
        " been shown this market (placement 1)"
    )


def stale_after(age: int, target: str = "", *, stream: bool = True) -> list[Finding]:
    """The findings about an order that comes `age` ms after the last frame of its market."""
    record = Record()
    record.add_market_seen(("spot", "BTCUSDT"), 1_000, stream=stream)
    if target:
        one = record.begin("GET", target, b"", 0.0)
        one.status = 200
        record.add_answer(one, 1_000 + age)
    sent(record, "a")
    record.exchanges[-1].time = 1_000 + age
    return judge.stale(record, JudgedLedger([order(1, "a")], [], [], []))


def test_what_is_left_at_the_end() -> None:
    record = Record()
    sent(record, "a", "1000000000000001")
    left = [order(1, "a"), order(9, "z")]
    held = [{"side": "LONG", "size": "0.1", "symbol": "BTCUSDT"}]
    found = judged(record, JudgedLedger(left, [], left, held), BotLimits())
    assert [one.rule for one in found] == [judge.NOT_FLAT, judge.ORPHAN, judge.NOT_FLAT]
    may = judged(record, JudgedLedger(left, [], [], held), BotLimits(may_hold=True))
    assert may == []


def test_limits() -> None:
    orders = [order(1, "a"), order(3, "b"), order(9, "c")]
    fills: list[dict[str, Any]] = [
        {"product": "spot", "symbol": "BTCUSDT", "qty": "0.03", "isBuyer": True},
        {"product": "spot", "symbol": "BTCUSDT", "qty": "0.02", "isBuyer": False},
        {"product": "spot", "symbol": "BTCUSDT", "qty": "0.02", "isBuyer": True},
        {"product": "contract", "symbol": "BTCUSDT", "qty": "0.03", "side": "SELL"},
    ]
    ledger = JudgedLedger(orders, fills, [], [])
    assert judged(Record(), ledger, BotLimits(max_orders=2, max_position=Decimal("0.03"))) == []
    found = judged(Record(), ledger, BotLimits(max_orders=1, max_position=Decimal("0.02")))
    assert [one.words for one in found] == [
        "more than 1 orders were open at a time",
        "more than 0.02 of BTCUSDT (spot) was held",
        "more than 0.02 of BTCUSDT (contract) was held",
    ]


def test_haste_after_being_told_to_wait() -> None:
    record = Record()
    for at in range(8):
        one = record.begin("GET", "/api/v3/time", b"", at / 10)
        one.status, one.retry_after = 429, 2.0
    assert rules(record, []) == [judge.HASTE]
    record = Record()
    for at in range(8):
        one = record.begin("GET", "/api/v3/time", b"", at * 2.0)
        one.status, one.retry_after = 429, 2.0
    assert rules(record, []) == []


def run_shortest(events: list[Event], blame: Any) -> tuple[list[Event], int]:
    tries = 0

    async def fails(tried: list[Event]) -> bool:
        nonlocal tries
        tries += 1
        return bool(blame(tried))

    return asyncio.run(shortest(events, fails)), tries


def test_one_event_alone_is_found() -> None:
    noise = Event("*", 3, {"kind": "delay", "ms": 20}, noise=True)
    later = Event("place*", 4, {"kind": "drop_after"})
    found, _ = run_shortest([noise, later], lambda tried: any(one.on == "place*" for one in tried))
    assert found == [LOST]


def test_two_that_are_needed_together_stay() -> None:
    events = [Event("*", n, {"kind": "drop_before"}) for n in (1, 2, 3, 4)]
    needed = {2, 4}
    found, _ = run_shortest(events, lambda tried: needed <= {one.nth for one in tried})
    assert [one.nth for one in found] == [2, 4]


def test_runs_are_bounded() -> None:
    events = [Event("*", n, {"kind": "drop_before"}, times=3) for n in range(2, 40)]
    found, tries = run_shortest(events, lambda tried: len(tried) == len(events))
    assert tries == TRIES_MAX
    assert found == events


def test_reports_are_the_same_and_need_nothing_beside_them() -> None:
    finding = Finding(judge.TWICE, "BUY <b>0.01</b>")
    result = Result("lost-reply", "a story", "failed", [finding], [LOST], 3)
    report = CampaignReport(["python", "my bot.py"], 7, 60, [result])
    assert as_json(report) == as_json(report)
    page = as_html(report)
    assert "<b>0.01</b>" not in page
    assert "drop_after at placement 1" in page
    assert "http" not in page
    assert again(report, result) == (
        "venue crashtest --seed 7 --only lost-reply -- python 'my bot.py'"
    )
    live = structs.replace(report, profile="live")
    assert again(live, result) == (
        "venue crashtest --seed 7 --only lost-reply --profile live -- python 'my bot.py'"
    )
    told = json.loads(as_json(report))
    assert (told["failed"], told["incidents"][0]["drawn"]) == (1, 3)
