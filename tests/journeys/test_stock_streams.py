"""Faults of streams, as stock ccxt pro clients see them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any, Final, cast

import ccxt
import pytest

from support.client_streams import streaming
from support.faulty import add, hits
from support.listening_room import ListeningRoom
from support.pro import LOOK_S, Pro
from support.server import Server
from support.socket_desk import CONTRACT as DEMO_CONTRACT
from support.socket_desk import SPOT, Product
from support.waits import WAIT_S
from venue.gateway.streams.limits import SessionLimits, SocketLimits

CONTRACT: Final = DEMO_CONTRACT._replace(plain={**DEMO_CONTRACT.plain, "symbol": "BTCUSDT"})
SYMBOLS: Final = {SPOT.name: "BTC/USDT", CONTRACT.name: "BTC/USDT:USDT"}
BY_NAME = pytest.mark.parametrize("product", [SPOT, CONTRACT], ids=lambda product: product.name)
_PRICES = itertools.count(60_000)  # each bid is the best


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with streaming(tmp_path_factory.mktemp("stock-streams")) as found:
        alice = found.client("alice")
        for side, price in (("BUY", "59900.00"), ("SELL", "61000.00")):
            quote = {**SPOT.plain, "side": side, "price": price}
            assert alice.post(SPOT.order, quote).status == 200
        held = {"symbol": "BTCUSDT", "price": "60000", "jump": True}
        assert found.client().post("/_venue/index/hold", held).status == 200
        bob, end = found.client("bob"), time.monotonic() + WAIT_S
        while bob.post(CONTRACT.order, {**CONTRACT.plain, "price": "59900.0"}).status != 200:
            assert time.monotonic() < end  # the price is posted with the next step
        yield found


@pytest.fixture(autouse=True)
def _nothing_stays(server: Server) -> Iterator[None]:
    yield
    assert server.client().delete("/_venue/faults").status == 200


@pytest.fixture
def pro(server: Server) -> Iterator[Pro]:
    with Pro(server) as found:
        yield found


def bid(server: Server, product: Product) -> float:
    """Bob bids more than anybody; his price."""
    price = float(next(_PRICES))
    order = {**product.plain, "price": f"{price:.1f}", "quantity": "0.001"}
    answer = server.client("bob").post(product.order, order)
    assert answer.status == 200, answer
    return price


def best(pro: Pro, product: Product) -> float:
    """The best bid of the book that a client keeps."""
    book = pro.exchange.orderbooks.get(SYMBOLS[product.name])
    return float(book["bids"][0][0]) if book and book["bids"] else 0.0


def watch(server: Server, pro: Pro, product: Product) -> float:
    """Keep a book; its best bid."""
    price = bid(server, product)
    pro.until(lambda: best(pro, product) == price, "watch_order_book", SYMBOLS[product.name])
    return price


def settle(pro: Pro) -> None:
    """Wait until a client has heard what the venue said before now."""
    pro.run(_settle(pro))


async def _settle(pro: Pro) -> None:
    for client in pro.exchange.clients.values():
        client.lastPong = None
        await client.connection.ping()
        while client.lastPong is None:
            await asyncio.sleep(LOOK_S / 10)


def until_hit(server: Server, rule: dict[str, Any], count: int = 1) -> None:
    end = time.monotonic() + WAIT_S
    while hits(server, rule["id"])[1] < count:
        assert time.monotonic() < end


@BY_NAME
def test_a_gap(server: Server, pro: Pro, product: Product) -> None:
    """One update id is left out: the client keeps a wrong book, and is none the wiser."""
    watch(server, pro, product)
    add(server, "ws.gap", match={"channel": "depth*"}, when={"nth": [1]})
    missed, seen = bid(server, product), bid(server, product)
    pro.until(lambda: best(pro, product) == seen, "watch_order_book", SYMBOLS[product.name])
    prices = [price for price, _ in pro.exchange.orderbooks[SYMBOLS[product.name]]["bids"]]
    assert missed not in prices
    assert prices[:2] == [seen, missed - 1]


@BY_NAME
def test_a_duplicate(server: Server, pro: Pro, product: Product) -> None:
    """The same update twice leaves the book as it is: levels are told, not changes of them."""
    watch(server, pro, product)
    rule = add(server, "ws.duplicate", match={"channel": "depth*"})
    price = bid(server, product)
    until_hit(server, rule)
    pro.until(lambda: best(pro, product) == price, "watch_order_book", SYMBOLS[product.name])
    settle(pro)
    prices = [price for price, _ in pro.exchange.orderbooks[SYMBOLS[product.name]]["bids"]]
    assert prices[:2] == [price, price - 1]


@BY_NAME
def test_an_empty_frame(server: Server, product: Product) -> None:
    """Stock ccxt asks for the market of no order, and reads no more of the connection."""
    client, faults = server.client("alice"), server.client()
    failed: list[Any] = []
    with Pro(server, server.account("alice")) as pro:
        pro.loop.set_exception_handler(lambda _, found: failed.append(found["exception"]))

        def met() -> bool:
            """Orders come until one of them is told after an empty frame."""
            number = client.post(product.order, product.plain).json["orderId"]
            canceled = client.delete(f"{product.order}?orderId={number}")
            assert canceled.status == 200, canceled
            return bool(failed)

        rule = faults.call("PUT", f"/_venue/faults/presets/{'heartbeat'}", {}).json[0]
        assert rule["effect"]["kind"] == "ws.empty"
        pro.until(met, "watch_orders", SYMBOLS[product.name])
        until_hit(server, rule)
    assert {type(problem) for problem in failed} == {TypeError}


@BY_NAME
def test_a_late_frame(server: Server, pro: Pro, product: Product) -> None:
    before = watch(server, pro, product)
    rule = add(server, "ws.late", ms=500, match={"channel": "depth*"}, when={"first": 1})
    first, second = bid(server, product), bid(server, product)
    until_hit(server, rule)
    seen = [before]

    def all_seen() -> bool:
        if best(pro, product) != seen[-1]:
            seen.append(best(pro, product))
        return seen[-1] == second

    pro.until(all_seen, "watch_order_book", SYMBOLS[product.name])
    assert seen in ([before, first, second], [before, second])  # never the later one first


@BY_NAME
def test_silence(server: Server, pro: Pro, product: Product) -> None:
    """The stream is open and answers pings: the client waits, without an error."""
    before = watch(server, pro, product)
    rule = add(server, "ws.silence", match={"channel": "depth*"}, when={"first": 1})
    bid(server, product)
    until_hit(server, rule)
    bid(server, product)
    settle(pro)
    assert best(pro, product) == before
    (client,) = pro.exchange.clients.values()
    assert client.error is None
    assert not client.closed()


@BY_NAME
def test_a_disconnect(server: Server, pro: Pro, product: Product) -> None:
    """The client is told so, and begins again with its next call."""
    watch(server, pro, product)
    add(server, "ws.disconnect", match={"channel": "depth*"}, when={"count": 1})
    bid(server, product)
    with pytest.raises(ccxt.NetworkError):
        pro.until(lambda: False, "watch_order_book", SYMBOLS[product.name])
    watch(server, pro, product)


def test_a_refused_opening(server: Server, pro: Pro) -> None:
    rule = add(server, "ws.refuse", status=503, match={"path": "/spot/*"})
    with pytest.raises(ccxt.NetworkError):
        pro("watch_order_book", SYMBOLS[SPOT.name])
    server.client().delete(f"/_venue/faults/{rule['id']}")
    watch(server, pro, SPOT)


@BY_NAME
def test_no_pong(server: Server, pro: Pro, product: Product) -> None:
    """Its pings are not answered: the client takes the stream for dead, and says so."""
    pro.exchange.streaming["keepAlive"] = 100
    watch(server, pro, product)
    add(server, "ws.no_pong")
    with pytest.raises(ccxt.RequestTimeout, match="ping-pong keepalive"):
        pro.until(lambda: False, "watch_order_book", SYMBOLS[product.name])


def test_no_ping(monkeypatch: pytest.MonkeyPatch) -> None:
    """The venue's pings are left out: the client has nothing to answer, and goes on."""
    pings = 3
    limits = SocketLimits(session=SessionLimits(ping_s=0.05, pings=pings, messages=None))
    with ListeningRoom(limits) as room:
        at = f"127.0.0.1:{room.port}"
        sockets = {"ws_spot": f"ws://{at}/spot/v3/ws", "ws_contract": f"ws://{at}/contract/v3/ws"}
        server = cast("Server", SimpleNamespace(
            url=f"http://{at}", facts=sockets, client=cache(room.client)
        ))  # fmt: skip
        with Pro(server) as pro:
            heard: list[Any] = []
            handle = pro.exchange.handle_ping

            def note(client: Any, message: Any) -> None:
                heard.append(message)
                handle(client, message)

            monkeypatch.setattr(pro.exchange, "handle_ping", note)
            watch(server, pro, SPOT)
            name = SYMBOLS[SPOT.name]
            # It answers: more pings come than may stay without an answer.
            pro.until(lambda: len(heard) > 2 * pings, "watch_order_book", name)
            rule = add(server, "ws.no_ping")
            settle(pro)
            answered = len(heard)
            until_hit(server, rule, 2 * pings)
            watch(server, pro, SPOT)
            assert len(heard) == answered
