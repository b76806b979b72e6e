"""Runs: bundled from a running venue, opened at any command, and nothing of it can be changed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.listening import Listener, login
from support.runs import OpenRun, venue
from support.server import Server
from support.socket_desk import SPOT
from venue import Venue
from venue.api.documents.table import ROWS
from venue.bundle.file import unsealed, write
from venue.cli.verify import verify
from venue.core.messages.commands import ChangeSetting
from venue.journal import recent
from venue.node import explainer
from venue.vocabulary import Access

AT = ("--no-agents", "--clock", "manual", "--at", "2026-01-01T00:00:00Z")
ORDER = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
PLACE = "/api/v3/order"
OPEN = "/api/v3/openOrders?symbol=BTCUSDT"
HEALTH = "/_venue/health"
PATIENCE_S = 30
PUBLIC = (
    "/api/v3/market/depth?symbol=BTCUSDT",
    "/api/v3/market/trades?symbol=BTCUSDT",
    "/api/v3/market/ticker/24hr?symbol=BTCUSDT",
    "/api/v3/market/klines?symbol=BTCUSDT&interval=1m",
    "/capi/v3/market/ticker/24hr?symbol=BTCUSDT",
)
THEIRS = (OPEN, "/api/v3/myTrades?symbol=BTCUSDT", "/api/v3/account")


class Lived:
    """The answers of a venue after some of its commands, and the place of its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secrets: list[str] = []
        self.told: dict[int, dict[str, bytes]] = {}

    @property
    def file(self) -> Path:
        return self.folder / "run.venue"

    @property
    def state(self) -> Path:
        return self.folder / "state.db"


def sequence(server: Server) -> int:
    return int(server.client().get(HEALTH).json["sequence"])


def ok(answer: Any) -> Any:
    assert answer.status == 200, answer
    return answer


def answers(port_client: Any, at: str = "") -> dict[str, bytes]:
    """The answers to anybody, and to alice."""
    found = {}
    for target in PUBLIC:
        found[target] = ok(port_client.get(target + at)).body
    for target in THEIRS:
        mark = at if "?" in target else at.replace("&", "?")
        found[target] = ok(port_client.get(target + mark, headers={"X-Venue-Act-As": "alice"})).body
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """The files that hold something: SQLite leaves an empty log."""
    found = {one.name: one.read_bytes() for one in folder.iterdir()}
    return {name: data for name, data in found.items() if data}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """A venue's run: orders, a trade, time, a revert, keys and a login; bundled and stopped."""
    found = Lived(tmp_path_factory.mktemp("runs"))
    with Server(*AT, "--state", str(found.state), folder=found.folder) as server:
        operator = server.client()

        def note() -> None:
            found.told[sequence(server)] = answers(operator)

        def trade(owner: str, side: str, price: str) -> None:
            order = {**ORDER, "side": side, "price": price, "quantity": "0.01"}
            ok(operator.post(PLACE, order, headers={"X-Venue-Act-As": owner}))

        trade("alice", "BUY", "60000")
        note()
        ok(operator.put("/_venue/snapshots/base"))
        trade("bob", "SELL", "60000")
        ok(operator.post("/_venue/clock/advance", {"by": "5m"}))
        note()
        ok(operator.post("/_venue/snapshots/base/revert", {}))
        trade("alice", "BUY", "59000")
        note()
        made = ok(operator.post("/_venue/keys", {"owner": "bob", "permissions": ["READ"]})).json
        with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
            listener.ask({"method": "PING", "id": 1, "params": {"passphrase": "open-sesame"}})
        operator.get("/_venue/keys?token=hidden-token")
        alice = server.account("alice")
        found.secrets = [made["key"], made["secret"], made["passphrase"], "open-sesame"]
        found.secrets += ["hidden-token", alice["secret"], alice["passphrase"]]
        code, out, errors = venue("bundle", "-o", str(found.file), url=server.url)
        assert (code, errors) == (0, "")
        assert out.startswith(f"{found.file}: commands 1 to {sequence(server)}, ")
        assert server.stop() == 0
    return found


