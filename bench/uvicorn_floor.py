"""The old floor of `bench.gateway`: the same checks and answers as `floor_app`, over uvicorn.

A bare ASGI application on uvicorn's own protocol, without the limits that a venue keeps: an HTTP
server on uvicorn could answer no more.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
import uvloop

from bench.floor_app import dispatcher, key_store
from venue.api import signing
from venue.gateway.context import Call
from venue.gateway.dispatch.decode import body_values, decode
from venue.gateway.dispatch.dispatcher import Dispatcher
from venue.gateway.transport.server import listen


def application(serving: Dispatcher) -> Any:
    """An application that answers one order a request."""
    desk, authenticator = serving.desk, serving._authenticator
    encode = msgspec.json.Encoder().encode

    async def app(scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        body: bytes = message["body"]
        route = desk.routes.find(scope["method"].encode(), scope["raw_path"])
        assert route is not None
        headers = dict(scope["headers"])
        signed = authenticator.precheck(headers, (), desk.venue.clock.wall())
        text = signing.payload(signed.timestamp, route.method, scope["raw_path"], b"", body)
        caller = authenticator.verify(signed, text, scope["client"][0])
        assert caller is not None
        desk.admit(route, caller, signed.now)
        assert desk.venue.replays.enter(caller.timestamp_ms, caller.request, signed.now) is None
        call = Call(desk.venue, caller.uid, caller.request)
        reply = await route.handler(call, decode(route.request, body_values(body)))
        answer = encode(reply)
        desk.venue.replays.record(caller.timestamp_ms, caller.request, (200, answer))
        length = b"%d" % len(answer)
        lines = [(b"content-type", b"application/json"), (b"content-length", length)]
        await send({"type": "http.response.start", "status": 200, "headers": lines})
        await send({"type": "http.response.body", "body": answer})

    return app


async def serve(bound: socket.socket, app: Any, ready: Path) -> None:
    """Serve until SIGTERM."""
    config = uvicorn.Config(
        app, loop="none", http="httptools", ws="none", lifespan="off", access_log=False,
        log_config=None, server_header=False, date_header=False,
    )  # fmt: skip
    ready.write_text(str(bound.getsockname()[1]))
    await uvicorn.Server(config).serve([bound])


if __name__ == "__main__":
    uvloop.run(
        serve(
            listen("127.0.0.1", 0),
            application(dispatcher(key_store(Path(sys.argv[1])), {})),
            Path(sys.argv[2]),
        )
    )
