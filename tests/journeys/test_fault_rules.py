"""Which requests a rule of faults hits, and which rules are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.faulty import add, hits, refused, statuses
from support.server import Server, flawless
from support.socket_desk import CONTRACT, SPOT, Product, cancel_all, open_ids
from venue.gateway.faults.stale import STALE_BYTES_MAX, STALE_MAX, StaleAnswers


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("fault-rules")
    with flawless("--no-agents", "--no-limits", "--seed", "7", folder=folder) as found:
        yield found


@pytest.fixture(autouse=True)
def _nothing_stays(server: Server) -> Iterator[None]:
    yield
    assert server.client().delete("/_venue/faults").status == 200
    cancel_all(server.client("alice"), (SPOT,))


def test_a_rule_that_is_made_again_remembers_nothing(server: Server) -> None:
    alice = server.client("alice")
    rule = {"id": "old", "match": {"operation": "open_orders"}}
    add(server, "stale", **rule)
    assert open_ids(alice, SPOT) == []
    placed = alice.post(SPOT.order, SPOT.plain).json["orderId"]
    assert open_ids(alice, SPOT) == []
    assert server.client().delete("/_venue/faults/old").status == 200
    add(server, "stale", **rule)
    assert open_ids(alice, SPOT) == [placed]
    cancel_all(alice, (SPOT,))
    assert open_ids(alice, SPOT) == [placed]
    assert server.client().delete("/_venue/faults/old").status == 200
    assert open_ids(alice, SPOT) == []


# -- answers that are old -------------------------------------------------------------------------

ACCOUNT = "/api/v3/account/"
BILLS = "/api/v3/account/bills"


def test_an_old_answer_is_told_to_none_but_its_caller(server: Server) -> None:
    alice, bob, stranger = server.client("alice"), server.client("bob"), server.client()
    own = bob.get(ACCOUNT)
    unknown = stranger.get(ACCOUNT)
    add(server, "stale", match={"path": "/api/v3/*"})
    first = alice.get(ACCOUNT)
    assert (first.status, own.status, unknown.status) == (200, 200, 400)
    assert first.body != own.body
    assert bob.get(ACCOUNT).body == own.body
    assert stranger.get(ACCOUNT).body == unknown.body
    broken = {**alice.headers("GET", ACCOUNT, b""), "ACCESS-SIGN": "AAAA"}
    assert stranger.get(ACCOUNT, headers=broken).json["code"] == -1047
    acted = {"X-Venue-Act-As": "alice"}
    assert stranger.get(ACCOUNT, headers=acted).body == first.body
    assert alice.get(ACCOUNT).body == first.body


def test_a_question_in_a_body_is_another_one(server: Server) -> None:
    alice = server.client("alice")
    add(server, "stale", match={"operation": "bills"}, id="bills")
    sizes = [len(alice.post(BILLS, {"limit": limit}).json) for limit in (1, 2, 1)]
    assert sizes == [1, 2, 1]
    assert hits(server, "bills") == (3, 3)


def test_a_refusal_is_never_old_and_never_kept(server: Server) -> None:
    stranger = server.client()
    add(server, "stale", match={"operation": "klines"})
    path = "/api/v3/market/klines?symbol=BTCUSDT&interval=1m&limit=%s"
    assert (stranger.get(path % "no").status, stranger.get(path % "5").status) == (400, 200)
    headers = {"Access-Key": "somebody"}
    assert stranger.get(path % "5", headers=headers).status == 200


def test_what_trades_is_never_old(server: Server) -> None:
    """An old answer would tell of an order that was never placed."""
    alice = server.client("alice")
    add(server, "stale", match={"path": "/api/v3/*"}, id="old")
    first, second = (alice.post(SPOT.order, SPOT.plain).json["orderId"] for _ in range(2))
    assert first != second
    for order_id in (first, second):
        cancelled = alice.delete(f"{SPOT.order}?orderId={order_id}")
        assert cancelled.json["orderId"] == order_id
    assert hits(server, "old") == (0, 0)


def test_a_rule_keeps_so_many_answers_and_bytes() -> None:
    """The oldest go. One that is larger than all room is not kept, and takes none away."""
    many = StaleAnswers()
    for number in range(STALE_MAX + 1):
        many.first((b"%d" % number,), b"first", 0.0, None)
    asked = [many.first((b"%d" % number,), b"later", 0.0, None) for number in (1, 0)]
    assert asked == [b"first", b"later"]
    large = StaleAnswers()
    half = b"x" * (STALE_BYTES_MAX // 2)
    for name in (b"a", b"b"):
        large.first((name,), half[1:], 0.0, None)
    assert large.first((b"c",), 3 * half, 0.0, None) == 3 * half
    assert large.first((b"c",), b"later", 0.0, None) == b"later"
    asked = [large.first((name,), b"later", 0.0, None) for name in (b"b", b"a")]
    assert asked == [half[1:], b"later"]


def test_an_old_answer_is_old_for_so_long() -> None:
    answers = StaleAnswers()
    told = [answers.first((b"book",), b"%d" % at, at / 10, 0.5) for at in (0, 4, 5, 9, 10)]
    assert told == [b"0", b"0", b"5", b"5", b"10"]


# -- which requests -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "seen"),
    [
        ({}, "xxxxxxxx"),
        ({"nth": [2, 5]}, ".x..x..."),
        ({"first": 3}, "xxx....."),
        ({"every": 3}, "..x..x.."),
        ({"after": 4}, "....xxxx"),
        ({"after": 2, "nth": [1]}, "..x....."),
        ({"every": 2, "count": 2}, ".x.x...."),
        ({"probability": "0"}, "........"),
        ({"from": "+1h"}, "........"),
        ({"from": "2020-01-01T00:00:00Z", "until": "midnight+1d"}, "xxxxxxxx"),
        ({"from": "midnight"}, "........"),
    ],
)
def test_which_of_them_are_hit(server: Server, when: dict[str, Any], seen: str) -> None:
    add(server, "status", status=503, when=when, match={"operation": "time"}, id="some")
    assert statuses(server.client(), len(seen)) == seen
    assert hits(server, "some") == (len(seen), seen.count("x"))


def test_another_rule_does_not_move_what_is_drawn(server: Server) -> None:
    chance = {"when": {"probability": "0.5"}, "match": {"operation": "time"}}
    add(server, "status", status=503, id="mine", **chance)
    alone = statuses(server.client(), 40)
    assert 5 < alone.count("x") < 35
    server.client().delete("/_venue/faults")
    add(server, "delay", ms=1, id="other", **chance)
    add(server, "status", status=503, id="mine", **chance)
    assert statuses(server.client(), 40) == alone


def test_the_same_seed_draws_the_same(server: Server, tmp_path: Path) -> None:
    rule = {"when": {"probability": "0.5"}, "match": {"operation": "time"}, "id": "drawn"}
    add(server, "status", status=503, **rule)
    here = statuses(server.client(), 40)
    for seed, same in (("7", True), ("8", False)):
        with Server("--no-agents", "--seed", seed, folder=tmp_path / seed) as other:
            add(other, "status", status=503, **rule)
            assert (statuses(other.client(), 40) == here) is same


@pytest.mark.parametrize(
    "match",
    [
        {"owner": "alice"}, {"key": "demo-alice"}, {"side": "BUY"}, {"symbol": "btcusdt"},
        {"method": "post"}, {"path": "/api/v3/or*"}, {"operation": "place_order"},
    ],
)  # fmt: skip
def test_what_a_rule_is_about(server: Server, match: dict[str, str]) -> None:
    if "key" in match:
        match = {"key": server.account("alice")["key"]}
    add(server, "error", code=-1054, match=match, id="about")
    assert server.client("alice").post(SPOT.order, SPOT.plain).json["code"] == -1054
    others = {
        "owner": "bob", "symbol": "ETHUSDT", "side": "SELL", "method": "GET",
        "path": "/api/v3/ord", "operation": "place_batch", "key": "another",
    }  # fmt: skip
    changed = server.client().call(
        "PATCH", "/_venue/faults/about", {"match": {name: others[name] for name in match}}
    )
    assert (changed.status, changed.json["matched"]) == (200, 0)
    assert server.client("alice").post(SPOT.order, SPOT.plain).status == 200


def batch(product: Product, *orders: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Where a batch of orders goes, and its body: each order changes the plain one."""
    if product is SPOT:
        items = [{**SPOT.plain, **order} for order in orders]
        for item in items:
            del item["symbol"]
        return "/api/v3/order/batch", {"symbol": "BTCUSDT", "orderList": items}
    return "/capi/v3/batchOrders", {"batchOrders": [{**CONTRACT.plain, **one} for one in orders]}