@pytest.fixture(scope="module")
def opened(lived: Lived) -> Iterator[OpenRun]:
    with OpenRun(lived.file) as run:
        yield run


def test_a_bundle_holds_no_secret(lived: Lived) -> None:
    run = unsealed(lived.file.read_bytes(), "run.venue")
    everything = repr(run)
    assert "open-sesame" not in everything
    for secret in lived.secrets:
        assert secret not in everything
    assert (run.seed, run.begin, run.settings["batchPlace"]) == ("1", 0, False)
    assert lived.file.stat().st_mode & 0o777 == 0o600


def test_the_answers_of_each_command_are_had_again(lived: Lived, opened: OpenRun) -> None:
    for at in sorted(lived.told, reverse=True):
        assert answers(opened.client, f"&at={at}") == lived.told[at]
    latest = ok(opened.client.get(HEALTH))
    assert latest.json["sequence"] == opened.last
    assert latest.headers["x-venue-at"] == str(opened.last)


def test_a_stopped_venues_file_is_served_and_not_changed(lived: Lived) -> None:
    before = contents(lived.folder)
    at = max(lived.told)
    with OpenRun(lived.state) as run:
        assert answers(run.client, f"&at={at}") == lived.told[at]
        code, _, errors = venue("dev", "--state", str(lived.state), "--port", "0")
        assert code == 3
        assert "in use by another process" in errors
    assert contents(lived.folder) == before


def test_every_command_is_refused_in_words(lived: Lived, opened: OpenRun) -> None:
    before = ok(opened.client.get(HEALTH)).json["stateHash"]
    act = opened.act("alice")
    order = {**ORDER, "price": "1", "quantity": "1"}
    refused = [
        opened.client.post(PLACE, order, headers=act),
        opened.client.post(PLACE, b"not json", headers=act),
        opened.client.delete(f"{PLACE}?orderId=1", headers=act),
        opened.client.put("/_venue/snapshots/base"),
        opened.client.post("/_venue/reset", {}),
        opened.client.post("/_venue/stop", {}),
        opened.client.post("/_venue/clock/advance", {"by": "1s"}),
        opened.client.post("/_venue/keys", {"owner": "bob", "permissions": ["READ"]}),
        opened.client.call("PATCH", "/nowhere", {}),
    ]
    for answer in refused:
        assert (answer.status, answer.json["code"]) == (400, -1150)
        assert "opened for reading only; `venue fork FILE@SEQ" in answer.json["msg"]
    assert ok(opened.client.get(HEALTH)).json["stateHash"] == before
    with pytest.raises(Exception, match=r"4\d\d"):
        Listener(opened.port, "/spot/v3/ws/public")


def test_no_question_of_the_table_changes_anything(opened: OpenRun) -> None:
    before = ok(opened.client.get(HEALTH)).json["stateHash"]
    asked = 0
    for row in ROWS:
        if row.method != "GET":
            continue
        path = row.path.replace("{id}", "1").replace("{name}", "base")
        signed = row.access not in (Access.PUBLIC, Access.OPERATOR)
        for query in ("", "?symbol=BTCUSDT&limit=10"):
            answer = opened.client.get(path + query, headers=opened.act("alice") if signed else {})
            assert answer.status in (200, 400, 403, 404), (row.name, answer)
            asked += answer.status == 200
    assert asked > 50
    assert ok(opened.client.get(HEALTH)).json["stateHash"] == before


def test_a_venue_in_memory_is_bundled_from_a_snapshot(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recent, "EVERY", 200)
    monkeypatch.setattr(explainer, "REMEMBER_S", 0.01)
    file = tmp_path / "run.venue"
    with Venue(agents=False) as v:
        until = time.monotonic() + PATIENCE_S
        while v.call("bundle").begin == 0:  # two snapshots stand for what came before
            assert time.monotonic() < until
            v.run("1m")
        v.account("alice").buy("BTCUSDT", "0.01", price="50000")
        code, _, errors = venue("bundle", "-o", str(file), url=v.serve().url)
        assert (code, errors) == (0, "")
        depth = v.call("depth", symbol="BTCUSDT")
    run = unsealed(file.read_bytes(), "")
    assert run.begin > 0
    assert run.snapshot
    with OpenRun(file) as opened:
        assert opened.first == run.begin
        found = ok(opened.client.get(PUBLIC[0])).json
        assert found["bids"] == [list(level) for level in depth.bids]
        assert (
            ok(opened.client.get(f"{OPEN}&at={run.begin}", headers=opened.act("alice"))).json == []
        )
        assert len(ok(opened.client.get(OPEN, headers=opened.act("alice"))).json) == 1


