"""The floor of `bench.gateway`: the same HTTP transport, without a venue.

An order is received, authenticated, decoded to ticks and lots, and answered; no engine, journal
or history has a part in it. Depth and ticker are constants. The handlers' venue is open, in
memory, and answers no question.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import uvloop

from venue.api.fields import GENERATED_CLIENT_ID
from venue.api.operation import Row
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
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.callers import KeyFacts
from venue.gateway.access.connections import HttpLimits
from venue.gateway.access.keys import KeyCredentials, KeyStore
from venue.gateway.access.limits import Limits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.origins import Origins
from venue.gateway.answers.encoded import EncodedBody
from venue.gateway.dispatch.decode import decode
from venue.gateway.dispatch.dispatcher import Dispatcher
from venue.gateway.dispatch.operation_table import OperationTable
from venue.gateway.dispatch.routes import Route, Routes
from venue.gateway.dispatch.shapes import compile_request
from venue.gateway.door import Call, Door
from venue.gateway.operations.spot.orders import order_command
from venue.gateway.transport.server import Server, listen
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.node.venue_clock import VenueClock
from venue.running.opening import open_venue
from venue.running.options import Options
from venue.vocabulary import GTC, Access

ITEM: Final = compile_request(BatchItem)


def dispatcher(door: Door, keys: KeyStore, answers: dict[str, bytes]) -> Dispatcher:
    """A dispatcher whose handlers only answer; the answers to reads are given, by path."""
    table = OperationTable(door, routes(door.node.clock, answers), Limits(None, None, None))
    authenticator = Authenticator(keys.ring, door.node.clock)
    return Dispatcher(
        table, authenticator, door.replays, OperatorDoor(), Origins(), lambda path: None
    )


def routes(clock: VenueClock, answers: dict[str, bytes]) -> Routes:
    """Orders, batches of orders, and constants."""
    numbers = count(FIRST_ID)
    instrument = demo.INSTRUMENTS[0]

    def acknowledged(command: PlaceOrder) -> OrderAck:
        number = next(numbers)
        client_id = command.client_id or GENERATED_CLIENT_ID % number
        return OrderAck(instrument.symbol, number, client_id, clock.now() // 1000)

    async def place_order(call: Call, request: PlaceOrderRequest) -> OrderAck:
        return acknowledged(order_command(call, instrument, request, GTC))

    async def place_batch(call: Call, request: PlaceBatchRequest) -> PlaceBatchReply:
        placed = []
        for raw in request.order_list:
            ack = acknowledged(order_command(call, instrument, decode(ITEM, cast(Any, raw)), GTC))
            placed.append(
                BatchPlaced(ack.symbol, ack.client_order_id, ack.transact_time, ack.order_id)
            )
        return PlaceBatchReply(placed)

    def constant(row: Row) -> Route:
        data = EncodedBody(answers.get(row.path, b"{}"))
        return Route(row, lambda call, request: data, None)

    rows = (market.depth, market.tickers)
    return Routes(
        [
            Route(spot_orders.place_order, place_order, None),
            Route(spot_orders.place_batch, place_batch, None),
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


async def serve(keys: KeyStore, answers: dict[str, bytes], ready: Path) -> None:
    """Serve until SIGTERM; the ready file gets the port."""
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    options = Options(agents=False, limits=False, projection=False, demo_keys=False)
    bound = listen("127.0.0.1", 0)
    limits = HttpLimits(connections_per_ip=None, connections=None)
    async with open_venue(options, SystemClock(), lambda problem: stopping.set()) as venue:
        answering = dispatcher(venue, keys, answers)
        server = await Server.start(bound, limits, answering.serve)
        ready.write_text(str(bound.getsockname()[1]))
        await stopping.wait()
        await server.stop()


def main(keys_file: str, ready_file: str, answers_file: str) -> None:
    """Serve until told to stop."""
    texts = msgspec.json.decode(Path(answers_file).read_bytes(), type=dict[str, str])
    answers = {path: answer.encode() for path, answer in texts.items()}
    uvloop.run(serve(key_store(Path(keys_file)), answers, Path(ready_file)))


if __name__ == "__main__":
    main(*sys.argv[1:])
