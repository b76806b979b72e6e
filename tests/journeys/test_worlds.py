"""Worlds: many venues in one process, each alone (docs/worlds.md)."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from support.client import Answer, Client
from support.command import run
from support.defective import POISON
from support.listening import Listener, login
from support.server import Server
from support.stock import Stock
from support.waits import WAIT_S
from support.worlds import At, asked, gone, made, operator, sequence
from venue.gateway.worlds import WORLDS_MAX

MANUAL = ("--clock", "manual", "--at", "2026-01-01T00:00:00Z", "--seed", "7")
BUY = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "quantity": "0.01", "price": "60000"}
# One process has the history of all worlds: on a busy machine a question waits for it.
PATIENT = ("support.tuned", "history.process.client.ASK_S=60")
TOGETHER = 20
ROUNDS = 11  # of nine calls, and one before them
FREED_MB = 24  # of the 90 that so many worlds would take


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(*MANUAL, folder=tmp_path_factory.mktemp("worlds"), program=PATIENT) as found:
        yield found
        assert found.stop() == 0
        assert found.errors.read_text() == ""


@pytest.fixture(autouse=True)
def _nothing_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "server" in request.fixturenames:
        server: Server = request.getfixturevalue("server")
        for world in operator(server).get("/_venue/worlds").json:
            gone(server, world["name"])


def order(server: Server, name: str, **changes: str) -> Answer:
    with closing(Client(server.port, server.account("alice"))) as alice:
        return asked(alice, name, "POST", "/api/v3/order", BUY | changes)


def open_orders(server: Server, name: str) -> list[dict[str, Any]]:
    with closing(Client(server.port, server.account("alice"))) as alice:
        answer = asked(alice, name, "GET", "/api/v3/openOrders")
    assert answer.status == 200, answer
    return list(answer.json)


# -- alone ----------------------------------------------------------------------------------------


def session(server: Server, world: At, markets: Any) -> list[Any]:
    """Make a hundred calls of a stock client; return their results."""
    told: list[Any] = []
    with Stock(server, server.account("alice")) as stock:
        api = dict.fromkeys(("public", "private", "contract", "contractPrivate"), world.url)
        stock.exchange.urls["api"] = api
        stock.exchange.set_markets(markets)
        told.append(stock("fetch_ticker", "BTC/USDT")["bid"])
        for number in range(ROUNDS):
            rests = stock("create_order", "BTC/USDT", "limit", "buy", 0.01, 60_000 + number)
            told.append(stock("fetch_order", rests["id"], "BTC/USDT")["status"])
            told.append(stock("create_order", "BTC/USDT", "market", "sell", 0.001)["id"])
            told.append(stock("fetch_order_book", "BTC/USDT", 5)["bids"])
            told.append(len(stock("fetch_open_orders", "BTC/USDT")))
            told.append(stock("cancel_order", rests["id"], "BTC/USDT")["id"])
            trades = stock("fetch_my_trades", "BTC/USDT")
            told.append([(one["id"], one["price"], one["amount"]) for one in trades])
            told.append(stock("fetch_balance")["total"])
            params = {"positionSide": "LONG"}
            told.append(
                stock("create_order", "BTC/USDT:USDT", "market", "buy", 0.01, None, params)["id"]
            )
    return told


def test_a_stock_session_in_each_of_twenty_worlds_at_once(server: Server) -> None:
    """Each goes as if it was alone: all of them are told the same, down to ids and prices."""
    before = sequence_of_all(server)
    with Stock(server, None) as plain:
        markets = plain("load_markets")
    worlds = [made(server, f"ccxt{number}") for number in range(TOGETHER)]
    with ThreadPoolExecutor(TOGETHER) as pool:
        told = list(pool.map(lambda world: session(server, world, markets), worlds))
    assert len(told[0]) == 1 + 8 * ROUNDS
    assert told.count(told[0]) == TOGETHER
    assert len(told[0][-3]) >= ROUNDS  # its trades
    assert sequence_of_all(server) == before
    with closing(Client(server.port, server.account("alice"))) as alice:
        assert alice.get("/api/v3/openOrders").json == []


def sequence_of_all(server: Server) -> int:
    """Of the venue itself."""
    return int(operator(server).get("/_venue/health").json["sequence"])


def test_time_moves_in_one_world(server: Server) -> None:
    for name in ("stands", "moves"):
        made(server, name)
        assert asked(operator(server), name, "GET", "/api/v3/time").json["serverTime"] % 1000 == 0
    moved = asked(operator(server), "moves", "POST", "/_venue/clock/advance", {"by": "10m"})
    assert moved.status == 200
    times = {
        name: asked(operator(server), name, "GET", "/api/v3/time").json["serverTime"]
        for name in ("stands", "moves")
    }
    assert times["moves"] - times["stands"] == 600_000
    assert operator(server).get("/api/v3/time").json["serverTime"] == times["stands"]


@pytest.mark.parametrize(
    "clock",
    [
        (),
        ("--clock", "offset", "--at", "2030-01-01T00:00:00Z"),
        ("--clock", "rate", "--rate", "60", "--at", "2026-01-01T00:00:00Z"),
        ("--clock", "skip", "--at", "2026-01-01T00:00:00Z"),
    ],
    ids=lambda clock: "-".join(clock[1:2]) or "real",
)
def test_a_world_has_the_clock_that_the_venue_was_started_with(
    tmp_path: Path, clock: tuple[str, ...]
) -> None:
    """Also the second, which begins where time has passed already."""
    with Server(*clock, "--no-limits", folder=tmp_path) as server:
        mode = operator(server).get("/_venue/clock").json["mode"]
        for name in ("first", "second"):
            made(server, name)
            told = asked(operator(server), name, "GET", "/_venue/clock").json
            assert told["mode"] == mode
            assert order(server, name).status == 200
        assert server.stop() == 0


def test_one_world_goes_back(server: Server) -> None:
    """To a kept state, and to the one it began in; others and their sockets stay as they are."""
    for name in ("back", "on"):
        made(server, name)
        assert order(server, name).status == 200
    client = operator(server)
    assert asked(client, "back", "PUT", "/_venue/snapshots/one", {}).status == 200
    path, head = "/spot/v3/ws/private", login(server.account("alice"))
    with (
        Listener(server.port, f"/w/back{path}", head) as ended,
        Listener(server.port, f"/w/on{path}", head) as stays,
    ):
        for name in ("back", "on"):
            assert order(server, name, price="59000").status == 200
        assert len(open_orders(server, "back")) == 2
        assert asked(client, "back", "POST", "/_venue/snapshots/one/revert", {}).json["epoch"] == 1
        with pytest.raises(ConnectionClosed) as closed:
            ended.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4001
        assert stays.ask({"method": "SUBSCRIBE", "params": ["orders"], "id": 1})["result"]
    assert len(open_orders(server, "back")) == 1
    assert len(open_orders(server, "on")) == 2
    assert asked(client, "back", "POST", "/_venue/reset", {}).json["epoch"] == 2
    assert open_orders(server, "back") == []
    assert "x-venue-epoch" not in asked(client, "on", "GET", "/api/v3/ping").headers


def test_faults_hit_one_world(server: Server) -> None:
    for name in ("well", "ill"):
        made(server, name)
    rule = {"effect": {"kind": "status", "status": 503}, "match": {"operation": "place*"}}
    assert asked(operator(server), "ill", "POST", "/_venue/faults", rule).status == 200
    assert order(server, "ill").status == 503
    assert order(server, "well").status == 200
    assert order(server, "ill").headers["x-venue-fault"]


def test_a_key_is_known_where_it_was_made(server: Server) -> None:
    for name in ("mine", "other"):
        made(server, name)
    wanted = {"owner": "alice", "permissions": ["READ"]}
    key = asked(operator(server), "mine", "POST", "/_venue/keys", wanted).json
    with closing(Client(server.port, key)) as client:
        assert asked(client, "mine", "GET", "/api/v3/account/").status == 200
        assert asked(client, "other", "GET", "/api/v3/account/").json["code"] == -1044
        assert client.get("/api/v3/account/").json["code"] == -1044


def test_agents_act_where_they_are_asked_to(server: Server) -> None:
    for name, agents in (("still", False), ("busy", True)):
        made(server, name, agents=agents)
        begun = sequence(server, name)
        moved = asked(operator(server), name, "POST", "/_venue/clock/advance", {"by": "5s"})
        assert moved.status == 200
        more = sequence(server, name) - begun
        assert (more > 30) is agents, (name, more)


def test_a_world_has_its_past(server: Server) -> None:
    """An owner sees its first deposits, as in the venue: they were before the world lived."""
    made(server, "past")
    with closing(Client(server.port, server.account("alice"))) as alice:
        target = "/api/v3/account/bills"
        here = asked(alice, "past", "POST", target, {"limit": 100})
        there = alice.post(target, {"limit": 100})
    assert here.status == there.status == 200, here
    assert here.json == there.json
    assert here.json


# -- sockets --------------------------------------------------------------------------------------


def test_the_first_that_asks_may_be_a_socket(server: Server) -> None:
    """It waits until the world lives, hears of that world alone, and is told of its end."""
    made(server, "heard")
    made(server, "unheard")
    path, head = "/w/heard/spot/v3/ws/private", login(server.account("alice"))
    with Listener(server.port, path, head) as listener:
        assert listener.ask({"method": "SUBSCRIBE", "params": ["orders"], "id": 1})["result"]
        assert order(server, "unheard").status == 200
        placed = order(server, "heard").json["orderId"]
        frame = listener.receive()
        assert str(placed) in str(frame)
        gone(server, "heard")
        with pytest.raises(ConnectionClosed) as ended:
            listener.receive()
        assert ended.value.rcvd is not None
        assert ended.value.rcvd.code == 1001
    with pytest.raises(InvalidStatus) as refused:
        Listener(server.port, path, head)
    assert refused.value.response.status_code == 404


STREAM = (
    b"GET /w/%s/v3/ws/public HTTP/1.1\r\nHost: venue\r\nConnection: Upgrade\r\n"
    b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def test_all_worlds_have_no_more_sockets_than_the_venue(tmp_path: Path) -> None:
    """Enemy: a client opens the sockets of one world in each of many, until no file is left."""
    program = ("support.descriptors", "460", "460")
    with Server("--no-agents", folder=tmp_path, program=program) as server, ExitStack() as stack:
        for name in ("a", "b"):
            made(server, name)
        statuses = []
        for number in range(104):
            here = ("127.0.0.1", server.port)
            source = (f"127.0.0.{11 + number % 5}", 0)
            made_ = socket.create_connection(here, WAIT_S, source_address=source)
            connection = stack.enter_context(closing(made_))
            connection.sendall(STREAM % (b"a" if number % 2 else b"b"))
            statuses.append(int(connection.recv(4096).split()[1]))
        assert statuses == [101] * 100 + [503] * 4
        assert operator(server).get("/api/v3/ping").status == 200
        server.kill()


# -- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"name": "there"}, "Parameter 'name' is invalid: a world has it; delete that one first."),
        ({"name": ""}, "Parameter 'name' cannot be empty."),
        ({"name": "a/b"}, "Parameter 'name' is invalid: must match ^[A-Za-z0-9_-]{1,64}$."),
        ({"name": ".."}, "Parameter 'name' is invalid: must match ^[A-Za-z0-9_-]{1,64}$."),
        ({"name": "ü"}, "Parameter 'name' is invalid: must match ^[A-Za-z0-9_-]{1,64}$."),
        ({"name": "a" * 65}, "Parameter 'name'"),
        ({"name": 7}, "Parameter 'name'"),
        ({}, "Parameter 'name'"),
        ({"name": "b", "agents": "perhaps"}, "Parameter 'agents'"),
        ({"name": "b", "of": "base"}, "Parameter 'of' is invalid: no such parameter."),
    ],
)
def test_what_makes_no_world(server: Server, body: dict[str, Any], told: str) -> None:
    made(server, "there")
    answer = operator(server).post("/_venue/worlds", body)
    assert answer.status == 400
    assert answer.json["msg"].startswith(told), answer
    assert [one["name"] for one in operator(server).get("/_venue/worlds").json] == ["there"]


def test_a_thousand_worlds_and_no_more(server: Server) -> None:
    for number in range(WORLDS_MAX):
        made(server, f"n{number}")
    answer = operator(server).post("/_venue/worlds", {"name": "one-more"})
    assert answer.status == 400
    assert answer.json["msg"] == ("Parameter 'name' is out of range: at most 1000 worlds are kept.")
    unknown = operator(server).delete("/_venue/worlds/other")
    assert unknown.status == 404
    assert "no such world; there are: n0, n1," in unknown.json["msg"]
    assert "and 980 more" in unknown.json["msg"]


@pytest.mark.parametrize(
    "path",
    [
        "/w/nobody/api/v3/ping",
        "/w/there",
        "/w/",
        "/w//api/v3/ping",
        "/w/there/w/there/api/v3/ping",
        "/w/%74here/api/v3/ping",
        "/w/there/../there/api/v3/ping",
        "/w/there//api/v3/ping",
        "/w/THERE/api/v3/ping",
    ],
)
def test_a_path_that_leads_nowhere(server: Server, path: str) -> None:
    made(server, "there")
    assert asked(operator(server), "there", "GET", "/api/v3/ping").status == 200
    assert operator(server).get(path).status == 404


def test_a_world_that_is_not_there_is_told(server: Server) -> None:
    done = run("status", "--url", f"{server.url}/w/nowhere")
    words = "There is no such world; GET /_venue/worlds lists them."
    assert (done.returncode, done.stderr) == (2, f"venue: refused: {words}\n")


def test_a_world_has_no_worlds(server: Server) -> None:
    made(server, "outer")
    for method, target, body in (
        ("GET", "/_venue/worlds", None),
        ("POST", "/_venue/worlds", {"name": "inner"}),
        ("DELETE", "/_venue/worlds/outer", None),
    ):
        answer = asked(operator(server), "outer", method, target, body)
        assert answer.json["code"] == -1054, answer
        assert "ask the venue itself" in answer.json["msg"]


@pytest.mark.parametrize("header", [{"X-Forwarded-For": "1.2.3.4"}, {"Origin": "http://evil.test"}])
def test_strangers_and_pages_have_no_part_in_it(server: Server, header: dict[str, str]) -> None:
    """Enemy: a page in the operator's browser, and a client that comes through a proxy."""
    made(server, "there")
    client = operator(server)
    for method, target, body in (
        ("GET", "/_venue/worlds", None),
        ("POST", "/_venue/worlds", {"name": "theirs"}),
        ("DELETE", "/_venue/worlds/there", None),
        ("POST", "/w/there/_venue/deposit", {"owner": "alice"}),
        ("GET", "/w/there/_venue/owners", None),
    ):
        given: dict[str, str | None] = {**header}
        answer = client.call(method, target, body, headers=given)
        assert (answer.status, answer.json["code"]) == (403, -1051), (target, answer)
    assert [one["name"] for one in client.get("/_venue/worlds").json] == ["there"]