SELL = {"side": "SELL"}
ETHER = {"symbol": "ETHSUSDT"}


@pytest.mark.parametrize(
    ("product", "match", "orders", "hit"),
    [
        (SPOT, {"side": "BUY"}, [{}, {}], True),
        (SPOT, {"side": "BUY"}, [SELL, {}], True),
        (SPOT, {"side": "BUY"}, [SELL, SELL], False),
        (SPOT, {"symbol": "BTCUSDT", "side": "SELL"}, [{}, SELL], True),
        (SPOT, {"symbol": "ETHUSDT", "side": "SELL"}, [{}, SELL], False),
        (CONTRACT, {"symbol": "BTCSUSDT"}, [{}], True),
        (CONTRACT, {"symbol": "ETHSUSDT"}, [{}, ETHER], True),
        (CONTRACT, {"symbol": "ETHSUSDT"}, [{}, {}], False),
        (CONTRACT, {"symbol": "ETHSUSDT", "side": "BUY"}, [ETHER | SELL, {}], False),
        (CONTRACT, {"symbol": "ETHSUSDT", "side": "BUY"}, [ETHER | SELL, ETHER], True),
    ],
)
def test_a_batch_agrees_when_one_of_its_orders_does(
    server: Server, product: Product, match: dict[str, str], orders: list[Any], *, hit: bool
) -> None:
    """In symbol and side alike; then all of it is hit."""
    add(server, "error", code=-1054, match=match, id="batches")
    path, body = batch(product, *orders)
    answer = server.client("alice").post(path, body)
    assert hits(server, "batches") == (hit, hit)
    assert ("x-venue-fault" in answer.headers) is hit


