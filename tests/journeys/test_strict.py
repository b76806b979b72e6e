"""A strict venue: input that exchanges swallow is refused; its first screen; how it is stopped."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ccxt
import pytest

from support.command import run
from support.copies import CLEAN
from support.listening import Listener, login
from support.server import Server
from support.socket_desk import SPOT, place
from support.stock import Stock

LIMIT = ("BTC/USDT", "limit", "buy", 0.01, 60000)
COLUMNS, LINES = 80, 24


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The last test stops it."""
    folder = tmp_path_factory.mktemp("strict")
    with Server("--no-agents", "--strict", "--state", str(folder / "v.db"), folder=folder) as found:
        yield found


def orders(server: Server) -> list[Any]:
    return server.client("alice").get("/api/v3/openOrders").json  # type: ignore[no-any-return]


def test_a_stock_client_is_told_what_it_would_have_lost(server: Server) -> None:
    """A spot stop order: elsewhere it rests as a plain limit order, and nobody says so."""
    with Stock(server, server.account("alice")) as stock:
        with pytest.raises(ccxt.ExchangeError, match=r"'stopPrice'.*unknown parameter.*strict"):
            stock("create_order", *LIMIT, {"stopPrice": "59000"})
        assert orders(server) == []
        placed = stock("create_order", *LIMIT)
        assert stock("fetch_open_orders")[0]["id"] == placed["id"]
        stock("cancel_order", placed["id"], "BTC/USDT")
        stock("fetch_balance")
        stock("fetch_my_trades", "BTC/USDT")
        stock("fetch_positions")
        stock("fetch_ohlcv", "BTC/USDT")


def test_unknown_names_are_refused_wherever_they_stand(server: Server) -> None:
    alice = server.client("alice")
    asked = server.client().get("/api/v3/market/depth?symbol=BTCUSDT&depht=5&x%2Cy=1")
    assert (asked.status, asked.json["code"]) == (400, -1142)
    assert "'depht'" in asked.json["msg"]
    assert "x,y neither" in asked.json["msg"]
    plain = SPOT.plain | {"reduceOnly": True}
    refused = alice.post("/api/v3/order", plain)
    assert refused.json["code"] == -1142
    assert "'reduceOnly'" in refused.json["msg"]
    with Listener(server.port, SPOT.socket, login(server.account("alice"))) as listener:
        answer = listener.ask(place(SPOT, reduceOnly=True))
        assert (answer["status"], answer["error"]["code"]) == (400, -1142)
        assert listener.ask(place(SPOT, 2))["status"] == 200  # the socket goes on
    told, placed = server.client().get("/_venue/wire?kind=OPERATION&owner=alice").json
    assert (told["status"], told["code"], told["msg"]) == (400, -1142, answer["error"]["msg"])
    assert placed["status"] == 200
    former = alice.post("/api/v3/order", SPOT.plain | {"force": "ioc"})
    assert former.json["msg"].endswith("in V3 'force' ioc is 'timeInForce' IOC.")
    # Known, and without effect: many programs send it with every order.
    market = {**SPOT.plain, "type": "MARKET", "timeInForce": "GTC"}
    del market["price"]
    told = alice.post("/api/v3/order", market)
    assert told.status == 200 or told.json["code"] != -1142, told
    assert len(orders(server)) == 1


def screen(*line: str, folder: Path) -> str:
    """The text that `venue dev` prints on a terminal, up to its last line; then ^C ends it."""
    ours, theirs = pty.openpty()
    venue = subprocess.Popen(
        [*line, "dev", "--port", "0"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder,
        env={**CLEAN, "TERM": "xterm", "PATH": "/usr/bin:/bin"}, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    text = b""
    while b"to stop." not in text:
        text += os.read(ours, 4096)
    venue.terminate()
    assert venue.wait(30) == 0
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def test_the_first_screen_fits_and_its_commands_work_where_it_was_started(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("venue")
    (tmp_path / "bin").symlink_to(program.parent)
    text = screen(str(tmp_path / "bin" / "venue"), folder=tmp_path)
    assert "\x1b[1m" in text  # a terminal has colours
    plain = re.sub(r"\x1b\[[0-9]*m", "", text)
    lines = plain.splitlines()
    assert len(lines) < LINES
    assert max(map(len, lines)) <= COLUMNS + len(" --url http://127.0.0.1:65535")
    assert [line for line in lines if len(line) > COLUMNS and "--url" not in line] == []
    assert re.search(r"ws://127\.0\.0\.1:[0-9]+/spot/v3/ws\b", plain)
    assert re.search(r"ws://127\.0\.0\.1:[0-9]+/contract/v3/ws\b", plain)
    assert "       bin/venue buy BTCUSDT" in plain
    done = subprocess.run(
        ["bin/venue", "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "buy" in done.stdout


def test_a_stopped_venue_is_gone_and_whole(server: Server) -> None:
    pid = server.process.pid
    done = run("stop", VENUE_URL=server.url)
    assert done.stdout == f"the venue at {server.url} has stopped\n", done.stderr
    assert server.process.wait(30) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    again = run("stop", VENUE_URL=server.url)
    assert (again.returncode, len(again.stderr.splitlines())) == (2, 1)
    assert "no venue answers" in again.stderr
    assert run("verify", str(server.folder / "v.db")).returncode == 0
