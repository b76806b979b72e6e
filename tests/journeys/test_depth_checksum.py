"""Depth channels with checksums: a client can tell that the book it keeps is the venue's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

from support.listening import Listener, Message
from support.server import Server, flawless
from support.socket_desk import price_contracts

PATHS = {
    "spot": ("/spot/v3/ws/public", "/api/v3/order", "BTCUSDT"),
    "contract": ("/contract/v3/ws/public", "/capi/v3/order", "BTCSUSDT"),
}
ORDERS = 700


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # Time stands, so that posted indices stay fresh however busy the machine is.
    options = ("--no-agents", "--no-limits", "--depth-ms", "1", "--clock", "manual")
    with flawless(*options, folder=tmp_path_factory.mktemp("checksums")) as found:
        price_contracts(found.client())
        yield found


class Kept:
    """A book as a client keeps it: price texts to size texts, by side."""

    def __init__(self) -> None:
        self.sides: dict[str, dict[str, str]] = {"b": {}, "a": {}}
        self.update_id = 0

    def take(self, frame: Message) -> None:
        if frame["e"] == "depthSnapshot":
            self.sides = {"b": {}, "a": {}}
        else:
            assert frame["U"] == self.update_id
        for side, levels in self.sides.items():
            for price, size in frame[side]:
                if size == "0":
                    del levels[price]
                else:
                    levels[price] = size
        self.update_id = frame["u"]

    def checksum(self) -> int:
        bids = sorted(self.sides["b"].items(), key=lambda level: -float(level[0]))
        asks = sorted(self.sides["a"].items(), key=lambda level: float(level[0]))
        return crc32(",".join(f"{price}:{size}" for price, size in bids + asks).encode())


def trade(server: Server, product: str, seed: int) -> None:
    """Bids and offers at random prices around 60000; some of them meet, some are cancelled."""
    rng = random.Random(seed)
    _, path, symbol = PATHS[product]
    clients = [server.client(name) for name in ("alice", "bob")]
    for _ in range(ORDERS):
        client = rng.choice(clients)
        side = rng.choice(("BUY", "SELL"))
        low, high = (-400, 40) if side == "BUY" else (-40, 400)
        body: dict[str, Any] = {
            "symbol": symbol,
            "side": side,
            "type": "LIMIT",
            "quantity": f"0.00{rng.randint(1, 9)}",
            "price": f"{60_000 + rng.randint(low, high)}.0",
            "timeInForce": rng.choice(("GTC", "GTC", "IOC")),
        }
        if product == "contract":
            body["positionSide"] = "LONG" if side == "BUY" else "SHORT"
        answer = client.post(path, body)
        assert answer.status in (200, 400), answer
        if rng.random() < 0.02:
            query = "openOrders" if product == "spot" else "allOpenOrders"
            stem = path.removesuffix("order")
            assert client.delete(f"{stem}{query}?symbol={symbol}").status == 200


@pytest.mark.parametrize("level", [15, 200])
@pytest.mark.parametrize("product", list(PATHS))
def test_a_kept_book_has_the_checksum(server: Server, product: str, level: int) -> None:
    channel = f"{PATHS[product][2]}@depth{level}_checksum"
    with Listener(server.port, PATHS[product][0]) as listener:
        listener.subscribe(channel)
        book = Kept()
        snapshot = listener.next()
        book.take(snapshot)
        assert snapshot["cs"] == book.checksum()
        trade(server, product, level)
        frames = listener.settle()
        checked = 0
        for frame in frames:
            passed = frame["u"] // 100 > frame["U"] // 100
            book.take(frame)
            assert ("cs" in frame) == passed
            if passed:
                assert frame["cs"] == book.checksum()
                checked += 1
        assert checked >= 3
        with Listener(server.port, PATHS[product][0]) as late:
            late.subscribe(channel)
            newcomer = Kept()
            frame = late.next()
            newcomer.take(frame)
            assert frame["cs"] == newcomer.checksum()
            assert len(newcomer.sides["b"]) > 5


def test_other_depth_channels_have_none(server: Server) -> None:
    with Listener(server.port, PATHS["spot"][0]) as listener:
        listener.subscribe("BTCUSDT@depth15")
        assert "cs" not in listener.next()
        trade(server, "spot", 1)
        frames = listener.settle()
    assert frames
    assert frames[-1]["u"] // 100 > frames[0]["U"] // 100
    assert not any("cs" in frame for frame in frames)
