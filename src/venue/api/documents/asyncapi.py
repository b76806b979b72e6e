"""AsyncAPI from the rows of the streams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from venue.api.documents.schemas import clean_schema, draft_07
from venue.api.operation import SIGNATURE, Row, request_type
from venue.api.streams.channels import (
    CANCEL_ON_DISCONNECT,
    CLOCK_HOLD,
    METHODS,
    CancelOnDisconnect,
    ClockHold,
    Greeting,
    PrivatePing,
    PublicPing,
    Socket,
    SocketError,
    Stream,
    streams_of,
)
from venue.api.streams.private import (
    ContractAccountItem,
    ContractFillItem,
    ContractOrderItem,
    PositionItem,
    SpotAccountItem,
    SpotFillItem,
    SpotOrderItem,
)
from venue.vocabulary import Product

OWN_ITEMS: dict[tuple[str, Product], type[Struct]] = {
    ("account", Product.SPOT): SpotAccountItem,
    ("account", Product.CONTRACT): ContractAccountItem,
    ("orders", Product.SPOT): SpotOrderItem,
    ("orders", Product.CONTRACT): ContractOrderItem,
    ("fill", Product.SPOT): SpotFillItem,
    ("fill", Product.CONTRACT): ContractFillItem,
    ("positions", Product.CONTRACT): PositionItem,
}
# A message's id; its acknowledgement has it in the same JSON type.
IDENTITY: dict[str, Any] = {"oneOf": [{"type": "integer"}, {"type": "string", "maxLength": 64}]}


def asyncapi(sockets: Iterable[Socket], version: str) -> dict[str, Any]:
    """Return the AsyncAPI 3.0 document of these sockets, from the server's side."""
    sockets = list(sockets)
    streams = [stream for socket in sockets for stream in streams_of(socket).values()]
    payloads: list[type[Struct]] = [Greeting, PublicPing, PrivatePing, *OWN_ITEMS.values()]
    payloads += [stream.payload for stream in streams]
    payloads += [SocketError, CancelOnDisconnect, ClockHold]
    kinds = {kind.__name__: kind for kind in payloads}
    rows = {row.name: (method, row) for named in METHODS.values() for method, row in named.items()}
    types = [kind for _, row in rows.values() for kind in (request_type(row), row.reply)]
    _, schemas = msgspec.json.schema_components(
        [*kinds.values(), *types], ref_template="#/components/schemas/{name}"
    )
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    messages: dict[str, Any] = {"Request": _request(), "Acknowledgement": _acknowledgement()}
    messages["CancelOnDisconnect"] = _asks(CANCEL_ON_DISCONNECT, CancelOnDisconnect)
    messages["ClockHold"] = _asks(CLOCK_HOLD, ClockHold)
    for method, row in rows.values():
        messages[row.name] = _asks(method, request_type(row))
        messages[f"{row.name}_answer"] = _answers(row)
    for socket in sockets:
        name = socket.path[1:].replace("/", "_")
        told = ["Greeting", "PrivatePing" if socket.private else "PublicPing", "Acknowledgement"]
        for kind in told[:2]:
            messages[kind] = _message(kinds[kind])
        for stream in dict.fromkeys(streams_of(socket).values()):
            told.append(_name(stream, socket.product))
            messages[told[-1]] = _frame(stream, socket.product)
        here = f"#/channels/{name}"
        heard = ["Request"]
        entries: list[str] = []
        if socket.private:
            heard += ["CancelOnDisconnect", "ClockHold"]
            for row in METHODS[socket.product].values():
                operations[f"{name}_{row.name}"] = _entry(here, row.name)
                entries += [row.name, f"{row.name}_answer"]
        operations[f"{name}_receive"] = _operation("receive", here, heard)
        operations[f"{name}_send"] = _operation("send", here, told)
        channels[name] = {
            "address": socket.path,
            "messages": {kind: _ref("messages", kind) for kind in [*heard, *told, *entries]},
        }
        if socket.private:
            channels[name]["bindings"] = {"ws": {"headers": _login()}}
    document = {
        "asyncapi": "3.0.0",
        "info": {"title": "Trading Interface V3, streams", "version": version},
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {"messages": messages, "schemas": schemas},
    }
    return dict(draft_07(clean_schema(document)))


