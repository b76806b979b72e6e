"""Upgrades a request to a WebSocket: returns the protocol, or the answer that refuses it."""

from __future__ import annotations

import logging
from http import HTTPStatus
from socket import (
    IPPROTO_TCP,
    SO_KEEPALIVE,
    SOL_SOCKET,
    TCP_KEEPCNT,
    TCP_KEEPIDLE,
    TCP_KEEPINTVL,
    socket,
)
from typing import Final

from websockets.datastructures import Headers
from websockets.extensions.permessage_deflate import (
    PerMessageDeflate,
    ServerPerMessageDeflateFactory,
)
from websockets.http11 import Response
from websockets.server import ServerProtocol

from venue.api.errors import ApiError
from venue.gateway.door import Door
from venue.gateway.faults.rules import REFUSE, RuleSubject
from venue.gateway.transport.request import Request

WINDOW_BITS: Final = 12  # of compression, either way
KEEPALIVE_S: Final = 10  # of silence, until the peer is probed, and between probes
KEEPALIVES: Final = 5  # probes without an answer that end a connection

# A client's messages hold its passphrase. This logger is in no tree, so no setting opens it.
_quiet = logging.Logger("websockets", logging.CRITICAL + 1)


def protocol(message_bytes: int) -> ServerProtocol:
    """Return the protocol of a new connection, with compression when the client wants it."""
    return ServerProtocol(
        extensions=[
            ServerPerMessageDeflateFactory(
                server_no_context_takeover=True,
                client_no_context_takeover=True,
                server_max_window_bits=WINDOW_BITS,
                client_max_window_bits=WINDOW_BITS,
            )
        ],
        max_size=message_bytes,
        logger=_quiet,
    )


def window_bits(accepted: ServerProtocol) -> int:
    """Return how what is sent is compressed; 0: not at all."""
    for extension in accepted.extensions:
        if isinstance(extension, PerMessageDeflate):
            return extension.local_max_window_bits
    return 0


def keep_alive(connected: socket) -> None:
    """Detect a vanished peer within a minute: its orders may have to be cancelled."""
    connected.setsockopt(SOL_SOCKET, SO_KEEPALIVE, 1)
    connected.setsockopt(IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_S)
    connected.setsockopt(IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_S)
    connected.setsockopt(IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVES)


def check_faults(door: Door, request: Request) -> None:
    """ApiError when a rule wants this connection refused."""
    path = request.path.decode("latin-1")
    for hit in door.faults.kind_hits(REFUSE, RuleSubject(path=path), door.node.clock.now()):
        status = hit.effect.status or HTTPStatus.SERVICE_UNAVAILABLE
        raise ApiError(-1008, f"A fault was asked for: {hit.rule}.", status, 1)


def refusal_response(refusal: ApiError) -> Response:
    """Return the answer to an upgrade as HTTP: a login that fails is 401, or 403 for a lacking
    right."""
    status = refusal.status
    if status == HTTPStatus.BAD_REQUEST and -1058 <= refusal.code <= -1040:
        status = HTTPStatus.UNAUTHORIZED
    body = refusal.body()
    headers = Headers(
        {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
        }
    )
    if status == HTTPStatus.UPGRADE_REQUIRED:
        headers["upgrade"] = "websocket"
    if refusal.retry_after is not None:
        headers["retry-after"] = str(refusal.retry_after)
    return Response(status, HTTPStatus(status).phrase, headers, body)
