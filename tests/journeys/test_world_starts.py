"""Worlds that begin with a state of the venue, and why in a world (docs/worlds.md)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer, Client
from support.server import Server
from support.worlds import asked, gone, made, operator

MANUAL = ("--clock", "manual", "--at", "2026-01-01T00:00:00Z", "--seed", "7")
REST = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.01", "price": "60000"}
TAKE = {"symbol": "BTCUSDT", "side": "BUY", "type": "MARKET", "quantity": "0.01"}
LONG = TAKE | {"positionSide": "LONG", "newClientOrderId": "long-1"}
RACING = 8
SEEN = (
    ("GET", "/api/v3/time", None),
    ("GET", "/api/v3/openOrders", None),
    ("GET", "/api/v3/allOrders?symbol=BTCUSDT", None),
    ("GET", "/api/v3/myTrades?symbol=BTCUSDT", None),
    ("POST", "/api/v3/account/bills", {"limit": 100}),
    ("GET", "/api/v3/account/", None),
    ("GET", "/api/v3/market/depth?symbol=BTCUSDT&limit=200", None),
    ("GET", "/api/v3/market/ticker/24hr?symbol=BTCUSDT", None),
    ("GET", "/api/v3/market/klines?symbol=BTCUSDT&interval=1m", None),
    ("GET", "/api/v3/market/trades?symbol=BTCUSDT", None),
    ("GET", "/capi/v3/account/position/allPosition", None),
    ("GET", "/capi/v3/market/depth?symbol=BTCUSDT", None),
    ("GET", "/capi/v3/userTrades?symbol=BTCUSDT", None),
)


class Kept:
    """A venue in which something happened; a state of it is kept, and more happened since."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.alice = server.client("alice")
        self.live("1")
        self.ok(self.alice.call("PUT", "/_venue/snapshots/base", {}))
        self.before = self.seen()
        self.hash = self.health()["stateHash"]
        self.live("2")
        assert self.seen() != self.before

    def ok(self, answer: Answer) -> Any:
        assert answer.status == 200, answer
        return answer.json

    def ask(self, world: str, method: str, target: str, body: Any = None) -> Any:
        """The answer in a world, or in the venue itself."""
        if world:
            return self.ok(asked(self.alice, world, method, target, body))
        return self.ok(self.alice.call(method, target, body))

    def health(self, world: str = "") -> Any:
        return self.ask(world, "GET", "/_venue/health")

    def seen(self, world: str = "") -> list[Any]:
        """The answers that alice gets."""
        return [self.ask(world, method, target, body) for method, target, body in SEEN]

    def live(self, number: str, world: str = "") -> list[Any]:
        """Orders of both products, and five seconds with agents."""
        told = [
            self.ask(world, "POST", "/api/v3/order", REST | {"newClientOrderId": f"r-{number}"}),
            self.ask(world, "POST", "/api/v3/order", TAKE),
            self.ask(world, "POST", "/capi/v3/order", LONG | {"newClientOrderId": f"l-{number}"}),
        ]
        self.ask(world, "POST", "/_venue/clock/advance", {"by": "5s"})
        return told


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder = tmp_path_factory.mktemp("starts")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TMPDIR", str(folder))  # where histories of worlds are
        with Server(*MANUAL, folder=folder) as server:
            yield Kept(server)
            assert server.stop() == 0
            assert server.errors.read_text() == ""
        assert not list(folder.glob("venue-*"))


@pytest.fixture(autouse=True)
def _nothing_stays(kept: Kept) -> Iterator[None]:
    yield
    for world in operator(kept.server).get("/_venue/worlds").json:
        gone(kept.server, world["name"])


def begun(kept: Kept) -> list[str]:
    """The files that worlds' histories are copies of: one of new worlds, one of each state."""
    return sorted(path.name for path in kept.server.folder.glob("venue-memory-worlds-*/begun.*"))


# -- a state of the venue -------------------------------------------------------------------------


