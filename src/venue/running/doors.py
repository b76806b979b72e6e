"""The doors of a venue and of its worlds: they serve requests and streams."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final

import msgspec

from venue.gateway.access.origins import Origins
from venue.gateway.access.proxies import Proxies
from venue.gateway.answers.kept import WORLD_SERIES_MAX, Answers
from venue.gateway.bounds import Bounds
from venue.gateway.context import Node
from venue.gateway.dispatch.dispatcher import Desk, Dispatcher
from venue.gateway.dispatch.faulty import FaultyDoor
from venue.gateway.streams.hub import Hub
from venue.gateway.streams.limits import SocketLimits, Timing
from venue.gateway.streams.sockets import Sockets, Taken
from venue.gateway.transport.request import Request
from venue.gateway.transport.server import Server
from venue.gateway.worlds import Worlds
from venue.history.process.client import History
from venue.history.process.shelf import Shelf
from venue.journal.journal import Journal
from venue.node.clock import SystemClock
from venue.node.explainer import Queue
from venue.running.opening import make_ready, open_node
from venue.running.options import Options
from venue.running.requests import authenticator, dispatcher, operator_door
from venue.running.worlds import Doors, Living, OnFailure

WORLD_WIRE_LOG: Final = 200  # requests and frames that a world keeps, of which there may be 1,000


@contextlib.asynccontextmanager
async def doors(
    node: Node, options: Options, bound: socket.socket, fit: Bounds
) -> AsyncIterator[None]:
    """Answer requests and streams on a bound socket; on leaving, close all connections."""
    options = msgspec.structs.replace(options, port=bound.getsockname()[1])
    origins = Origins(options.hosts, options.origins)
    serve, streams = _doors(options, origins, fit.sockets, Taken(), node)
    plain = msgspec.structs.replace(options, state=None, keep_us=None)
    of_worlds = partial(_doors, plain, origins, fit.sockets, streams.taken)
    living = _living(plain, node, of_worlds)
    proxies, operators = Proxies(options.proxies), operator_door(options)
    server = await Server.start(bound, fit.http, serve, streams, proxies, operators=operators)
    worlds = node.worlds = Worlds(server.listener, living)
    try:
        yield
    finally:
        await server.stop()
        await streams.finish()
        await worlds.close()
        await living.close()


def _doors(
    options: Options, origins: Origins, limits: SocketLimits, taken: Taken, node: Node
) -> tuple[Callable[[Request], None], Sockets]:
    """The function that serves a venue's requests, and the door for its streams."""
    requests = dispatcher(node, options, origins)
    streams = _streams(node, options, requests.desk, origins, limits, taken)
    requests.faulty = _faulty(node, options, origins, requests).serve
    return node.noted(requests.serve), streams


def _living(plain: Options, beside: Node, open_doors: Doors) -> Living:
    """Worlds begin as a venue does, or with a state of the one `beside` them, and keep nothing."""
    queue = Queue()
    goes_on = msgspec.structs.replace(plain, clock=None, at=None)  # as the state says

    async def open_world(journal: Journal, history: History, failed: OnFailure) -> Node:
        begun = goes_on if journal.begin() else plain
        node = await open_node(begun, journal, history, SystemClock(), failed)
        node.observe(min(plain.wire_log, WORLD_WIRE_LOG), queue)
        node.answers = Answers(WORLD_SERIES_MAX)
        return node

    ready = partial(make_ready, plain)
    return Living(beside, Shelf(plain.frames_kept), open_world, open_doors, ready)


def _faulty(node: Node, options: Options, origins: Origins, whole: Dispatcher) -> FaultyDoor:
    """The door that serves for the dispatcher as rules of faults say."""
    return FaultyDoor(node, whole, lambda clock: dispatcher(node, options, origins, clock).serve)


def _streams(
    node: Node,
    options: Options,
    desk: Desk,
    origins: Origins,
    limits: SocketLimits,
    taken: Taken,
) -> Sockets:
    """The door for streams, with a hub that hears of every batch from now on."""
    hub = Hub(node, Timing(depth_s=options.depth_ms / 1000))
    node.outbox.follow(hub.follow)
    node.timekeeper.follow(hub, hub.keep_up)
    checks = authenticator(node, node.clock)
    sockets = Sockets(node, hub, checks, limits, desk, origins, taken=taken)
    node.outbox.follow_reverts(sockets.follow)
    return sockets