def test_a_command_that_is_not_there_is_refused(opened: OpenRun) -> None:
    for at in ("0", str(opened.last + 1), "-1", "x", "", "9" * 30, "1.5", "1&at=2", "%31"):
        answer = opened.client.get(f"{HEALTH}?at={at}")
        assert (answer.status, answer.json["code"]) == (400, -1142)
        assert f"number of a command, 1 to {opened.last}" in answer.json["msg"]


def test_questions_without_effect_are_answered(lived: Lived, opened: OpenRun) -> None:
    body: dict[str, Any] = {"owner": "alice", "product": "SPOT"}
    body |= {"order": {**ORDER, "price": "60000", "quantity": "0.01"}}
    assert ok(opened.client.post("/_venue/preview", body)).json["accepted"]
    wire = ok(opened.client.get("/_venue/wire?owner=alice&operation=place_order&tools=true")).json
    assert [entry["status"] for entry in wire] == [200, 200]
    assert ok(opened.client.get("/_venue/wire?status=4xx&kind=SENT")).json == []
    first = min(lived.told)
    (order,) = ok(opened.client.get(f"{OPEN}&at={first}", headers=opened.act("alice"))).json
    told = ok(opened.client.get(f"/_venue/explain/order/{order['orderId']}?at={first}")).json
    assert told["owner"] == "alice"
    assert told["sequence"] <= first
    for served in ("/openapi.json", "/asyncapi.json"):
        assert ok(opened.client.get(served)).json["info"]["title"]
    assert opened.client.get("/").status == 404  # a page follows a venue that goes on


def test_who_may_not_ask(opened: OpenRun) -> None:
    page = opened.client.get(f"{HEALTH}?at=3", headers={"Origin": "http://evil.example"})
    assert (page.status, page.json["code"]) == (403, -1190)
    image = opened.client.get(f"{HEALTH}?at=3", headers={"Sec-Fetch-Site": "cross-site"})
    assert image.status == 403
    rebound = opened.client.get(HEALTH, headers={"Host": "evil.example"})
    assert rebound.status == 403


def test_a_bundle_of_what_is_opened_is_the_same(opened: OpenRun, lived: Lived) -> None:
    again = lived.folder.parent / "again.venue"
    code, _, errors = venue("bundle", "-o", str(again), url=opened.url)
    assert (code, errors) == (0, "")
    first, second = (unsealed(one.read_bytes(), "") for one in (lived.file, again))
    assert (second.state_hash, second.last, second.wire) == (
        first.state_hash,
        first.last,
        first.wire,
    )
    again.unlink()


def test_a_cut_file_ends_in_one_line(lived: Lived, tmp_path: Path) -> None:
    data = lived.file.read_bytes()
    for length in (0, 40, len(data) - 1):
        cut = tmp_path / f"cut-{length}.venue"
        cut.write_bytes(data[:length])
        code, out, errors = venue("open", str(cut), "--port", "0")
        assert (code, out) == (2, "")
        assert errors.count("\n") == 1, errors
        assert cut.read_bytes() == data[:length]
        assert list(tmp_path.iterdir()) == [cut]
        cut.unlink()


def test_a_run_that_no_venue_wrote_ends_in_one_line(lived: Lived, tmp_path: Path) -> None:
    run = unsealed(lived.file.read_bytes(), "")
    strange = msgspec.msgpack.encode([ChangeSetting("historyEpoch", "soon", time=run.time + 1)])
    run.commands.append((run.last + 1, strange))
    run.last, run.state_hash = run.last + 1, ""
    write(str(tmp_path / "strange.venue"), run)
    code, out, errors = venue("open", str(tmp_path / "strange.venue"), "--port", "0")
    assert (code, out, errors.count("\n")) == (2, "", 1), errors
    assert "make the bundle again" in errors


