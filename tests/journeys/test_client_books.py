"""Books of the asynchronous client: with all faults of frames, none that the venue had not."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any
from zlib import crc32

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection

from support.client_streams import (
    BY_NAME,
    Elsewhere,
    add,
    alice_of,
    left_alone,
    order,
    play,
    streaming,
)
from support.server import Server
from support.socket_desk import Product
from venue import AsyncClient
from venue.api.streams.channels import DepthFrame
from venue.client.books import Book, Books, KeptBook, Wrong


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with streaming(tmp_path_factory.mktemp("client-books")) as found:
        yield found


@pytest.fixture
def server(venue: Server) -> Iterator[Server]:
    with left_alone(venue) as found:
        yield found


async def move(client: AsyncClient, product: Product, count: int, seed: int) -> None:
    """Orders and cancels that change the book."""
    rng = random.Random(seed)
    for _ in range(count):
        placed = await order(client, product, 59_000 - rng.randrange(12))
        if rng.random() < 0.6:
            continue
        if product.name == "spot":
            await client.cancel_order(order_id=placed)
        else:
            await client.cancel_contract_order(order_id=placed)


async def shown(client: AsyncClient, product: Product) -> tuple[int, list[tuple[Decimal, Decimal]]]:
    """The venue's own book: its update id and bids."""
    depth = client.depth if product.name == "spot" else client.contract_depth
    found = await depth(symbol=product.plain["symbol"], limit="15")
    return found.last_update_id, [(Decimal(price), Decimal(size)) for price, size in found.bids]


async def caught_up(books: Books, update_id: int) -> Book:
    """The first book with this update id or a later one."""
    while True:
        book = await anext(books)
        if book.update_id >= update_id:
            return book


@BY_NAME
@pytest.mark.parametrize("kind", ["none", "ws.gap", "ws.disconnect", "ws.duplicate", "ws.silence"])
def test_a_kept_book_is_the_venue_s(server: Server, product: Product, kind: str) -> None:
    """With each fault of its frames, every book that is given is one that the venue had."""

    async def story() -> None:
        symbol = product.plain["symbol"]
        async with (
            alice_of(server) as alice,
            alice.books(symbol, product=product.name, quiet_s=0.3) as books,
        ):
            first = await anext(books)
            if kind != "none":
                await add(alice, kind, channel="depth*", nth=[2, 9, 10])
            reading = asyncio.create_task(caught_up(books, first.update_id + 30))
            await move(alice, product, 40, seed=3)
            await reading
            await alice.clear_faults()
            await move(alice, product, 3, seed=4)
            update_id, bids = await shown(alice, product)
            book = await caught_up(books, update_id)
        assert (book.update_id, list(book.bids)) == (update_id, bids)
        assert books.wrong == 0
        again = kind not in ("none", "ws.duplicate")
        assert (books.stream.connections > 1) == again

    play(story())


def change(**more: Any) -> DepthFrame:
    given: dict[str, Any] = {"event": "depth", "time": 1, "symbol": "S", "first_id": 1}
    given |= {"last_id": 2, "level": 15, "kind": "", "bids": [], "asks": []}
    return DepthFrame(**given | more)


def test_a_book_that_cannot_be_is_refused() -> None:
    kept = KeptBook()
    kept.take(change(event="depthSnapshot", bids=[("9.5", "1")], asks=[("10", "2")]))
    book = kept.take(change(bids=[("9.50", "3")]))  # another spelling of the same price
    assert book.bids == ((Decimal("9.5"), Decimal(3)),)
    for wrong, words in (
        ({"bids": [("8", "0")]}, "8 is removed, and was not there"),
        ({"checksum": 1}, "its checksum is another one"),
        ({"asks": [(str(price), "1") for price in range(20, 40)]}, "more than 15 levels"),
    ):
        with pytest.raises(Wrong, match=words):
            kept.take(change(**wrong))


def test_a_wrong_checksum_begins_the_book_again() -> None:
    """A venue whose frames do not fit each other: the reader sees only books that agree."""
    visits = itertools.count()

    def lies(socket: ServerConnection) -> None:
        number = json.loads(socket.recv())["id"]
        socket.send(json.dumps({"result": True, "id": number}))
        first = {"e": "depthSnapshot", "E": 1, "s": "S", "U": 7, "u": 7, "l": 15, "d": "SNAPSHOT"}
        then = {"e": "depth", "E": 2, "s": "S", "U": 7, "u": 8, "l": 15, "d": "CHANGED"}
        socket.send(json.dumps({**first, "b": [["9", "1"]], "a": []}))
        right = crc32(b"9:2")
        last = {**then, "b": [["9", "2"]], "a": [], "cs": right if next(visits) else 1}
        socket.send(json.dumps(last))
        with suppress(ConnectionClosed):
            socket.recv()

    async def story(url: str) -> None:
        async with AsyncClient(url) as client, client.books("S") as books:
            seen = [await anext(books) for _ in range(3)]
        assert [book.update_id for book in seen] == [7, 7, 8]
        assert (books.wrong, books.stream.connections) == (1, 2)
        assert books.stream.trouble == "the book of S is wrong: its checksum is another one"

    with Elsewhere(lies) as elsewhere:
        play(story(elsewhere.url))