def test_a_batch_that_cannot_be_read_agrees_with_no_symbol(server: Server) -> None:
    add(server, "error", code=-1054, match={"symbol": "BTCSUSDT"}, id="batches")
    path, _ = batch(CONTRACT)
    unread: list[Any] = [7, "x", {}, [], [7], [None, []], [{"symbol": 5, "side": []}]]
    for orders in unread:
        answer = server.client("alice").post(path, {"batchOrders": orders})
        assert "x-venue-fault" not in answer.headers
    assert hits(server, "batches") == (0, 0)


def test_operators_are_never_hit(server: Server) -> None:
    add(server, "drop_before", match={"path": "*"})
    assert server.client().get("/_venue/health").status == 200


def test_trying_counts_nothing(server: Server) -> None:
    add(server, "drop_after", match={"symbol": "BTCUSDT", "owner": "alice"}, id="one")
    add(server, "delay", ms=5, match={"operation": "place_order"}, when={"nth": [2]}, id="two")
    asked = {"method": "POST", "path": SPOT.order, "symbol": "btcusdt", "owner": "alice"}
    tried = server.client().post("/_venue/faults/try", asked)
    assert tried.json == [{"id": "one", "hits": True}, {"id": "two", "hits": False}]
    assert server.client().post("/_venue/faults/try", asked | {"owner": "bob"}).json == [
        {"id": "two", "hits": False}
    ]
    assert (hits(server, "one"), hits(server, "two")) == ((0, 0), (0, 0))


def test_a_rule_is_switched_off_and_forgotten(server: Server) -> None:
    operator = server.client()
    made = add(server, "status", status=503)
    assert operator.call("PATCH", f"/_venue/faults/{made['id']}", {"enabled": False}).status == 200
    assert statuses(operator, 2) == ".."
    assert operator.call("PATCH", f"/_venue/faults/{made['id']}", {"enabled": True}).status == 200
    assert statuses(operator, 2) == "xx"
    assert operator.delete(f"/_venue/faults/{made['id']}").json["hits"] == 2
    assert operator.get("/_venue/faults").json == []


# -- bad input ------------------------------------------------------------------------------------

