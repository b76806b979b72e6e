"""The doors of a venue and of its worlds: they serve requests and streams."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final

import msgspec

from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.origins import Origins
from venue.gateway.access.proxies import Proxies
from venue.gateway.answers.kept import WORLD_SERIES_MAX, Answers
from venue.gateway.bounds import Bounds
from venue.gateway.dispatch.faulty import FaultyDoor
from venue.gateway.dispatch.operation_table import OperationTable
from venue.gateway.door import Door
from venue.gateway.pages.events import PageStream
from venue.gateway.streams.hub import Hub
from venue.gateway.streams.limits import SocketLimits, Timing
from venue.gateway.streams.sockets import Sockets, StreamCount
from venue.gateway.streams.subscriber import PageStreams
from venue.gateway.transport.request import Request
from venue.gateway.transport.server import Server
from venue.gateway.worlds import Worlds
from venue.history.process.client import History
from venue.history.process.shared_histories import SharedHistories
from venue.journal.journal import Journal
from venue.node.clock import SystemClock
from venue.node.explainer import Turns
from venue.running.opening import make_ready, open_node
from venue.running.options import Options
from venue.running.requests import authenticator, dispatcher, operator_door
from venue.running.worlds import Doors, OnFailure, WorldStarter

WORLD_WIRE_LOG: Final = 200  # requests and frames that a world keeps, of which there may be 1,000


@contextlib.asynccontextmanager
async def doors(
    door: Door, options: Options, bound: socket.socket, fit: Bounds
) -> AsyncIterator[None]:
    """Answer requests and streams on a bound socket; on leaving, close all connections."""
    options = msgspec.structs.replace(options, port=bound.getsockname()[1])
    origins = Origins(options.hosts, options.origins)
    operators = operator_door(options)
    serve, streams = _doors(options, origins, operators, fit.sockets, StreamCount(), door)
    plain = msgspec.structs.replace(options, state=None, keep_us=None)
    of_worlds = partial(_doors, plain, origins, operators, fit.sockets, streams.taken)
    starter = _world_starter(plain, door, of_worlds)
    proxies = Proxies(options.proxies)
    server = await Server.start(bound, fit.http, serve, streams, proxies, operators=operators)
    worlds = door.worlds = Worlds(server.listener, starter)
    try:
        yield
    finally:
        await server.stop()
        await streams.finish()
        await worlds.close()
        await starter.close()


def _doors(
    options: Options,
    origins: Origins,
    operators: OperatorDoor,
    limits: SocketLimits,
    taken: StreamCount,
    door: Door,
) -> tuple[Callable[[Request], None], Sockets]:
    """Return the function that serves a venue's requests, and the door for its streams."""
    make = partial(dispatcher, door, options, origins, operators)
    requests = make()
    pages = partial(PageStream, door, operators) if options.pages else None
    streams = _streams(door, options, requests.table, origins, limits, taken=taken, pages=pages)
    requests.faulty = FaultyDoor(door, requests, lambda clock: make(clock).serve).serve
    return door.with_wire_log(requests.serve), streams


def _world_starter(plain: Options, beside: Door, open_doors: Doors) -> WorldStarter:
    """Make the starter of worlds, which start as a venue does, or from a state of the one `beside`
    them, and keep nothing."""
    turns = Turns()
    goes_on = msgspec.structs.replace(plain, clock=None, at=None)  # as the state says

    async def open_world(journal: Journal, history: History, failed: OnFailure) -> Door:
        begun = goes_on if journal.begin() else plain
        door = await open_node(begun, journal, history, SystemClock(), failed)
        door.observe(min(plain.wire_log, WORLD_WIRE_LOG), turns)
        door.answers = Answers(WORLD_SERIES_MAX)
        return door

    ready = partial(make_ready, plain)
    return WorldStarter(
        beside.node, SharedHistories(plain.frames_kept), open_world, open_doors, ready
    )


def _streams(
    door: Door,
    options: Options,
    table: OperationTable,
    origins: Origins,
    limits: SocketLimits,
    *,
    taken: StreamCount,
    pages: PageStreams | None,
) -> Sockets:
    """Return the door for streams, with a hub that hears of every batch from now on."""
    node = door.node
    hub = Hub(door, Timing(depth_s=options.depth_ms / 1000))
    node.outbox.follow(hub.follow)
    node.timekeeper.follow(hub, hub.keep_up)
    checks = authenticator(door, node.clock)
    sockets = Sockets(door, hub, checks, limits, table, origins, taken=taken, pages=pages)
    node.reverts.tell("sockets", sockets.go_back)
    return sockets
