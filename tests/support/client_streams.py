"""Venues for tests of streams; stories of the asynchronous client at one, or at a server that
says what it likes."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Final, TypeVar

import pytest
from websockets.sync.server import serve

from support.server import Server, flawless
from support.socket_desk import PRODUCTS, Product, cancel_all, price_contracts
from venue import AsyncClient
from venue.api.operator.faults import Effect, FaultMatch, When

R = TypeVar("R")
LIMIT_S: Final = 30.0
BY_NAME = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)


@contextmanager
def streaming(folder: Path) -> Iterator[Server]:
    """A venue without agents and limits that tells of each change of a book at once."""
    options = ("--no-agents", "--no-limits", "--depth-ms", "0")
    with flawless(*options, folder=folder) as server:
        yield server


@contextmanager
def left_alone(server: Server) -> Iterator[Server]:
    """The contract has a price, for ten seconds; faults and orders end with the test."""
    price_contracts(server.client())
    yield server
    assert server.client().delete("/_venue/faults").status == 200
    cancel_all(server.client("alice"))


def play(story: Coroutine[Any, Any, R]) -> R:
    """A test's story, which must come to an end."""
    return asyncio.run(asyncio.wait_for(story, LIMIT_S))


def keys(name: str = "alice") -> dict[str, Any]:
    return {"key": f"demo-{name}", "secret": f"demo-{name}-secret", "passphrase": "demo"}


def alice_of(server: Server) -> AsyncClient:
    return AsyncClient(server.url, **keys())


async def add(client: AsyncClient, kind: str, **more: Any) -> str:
    """A rule of faults; its id."""
    match = FaultMatch(channel=more.pop("channel", None))
    times = {name: more.pop(name) for name in ("nth", "every", "first") if name in more}
    made = await client.add_fault(match=match, when=When(**times), effect=Effect(kind, **more))
    return made.id


async def order(client: AsyncClient, product: Product, price: int = 59_000) -> int:
    """An order that rests, and one frame about it."""
    body = {"symbol": product.plain["symbol"], "side": "BUY", "type": "LIMIT"}
    body |= {"quantity": "0.01", "price": str(price), "time_in_force": "GTC"}
    if product.name == "spot":
        return (await client.place_order(**body)).order_id
    return int((await client.place_contract_order(**body, position_side="LONG")).order_id)


class Elsewhere:
    """A server that says what it likes. Use it in a `with`."""

    def __init__(self, handler: Any, **more: Any) -> None:
        self._server = serve(handler, "127.0.0.1", 0, compression=None, **more)
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"

    def __enter__(self) -> Elsewhere:
        self._thread = Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