_503 = {"kind": "status", "status": 503}
_STALE = {"kind": "stale"}


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({}, -1141, "effect"),
        ({"effect": "status"}, -1142, "effect"),
        ({"effect": {"kind": "explode"}}, -1142, "kind"),
        ({"effect": {"kind": "status"}}, -1141, "effect.status"),
        ({"effect": {"kind": "status", "status": 200}}, -1140, "status"),
        ({"effect": {**_503, "code": -1054}}, -1128, "effect.code"),
        ({"effect": {**_503, "sidee": "after"}}, -1142, "effect.sidee"),
        ({"effect": {"kind": "delay", "ms": 0}}, -1140, "effect.ms"),
        ({"effect": {"kind": "delay", "ms": "soon"}}, -1142, "ms"),
        ({"effect": {"kind": "delay", "ms": 5, "side": "beside"}}, -1142, "side"),
        ({"effect": {"kind": "error", "code": -7}}, -1142, "effect.code"),
        ({"effect": {"kind": "reject_rate", "rate": "1.5"}}, -1140, "effect.rate"),
        ({"effect": _503, "id": "a b"}, -1142, "id"),
        ({"effect": _503, "id": "try"}, -1142, "id"),
        ({"effect": _503, "id": "presets"}, -1142, "id"),
        ({"effect": _503, "match": {"operator": "x"}}, -1142, "match.operator"),
        ({"effect": _503, "match": {"side": "LEFT"}}, -1117, "side"),
        ({"effect": _503, "match": {"owner": "nobody"}}, -1142, "owner"),
        ({"effect": _503, "match": {"operation": "nope"}}, -1142, "match.operation"),
        ({"effect": _503, "match": {"symbol": "BTCUSD"}}, -1142, "match.symbol"),
        ({"effect": _503, "match": {"operation": "plaice*"}}, -1142, "match.operation"),
        ({"effect": _503, "match": {"operation": "place_ordr"}}, -1142, "place_order"),
        ({"effect": _503, "match": {"operation": "add_fault"}}, -1142, "match.operation"),
        ({"effect": _STALE, "match": {"operation": "place*"}}, -1142, "match.operation"),
        ({"effect": _STALE, "match": {"method": "delete"}}, -1142, "match.method"),
        ({"effect": _STALE, "match": {"operation": "bills", "method": "GET"}}, -1142, "method"),
        ({"effect": _503, "when": {"nth": [0]}}, -1140, "nth"),
        ({"effect": _503, "when": {"nth": 1}}, -1142, "nth"),
        ({"effect": _503, "when": {"probability": "1.01"}}, -1140, "when.probability"),
        ({"effect": _503, "when": {"probability": "-1"}}, -1142, "probability"),
        ({"effect": _503, "when": {"from": "soon"}}, -1142, "when.from"),
        ({"effect": _503, "when": {"until": "+1w"}}, -1142, "when.until"),
        ({"effect": _503, "when": {"from": "+2s", "until": "+1s"}}, -1171, "when.from"),
        ({"effect": _503, "wen": {}}, -1142, "wen"),
    ],
)
def test_a_bad_rule_is_refused(server: Server, body: dict[str, Any], code: int, words: str) -> None:
    refused(server.client().post("/_venue/faults", body), code, words)
    assert server.client().get("/_venue/faults").json == []


def test_ids_that_are_not(server: Server) -> None:
    operator = server.client()
    add(server, "delay", ms=1, id="known")
    refused(operator.delete("/_venue/faults/unknown"), -1142, "'id'", "known")
    refused(operator.call("PATCH", "/_venue/faults/unknown", {}), -1142, "'id'")
    refused(operator.call("PATCH", "/_venue/faults/known", {"id": "x"}), -1142, "'id'")
    refused(operator.post("/_venue/faults", {"effect": _503, "id": "known"}), -1142, "'id'")
    refused(operator.get("/_venue/faults/known"), -1150, "GET")
    assert operator.delete("/_venue/faults/a/b").status == 404
    assert operator.delete("/_venue/faults/").status == 404


def test_no_more_than_a_hundred(server: Server) -> None:
    for _ in range(100):
        add(server, "delay", ms=1, match={"path": "/none"})
    refused(server.client().post("/_venue/faults", {"effect": _503}), -1140, "100")


def test_strangers_cannot(server: Server) -> None:
    headers = {"Host": "venue.example.com"}
    assert server.client().get("/_venue/faults", headers=headers).status == 403
