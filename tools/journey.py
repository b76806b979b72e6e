"""Counts the modules that an order enters, from its bytes to the bytes of its reply.

`python tools/journey.py` runs a venue in memory, sends it an order that trades, on the spot side
and on a contract, and prints the modules of the package in the order in which they are first
entered, as a profile of the calls saw them. `--write` draws them in docs/architecture.md too.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

from venue.api import signing
from venue.core.messages.commands import PostIndex
from venue.lab import demo
from venue.running.options import Options
from venue.running.serving import Running, run

PACKAGE: Final = "venue."
DOOR: Final = "venue.gateway.transport.connection"  # the reply leaves by its transport's `write`
CONTRACT: Final = "BTC" + demo.DEMO
PRICE: Final = 64_000
WIDTH: Final = 100  # of a line
PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "architecture.md"
BEGIN: Final = "counts the modules on a real request.\n\n```text\n"

Order = tuple[str, dict[str, str]]  # path and body


def order(path: str, symbol: str, side: str, position_side: str = "") -> Order:
    """A LIMIT order of 0.1 at the one price of this page."""
    body = {"symbol": symbol, "side": side, "type": "LIMIT", "timeInForce": "GTC",
            "quantity": "0.1", "price": str(PRICE)}  # fmt: skip
    if position_side:
        body["positionSide"] = position_side
    return path, body


class Journey:
    """The modules that are entered between `begin` and the reply, in the order of the first time.

    Calls on every thread count: the journal's is on the way of an order.
    """

    def __init__(self) -> None:
        self.modules: dict[str, None] = {}
        self.counting = False

    def install(self) -> None:
        """See every call from now on, of threads that begin later too."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def begin(self) -> None:
        self.modules = {}
        self.counting = True

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if not self.counting or event != "call":
            return
        module = frame.f_globals.get("__name__", "")
        caller = frame.f_back
        if module.startswith(PACKAGE):
            self.modules.setdefault(module.removeprefix(PACKAGE))
        elif frame.f_code.co_name == "write" and caller is not None:
            self.counting = caller.f_globals.get("__name__") != DOOR


def signed(account: demo.DemoAccount, sent: Order) -> bytes:
    """A whole request."""
    path, body = sent[0].encode(), json.dumps(sent[1]).encode()
    at = str(time.time_ns() // 1_000_000).encode()
    signature = signing.sign(account.secret.encode(), signing.payload(at, b"POST", path, b"", body))
    head = {
        "Host": "localhost",
        "ACCESS-KEY": account.key,
        "ACCESS-SIGN": signature.decode(),
        "ACCESS-TIMESTAMP": at.decode(),
        "ACCESS-PASSPHRASE": demo.PASSPHRASE,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return b"POST " + path + b" HTTP/1.1\r\n" + lines.encode() + b"\r\n" + body


async def asked(port: int, request: bytes, before: Callable[[], None]) -> bytes:
    """A reply; `before` is called when the connection stands."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    before()
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
    body = await reader.readexactly(int(length))
    writer.close()
    assert head.startswith(b"HTTP/1.1 200"), head + body
    return body


async def journeys(running: Running, seen: Journey) -> dict[str, list[str]]:
    """The journeys of a spot and of a contract order: each the second that trades, so that all
    objects of a first one exist."""
    maker, taker = demo.ACCOUNTS[:2]
    spot, contract = "/api/v3/order", "/capi/v3/order"
    price = PRICE * 100
    await running.node.submit([PostIndex(CONTRACT, demo.POSTED, price, jump=True)])
    found: dict[str, list[str]] = {}
    for name, resting, taking in (
        ("spot", order(spot, "BTCUSDT", "SELL"), order(spot, "BTCUSDT", "BUY")),
        ("contract", order(contract, CONTRACT, "SELL", "SHORT"),
         order(contract, CONTRACT, "BUY", "LONG")),
    ):  # fmt: skip
        for _ in range(2):
            await asked(running.port, signed(maker, resting), lambda: None)
            await asked(running.port, signed(taker, taking), seen.begin)
        found[name] = list(seen.modules)
    return found


def count() -> dict[str, list[str]]:
    """The modules of both journeys, in turn, without the package's name."""
    logging.disable(logging.WARNING)
    seen = Journey()
    seen.install()
    done: list[asyncio.Task[dict[str, list[str]]]] = []

    def ready(running: Running) -> None:
        task = asyncio.ensure_future(journeys(running, seen))
        task.add_done_callback(lambda _: os.kill(os.getpid(), signal.SIGTERM))
        done.append(task)

    try:
        asyncio.run(run(Options(port=0, agents=False), ready))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return done[0].result()


def page(found: dict[str, list[str]]) -> str:
    """Both journeys as text: the modules in turn, `->` between them."""
    parts: list[str] = []
    for name, modules in found.items():
        lines = [""]
        for number, module in enumerate(modules):
            word = module if number == 0 else f"-> {module}"
            if len(lines[-1]) + len(word) + 1 > WIDTH:
                lines.append("  ")
            lines[-1] += word if not lines[-1].strip() else f" {word}"
        parts.append("\n".join([f"a {name} order that trades: {len(modules)} modules", *lines]))
    return "\n\n".join(parts)


def drawn(text: str, told: str) -> str:
    """A page with these journeys in place of its old ones."""
    begin = text.index(BEGIN) + len(BEGIN)
    return text[:begin] + told + text[text.index("\n```", begin) :]


def main(arguments: list[str]) -> int:
    """Print both journeys; `--write` draws them in the page too."""
    told = page(count())
    print(told)
    if arguments == ["--write"]:
        PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8"), told), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
