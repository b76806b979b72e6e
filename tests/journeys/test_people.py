"""The command line for people: owners, orders, keys, faults, and its words when it cannot."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from support.command import run, run_in
from support.holding import children
from support.server import Server
from venue.cli.app import app


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("--no-agents", folder=tmp_path_factory.mktemp("people")) as found:
        yield found
        assert found.stop() == 0


def said(server: Server, *arguments: str) -> str:
    done = run(*arguments, VENUE_URL=server.url)
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(server: Server, *arguments: str) -> Any:
    return json.loads(said(server, *arguments))


def refusal(server: Server, *arguments: str, **environment: str) -> str:
    """The one line that a command ends with."""
    done = run(*arguments, **{"VENUE_URL": server.url, **environment})
    assert done.returncode == 2, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_an_order_is_placed_seen_and_canceled(server: Server) -> None:
    line = said(server, "buy", "btcusdt", "0.01", "--price", "60000")
    assert line.startswith("BUY 0.01 BTCUSDT at 60000: order ")
    number, said_of_it = line.removeprefix("BUY 0.01 BTCUSDT at 60000: order ").split(", ", 1)
    assert said_of_it == "open, nothing filled\n"
    (row,) = told(server, "orders", "--output", "json")
    assert (row["id"], row["side"], row["status"]) == (number, "BUY", "NEW")
    assert number in said(server, "orders", "BTCUSDT")
    (locked,) = [
        row["locked"]
        for row in told(server, "balance", "--output", "json")
        if (row["wallet"], row["asset"]) == ("SPOT", "USDT")
    ]
    assert locked == "600.00000000"
    assert said(server, "cancel", "BTCUSDT", number) == f"order {number} is canceled\n"
    assert said(server, "orders") == "no open orders\n"
    for price in ("59000", "59001"):
        said(server, "buy", "BTCUSDT", "0.01", "--price", price)
    assert said(server, "cancel", "BTCUSDT", "--all") == "canceled 2 orders\n"


def test_two_owners_trade_and_a_contract_is_opened_and_closed(server: Server) -> None:
    said(server, "sell", "ETHUSDT", "1", "--price", "3000", "--as", "bob")
    line = said(server, "buy", "ETHUSDT", "1", "--as", "alice")
    assert line.endswith(", filled 1 at 3000, fee 0.001 ETH\n")
    (mine,) = told(server, "fills", "ETHUSDT", "--output", "json")
    (theirs,) = told(server, "fills", "--as", "bob", "--output", "json")
    assert (mine["side"], mine["fee"], mine["asset"]) == ("BUY", "0.00100000", "ETH")
    assert (theirs["side"], theirs["fee"], theirs["asset"]) == ("SELL", "3.00000000", "USDT")
    assert said(server, "fills", "BTCUSDT") == "no fills\n"
    assert told(server, "orders", "--as", "bob", "--output", "json") == []
    market = ("BTCSUSDT", "0.01", "--contract")
    index = ("index", "BTCSUSDT", "60000", "--jump")
    said(server, *index)  # again before each opening order: a posted index grows old
    line = said(server, "sell", *market, "--price", "60000", "--as", "bob")
    assert line.startswith("SELL SHORT 0.01 BTCSUSDT at 60000: order ")
    (row,) = told(server, "orders", *market[::2], "--as", "bob", "--output", "json")
    assert (row["side"], row["positionSide"], row["filled"]) == (
        "SELL",
        "SHORT",
        "0.00000",
    )
    said(server, *index)
    line = said(server, "buy", *market)
    assert "filled 0.01 at 60000, fee 0.36 SUSDT" in line
    assert "BUY LONG" in said(server, "fills", "BTCSUSDT", "--contract")
    assert said(server, "positions", "--as", "alice") == said(server, "positions")
    (held,) = told(server, "account", "--output", "json")["positions"]
    assert (held["symbol"], held["side"]) == ("BTCSUSDT", "LONG")
    assert "BTCSUSDT" in said(server, "account")
    said(server, "buy", *market, "--close", "--price", "60000", "--as", "bob")
    said(server, "sell", *market, "--close")
    held = told(server, "account", "--output", "json")
    assert held["positions"] == []
    said(server, *index)
    said(server, "buy", *market, "--price", "59000")
    cancel = ("cancel", "BTCSUSDT", "--contract")
    assert said(server, *cancel, "--all") == "canceled 1 order\n"
    said(server, *index)
    number = said(server, "buy", *market, "--price", "59000").split("order ")[1].split(",")[0]
    assert said(server, *cancel, number) == f"order {number} is canceled\n"
    assert "--contract" in refusal(server, "buy", "BTCUSDT", "1", "--close")
    assert "--all" in refusal(server, "cancel", "BTCUSDT")
    assert {"uid", "balances", "positions", "orders", "contractOrders"} == set(held)
    assert "no open positions" in said(server, "account", "--as", "alice")


def test_an_owner_of_the_operators_acts_by_name_and_leaves_no_key(server: Server) -> None:
    told(server, "post", "/_venue/owners", "name=erin")
    said(server, "faucet", "erin", "SPOT", "USDT", "1000")
    said(server, "buy", "BTCUSDT", "0.001", "--price", "50000", "--as", "erin")
    assert len(told(server, "orders", "--as", "erin", "--output", "json")) == 1
    refusal(server, "buy", "BTCUSDT", "9", "--price", "50000", "--as", "erin")
    keys = told(server, "key", "list", "erin", "--output", "json")
    assert len(keys) == 3
    assert all(key["revoked"] for key in keys)
    assert [key["permissions"] for key in keys].count(["READ", "SPOT_TRADE"]) == 2
    left = said(server, "withdraw", "erin", "SPOT", "USDT", "100")
    assert left == "erin SPOT USDT -100.00000000 -> 900.00000000\n"
    assert "no such owner" in refusal(server, "balance", "--as", "mallory")


def test_a_key_is_made_used_and_revoked(server: Server) -> None:
    made = told(server, "key", "create", "bob", "--permission", "READ", "--output", "json")
    own = {f"VENUE_{name.upper()}": value for name, value in made.items()}
    done = run("get", "/api/v3/account/", VENUE_URL=server.url, **own)
    assert json.loads(done.stdout)["uid"] == server.account("bob")["uid"]
    assert "ermission" in refusal(server, "buy", "BTCUSDT", "1", **own)
    whole = [part for name, value in made.items() for part in (f"--{name}", value)]
    assert told(server, "get", "account", *whole)["uid"] == server.account("bob")["uid"]
    assert "belong together" in refusal(server, "balance", "--key", made["key"])
    assert said(server, "key", "revoke", made["key"]) == f"{made['key']} is revoked\n"
    assert made["secret"] not in said(server, "key", "list")
    refusal(server, "balance", **own)


def test_any_operation_is_sent_and_its_answer_printed(server: Server) -> None:
    assert "serverTime" in told(server, "get", "/api/v3/time")
    assert told(server, "get", "prices", "symbol=BTCUSDT")["symbol"] == "BTCUSDT"
    assert told(server, "get", "/api/v3/market/ticker/price?symbol=BTCUSDT")["symbol"] == "BTCUSDT"
    some = told(server, "get", "tickers", 'symbols:=["BTCUSDT","ETHUSDT"]')
    assert [row["symbol"] for row in some] == ["BTCUSDT", "ETHUSDT"]
    assert told(server, "get", "health", "stateHash:=false")["stateHash"] == ""
    ack = told(
        server, "post", "/api/v3/order", "--as", "bob", "symbol=SOLUSDT", "side=BUY", "type=LIMIT",
        "quantity=1", "price=100",
    )  # fmt: skip
    gone = told(
        server, "delete", "cancel_batch", "--as", "bob", "symbol=SOLUSDT",
        f"orderIds:=[{ack['orderId']}]",
    )  # fmt: skip
    assert str(ack["orderId"]) in json.dumps(gone)
    done = run("get", "order", "symbol=BTCUSDT", "orderId=1", VENUE_URL=server.url)
    assert done.returncode == 2
    assert json.loads(done.stdout)["code"] == -2200
    assert "/api/v3/time" in refusal(server, "get", "/api/v3/tim")
    assert "given twice" in refusal(server, "get", "time", "a=1", "a=2")
    assert "no JSON" in refusal(server, "post", "order", "a:=[")


def test_faults_are_added_listed_and_removed(server: Server) -> None:
    line = ("fault", "add", "status", "--id", "down", "--effect", "status=503", "--path")
    said(server, *line, "/api/v3/time", "-p", "1", "--nth", "1", "--nth", "2")
    (rule,) = told(server, "fault", "list", "--output", "json")
    assert rule["match"] == {"path": "/api/v3/time"}
    assert rule["when"]["nth"] == [1, 2]
    assert run("get", "time", VENUE_URL=server.url).returncode == 2
    assert said(server, "fault", "list").split("\n")[1].endswith("1        1")
    assert said(server, "fault", "remove", "down") == "rule down is removed\n"
    (name, *_) = [one["name"] for one in told(server, "fault", "presets", "--output", "json")]
    count = len(told(server, "fault", "preset", name, "--rate", "30%", "--output", "json"))
    assert said(server, "fault", "clear") == f"{count} rules are removed\n"
    assert said(server, "fault", "list") == "no rules\n"
    assert "kind" in refusal(server, "fault", "add", "nonsense")
    assert "name=value" in refusal(server, "fault", "add", "delay", "--effect", "ms")


def test_a_venue_is_waited_for_and_tells_how_it_is(server: Server, tmp_path: Path) -> None:
    assert said(server, "wait") == f"a venue answers at {server.url}\n"
    assert said(server, "status").splitlines()[0].endswith(": ok")
    assert told(server, "status", "--output", "json")["status"] == "ok"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        line = refusal(server, "wait", "--timeout", "0.2", VENUE_URL=f"http://127.0.0.1:{port}")
    assert "no venue answers" in line
    assert "0 to 3600" in refusal(server, "wait", "--timeout", "nan")


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "http://",
        "http://127.0.0.1:99999",
        "ftp://127.0.0.1:8787",
        "http://a b",
        "http://é",
    ],
)
@pytest.mark.parametrize("line", [("status",), ("balance",), ("tail", "BTCUSDT@trade"), ("wait",)])
def test_an_address_that_is_none_is_one_line(url: str, line: tuple[str, ...]) -> None:
    done = run(*line, "--url", url)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "address of a venue" in done.stderr


def test_a_port_out_of_range_is_one_line() -> None:
    done = run("dev", "--port", "99999")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "0 to 65535" in done.stderr


class Stranger:
    """Another server: it redirects, or answers no JSON; it remembers what it was told."""

    def __init__(self, listening: socket.socket) -> None:
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self.elsewhere = ""
        self.seen: list[str] = []
        self._listening = listening

    def answer(self) -> None:
        with suppress(OSError):  # closed at the end
            while True:
                connection, _ = self._listening.accept()
                with connection:
                    self.seen.append(connection.recv(65_536).decode())
                    connection.sendall(self._reply().encode())

    def _reply(self) -> str:
        status = f"302 Found\r\nLocation: {self.elsewhere}" if self.elsewhere else "200 OK"
        return f"HTTP/1.1 {status}\r\nConnection: close\r\n\r\n<html>hello</html>"


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        found = Stranger(listening)
        Thread(target=found.answer, daemon=True).start()
        yield found
        listening.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("line", [("status",), ("balance",), ("positions", "alice")])
def test_another_server_is_one_line(
    server: Server, stranger: Stranger, line: tuple[str, ...]
) -> None:
    assert "not a venue" in refusal(server, *line, VENUE_URL=stranger.url)


def test_a_token_goes_to_no_other_address(server: Server, stranger: Stranger) -> None:
    stranger.elsewhere = stranger.url + "/other"
    assert "not a venue" in refusal(
        server, "status", VENUE_URL=stranger.url, VENUE_OPERATOR_TOKEN="secret"
    )
    (request,) = stranger.seen
    assert "Bearer secret" in request


def test_proxies_are_not_used(server: Server, stranger: Stranger) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        done = run("status", VENUE_URL=server.url, **{name: stranger.url})
        assert done.returncode == 0, done.stderr
    assert stranger.seen == []


def test_a_server_that_speaks_no_http_is_one_line(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"SSH-2.0-other\r\n\r\n")
                connection.recv(1000)

        thread = Thread(target=answer, daemon=True)
        thread.start()
        line = refusal(server, "buy", "BTCUSDT", "1", VENUE_URL=f"http://127.0.0.1:{port}")
        thread.join(10)
    assert "It may have been done all the same" in line or "no venue answers" in line


def test_every_argument_has_help() -> None:
    bare = []
    walked = [(name, app[name]) for name in app if not name.startswith("-")]
    while walked:
        path, one = walked.pop()
        walked += [(f"{path} {name}", one[name]) for name in one if not name.startswith("-")]
        if one.default_command is not None:
            bare += [
                f"{path} {argument.name}"
                for argument in one.assemble_argument_collection()
                if argument.show and not argument.parameter.help
            ]
    assert bare == []


def test_completion_is_printed() -> None:
    for shell in ("bash", "zsh", "fish"):
        done = run("completion", shell)
        assert done.returncode == 0, done.stderr
        assert "rebuild-history" in done.stdout


def test_a_hangup_ends_as_a_termination_does(tmp_path: Path) -> None:
    with Server("--no-agents", "--state", str(tmp_path / "venue.db"), folder=tmp_path) as found:
        for pid in (*children(found.process.pid), found.process.pid):  # a terminal tells them all
            os.kill(pid, signal.SIGHUP)
        assert found.process.wait(30) == 0
        assert found.stop() == 0
    assert run("verify", str(tmp_path / "venue.db")).returncode == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[dev]\nsede = 4\n", "no sede in [dev]; did you mean seed?"),
        ("[dve]\nseed = 4\n", "no dve; did you mean dev?"),
        ("[dev]\nzzz = 4\n", "no zzz in [dev]"),
        ("dev = 4\n", "[dev] must be a table"),
    ],
)
@pytest.mark.parametrize("line", [("--config", "venue.toml"), ()])
def test_an_unknown_name_in_a_file_of_options_is_refused(
    text: str, words: str, line: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "venue.toml").write_text(text)
    done = run_in(tmp_path, *line, "dev", "--port", "99999")
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_files_known_names_are_taken(server: Server, tmp_path: Path) -> None:
    text = '[dev]\nport = 99998\n[orders]\noutput = "json"\n[clock.advance]\nurl = "http://x"\n'
    (tmp_path / "venue.toml").write_text(text)
    assert "--port 99998" in run_in(tmp_path, "dev").stderr
    assert run_in(tmp_path, "orders", "--as", "dave", VENUE_URL=server.url).stdout == "[]\n"
    refused = run_in(tmp_path, "clock", "advance", "1s")
    assert "clock.advance.url is not taken" in refused.stderr
