"""Servers for `bench.streams`: a venue, and a bare `websockets` broadcast; SIGUSR1 feeds both."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast
from websockets.asyncio.server import serve as serve_sockets

from venue.core.messages.commands import CancelOrders, PlaceOrder
from venue.node.node import Node
from venue.running.options import Options
from venue.running.serving import Running, run
from venue.vocabulary import OrderType, Side, TimeInForce

FEED_S: Final = 3.0
SYMBOL: Final = "BTCUSDT"
LOTS: Final = 20  # of 0.00001 BTC
PRICE: Final = 6_400_000  # ticks of 0.01


def venue(ready_file: str, state: str, depth_ms: str) -> int:
    """Serve until told to stop; without a state everything is in memory."""
    options = Options(
        port=0, state=state or None, agents=False, limits=False, depth_ms=int(depth_ms)
    )

    def ready(running: Running) -> None:
        _on_signal(lambda: _trade(running.node))
        Path(ready_file).write_text(str(running.port))

    return uvloop.run(run(options, ready))


async def _trade(node: Node) -> None:
    """An order and its cancel, again and again, each in a batch and a depth frame of its own."""
    uid = node.engine.ledger.names["alice"]
    loop = asyncio.get_running_loop()
    end = loop.time() + FEED_S
    while loop.time() < end:
        order = PlaceOrder(uid, SYMBOL, Side.BUY, OrderType.LIMIT, TimeInForce.GTC, LOTS, PRICE)
        await node.submit([order])
        await node.submit([CancelOrders(uid, SYMBOL)])


async def floor(ready_file: str, payload_file: str) -> None:
    """Broadcast one message as often as it goes, to all who are connected."""
    message = Path(payload_file).read_text()
    async with serve_sockets(_stay, "127.0.0.1", 0, compression=None, ping_interval=None) as server:

        async def send() -> None:
            connections = list(server.connections)
            loop = asyncio.get_running_loop()
            end = loop.time() + FEED_S
            while loop.time() < end:
                broadcast(connections, message)
                await asyncio.sleep(0)

        _on_signal(send)
        (bound,) = server.sockets
        Path(ready_file).write_text(str(bound.getsockname()[1]))
        await server.wait_closed()


async def _stay(connection: ServerConnection) -> None:
    await connection.wait_closed()


def _on_signal(feed: Callable[[], Coroutine[Any, Any, None]]) -> None:
    loop = asyncio.get_running_loop()
    feeding: list[asyncio.Task[None]] = []
    loop.add_signal_handler(signal.SIGUSR1, lambda: feeding.append(loop.create_task(feed())))


def main(kind: str, ready_file: str, *arguments: str) -> int:
    """`venue` READY STATE DEPTH_MS, or `floor` READY PAYLOAD; the ready file gets the port."""
    if kind == "venue":
        return venue(ready_file, *arguments)
    uvloop.run(floor(ready_file, *arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