def test_a_world_begins_with_what_was_kept_and_goes_on_as_the_venue_did(kept: Kept) -> None:
    """History too; agents act in it as they acted in the venue."""
    venue_before = kept.seen()
    made(kept.server, "back", agents=True, **{"from": "base"})
    assert kept.seen("back") == kept.before
    assert kept.health("back")["stateHash"] == kept.hash
    kept.live("2", "back")
    assert kept.seen("back") == venue_before == kept.seen()
    assert kept.health("back")["stateHash"] == kept.health()["stateHash"]
    kept.ask("back", "POST", "/_venue/reset", {})
    assert kept.seen("back") == kept.before
    (told,) = kept.ask("", "GET", "/_venue/worlds")
    assert (told["from"], told["agents"], told["alive"]) == ("base", True, True)


def test_the_state_is_that_of_when_the_world_was_made(kept: Kept) -> None:
    """A snapshot that is saved again or deleted meanwhile takes nothing from a world that waits."""
    for name in ("early", "late"):
        kept.ask("", "PUT", "/_venue/snapshots/moving", {})
        made(kept.server, name, **{"from": "moving"})
        kept.ask("", "POST", "/_venue/clock/advance", {"by": "1s"})
    kept.ask("", "DELETE", "/_venue/snapshots/moving")
    times = [kept.ask(name, "GET", "/api/v3/time")["serverTime"] for name in ("early", "late")]
    assert times[1] - times[0] == 1_000
    assert kept.ask("early", "GET", "/api/v3/myTrades?symbol=BTCUSDT")
    refused = kept.alice.post("/_venue/worlds", {"name": "after", "from": "moving"})
    assert refused.status == 404
    words = "Parameter 'from' is invalid: no snapshot has this name; there"
    assert refused.json["msg"].startswith(words)
    assert "base" in refused.json["msg"]


def test_files_go_with_the_last_world_that_needs_them(kept: Kept) -> None:
    """Enemy: a caller that saves, makes and deletes without end, to fill the disk."""
    made(kept.server, "other", **{"from": "base"})
    there = begun(kept)
    for round_ in range(3):
        kept.ask("", "PUT", "/_venue/snapshots/passing", {})
        made(kept.server, f"w{round_}", **{"from": "passing"})
        assert kept.ask(f"w{round_}", "GET", "/api/v3/myTrades?symbol=BTCUSDT")
        kept.ask("", "DELETE", "/_venue/snapshots/passing")
        gone(kept.server, f"w{round_}")
    made(kept.server, "again", **{"from": "base"})
    assert begun(kept) == there


def test_a_world_as_the_venue_was_ready(kept: Kept) -> None:
    made(kept.server, "plain", agents=True)
    made(kept.server, "ready", agents=True, **{"from": "ready"})
    assert kept.live("1", "plain") == kept.live("1", "ready")
    assert kept.seen("plain") == kept.seen("ready") == kept.before


def test_many_ask_for_one_name_at_once(kept: Kept) -> None:
    """One world is made, of one copy; the second caller is told so."""
    kept.ask("", "PUT", "/_venue/snapshots/raced", {})

    def make(number: int) -> int:
        with closing(Client(kept.server.port)) as client:
            answer = client.post("/_venue/worlds", {"name": "raced", "from": "raced"})
        assert answer.status in (200, 400), answer
        return answer.status

    with ThreadPoolExecutor(RACING) as pool:
        assert sorted(pool.map(make, range(RACING))) == [200] + [400] * (RACING - 1)
    gone(kept.server, "raced")
    kept.ask("", "DELETE", "/_venue/snapshots/raced")


