"""`venue tail` and `venue watch` against a real server; the screen through a terminal of 80x24."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.listening import Listener, login
from support.server import Server
from support.waits import WAIT_S
from venue.cli.watch import WatchedMarket, WatchedOrder, layout
from venue.client.errors import Lost

LINES, COLUMNS = 24, 80
PRICE = "61234.50"  # nobody else's


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--no-agents", "--no-limits", "--depth-ms", "5")
    with Server(*options, folder=tmp_path_factory.mktemp("tail")) as running:
        trade(running, "60000.00")
        yield running
        assert running.stop() == 0
        assert running.errors.read_text() == ""


def order(server: Server, owner: str, side: str, price: str, quantity: str = "0.01") -> int:
    body = {"symbol": "BTCUSDT", "side": side, "type": "LIMIT", "price": price}
    answer = server.client(owner).post("/api/v3/order", {**body, "quantity": quantity})
    assert answer.status == 200, answer.body
    return int(answer.json["orderId"])


def trade(server: Server, price: str) -> None:
    order(server, "alice", "SELL", price)
    order(server, "bob", "BUY", price)


def started(server: Server, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "venue", *arguments, "--url", server.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
    )


@contextmanager
def tailing(server: Server, *channels: str) -> Iterator[subprocess.Popen[str]]:
    """A `venue tail` that does not outlive the test."""
    with started(server, "tail", *channels) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, list[Any], str]:
    """Exit code, the frames printed since, and the text on standard error."""
    out, errors = process.communicate(timeout=WAIT_S)
    return process.returncode, [json.loads(line) for line in out.splitlines()], errors


def test_tail_prints_so_many_frames(server: Server) -> None:
    code, frames, errors = ended(
        started(server, "tail", "BTCUSDT@trade", "BTCUSDT@ticker", "--count", "2")
    )
    assert (code, errors) == (0, "")
    assert [frame["e"] for frame in frames] == ["tradeSnapshot", "ticker"]
    assert frames[0]["d"][-1]["p"] == "60000.00"
    assert frames[1]["d"][0]["c"] == "60000.00"


def test_tail_of_a_contract(server: Server) -> None:
    arguments = ("tail", "BTCSUSDT@depth15", "--product", "contract", "--count", "1")
    code, (frame,), _ = ended(started(server, *arguments))
    assert code == 0
    assert (frame["e"], frame["s"]) == ("depthSnapshot", "BTCSUSDT")


def test_tail_of_an_account_until_it_is_interrupted(server: Server) -> None:
    with tailing(server, "BTCUSDT@ticker", "orders", "--as", "alice") as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["e"] == "ticker"
        # Private channels are listened to first.
        made = order(server, "alice", "BUY", "1000.00")
        frame = json.loads(process.stdout.readline())
        assert (frame["e"], frame["msgEvent"]) == ("orders", "OrderUpdate")
        assert int(frame["d"][0]["id"]) == made
        process.send_signal(signal.SIGINT)
        code, _, errors = ended(process)
    assert (code, errors) == (0, "")
    assert server.client("alice").delete("/api/v3/openOrders?symbol=BTCUSDT").status == 200


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["NOPE@trade"], "invalid symbol : NOPE"),
        (["BTCUSDT"], "invalid event : BTCUSDT"),
        (["orders"], "name the owner with --as NAME"),
        (["orders", "--as", "erin"], "erin is no demo account"),
        (["positions", "--as", "alice"], "invalid event : positions"),
        ([], "which channels?"),
    ],
)
def test_tail_says_what_is_wrong(server: Server, arguments: list[str], words: str) -> None:
    code, frames, errors = ended(started(server, "tail", *arguments))
    assert (code, frames) == (2, [])
    assert words in errors


def test_tail_from_a_number_on(server: Server) -> None:
    with Listener(server.port, "/spot/v3/ws/private", login(server.account("alice"))):
        order(server, "alice", "BUY", "1000.00")
    assert server.client("alice").delete("/api/v3/openOrders?symbol=BTCUSDT").status == 200
    arguments = ("tail", "orders?from=0", "--as", "alice", "--count", "2")
    code, frames, errors = ended(started(server, *arguments))
    assert (code, errors) == (0, "")
    assert [frame["seq"] for frame in frames] == [1, 2]


def test_tail_ends_with_the_venue(tmp_path: Path) -> None:
    with Server("--no-agents", folder=tmp_path) as server:
        with tailing(server, "BTCUSDT@ticker") as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            assert server.stop() == 0
            code, _, errors = ended(process)
        assert code == 2
        assert errors == "venue: the stream ended: the venue is stopping\n"
        code, _, errors = ended(started(server, "tail", "BTCUSDT@ticker"))
    assert code == 2
    assert f"no venue answers at {server.url}" in errors


class Terminal:
    """A program on a terminal of 24 lines and 80 columns. Use it in a `with`."""

    def __init__(self, *command: str) -> None:
        self.end, inner = pty.openpty()
        self.resize(LINES, COLUMNS)
        self.process = subprocess.Popen(
            command,
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm"},
        )
        os.close(inner)
        self.seen = ""

    def resize(self, lines: int, columns: int) -> None:
        """Give it another size."""
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self) -> bool:
        """Read on; False when the program has left the terminal."""
        assert select.select([self.end], [], [], WAIT_S)[0], f"nothing more came: {self.seen}"
        try:
            data = os.read(self.end, 65536)
        except OSError:  # how a terminal says that its other end is closed
            return False
        self.seen += data.decode()
        return bool(data)

    def until(self, words: str) -> None:
        """Read until the words were shown; then forget the text seen."""
        while words not in self.seen:
            assert self.read(), self.seen
        self.seen = ""

    def finish(self) -> int:
        """Read to the end; the exit code."""
        while self.read():
            pass
        return self.process.wait(WAIT_S)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(WAIT_S)
        os.close(self.end)


def watching(server: Server, *arguments: str) -> Terminal:
    return Terminal(
        sys.executable, "-m", "venue", "watch", "BTCUSDT", *arguments, "--url", server.url
    )


def test_watch_shows_book_trades_and_orders_and_quits(server: Server) -> None:
    first = order(server, "bob", "SELL", PRICE, "0.012")
    with watching(server, "--as", "bob") as screen:
        screen.until(PRICE)
        order(server, "alice", "BUY", "59876.50", "0.345")
        screen.until("59876.50")
        order(server, "bob", "BUY", "58765.50", "0.067")
        screen.until("0.06700 at")
        trade(server, "60111.50")
        screen.until("60111.50")
        os.write(screen.end, b"xq")
        assert screen.finish() == 0
    assert server.client("bob").delete(f"/api/v3/order?orderId={first}").status == 200


def test_watch_of_a_contract_ends_when_interrupted(server: Server) -> None:
    with watching(server, "--product", "contract") as screen:
        screen.until("alice's open orders: none")
        screen.process.send_signal(signal.SIGINT)
        assert screen.finish() == 0


def test_watch_ends_with_the_venue_and_says_so(tmp_path: Path) -> None:
    with Server("--no-agents", folder=tmp_path) as server, watching(server) as screen:
        screen.until("alice's open orders: none")
        assert server.stop() == 0
        assert screen.finish() == 2
        assert "venue: the stream ended: the venue is stopping" in screen.seen


def test_watch_follows_the_size_of_its_terminal(server: Server) -> None:
    with watching(server) as screen:
        screen.until("q quits")
        screen.resize(40, 120)
        screen.until("\x1b[40")  # the cursor goes to the fortieth line
        os.write(screen.end, b"q")
        assert screen.finish() == 0


def test_a_frame_that_is_longer_than_the_terminal_is_cut(server: Server) -> None:
    arguments = ("tail", "BTCUSDT@depth200", "--count", "1", "--url", server.url)
    with Terminal(sys.executable, "-m", "venue", *arguments) as terminal:
        assert terminal.finish() == 0
        (line,) = terminal.seen.splitlines()
    assert len(line) == COLUMNS
    assert re.search(r"[.]{3} \([0-9]{3,} characters\)$", line)


def test_a_command_that_works_for_longer_than_a_second_says_so() -> None:
    nobody = ("--url", "http://127.0.0.1:9", "--timeout", "3")
    with Terminal(sys.executable, "-m", "venue", "wait", *nobody) as terminal:
        assert terminal.finish() == 2
    assert re.search(r"waiting for a venue at http://127[.]0[.]0[.]1:9: [1-9] s", terminal.seen)
    assert terminal.seen.endswith("start one with `venue dev`\r\n")


def test_watch_needs_a_terminal(server: Server) -> None:
    code, _, errors = ended(started(server, "watch", "BTCUSDT"))
    assert code == 2
    assert "watch needs a terminal" in errors


def full_market() -> WatchedMarket:
    market = WatchedMarket("BTCUSDT", "CONTRACT", "alice")
    levels = [[f"{60000 + at}.00", "12345678.00000"] for at in range(30)]
    depth = {"e": "depthSnapshot", "U": 1, "u": 1, "b": levels[:15], "a": levels[15:]}
    traded = [{"T": at, "p": "60000.00", "q": "12345678.0000", "m": True} for at in range(99)]
    market.take(depth)
    market.take({"e": "tradeSnapshot", "d": traded})
    for at in range(30):
        market.keep(
            WatchedOrder(str(at), "SELL SHORT", "STOP_MARKET", "60000.00", "12345678.0000",
                  "12345678.0000", "PARTIALLY_FILLED")
        )  # fmt: skip
    return market


@pytest.mark.parametrize("lines", [24, 10, 60])
def test_everything_has_a_place_of_its_own(lines: int) -> None:
    taken: dict[tuple[int, int], str] = {}
    for line, column, text, _ in layout(full_market(), lines):
        assert 0 <= line < lines
        assert column + len(text) < COLUMNS
        for at, character in enumerate(text, column):
            assert (line, at) not in taken, f"{text} is written over"
            taken[line, at] = character
    screen = ["".join(taken.get((line, at), " ") for at in range(COLUMNS)) for line in range(lines)]
    shown = [line.split()[0] for line in screen if line.split()[1:2] == ["12345678.00000"]]
    assert "60015.00" in shown
    assert "60014.00" in shown
    assert shown == sorted(shown, reverse=True), "asks above bids, the best in the middle"


def test_a_gap_in_the_book_is_not_shown() -> None:
    market = full_market()
    with pytest.raises(Lost, match="a frame of the book is missing"):
        market.take({"e": "depth", "U": 2, "u": 3, "b": [], "a": []})
