"""AsyncAPI says what a live venue sends: every frame of a session is as its message says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from support.contract_raw import LONG, SHORT, posted
from support.listening import Listener, Message, login
from support.raw import Desk, ok, operate, order
from support.server import Server
from venue.api.documents.asyncapi import asyncapi
from venue.api.streams.channels import SOCKETS

DOCUMENT = asyncapi(SOCKETS, "0")
MESSAGES = DOCUMENT["components"]["messages"]
SYMBOL = "BTCUSDT"
PUBLIC = ("ticker", "trade", "kline_1m_LAST_PRICE", "depth15", "depth200")
PRIVATE = ("account", "orders", "fill")


def problems(schema: dict[str, Any], frame: Message) -> list[str]:
    whole = {**schema, "components": DOCUMENT["components"]}
    if "$ref" in schema:  # draft 07 looks at nothing beside a reference
        whole = {"allOf": [schema], "components": DOCUMENT["components"]}
    return [problem.message for problem in Draft7Validator(whole).iter_errors(frame)]


def check(frame: Message, product: str) -> str:
    """A channel's frame against the message of its event; the event."""
    event = str(frame["e"])
    named = [
        message
        for name, message in MESSAGES.items()
        if event in message.get("x-events", ())
        and ("_" not in name or name.endswith(f"_{product}") or name.split("_")[0] not in PRIVATE)
    ]
    assert named, frame
    found = [problems(message["payload"], frame) for message in named]
    assert [] in found, (frame, found)
    return event


@pytest.mark.parametrize(
    ("product", "base", "more"),
    [("spot", "/api/v3", ({}, {})), ("contract", "/capi/v3", (SHORT, LONG))],
)
def test_every_frame_of_a_session(
    tmp_path: Path, product: str, base: str, more: tuple[dict[str, str], dict[str, str]]
) -> None:
    with Server("--no-agents", "--no-history", folder=tmp_path) as server:
        desk = Desk(server)
        operate(desk, "contracts/change", {"symbol": SYMBOL, "indexSources": ["desk"]})
        operate(desk, "index", posted(SYMBOL, "desk", "60000"))
        path = f"/{product}/v3/ws"
        headers = login(server.account("alice"))
        with (
            Listener(server.port, f"{path}/public") as public,
            Listener(server.port, f"{path}/private", headers) as private,
        ):
            for greeting in (public.greeting, private.greeting):
                assert problems(MESSAGES["Greeting"]["payload"], greeting) == []
                assert problems(MESSAGES["Greeting"]["payload"], {"event": 1})
            public.subscribe(*(f"{SYMBOL}@{channel}" for channel in PUBLIC))
            private.subscribe(*PRIVATE, *(("positions",) if product == "contract" else ()))
            sell = order(SYMBOL, "SELL", "0.1", "60000", timeInForce="GTC") | more[0]
            ok(desk.bob.post(f"{base}/order", sell))
            ok(desk.alice.post(f"{base}/order", sell | {"side": "BUY"} | more[1]))
            seen = set()
            for listener, last in ((public, "trade"), (private, "fill")):
                frames: list[Message] = []

                def reached(frame: Message, kept: list[Message] = frames, e: str = last) -> bool:
                    kept.append(frame)
                    return frame.get("e") == e

                listener.until(reached)
                frames += listener.settle()
                seen |= {check(frame, product) for frame in frames if "e" in frame}
            assert {
                "trade",
                "fill",
                "tradeSnapshot",
                "klineSnapshot",
                "depthSnapshot",
                "orders",
                "account",
            } <= seen
        desk.close()