def test_a_snapshot_that_is_deleted_while_a_world_is_made_of_it(kept: Kept) -> None:
    """The world is there with that state, or was refused: never one with another."""
    for round_ in range(RACING):
        kept.ask("", "PUT", "/_venue/snapshots/fading", {})

        def make(name: str = f"f{round_}") -> Answer:
            with closing(Client(kept.server.port)) as client:
                return client.post("/_venue/worlds", {"name": name, "from": "fading"})

        with ThreadPoolExecutor(1) as pool:
            making = pool.submit(make)
            kept.ask("", "DELETE", "/_venue/snapshots/fading")
        answer = making.result()
        assert answer.status in (200, 404), answer
        if answer.status == 200:
            assert kept.seen(f"f{round_}") == kept.seen()


@pytest.mark.parametrize(
    ("start", "status", "told"),
    [
        (
            "nothing",
            404,
            "Parameter 'from' is invalid: no snapshot has this name; there are: ready, base",
        ),
        ("a/b", 400, "Parameter 'from' is invalid: must match ^[A-Za-z0-9._-]{1,64}$."),
        ("a" * 65, 400, "Parameter 'from'"),
        (7, 400, "Parameter 'from'"),
        (["base"], 400, "Parameter 'from'"),
    ],
)
def test_what_makes_no_world(kept: Kept, start: Any, status: int, told: str) -> None:
    sequence = kept.health()["sequence"]
    answer = kept.alice.post("/_venue/worlds", {"name": "none", "from": start})
    assert answer.status == status, answer
    assert answer.json["msg"].startswith(told), answer
    assert kept.ask("", "GET", "/_venue/worlds") == []
    assert kept.health()["sequence"] == sequence


def test_of_a_venue_with_a_file_whose_time_passes(tmp_path: Path) -> None:
    """Agents act, history comes later, the disk is slow: the state is that of one command."""
    with Server("--state", str(tmp_path / "venue.db"), folder=tmp_path) as server:
        alice = server.client("alice")
        assert alice.post("/api/v3/order", REST).status == 200
        assert alice.call("PUT", "/_venue/snapshots/base", {}).status == 200
        assert alice.post("/api/v3/order", REST | {"price": "59000"}).status == 200
        made(server, "past", **{"from": "base"})
        for target in ("/api/v3/openOrders", "/api/v3/allOrders?symbol=BTCUSDT"):
            (resting,) = asked(alice, "past", "GET", target).json
            assert resting["price"] == "60000.00"
        assert asked(alice, "past", "POST", "/api/v3/order", REST).status == 200
        assert len(alice.get("/api/v3/openOrders").json) == 2
        assert server.stop() == 0
        assert server.errors.read_text() == ""


# -- why it came so -------------------------------------------------------------------------------


def test_a_world_explains_what_happened_in_it(kept: Kept) -> None:
    """As the venue does; an order from before the world began is refused by a rule."""
    made(kept.server, "asks", **{"from": "base"})
    earlier = kept.ask("asks", "GET", "/api/v3/openOrders")[0]["orderId"]
    placed = kept.ask("asks", "POST", "/api/v3/order", REST)["orderId"]
    told = kept.ask("asks", "GET", f"/_venue/explain/order/{placed}")
    assert told["owner"] == "alice"
    assert any("rested in the book" in sentence for sentence in told["sentences"]), told
    bought = kept.ask("asks", "POST", "/api/v3/order", TAKE)["orderId"]
    fee = kept.ask("asks", "POST", "/api/v3/account/bills", {"limit": 1})[0]["billId"]
    for kind, number in (("order", bought), ("bill", fee)):
        assert kept.ask("asks", "GET", f"/_venue/explain/{kind}/{number}")["sentences"]
    refused = asked(kept.alice, "asks", "POST", "/api/v3/order", REST | {"quantity": "900"})
    assert refused.status == 400
    number = refused.headers["x-venue-request-id"]
    sentences = kept.ask("asks", "GET", f"/_venue/explain/refusal/{number}")["sentences"]
    assert "900" in " ".join(sentences), sentences
    old = asked(kept.alice, "asks", "GET", f"/_venue/explain/order/{earlier}")
    assert old.json["code"] == -1142, old
    assert "lies before command" in old.json["msg"], old
