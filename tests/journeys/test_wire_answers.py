"""The wire log's entries of answers: their bodies, what they name, what was signed, whose tool."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer, Client
from support.faulty import TIME, add
from support.listening import Listener, login
from support.runs import venue
from support.server import Server
from support.socket_desk import SPOT, place
from support.wire import WIRE, clear, entries, last
from venue.api import signing
from venue.bundle.file import unsealed
from venue.gateway.dispatch.wire_log import KEPT_BYTES
from venue.gateway.operations.operator.wire_entries import Reply, _answer_text

ORDER = SPOT.order
SECRETS = ("open-sesame", "pass|word", "s3cr3t value")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("answers")
    with Server("--no-agents", "--no-limits", "--wire-log", "200", folder=folder) as found:
        yield found
        assert found.stop() == 0
        assert found.errors.read_text() == ""


@pytest.fixture(autouse=True)
def _nothing_stays(server: Server) -> Iterator[None]:
    yield
    clear(server)


def test_an_answer_is_shown_with_the_order_that_it_names(server: Server) -> None:
    placed = server.client("alice").post(ORDER, SPOT.plain)
    entry = last(server, owner="alice", operation="place_order")
    assert entry["answer"].encode() == placed.body
    assert (entry["size"], entry["cut"]) == (len(placed.body), False)
    assert entry["orders"] == [placed.json["orderId"]]
    assert (entry["ignored"], entry["tool"]) == ([], False)


def test_a_request_was_answered_after_a_command(server: Server) -> None:
    """The sequence that the health tells after it."""
    alice = server.client("alice")
    alice.post(ORDER, SPOT.plain)
    first = last(server, owner="alice", operation="place_order")["sequence"]
    alice.post(ORDER, SPOT.plain)
    second = last(server, owner="alice", operation="place_order")["sequence"]
    assert 0 < first < second <= server.client().get("/_venue/health").json["sequence"]


def test_ignored_parameters_are_named(server: Server) -> None:
    alice = server.client("alice")
    answer = alice.post(ORDER, {**SPOT.plain, "stopprice": "1", "Qty": "2"})
    assert answer.headers["x-venue-ignored"] == "stopprice,Qty"
    assert last(server, owner="alice", kind="REQUEST")["ignored"] == ["stopprice", "Qty"]
    with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
        told = listener.ask(place(SPOT, stopprice="1"))
    entry = last(server, owner="alice", kind="OPERATION")
    assert entry["ignored"] == told["ignored"] == ["stopprice"]
    assert json.loads(entry["answer"]) == told["result"]
    assert entry["orders"] == [told["result"]["orderId"]]
    assert (entry["signed"], entry["size"]) == (None, len(entry["answer"]))


def test_a_refusal_over_a_socket(server: Server) -> None:
    with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
        listener.ask(place(SPOT, quantity="0"))
    entry = last(server, owner="alice", kind="OPERATION")
    told = json.loads(entry["answer"])
    assert (told["code"], told["msg"]) == (entry["code"], entry["msg"])


def test_what_many_orders_were_answered(server: Server) -> None:
    """A list of orders over a socket, and over HTTP: the first ids."""
    alice = server.client("alice")
    placed = [alice.post(ORDER, SPOT.plain).json["orderId"] for _ in range(25)]
    assert alice.get("/api/v3/openOrders").status == 200
    entry = last(server, owner="alice", operation="open_orders")
    assert (entry["cut"], entry["orders"]) == (True, placed[: len(entry["orders"])])
    assert 2 < len(entry["orders"]) <= 20
    with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
        told = listener.ask(
            {"method": "ORDER.CANCEL_ALL", "id": 1, "params": {"symbol": "BTCUSDT"}}
        )
    entry = last(server, owner="alice", kind="OPERATION")
    whole = json.dumps(told["result"], separators=(",", ":"))
    assert (entry["size"], entry["orders"]) == (len(whole), placed[: len(entry["orders"])])
    assert whole.startswith(entry["answer"])


def test_a_long_answer_is_cut(server: Server) -> None:
    whole = server.client().get("/openapi.json").body
    entry = last(server, kind="REQUEST")
    assert len(whole) > KEPT_BYTES
    assert (entry["size"], entry["cut"]) == (len(whole), True)
    assert entry["answer"].encode() == whole[:KEPT_BYTES]


@pytest.mark.parametrize("path", ["/pages/vendor/lightweight-charts.js", "/pages/icon.svg"])
def test_no_answer_is_shown_of_bytes_that_are_no_text(server: Server, path: str) -> None:
    """A long one is cut, a short one is kept whole."""
    packed = server.client().get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    entry = last(server, kind="REQUEST", tools="true")
    assert (entry["path"], entry["size"]) == (path, len(packed.body))
    assert (entry["answer"], entry["cut"]) == ("", True)


def test_an_answer_may_be_cut_in_the_middle_of_a_character() -> None:
    body = "é".encode() * KEPT_BYTES
    for kept in (KEPT_BYTES - 1, KEPT_BYTES):
        text = _answer_text(Reply(body[:kept], len(body), []), {})
        assert text == "é" * (kept // 2)


def test_an_answer_ends_before_a_secret_that_is_cut() -> None:
    body = b'{"msg":"a key","list":[{"x":1,"apiKey" :"hidden'
    assert _answer_text(Reply(body, 2 * len(body), []), {}) == '{"msg":"a key","list":[{"x":1,***'


def test_what_was_signed(server: Server) -> None:
    """The text to sign, so that a client can compare it with its own; of key and signature a few
    characters."""
    alice = server.client("alice")
    raw = json.dumps(SPOT.plain).encode()
    headers = alice.headers("POST", ORDER, raw)
    assert alice.call("POST", ORDER, raw, headers=headers).status == 200
    signed = last(server, owner="alice", operation="place_order")["signed"]
    account = server.account("alice")
    assert signed["payload"] == f"{headers['ACCESS-TIMESTAMP']}POST{ORDER}{raw.decode()}"
    signature = signing.sign(account["secret"].encode(), signed["payload"].encode()).decode()
    assert signed["signature"] == f"{signature[:8]}..."
    assert signed["timestamp"] == headers["ACCESS-TIMESTAMP"]
    assert signed["key"] == f"...{account['key'][-4:]}"
    assert server.client().get(TIME).status == 200
    assert last(server, operation="time")["signed"] is None


def test_the_payload_ends_before_what_cannot_be_shown(server: Server) -> None:
    alice = server.client("alice")
    alice.get("/api/v3/account?token=%68idden-token")
    payload = last(server, owner="alice", kind="REQUEST")["signed"]["payload"]
    assert payload.endswith("GET/api/v3/account...")
    alice.post(ORDER, b'{"secret":"hidden-token"')
    payload = last(server, owner="alice", kind="REQUEST")["signed"]["payload"]
    assert payload.endswith(f"POST{ORDER}...")


def test_a_secret_in_a_query_beside_a_body_is_not_shown(server: Server) -> None:
    """The venue refuses such a request; no command repeats it."""
    alice = server.client("alice")
    target, raw = f"{ORDER}?passphrase=open-sesame", json.dumps(SPOT.plain).encode()
    asked = [
        alice.post(target, raw),
        alice.call("POST", target, raw, headers={"ACCESS-SIGN": "A" * 44}),
    ]
    assert [answer.json["code"] for answer in asked] == [-1142, -1047]
    for entry in entries(server, kind="REQUEST", limit=2):
        assert "open-sesame" not in json.dumps(entry)
        assert json.loads(entry["text"]) == {"passphrase": "***", **SPOT.plain}
        assert entry["repeat"] is None


def test_a_query_beside_an_empty_body_is_shown(server: Server) -> None:
    answer = server.client("alice").call("GET", "/api/v3/openOrders?symbol=BTCUSDT", b"{}")
    assert answer.status == 200, answer
    entry = last(server, owner="alice", kind="REQUEST")
    assert json.loads(entry["text"]) == {"symbol": "BTCUSDT"}
    assert entry["repeat"] == "venue get /api/v3/openOrders --as alice symbol=BTCUSDT"


def keyed(client: Client, **more: Any) -> Answer:
    body = {"owner": "alice", "permissions": ["READ"], **more}
    return client.post("/_venue/keys", body)


@pytest.mark.parametrize("passphrase", SECRETS)
def test_no_entry_has_a_secret(server: Server, passphrase: str) -> None:
    """Of a key that is made, of refusals that repeat the request, of a signature that is wrong:
    whatever field it could stand in."""
    operator, alice = server.client(), server.client("alice")
    made = keyed(operator)
    asked = [made, keyed(operator, passphrase=passphrase)]
    asked.append(keyed(operator, passphrase=passphrase * 100, permissions=["NONE"]))
    wrong: dict[str, str | None] = {"ACCESS-SIGN": "A" * 44}
    for name in ("secret", "apiKey", "passphrase", "invitation"):
        query = urllib.parse.urlencode({name: passphrase})
        asked += [
            alice.get(f"/api/v3/account?{query}"),
            alice.call("GET", f"/api/v3/account?{query}", None, headers=wrong),
            alice.post(ORDER, {**SPOT.plain, name: passphrase, "quantity": "0"}),
            alice.post(ORDER, f'{{"{name}":"{passphrase}"'.encode()),
        ]
    assert {answer.status for answer in asked} >= {200, 400}
    text = operator.get(f"{WIRE}?limit=1000&tools=true").body.decode()
    quoted = (urllib.parse.quote(passphrase), urllib.parse.quote_plus(passphrase))
    for secret in (passphrase, *quoted, *made.json.values()):
        assert secret not in text


def test_a_new_key_is_masked_in_its_answer(server: Server) -> None:
    made = keyed(server.client()).json
    assert set(made) == {"key", "secret", "passphrase"}
    (entry,) = entries(server, operation="create_key", tools="true", limit=1)
    assert json.loads(entry["answer"]) == dict.fromkeys(made, "***")
    assert entry["tool"] is True


def test_the_session_of_a_page_is_masked(server: Server) -> None:
    headers = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    began = server.client().post("/_venue/session", {}, headers=headers)
    assert began.status == 200
    entry = last(server, tools="true")
    assert (entry["path"], entry["tool"]) == ("/_venue/session", True)
    assert json.loads(entry["answer"]) == {"token": "***"}
    page = {**headers, "X-Venue-Page": began.json["token"]}
    page |= {"Cookie": began.headers["set-cookie"].partition(";")[0], "X-Venue-Act-As": "alice"}
    assert server.client().get("/api/v3/account/", headers=page).status == 200
    assert server.client().get("/").status == 200
    found = entries(server, tools="true", after=entry["number"])
    assert [(one["path"], one["owner"], one["tool"]) for one in found] == [
        ("/api/v3/account/", "alice", True),
        ("/", "", True),
    ]
    told = json.dumps(entries(server, tools="true", limit=1000))
    assert began.json["token"] not in told
    assert page["Cookie"].partition("=")[2] not in told


def test_requests_of_the_venues_own_tools_are_left_out(server: Server) -> None:
    operator = server.client()
    assert operator.get("/_venue/health").status == 200
    assert operator.post(ORDER, SPOT.plain, headers={"X-Venue-Act-As": "alice"}).status == 200
    assert operator.get(TIME, headers={"X-Venue-Page": "x"}).status == 200
    tools = entries(server, tools="true", kind="REQUEST", limit=3)
    assert [one["operation"] for one in tools] == ["health", "place_order", "time"]
    assert [one["tool"] for one in tools] == [True, True, True]
    first = tools[0]["number"] - 1
    assert entries(server, after=first) == []
    assert server.client("alice").get("/api/v3/account").status == 200
    assert [one["operation"] for one in entries(server, after=first)] == ["account"]


def test_who_only_says_that_it_acts_is_no_tool(server: Server) -> None:
    headers = {"X-Venue-Act-As": "alice", "Forwarded": "for=192.0.2.1"}
    assert server.client().post(ORDER, SPOT.plain, headers=headers).status == 403
    entry = last(server, kind="REQUEST")
    assert (entry["status"], entry["owner"], entry["tool"]) == (403, "", False)


def test_only_refused_ones(server: Server) -> None:
    alice = server.client("alice")
    first = last(server, tools="true")["number"]
    assert alice.post(ORDER, SPOT.plain).status == 200
    assert alice.post(ORDER, {**SPOT.plain, "quantity": "0"}).status == 400
    add(server, "drop_after", id="drop", match={"path": TIME, "owner": "alice"})
    with pytest.raises(http.client.RemoteDisconnected):
        alice.get(TIME)
    alice.connection.close()
    with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
        listener.ask(place(SPOT, quantity="0"))
    found = entries(server, after=first, refused="true")
    assert [one["status"] for one in found] == [400, None, 400]
    assert found[1]["answer"] == ""


def test_a_bundle_keeps_what_tools_asked(server: Server, tmp_path: Path) -> None:
    assert server.client().get("/_venue/health").status == 200
    file = tmp_path / "run.venue"
    assert venue("bundle", "-o", str(file), url=server.url)[0] == 0
    run = unsealed(file.read_bytes(), file.name)
    assert any(entry.tool and entry.operation == "health" for entry in run.wire)
