"""The floor of `bench.gateway`: the same server and door, and no venue behind it.

An order is received, authenticated, decoded to ticks and lots, and answered; no engine, journal
or history.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import uvloop

from venue.api import spot
from venue.api.spot import OrderAck, PlaceOrderRequest
from venue.core.units import FIRST_ID
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.gate import HttpLimits
from venue.gateway.access.keys import Credentials, KeyStore, KeyView
from venue.gateway.access.limits import Limits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.origins import Origins
from venue.gateway.access.replay import ReplayGuard
from venue.gateway.context import Call
from venue.gateway.dispatch.desk import Desk
from venue.gateway.dispatch.dispatcher import Dispatcher
from venue.gateway.dispatch.routes import Routes, bind
from venue.gateway.transport.server import Server, listen
from venue.gateway.writes import GTC, order_command
from venue.lab import demo
from venue.node.clock import SystemClock
from venue.terms import Access


def dispatcher(keys: KeyStore) -> Dispatcher:
    """A dispatcher with one operation, whose handler only answers."""
    numbers = count(FIRST_ID)
    clock = SystemClock()

    async def place_order(call: Call, request: PlaceOrderRequest) -> OrderAck:
        instrument = demo.INSTRUMENTS[0]
        command = order_command(call, instrument, request, GTC)
        number = next(numbers)
        client_id = command.client_id or f"v-{number}"
        return OrderAck(instrument.symbol, number, client_id, clock.now() // 1000)

    venue: Any = SimpleNamespace(clock=clock)
    routes = Routes([bind(spot.place_order, place_order)])
    return Dispatcher(
        Desk(venue, routes, Limits(None, None)),
        Authenticator(keys, clock),
        ReplayGuard(),
        OperatorDoor(),
        Origins(),
        {},
    )


def main(keys_file: str, ready_file: str) -> None:
    """Serve until told to stop; the ready file gets the port."""
    store = KeyStore()
    access = int(Access.READ | Access.SPOT_TRADE)
    known = msgspec.json.decode(Path(keys_file).read_bytes(), type=list[Credentials])
    for uid, credentials in enumerate(known, 1):
        store.add(credentials, KeyView(credentials.key, uid, "", access, [], 0, None, False))
    bound = listen("127.0.0.1", 0)
    limits = HttpLimits(connections_per_ip=None, connections=None)
    uvloop.run(serve(bound, limits, dispatcher(store), Path(ready_file)))


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