def test_orders_under_way_when_a_world_ends(server: Server) -> None:
    """Each is answered: done, refused, or no such path. The venue and other worlds go on."""
    made(server, "ends")
    made(server, "stays")
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(order, server, "ends") for _ in range(60)]
        answers[5].result()
        gone(server, "ends")
        statuses = {answer.result().status for answer in answers}
    assert statuses <= {200, 404, 503}, statuses
    assert 200 in statuses
    assert order(server, "stays").status == 200
    made(server, "ends")
    assert open_orders(server, "ends") == []


def test_history_outlives_its_process(tmp_path: Path) -> None:
    """Enemy: a kill of the helper that all worlds share."""
    with Server(*MANUAL, folder=tmp_path) as server:
        for name in ("a", "b"):
            made(server, name)
            assert order(server, name, price="70000").status == 200
            assert trades(server, name)
        before = {name: trades(server, name) for name in ("a", "b")}
        os.kill(shared_worker(server), signal.SIGKILL)
        for name in ("a", "b"):
            end = time.monotonic() + WAIT_S
            while (found := trades(server, name)) is None:
                assert time.monotonic() < end
            assert found == before[name]
        assert server.stop() == 0


def trades(server: Server, name: str) -> Any:
    """Alice's in a world; None while history is not available."""
    with closing(Client(server.port, server.account("alice"))) as alice:
        answer = asked(alice, name, "GET", "/api/v3/myTrades?symbol=BTCUSDT")
    return answer.json if answer.status == 200 else None


