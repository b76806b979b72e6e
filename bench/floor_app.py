"""The floor of `bench.gateway`: the same HTTP transport, without a venue.

An order is received, authenticated, decoded to ticks and lots, and answered; no engine, journal
or history. Depth and ticker are constants.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import msgspec
import uvloop

from venue.api.operation import Operation
from venue.api.spot import market
from venue.api.spot import orders as spot_orders
from venue.api.spot.orders import (
    BatchItem,
    BatchPlaced,
    OrderAck,
    PlaceBatchReply,
    PlaceBatchRequest,
    PlaceOrderRequest,
)
from venue.core.messages.commands import PlaceOrder
from venue.core.units import FIRST_ID
from venue.gateway.access.auth import Authenticator, KeyFacts
from venue.gateway.access.gate import HttpLimits
from venue.gateway.access.keys import KeyCredentials, KeyStore
from venue.gateway.access.limits import Limits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.origins import Origins
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.answers.encoded import Encoded
from venue.gateway.context import Call
from venue.gateway.dispatch.decode import compile_request, decode
from venue.gateway.dispatch.dispatcher import Desk, Dispatcher
from venue.gateway.dispatch.routes import Route, Routes, bind
from venue.gateway.faults.rules import FaultRules
from venue.gateway.operations.spot.orders import order_command
from venue.gateway.transport.server import Server, listen
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.node.venue_clock import VenueClock
from venue.vocabulary import GTC, Access

ITEM: Final = compile_request(BatchItem)


def dispatcher(keys: KeyStore, answers: dict[str, bytes]) -> Dispatcher:
    """A dispatcher whose handlers only answer; the answers to reads are given, by path."""
    clock = VenueClock(SystemClock())
    venue: Any = SimpleNamespace(
        clock=clock,
        replays=ReplayGuard(),
        check_room=lambda owner: None,
        epoch_line=b"",
        faults=FaultRules("1"),
    )
    desk = Desk(venue, routes(clock, answers), Limits(None, None, None))
    authenticator = Authenticator(keys.ring, clock)
    return Dispatcher(desk, authenticator, venue.replays, OperatorDoor(), Origins(), {})


def routes(clock: VenueClock, answers: dict[str, bytes]) -> Routes:
    """Orders, batches of orders, and constants."""
    numbers = count(FIRST_ID)
    instrument = demo.INSTRUMENTS[0]

    def acknowledged(command: PlaceOrder) -> OrderAck:
        number = next(numbers)
        client_id = command.client_id or f"v-{number}"
        return OrderAck(instrument.symbol, number, client_id, clock.now() // 1000)

    async def place_order(call: Call, request: PlaceOrderRequest) -> OrderAck:
        return acknowledged(order_command(call, instrument, request, GTC))

    async def place_batch(call: Call, request: PlaceBatchRequest) -> PlaceBatchReply:
        placed = []
        for raw in request.order_list:
            ack = acknowledged(order_command(call, instrument, decode(ITEM, cast(Any, raw)), None))
            placed.append(
                BatchPlaced(ack.symbol, ack.client_order_id, ack.transact_time, ack.order_id)
            )
        return PlaceBatchReply(placed)

    def constant(row: Operation[Any, Any]) -> Route:
        data = Encoded(answers.get(row.path, b"{}"))
        return bind(row, lambda call, request: data)

    rows = (market.depth, market.tickers)
    return Routes(
        [
            bind(spot_orders.place_order, place_order),
            bind(spot_orders.place_batch, place_batch),
            *(constant(row) for row in rows),
        ]
    )


def key_store(keys_file: Path) -> KeyStore:
    """The keys that the requests are signed with."""
    store = KeyStore()
    access = int(Access.READ | Access.SPOT_TRADE)
    known = msgspec.json.decode(keys_file.read_bytes(), type=list[KeyCredentials])
    for uid, credentials in enumerate(known, 1):
        store.add(credentials, KeyFacts(credentials.key, uid, "", access, [], 0, None, False))
    return store


def main(keys_file: str, ready_file: str, answers_file: str) -> None:
    """Serve until told to stop; the ready file gets the port."""
    answers = msgspec.json.decode(Path(answers_file).read_bytes(), type=dict[str, str])
    bound = listen("127.0.0.1", 0)
    limits = HttpLimits(connections_per_ip=None, connections=None)
    made = {path: answer.encode() for path, answer in answers.items()}
    answering = dispatcher(key_store(Path(keys_file)), made)
    uvloop.run(serve(bound, limits, answering, Path(ready_file)))


async def serve(
    bound: socket.socket, limits: HttpLimits, answering: Dispatcher, ready: Path
) -> None:
    """Serve until SIGTERM."""
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    server = await Server.start(bound, limits, answering.serve)
    ready.write_text(str(bound.getsockname()[1]))
    await stopping.wait()
    await server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
