"""Time that skips to what is due, and the client that keeps it from skipping while it works."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from support.listening import Listener, login
from support.moved import Moved
from support.real_venue import new_owner, real_venue
from support.socket_desk import PRODUCTS, SPOT, Product, placed

HOUR_MS = 3_600_000
DEEP = ("depth200_checksum", "depth15", "ticker", "trade", "bookTicker")
HOLD = {"method": "CLOCK.HOLD", "id": 7}


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Moved]:
    """It stands until a test lets it skip."""
    with Moved(tmp_path, "--no-agents") as moved:
        yield moved


def skip(venue: Moved) -> None:
    venue.ok(venue.anyone.post("/_venue/clock", {"mode": "skip"}))


def moves(venue: Moved, begin: int, least_ms: int) -> int:
    """Wait until venue time has gone on so far."""
    while (time := int(venue.clock()["time"])) < begin + least_ms:
        continue
    return time


def private(venue: Moved, product: Product = SPOT) -> Listener:
    account = venue.server.account("alice")
    return Listener(venue.server.port, product.socket, login(account))


def ended(listener: Listener) -> str:
    """The reason why a socket was closed, after the last of its frames."""
    try:
        while True:
            listener.receive()
    except ConnectionClosed as closed:
        return str(closed)


def hold(listener: Listener, *, enabled: bool = True) -> Any:
    return listener.ask(HOLD | {"params": {"enabled": enabled}})


def test_time_skips_to_what_is_due(venue: Moved) -> None:
    """Days pass in moments, and everything due on the way is done at its instant."""
    begin = venue.clock()["time"]
    skip(venue)
    moves(venue, begin, 24 * HOUR_MS)
    venue.ok(venue.anyone.post("/_venue/clock", {"mode": "manual"}))
    stands = venue.clock()["time"]
    assert venue.clock()["time"] == stands
    assert venue.clock()["sequence"] > 0


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
def test_a_client_that_works_keeps_time_where_it_is(venue: Moved, product: Product) -> None:
    with private(venue, product) as listener:
        assert hold(listener) == {"result": True, "id": 7}
        skip(venue)
        begin = venue.clock()
        assert (begin["mode"], begin["holders"]) == ("skip", 1)
        if product is SPOT:
            placed(listener, product)  # it trades at one instant, as long as it takes
        for _ in range(20):
            assert venue.clock()["time"] == begin["time"]
        # Time is still moved by whoever says so.
        assert venue.advance(by="1m")["to"] == begin["time"] + 60_000
        assert venue.clock()["time"] == begin["time"] + 60_000
        assert hold(listener, enabled=False) == {"result": True, "id": 7}
        moves(venue, begin["time"], HOUR_MS)


def test_a_hold_ends_with_its_socket_and_each_holds_by_itself(venue: Moved) -> None:
    with private(venue) as first:
        with private(venue) as second:
            hold(first)
            hold(second)
            hold(second)  # once more is once
            skip(venue)
            begin = venue.clock()
            assert begin["holders"] == 2
        while venue.clock()["holders"] == 2:
            continue
        assert venue.clock()["time"] == begin["time"]
    moves(venue, begin["time"], HOUR_MS)
    assert venue.clock()["holders"] == 0


def test_strangers_and_nonsense_hold_nothing(venue: Moved) -> None:
    with Listener(venue.server.port, "/spot/v3/ws/public") as public:
        assert public.ask(HOLD | {"params": {"enabled": True}})["result"] is False
    with private(venue) as listener:
        wrong: list[Any] = [None, [], {}, {"enabled": "yes"}, {"enabled": 1}, True]
        for params in wrong:
            told = listener.ask(HOLD | {"params": params})
            assert told["result"] is False, told
            assert "enabled" in told["msg"]
    assert venue.clock()["holders"] == 0


def test_a_venue_that_is_not_for_practice_knows_no_holds(tmp_path: Path) -> None:
    with real_venue(tmp_path) as server:
        alice = new_owner(server.client(), "alice")
        with Listener(server.port, SPOT.socket, login(alice)) as listener:
            told = listener.ask(HOLD | {"params": {"enabled": True}})
        assert told["result"] is False
        assert "invalid event : CLOCK.HOLD" in told["msg"]
        assert server.client().post("/_venue/stop", {}).status == 400
        assert server.client().post("/_venue/crash", {"symbol": "X", "change": "-1%"}).status == 400


def test_who_reads_nothing_does_not_keep_time_from_passing(tmp_path: Path) -> None:
    """A stranger's socket: an advance waits for it once, then it is let go."""
    tuned = ("support.tuned", "gateway.streams.hub.KEEP_UP_S=1")
    channels = [f"{symbol}@{name}" for symbol in ("BTCUSDT", "ETHUSDT") for name in DEEP]
    with Moved(tmp_path, program=tuned) as venue, ExitStack() as sockets:
        narrow = sockets.enter_context(socket.socket())
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        narrow.connect(("127.0.0.1", venue.server.port))
        path = "/spot/v3/ws/public"
        stalled = sockets.enter_context(Listener(venue.server.port, path, sock=narrow, max_queue=1))
        stalled.subscribe(*channels)
        reader = sockets.enter_context(private(venue))
        begin = venue.clock()["time"]
        assert venue.advance(by="4m")["to"] == begin + 240_000
        # A socket without a close frame in 5 s is cut off: a busy machine advances longer.
        reasons = ("too slow: nothing was read for 1 s", "no close frame received")
        told = ended(stalled)
        assert any(reason in told for reason in reasons), told
        assert reader.ask({"method": "PING", "id": 1})["result"] is True