def test_nobody_to_bundle_is_one_line(tmp_path: Path) -> None:
    code, out, errors = venue("bundle", folder=tmp_path)
    assert (code, out, errors.count("\n")) == (2, "", 1)
    code, out, errors = venue("bundle", "-o", str(tmp_path))
    assert (code, errors) == (
        2,
        f"venue: {tmp_path} is a folder: name a file in it, as {tmp_path}/run.venue\n",
    )
    assert not list(tmp_path.iterdir())


def test_a_run_is_replayed_and_its_branches_are_told(lived: Lived) -> None:
    code, out, errors = venue("replay", str(lived.file), "--output", "json")
    end = json.loads(out)
    run = unsealed(lived.file.read_bytes(), "")
    assert (code, errors, end["stateHash"]) == (0, "", run.state_hash)
    code, out, errors = venue("replay", str(lived.state), "--diff", str(lived.file))
    assert (code, errors) == (0, "")
    assert out == f"commands 1 to {run.last} are the same, so the states are\n"
    code, out, errors = venue("log", str(lived.file), "--branches", "--output", "json")
    left, goes_on = json.loads(out)
    assert (code, errors) == (0, "")
    assert (left["begins"], left["left"], goes_on["kept"]) == (1, goes_on["begins"], "base")
    assert (goes_on["left"], goes_on["ends"]) == (None, run.last)
    assert left["follows"] == 0 < goes_on["follows"] < left["ends"]
    after = goes_on["begins"] - 1
    code, out, _ = venue("log", str(lived.state), "--after", str(after), "--limit", "2")
    assert (code, out.splitlines()[1].split()[2:]) == (0, ["RevertState", "name=base"])
    assert len(out.splitlines()) == 3


def test_two_runs_differ_from_a_command_on(lived: Lived, tmp_path: Path) -> None:
    """A fork that was gone on with, against the run that it was made of."""
    at = sorted(lived.told)[1]  # of the branch that was left
    new = tmp_path / "new.db"
    code, out, errors = venue("fork", f"{lived.file}@{at}", "-o", str(new))
    assert (code, errors) == (0, "")
    assert out.startswith(f"{new}: continues after command {at}, 2026-01-01T00:05:00.000Z; state ")
    with Server(*AT[:3], "--state", str(new), folder=tmp_path) as server:
        assert answers(server.client()) == lived.told[at]
        order = {**ORDER, "price": "61000", "quantity": "0.01"}
        ok(server.client("carol").get("/api/v3/account"))
        ok(server.client().post(PLACE, order, headers={"X-Venue-Act-As": "alice"}))
        assert server.stop() == 0
        assert server.errors.read_text() == ""
    assert verify(str(new)).problems == []
    code, out, errors = venue("replay", str(new), "--diff", str(lived.file), "--output", "json")
    found = json.loads(out)
    assert (code, errors, found["begin"]) == (1, "", 1)
    assert found["difference"]["what"] == "COMMAND"
    assert found["difference"]["sequence"] == at + 1
    code, out, _ = venue("replay", str(new), "--diff", str(lived.file))
    assert (code, out.splitlines()[0]) == (1, f"the first command that differs is {at + 1}:")


def test_a_fork_is_refused_in_one_line(lived: Lived, tmp_path: Path) -> None:
    new, taken = tmp_path / "new.db", tmp_path / "taken.db"
    taken.write_bytes(b"mine")
    for words in (
        ("fork", str(lived.file), "-o", str(new)),
        ("fork", f"{lived.file}@999999", "-o", str(new)),
        ("fork", f"{lived.file}@3", "-o", str(taken)),
    ):
        code, out, errors = venue(*words)
        assert (code, out, errors.count("\n")) == (2, "", 1), errors
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("taken.db", b"mine")]