def shared_worker(server: Server) -> int:
    """The process of all worlds' histories."""
    pid = server.process.pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if b"shared_worker" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    raise AssertionError("there is none")


def test_a_defect_stops_one_world(tmp_path: Path) -> None:
    with Server(*MANUAL, folder=tmp_path, program=("support.defective",)) as server:
        for name in ("ill", "well"):
            made(server, name)
        money = {"owner": "alice", "wallet": "SPOT", "asset": "USDT", "amount": POISON}
        asked(operator(server), "ill", "POST", "/_venue/deposit", money)
        assert order(server, "ill").status == 503
        assert order(server, "well").status == 200
        ill, well = operator(server).get("/_venue/worlds").json
        assert (ill["problem"], well["problem"]) == ("planted", "")
        with pytest.raises(InvalidStatus, match="503"):
            Listener(server.port, "/w/ill/spot/v3/ws/public")
        with Listener(server.port, "/w/well/spot/v3/ws/public") as listener:
            listener.subscribe("BTCUSDT@trade")
        gone(server, "ill")
        made(server, "ill")
        assert order(server, "ill").status == 200
        assert server.stop() == 0


# -- memory ---------------------------------------------------------------------------------------


def resident_mb(server: Server) -> float:
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024


def test_deleted_worlds_take_nothing(server: Server) -> None:
    def live(count: int) -> None:
        for number in range(count):
            made(server, f"short{number}")
            assert sequence(server, f"short{number}") > 0
            gone(server, f"short{number}")

    live(36)
    before = resident_mb(server)
    live(96)
    assert resident_mb(server) - before < FREED_MB


def test_a_name_costs_next_to_nothing(server: Server) -> None:
    made(server, "first")
    sequence(server, "first")
    before = resident_mb(server)
    for number in range(500):
        made(server, f"idle{number}")
    assert resident_mb(server) - before < 4


def test_a_connection_goes_from_world_to_world(server: Server) -> None:
    """One connection is asked of three venues by turns, and each answers for itself."""
    for name in ("a", "b"):
        made(server, name)
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)) as line:
        for target in ("/w/a/api/v3/time", "/api/v3/time", "/w/b/api/v3/time", "/w/c/api/v3/time"):
            line.request("GET", target)
            reply = line.getresponse()
            reply.read()
            assert reply.status == (404 if "/c/" in target else 200)
