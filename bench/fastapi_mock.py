"""The usual mock in place of a venue: a FastAPI application that keeps orders in memory.

It checks signature and window, has pydantic check the body, and answers as the venue does. It has
no book, no money, no limits, no history, and forgets all orders when it ends.
"""

from __future__ import annotations

import hmac
import socket
import sys
import time
from base64 import b64encode
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import uvicorn
import uvloop
from fastapi import Depends, FastAPI, HTTPException, Request
from pydantic import BaseModel

from venue.gateway.access.keys import KeyCredentials
from venue.gateway.transport.server import listen

WINDOW_MS: Final = 30_000  # as the venue's
app: Final = FastAPI()
keys: Final[dict[str, KeyCredentials]] = {}
orders: Final[dict[int, tuple[str, Order]]] = {}
numbers: Final = count(1)


class Order(BaseModel):
    """The body of an order."""

    symbol: str
    side: Literal["BUY", "SELL"]
    type: Literal["LIMIT", "MARKET"]
    quantity: Decimal
    price: Decimal | None = None
    timeInForce: Literal["GTC", "IOC", "FOK"] = "GTC"
    newClientOrderId: str | None = None


async def signed(request: Request) -> str:
    """The key of a request that is signed with it."""
    head, now = request.headers, time.time_ns() // 1_000_000
    known = keys.get(head.get("ACCESS-KEY", ""))
    if known is None or head.get("ACCESS-PASSPHRASE") != known.passphrase:
        raise HTTPException(401, "unknown key")
    stamp = head.get("ACCESS-TIMESTAMP", "")
    if not stamp.isdecimal() or abs(int(stamp) - now) > WINDOW_MS:
        raise HTTPException(401, "timestamp outside of the window")
    text = f"{stamp}{request.method}{request.url.path}".encode() + await request.body()
    right = b64encode(hmac.digest(known.secret.encode(), text, "sha256")).decode()
    if not hmac.compare_digest(head.get("ACCESS-SIGN", ""), right):
        raise HTTPException(401, "wrong signature")
    return known.key


@app.post("/api/v3/order")
async def place_order(key: Annotated[str, Depends(signed)], order: Order) -> dict[str, Any]:
    """Keep an order."""
    if order.symbol != "BTCUSDT" or (order.type == "LIMIT") != (order.price is not None):
        raise HTTPException(400, "wrong symbol or price")
    number = next(numbers)
    orders[number] = (key, order)
    name = order.newClientOrderId or f"v-{number}"
    now = time.time_ns() // 1_000_000
    return {"symbol": order.symbol, "orderId": number, "clientOrderId": name, "transactTime": now}


def main(keys_file: str, ready_file: str) -> None:
    """Serve until told to stop; the ready file gets the port."""
    known = msgspec.json.decode(Path(keys_file).read_bytes(), type=list[KeyCredentials])
    keys.update((one.key, one) for one in known)
    uvloop.run(serve(listen("127.0.0.1", 0), Path(ready_file)))


async def serve(bound: socket.socket, ready: Path) -> None:
    """Serve until SIGTERM."""
    config = uvicorn.Config(
        app, loop="none", http="httptools", ws="none", lifespan="off", access_log=False,
        log_config=None, server_header=False, date_header=False,
    )  # fmt: skip
    ready.write_text(str(bound.getsockname()[1]))
    await uvicorn.Server(config).serve([bound])


if __name__ == "__main__":
    main(*sys.argv[1:])
