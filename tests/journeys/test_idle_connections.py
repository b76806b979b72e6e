"""Connections that a client keeps: one that the venue has closed, or may have, sends no request."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from typing import Any, Final

import pytest

from support.server import Server
from venue import AsyncClient, Client
from venue.client.transport import idle

ALICE: Final[dict[str, Any]] = {
    "key": "demo-alice",
    "secret": "demo-alice-secret",
    "passphrase": "demo",
}
BUY: Final[dict[str, Any]] = {
    "symbol": "BTCUSDT",
    "side": "BUY",
    "type": "LIMIT",
    "quantity": "0.01",
    "price": "50000",
}


def test_a_call_that_is_not_repeated_finds_its_connection_closed(tmp_path: Path) -> None:
    """The venue closed it, as it does with every one that nothing comes over for a minute."""
    state = ("--state", str(tmp_path / "venue"))
    with Server(*state, folder=tmp_path / "first") as server, Client(server.url, **ALICE) as alice:
        placed = alice.place_order(**BUY)
        assert server.stop() == 0
        with Server(*state, folder=tmp_path / "second", port=server.port):
            assert alice.cancel_order(order_id=placed.order_id).status == "CANCELED"


def test_the_same_for_asyncio(tmp_path: Path) -> None:
    async def story() -> None:
        state = ("--state", str(tmp_path / "venue"))
        with Server(*state, folder=tmp_path / "first") as server:
            async with AsyncClient(server.url, **ALICE) as alice:
                placed = await asyncio.gather(*[alice.place_order(**BUY) for _ in range(5)])
                assert server.stop() == 0
                with Server(*state, folder=tmp_path / "second", port=server.port):
                    for order in placed:
                        ended = await alice.cancel_order(order_id=order.order_id)
                        assert ended.status == "CANCELED"

    asyncio.run(story())


def answer(listener: socket.socket, asked: list[int]) -> None:
    """Tell two connections the time, one after the other; notes which of them asked."""
    body = b'{"serverTime":1}'
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    for number in range(2):
        connection, _ = listener.accept()
        with connection:
            while connection.recv(65_536):
                asked.append(number)
                connection.sendall(head + body)


def test_an_old_connection_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy on the way may have forgotten it without a word."""
    asked: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answering = threading.Thread(target=answer, args=(listener, asked))
        answering.start()
        with Client(f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
            client.time()
            client.time()
            monkeypatch.setattr(idle, "IDLE_S", 0.0)
            client.time()
        answering.join()
    assert asked == [0, 0, 1]
