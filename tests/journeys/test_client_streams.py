"""Streams of the asynchronous client: nothing missed, nothing twice."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from socket import SO_RCVBUF, SOL_SOCKET
from typing import Any, Final

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Response
from websockets.sync.server import ServerConnection

from support.client_streams import (
    BY_NAME,
    Elsewhere,
    add,
    alice_of,
    keys,
    left_alone,
    order,
    play,
    streaming,
)
from support.listening_room import ListeningRoom
from support.server import Server
from support.socket_desk import PRODUCTS, Product
from support.witness import OWNER
from venue import AsyncClient, Lost, Misused, Refused, Unreachable
from venue.api.streams.channels import STREAMS, OwnFrame, TradeFrame
from venue.client.connection import WAITING
from venue.client.frames import ITEMS, Frame
from venue.client.streams import Stream
from venue.gateway.streams.limits import SessionLimits, SocketLimits


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with streaming(tmp_path_factory.mktemp("client-streams")) as found:
        yield found


@pytest.fixture
def server(venue: Server) -> Iterator[Server]:
    with left_alone(venue) as found:
        yield found


async def taken(stream: Stream, count: int) -> list[Frame]:
    """The next frames."""
    return [await anext(stream) for _ in range(count)]


def numbers(frames: list[Frame]) -> list[int]:
    """Their numbers, from 0."""
    found = [frame.sequence for frame in frames if isinstance(frame, OwnFrame)]
    return [number - found[0] for number in found]


def of_orders(frames: list[Frame]) -> list[int]:
    return [int(item.id) for frame in frames if isinstance(frame, OwnFrame) for item in frame.items]


# -- every channel --------------------------------------------------------------------------------


@BY_NAME
def test_every_public_channel_is_typed(server: Server, product: Product) -> None:
    async def story() -> None:
        rows = [row for row in STREAMS if not row.private]
        rows = [row for row in rows if product.name.upper() in [one.name for one in row.products]]
        names = {f"{product.plain['symbol']}@{row.channels[0]}": row for row in rows}
        async with (
            AsyncClient(server.url) as client,
            client.listen(*names, product=product.name) as stream,
        ):
            frames = await taken(stream, len(names))
        assert {type(frame) for frame in frames} == {row.payload for row in rows}

    play(story())


@BY_NAME
def test_an_empty_frame_is_passed_over(server: Server, product: Product) -> None:
    """The live exchange sends such frames; they have no number."""

    async def story() -> None:
        async with alice_of(server) as alice, alice.listen("orders", product=product.name) as own:
            rule = {"effect": {"kind": "ws.empty"}}
            assert server.client().post("/_venue/faults", rule).status == 200
            await order(alice, product)
            frame = await anext(own)
            assert isinstance(frame, OwnFrame)
            assert len(frame.items) == 1
            assert server.client().delete("/_venue/faults").status == 200

    asyncio.run(story())


@BY_NAME
def test_every_private_channel_is_typed(server: Server, product: Product) -> None:
    async def story() -> None:
        names = [name for kind, name in ITEMS if kind == product.name]
        async with (
            alice_of(server) as alice,
            AsyncClient(server.url, **keys("bob")) as bob,
            alice.listen(*names, product=product.name) as stream,
        ):
            await order(alice, product)
            body = {"symbol": product.plain["symbol"], "side": "SELL", "type": "LIMIT"}
            body |= {"quantity": "0.01", "price": "59000", "time_in_force": "GTC"}
            if product.name == "spot":
                await bob.place_order(**body)
            else:
                await bob.place_contract_order(**body, position_side="SHORT")
            seen: dict[str, type] = {}
            while seen.keys() != set(names):
                frame = await anext(stream)
                assert isinstance(frame, OwnFrame)
                seen[frame.event] = type(frame.items[0])
        assert seen == {name: ITEMS[product.name, name] for name in names}

    play(story())


# -- private channels -----------------------------------------------------------------------------


@BY_NAME
@pytest.mark.parametrize("kind", ["ws.disconnect", "ws.gap", "ws.duplicate", "ws.silence"])
def test_faults_lose_and_double_nothing(server: Server, product: Product, kind: str) -> None:
    async def story() -> None:
        async with (
            alice_of(server) as alice,
            alice.listen("orders", product=product.name, quiet_s=0.3) as stream,
        ):
            await add(alice, kind, channel="orders", nth=[2, 4])
            placed = [await order(alice, product) for _ in range(8)]
            frames = await taken(stream, 8)
        assert of_orders(frames) == placed
        assert numbers(frames) == list(range(8))
        assert (stream.connections > 1) == (kind != "ws.duplicate")

    play(story())


def test_a_drop_before_the_first_frame_loses_nothing(server: Server) -> None:
    """The first number is asked for: a frame that is lost at once is had all the same."""

    async def story() -> None:
        async with alice_of(server) as alice, alice.listen("orders") as stream:
            await add(alice, "ws.disconnect", channel="orders", first=1)
            placed = [await order(alice, PRODUCTS[0]) for _ in range(3)]
            assert of_orders(await taken(stream, 3)) == placed

    play(story())


def test_another_stream_goes_on_behind_a_number(server: Server) -> None:
    async def story() -> None:
        async with alice_of(server) as alice:
            async with alice.listen("orders", "fill") as stream:
                placed = [await order(alice, PRODUCTS[0]) for _ in range(3)]
            name = f"orders?from={stream.sequences['orders']}"
            async with alice.listen(name) as later:
                assert of_orders(await taken(later, 3)) == placed

    play(story())


def test_a_reading_that_is_cancelled_loses_nothing(server: Server) -> None:
    async def story() -> None:
        async with alice_of(server) as alice, alice.listen("orders") as stream:
            await add(alice, "ws.disconnect", channel="orders", every=3)
            placed = [await order(alice, PRODUCTS[0]) for _ in range(12)]
            frames: list[Frame] = []
            while len(frames) < len(placed):
                with suppress(TimeoutError):
                    async with asyncio.timeout(random.random() / 50):
                        frames.append(await anext(stream))
            assert of_orders(frames) == placed

    play(story())


def test_a_killed_venue_comes_back(tmp_path: Path) -> None:
    async def story(port: int) -> None:
        async with (
            AsyncClient(f"http://127.0.0.1:{port}", **keys()) as alice,
            alice.listen("orders") as stream,
        ):
            first = await order(alice, PRODUCTS[0])
            servers.pop().kill()
            reading = asyncio.create_task(taken(stream, 2))
            servers.append(await asyncio.to_thread(Server, *options, folder=tmp_path, port=port))
            second = await order(alice, PRODUCTS[0])
            assert of_orders(await reading) == [first, second]

    options = ("--no-agents", "--state", "kept")
    servers = [Server(*options, folder=tmp_path)]
    try:
        play(story(servers[0].port))
    finally:
        for one in servers:
            one.kill()


def test_a_state_that_goes_back_is_told(server: Server) -> None:
    """A number of another state is no place to go on: not while connected, and not after."""

    async def story(*, away: bool) -> None:
        async with alice_of(server) as alice, alice.listen("orders") as stream:
            await alice.keep_snapshot(name="before")
            await order(alice, PRODUCTS[0])
            await anext(stream)
            if away:
                await stream.begin_again("the test says so")
            await alice.revert(name="before")
            for _ in range(3):  # more than were taken back
                await order(alice, PRODUCTS[0])
            for _ in range(2):
                with pytest.raises(Lost, match="went back to an earlier state"):
                    await anext(stream)

    play(story(away=False))
    play(story(away=True))


def test_frames_that_are_not_kept_are_lost(server: Server) -> None:
    async def story() -> None:
        async with alice_of(server) as alice:
            with pytest.raises(Lost, match="must be at most"):
                async with alice.listen("orders?from=999999"):
                    pass

    play(story())


SLOW: Final = SocketLimits(
    session=SessionLimits(idle_s=60, ping_s=60, messages=None, changes=None),
    queue_frames=100,
    send_bytes=16 * 1024,
    close_s=0.1,
)


def test_a_slow_reader_is_bounded_and_loses_nothing() -> None:
    """The venue ends the connection of a slow reader, which gets the missed frames at its pace."""

    async def story(room: ListeningRoom) -> None:
        async with (
            AsyncClient(f"http://127.0.0.1:{room.port}", **keys(OWNER)) as owner,
            owner.listen("orders") as stream,
        ):
            assert stream._connection is not None
            socket = stream._connection.socket
            # The system would take megabytes of frames before the venue had to hold any.
            own = socket.transport.get_extra_info("socket")
            own.setsockopt(SOL_SOCKET, SO_RCVBUF, 4096)
            placed: list[int] = []
            while room.do(lambda node: bool(room.connection(socket.local_address[1]))):
                assert len(placed) < 20_000
                many = [order(owner, PRODUCTS[0]) for _ in range(50)]
                placed += await asyncio.gather(*many)
                await owner.cancel_open_orders(symbol="BTCUSDT")
            # And those of the one read that filled the queue.
            assert len(socket.recv_messages.frames) <= 3 * WAITING
            frames: list[Frame] = []
            while len(of_orders(frames)) < 2 * len(placed):  # a cancel's are one frame
                frames += await taken(stream, 1)
            assert sorted(of_orders(frames)) == sorted(placed * 2)
            assert numbers(frames) == list(range(len(frames)))
            assert stream.connections > 1

    with ListeningRoom(SLOW) as room:
        play(story(room))


# -- what goes wrong ------------------------------------------------------------------------------


def test_a_login_follows_no_redirect(server: Server) -> None:
    def away(_: ServerConnection, request: Any) -> Response:
        where = f"ws://127.0.0.1:{server.port}{request.path}"
        return Response(307, "Away", Headers(Location=where), b"")

    async def story(url: str) -> None:
        async with AsyncClient(url, **keys()) as alice:
            with pytest.raises(Refused, match="status 307"):
                async with alice.listen("orders"):
                    pass

    with Elsewhere(lambda _: None, process_request=away) as elsewhere:
        play(story(elsewhere.url))


def test_what_is_refused_and_what_is_misused(server: Server) -> None:
    async def told(client: AsyncClient, *channels: str, **more: Any) -> str:
        try:
            async with client.listen(*channels, **more):
                return "nothing"
        except (Refused, Misused, Unreachable) as problem:
            return f"{type(problem).__name__}: {problem}"

    async def story() -> None:
        async with alice_of(server) as alice, AsyncClient(server.url, act_as="bob") as bob:
            stranger = AsyncClient(server.url, **{**keys(), "secret": "other"})
            nobody = AsyncClient("http://127.0.0.1:1", timeout_s=1)
            for (client, *channels), words in (
                ((alice, "NONE@trade"), "Refused: STREAM (0): INVALID_ARGUMENT: invalid symbol"),
                ((alice, "positions"), "Refused: STREAM (0): INVALID_ARGUMENT: invalid event"),
                ((alice, "orders", "BTCUSDT@trade"), "Misused: channels: public and private"),
                ((alice, "orders?from=x"), "Misused: channel 'orders?from=x': must be as"),
                ((alice, "orders?from=1", "order?from=2"), "is asked for from two numbers"),
                ((alice,), "Misused: channels: give their names"),
                ((bob, "orders"), "Misused: private channels are for one owner"),
                ((stranger, "orders"), "Refused: "),
                ((nobody, "BTCUSDT@trade"), "Unreachable: stream: no venue answers at http:"),
            ):
                assert words in await told(client, *channels, patience_s=0.1), channels
            assert "must be spot or contract" in await told(alice, "orders", product="x")
            with pytest.raises(Misused, match="levels 16: must be 15 or 200"):
                alice.books("BTCUSDT", levels=16)
            stream = alice.listen("orders")
            with pytest.raises(Misused, match="`async with`"):
                await anext(stream)
            async with stream:
                reading = asyncio.create_task(anext(stream))
                await asyncio.sleep(0)
                with pytest.raises(Misused, match="another task reads"):
                    await anext(stream)
                reading.cancel()

    play(story())


def test_a_stream_that_is_refused_for_a_while(server: Server) -> None:
    async def story() -> None:
        async with AsyncClient(server.url) as client:
            await add(client, "ws.refuse", status=503, first=1)
            async with client.listen("BTCUSDT@trade") as stream:
                frame = await anext(stream)
            assert isinstance(frame, TradeFrame)
            assert (frame.event, stream.connections) == ("tradeSnapshot", 1)
            assert stream.trouble == "refused with status 503"

    play(story())