def _name(stream: Stream, product: Product) -> str:
    if not stream.private:
        return stream.name
    return f"{stream.name}_{product.name.lower()}"


def _frame(stream: Stream, product: Product) -> dict[str, Any]:
    """Return a channel's frame; those of private channels say what their items are."""
    message = _message(stream.payload)
    if stream.private:
        item = {"$ref": f"#/components/schemas/{OWN_ITEMS[stream.name, product].__name__}"}
        items = {"properties": {"d": {"type": "array", "items": item}}}
        message["payload"] = {"allOf": [message["payload"], items]}
    at = "" if stream.private else "{symbol}@"
    message["x-channels"] = [at + channel for channel in stream.channels]
    message["x-events"] = list(stream.events)
    return message


def _message(kind: type[Struct]) -> dict[str, Any]:
    return {
        "summary": (kind.__doc__ or "").strip().partition("\n")[0],
        "payload": {"$ref": f"#/components/schemas/{kind.__name__}"},
    }


def _request() -> dict[str, Any]:
    return {
        "summary": "Subscribes, unsubscribes, asks for a sign of life or gives one."
        " `NAME?from=SEQ` of a private channel begins with all frames after that `seq`.",
        "payload": {
            "type": "object",
            "required": ["method"],
            "properties": {
                "method": {"enum": ["SUBSCRIBE", "UNSUBSCRIBE", "PING", "PONG"]},
                "params": {"type": "array", "items": {"type": "string"}},
                "id": IDENTITY,
            },
        },
    }


def _asks(method: str, params: type[Struct]) -> dict[str, Any]:
    """Return a request whose params are an object."""
    return {
        "summary": (params.__doc__ or "").strip().partition("\n")[0],
        "payload": {
            "type": "object",
            "required": ["method", "params"],
            "properties": {
                "method": {"const": method},
                "params": {"$ref": f"#/components/schemas/{params.__name__}"},
                "id": IDENTITY,
            },
        },
    }


def _answers(row: Row) -> dict[str, Any]:
    """Return the outcome of an operation: with status 200 its result, otherwise the error."""
    (result,), _ = msgspec.json.schema_components(
        [row.reply], ref_template="#/components/schemas/{name}"
    )
    return {
        "summary": f"The answer to one {row.name}, as over REST.",
        "payload": {
            "type": "object",
            "required": ["status"],
            "properties": {
                "id": IDENTITY,
                "status": {"type": "integer", "description": "As the HTTP status over REST."},
                "result": result,
                "error": {"$ref": "#/components/schemas/SocketError"},
                "retryAfter": {"type": "integer", "description": "Seconds."},
                "ignored": {"type": "array", "items": {"type": "string"}},
            },
        },
    }


def _entry(channel: str, name: str) -> dict[str, Any]:
    """Return a row of the table of operations, asked for over a socket."""
    reply = {"$ref": f"{channel}/messages/{name}_answer"}
    return {
        **_operation("receive", channel, [name]),
        "reply": {"channel": {"$ref": channel}, "messages": [reply]},
    }


def _acknowledgement() -> dict[str, Any]:
    return {
        "summary": "The answer to one request.",
        "payload": {
            "type": "object",
            "required": ["result"],
            "properties": {
                "result": {"type": "boolean"},
                "id": IDENTITY,
                "msg": {"type": "string", "description": "Only where the result is false."},
            },
        },
    }


def _login() -> dict[str, Any]:
    """Return the headers of the request that opens a private socket."""
    return {
        "type": "object",
        "required": list(SIGNATURE),
        "properties": {name: {"type": "string"} for name in SIGNATURE},
    }


def _operation(action: str, channel: str, messages: list[str]) -> dict[str, Any]:
    return {
        "action": action,
        "channel": {"$ref": channel},
        "messages": [{"$ref": f"{channel}/messages/{message}"} for message in messages],
    }


def _ref(kind: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}
